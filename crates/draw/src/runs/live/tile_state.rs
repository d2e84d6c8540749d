//! The tiles of a live map, and whether they are drawn.

use std::collections::HashMap;

use crate::request::layers::MapLayer;
use crate::schedule::NodeId;
use pixelmap_base::coord::{NATIVE_ZOOM, TilePos};

/// All tiles of the map, keyed by dimension and tile. A tile has a job until it is drawn.
pub(super) type OpenTileJobs = HashMap<(usize, TilePos), Option<NodeId>>;

/// A tile of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LayerTile {
    pub(super) map_layer: MapLayer,
    pub(super) tile: TilePos,
}

/// Whether a tile is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TileState {
    /// The tile is not drawn yet.
    Open(LayerTile),
    /// The tile is drawn, and empty if it lacks a file.
    Drawn(LayerTile),
    /// The tile is not part of the map. A file of an earlier map may still exist, and may show
    /// places that are hidden now.
    LeftOut(LayerTile),
}

/// A tile that has just been drawn in all layers. Its file exists unless it is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DrawnTile {
    /// The dimension's number in the facts.
    pub dimension: usize,
    /// The tile in that dimension.
    pub tile: TilePos,
}

impl LayerTile {
    /// Returns whether the tile is drawn from a region, and not from other tiles.
    pub fn is_native(&self) -> bool {
        self.tile.zoom == NATIVE_ZOOM
    }
}

/// Returns the job of a tile that is not drawn yet.
pub(super) fn open_job(tiles: &OpenTileJobs, dimension: usize, tile: TilePos) -> Option<NodeId> {
    *tiles.get(&(dimension, tile))?
}
