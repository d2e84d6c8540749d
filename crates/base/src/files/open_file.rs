//! Reads an open file at any position, on the disk, in an archive or in a remote folder.

use std::fs::File;
use std::io;
#[cfg(target_os = "linux")]
use std::num::NonZeroU64;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use super::bytes_part::SharedBytes;
use super::packed::PackedFile;
use super::path_facts::PathFacts;
use super::remote::RemotePart;
use crate::{at, mutex};

/// An open file that can be read at any position.
#[derive(Debug)]
pub enum OpenFile {
    Disk(File),
    /// A file in a zip. All who open it share the bytes that are already inflated.
    Packed(Arc<Mutex<PackedFile>>),
    InTar(TarPart),
    /// A file of a remote folder, which was downloaded.
    Remote(RemotePart),
}

/// A file in a tar.
#[derive(Debug)]
pub struct TarPart {
    pub(super) bytes: SharedBytes,
    /// CRC-32 of its bytes.
    pub(super) crc: u32,
}

impl OpenFile {
    /// Returns the current facts about it.
    pub fn facts(&self) -> io::Result<PathFacts> {
        match self {
            Self::Disk(file) => Ok(PathFacts::Disk(Box::new(file.metadata()?))),
            Self::Packed(packed) => Ok(mutex::lock(packed).facts()),
            Self::InTar(TarPart { bytes, crc }) => Ok(PathFacts::Packed {
                len: bytes.len(),
                crc: *crc,
            }),
            Self::Remote(RemotePart { bytes, version }) => Ok(PathFacts::Remote {
                len: bytes.len(),
                version: *version,
            }),
        }
    }

    /// Announces to the system that a part of the file will be read soon. This has an effect only
    /// on Linux, and not for archives.
    pub fn will_read(&self, part: Range<u64>) {
        #[cfg(target_os = "linux")]
        if let (Self::Disk(file), Some(len)) = (self, NonZeroU64::new(part.end - part.start)) {
            // The announcement is optional, so a refusal is ignored.
            let _ = rustix::fs::fadvise(file, part.start, Some(len), rustix::fs::Advice::WillNeed);
        }
        #[cfg(not(target_os = "linux"))]
        let _ = part;
    }

    /// Reads up to the buffer's length, beginning at `start`. Returns the number of bytes; 0 at the
    /// end.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or its bytes in a zip are damaged.
    pub fn read_at(&self, buffer: &mut [u8], start: u64) -> io::Result<usize> {
        match self {
            Self::Disk(file) => at::read_at(file, buffer, start),
            Self::Packed(packed) => mutex::lock(packed).read_at(buffer, start),
            Self::InTar(part) => part.bytes.read_at(buffer, start),
            Self::Remote(part) => part.bytes.read_at(buffer, start),
        }
    }
}
