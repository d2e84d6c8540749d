//! The files of a world or a pack: on the disk, or in a zip.
//!
//! A zip counts as a folder: the path `backup.zip/world/level.dat` leads into it. Nothing of a zip is written to the
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

/// The files that paths lead to.
#[derive(Debug, Clone, Default)]
pub enum Files {
    /// Those of the disk.
    #[default]
    Disk,
    /// Those in a zip, and no others.
    Zip(Arc<Archive>),
}

/// A file, folder or link in a folder.
#[derive(Debug)]
pub struct Entry {
    /// Its name; bytes that are not text are replaced.
    pub name: String,
    /// Its path.
    pub path: PathBuf,
    /// Set for a symbolic link.
    pub is_link: bool,
    /// Set for a folder and for a link to one.
    pub is_folder: bool,
}

/// What is known of a file or folder without reading it; of a link's target in place of the link.
#[derive(Debug)]
pub enum Facts {
    /// As the system tells.
    Disk(Box<Metadata>),
    /// A folder in a zip.
    Folder,
    /// A file in a zip.
    Packed {
        /// Its inflated length in bytes.
        len: u64,
        /// CRC-32 of its inflated bytes.
        crc: u32,
    },
}

impl Facts {
    /// Returns whether it is a folder.
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

    /// Its length in bytes.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Disk(metadata) => metadata.len(),
            Self::Folder => 0,
            Self::Packed { len, .. } => *len,
        }
    }
}

/// An open file, to be read at any place.
#[derive(Debug)]
pub enum Opened {
    /// A file of the disk.
    Disk(File),
    /// A file in a zip; what is inflated of it is shared by all who open it.
    Packed(Arc<Mutex<Packed>>),
}

impl Opened {
    /// What is known of it now.
    ///
    /// # Errors
    /// The system's.
    pub fn facts(&self) -> io::Result<Facts> {
        match self {
            Self::Disk(file) => Ok(Facts::Disk(Box::new(file.metadata()?))),
            Self::Packed(packed) => Ok(mutex::lock(packed).facts()),
        }
    }

    /// Tells the system that a part of the file will be read soon. Systems other than Linux, and zips, are not told.
    pub fn will_read(&self, part: Range<u64>) {
        #[cfg(target_os = "linux")]
        if let (Self::Disk(file), Some(len)) = (self, NonZeroU64::new(part.end - part.start)) {
            // It is read all the same if the system does not take it.
            let _ = rustix::fs::fadvise(file, part.start, Some(len), rustix::fs::Advice::WillNeed);
        }
        #[cfg(not(target_os = "linux"))]
        let _ = part;
    }

    /// Reads what there is from a place on, which may be less than the buffer holds; 0 at the end.
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
    /// Returns where a path leads: to the disk, or into a zip that it names or goes through.
    ///
    /// # Errors
    /// A zip that cannot be read.
    pub fn of(path: &Path) -> io::Result<Self> {
        for place in path.ancestors() {
            match place.metadata() {
                Ok(there) if there.is_file() && archive::is_named_zip(place)? => {
                    return Ok(Self::Zip(Arc::new(Archive::at(place)?)));
                }
                Ok(_) => break,
                Err(_) => {}
            }
        }
        Ok(Self::Disk)
    }

    /// Returns where a path among these files leads, which may be that of another zip.
    ///
    /// # Errors
    /// A zip that cannot be read, or one in a zip that is longer than `most` bytes.
    pub fn inner(&self, path: &Path, most: u64) -> io::Result<Self> {
        match self {
            Self::Disk => Self::of(path),
            Self::Zip(_) if self.is_folder(path) => Ok(self.clone()),
            Self::Zip(_) => {
                let bytes = self.read(path, most + 1)?;
                if bytes.len() as u64 > most {
                    return Err(io::Error::other(format!("it has more than {} MiB", most >> 20)));
                }
                Ok(Self::Zip(Arc::new(Archive::of_bytes(path, bytes)?)))
            }
        }
    }

    /// The zip that they lie in, if they lie in one.
    pub fn zip(&self) -> Option<&Archive> {
        match self {
            Self::Disk => None,
            Self::Zip(archive) => Some(archive),
        }
    }

    /// What is known of the file or folder at a path.
    ///
    /// # Errors
    /// There is none ([`io::ErrorKind::NotFound`]), or the system's.
    pub fn facts(&self, path: &Path) -> io::Result<Facts> {
        match self {
            Self::Disk => Ok(Facts::Disk(Box::new(path.metadata()?))),
            Self::Zip(archive) => archive.facts(path),
        }
    }

    /// Returns whether there is a folder at a path.
    pub fn is_folder(&self, path: &Path) -> bool {
        self.facts(path).is_ok_and(|there| there.is_folder())
    }

    /// Returns whether there is a regular file at a path.
    pub fn is_file(&self, path: &Path) -> bool {
        self.facts(path).is_ok_and(|there| there.is_file())
    }

    /// Returns whether there is anything at a path, a broken link included.
    pub fn is_taken(&self, path: &Path) -> bool {
        self.is_link(path) || self.facts(path).is_ok()
    }

    /// Returns whether there is a link at a path. Links in zips are not followed and count as not there.
    pub fn is_link(&self, path: &Path) -> bool {
        matches!(self, Self::Disk) && path.is_symlink()
    }

    /// The absolute path of what is at a path, with links followed.
    ///
    /// # Errors
    /// As [`Files::facts`].
    pub fn full(&self, path: &Path) -> io::Result<PathBuf> {
        match self {
            Self::Disk => path.canonicalize(),
            Self::Zip(archive) => archive.full(path),
        }
    }

    /// Keeps so many files of a zip inflated, those that were opened last.
    pub fn keep(&self, most: usize) {
        if let Self::Zip(archive) = self {
            archive.keep(most);
        }
    }

    /// Lists a folder, in no order.
    ///
    /// # Errors
    /// There is no such folder, or the system's.
    pub fn list(&self, folder: &Path) -> io::Result<Box<dyn Iterator<Item = io::Result<Entry>> + '_>> {
        match self {
            Self::Disk => {
                let folder = folder.to_owned();
                Ok(Box::new(std::fs::read_dir(&folder)?.map(move |entry| {
                    let entry = entry?;
                    let (kind, name) = (entry.file_type()?, entry.file_name());
                    let (path, is_link) = (folder.join(&name), kind.is_symlink());
                    let is_folder = if is_link { path.is_dir() } else { kind.is_dir() };
                    Ok(Entry { name: name.to_string_lossy().into_owned(), path, is_link, is_folder })
                })))
            }
            Self::Zip(archive) => Ok(Box::new(archive.list(folder)?.map(Ok))),
        }
    }

    /// Opens a file to be read at any place.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub fn open(&self, path: &Path) -> io::Result<Opened> {
        match self {
            Self::Disk => File::open(path).map(Opened::Disk),
            Self::Zip(archive) => archive.open_shared(path).map(Opened::Packed),
        }
    }

    /// Returns whether the file at a path is a pointer of Git LFS in the place of another file.
    pub fn is_lfs_pointer(&self, path: &Path) -> bool {
        self.is_file(path) && self.read(path, POINTER.len() as u64).is_ok_and(|start| start == POINTER)
    }

    /// Reads a file that may come from anyone up to `most` bytes. Nothing is read of a file of length 0 on the disk:
    /// some of the system's own files have that length and block their reader for ever.
    ///
    /// # Errors
    /// As [`Files::open`].
    pub fn read(&self, path: &Path, most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        match self {
            Self::Disk => {
                let file = File::open(path)?;
                // A pipe has no length.
                let is_empty = file.metadata().is_ok_and(|there| there.is_file() && there.len() == 0);
                file.take(if is_empty { 0 } else { most }).read_to_end(&mut bytes)?;
            }
            Self::Zip(archive) => {
                archive.open(path)?.read_to(most, &mut bytes)?;
            }
        }
        Ok(bytes)
    }
}
