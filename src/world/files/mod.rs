//! The files of a world or a pack: on the disk, or in a zip.
//!
//! A zip counts as a folder: the path `backup.zip/world/level.dat` leads into it. Nothing from a zip is written to the
//! disk. Knows no file's contents.

mod archive;
mod packed;

pub use archive::Archive;
use packed::Packed;

use std::fs::{File, Metadata};
use std::io::{self, Read as _};
#[cfg(target_os = "linux")]
use std::num::NonZeroU64;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::base::{at, mutex};

/// The first bytes of a file that Git LFS puts in the place of another.
const POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// Where paths lead.
#[derive(Debug, Clone, Default)]
pub enum Files {
    #[default]
    Disk,
    /// Into a zip, and nowhere else.
    Zip(Arc<Archive>),
}

#[derive(Debug)]
pub struct FolderEntry {
    /// Bytes that are not text are replaced.
    pub name: String,
    pub path: PathBuf,
    pub is_link: bool,
    /// Also true of a link to a folder.
    pub is_folder: bool,
}

/// What is known about a file or folder without reading it; a link is followed.
#[derive(Debug)]
pub enum PathFacts {
    /// From the system.
    Disk(Box<Metadata>),
    Folder,
    /// A file in a zip.
    Packed {
        /// Inflated length in bytes.
        len: u64,
        /// CRC-32 of the inflated bytes.
        crc: u32,
    },
}

impl PathFacts {
    pub fn is_folder(&self) -> bool {
        match self {
            Self::Disk(metadata) => metadata.is_dir(),
            Self::Folder => true,
            Self::Packed { .. } => false,
        }
    }

    /// Returns whether it is a regular file.
    pub fn is_file(&self) -> bool {
        match self {
            Self::Disk(metadata) => metadata.is_file(),
            Self::Folder => false,
            Self::Packed { .. } => true,
        }
    }

    /// Length in bytes.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Disk(metadata) => metadata.len(),
            Self::Folder => 0,
            Self::Packed { len, .. } => *len,
        }
    }
}

/// An open file, to be read at any position.
#[derive(Debug)]
pub enum OpenFile {
    Disk(File),
    /// A file in a zip; what is inflated of it is shared by all who open it.
    Packed(Arc<Mutex<Packed>>),
}

impl OpenFile {
    /// What is known about it now.
    pub fn facts(&self) -> io::Result<PathFacts> {
        match self {
            Self::Disk(file) => Ok(PathFacts::Disk(Box::new(file.metadata()?))),
            Self::Packed(packed) => Ok(mutex::lock(packed).facts()),
        }
    }

    /// Announces to the system that a part of the file will be read soon. Does so on Linux only, and not for zips.
    pub fn will_read(&self, part: Range<u64>) {
        #[cfg(target_os = "linux")]
        if let (Self::Disk(file), Some(len)) = (self, NonZeroU64::new(part.end - part.start)) {
            // If the system refuses, the file is read all the same.
            let _ = rustix::fs::fadvise(file, part.start, Some(len), rustix::fs::Advice::WillNeed);
        }
        #[cfg(not(target_os = "linux"))]
        let _ = part;
    }

    /// Reads up to the buffer's length from `start` on. Returns the number of bytes; 0 at the end.
    ///
    /// # Errors
    /// It cannot be read, or its bytes in the zip are damaged.
    pub fn read_at(&self, buffer: &mut [u8], start: u64) -> io::Result<usize> {
        match self {
            Self::Disk(file) => at::read_at(file, buffer, start),
            Self::Packed(packed) => mutex::lock(packed).read_at(buffer, start),
        }
    }
}

impl Files {
    /// Finds where a path leads: to the disk, or into a zip that it names or goes through.
    ///
    /// # Errors
    /// A zip cannot be read.
    pub fn for_path(path: &Path) -> io::Result<Self> {
        for place in path.ancestors() {
            match place.metadata() {
                Ok(facts) if facts.is_file() && archive::is_named_zip(place)? => {
                    return Ok(Self::Zip(Arc::new(Archive::open_zip(place)?)));
                }
                Ok(_) => break,
                Err(_) => {}
            }
        }
        Ok(Self::Disk)
    }

    /// Finds where a path among these files leads, which may be into another zip.
    ///
    /// # Errors
    /// A zip cannot be read, or one in a zip is longer than `limit` bytes.
    pub fn inner(&self, path: &Path, limit: u64) -> io::Result<Self> {
        match self {
            Self::Disk => Self::for_path(path),
            Self::Zip(_) if self.is_folder(path) => Ok(self.clone()),
            Self::Zip(_) => {
                let bytes = self.read(path, limit + 1)?;
                if bytes.len() as u64 > limit {
                    return Err(io::Error::other(format!("it has more than {} MiB", limit >> 20)));
                }
                Ok(Self::Zip(Arc::new(Archive::from_bytes(path, bytes)?)))
            }
        }
    }

    /// The zip in which these files are; `None`: on the disk.
    pub fn zip(&self) -> Option<&Archive> {
        match self {
            Self::Disk => None,
            Self::Zip(archive) => Some(archive),
        }
    }

    /// What is known about the file or folder at a path.
    ///
    /// # Errors
    /// There is none ([`io::ErrorKind::NotFound`]), or the system fails.
    pub fn facts(&self, path: &Path) -> io::Result<PathFacts> {
        match self {
            Self::Disk => Ok(PathFacts::Disk(Box::new(path.metadata()?))),
            Self::Zip(archive) => archive.facts(path),
        }
    }

    pub fn is_folder(&self, path: &Path) -> bool {
        self.facts(path).is_ok_and(|facts| facts.is_folder())
    }

    /// Returns whether there is a regular file at a path.
    pub fn is_file(&self, path: &Path) -> bool {
        self.facts(path).is_ok_and(|facts| facts.is_file())
    }

    /// Returns whether there is anything at a path, even a broken link.
    pub fn is_taken(&self, path: &Path) -> bool {
        self.is_link(path) || self.facts(path).is_ok()
    }

    /// Returns whether there is a link at a path. Links in zips count as absent.
    pub fn is_link(&self, path: &Path) -> bool {
        matches!(self, Self::Disk) && path.symlink_metadata().is_ok_and(|there| there.is_symlink())
    }

    /// The absolute path, with links followed.
    pub fn full_path(&self, path: &Path) -> io::Result<PathBuf> {
        match self {
            Self::Disk => path.canonicalize(),
            Self::Zip(archive) => archive.full_path(path),
        }
    }

    /// Keeps this many files of a zip inflated, those that were opened last.
    pub fn keep(&self, limit: usize) {
        if let Self::Zip(archive) = self {
            archive.keep(limit);
        }
    }

    /// Lists a folder, in no order.
    pub fn list(&self, folder: &Path) -> io::Result<Box<dyn Iterator<Item = io::Result<FolderEntry>> + '_>> {
        match self {
            Self::Disk => {
                let folder = folder.to_owned();
                Ok(Box::new(std::fs::read_dir(&folder)?.map(move |entry| {
                    let entry = entry?;
                    let kind = entry.file_type()?;
                    let name = entry.file_name();
                    let path = folder.join(&name);
                    let is_link = kind.is_symlink();
                    // A link that leads nowhere, or round in a circle, is not a folder.
                    let is_folder =
                        if is_link { path.metadata().is_ok_and(|there| there.is_dir()) } else { kind.is_dir() };
                    Ok(FolderEntry { name: name.to_string_lossy().into_owned(), path, is_link, is_folder })
                })))
            }
            Self::Zip(archive) => Ok(Box::new(archive.list(folder)?.map(Ok))),
        }
    }

    /// Opens a file to be read at any position.
    pub fn open(&self, path: &Path) -> io::Result<OpenFile> {
        match self {
            Self::Disk => File::open(path).map(OpenFile::Disk),
            Self::Zip(archive) => archive.open_shared(path).map(OpenFile::Packed),
        }
    }

    /// Returns whether the file at a path is a pointer of Git LFS in the place of another file.
    pub fn is_lfs_pointer(&self, path: &Path) -> bool {
        self.is_file(path) && self.read(path, POINTER.len() as u64).is_ok_and(|start| Self::is_pointer(&start))
    }

    /// Returns whether a file that starts with these bytes is a pointer of Git LFS.
    pub fn is_pointer(start: &[u8]) -> bool {
        start.starts_with(POINTER)
    }

    /// Reads up to `limit` bytes of a file that may come from anyone. A file of length 0 on the disk is not read: some
    /// special files have that length and block their reader for ever.
    pub fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        match self {
            Self::Disk => {
                let file = File::open(path)?;
                // A pipe has no length.
                let is_empty = file.metadata().is_ok_and(|facts| facts.is_file() && facts.len() == 0);
                file.take(if is_empty { 0 } else { limit }).read_to_end(&mut bytes)?;
            }
            Self::Zip(archive) => {
                archive.open(path)?.read_to(limit, &mut bytes)?;
            }
        }
        Ok(bytes)
    }
}
