//! The lines in which a catalog remembers the worlds of earlier runs.

use pixelmap_draw::ask::catalog::{ChunkSketch, WorldEntry};
use serde::{Deserialize, Serialize};

/// A world folder or an archive, with the worlds in it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct PlaceLine {
    /// Its path below the folder of the catalog.
    pub(super) place: String,
    /// The state of its files; absent if they could not be listed.
    pub(super) state: Option<u64>,
    /// The version of this program.
    pub(super) version: String,
    pub(super) has_maps: bool,
    pub(super) worlds: Vec<KnownWorld>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct KnownWorld {
    pub(super) entry: WorldEntry,
    pub(super) sketch: ChunkSketch,
}

impl PlaceLine {
    /// Returns whether the line still describes the place, for a catalog with or without maps.
    pub(super) fn is_current(&self, state: Option<u64>, wants_maps: bool) -> bool {
        state.is_some()
            && self.state == state
            && self.version == env!("CARGO_PKG_VERSION")
            && (self.has_maps || !wants_maps)
    }
}
