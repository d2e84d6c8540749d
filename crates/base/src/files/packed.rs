//! A file in a zip. It is inflated from its start, no further than readers need, and the inflated
//! part is kept.

use std::fmt;
use std::io::{self, Read};

use flate2::read::DeflateDecoder;

use super::bytes_part::{BytesPart, copy_from};
use super::path_facts::PathFacts;

/// The most bytes that a file in a zip may inflate to.
const MAX_FILE: u64 = 256 << 20;
/// A file longer than `MAX_FREE` may not inflate to more than `MAX_RATIO` times its packed bytes,
/// so that a tiny zip cannot fill the memory of all workers. Region files stay far below that
/// ratio, because their chunks are already compressed.
const MAX_FREE: u64 = 16 << 20;
const MAX_RATIO: u64 = 100;
/// The fewest bytes that are inflated at once.
const STEP: u64 = 64 << 10;

pub struct PackedFile {
    rest: Box<dyn Read + Send>,
    /// The part of the file that is already inflated.
    bytes: Vec<u8>,
    /// The reason why the rest cannot be inflated.
    damage: Option<String>,
    len: u64,
    crc: u32,
}

impl fmt::Debug for PackedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PackedFile")
            .field("len", &self.len)
            .field("inflated", &self.bytes.len())
            .finish_non_exhaustive()
    }
}

impl PackedFile {
    /// Prepares to read a file of `len` bytes that `part` contains, either stored or deflated.
    ///
    /// # Errors
    /// Fails if the file would inflate to too many bytes.
    pub(super) fn new(part: BytesPart, is_deflated: bool, len: u64, crc: u32) -> io::Result<Self> {
        let limit = part
            .left
            .saturating_mul(MAX_RATIO)
            .clamp(MAX_FREE, MAX_FILE);

        if len > limit {
            return Err(io::Error::other(format!(
                "it inflates to {} MiB, more than pixelmap reads from a zip",
                len >> 20
            )));
        }

        let rest: Box<dyn Read + Send> = if is_deflated {
            Box::new(DeflateDecoder::new(part))
        } else {
            Box::new(part)
        };

        Ok(Self {
            rest,
            bytes: Vec::new(),
            damage: None,
            len,
            crc,
        })
    }

    pub(super) fn facts(&self) -> PathFacts {
        PathFacts::Packed {
            len: self.len,
            crc: self.crc,
        }
    }

    /// Reads up to the buffer's length, beginning at `start`.
    pub(super) fn read_at(&mut self, buffer: &mut [u8], start: u64) -> io::Result<usize> {
        let end = start.saturating_add(buffer.len() as u64).min(self.len);
        if end > self.bytes.len() as u64 {
            self.inflate(end)?;
        }
        Ok(copy_from(&self.bytes, buffer, start))
    }

    /// Inflates up to `end`, which is not past the end of the file.
    fn inflate(&mut self, end: u64) -> io::Result<()> {
        if let Some(damage) = &self.damage {
            return Err(io::Error::new(io::ErrorKind::InvalidData, damage.clone()));
        }

        let done = self.bytes.len() as u64;
        if done > 0 {
            // A second read means that the reader needs more than the header, and then usually
            // nearly the whole file.
            self.bytes.reserve_exact((self.len - done) as usize);
        }

        let step = (end - done).max(STEP).min(self.len - done);
        let read = (&mut self.rest).take(step).read_to_end(&mut self.bytes);

        read.map(drop)
            .inspect_err(|error| self.damage = Some(error.to_string()))
    }

    /// Returns a reader of a file that has not been read yet. It does not keep the inflated bytes.
    pub(super) fn into_reader(self) -> impl Read {
        self.rest.take(self.len)
    }
}
