//! Defines sightings: the facts about a chunk that a pass over the blocks finds without decoding
//! its values.
//!
//! A chunk may have one sighting per block, and one more for the logs. The index joins them.

use super::block_ref::BlockRef;
use crate::bytes::tag;
use pixelmap_base::coord::{ChunkPos, RegionPos, Slot};

/// The facts that one block, or the logs, give about a chunk.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sighting {
    pub(crate) dimension: i32,
    pub(crate) chunk: ChunkPos,
    pub(crate) block: BlockRef,
    /// The chunk's share of the block's compressed bytes.
    pub(crate) bytes: u32,
    /// The newest sequence of its keys, including deleted keys.
    pub(crate) newest: u64,
    /// The newest sequence of its stored values. It does not change when the game finally removes
    /// deleted keys.
    pub(crate) written: u64,
    /// The newest entry of each of the two keys that may have its version.
    pub(crate) versions: [KeyState; 2],
    /// Whether some of its blocks are stored here.
    pub(crate) has_blocks: bool,
    /// Whether some of its blocks or biomes are stored here.
    pub(crate) has_terrain: bool,
    /// Whether the block is unreadable, so that it is not known which values of the chunk it
    /// contains, if any.
    pub(crate) is_damaged: bool,
}

impl Sighting {
    pub(crate) const fn new(block: BlockRef, dimension: i32, chunk: ChunkPos) -> Self {
        let versions = [KeyState(0); 2];
        Self {
            dimension,
            chunk,
            block,
            bytes: 0,
            newest: 0,
            written: 0,
            versions,
            has_blocks: false,
            has_terrain: false,
            is_damaged: false,
        }
    }

    pub(crate) fn add(&mut self, tag: u8, state: KeyState) {
        self.newest = self.newest.max(state.sequence());

        if state.is_stored() {
            self.written = self.written.max(state.sequence());
        }

        match tag {
            tag::VERSION => self.versions[0] = self.versions[0].max(state),
            tag::LEGACY_VERSION => self.versions[1] = self.versions[1].max(state),
            tag::BLOCK_ENTITIES | tag::FINALIZED | tag::SPAWNERS => {}
            _ => {
                self.has_blocks |=
                    state.is_stored() && matches!(tag, tag::SECTION | tag::LEGACY_TERRAIN);
                self.has_terrain |= state.is_stored();
            }
        }
    }

    /// Adds the facts from another block that has the same chunk.
    pub(crate) fn merge(self, other: &Self) -> Self {
        Self {
            newest: self.newest.max(other.newest),
            written: self.written.max(other.written),
            versions: [0, 1].map(|key| self.versions[key].max(other.versions[key])),
            has_blocks: self.has_blocks || other.has_blocks,
            has_terrain: self.has_terrain || other.has_terrain,
            ..self
        }
    }

    /// Returns the sort key of the chunk: dimension, z and x of its region, and slot.
    pub(crate) fn chunk_order(&self) -> (i32, i32, i32, Slot) {
        let RegionPos { x, z } = self.chunk.region();
        (self.dimension, z, x, self.chunk.slot())
    }

    /// Returns a number that is equal for all chunks of a region and usually differs between
    /// regions.
    pub(crate) fn region_hash(&self) -> u32 {
        let RegionPos { x, z } = self.chunk.region();
        let sum = (x as u32).wrapping_mul(0x9e37_79b1)
            ^ (z as u32).wrapping_mul(0x85eb_ca77)
            ^ self.dimension as u32;
        sum.wrapping_mul(0xc2b2_ae3d) >> 16
    }

    /// Returns the sort key: chunk, then block.
    pub(crate) fn order(&self) -> ((i32, i32, i32, Slot), BlockRef) {
        (self.chunk_order(), self.block)
    }
}

/// The newest entry of a key, as twice its sequence, plus 1 unless it is a deletion. 0 means that
/// there is no entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct KeyState(u64);

impl KeyState {
    pub(crate) fn new(sequence: u64, is_stored: bool) -> Self {
        Self(sequence << 1 | u64::from(is_stored))
    }

    pub(crate) fn sequence(self) -> u64 {
        self.0 >> 1
    }

    pub(crate) fn is_stored(self) -> bool {
        self.0 & 1 == 1
    }

    /// Returns the distance to a stored value with the sequence `newest`, counted from 1. 0 means
    /// that there is no entry.
    pub(crate) fn age(self, newest: u64) -> u64 {
        if self.0 == 0 {
            0
        } else {
            Self::new(newest, true)
                .0
                .wrapping_sub(self.0)
                .wrapping_add(1)
        }
    }

    /// Returns the entry with this [`KeyState::age`].
    pub(crate) fn from_age(age: u64, newest: u64) -> Self {
        if age == 0 {
            Self(0)
        } else {
            Self(Self::new(newest, true).0.wrapping_add(1).wrapping_sub(age))
        }
    }
}
