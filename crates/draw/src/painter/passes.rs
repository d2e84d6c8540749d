//! Decodes regions whose chunks can be reached only one after another, each of them in one pass.
//!
//! A neighbour's job needs the border of such a region, and the border is spread over the whole
//! file. So the neighbour's job decodes the whole region for the job of the region, if that job comes
//! soon.

use std::collections::HashMap;

use crate::painter::chunk::SlotContent;
use crate::painter::decoded::{DecodedChunk, DecodedRegion, MIN_REGIONS};
use crate::painter::neighbours::{BorderPart, copy_cached, note_bad, open_neighbour};
use crate::painter::shared::{PaintWorker, Painter, PlannedRegion};
use crate::request::plan::are_drawn_together;
use crate::run_state::Interruption;
use pixelmap_base::coord::{Slot, SlotSet};
use pixelmap_base::mutex;
use pixelmap_paint::surface::Columns;
use pixelmap_world::internal::Region;

impl Painter<'_> {
    /// Returns all chunks of a region for its own job.
    pub(super) fn decode_own(
        &self,
        worker: &mut PaintWorker<'_>,
        region: &PlannedRegion<'_>,
        file: &Region,
    ) -> Result<DecodedRegion, Interruption> {
        let place = self.decoded.place((region.dimension, region.pos));
        let mut place = mutex::lock(&place);
        let decoded = match place.take() {
            Some(decoded) if decoded.state == file.state() => decoded,
            _ => self.decode(worker, region, file, &region.used_slots().collect())?,
        };

        self.decoded.forget((region.dimension, region.pos));
        Ok(decoded)
    }

    /// Fills the frame of a region with the border of a sequential neighbour.
    pub(super) fn pass_border(
        &self,
        worker: &mut PaintWorker<'_>,
        region: &PlannedRegion<'_>,
        border: &BorderPart<'_>,
    ) -> Result<(), Interruption> {
        let neighbour = &border.neighbour;
        let is_soon =
            self.plan.order.len() <= MIN_REGIONS || are_drawn_together(region.pos, neighbour.pos);
        let place = is_soon.then(|| self.decoded.place((neighbour.dimension, neighbour.pos)));
        let place = place.as_deref().map(mutex::lock);

        // Another worker may have read the border before this one got the lock.
        let missing = copy_cached(worker, border);
        if missing.is_empty() {
            return Ok(());
        }

        let Some(file) = open_neighbour(worker, border, &missing)? else {
            return Ok(());
        };

        let wanted = if is_soon {
            neighbour.used_slots().collect()
        } else {
            used_border(neighbour, &missing)
        };
        let mut decoded = self.decode(worker, neighbour, &file, &wanted)?;
        decoded.is_of_neighbour = true;

        let tally = &mut worker.tally.job;
        tally.chunks.edge += decoded.chunks.len() as u64;
        for &slot in &missing {
            if let Some(chunk) = decoded.chunks.get(&slot)
                && let SlotContent::Bad(reason) = &chunk.content
            {
                note_bad(tally, neighbour, slot, reason)?;
            }
        }

        copy_cached(worker, border);
        if let Some(mut place) = place {
            *place = Some(decoded);
        }

        Ok(())
    }

    /// Reads the `wanted` chunks of a region in one pass, and puts those on its border into the cache
    /// of borders.
    fn decode(
        &self,
        worker: &mut PaintWorker<'_>,
        region: &PlannedRegion<'_>,
        file: &Region,
        wanted: &SlotSet,
    ) -> Result<DecodedRegion, Interruption> {
        let edges: Vec<_> = self.edges(region).collect();
        let filter = self.chunk_filter(region.dimension);
        let mut chunks = HashMap::new();

        let mut pass = file.pass();
        while let Some(pass) = &mut pass
            && let Some(slot) = pass.advance(wanted)
        {
            self.run.check_stop()?;
            let mut columns: Vec<Columns> = edges.iter().map(|_| Columns::default()).collect();
            let position = region.pos.chunk(slot);
            let (content, stored) =
                worker
                    .reader
                    .passed_columns(pass, position, filter, columns.iter_mut());

            for (edges, columns) in edges.iter().zip(&columns) {
                if slot.is_on_border() {
                    edges.lock().add(slot, columns);
                }
            }

            if !matches!(content, SlotContent::Drawn(_)) {
                columns.clear();
            }
            let chunk = DecodedChunk {
                columns,
                hash: stored.hash,
                content,
            };
            chunks.insert(slot, chunk);
        }

        let is_empty = |slot| wanted.has(slot) && !chunks.contains_key(&slot);
        for edges in edges {
            edges.lock().note_empty(is_empty);
        }

        Ok(DecodedRegion {
            state: file.state(),
            is_of_neighbour: false,
            chunks,
        })
    }
}

/// Returns the slots on the border that are read together if some of them are `missing`: only the
/// western ones if that is enough, because they are at the start of the file.
fn used_border(region: &PlannedRegion<'_>, missing: &[Slot]) -> SlotSet {
    let is_western = missing.iter().all(|slot| slot.x() == 0);
    region
        .used_slots()
        .filter(|slot| slot.x() == 0 || slot.is_on_border() && !is_western)
        .collect()
}
