//! Inflates a chunk's stored bytes, within limits. Callers read the bytes from a store.

use std::ops::{Deref, Range};

use libdeflater::{DecompressionError, Decompressor};

use crate::bytes::budget::{Allowance, SHORT_CHUNK};
use crate::bytes::buffers::{OWN_BUFFER, RecordBuffers};
use crate::bytes::cut;
use crate::bytes::defect::Defect;
use crate::bytes::fault::{Fault, MAX_INFLATED};
use crate::bytes::kept_parts::KeptParts;
use crate::bytes::lz4;

/// The id of gzip.
pub(crate) const GZIP: u8 = 1;
/// The id of uncompressed bytes, which have no checksum.
pub(crate) const UNCOMPRESSED: u8 = 3;
/// The buffer sizes that are tried for deflate, which does not store the length of its result. The
/// first is enough for nearly every chunk, and a bomb costs at most five attempts.
const ROOMS: [usize; 5] = [SHORT_CHUNK, 2 << 20, OWN_BUFFER, 32 << 20, MAX_INFLATED];

/// One worker's decompressor and its two buffers: for a record in its stored form, and for its
/// plain bytes.
pub struct Inflater {
    deflate: Decompressor,
    buffers: RecordBuffers,
    /// Length of the last record's plain bytes.
    plain_len: usize,
    /// Cached parts of the blocks of databases.
    pub(crate) kept_parts: KeptParts,
}

impl std::fmt::Debug for Inflater {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inflater")
            .field("capacity", &self.buffers.plain.capacity())
            .finish_non_exhaustive()
    }
}

impl Default for Inflater {
    fn default() -> Self {
        Self::with_stop(|| false)
    }
}

/// The plain bytes of one chunk. While they exist, the worker may hold the right to large buffers.
/// Dropping them releases it on every path.
#[derive(Debug)]
pub struct PlainBytes<'a>(&'a mut Inflater);

/// The length of a record's plain bytes, and whether the record ends too early after them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct InflatedLen {
    pub(crate) len: usize,
    pub(crate) is_cut: bool,
}

impl<'a> PlainBytes<'a> {
    /// Begins without any bytes.
    pub(crate) fn start(inflater: &'a mut Inflater) -> Self {
        inflater.buffers.give_back();
        inflater.plain_len = 0;
        Self(inflater)
    }

    pub(crate) fn inflater(&mut self) -> &mut Inflater {
        self.0
    }
}

impl Deref for PlainBytes<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.0.plain()
    }
}

impl Drop for PlainBytes<'_> {
    fn drop(&mut self) {
        self.0.buffers.give_back();
    }
}

impl Inflater {
    /// Makes an inflater that no longer waits for a large buffer once `stop` returns true. A chunk
    /// that needs such a buffer then fails with [`Fault::Unreadable`] and
    /// [`std::io::ErrorKind::Interrupted`], because the world is not at fault.
    pub fn with_stop(stop: impl Fn() -> bool + Send + 'static) -> Self {
        Self {
            deflate: Decompressor::new(),
            buffers: RecordBuffers::new(stop),
            plain_len: 0,
            kept_parts: KeptParts::default(),
        }
    }

    /// Makes room for a record of `len` bytes, which the caller fills. [`Inflater::inflate`] then
    /// inflates a part of it.
    ///
    /// # Errors
    /// Fails if the record is larger than any chunk may be, or the run ends.
    pub(crate) fn record(&mut self, len: usize, allowance: Allowance) -> Result<&mut [u8], Fault> {
        allowance.admit(len)?;
        self.buffers.packed(len)
    }

    /// Returns a part of the current record in its stored form.
    pub(crate) fn stored(&self, part: &Range<usize>) -> &[u8] {
        &self.buffers.packed[part.clone()]
    }

    /// Inflates `record`, a part of the current record. Returns the number of plain bytes.
    ///
    /// # Errors
    /// Fails if the compression is unknown, the bytes are damaged, or the result is larger than
    /// allowed.
    pub(crate) fn inflate(
        &mut self,
        compression: u8,
        record: Range<usize>,
        allowance: &mut Allowance,
    ) -> Result<usize, Fault> {
        self.plain_len = match compression {
            GZIP => self.deflated(record, true, allowance)?,
            2 => self.deflated(record, false, allowance)?,
            UNCOMPRESSED => {
                let len = record.len();
                self.make_room(len, allowance)?;
                let RecordBuffers { packed, plain, .. } = &mut self.buffers;
                plain[..len].copy_from_slice(&packed[record]);
                len
            }
            4 => self.lz4(record, allowance)?,
            127 => return Err(Fault::Compression(127, custom_name(self.stored(&record)))),
            id => return Err(Fault::Compression(id, String::new())),
        };

        Ok(self.plain_len)
    }

    /// Inflates `record` like [`Inflater::inflate`], but also accepts a record whose end is cut
    /// off, if `is_whole` accepts the plain bytes before the cut.
    ///
    /// # Errors
    /// Fails if the compression is unknown, the bytes are damaged, or the result is larger than
    /// allowed.
    pub(crate) fn inflate_cut(
        &mut self,
        compression: u8,
        record: Range<usize>,
        allowance: &mut Allowance,
        is_whole: impl FnOnce(&[u8]) -> bool,
    ) -> Result<InflatedLen, Fault> {
        match self.inflate(compression, record.clone(), allowance) {
            Ok(len) => Ok(InflatedLen { len, is_cut: false }),
            Err(fault @ Fault::Inflate(_)) => {
                self.plain_len = self
                    .before_cut(compression, record, allowance)?
                    .unwrap_or(0);

                let is_cut = is_whole(self.plain());
                if is_cut {
                    Ok(InflatedLen {
                        len: self.plain_len,
                        is_cut,
                    })
                } else {
                    Err(fault)
                }
            }
            Err(fault) => Err(fault),
        }
    }

    /// Inflates the part of `record` before its cut, after `inflate` has failed. Returns the number
    /// of plain bytes; `None`: the record is damaged rather than cut off.
    fn before_cut(
        &mut self,
        compression: u8,
        record: Range<usize>,
        allowance: &mut Allowance,
    ) -> Result<Option<usize>, Fault> {
        if compression == 4 {
            let Some(whole) = lz4::before_cut(self.stored(&record)) else {
                return Ok(None);
            };
            return self
                .lz4(record.start..record.start + whole, allowance)
                .map(Some);
        }

        // libdeflate found the fault within this many bytes, so the plain bytes before the fault
        // fit as well.
        let RecordBuffers { packed, plain, .. } = &mut self.buffers;
        Ok(cut::inflate(
            &packed[record],
            compression == GZIP,
            &mut plain[..allowance.reached],
        ))
    }

    /// Makes the plain buffer at least `len` bytes long.
    fn make_room(&mut self, len: usize, allowance: &mut Allowance) -> Result<(), Fault> {
        allowance.spend(len)?;
        self.buffers.plain(len).map(drop)
    }

    fn deflated(
        &mut self,
        record: Range<usize>,
        is_gzip: bool,
        allowance: &mut Allowance,
    ) -> Result<usize, Fault> {
        // The buffer never shrinks. If it is already larger than the first size, the largest size
        // that fits is tried first.
        let limit = allowance.limit();
        let available = self.buffers.plain.len().min(limit);
        let first = ROOMS
            .iter()
            .rposition(|&room| room <= available)
            .unwrap_or(0);

        for room in ROOMS
            .into_iter()
            .skip(first)
            .take_while(|&room| room <= limit)
        {
            self.make_room(room, allowance)?;

            match self.try_room(room, record.clone(), is_gzip) {
                Ok(len) => return Ok(len),
                Err(DecompressionError::InsufficientSpace) => {}
                Err(DecompressionError::BadData) => {
                    // The cost must not depend on the length that earlier records gave the buffer,
                    // so the smallest size that finds the fault is searched.
                    allowance.reached = room;

                    for less in ROOMS.into_iter().take_while(|&less| less < room) {
                        if self.try_room(less, record.clone(), is_gzip)
                            == Err(DecompressionError::BadData)
                        {
                            allowance.reached = less;
                            break;
                        }
                    }

                    return Err(Fault::Inflate("bad deflate data or checksum"));
                }
            }
        }

        Err(allowance.refusal())
    }

    /// Inflates into the first `room` bytes of the plain buffer.
    fn try_room(
        &mut self,
        room: usize,
        record: Range<usize>,
        is_gzip: bool,
    ) -> Result<usize, DecompressionError> {
        let RecordBuffers { packed, plain, .. } = &mut self.buffers;
        let packed = &packed[record];
        let plain = &mut plain[..room];
        if is_gzip {
            self.deflate.gzip_decompress(packed, plain)
        } else {
            self.deflate.zlib_decompress(packed, plain)
        }
    }

    fn lz4(&mut self, record: Range<usize>, allowance: &mut Allowance) -> Result<usize, Fault> {
        // The headers of the blocks contain the plain lengths, so the exact buffer size is known in
        // advance.
        let len = lz4::plain_len(self.stored(&record))?;
        self.make_room(len, allowance)?;
        let RecordBuffers { packed, plain, .. } = &mut self.buffers;
        lz4::inflate(&packed[record], &mut plain[..len])?;
        Ok(len)
    }

    /// Inflates a part of the current record into a separate buffer. The part is a zlib stream or
    /// raw deflate. The buffer has `room` bytes at first and at most `limit`.
    ///
    /// # Errors
    /// Fails if the bytes are damaged, or the result is larger than allowed.
    pub(crate) fn inflate_block(
        &mut self,
        is_zlib: bool,
        part: Range<usize>,
        room: usize,
        limit: usize,
    ) -> Result<Vec<u8>, Defect> {
        let mut room = room.min(limit);
        loop {
            self.buffers.wait_for_right(room)?;

            let mut plain = self.kept_parts.buffer(room);
            let packed = &self.buffers.packed[part.clone()];
            let inflated = if is_zlib {
                self.deflate.zlib_decompress(packed, &mut plain)
            } else {
                self.deflate.deflate_decompress(packed, &mut plain)
            };

            match inflated {
                Ok(len) => {
                    plain.truncate(len);
                    return Ok(plain);
                }
                Err(DecompressionError::BadData) => return Err(Defect::Inflate),
                Err(DecompressionError::InsufficientSpace) if room == limit => {
                    return Err(Defect::TooLarge);
                }
                Err(DecompressionError::InsufficientSpace) => room = (4 * room).min(limit),
            }
        }
    }

    /// Makes room for `len` plain bytes, which the caller fills.
    ///
    /// # Errors
    /// Fails if the chunk may not have that number of bytes, or the run ends.
    pub(crate) fn fill(
        &mut self,
        len: usize,
        allowance: &mut Allowance,
    ) -> Result<&mut [u8], Fault> {
        self.make_room(len, allowance)?;
        self.plain_len = len;
        Ok(&mut self.buffers.plain[..len])
    }

    /// Returns the plain bytes of the last record.
    pub(crate) fn plain(&self) -> &[u8] {
        &self.buffers.plain[..self.plain_len]
    }
}

/// Returns the name of the algorithm at the start of a custom payload. It is a Java string, after
/// two bytes with its length.
fn custom_name(bytes: &[u8]) -> String {
    let name = bytes
        .split_first_chunk::<2>()
        .and_then(|(len, rest)| rest.get(..u16::from_be_bytes(*len) as usize));
    String::from_utf8_lossy(name.unwrap_or_default())
        .chars()
        .take(64)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{self, Write as _};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    fn inflate(compression: u8, bytes: &[u8]) -> Result<Vec<u8>, Fault> {
        inflate_with(&mut Inflater::default(), compression, bytes)
    }

    fn inflate_with(
        inflater: &mut Inflater,
        compression: u8,
        bytes: &[u8],
    ) -> Result<Vec<u8>, Fault> {
        inflate_within(inflater, compression, bytes, &mut Allowance::FULL.clone())
    }

    fn inflate_within(
        inflater: &mut Inflater,
        compression: u8,
        bytes: &[u8],
        allowance: &mut Allowance,
    ) -> Result<Vec<u8>, Fault> {
        let mut plain = PlainBytes::start(inflater);
        let inflater = plain.inflater();
        inflater
            .record(bytes.len(), *allowance)?
            .copy_from_slice(bytes);
        inflater.inflate(compression, 0..bytes.len(), allowance)?;
        Ok(plain.to_vec())
    }

    /// Returns the number of bytes that a damaged or too large record used.
    fn reached(inflater: &mut Inflater, compression: u8, bytes: &[u8]) -> usize {
        let mut allowance = Allowance::FULL;
        inflate_within(inflater, compression, bytes, &mut allowance).unwrap_err();
        allowance.reached
    }

    fn zlib(plain: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(plain).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn each_compression_gives_the_plain_bytes() {
        let plain = b"plain bytes, plain bytes, plain bytes".repeat(100);
        assert_eq!(inflate(1, &gzip(&plain)).unwrap(), plain);
        assert_eq!(inflate(2, &zlib(&plain)).unwrap(), plain);
        assert_eq!(inflate(3, &plain).unwrap(), plain);
    }

    fn gzip(plain: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(plain).unwrap();
        encoder.finish().unwrap()
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
    fn a_bomb_is_refused_and_frees_its_buffer() {
        let bomb = zlib(&vec![0; MAX_INFLATED + 1]);
        let mut inflater = Inflater::default();
        assert_eq!(inflate_with(&mut inflater, 2, &bomb), Err(Fault::TooLarge));
        let small = zlib(b"small");
        assert_eq!(inflate_with(&mut inflater, 2, &small).unwrap(), b"small");
        assert!(inflater.buffers.plain.capacity() <= OWN_BUFFER);
        assert!(!inflater.buffers.holds_large());
    }

    #[test]
    fn the_large_buffer_returns_with_its_chunk() {
        let packed = zlib(&vec![7; 12 << 20]);
        let mut inflater = Inflater::default();
        assert_eq!(
            inflate_with(&mut inflater, 2, &packed).unwrap().len(),
            12 << 20
        );
        assert!(!inflater.buffers.holds_large() && inflater.buffers.plain.capacity() <= OWN_BUFFER);

        let mut damaged = packed;
        *damaged.last_mut().unwrap() ^= 1;
        assert!(matches!(
            inflate_with(&mut inflater, 2, &damaged),
            Err(Fault::Inflate(_))
        ));
        assert!(!inflater.buffers.holds_large() && inflater.buffers.plain.capacity() <= OWN_BUFFER);
    }

    #[test]
    fn workers_stop_waiting_for_the_large_buffer() {
        let packed = zlib(&vec![7; 12 << 20]);
        let (stop, stopped) = (
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicBool::new(false)),
        );
        let (sender, receiver) = std::sync::mpsc::channel();
        let held = RecordBuffers::hold();

        let waits = {
            let (stop, asked) = (stop.clone(), stopped.clone());
            move || {
                let until = move || {
                    asked.store(true, Ordering::Relaxed);
                    stop.load(Ordering::Relaxed)
                };

                let (mut inflater, packed) = (Inflater::with_stop(until), packed);
                sender
                    .send(inflate_with(&mut inflater, 2, &packed).map(|plain| plain.len()))
                    .unwrap();
                sender
                    .send(inflate_with(&mut inflater, 2, &packed).map(|plain| plain.len()))
                    .unwrap();
            }
        };

        let waiting = std::thread::Builder::new().spawn(waits).unwrap();

        while !stopped.load(Ordering::Relaxed) {
            std::thread::yield_now();
        }

        stop.store(true, Ordering::Relaxed);
        let fault = receiver
            .recv_timeout(Duration::from_secs(45))
            .unwrap()
            .unwrap_err();
        assert_eq!(fault.io_error(), Some((io::ErrorKind::Interrupted, None)));
        drop(held);

        // A free right is acquired even after the stop, but other tests may hold it for a while.
        let again = receiver.recv_timeout(Duration::from_secs(45)).unwrap();
        assert!(again == Ok(12 << 20) || again == Err(fault));
        waiting.join().unwrap();
    }

    #[test]
    fn an_lz4_stream_takes_its_room_exactly() {
        for len in [5 << 20, 6 << 20, OWN_BUFFER - 1, OWN_BUFFER] {
            let mut inflater = Inflater::default();
            let plain = vec![3; len];
            assert_eq!(
                inflate_with(&mut inflater, 4, &lz4::tests::stream(&plain)).unwrap(),
                plain
            );
            assert_eq!(inflater.buffers.plain.capacity(), len);
        }

        let mut inflater = Inflater::default();
        let plain = vec![3; OWN_BUFFER + 1];
        assert_eq!(
            inflate_with(&mut inflater, 4, &lz4::tests::stream(&plain)).unwrap(),
            plain
        );

        assert_eq!(
            (
                inflater.buffers.plain.capacity(),
                inflater.buffers.holds_large()
            ),
            (0, false)
        );

        let bomb = lz4::tests::stream(&vec![3; MAX_INFLATED + 1]);
        assert_eq!(inflate_with(&mut inflater, 4, &bomb), Err(Fault::TooLarge));
        assert_eq!(reached(&mut inflater, 4, &bomb), MAX_INFLATED);
    }

    #[test]
    fn the_cost_of_a_record_is_independent() {
        let mut packed = zlib(
            &(0..3_u32 << 20)
                .map(|n| (n.wrapping_mul(n) >> 7) as u8)
                .collect::<Vec<u8>>(),
        );
        *packed.last_mut().unwrap() ^= 1;
        let (mut fresh, mut used) = (Inflater::default(), Inflater::default());
        inflate_with(&mut used, 3, &vec![0; OWN_BUFFER]).unwrap();

        for inflater in [&mut fresh, &mut used] {
            assert_eq!(
                reached(inflater, 2, &packed),
                OWN_BUFFER,
                "3 MiB do not fit into the two sizes before"
            );
            assert_eq!(reached(inflater, 2, b"no zlib"), ROOMS[0]);
        }
    }

    #[test]
    fn unknown_compressions_are_named() {
        assert_eq!(inflate(9, &[]), Err(Fault::Compression(9, String::new())));
        assert_eq!(
            inflate(127, b"\0\x04zstd..."),
            Err(Fault::Compression(127, "zstd".to_owned()))
        );
        assert_eq!(
            inflate(127, b"\xff"),
            Err(Fault::Compression(127, String::new()))
        );
    }
}
