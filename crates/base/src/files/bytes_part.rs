//! Reads parts of files that are open already, and bytes in memory, in the same way.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

use super::downloaded_file::DownloadedFile;
use crate::at;

/// Bytes that can be read at any position, by many readers at once.
#[derive(Debug, Clone)]
pub(super) enum SharedBytes {
    /// A part of an open file.
    Disk {
        file: Arc<File>,
        start: u64,
        len: u64,
    },
    Memory(Arc<[u8]>),
    /// A file that was downloaded.
    Download(Arc<DownloadedFile>),
}

impl SharedBytes {
    /// Returns all bytes of a file.
    pub(super) fn whole(file: File) -> io::Result<Self> {
        Ok(Self::Disk {
            start: 0,
            len: file.metadata()?.len(),
            file: Arc::new(file),
        })
    }

    pub(super) fn len(&self) -> u64 {
        match self {
            Self::Disk { len, .. } => *len,
            Self::Memory(bytes) => bytes.len() as u64,
            Self::Download(file) => file.len,
        }
    }

    pub(super) fn read_at(&self, buffer: &mut [u8], position: u64) -> io::Result<usize> {
        match self {
            Self::Disk { file, start, len } => {
                let left = len.saturating_sub(position);
                let limit =
                    usize::try_from(left).map_or(buffer.len(), |left| left.min(buffer.len()));
                at::read_at(file, &mut buffer[..limit], start.saturating_add(position))
            }
            Self::Memory(bytes) => Ok(copy_from(bytes, buffer, position)),
            Self::Download(download) => at::read_at(&download.file, buffer, position),
        }
    }
}

/// Copies the part of `bytes` that begins at `start`. Returns the number of bytes.
pub(super) fn copy_from(bytes: &[u8], buffer: &mut [u8], start: u64) -> usize {
    let rest = usize::try_from(start)
        .ok()
        .and_then(|start| bytes.get(start..))
        .unwrap_or_default();
    let len = rest.len().min(buffer.len());
    buffer[..len].copy_from_slice(&rest[..len]);
    len
}

/// A part of some bytes that is read sequentially: at most `left` bytes from `at` on.
#[derive(Debug)]
pub(super) struct BytesPart {
    pub(super) source: SharedBytes,
    pub(super) at: u64,
    pub(super) left: u64,
}

impl Read for BytesPart {
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

impl Seek for BytesPart {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.source.len().checked_add_signed(by),
        };
        self.at = position.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}
