//! Hashes of a region's chunks and of the neighbouring chunks that touch it, which show whether a region has changed.

use crate::base::coord::{REGION_SLOTS, Slot, SlotSet};
use crate::draw::painter::chunk_use::stamp_with_hidden;
use crate::draw::tiles::record::{Hashes, RegionSource, join};
use crate::paint::surface::Frame;
use crate::world::{ChunkHash, NO_RECORD, Region};

/// The hashes of the chunks of a region at the time they were read.
#[derive(Debug)]
pub(crate) struct RegionHashes {
    pub(crate) hashes: Box<[ChunkHash; REGION_SLOTS]>,
    /// The slots of chunks in files of their own.
    pub(crate) external: Vec<Slot>,
}

impl Default for RegionHashes {
    fn default() -> Self {
        Self { hashes: Box::new([NO_RECORD; REGION_SLOTS]), external: Vec::new() }
    }
}

impl RegionHashes {
    pub(crate) fn add(&mut self, slot: Slot, hash: ChunkHash, external: bool) {
        self.hashes[slot.index()] = hash;
        if external {
            self.external.push(slot);
        }
    }

    /// Returns the source of a region's tile for the record. `began` is the start of the run that read the file.
    pub(crate) fn source(&self, file: &Region, hidden: &SlotSet, began: i64) -> RegionSource {
        let external = self.external.iter().map(|&slot| (slot, file.own_file_stamp(slot)));
        let mut hashes = Hashes::new(&self.hashes);
        // The hash includes the defects of the region, because a record repeats them until they are gone.
        let [first, second] = file.defects().map(|defect| defect.is_some().into());
        hashes.content = join(&[hashes.content, first, second]);
        RegionSource { stamp: stamp_with_hidden(file, hidden), read: began, external: external.collect(), hashes }
    }
}

/// Returns the hash of the chunks that touched a region when its frame was filled.
pub(crate) fn frame_hash(frame: &Frame) -> ChunkHash {
    join_around(std::array::from_fn(|side| join(&frame.sides[side].hashes)), frame.corner_hashes)
}

pub(crate) fn join_around(sides: [ChunkHash; 4], corners: [ChunkHash; 4]) -> ChunkHash {
    let [a, b, c, d] = sides;
    let [e, f, g, h] = corners;
    join(&[a, b, c, d, e, f, g, h])
}
