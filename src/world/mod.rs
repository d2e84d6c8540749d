//! The world folder: its dimensions, their region files, and level.dat.
//!
//! Layouts are told apart by folders, never by a version: the game's own before and from 26.1, the split folders of
//! Bukkit servers, a dimension's folder or a `region` folder given directly. Only `region` holds terrain; `entities`
//! and `poi` hold files of the same names. Knows nothing of the contents of a chunk.

mod dat;
mod data_packs;
mod dimension;
mod entries;
mod error;
mod kind;
mod kinds;
mod layout;
mod level;
mod listing;
mod namespaced;
mod seed;
mod sign;

pub use dimension::{Dimension, Unreadable, canonical_id};
pub use error::WorldError;
pub use kind::{Kind, KindOf};
pub use kinds::Kinds;
pub use level::{Level, MAX_MOD_IDS};
pub use listing::{RegionEntry, RegionKind};
pub use seed::{NoSeed, Seed};

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

/// A world folder.
#[derive(Debug)]
pub struct World {
    /// The folder as it was given.
    pub folder: PathBuf,
    /// The contents of level.dat.
    pub level: Level,
    /// The dimensions that have region files: overworld, nether, end, then the others by name.
    pub dimensions: Vec<Dimension>,
    /// Warnings about its layout, level.dat and data packs.
    pub warnings: Vec<String>,
    /// Its data packs, in the order in which the game lays them over each other.
    pub packs: Vec<PathBuf>,
    /// The folders that belong to it: the one given, those beside it, level.dat's, and that of each dimension.
    pub folders: Vec<PathBuf>,
}

impl World {
    /// Finds the dimensions of a world and lists their region files.
    ///
    /// # Errors
    /// The folder is missing or cannot be read, there is no region file in any layout, or a part of it cannot be read
    /// now but perhaps later.
    pub fn open(folder: &Path) -> Result<Self, WorldError> {
        let unreadable = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => WorldError::Missing(folder.to_owned()),
            _ => WorldError::Unreadable(folder.to_owned(), error),
        };
        if !folder.metadata().map_err(unreadable)?.is_dir() {
            return Err(WorldError::foreign(folder).unwrap_or_else(|| WorldError::NotAFolder(folder.to_owned())));
        }
        std::fs::read_dir(folder).map_err(unreadable)?;
        let mut warnings = Vec::new();
        let layout::Found { dimensions, roots } = layout::find(folder, &mut warnings)?;
        if dimensions.is_empty() {
            return Err(match WorldError::foreign(folder) {
                Some(foreign) => foreign,
                None => WorldError::NoRegions(folder.to_owned(), layout::worlds_inside(folder)?),
            });
        }
        if let Some(pointer) = sign::pointer(&dimensions) {
            let what = "is a pointer of Git LFS in the place of a region file";
            return Err(WorldError::Foreign(pointer, what, "run git lfs pull in the repository"));
        }
        let level = Level::of(folder, &dimensions, &mut warnings)?;
        let packs = data_packs::list(level.folder.as_deref().unwrap_or(folder), &level.data_packs, &mut warnings)?;
        let mut folders = vec![folder.to_owned()];
        folders.extend(roots.into_iter().chain(level.folder.clone()));
        folders.extend(dimensions.iter().map(|dimension| dimension.own_folder(folder).to_owned()));
        folders.sort();
        folders.dedup();
        Ok(Self { folder: folder.to_owned(), level, dimensions, warnings, packs, folders })
    }

    /// The world's name: level.dat's, else the folder's.
    pub fn name(&self) -> String {
        let folder = || {
            let path = self.folder.canonicalize().unwrap_or_else(|_| self.folder.clone());
            path.file_name().map_or_else(|| "world".to_owned(), text_of)
        };
        self.level.name.clone().filter(|name| !name.trim().is_empty()).unwrap_or_else(folder)
    }

    /// Returns the dimension a user means by `wanted`: an id, `nether`, `end`, an old number, or `minecraft:` names.
    pub fn dimension(&self, wanted: &str) -> Option<&Dimension> {
        let id = canonical_id(wanted);
        self.dimensions.iter().find(|dimension| dimension.id == id)
    }

    /// Returns the seed that its overworld was made from.
    ///
    /// # Errors
    /// No file holds it, or the one that should cannot be read.
    pub fn seed(&self) -> Result<Seed, NoSeed> {
        let folder = self.level.folder.as_deref().ok_or(NoSeed::NoLevel)?;
        seed::find(folder, self.level.seed)
    }
}

/// Writes a folder's name as text; bytes that are not UTF-8 become `\xff`, so that different names stay different.
fn text_of(name: &OsStr) -> String {
    let mut text = String::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        text += chunk.valid();
        text += &chunk.invalid().escape_ascii().to_string();
    }
    text
}
