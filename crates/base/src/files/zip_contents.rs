//! The directory of a zip, and the files in it. Nothing from a zip is written to the disk.

use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex};

use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

use super::bytes_part::{BytesPart, SharedBytes};
use super::packed::PackedFile;
use super::path_facts::PathFacts;
use crate::mutex;
use crate::recent::RecentValues;

/// The longest directory that is read, in bytes. In memory it needs about five times as much.
pub(super) const MAX_DIRECTORY: u64 = 64 << 20;
/// The first bytes of a zip with files, and of an empty zip.
pub(super) const FILE: [u8; 4] = *b"PK\x03\x04";
pub(super) const EMPTY: [u8; 4] = *b"PK\x05\x06";
/// Length of the header before a file's bytes, without its name and its extra field. The offsets of
/// their lengths follow.
const HEAD: usize = 30;
const NAME: usize = 26;
const EXTRA: usize = 28;

#[derive(Debug)]
pub(super) struct ZipContents {
    source: SharedBytes,
    directory: ZipArchive<BufReader<DirectoryReader>>,
    open_files: Mutex<RecentValues<usize, Mutex<PackedFile>>>,
}

/// An entry of the directory.
pub(super) struct DirectoryEntry<'a> {
    /// Its index in the directory.
    pub(super) number: usize,
    /// Absent if it cannot be decoded.
    pub(super) name: Option<std::borrow::Cow<'a, str>>,
    pub(super) is_link: bool,
}

/// Reads a zip's bytes while its directory is read, and limits their number.
#[derive(Debug)]
struct DirectoryReader {
    part: BytesPart,
    left: u64,
}

impl Read for DirectoryReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.part.read(buffer)?;
        self.left = self.left.checked_sub(read as u64).ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::InvalidData,
                format!("its directory has more than {} MiB", MAX_DIRECTORY >> 20),
            )
        })?;
        Ok(read)
    }
}

impl Seek for DirectoryReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.part.seek(to)
    }
}

impl ZipContents {
    /// Reads the directory of a zip.
    ///
    /// # Errors
    /// Fails if the bytes cannot be read or are not a zip, or if the directory is too long.
    pub(super) fn read(source: SharedBytes) -> io::Result<Self> {
        // Some special files have length 0 and block their reader.
        if source.len() == 0 {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "not a zip: the file is empty",
            ));
        }

        let part = BytesPart {
            source: source.clone(),
            at: 0,
            left: u64::MAX,
        };
        let directory = BufReader::new(DirectoryReader {
            part,
            left: MAX_DIRECTORY,
        });

        let directory = ZipArchive::new(directory).map_err(|error| match error {
            ZipError::Io(error) if error.kind() != io::ErrorKind::UnexpectedEof => error,
            _ => io::Error::new(
                io::ErrorKind::InvalidData,
                "not a zip, or one that is not whole",
            ),
        })?;

        Ok(Self {
            source,
            directory,
            open_files: Mutex::new(RecentValues::new(2)),
        })
    }

    /// Lists the directory.
    pub(super) fn entries(&self) -> impl Iterator<Item = DirectoryEntry<'_>> {
        (0..self.directory.len()).map(|number| DirectoryEntry {
            number,
            name: self.directory.name_for_index(number).and_then(Result::ok),
            is_link: self
                .directory
                .by_index_data(number)
                .is_ok_and(|entry| entry.is_symlink()),
        })
    }

    /// Sets how many of the most recently opened files stay inflated.
    pub(super) fn keep(&self, limit: usize) {
        *mutex::lock(&self.open_files) = RecentValues::new(limit);
    }

    pub(super) fn facts(&self, number: usize) -> io::Result<PathFacts> {
        let entry = self.directory.by_index_data(number)?;
        Ok(PathFacts::Packed {
            len: entry.size(),
            crc: entry.crc32(),
        })
    }

    /// Opens a file, or shares it with others who have it open.
    pub(super) fn open_shared(&self, number: usize) -> io::Result<Arc<Mutex<PackedFile>>> {
        let mut open = mutex::lock(&self.open_files);
        if let Some(file) = open.get(&number) {
            return Ok(file);
        }
        let file = Arc::new(Mutex::new(self.open(number)?));
        open.put(number, file.clone());
        Ok(file)
    }

    /// Opens a file for reading from its start.
    pub(super) fn open(&self, number: usize) -> io::Result<PackedFile> {
        let entry = self.directory.by_index_data(number)?;
        if entry.encrypted() {
            return Err(unsupported(
                "it is encrypted: unpack the zip with its password first".to_owned(),
            ));
        }

        let is_deflated = match entry.compression() {
            CompressionMethod::Stored => false,
            CompressionMethod::Deflated => true,
            other => {
                return Err(unsupported(format!(
                    "it is packed by {other}: unpack the zip, or pack it again with Deflate"
                )));
            }
        };

        let mut head = [0; HEAD];
        let read = self.source.read_at(&mut head, entry.header_start())?;
        if read < HEAD || !head.starts_with(&FILE) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the zip is damaged: no file begins here",
            ));
        }

        let at = entry.header_start() + HEAD as u64 + length(&head, NAME) + length(&head, EXTRA);
        let part = BytesPart {
            source: self.source.clone(),
            at,
            left: entry.compressed_size(),
        };

        PackedFile::new(part, is_deflated, entry.size(), entry.crc32())
    }
}

fn unsupported(reason: String) -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, reason)
}

/// Returns the length that two bytes of a local header store.
fn length(head: &[u8; HEAD], at: usize) -> u64 {
    u64::from(u16::from_le_bytes([head[at], head[at + 1]]))
}
