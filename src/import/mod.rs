//! Finds the pictures of regions and reads the waypoints that a map mod saved while players
//! explored a world. The pictures themselves are not opened here; `draw` turns them into tiles.
//! `export` writes waypoints with `journeymap.rs`.
//!
//! Supports the folders of `JourneyMap`. Their layout was taken from its sources and from folders
//! that players published (TeamJM/journeymap-legacy, `RegionImageHandler` and `Waypoint`;
//! TeamJM/journeymap-tools; `Coccho/gtnh_journeymap`). A picture shows one region with one pixel
//! per block, and is transparent where the player has not been.

mod folders;
pub(crate) mod journeymap;
mod waypoints;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use journeymap::Waypoint;

use crate::base::coord::RegionPos;
use crate::base::retry::retryable;
use crate::world::ReservedNames;

/// The pictures and waypoints in all folders of players.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExploredWorld {
    /// The name of the first folder.
    pub name: String,
    pub folders: Vec<PathBuf>,
    /// The dimensions, sorted by id.
    pub dimensions: Vec<ExploredDimension>,
    pub waypoints: Vec<Waypoint>,
    /// Messages about folders and files that are left out.
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExploredDimension {
    pub id: String,
    pub layers: BTreeMap<PictureKind, Pictures>,
}

/// The pictures of each region, the newest first.
pub type Pictures = BTreeMap<RegionPos, Vec<Picture>>;

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
    folder: Arc<Path>,
    /// Length in bytes.
    pub len: u64,
    /// When it was saved, in nanoseconds since 1970.
    pub modified: i64,
}

/// Why the import fails.
#[derive(Debug)]
pub enum ImportError {
    /// A folder cannot be listed.
    Unreadable(PathBuf, io::Error),
    /// This folder contains no pictures. The list names the folders below it that do.
    NoPictures(PathBuf, Vec<PathBuf>),
    /// No folder has the requested dimension. The list names the dimensions that they have.
    NoDimension(String, Vec<String>),
}

/// The maximum number of folders that a message names.
const MOST_NAMED: usize = 5;

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(path, error) => write!(f, "{}: {error}", path.display()),
            Self::NoPictures(folder, below) if below.is_empty() => write!(
                f,
                "{} does not contain pictures of JourneyMap: name the folder of one world or \
                 server, which has folders such as overworld/day or DIM0/day",
                folder.display()
            ),
            Self::NoPictures(folder, below) => {
                let named: Vec<String> = below
                    .iter()
                    .take(MOST_NAMED)
                    .map(|path| path.display().to_string())
                    .collect();

                let more = if below.len() > MOST_NAMED {
                    " and others"
                } else {
                    ""
                };

                let folder = folder.display();
                write!(
                    f,
                    "{folder} is not the folder of one world: name {}{more}",
                    named.join(" or ")
                )
            }
            Self::NoDimension(wanted, explored) => {
                write!(
                    f,
                    "nobody has explored a dimension {wanted}: the folders have {}",
                    explored.join(", ")
                )
            }
        }
    }
}

impl std::error::Error for ImportError {}

impl ImportError {
    /// Returns whether the same call may succeed later.
    pub fn retryable(&self) -> bool {
        matches!(self, Self::Unreadable(_, error) if retryable(error))
    }
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
    fn from_folder(name: &str) -> Option<Self> {
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

impl ExploredWorld {
    /// Lists the pictures and reads the waypoints in these folders. Pictures are limited to
    /// `dimensions`, unless that is empty or contains `all`. Leaves out the dimensions that have
    /// one of the `reserved` names in their paths.
    ///
    /// # Errors
    /// Fails if a folder has no pictures or cannot be listed, or if no folder has a requested
    /// dimension.
    pub fn read(
        folders: &[PathBuf],
        dimensions: &[String],
        reserved: ReservedNames,
    ) -> Result<Self, ImportError> {
        let mut explored = folders::read_pictures(folders, reserved)?;
        explored.keep(dimensions)?;

        for folder in folders {
            waypoints::read(
                &folder.join("waypoints"),
                &mut explored.waypoints,
                &mut explored.warnings,
            );
        }

        Ok(explored)
    }

    /// Returns when the newest picture was saved, in seconds since 1970.
    pub fn newest(&self) -> Option<i64> {
        let pictures = self
            .dimensions
            .iter()
            .flat_map(|dimension| dimension.layers.values());
        let times = pictures
            .flat_map(BTreeMap::values)
            .flatten()
            .map(|picture| picture.modified);
        times
            .max()
            .map(|time| time.div_euclid(1_000_000_000))
            .filter(|&seconds| seconds > 0)
    }

    /// Removes all dimensions except the named ones. Keeps all if no name is given or a name is
    /// `all`.
    fn keep(&mut self, names: &[String]) -> Result<(), ImportError> {
        if names.is_empty() || names.iter().any(|name| name == "all") {
            return Ok(());
        }

        let wanted: Vec<String> = names
            .iter()
            .map(|name| crate::world::canonical_id(name))
            .collect();

        let ids: Vec<String> = self
            .dimensions
            .iter()
            .map(|dimension| dimension.id.clone())
            .collect();

        if let Some(missing) = wanted.iter().position(|id| !ids.contains(id)) {
            return Err(ImportError::NoDimension(names[missing].clone(), ids));
        }

        self.dimensions
            .retain(|dimension| wanted.contains(&dimension.id));

        Ok(())
    }
}

/// Returns the name of a folder as text.
fn folder_name(folder: &Path) -> String {
    let full = crate::base::disk::full_path(folder);
    full.file_name().map_or_else(
        || full.display().to_string(),
        |name| name.to_string_lossy().into_owned(),
    )
}
