//! The records of what was drawn, by which the next run finds what is unchanged.

use std::borrow::Cow;
use std::sync::PoisonError;

use crate::coord::{RegionPos, TilePos};
use crate::pipeline::map::place::Stands;
use crate::pipeline::map::state::Map;
use crate::pipeline::paint::shared::{Region, Worker};
use crate::pipeline::prepare::layers::MapLayer;
use crate::publish::{PublishError, TileRecord};
use crate::record::{ANNOUNCED, ParentRecord, Published, RegionRecord, join, parent_bytes, region_bytes};
use crate::region::UNSTABLE;

impl Map<'_> {
    /// Records a region with the tile of one map layer, and where the tile stands.
    pub(in crate::pipeline) fn note_region(
        &self,
        map_layer: MapLayer,
        region: RegionPos,
        record: &RegionRecord,
        stands: Stands,
    ) {
        let path = record.tile.map(|_| self.path(map_layer, region.tile(), stands));
        self.note(map_layer, region.tile(), &self.entry(map_layer, record), path.as_deref());
    }

    /// Records a region whose tile is about to take its place, so that the tile has a record should the run end right
    /// then: the pixels of chunks that cannot be read later are preserved.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub(in crate::pipeline) fn announce_region(
        &self,
        map_layer: MapLayer,
        region: RegionPos,
        record: &RegionRecord,
        tile: TileRecord,
    ) -> Result<(), PublishError> {
        let tile = Some(Published { record: tile, modified: ANNOUNCED });
        let entry = self.entry(map_layer, &RegionRecord { tile, ..record.clone() });
        self.history.journal.add(self.drawing.map_layers.number(map_layer), region.tile(), &entry, None)
    }

    /// Records an outer tile that is about to take its place: should the run end right then, and the tiles below it be
    /// gone before the next run, that run finds it. The record has no pixels: an outer tile is drawn from others.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub(in crate::pipeline) fn announce_parent(&self, map_layer: MapLayer, tile: TilePos) -> Result<(), PublishError> {
        self.history.journal.add(self.drawing.map_layers.number(map_layer), tile, &[], None)
    }

    fn entry(&self, map_layer: MapLayer, record: &RegionRecord) -> Vec<u8> {
        let mut record = Cow::Borrowed(record);
        if record.findings.chunk_findings.unlit > 0 && !self.drawing.map_layers.layer(map_layer).is_lit() {
            record.to_mut().findings.chunk_findings.unlit = 0;
        }
        region_bytes(&record)
    }

    /// Records an outer tile that was drawn, and where it stands.
    pub(in crate::pipeline) fn note_parent(
        &self,
        map_layer: MapLayer,
        place: TilePos,
        children: u64,
        tile: Option<Published>,
        stands: Stands,
    ) {
        let path = tile.map(|_| self.path(map_layer, place, stands));
        self.note(map_layer, place, &parent_bytes(&ParentRecord { children, tile }), path.as_deref());
    }

    /// Records that a tile has no valid record, wherever it stands.
    pub(in crate::pipeline) fn forget(&self, map_layer: MapLayer, tile: TilePos) {
        self.note(map_layer, tile, &[], None);
    }

    fn note(&self, map_layer: MapLayer, tile: TilePos, says: &[u8], path: Option<&str>) {
        let number = self.drawing.map_layers.number(map_layer);
        if let Err(error) = self.history.journal.add(number, tile, says, path) {
            self.drawing.fail(&error);
        }
    }

    /// Remembers a region that has no tile in some layer and of which something is hidden.
    pub(in crate::pipeline) fn note_hidden(&self, worker: &Worker<'_>, region: &Region<'_>, is_everywhere: bool) {
        if worker.tally.chunks.hidden > 0 && !is_everywhere {
            let place = (region.dimension, region.pos);
            self.emptied.lock().unwrap_or_else(PoisonError::into_inner).insert(place);
        }
    }
}

/// The key of an outer tile.
pub(in crate::pipeline) fn children_of(pixels: [Option<u64>; 4]) -> u64 {
    join(&pixels.map(|pixels| pixels.map_or(0, |hash| hash.min(UNSTABLE - 1))))
}
