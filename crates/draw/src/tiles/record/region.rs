//! The facts of a drawn region, which the tiles of all its layers share.

use super::source::RegionSource;
use crate::report::Findings;
use pixelmap_world::internal::{ChunkHash, join_hashes};

/// The facts of a drawn region. They are recorded once for all layers of a map, and the record of
/// each tile names them by their key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegionFacts {
    /// The file it was drawn from.
    pub source: RegionSource,
    /// The joined hashes of the neighbouring chunks that touch the region.
    pub neighbour_hash: ChunkHash,
    /// The findings of the run that drew it.
    pub findings: Findings,
}

impl RegionFacts {
    /// Returns the hash of all chunks that affect the tiles of the region. It does not depend on
    /// the stamp of the file, so a file that was only touched keeps its key. It is `UNSTABLE` if
    /// one of the chunks is.
    pub fn key(&self) -> ChunkHash {
        join_hashes(&[self.source.hashes.content, self.neighbour_hash])
    }
}
