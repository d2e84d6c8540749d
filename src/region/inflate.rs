//! A chunk's compressed bytes to its plain bytes, bounded, in buffers that are kept.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use libdeflater::{DecompressionError, Decompressor};

use super::{Fault, lz4};

/// The most bytes a chunk may inflate to.
pub const MAX_INFLATED: usize = 64 << 20;
/// The largest record that is read: bytes that do not shrink need no more than this.
const MAX_RECORD: usize = MAX_INFLATED + (1 << 20);
/// Up to here each worker has its own buffer; only one in the whole process may be larger at a time.
const OWN_BUFFER: usize = 8 << 20;
/// Room for nearly every chunk: the largest of the usual ones are about 1 MiB.
const FIRST_BUFFER: usize = 512 << 10;

/// Held by whoever inflates a chunk of more than [`OWN_BUFFER`] bytes.
static LARGE: Mutex<()> = Mutex::new(());

/// One worker's decompressor and its buffers: a record as it is stored, and its plain bytes.
pub struct Inflater {
    deflate: Decompressor,
    packed: Vec<u8>,
    plain: Vec<u8>,
    /// How much of `plain` is the last record's; the buffers never shrink, so that none is cleared again and again.
    plain_len: usize,
    large: Option<MutexGuard<'static, ()>>,
}

impl std::fmt::Debug for Inflater {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inflater").field("capacity", &self.plain.capacity()).finish_non_exhaustive()
    }
}

impl Default for Inflater {
    fn default() -> Self {
        Self { deflate: Decompressor::new(), packed: Vec::new(), plain: Vec::new(), plain_len: 0, large: None }
    }
}

#[derive(Clone, Copy)]
enum Wrapper {
    Gzip,
    Zlib,
}

impl Inflater {
    /// Room for a record of `len` bytes, which the caller fills; [`Inflater::inflate`] then takes a part of it.
    ///
    /// # Errors
    /// The record is larger than any chunk may be.
    pub(super) fn record(&mut self, len: usize) -> Result<&mut [u8], Fault> {
        if len > MAX_RECORD {
            return Err(Fault::TooLarge);
        }
        if len > OWN_BUFFER {
            self.take_large();
        }
        if self.packed.len() < len {
            self.packed.resize(len, 0);
        }
        Ok(&mut self.packed[..len])
    }

    /// The plain bytes of `record`, a part of the record at hand.
    ///
    /// # Errors
    /// The compression is unknown, the bytes are damaged, or there are more than [`MAX_INFLATED`] of them.
    pub(super) fn inflate(&mut self, compression: u8, record: Range<usize>) -> Result<&[u8], Fault> {
        match compression {
            1 => self.deflated(record, Wrapper::Gzip)?,
            2 => self.deflated(record, Wrapper::Zlib)?,
            3 => {
                let plain_len = record.len();
                self.grow_to(plain_len)?;
                self.plain[..plain_len].copy_from_slice(&self.packed[record]);
                self.plain_len = plain_len;
            }
            4 => self.lz4(record)?,
            127 => return Err(Fault::Compression(127, custom_name(&self.packed[record]))),
            id => return Err(Fault::Compression(id, String::new())),
        }
        Ok(self.plain())
    }

    /// Returns large buffers to the system and lets the next worker have them. Called before each record.
    pub(super) fn give_back(&mut self) {
        if self.large.is_some() {
            if self.packed.capacity() > OWN_BUFFER {
                self.packed = Vec::new();
            }
            if self.plain.capacity() > OWN_BUFFER {
                self.plain = Vec::new();
            }
            self.large = None;
        }
    }

    /// Waits for the right to have a large buffer.
    fn take_large(&mut self) {
        if self.large.is_none() {
            // The guard protects no data, so a holder that panicked leaves nothing wrong behind.
            self.large = Some(LARGE.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Makes the plain buffer at least `len` bytes long.
    fn grow_to(&mut self, len: usize) -> Result<(), Fault> {
        if len > MAX_INFLATED {
            return Err(Fault::TooLarge);
        }
        if len > OWN_BUFFER {
            self.take_large();
        }
        if self.plain.len() < len {
            self.plain.resize(len, 0);
        }
        Ok(())
    }

    fn deflated(&mut self, record: Range<usize>, wrapper: Wrapper) -> Result<(), Fault> {
        let mut room = self.plain.len().clamp(FIRST_BUFFER, OWN_BUFFER);
        loop {
            self.grow_to(room)?;
            let packed = &self.packed[record.clone()];
            let written = match wrapper {
                Wrapper::Gzip => self.deflate.gzip_decompress(packed, &mut self.plain),
                Wrapper::Zlib => self.deflate.zlib_decompress(packed, &mut self.plain),
            };
            match written {
                Ok(len) => {
                    self.plain_len = len;
                    return Ok(());
                }
                Err(DecompressionError::BadData) => return Err(Fault::Inflate("bad deflate data or checksum")),
                Err(DecompressionError::InsufficientSpace) if room >= MAX_INFLATED => return Err(Fault::TooLarge),
                // Four times: a bomb of the largest size is tried at most five times.
                Err(DecompressionError::InsufficientSpace) => room = (room * 4).min(MAX_INFLATED),
            }
        }
    }

    fn lz4(&mut self, record: Range<usize>) -> Result<(), Fault> {
        self.plain.clear();
        let mut done = lz4::inflate(&self.packed[record.clone()], &mut self.plain, OWN_BUFFER);
        if done == Err(Fault::TooLarge) {
            self.take_large();
            self.plain.clear();
            done = lz4::inflate(&self.packed[record], &mut self.plain, MAX_INFLATED);
        }
        self.plain_len = self.plain.len();
        done
    }

    /// The plain bytes of the last record.
    pub(super) fn plain(&self) -> &[u8] {
        &self.plain[..self.plain_len]
    }
}

/// The algorithm's name at the start of a custom payload: a Java string, two bytes of length first.
fn custom_name(bytes: &[u8]) -> String {
    let name = bytes.split_first_chunk::<2>().and_then(|(len, rest)| rest.get(..u16::from_be_bytes(*len) as usize));
    String::from_utf8_lossy(name.unwrap_or_default()).chars().take(64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    fn inflate(compression: u8, bytes: &[u8]) -> Result<Vec<u8>, Fault> {
        inflate_with(&mut Inflater::default(), compression, bytes)
    }

    fn inflate_with(inflater: &mut Inflater, compression: u8, bytes: &[u8]) -> Result<Vec<u8>, Fault> {
        inflater.give_back();
        inflater.record(bytes.len())?.copy_from_slice(bytes);
        inflater.inflate(compression, 0..bytes.len()).map(<[u8]>::to_vec)
    }

    fn zlib(plain: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(plain).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn each_compression_gives_the_plain_bytes() {
        let plain = b"plain bytes, plain bytes, plain bytes".repeat(100);
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&plain).unwrap();
        assert_eq!(inflate(1, &gzip.finish().unwrap()).unwrap(), plain);
        assert_eq!(inflate(2, &zlib(&plain)).unwrap(), plain);
        assert_eq!(inflate(3, &plain).unwrap(), plain);
    }

    #[test]
    fn trailing_bytes_are_ignored_and_damage_is_not() {
        let mut packed = zlib(b"some plain bytes");
        packed.extend_from_slice(b"rest");
        assert_eq!(inflate(2, &packed).unwrap(), b"some plain bytes");
        packed[4] ^= 0x55;
        assert!(matches!(inflate(2, &packed), Err(Fault::Inflate(_))));
        assert!(matches!(inflate(2, &[]), Err(Fault::Inflate(_))));
    }

    #[test]
    fn a_bomb_is_refused_and_the_buffer_given_back() {
        let bomb = zlib(&vec![0; MAX_INFLATED + 1]);
        let mut inflater = Inflater::default();
        assert_eq!(inflate_with(&mut inflater, 2, &bomb), Err(Fault::TooLarge));
        let small = zlib(b"small");
        assert_eq!(inflate_with(&mut inflater, 2, &small).unwrap(), b"small");
        assert!(inflater.plain.capacity() <= OWN_BUFFER);
        assert!(LARGE.try_lock().is_ok());
    }

    #[test]
    fn unknown_compressions_are_named() {
        assert_eq!(inflate(9, &[]), Err(Fault::Compression(9, String::new())));
        assert_eq!(inflate(127, b"\0\x04zstd..."), Err(Fault::Compression(127, "zstd".to_owned())));
        assert_eq!(inflate(127, b"\xff"), Err(Fault::Compression(127, String::new())));
    }
}
