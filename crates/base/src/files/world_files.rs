//! Finds, lists, opens and reads files by their paths, on the disk, in an archive or in a remote folder.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::archive::{Archive, is_named_zip};
use super::folder_entry::FolderEntry;
use super::open_file::OpenFile;
use super::open_tars;
use super::path_facts::PathFacts;
use super::remote::RemoteFolder;
use super::tar_contents::is_tar;
use crate::disk::fail_query;
use crate::retry::{ask_again, retryable};

/// The first bytes of a Git LFS pointer, which takes the place of another file.
const POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// The files that paths lead to.
#[derive(Debug, Clone, Default)]
pub enum Files {
    #[default]
    Disk,
    /// Into an archive or a remote folder, and nowhere else.
    Archive(Arc<Archive>),
}

impl Files {
    /// Finds out where a path leads: to the disk, or into a zip that is the path or a part of it.
    ///
    /// # Errors
    /// Fails if a zip cannot be read.
    pub fn for_path(path: &Path) -> io::Result<Self> {
        match file_on_way(path) {
            Some(file) if is_named_zip(file)? => {
                Ok(Self::Archive(Arc::new(Archive::open_zip(file)?)))
            }
            _ => Ok(Self::Disk),
        }
    }

    /// Finds out where a path leads like [`Files::for_path`], but also into a tar. Reads only
    /// the files in the tar that are needed; `is_needed` decides by their paths in the tar.
    ///
    /// # Errors
    /// Fails if an archive cannot be read, or the disk is too full to unpack it.
    pub fn with_tars(path: &Path, is_needed: fn(&str) -> bool) -> io::Result<Self> {
        match file_on_way(path) {
            Some(file) if !is_named_zip(file)? && is_tar(file)? => {
                open_tars::open(file, is_needed).map(Self::Archive)
            }
            _ => Self::for_path(path),
        }
    }

    /// Opens an archive of a world that was downloaded into `file`, and stays readable after the name
    /// of this file is removed. `path` is the address of the archive as users may see it; the paths
    /// of its files begin with it.
    ///
    /// # Errors
    /// Fails if the file is neither a zip nor a tar, cannot be read, or cannot be unpacked.
    pub fn of_download(path: &Path, file: File, is_needed: fn(&str) -> bool) -> io::Result<Self> {
        let archive = Archive::of_download(path, file, is_needed)?;
        Ok(Self::Archive(Arc::new(archive)))
    }

    /// Opens a folder that is not on this machine. `path` is its address as users may see it; the
    /// paths of its files begin with it.
    pub fn of_remote(path: &Path, folder: RemoteFolder) -> Self {
        Self::Archive(Arc::new(Archive::of_remote(path, folder)))
    }

    /// Finds out where a path among these files leads, which may be into another zip.
    ///
    /// # Errors
    /// Fails if a zip cannot be read, or a zip inside a zip is longer than `limit` bytes.
    pub fn inner(&self, path: &Path, limit: u64) -> io::Result<Self> {
        match self {
            Self::Disk => Self::for_path(path),
            Self::Archive(_) if self.is_folder(path) => Ok(self.clone()),
            Self::Archive(archive) => {
                let inner = archive.inner_zip(path, limit)?;
                Ok(Self::Archive(Arc::new(inner)))
            }
        }
    }

    /// Returns the archive that contains these files; `None`: they are on the disk.
    pub fn archive(&self) -> Option<&Archive> {
        match self {
            Self::Disk => None,
            Self::Archive(archive) => Some(archive),
        }
    }

    /// Returns whether these files are in a zip, so that they are in memory while they are open.
    pub fn are_in_zip(&self) -> bool {
        self.archive().is_some_and(Archive::is_zip)
    }

    /// Returns whether these files are in a remote folder, so that each open one is a temporary file.
    pub fn are_remote(&self) -> bool {
        self.archive().is_some_and(Archive::is_remote)
    }

    /// Returns the facts about the file or folder at a path.
    ///
    /// # Errors
    /// Fails if nothing exists there ([`io::ErrorKind::NotFound`]), or the system fails.
    pub fn facts(&self, path: &Path) -> io::Result<PathFacts> {
        match self {
            Self::Disk => Ok(PathFacts::Disk(Box::new(metadata(path)?))),
            Self::Archive(archive) => archive.facts(path),
        }
    }

    pub fn is_folder(&self, path: &Path) -> bool {
        self.facts(path).is_ok_and(|facts| facts.is_folder())
    }

    /// Returns whether there is a regular file at a path.
    pub fn is_file(&self, path: &Path) -> bool {
        self.facts(path).is_ok_and(|facts| facts.is_file())
    }

    /// Returns whether anything exists at a path, even a broken link.
    ///
    /// # Errors
    /// Fails if the system does not answer now, but perhaps later.
    pub fn is_taken(&self, path: &Path) -> io::Result<bool> {
        match self.facts(path) {
            Err(error) if retryable(&error) => Err(error),
            facts => Ok(facts.is_ok() || self.is_link(path)),
        }
    }

    /// Returns whether there is a link at a path. Links in archives count as absent.
    pub fn is_link(&self, path: &Path) -> bool {
        if !matches!(self, Self::Disk) {
            return false;
        }

        let facts = ask_again(|| {
            fail_query(path)?;
            path.symlink_metadata()
        });
        facts.is_ok_and(|facts| facts.is_symlink())
    }

    /// Returns the absolute path, with links followed.
    pub fn full_path(&self, path: &Path) -> io::Result<PathBuf> {
        match self {
            Self::Disk => ask_again(|| {
                fail_query(path)?;
                path.canonicalize()
            }),
            Self::Archive(archive) => archive.full_path(path),
        }
    }

    /// Sets how many of the most recently opened files of a zip stay inflated.
    pub fn keep(&self, limit: usize) {
        if let Self::Archive(archive) = self {
            archive.keep(limit);
        }
    }

    /// Lists a folder, in no particular order.
    pub fn list(
        &self,
        folder: &Path,
    ) -> io::Result<Box<dyn Iterator<Item = io::Result<FolderEntry>> + '_>> {
        match self {
            Self::Disk => {
                let folder = folder.to_owned();
                let entries = ask_again(|| {
                    fail_query(&folder)?;
                    std::fs::read_dir(&folder)
                })?;

                Ok(Box::new(entries.map(move |entry| {
                    let entry = entry?;
                    let kind = entry.file_type()?;
                    let name = entry.file_name();
                    let path = folder.join(&name);
                    let is_link = kind.is_symlink();

                    // A link that is broken or part of a circle is not a folder.
                    let is_folder = if is_link {
                        metadata(&path).is_ok_and(|there| there.is_dir())
                    } else {
                        kind.is_dir()
                    };

                    Ok(FolderEntry {
                        name: name.to_string_lossy().into_owned(),
                        path,
                        is_link,
                        is_folder,
                    })
                })))
            }
            Self::Archive(archive) => Ok(Box::new(archive.list(folder)?.map(Ok))),
        }
    }

    /// Opens a file for reading at any position.
    pub fn open(&self, path: &Path) -> io::Result<OpenFile> {
        match self {
            Self::Disk => open(path).map(OpenFile::Disk),
            Self::Archive(archive) => archive.open(path),
        }
    }

    /// Returns whether the file at a path is a Git LFS pointer in the place of another file.
    pub fn is_lfs_pointer(&self, path: &Path) -> bool {
        self.is_file(path)
            && self
                .read(path, POINTER.len() as u64)
                .is_ok_and(|start| Self::is_pointer(&start))
    }

    /// Returns whether a file that starts with these bytes is a Git LFS pointer.
    pub fn is_pointer(start: &[u8]) -> bool {
        start.starts_with(POINTER)
    }

    /// Reads up to `limit` bytes of a file that may come from anyone.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        if let Self::Archive(archive) = self
            && let Some(start) = archive.remote_start(path, limit)?
        {
            return Ok(start);
        }

        let mut bytes = Vec::new();
        self.reader(path)?.take(limit).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Opens a file that may come from anyone, to read it from its start. A file of length 0 on the
    /// disk is not read, because some special files have that length and block their reader for
    /// ever.
    ///
    /// # Errors
    /// Fails if the file cannot be opened.
    pub fn reader(&self, path: &Path) -> io::Result<Box<dyn Read>> {
        match self {
            Self::Disk => {
                let file = open(path)?;
                // Pipes also report length 0 but have contents, so only regular files count as
                // empty.
                let is_empty = file
                    .metadata()
                    .is_ok_and(|facts| facts.is_file() && facts.len() == 0);
                Ok(Box::new(file.take(if is_empty { 0 } else { u64::MAX })))
            }
            Self::Archive(archive) => archive.reader(path),
        }
    }
}

/// Returns the file that a path leads to or through; `None`: it leads to a folder, or nowhere.
fn file_on_way(path: &Path) -> Option<&Path> {
    // A path that ends with a separator would lead to a folder only.
    let found = path
        .components()
        .as_path()
        .ancestors()
        .find_map(|place| Some((place, metadata(place).ok()?)));
    found
        .filter(|(_, facts)| facts.is_file())
        .map(|(place, _)| place)
}

/// Returns the facts about a file or folder on the disk. Links are followed.
fn metadata(path: &Path) -> io::Result<Metadata> {
    ask_again(|| {
        fail_query(path)?;
        path.metadata()
    })
}

fn open(path: &Path) -> io::Result<File> {
    ask_again(|| {
        fail_query(path)?;
        File::open(path)
    })
}
