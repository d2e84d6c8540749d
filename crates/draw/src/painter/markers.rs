//! Collects the markers of a region. The markers of its chunks were read with their columns. This
//! module adds the markers from the region's companion files, which hold points of interest and
//! entities.

use std::collections::BTreeSet;

use crate::painter::chunk::SlotContent;
use crate::painter::chunk_use::ChunkUse;
use crate::painter::filter::ChunkFilter;
use crate::painter::shared::{PaintWorker, Painter, PlannedRegion};
use crate::request::settings::Check;
use crate::run_state::Interruption;
use pixelmap_base::coord::{Slot, SlotSet};
use pixelmap_base::retry::retryable;
use pixelmap_paint::layers::Layer;
use pixelmap_paint::markers::{ChunkMarkers, RegionMarkers, portals, read_frames, read_points};
use pixelmap_paint::surface::Columns;
use pixelmap_world::internal::{ChunkHash, Companion, NO_RECORD, Region, UNSTABLE, join_hashes};

/// Returns the warning about a damaged companion file, which is counted per region.
const fn damaged(companion: Companion) -> &'static str {
    match companion {
        Companion::Points => "a file of points of interest that cannot be read, or only in part",
        Companion::Entities => "a file of entities that cannot be read, or only in part",
    }
}

impl Painter<'_> {
    /// Adds the markers that the companion files have for the drawn chunks, and sorts all markers.
    pub(crate) fn add_companions(
        &self,
        worker: &mut PaintWorker<'_>,
        region: &PlannedRegion<'_>,
        region_markers: &mut RegionMarkers,
    ) {
        if !region_markers.drawn.is_empty() {
            for companion in self.settings.request.markers.companions() {
                let is_whole = match region.open_companion(companion) {
                    Some(Ok(file)) => self.read_companion(worker, companion, file, region_markers),
                    Some(Err(_)) => {
                        region_markers.lacks_file = true;
                        false
                    }
                    None => true,
                };

                if !is_whole {
                    worker.tally.job.chunk_findings.warn(damaged(companion));
                }
            }
        }

        if let Some(area) = self.settings.look.area {
            region_markers
                .markers
                .retain(|marker| area.contains(marker.at));
        }

        region_markers.markers.sort_unstable();
        region_markers.markers.dedup();
    }

    /// Returns whether everything that was read is undamaged.
    fn read_companion(
        &self,
        worker: &mut PaintWorker<'_>,
        companion: Companion,
        mut file: Region,
        region_markers: &mut RegionMarkers,
    ) -> bool {
        let wanted = &self.settings.request.markers;
        let mut portal_blocks = BTreeSet::new();
        let mut is_whole = true;
        for slot in region_markers.drawn.clone().slots() {
            let position = file.pos().chunk(slot);
            let mut markers = ChunkMarkers::default();
            let read = worker
                .reader
                .visit_inflated(&mut file, slot, |plain| match companion {
                    Companion::Points => {
                        read_points(plain, position, wanted, &mut markers, &mut portal_blocks)
                            .is_ok()
                    }
                    Companion::Entities => read_frames(plain, position, &mut markers).is_ok(),
                });

            is_whole &= read != Some(false);
            region_markers.add_more(markers);
        }

        region_markers.extend(portals(portal_blocks));
        is_whole
    }

    /// Returns a hash of the state of the region's companion files. `began` is the start of the
    /// run.
    pub(crate) fn companions_state(
        &self,
        worker: &mut PaintWorker<'_>,
        region: &PlannedRegion<'_>,
        began: i64,
    ) -> ChunkHash {
        let companions = self.settings.request.markers.companions();
        let states = companions.map(|companion| {
            if self.settings.run.check == Check::Content {
                return companion_content(worker, region, companion);
            }
            match region.look_at_companion(companion) {
                None => NO_RECORD,
                Some(Ok(stamp)) if stamp.is_stable(began) => stamp.state().min(UNSTABLE - 1),
                Some(Ok(_) | Err(_)) => UNSTABLE,
            }
        });

        join_hashes(&states.collect::<Vec<_>>())
    }

    /// Reads the markers of the `shown` chunks of a region without drawing them. Fails if the run
    /// is stopping, or if the region cannot be read now. Unreadable chunks lack markers here; the job that draws them reports them.
    pub(crate) fn read_markers(
        &self,
        worker: &mut PaintWorker<'_>,
        region: &PlannedRegion<'_>,
        shown: &SlotSet,
    ) -> Result<RegionMarkers, Interruption> {
        let mut file = match region.open_filled() {
            Ok(file) => file,
            Err(error) if retryable(&error) => {
                let path = region.path().unwrap_or_default();
                return Err(Interruption::reading(&path, &error));
            }
            Err(_) => return Ok(RegionMarkers::default()),
        };

        let mut region_markers = RegionMarkers::default();
        let mut columns = Columns::default();
        let filter = self.chunk_filter(region.dimension);

        // One view is enough to see whether a column is empty.
        let views = [Layer::default().view(filter.ceiling.is_some())];
        let filter = ChunkFilter {
            views: &views,
            ..filter
        };

        let drawn: SlotSet = shown
            .slots()
            .filter(|&slot| region.chunk_use(slot) == ChunkUse::Drawn)
            .collect();

        file.will_read(drawn.slots());

        for slot in drawn.slots() {
            self.run.check_stop()?;
            let (content, _) =
                worker
                    .reader
                    .columns(&mut file, slot, filter, std::iter::once(&mut columns));
            if let SlotContent::Drawn(drawn) = content {
                region_markers.add(slot, drawn.markers);
            }
        }

        self.add_companions(worker, region, &mut region_markers);
        Ok(region_markers)
    }
}

/// Hashes the content of a companion file.
fn companion_content(
    worker: &mut PaintWorker<'_>,
    region: &PlannedRegion<'_>,
    companion: Companion,
) -> ChunkHash {
    match region.open_companion(companion) {
        None => NO_RECORD,
        Some(Ok(mut file)) => join_hashes(
            &Slot::all()
                .map(|slot| worker.reader.hash(&mut file, slot).hash)
                .collect::<Vec<_>>(),
        ),
        Some(Err(_)) => UNSTABLE,
    }
}
