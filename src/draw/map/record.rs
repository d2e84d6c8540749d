//! The records of what was drawn, by which the next run finds what is unchanged.

use std::sync::PoisonError;

use crate::base::coord::{RegionPos, TilePos};
use crate::draw::map::state::Map;
use crate::draw::painter::shared::{PlannedRegion, Worker};
use crate::draw::prepare::layers::MapLayer;
use crate::draw::record::{ParentRecord, RegionRecord, join, parent_bytes, region_bytes};
use crate::store::PublishError;
use crate::world::UNSTABLE;

impl Map<'_> {
    /// Records a region with its tile of one map layer. The tile takes its place after that: so it has a record should
    /// the run be killed in between, and the pixels of chunks that cannot be read later are preserved.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub(crate) fn note_region(
        &self,
        map_layer: MapLayer,
        region: RegionPos,
        record: &RegionRecord,
    ) -> Result<(), PublishError> {
        self.note(map_layer, region.tile(), &region_bytes(record))
    }

    /// Records an outer tile; it takes its place after that.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub(crate) fn note_parent(
        &self,
        map_layer: MapLayer,
        place: TilePos,
        record: &ParentRecord,
    ) -> Result<(), PublishError> {
        self.note(map_layer, place, &parent_bytes(record))
    }

    /// Records that a tile has no valid record, wherever it stands.
    pub(crate) fn forget(&self, map_layer: MapLayer, tile: TilePos) {
        if let Err(error) = self.note(map_layer, tile, &[]) {
            self.drawing.fail(&error);
        }
    }

    fn note(&self, map_layer: MapLayer, tile: TilePos, says: &[u8]) -> Result<(), PublishError> {
        self.history.journal.add(self.drawing.map_layers.number(map_layer), tile, says)
    }

    /// Remembers a region that has no tile in some layer and of which something is hidden.
    pub(crate) fn note_hidden(&self, worker: &Worker<'_>, region: &PlannedRegion<'_>, is_everywhere: bool) {
        if worker.tally.chunks.hidden > 0 && !is_everywhere {
            let place = (region.dimension, region.pos);
            self.emptied.lock().unwrap_or_else(PoisonError::into_inner).insert(place);
        }
    }
}

/// The key of an outer tile.
pub(crate) fn children_of(pixels: [Option<u64>; 4]) -> u64 {
    join(&pixels.map(|pixels| pixels.map_or(0, |hash| hash.min(UNSTABLE - 1))))
}
