//! A file in a zip. It is inflated from its start, no further than readers need, and the inflated
//! part is kept.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

use flate2::read::DeflateDecoder;

use super::path_facts::PathFacts;
use crate::at;

/// The most bytes that a file in a zip may inflate to.
const MAX_FILE: u64 = 256 << 20;
/// A file longer than `MAX_FREE` may not inflate to more than `MAX_RATIO` times its packed bytes,
/// so that a tiny zip cannot fill the memory of all workers. Region files stay far below that
/// ratio, because their chunks are already compressed.
const MAX_FREE: u64 = 16 << 20;
const MAX_RATIO: u64 = 100;
/// The fewest bytes that are inflated at once.
const STEP: u64 = 64 << 10;

#[derive(Debug, Clone)]
pub(super) enum ZipBytes {
    Disk(Arc<File>),
    Memory(Arc<[u8]>),
}

impl ZipBytes {
    pub(super) fn len(&self) -> io::Result<u64> {
        match self {
            Self::Disk(file) => Ok(file.metadata()?.len()),
            Self::Memory(bytes) => Ok(bytes.len() as u64),
        }
    }

    pub(super) fn read_at(&self, buffer: &mut [u8], start: u64) -> io::Result<usize> {
        match self {
            Self::Disk(file) => at::read_at(file, buffer, start),
            Self::Memory(bytes) => Ok(copy(bytes, buffer, start)),
        }
    }
}

/// Copies the part of `bytes` that begins at `start`. Returns the number of bytes.
fn copy(bytes: &[u8], buffer: &mut [u8], start: u64) -> usize {
    let rest = usize::try_from(start)
        .ok()
        .and_then(|start| bytes.get(start..))
        .unwrap_or_default();
    let len = rest.len().min(buffer.len());
    buffer[..len].copy_from_slice(&rest[..len]);
    len
}

/// A part of a zip that is read sequentially: at most `left` bytes from `at` on.
#[derive(Debug)]
pub(super) struct ZipPart {
    pub(super) source: ZipBytes,
    pub(super) at: u64,
    pub(super) left: u64,
}

impl Read for ZipPart {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let limit = usize::try_from(self.left)
            .unwrap_or(usize::MAX)
            .min(buffer.len());
        let read = self.source.read_at(&mut buffer[..limit], self.at)?;
        self.at += read as u64;
        self.left -= read as u64;
        Ok(read)
    }
}

impl Seek for ZipPart {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.source.len()?.checked_add_signed(by),
        };
        self.at = position.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

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
    pub(super) fn new(part: ZipPart, is_deflated: bool, len: u64, crc: u32) -> io::Result<Self> {
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
        Ok(copy(&self.bytes, buffer, start))
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
