//! The pictures of a map mod: their kinds and their files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pixelmap_base::coord::RegionPos;

/// The kinds of pictures, in the order in which a map lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PictureKind {
    Day,
    Night,
    Topo,
    Biome,
    /// A cave picture of 16 layers of blocks, starting at y = 16 times this number.
    Slice(i8),
}

/// A file with the picture of a region. Its name is derived from the region instead of stored,
/// because there may be very many pictures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    pub(crate) folder: Arc<Path>,
    /// Length in bytes.
    pub len: u64,
    /// When it was saved, in nanoseconds since 1970.
    pub modified: i64,
}

impl Picture {
    /// Returns the path of the file, given the region that it shows.
    pub fn path(&self, region: RegionPos) -> PathBuf {
        self.folder.join(file_name(region))
    }
}

/// Returns the name of a region's picture in a folder of the mod.
pub fn file_name(RegionPos { x, z }: RegionPos) -> String {
    format!("{x},{z}.png")
}

impl PictureKind {
    /// Returns the kind of picture that the mod keeps in a folder of this name.
    pub(crate) fn from_folder(name: &str) -> Option<Self> {
        match name {
            "day" => Some(Self::Day),
            "night" => Some(Self::Night),
            "topo" => Some(Self::Topo),
            "biome" => Some(Self::Biome),
            _ => name
                .parse()
                .ok()
                .filter(|slice: &i8| slice.to_string() == name)
                .map(Self::Slice),
        }
    }

    /// Returns the name of its layer in paths and in `map.json`.
    pub fn layer(self) -> String {
        match self {
            Self::Day => "day".to_owned(),
            Self::Night => "night".to_owned(),
            Self::Topo => "topo".to_owned(),
            Self::Biome => "biome".to_owned(),
            Self::Slice(number) => format!("slice{number}"),
        }
    }

    /// Returns the lowest and the highest y that it shows, or `None` for all heights.
    pub fn heights(self) -> Option<[i32; 2]> {
        match self {
            Self::Slice(number) => {
                let lowest = i32::from(number) * 16;
                Some([lowest, lowest + 15])
            }
            _ => None,
        }
    }
}
