//! The files of a tar, which may be compressed.
//!
//! A tar lacks a directory, so it is read once from its start. Files of a tar that is not compressed
//! are then read in place. The files of a compressed tar are first written one after another into
//! one temporary file without a name. So nothing is left when the program ends, even if it is
//! killed, and names in a tar never decide where anything is written.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek as _, Write as _};
use std::path::Path;
use std::sync::Arc;

use flate2::Crc;
use flate2::bufread::MultiGzDecoder;

use super::bytes_part::{BytesPart, SharedBytes};
use super::entry_names::{LeftOutEntries, path_of};
use super::open_file::TarPart;
use super::path_facts::PathFacts;
use super::tar_headers::{self, EntryKind, TarBytes, TarEntry, TarReader};
use crate::{at, denied, zstd_stream};

const GZIP: &[u8] = b"\x1f\x8b";
const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";
/// A compressed tar of more than `MAX_FREE` bytes may not inflate to more than `MAX_RATIO` times its
/// length, so that a tiny file cannot fill a disk. Worlds stay far below that ratio, because their
/// chunks are already compressed.
const MAX_FREE: u64 = 1 << 30;
const MAX_RATIO: u64 = 100;
/// The most bytes of all names together. A name counts as at least `MIN_NAME` bytes, because each
/// entry needs some memory.
const MAX_NAMES: usize = 64 << 20;
const MIN_NAME: usize = 32;
/// The number of bytes that are copied at once.
const STEP: usize = 64 << 10;

/// How a tar is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compression {
    None,
    Gzip,
    Zstd,
}

/// The endings of the names of compressed tars.
const ENDINGS: [&str; 4] = [".tar.gz", ".tgz", ".tar.zst", ".tzst"];

/// Returns whether a file is a tar, perhaps a compressed one, by its first bytes. A compressed file
/// with the name of a tar is one, because the message about its damage is then the better one.
pub(super) fn is_tar(path: &Path) -> io::Result<bool> {
    is_tar_file(&File::open(path)?, path)
}

/// Returns the same as [`is_tar`] about an open file that stays at its start.
pub(super) fn is_tar_file(file: &File, path: &Path) -> io::Result<bool> {
    let mut start = [0; tar_headers::BLOCK];
    let read = at::read_at(file, &mut start, 0)?;
    let compression = Compression::of(&start[..read]);
    if compression == Compression::None {
        return Ok(read == start.len() && tar_headers::is_start(&start));
    }

    let name = path.to_string_lossy().to_ascii_lowercase();
    if ENDINGS.iter().any(|ending| name.ends_with(ending)) {
        return Ok(true);
    }

    // Other files are compressed in the same way, and are not read by this module.
    let mut inflated = [0; tar_headers::BLOCK];
    let whole = BytesPart {
        source: SharedBytes::whole(file.try_clone()?)?,
        at: 0,
        left: u64::MAX,
    };
    let begins = compression
        .decoder(BufReader::new(whole))
        .and_then(|mut decoder| decoder.read_exact(&mut inflated));
    Ok(begins.is_ok() && tar_headers::is_start(&inflated))
}

impl Compression {
    fn of(start: &[u8]) -> Self {
        if start.starts_with(GZIP) {
            Self::Gzip
        } else if start.starts_with(ZSTD) {
            Self::Zstd
        } else {
            Self::None
        }
    }

    fn decoder<R: Read + 'static>(self, packed: BufReader<R>) -> io::Result<Box<dyn Read>> {
        Ok(match self {
            Self::None => Box::new(packed),
            Self::Gzip => Box::new(MultiGzDecoder::new(packed)),
            Self::Zstd => Box::new(zstd_stream::decoder(packed)?),
        })
    }
}

/// Reads at most `left` bytes, and then fails.
struct Bounded<R> {
    bytes: R,
    left: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read(buffer)?;
        self.left = self.left.checked_sub(read as u64).ok_or_else(|| {
            io::Error::other(format!(
                "it inflates to more than {MAX_RATIO} times its length, which no world does"
            ))
        })?;
        Ok(read)
    }
}

/// A file in a tar.
#[derive(Debug, Clone, Copy)]
pub(super) struct TarFile {
    len: u64,
    /// The place of its contents, and their CRC-32; absent: they are not needed.
    place: Option<(u64, u32)>,
}

#[derive(Debug)]
pub(super) struct TarContents {
    /// The file that has the contents of all files: the tar itself, or the temporary file.
    bytes: Arc<File>,
    files: Vec<TarFile>,
}

/// A tar that was read completely.
pub(super) struct ReadTar {
    pub(super) contents: TarContents,
    /// The path of each file, and its number. The path of a folder ends with `/`.
    pub(super) paths: Vec<(String, usize)>,
    pub(super) left_out: LeftOutEntries,
}

impl ReadTar {
    /// Reads a tar from the start of a file. Keeps only the contents of files that are needed, by their path in the tar.
    ///
    /// # Errors
    /// Fails if the tar cannot be read, is damaged or not whole, exceeds a bound, or cannot be
    /// unpacked because the disk is full.
    pub(super) fn read_file(mut file: File, is_needed: fn(&str) -> bool) -> io::Result<Self> {
        let packed = file.metadata()?.len();
        let mut start = [0; tar_headers::BLOCK];
        let read = at::read_at(&file, &mut start, 0)?;
        let compression = Compression::of(&start[..read]);
        // On Windows, a read at a position moves the cursor.
        file.rewind()?;

        let (bytes, mut kept) = if compression == Compression::None {
            let own = Arc::new(file.try_clone()?);
            (
                TarBytes::Plain(BufReader::new(file), packed),
                KeptFiles::InTar(own),
            )
        } else {
            let inflated = Bounded {
                bytes: compression.decoder(BufReader::with_capacity(STEP, file))?,
                left: packed.saturating_mul(MAX_RATIO).max(MAX_FREE),
            };
            (
                TarBytes::Inflated(Box::new(inflated)),
                KeptFiles::unpacked()?,
            )
        };

        let mut reader = TarReader::new(bytes);
        let mut read = Self {
            contents: TarContents {
                bytes: kept.file(),
                files: Vec::new(),
            },
            paths: Vec::new(),
            left_out: LeftOutEntries::default(),
        };
        let mut names = 0;
        let mut last = String::new();

        while let Some(entry) = reader
            .next_entry()
            .map_err(|error| not_whole(error, &last))?
        {
            names += entry.name.len().max(MIN_NAME);
            if names > MAX_NAMES {
                return Err(io::Error::other(format!(
                    "its names have more than {} MiB",
                    MAX_NAMES >> 20
                )));
            }

            last.clone_from(&entry.name);
            read.add(&entry, &mut reader, &mut kept, is_needed)?;
        }

        reader
            .check_rest()
            .map_err(|error| not_whole(error, &last))?;
        kept.finish()?;
        Ok(read)
    }

    fn add(
        &mut self,
        entry: &TarEntry,
        reader: &mut TarReader,
        kept: &mut KeptFiles,
        is_needed: fn(&str) -> bool,
    ) -> io::Result<()> {
        let path = match entry.kind {
            EntryKind::HardLink | EntryKind::Other => None,
            EntryKind::Folder => path_of(&(entry.name.clone() + "/")),
            EntryKind::File | EntryKind::Sparse => path_of(&entry.name),
        };
        let Some(path) = path else {
            self.left_out.add(&entry.name);
            return Ok(());
        };

        let is_folder = path.is_empty() || path.ends_with('/');
        let place = if is_folder || !is_needed(&path) {
            None
        } else if entry.kind == EntryKind::Sparse {
            return Err(io::Error::new(
                io::ErrorKind::Unsupported,
                format!(
                    "{} is stored as a sparse file, which is not read: pack it without holes, or unpack the tar",
                    entry.name
                ),
            ));
        } else {
            Some(kept.keep(entry, reader)?)
        };

        self.paths.push((path, self.contents.files.len()));
        self.contents.files.push(TarFile {
            len: entry.len,
            place,
        });
        Ok(())
    }
}

/// The place of the contents that are needed.
enum KeptFiles {
    /// In the tar itself.
    InTar(Arc<File>),
    /// In a temporary file, whose present length is the second value.
    Unpacked(Arc<File>, BufWriter<File>, u64),
}

impl KeptFiles {
    /// Makes a temporary file without a name.
    fn unpacked() -> io::Result<Self> {
        let file = tempfile::tempfile().map_err(|error| not_unpacked(&error))?;
        let writer = file.try_clone().map_err(|error| not_unpacked(&error))?;
        Ok(Self::Unpacked(
            Arc::new(file),
            BufWriter::with_capacity(STEP, writer),
            0,
        ))
    }

    fn file(&self) -> Arc<File> {
        match self {
            Self::InTar(file) | Self::Unpacked(file, ..) => Arc::clone(file),
        }
    }

    /// Reads all contents of a file, and keeps them. Returns their place and CRC-32.
    fn keep(&mut self, entry: &TarEntry, reader: &mut TarReader) -> io::Result<(u64, u32)> {
        let start = match self {
            Self::InTar(_) => reader.position(),
            Self::Unpacked(_, _, len) => *len,
        };
        let mut crc = Crc::new();
        let mut buffer = vec![0; STEP];
        let mut left = entry.len;

        while left > 0 {
            let read = reader
                .read(&mut buffer)
                .map_err(|error| not_whole(error, &entry.name))?;
            if read == 0 {
                let ended = io::ErrorKind::UnexpectedEof.into();
                return Err(not_whole(ended, &entry.name));
            }

            crc.update(&buffer[..read]);
            if let Self::Unpacked(_, writer, len) = self {
                writer
                    .write_all(&buffer[..read])
                    .map_err(|error| not_unpacked(&error))?;
                *len += read as u64;
            }
            left -= read as u64;
        }

        Ok((start, crc.sum()))
    }

    /// Writes the rest.
    fn finish(self) -> io::Result<()> {
        match self {
            Self::InTar(_) => Ok(()),
            Self::Unpacked(_, mut writer, _) => {
                writer.flush().map_err(|error| not_unpacked(&error))
            }
        }
    }
}

impl TarContents {
    pub(super) fn facts(&self, number: usize) -> PathFacts {
        let TarFile { len, place } = self.files[number];
        PathFacts::Packed {
            len,
            crc: place.map_or(0, |(_, crc)| crc),
        }
    }

    /// Returns the contents of a file.
    ///
    /// # Errors
    /// Fails if they were not needed.
    pub(super) fn part(&self, number: usize) -> io::Result<TarPart> {
        let TarFile { len, place } = self.files[number];
        let (start, crc) = place.ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::Unsupported,
                "files of this kind are not read from a tar: unpack the tar first",
            )
        })?;

        let bytes = SharedBytes::Disk {
            file: Arc::clone(&self.bytes),
            start,
            len,
        };
        Ok(TarPart { bytes, crc })
    }
}

/// Returns the error for a tar that is damaged or ends too early. `name` is the name of the last
/// entry that was found.
fn not_whole(error: io::Error, name: &str) -> io::Error {
    if crate::retry::retryable(&error) {
        return error;
    }

    let place = if name.is_empty() {
        "at its start".to_owned()
    } else {
        format!("after {name}")
    };
    let reason = match error.kind() {
        io::ErrorKind::UnexpectedEof => "it ends too early".to_owned(),
        _ => error.to_string(),
    };
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("the archive is damaged or not whole, {place}: {reason}: copy or make it again"),
    )
}

/// Returns the error for a temporary file that cannot be written. The same call may succeed later
/// if the disk is full.
fn not_unpacked(error: &io::Error) -> io::Error {
    let folder = std::env::temp_dir();
    let kind = match error.kind() {
        io::ErrorKind::NotFound => io::ErrorKind::Other,
        kind => kind,
    };
    io::Error::new(
        kind,
        format!(
            "it is unpacked to {} (TMPDIR sets another folder), and there: {}",
            folder.display(),
            denied::describe_write(&folder, error)
        ),
    )
}
