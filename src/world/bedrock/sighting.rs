//! What one pass over the blocks finds of chunks.

use crate::base::coord::{ChunkPos, RegionPos, Slot};
use crate::world::bytes::tag;

/// A block of a table of the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct BlockRef {
    /// The table's place among those of the database.
    pub(super) table: u32,
    /// The block's place in the table.
    pub(super) block: u32,
}

impl BlockRef {
    /// The logs in the place of a block.
    pub(super) const LOGS: Self = Self { table: u32::MAX, block: 0 };
    /// The place where an earlier run found a chunk, in the place of a block: nothing there can be read now.
    pub(super) const MISSING: Self = Self { table: u32::MAX - 1, block: 0 };
}

/// What a block, or the logs, have of a chunk.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sighting {
    pub(super) dimension: i32,
    pub(super) chunk: ChunkPos,
    pub(super) block: BlockRef,
    /// The chunk's share of the block's compressed bytes.
    pub(super) bytes: u32,
    /// The newest sequence of its keys, deleted ones included.
    pub(super) newest: u64,
    /// The newest sequence of its values. It stays when the game removes what is deleted.
    pub(super) written: u64,
    /// The newest entries of the two keys of its version.
    pub(super) versions: [KeyState; 2],
    /// Whether blocks of it are there.
    pub(super) has_blocks: bool,
    /// Whether blocks or biomes of it are there.
    pub(super) has_terrain: bool,
    /// Whether the block cannot be read: what it has of the chunk, if anything, is not known.
    pub(super) is_damaged: bool,
}

impl Sighting {
    pub(super) const fn new(block: BlockRef, dimension: i32, chunk: ChunkPos) -> Self {
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

    pub(super) fn add(&mut self, tag: u8, state: KeyState) {
        self.newest = self.newest.max(state.sequence());
        if state.is_stored() {
            self.written = self.written.max(state.sequence());
        }
        match tag {
            tag::VERSION => self.versions[0] = self.versions[0].max(state),
            tag::LEGACY_VERSION => self.versions[1] = self.versions[1].max(state),
            tag::BLOCK_ENTITIES | tag::FINALIZED | tag::SPAWNERS => {}
            _ => {
                self.has_blocks |= state.is_stored() && matches!(tag, tag::SECTION | tag::LEGACY_TERRAIN);
                self.has_terrain |= state.is_stored();
            }
        }
    }

    /// Takes over what another place has of the chunk.
    pub(super) fn merge(self, other: &Self) -> Self {
        Self {
            newest: self.newest.max(other.newest),
            written: self.written.max(other.written),
            versions: [0, 1].map(|key| self.versions[key].max(other.versions[key])),
            has_blocks: self.has_blocks || other.has_blocks,
            has_terrain: self.has_terrain || other.has_terrain,
            ..self
        }
    }

    /// The chunk: by dimension, region and slot.
    pub(super) fn place(&self) -> (i32, i32, i32, Slot) {
        let RegionPos { x, z } = self.chunk.region();
        (self.dimension, z, x, self.chunk.slot())
    }

    /// A number that all chunks of a region share, and few other regions.
    pub(super) fn region_hash(&self) -> u32 {
        let RegionPos { x, z } = self.chunk.region();
        let sum = (x as u32).wrapping_mul(0x9e37_79b1) ^ (z as u32).wrapping_mul(0x85eb_ca77) ^ self.dimension as u32;
        sum.wrapping_mul(0xc2b2_ae3d) >> 16
    }

    /// By chunk and block.
    pub(super) fn order(&self) -> ((i32, i32, i32, Slot), BlockRef) {
        (self.place(), self.block)
    }
}

/// The newest entry of a key: twice its sequence, and 1 more if it is not deleted. 0: there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct KeyState(u64);

impl KeyState {
    pub(super) fn new(sequence: u64, is_stored: bool) -> Self {
        Self(sequence << 1 | u64::from(is_stored))
    }

    pub(super) fn sequence(self) -> u64 {
        self.0 >> 1
    }

    pub(super) fn is_stored(self) -> bool {
        self.0 & 1 == 1
    }

    /// Its distance from a value with the sequence `newest`, counted from 1. 0: there is no entry.
    pub(super) fn age(self, newest: u64) -> u64 {
        if self.0 == 0 { 0 } else { Self::new(newest, true).0.wrapping_sub(self.0).wrapping_add(1) }
    }

    /// The entry with this [`KeyState::age`].
    pub(super) fn from_age(age: u64, newest: u64) -> Self {
        if age == 0 { Self(0) } else { Self(Self::new(newest, true).0.wrapping_add(1).wrapping_sub(age)) }
    }
}
