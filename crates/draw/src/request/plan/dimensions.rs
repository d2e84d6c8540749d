//! The planned dimensions: their regions and the tiles above them.

use std::collections::BTreeMap;

use pixelmap_base::coord::{Ceiling, RegionPos};
use pixelmap_tile::TileSet;
use pixelmap_world::internal::{RegionEntry, RegionStore};

/// The part of a plan for one dimension.
#[derive(Debug)]
pub struct DimensionPlan {
    pub id: String,
    /// Its folder in the map: the id with `/` instead of `:`.
    pub path: String,
    pub store: RegionStore,
    /// `None` in dimensions without a ceiling. The day map shows the land under the ceiling.
    pub ceiling: Option<Ceiling>,
    /// Every region file on the map, by position. Neighbours need the borders even of regions that
    /// are not drawn.
    pub files: BTreeMap<RegionPos, RegionEntry>,
    /// The tiles over the regions to draw.
    pub pyramid: TileSet,
    /// The region files in the request that are too far out to have a tile.
    pub far: Vec<RegionEntry>,
    /// The number of region files that are left out because they are hidden completely. They are
    /// never opened.
    pub hidden: u64,
}

impl DimensionPlan {
    pub fn on_map(&self) -> MapDimension<'_> {
        MapDimension {
            id: &self.id,
            path: &self.path,
            tiles: &self.pyramid,
        }
    }
}

/// A dimension on a map.
#[derive(Debug, Clone, Copy)]
pub struct MapDimension<'a> {
    pub id: &'a str,
    /// Its folder in the map.
    pub path: &'a str,
    pub tiles: &'a TileSet,
}
