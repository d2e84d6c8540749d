//! The records of published tiles.

use crate::report::ShownNames;
use pixelmap_base::coord::Area;
use pixelmap_map::atlas::TileRecord;
use pixelmap_world::internal::ChunkHash;

/// A published tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TileFacts {
    /// The tile's line in the manifest.
    pub record: TileRecord,
    /// The time at which its file was written, in nanoseconds since 1970. A file with another time
    /// may be a different one.
    pub modified: i64,
}

/// The record of a region's tile in one layer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NativeRecord {
    /// The key of the region's facts when the tile was drawn, or the hash of the pictures that the
    /// tile was made from.
    pub sources: ChunkHash,
    /// The tile, or `None` if it would be empty.
    pub tile: Option<TileFacts>,
    /// The part of the tile that is drawn on, in blocks from its corner, rounded to whole chunks.
    pub filled: Area,
    /// The names on the tile, if the legend of the layer depends on them.
    pub shown: ShownNames,
    /// The chunks of the region that store no light, if the layer needs light. The facts of the
    /// region lack this count, because a run without such a layer does not look for light.
    pub unlit: u64,
}

/// The record of an outer or inner tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParentRecord {
    /// The joined pixel hashes of the four children, with 0 for a missing child. For an inner tile,
    /// the key of its region's facts.
    pub children: u64,
    /// The tile, or `None` if it would be empty.
    pub tile: Option<TileFacts>,
}
