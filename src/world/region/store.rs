//! Where the regions of a dimension are stored, and how one of them is opened.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Region;
use super::entry::{RegionEntry, RegionKind};
use crate::world::alpha::ChunkFiles;
use crate::world::anvil::RegionFile;
use crate::world::bedrock::{BedrockRegion, Database};
use crate::world::files::Files;

/// What the game keeps of chunks beside them: region files of the same names, with a record per chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Companion {
    /// Points of interest, since 1.14.
    Points,
    /// Entities, since 1.17. Before that they are in the chunks.
    Entities,
}

impl Companion {
    pub const ALL: [Self; 2] = [Self::Points, Self::Entities];

    /// The name of their folder, next to that of the chunks.
    const fn folder(self) -> &'static str {
        match self {
            Self::Points => "poi",
            Self::Entities => "entities",
        }
    }
}

/// The store of a dimension's regions.
#[derive(Debug, Clone)]
pub enum RegionStore {
    /// Region files, or files of single chunks.
    Folder {
        files: Files,
        /// The folder of the region files, or around those of the chunk files.
        folder: PathBuf,
    },
    /// A database of Bedrock Edition.
    Database {
        database: Arc<Database>,
        /// The number of the dimension in it.
        dimension: i32,
    },
}

impl RegionStore {
    /// Region files, or files of single chunks, in a folder.
    pub fn in_folder(files: &Files, folder: &Path) -> Self {
        Self::Folder { files: files.clone(), folder: folder.to_owned() }
    }

    /// The folder of its files.
    pub fn folder(&self) -> &Path {
        match self {
            Self::Folder { folder, .. } => folder,
            Self::Database { database, .. } => database.folder(),
        }
    }

    /// The path of a region's file, or of the folder in which it is stored otherwise.
    pub fn path(&self, entry: RegionEntry) -> PathBuf {
        entry.path(self.folder())
    }

    /// Opens a region that the store lists.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn open(&self, entry: RegionEntry) -> io::Result<Region> {
        match (self, entry.kind) {
            (Self::Database { database, dimension }, _) => {
                Ok(BedrockRegion::open(Arc::clone(database), *dimension, entry.region).into())
            }
            (Self::Folder { files, folder }, RegionKind::Alpha) => {
                ChunkFiles::open(files, folder, entry.region).map(Region::from)
            }
            (Self::Folder { files, .. }, _) => {
                RegionFile::open(files, &self.path(entry), entry.region).map(Region::from)
            }
        }
    }

    /// Opens a region to draw it. An empty one that was touched a moment ago is left alone for 100 ms first: a server
    /// may have emptied it to write it again. So are the files of single chunks, one of which may be missing.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn open_filled(&self, entry: RegionEntry) -> io::Result<Region> {
        match (self, entry.kind) {
            (Self::Database { .. }, _) => self.open(entry),
            (Self::Folder { files, folder }, RegionKind::Alpha) => {
                ChunkFiles::open_filled(files, folder, entry.region).map(Region::from)
            }
            (Self::Folder { files, .. }, _) => {
                RegionFile::open_filled(files, &self.path(entry), entry.region).map(Region::from)
            }
        }
    }

    /// Opens a file beside that of a region; `None`: there is none.
    pub fn open_companion(&self, entry: RegionEntry, companion: Companion) -> Option<io::Result<Region>> {
        let Self::Folder { files, folder } = self else { return None };
        // A dimension's folder that was given alone may have any name; then nothing beside it belongs to it.
        let is_region_folder = folder.ends_with("region") && entry.kind != RegionKind::Alpha;
        let path = is_region_folder.then(|| entry.path(&folder.with_file_name(companion.folder())))?;
        files.is_file(&path).then(|| RegionFile::open(files, &path, entry.region).map(Region::from))
    }
}
