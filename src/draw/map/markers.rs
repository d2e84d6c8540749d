//! The markers of each region, kept in the journal as tiles are: those of an unchanged region are not read again.

use crate::atlas::in_folder;
use crate::base::coord::{CHUNK_SIDE, Slot, SlotSet, TILE_SIDE};
use crate::draw::map::Map;
use crate::draw::painter::gaps::Gap;
use crate::draw::painter::shared::{PaintWorker, PlannedRegion};
use crate::draw::tiles::record::{MarkersRecord, join};
use crate::draw::tiles::run_state::Unread;
use crate::markers::RegionMarkers;
use crate::tile::{Pixel, Samples};
use crate::world::{ChunkHash, UNSTABLE};

impl Map<'_> {
    /// Puts the markers that were found in a region that was drawn, whose chunks have this hash. Those of chunks that
    /// cannot be read stay as they were, as their pixels do.
    pub(super) fn put_markers(
        &self,
        worker: &mut PaintWorker<'_>,
        region: &PlannedRegion<'_>,
        content: ChunkHash,
        mut read: RegionMarkers,
        gaps: &[Gap],
    ) -> Result<(), Unread> {
        if !self.painter.settings.markers.is_any() {
            return Ok(());
        }
        if !gaps.is_empty()
            && let Some(MarkersRecord { markers: mut last, .. }) = self.recorded_markers(region)?
        {
            for slot in gaps.iter().map(|gap| gap.slot).filter(|&slot| last.drawn.has(slot)) {
                read.drawn.insert(slot);
                read.extend(last.markers.extract_if(.., |marker| marker.at.chunk().slot() == slot).collect());
            }
            read.markers.sort_unstable();
        }
        let key = self.markers_key(worker, region, content);
        self.record_markers(region, MarkersRecord { key, markers: read })
    }

    /// Puts the markers of a region that is not drawn, whose chunks have this hash: those that are recorded, if they
    /// were read from the same files; else they are read.
    pub(super) fn leave_markers(
        &self,
        worker: &mut PaintWorker<'_>,
        region: &PlannedRegion<'_>,
        content: ChunkHash,
    ) -> Result<(), Unread> {
        if !self.painter.settings.markers.is_any() {
            return Ok(());
        }
        let key = self.markers_key(worker, region, content);
        let recorded = self.recorded_markers(region)?.filter(|recorded| recorded.key == key && key != UNSTABLE);
        if let Some(recorded) = recorded {
            self.tiles.store.leave_markers(region.dimension, region.pos, recorded.markers);
        } else if let Some(markers) = self.painter.read_markers(worker, region, &SlotSet::ALL) {
            self.record_markers(region, MarkersRecord { key, markers })?;
        }
        Ok(())
    }

    /// The last record of a region's markers.
    fn recorded_markers(&self, region: &PlannedRegion<'_>) -> Result<Option<MarkersRecord>, Unread> {
        self.painter.run.or_fail(self.tiles.store.last_markers(region.dimension, region.pos))
    }

    fn record_markers(&self, region: &PlannedRegion<'_>, record: MarkersRecord) -> Result<(), Unread> {
        self.painter.run.or_fail(self.tiles.store.put_markers(region.dimension, region.pos, record))
    }

    fn markers_key(&self, worker: &mut PaintWorker<'_>, region: &PlannedRegion<'_>, content: ChunkHash) -> ChunkHash {
        join(&[content, self.painter.companions_state(worker, region, self.began)])
    }

    /// Reads the markers of a region where no layer is drawn: those of the chunks that the published map shows.
    pub(super) fn remake_markers(&self, worker: &mut PaintWorker<'_>, region: &PlannedRegion<'_>) {
        let Ok(shown) = self.read_shown_chunks(region) else { return };
        if !shown.is_empty()
            && let Some(markers) = self.painter.read_markers(worker, region, &shown)
        {
            self.tiles.store.leave_markers(region.dimension, region.pos, markers);
            worker.tally.job.regions_drawn += 1;
        }
        self.painter.region_done(worker, region);
    }

    /// The chunks of a region that the map shows, by the pixels of its first layer.
    ///
    /// # Errors
    /// The tile is there and cannot be read: the run ends.
    fn read_shown_chunks(&self, region: &PlannedRegion<'_>) -> Result<SlotSet, Unread> {
        let mut shown = SlotSet::NONE;
        let id = &self.painter.plan.dimensions[region.dimension].id;
        let dimension = self.published.iter().flat_map(|map| &map.dimensions).find(|dimension| dimension.id == *id);
        let mut layers = dimension.iter().flat_map(|dimension| &dimension.layers);
        let Some(layer) = layers.find(|layer| !layer.overlay && layer.numbers.is_none()) else { return Ok(shown) };
        let path = in_folder(&layer.path, &layer.naming().path(region.pos.tile()));
        if self.painter.run.or_fail(self.output.file_facts(&path))?.is_none() {
            return Ok(shown);
        }
        let bytes = self.painter.run.or_fail(self.output.read(&path))?;
        // A tile that is damaged shows nothing.
        let Ok(canvas) = Samples::Colours.decode(&bytes) else { return Ok(shown) };
        for (number, pixel) in canvas.pixels().iter().enumerate() {
            if *pixel != Pixel::CLEAR {
                shown.insert(Slot::at(number % TILE_SIDE / CHUNK_SIDE, number / TILE_SIDE / CHUNK_SIDE));
            }
        }
        Ok(shown)
    }
}
