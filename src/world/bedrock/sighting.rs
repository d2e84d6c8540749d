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
    /// Whether blocks or biomes of it are there.
    pub(super) has_terrain: bool,
    /// Whether the block cannot be read: what it has of the chunk, if anything, is not known.
    pub(super) is_damaged: bool,
}

impl Sighting {
    pub(super) fn new(block: BlockRef, dimension: i32, chunk: ChunkPos) -> Self {
        let versions = [KeyState::default(); 2];
        Self {
            dimension,
            chunk,
            block,
            bytes: 0,
            newest: 0,
            written: 0,
            versions,
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
            _ => self.has_terrain |= state.is_stored(),
        }
    }

    /// Takes over what another place has of the chunk.
    pub(super) fn merge(self, other: &Self) -> Self {
        Self {
            newest: self.newest.max(other.newest),
            written: self.written.max(other.written),
            versions: [0, 1].map(|key| self.versions[key].max(other.versions[key])),
            has_terrain: self.has_terrain || other.has_terrain,
            ..self
        }
    }

    /// The chunk: by dimension, region and slot.
    pub(super) fn place(&self) -> (i32, i32, i32, Slot) {
        let RegionPos { x, z } = self.chunk.region();
        (self.dimension, z, x, self.chunk.slot())
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
}

impl Sighting {
    /// Length of [`Sighting::to_bytes`].
    pub(super) const BYTES: usize = 53;

    /// What a later run needs of it; not the table, which may have another place by then.
    pub(super) fn to_bytes(self) -> [u8; Self::BYTES] {
        let Self { dimension, chunk, block, bytes, newest, written, versions, has_terrain, .. } = self;
        let mut record = [0; Self::BYTES];
        let words = [dimension as u32, chunk.x as u32, chunk.z as u32, block.block, bytes];
        record[..20].copy_from_slice(words.map(u32::to_le_bytes).as_flattened());
        let numbers = [newest, written, versions[0].0, versions[1].0];
        record[20..52].copy_from_slice(numbers.map(u64::to_le_bytes).as_flattened());
        record[52] = u8::from(has_terrain);
        record
    }

    /// Reads what [`Sighting::to_bytes`] wrote, as found in the table with this number.
    pub(super) fn from_bytes(table: u32, record: &[u8; Self::BYTES]) -> Self {
        let (words, rest) = record.as_chunks::<4>().0.split_at(5);
        let [dimension, x, z, block, bytes] = std::array::from_fn(|at| u32::from_le_bytes(words[at]));
        let numbers = rest.as_flattened().as_chunks::<8>().0;
        let [newest, written, version, legacy] = std::array::from_fn(|at| u64::from_le_bytes(numbers[at]));
        let chunk = ChunkPos { x: x as i32, z: z as i32 };
        Self {
            bytes,
            newest,
            written,
            versions: [KeyState(version), KeyState(legacy)],
            has_terrain: record[52] == 1,
            ..Self::new(BlockRef { table, block }, dimension as i32, chunk)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sighting_is_read_as_it_was_written() {
        let block = BlockRef { table: 7, block: 3 };
        let mut sighting = Sighting::new(block, -2, ChunkPos { x: -1, z: i32::MIN });
        sighting.bytes = 99;
        sighting.add(tag::VERSION, KeyState::new(u64::MAX >> 1, true));
        sighting.add(tag::LEGACY_VERSION, KeyState::new(5, false));
        sighting.add(tag::SECTION, KeyState::new(6, true));
        let read = Sighting::from_bytes(7, &sighting.to_bytes());
        assert_eq!(format!("{read:?}"), format!("{sighting:?}"));
    }
}
