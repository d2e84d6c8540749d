//! Where the regions of a dimension are stored, and how one of them is opened.

use std::io;
use std::path::{Path, PathBuf};

use super::Region;
use super::entry::{RegionEntry, RegionKind};
use crate::world::alpha::ChunkFiles;
use crate::world::anvil::RegionFile;
use crate::world::files::Files;

/// The store of a dimension's regions.
#[derive(Debug, Clone)]
pub struct RegionStore {
    files: Files,
    /// The folder of its region files, or around those of its chunk files.
    folder: PathBuf,
}

impl RegionStore {
    /// Region files, or files of single chunks, in a folder.
    pub fn in_folder(files: &Files, folder: &Path) -> Self {
        Self { files: files.clone(), folder: folder.to_owned() }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The path of a region's file, or of the folder in which it has a file per chunk.
    pub fn path(&self, entry: RegionEntry) -> PathBuf {
        entry.path(&self.folder)
    }

    /// Opens a region that the store lists.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn open(&self, entry: RegionEntry) -> io::Result<Region> {
        match entry.kind {
            RegionKind::Alpha => ChunkFiles::open(&self.files, &self.folder, entry.region).map(Region::from),
            RegionKind::Mcr | RegionKind::Mca => {
                RegionFile::open(&self.files, &self.path(entry), entry.region).map(Region::from)
            }
        }
    }

    /// Opens a region to draw it. An empty one that was touched a moment ago is left alone for 100 ms first: a server
    /// may have emptied it to write it again. So are the files of single chunks, one of which may be missing.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn open_filled(&self, entry: RegionEntry) -> io::Result<Region> {
        match entry.kind {
            RegionKind::Alpha => ChunkFiles::open_filled(&self.files, &self.folder, entry.region).map(Region::from),
            RegionKind::Mcr | RegionKind::Mca => {
                RegionFile::open_filled(&self.files, &self.path(entry), entry.region).map(Region::from)
            }
        }
    }

    /// Opens the points of interest of a region: one record per chunk, as for its blocks. `None`: none are stored.
    pub fn open_points(&self, entry: RegionEntry) -> Option<io::Result<Region>> {
        // A dimension's folder that was given alone may have any name; then nothing beside it belongs to it.
        let is_region_folder = self.folder.ends_with("region") && entry.kind != RegionKind::Alpha;
        let path = is_region_folder.then(|| entry.path(&self.folder.with_file_name("poi")))?;
        self.files.is_file(&path).then(|| RegionFile::open(&self.files, &path, entry.region).map(Region::from))
    }
}
