//! The markers of each region, kept in the journal as tiles are: those of an unchanged region are not read again.

use crate::atlas::in_folder;
use crate::base::coord::{CHUNK_SIDE, RegionPos, Slot, SlotSet, TILE_SIDE};
use crate::base::mutex;
use crate::draw::map::state::Map;
use crate::draw::map::waiting::Unread;
use crate::draw::painter::gaps::Gap;
use crate::draw::painter::shared::{PlannedRegion, Worker};
use crate::draw::record::{MarkersRecord, join};
use crate::paint::markers::RegionMarkers;
use crate::tile::{Pixel, Samples};
use crate::world::{ChunkHash, UNSTABLE};

impl Map<'_> {
    /// The last record of a region's markers.
    fn recorded_markers(&self, region: &PlannedRegion<'_>) -> Option<MarkersRecord> {
        self.readable(self.tiles.last_markers(region.dimension, region.pos))
    }

    /// Puts the markers that were found in a region that was drawn, whose chunks have this hash. Those of chunks that
    /// cannot be read stay as they were, as their pixels do.
    pub(crate) fn put_markers(
        &self,
        worker: &mut Worker<'_>,
        region: &PlannedRegion<'_>,
        content: ChunkHash,
        mut found: RegionMarkers,
        gaps: &[Gap],
    ) {
        if !self.painter.settings.markers.is_any() {
            return;
        }
        if !gaps.is_empty()
            && let Some(MarkersRecord { of_region: mut last, .. }) = self.recorded_markers(region)
        {
            for slot in gaps.iter().map(|gap| gap.slot).filter(|&slot| last.drawn.has(slot)) {
                let mut of_slot = last.markers.extract_if(.., |marker| marker.at.chunk().slot() == slot).collect();
                found.add(slot, &mut of_slot);
            }
            found.markers.sort_unstable();
        }
        let key = self.key_of_markers(worker, region, content);
        self.record_markers(region, MarkersRecord { key, of_region: found });
    }

    /// Puts the markers of a region that is not drawn, whose chunks have this hash: those that are recorded, if they
    /// were read from the same files; else they are read.
    pub(crate) fn leave_markers(&self, worker: &mut Worker<'_>, region: &PlannedRegion<'_>, content: ChunkHash) {
        if !self.painter.settings.markers.is_any() {
            return;
        }
        let key = self.key_of_markers(worker, region, content);
        match self.recorded_markers(region).filter(|recorded| recorded.key == key && key != UNSTABLE) {
            Some(recorded) => self.keep_markers(region.dimension, region.pos, recorded.of_region),
            None => {
                if let Some(of_region) = self.painter.read_markers(worker, region, &SlotSet::ALL) {
                    self.record_markers(region, MarkersRecord { key, of_region });
                }
            }
        }
    }

    /// Keeps the markers that are recorded of a region, if there are any.
    pub(crate) fn keep_recorded_markers(&self, region: &PlannedRegion<'_>) {
        let recorded = self.recorded_markers(region).filter(|recorded| !recorded.of_region.markers.is_empty());
        if let Some(MarkersRecord { of_region, .. }) = recorded {
            self.keep_markers(region.dimension, region.pos, of_region);
        }
    }

    /// Reads the markers of a region of which nothing is drawn anew: those of the chunks that the map shows.
    pub(crate) fn remake_markers(&self, worker: &mut Worker<'_>, region: &PlannedRegion<'_>) {
        let Ok(shown) = self.shown(region) else { return };
        if !shown.is_empty()
            && let Some(found) = self.painter.read_markers(worker, region, &shown)
        {
            self.keep_markers(region.dimension, region.pos, found);
            worker.tally.regions_drawn += 1;
        }
        self.painter.region_done(worker, region);
    }

    /// The chunks of a region that the map shows, by the pixels of its first layer.
    ///
    /// # Errors
    /// The tile is there and cannot be read: the run ends.
    fn shown(&self, region: &PlannedRegion<'_>) -> Result<SlotSet, Unread> {
        let (mut shown, id) = (SlotSet::NONE, &self.painter.plan.dimensions[region.dimension].id);
        let dimension = self.earlier.iter().flat_map(|map| &map.dimensions).find(|dimension| dimension.id == *id);
        let mut layers = dimension.iter().flat_map(|dimension| &dimension.layers);
        let Some(layer) = layers.find(|layer| !layer.overlay && layer.numbers.is_none()) else { return Ok(shown) };
        let path = in_folder(&layer.path, &layer.naming().path(region.pos.tile()));
        if self.whole(self.output.standing(&path))?.is_none() {
            return Ok(shown);
        }
        let bytes = self.whole(self.output.read(&path))?;
        // A tile that is damaged shows nothing.
        let Ok(canvas) = Samples::Colours.decode(&bytes) else { return Ok(shown) };
        for (number, pixel) in canvas.pixels().iter().enumerate() {
            if *pixel != Pixel::CLEAR {
                shown.insert(Slot::at(number % TILE_SIDE / CHUNK_SIDE, number / TILE_SIDE / CHUNK_SIDE));
            }
        }
        Ok(shown)
    }

    fn key_of_markers(&self, worker: &mut Worker<'_>, region: &PlannedRegion<'_>, content: ChunkHash) -> ChunkHash {
        join(&[content, self.painter.points_state(worker, region, self.began)])
    }

    /// Records markers in the journal, and keeps them for this run.
    fn record_markers(&self, region: &PlannedRegion<'_>, record: MarkersRecord) {
        if let Err(error) = self.tiles.record_markers(region.dimension, region.pos, &record) {
            return self.painter.fail(&error);
        }
        self.keep_markers(region.dimension, region.pos, record.of_region);
    }

    fn keep_markers(&self, dimension: usize, region: RegionPos, markers: RegionMarkers) {
        mutex::lock(&self.markers).insert((dimension, region), markers);
    }
}
