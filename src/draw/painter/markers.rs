//! The markers of a region: those of its chunks were read with their columns; those of its file of points of interest are
//! added here.

use std::collections::BTreeSet;

use crate::base::coord::{Slot, SlotSet};
use crate::draw::painter::chunk::{ChunkFilter, SlotContent};
use crate::draw::painter::chunk_use::ChunkUse;
use crate::draw::painter::shared::{PaintWorker, Painter, PlannedRegion};
use crate::draw::record::join;
use crate::draw::settings::Check;
use crate::paint::layers::Layer;
use crate::paint::markers::{RegionMarkers, portals, read_points};
use crate::paint::surface::Columns;
use crate::world::{ChunkHash, NO_RECORD, Region, UNSTABLE};

/// A warning, counted by region.
const DAMAGED: &str = "a file of points of interest that cannot be read, or not whole";

impl Painter<'_> {
    /// Adds the points of interest of the chunks that are drawn, and brings all markers into order.
    pub(crate) fn add_points(
        &self,
        worker: &mut PaintWorker<'_>,
        region: &PlannedRegion<'_>,
        region_markers: &mut RegionMarkers,
    ) {
        let wanted = &self.settings.markers;
        if wanted.has_points() && !region_markers.drawn.is_empty() {
            match region.open_points() {
                Some(Ok(file)) => self.read_points(worker, file, region_markers),
                Some(Err(_)) => worker.tally.job.chunk_findings.warn(DAMAGED),
                None => {}
            }
        }
        if let Some(area) = self.settings.area {
            region_markers.markers.retain(|marker| area.contains(marker.at));
        }
        region_markers.markers.sort_unstable();
        region_markers.markers.dedup();
    }

    fn read_points(&self, worker: &mut PaintWorker<'_>, mut file: Region, region_markers: &mut RegionMarkers) {
        let mut blocks = BTreeSet::new();
        let mut is_damaged = false;
        let drawn = region_markers.drawn;
        for slot in drawn.slots() {
            let place = file.pos().chunk(slot);
            let read = worker.reader.visit_inflated(&mut file, slot, |plain| {
                read_points(plain, place, &self.settings.markers, &mut region_markers.markers, &mut blocks).is_ok()
            });
            is_damaged |= read == Some(false);
        }
        region_markers.markers.extend(portals(blocks));
        if is_damaged {
            worker.tally.job.chunk_findings.warn(DAMAGED);
        }
    }

    /// Returns a hash of the state in which a region's file of points of interest is; `began` is the start of the run.
    pub(crate) fn points_state(
        &self,
        worker: &mut PaintWorker<'_>,
        region: &PlannedRegion<'_>,
        began: i64,
    ) -> ChunkHash {
        if !self.settings.markers.has_points() {
            return NO_RECORD;
        }
        match region.open_points() {
            None => NO_RECORD,
            Some(Ok(mut file)) if self.settings.check == Check::Content => {
                join(&Slot::all().map(|slot| worker.reader.hash(&mut file, slot).hash).collect::<Vec<_>>())
            }
            Some(Ok(file)) if file.stamp().is_stable(began) => file.state().min(UNSTABLE - 1),
            Some(Ok(_) | Err(_)) => UNSTABLE,
        }
    }

    /// Reads the markers of those chunks of a region that are among `shown`, and draws nothing; `None`: the run is to
    /// end. What cannot be read is reported by the job that draws it; here it has no markers.
    pub(crate) fn read_markers(
        &self,
        worker: &mut PaintWorker<'_>,
        region: &PlannedRegion<'_>,
        shown: &SlotSet,
    ) -> Option<RegionMarkers> {
        let Ok(mut file) = region.open_filled() else { return Some(RegionMarkers::default()) };
        let mut region_markers = RegionMarkers::default();
        let mut columns = Columns::default();
        let filter = self.chunk_filter(region.dimension);
        // One view shows whether a column holds anything.
        let views = [Layer::default().view(filter.ceiling_y.is_some())];
        let filter = ChunkFilter { views: &views, ..filter };
        let slots = || shown.slots().filter(|&slot| region.chunk_use(slot) == ChunkUse::Drawn);
        file.will_read(slots());
        for slot in slots() {
            if self.run.is_stopped() {
                return None;
            }
            let (content, _) = worker.reader.columns(&mut file, slot, filter, std::iter::once(&mut columns));
            if let SlotContent::Drawn(mut drawn) = content {
                region_markers.add(slot, &mut drawn.markers);
            }
        }
        self.add_points(worker, region, &mut region_markers);
        Some(region_markers)
    }
}
