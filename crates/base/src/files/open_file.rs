//! Reads an open file at any position, on the disk or in a zip.

use std::fs::File;
use std::io;
#[cfg(target_os = "linux")]
use std::num::NonZeroU64;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use super::packed::PackedFile;
use super::path_facts::PathFacts;
use crate::{at, mutex};

/// An open file that can be read at any position.
#[derive(Debug)]
pub enum OpenFile {
    Disk(File),
    /// A file in a zip. All who open it share the bytes that are already inflated.
    Packed(Arc<Mutex<PackedFile>>),
}

impl OpenFile {
    /// Returns the current facts about it.
    pub fn facts(&self) -> io::Result<PathFacts> {
        match self {
            Self::Disk(file) => Ok(PathFacts::Disk(Box::new(file.metadata()?))),
            Self::Packed(packed) => Ok(mutex::lock(packed).facts()),
        }
    }

    /// Announces to the system that a part of the file will be read soon. This has an effect only
    /// on Linux, and not for zips.
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
    /// Fails if the file cannot be read, or its bytes in the zip are damaged.
    pub fn read_at(&self, buffer: &mut [u8], start: u64) -> io::Result<usize> {
        match self {
            Self::Disk(file) => at::read_at(file, buffer, start),
            Self::Packed(packed) => mutex::lock(packed).read_at(buffer, start),
        }
    }
}
