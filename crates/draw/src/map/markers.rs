//! Records the markers of each region in the journal, so that the markers of an unchanged region
//! are not read again.

use crate::map::region_map::Map;
use crate::painter::gaps::ChunkGap;
use crate::painter::shared::{PaintWorker, PlannedRegion};
use crate::run_state::Interruption;
use crate::tiles::record::MarkersRecord;
use pixelmap_base::coord::{CHUNK_SIDE, Slot, SlotSet, TILE_SIDE};
use pixelmap_map::atlas::in_folder;
use pixelmap_paint::markers::RegionMarkers;
use pixelmap_tile::{Pixel, Samples};
use pixelmap_world::internal::{ChunkHash, UNSTABLE, join_hashes};

impl Map<'_> {
    /// Stores the markers that were found while drawing a region; `content` is the hash of its
    /// chunks. Chunks that cannot be read keep the markers that the last run recorded, just as they
    /// keep their pixels.
    pub(super) fn put_markers(
        &self,
        worker: &mut PaintWorker<'_>,
        region: &PlannedRegion<'_>,
        content: ChunkHash,
        mut read: RegionMarkers,
        gaps: &[ChunkGap],
    ) -> Result<(), Interruption> {
        if !self.painter.settings.request.markers.is_any() {
            return Ok(());
        }

        if !gaps.is_empty()
            && let Some(MarkersRecord {
                markers: mut last, ..
            }) = self.recorded_markers(region)?
        {
            for slot in gaps
                .iter()
                .map(|gap| gap.slot)
                .filter(|&slot| last.drawn.has(slot))
            {
                read.drawn.insert(slot);
                read.extend(
                    last.markers
                        .extract_if(.., |marker| marker.at.chunk().slot() == slot)
                        .collect(),
                );
            }

            read.markers.sort_unstable();
        }

        let key = self.markers_key(worker, region, content);
        self.record_markers(region, key, read)
    }

    /// Stores the markers of a region that is not drawn; `content` is the hash of its chunks. The
    /// recorded markers are reused if they were read from the same files, otherwise they are read
    /// again.
    pub(super) fn leave_markers(
        &self,
        worker: &mut PaintWorker<'_>,
        region: &PlannedRegion<'_>,
        content: ChunkHash,
    ) -> Result<(), Interruption> {
        if !self.painter.settings.request.markers.is_any() {
            return Ok(());
        }

        let key = self.markers_key(worker, region, content);
        let recorded = self
            .recorded_markers(region)?
            .filter(|recorded| recorded.key == key && key != UNSTABLE);
        if let Some(recorded) = recorded {
            self.tiles
                .store
                .leave_markers(region.dimension, region.pos, recorded.markers);
            return Ok(());
        }

        let markers = self.painter.read_markers(worker, region, &SlotSet::ALL)?;
        self.record_markers(region, key, markers)
    }

    /// Returns the last record of a region's markers.
    fn recorded_markers(
        &self,
        region: &PlannedRegion<'_>,
    ) -> Result<Option<MarkersRecord>, Interruption> {
        self.tiles
            .store
            .last_markers(region.dimension, region.pos)
            .map_err(Interruption::from)
    }

    fn record_markers(
        &self,
        region: &PlannedRegion<'_>,
        key: ChunkHash,
        markers: RegionMarkers,
    ) -> Result<(), Interruption> {
        // The next run tries again to read a file that could not be opened.
        let key = if markers.lacks_file { UNSTABLE } else { key };
        let record = MarkersRecord { key, markers };
        self.tiles
            .store
            .put_markers(region.dimension, region.pos, record)
            .map_err(Interruption::from)
    }

    fn markers_key(
        &self,
        worker: &mut PaintWorker<'_>,
        region: &PlannedRegion<'_>,
        content: ChunkHash,
    ) -> ChunkHash {
        join_hashes(&[
            content,
            self.painter.companions_state(worker, region, self.began),
        ])
    }

    /// Reads the markers of a region in a run without layers. Only chunks that the published map
    /// shows get markers.
    pub(super) fn remake_markers(
        &self,
        worker: &mut PaintWorker<'_>,
        region: &PlannedRegion<'_>,
    ) -> Result<(), Interruption> {
        let shown = self.read_shown_chunks(region)?;
        if !shown.is_empty() {
            let markers = self.painter.read_markers(worker, region, &shown)?;
            self.tiles
                .store
                .leave_markers(region.dimension, region.pos, markers);
            worker.tally.job.regions_drawn += 1;
        }

        self.painter.region_done(worker, region);
        Ok(())
    }

    /// Returns the chunks of a region that the published map shows, judged by the pixels of its
    /// first layer.
    ///
    /// # Errors
    /// Fails if the tile exists and cannot be read.
    fn read_shown_chunks(&self, region: &PlannedRegion<'_>) -> Result<SlotSet, Interruption> {
        let mut shown = SlotSet::NONE;
        let id = &self.painter.plan.dimensions[region.dimension].id;
        let dimension = self
            .published
            .iter()
            .flat_map(|map| &map.dimensions)
            .find(|dimension| dimension.id == *id);

        let mut layers = dimension.iter().flat_map(|dimension| &dimension.layers);
        let Some(layer) = layers.find(|layer| !layer.overlay && layer.numbers.is_none()) else {
            return Ok(shown);
        };

        let path = in_folder(&layer.path, &layer.naming().path(region.pos.tile()));
        if self.output.file_facts(&path)?.is_none() {
            return Ok(shown);
        }

        let bytes = self.output.read(&path)?;

        // A damaged tile shows nothing.
        let Ok(canvas) = Samples::Colours.decode(&bytes) else {
            return Ok(shown);
        };

        for (number, pixel) in canvas.pixels().iter().enumerate() {
            if *pixel != Pixel::CLEAR {
                shown.insert(Slot::at(
                    number % TILE_SIDE / CHUNK_SIDE,
                    number / TILE_SIDE / CHUNK_SIDE,
                ));
            }
        }

        Ok(shown)
    }
}
