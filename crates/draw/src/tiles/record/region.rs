//! The record of a drawn region.

use super::source::RegionSource;
use super::tile_facts::TileFacts;
use crate::report::{Findings, ShownNames};
use pixelmap_base::coord::Area;
use pixelmap_world::internal::ChunkHash;

/// The record of a drawn region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegionRecord {
    /// The file it was drawn from.
    pub source: RegionSource,
    /// The joined hashes of the neighbouring chunks that touch the region.
    pub neighbour_hash: ChunkHash,
    /// Its tile, or `None` if the tile would be empty.
    pub tile: Option<TileFacts>,
    /// The part of the tile that is drawn on, in blocks from its corner, rounded to whole chunks.
    pub filled: Area,
    /// The findings of the run that drew it.
    pub findings: Findings,
    /// The names on its tile, if the legend of the layer depends on them.
    pub shown: ShownNames,
}
