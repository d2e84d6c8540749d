//! Hashes of a region's chunks and of the neighbouring chunks that touch it, which show whether a
//! region has changed.

use pixelmap_base::coord::{REGION_SLOTS, Slot};
use pixelmap_paint::surface::RegionFrame;
use pixelmap_world::internal::{ChunkHash, NO_RECORD, join_hashes};

/// The hashes of the chunks of a region at the time they were read.
#[derive(Debug)]
pub(crate) struct RegionHashes {
    pub(crate) hashes: Box<[ChunkHash; REGION_SLOTS]>,
    /// The slots of chunks in files of their own.
    pub(crate) external: Vec<Slot>,
}

impl Default for RegionHashes {
    fn default() -> Self {
        Self {
            hashes: Box::new([NO_RECORD; REGION_SLOTS]),
            external: Vec::new(),
        }
    }
}

impl RegionHashes {
    pub(crate) fn add(&mut self, slot: Slot, hash: ChunkHash, external: bool) {
        self.hashes[slot.index()] = hash;
        if external {
            self.external.push(slot);
        }
    }
}

/// Returns the hash of the chunks that touched a region when its frame was filled.
pub(crate) fn frame_hash(frame: &RegionFrame) -> ChunkHash {
    join_around(
        std::array::from_fn(|side| join_hashes(&frame.sides[side].hashes)),
        frame.corner_hashes,
    )
}

pub(crate) fn join_around(sides: [ChunkHash; 4], corners: [ChunkHash; 4]) -> ChunkHash {
    let [a, b, c, d] = sides;
    let [e, f, g, h] = corners;
    join_hashes(&[a, b, c, d, e, f, g, h])
}
