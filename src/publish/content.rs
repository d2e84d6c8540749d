//! What an output folder holds: a folder never holds two kinds of things, since the names of the one would be in the way of
//! the other's.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::MapFile;

/// What an output folder holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// A map: tiles, zoom levels and a viewer.
    #[default]
    Map,
    /// A picture a region, of one layer of one dimension.
    Regions,
    /// The same of several, each in its folder `<dimension>/<layer>`.
    RegionsByLayer,
}

impl Content {
    /// The file in which the folder says what it shows.
    pub const fn facts(self) -> &'static str {
        match self {
            Self::Map => MapFile::FILE,
            Self::Regions | Self::RegionsByLayer => "regions.json",
        }
    }

    /// What a folder says it holds, and of which world.
    pub(super) fn read(root: &Path) -> Option<(Self, MapFile)> {
        if let Some(map) = MapFile::read(root, Self::Map) {
            return Some((Self::Map, map));
        }
        let regions = MapFile::read(root, Self::Regions)?;
        let is_flat = regions.layers().any(|layer| layer.path.is_empty());
        Some((if is_flat { Self::Regions } else { Self::RegionsByLayer }, regions))
    }
}

impl fmt::Display for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Map => "a map",
            Self::Regions => "the regions of one layer",
            Self::RegionsByLayer => "regions in folders by layer",
        })
    }
}
