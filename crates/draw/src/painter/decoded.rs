//! Regions that were decoded in one pass, and wait for their own jobs.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use crate::painter::chunk::SlotContent;
use pixelmap_base::coord::{RegionPos, Slot};
use pixelmap_base::mutex;
use pixelmap_base::recent::RecentValues;
use pixelmap_paint::surface::{Columns, Overlay};
use pixelmap_world::internal::ChunkHash;

/// The number of decoded regions per worker. Each takes 3 to 4 MB per view. In a world of 64 by 64
/// regions, half as many regions make a quarter more passes.
const REGIONS_A_WORKER: usize = 4;
/// The least number of decoded regions.
pub(super) const MIN_REGIONS: usize = 12;

/// The used chunks of a region.
#[derive(Debug)]
pub(crate) struct DecodedRegion {
    /// The state of the file from which they were decoded.
    pub(super) state: u64,
    /// Whether another region's job has decoded them.
    pub(super) is_of_neighbour: bool,
    pub(super) chunks: HashMap<Slot, DecodedChunk>,
}

#[derive(Debug)]
pub(super) struct DecodedChunk {
    /// One per view. Empty: the chunk shows nothing.
    pub(super) columns: Vec<Columns>,
    pub(super) hash: ChunkHash,
    pub(super) content: SlotContent,
}

impl DecodedChunk {
    /// Returns about how many bytes of memory it takes.
    pub(super) fn bytes(&self) -> usize {
        let columns = self.columns.iter().map(|columns| {
            size_of::<Columns>() + columns.overlays.capacity() * size_of::<Overlay>()
        });
        let markers = match &self.content {
            SlotContent::Drawn(drawn) => drawn.markers.bytes(),
            _ => 0,
        };
        columns.sum::<usize>() + markers + size_of::<Self>()
    }
}

/// The place of a decoded region. It is locked while the region is decoded, so that other workers
/// wait for it.
pub(super) type DecodedPlace = Mutex<Option<DecodedRegion>>;

/// Regions that are decoded before their own job, by dimension and position.
#[derive(Debug)]
pub(crate) struct DecodedRegions(Mutex<RecentValues<(usize, RegionPos), DecodedPlace>>);

impl DecodedRegions {
    pub(super) fn new(workers: usize) -> Self {
        let capacity = ((workers + 1) * REGIONS_A_WORKER).max(MIN_REGIONS);
        Self(Mutex::new(RecentValues::new(capacity)))
    }

    /// Returns the place of a region.
    pub(super) fn place(&self, key: (usize, RegionPos)) -> Arc<DecodedPlace> {
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
    pub(super) fn forget(&self, key: (usize, RegionPos)) {
        mutex::lock(&self.0).remove(&key);
    }
}
