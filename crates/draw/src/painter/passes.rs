//! Decodes regions whose chunks can be reached only one after another, each of them in one pass.
//!
//! A neighbour's job needs the border of such a region, and the border is spread over the whole
//! file. So the neighbour's job decodes the whole region for the job of the region, if that job comes
//! soon.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use crate::painter::chunk::SlotContent;
use crate::painter::chunk_source::SourceChunk;
use crate::painter::neighbours::{BorderPart, copy_cached, note_bad, open_neighbour};
use crate::painter::shared::{PaintWorker, Painter, PlannedRegion, ViewBuffers};
use crate::request::plan::are_drawn_together;
use crate::run_state::Interruption;
use pixelmap_base::coord::{RegionPos, Slot, SlotSet};
use pixelmap_base::mutex;
use pixelmap_base::recent::RecentValues;
use pixelmap_paint::surface::Columns;
use pixelmap_world::internal::{ChunkHash, NO_RECORD, Region};

/// The number of decoded regions per worker. Each takes 3 to 4 MB per view. In a world of 64 by 64
/// regions, half as many regions make a quarter more passes.
const REGIONS_A_WORKER: usize = 4;
/// The least number of decoded regions.
const MIN_REGIONS: usize = 12;

/// The used chunks of a region.
#[derive(Debug)]
pub(crate) struct DecodedRegion {
    /// The state of the file from which they were decoded.
    state: u64,
    /// Whether another region's job has decoded them.
    is_of_neighbour: bool,
    chunks: HashMap<Slot, DecodedChunk>,
}

#[derive(Debug)]
struct DecodedChunk {
    /// One per view. Empty: the chunk shows nothing.
    columns: Vec<Columns>,
    hash: ChunkHash,
    content: SlotContent,
}

impl DecodedRegion {
    /// Moves the columns of a chunk to the views of its region's job.
    pub(super) fn hand_out(&mut self, slot: Slot, views: &mut [ViewBuffers]) -> SourceChunk {
        let chunk = self.chunks.remove(&slot).unwrap_or(DecodedChunk {
            columns: Vec::new(),
            hash: NO_RECORD,
            content: SlotContent::Nothing,
        });

        for view in &mut *views {
            let columns = view.scene.columns_mut(slot);
            columns.clear();
            columns.hash = chunk.hash;
        }
        for (view, columns) in views.iter_mut().zip(chunk.columns) {
            *view.scene.columns_mut(slot) = columns;
        }

        SourceChunk {
            is_from_cache: self.is_of_neighbour && !matches!(chunk.content, SlotContent::Nothing),
            content: chunk.content,
            hash: chunk.hash,
            is_external: false,
        }
    }
}

/// The place of a decoded region. It is locked while the region is decoded, so that other workers
/// wait for it.
type DecodedPlace = Mutex<Option<DecodedRegion>>;

/// Regions that are decoded before their own job, by dimension and position.
#[derive(Debug)]
pub(crate) struct DecodedRegions(Mutex<RecentValues<(usize, RegionPos), DecodedPlace>>);

impl DecodedRegions {
    pub(super) fn new(workers: usize) -> Self {
        let capacity = ((workers + 1) * REGIONS_A_WORKER).max(MIN_REGIONS);
        Self(Mutex::new(RecentValues::new(capacity)))
    }

    fn place(&self, region: &PlannedRegion<'_>) -> Arc<DecodedPlace> {
        let key = (region.dimension, region.pos);
        let mut regions = mutex::lock(&self.0);
        if let Some(place) = regions.get(&key) {
            return place;
        }

        let place: Arc<DecodedPlace> = Arc::default();
        let evicted = regions.put(key, place.clone());

        // A region has a thousand columns of chunks, and freeing them takes time.
        drop(regions);
        drop(evicted);

        place
    }

    /// Forgets a region whose own job has its chunks.
    fn forget(&self, region: &PlannedRegion<'_>) {
        mutex::lock(&self.0).remove(&(region.dimension, region.pos));
    }
}

impl Painter<'_> {
    /// Returns all chunks of a region for its own job.
    pub(super) fn decode_own(
        &self,
        worker: &mut PaintWorker<'_>,
        region: &PlannedRegion<'_>,
        file: &Region,
    ) -> Result<DecodedRegion, Interruption> {
        let place = self.decoded.place(region);
        let mut place = mutex::lock(&place);
        let decoded = match place.take() {
            Some(decoded) if decoded.state == file.state() => decoded,
            _ => self.decode(worker, region, file, &used(region))?,
        };

        self.decoded.forget(region);
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
        let place = is_soon.then(|| self.decoded.place(neighbour));
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
            used(neighbour)
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

/// Returns the slots whose chunks are used.
fn used(region: &PlannedRegion<'_>) -> SlotSet {
    let mut used = SlotSet::NONE;
    for slot in region.used_slots() {
        used.insert(slot);
    }
    used
}

/// Returns the slots on the border that are read together if some of them are `missing`: only the
/// western ones if that is enough, because they are at the start of the file.
fn used_border(region: &PlannedRegion<'_>, missing: &[Slot]) -> SlotSet {
    let is_western = missing.iter().all(|slot| slot.x() == 0);
    let mut border = SlotSet::NONE;
    for slot in region.used_slots() {
        if slot.x() == 0 || slot.is_on_border() && !is_western {
            border.insert(slot);
        }
    }
    border
}
