//! The records of a published tile and of tiles that are made from others.

use pixelmap_map::atlas::TileRecord;

/// A published tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TileFacts {
    /// The tile's line in the manifest.
    pub record: TileRecord,
    /// The time at which its file was written, in nanoseconds since 1970. A file with another time
    /// may be a different one.
    pub modified: i64,
}

/// The record of an outer or inner tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParentRecord {
    /// The joined pixel hashes of the four children, with 0 for a missing child. For an inner tile,
    /// the hash of the chunks that it was drawn from.
    pub children: u64,
    /// The tile, or `None` if it would be empty.
    pub tile: Option<TileFacts>,
}
