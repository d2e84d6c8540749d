//! The kinds of content that an output folder can have, and the file names that each kind uses. A
//! folder never holds two kinds of content, because their file names would collide.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::frames::FrameList;
use super::naming::{Format, Naming, number_in_path};
use crate::atlas::named_maps;
use pixelmap_base::coord::{RegionPos, TilePos};

/// The folder of pixelmap's own state. It marks an output folder as ours and holds the lock,
/// temporary files and the records of earlier runs.
pub(crate) const STATE: &str = ".pixelmap";

/// The ending of world files.
pub(crate) const WORLD_FILE_ENDING: &str = "pgw";

/// The content of an output folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// A map: tiles, zoom levels and a viewer.
    #[default]
    Map,
    /// One picture per region, of one layer of one dimension.
    Regions,
    /// One picture per region of each layer, in folders `<dimension>/<layer>`.
    RegionsByLayer,
    /// The frames of a time-lapse.
    Frames,
    /// Named maps, each in the folder of its name, and a page that leads to the first.
    Worlds,
}

impl Content {
    /// Returns the name of the file with the folder's facts. A folder of named maps has only a
    /// page, because each map has its own facts.
    pub const fn facts(self) -> &'static str {
        match self {
            Self::Map => "map.json",
            Self::Regions | Self::RegionsByLayer => "regions.json",
            Self::Frames => FrameList::FILE,
            Self::Worlds => named_maps::PAGE,
        }
    }

    /// Returns the folder of a layer whose path in a map is `path`; empty for the output folder
    /// itself.
    pub fn folder(self, path: String) -> String {
        if self == Self::Regions {
            String::new()
        } else {
            path
        }
    }

    /// Returns the name of a tile in its layer's folder. Without a map, every tile is the picture
    /// of a region.
    pub fn tile_name(self, naming: Naming, tile: TilePos) -> String {
        match (self, tile.region()) {
            (Self::Regions | Self::RegionsByLayer, Some(region)) => {
                format!("{region}.{}", naming.format.name())
            }
            _ => naming.path(tile),
        }
    }

    /// Returns the name of the world file that places the picture of a region. Returns `None` for a
    /// map, because only pictures of regions have world files.
    pub fn world_file_name(self, tile: TilePos) -> Option<String> {
        if self == Self::Map {
            return None;
        }

        let region = tile.region()?;
        Some(format!("{region}.{WORLD_FILE_ENDING}"))
    }

    /// Returns the tile and the format of a region's picture, parsed from the name of its file.
    pub fn region_tile(name: &str) -> Option<(TilePos, Format)> {
        let (stem, ending) = name.rsplit_once('.')?;
        let (x, z) = stem.strip_prefix("r.")?.split_once('.')?;
        let region = RegionPos {
            x: number_in_path(x)?,
            z: number_in_path(z)?,
        };
        Some((region.tile(), Format::from_name(ending)?))
    }
}

impl fmt::Display for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Map => "a map",
            Self::Regions => "the regions of one layer",
            Self::RegionsByLayer => "regions in folders by layer",
            Self::Frames => "the frames of a time-lapse",
            Self::Worlds => "the named maps of a configuration file",
        })
    }
}
