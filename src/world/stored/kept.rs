//! Inflated blocks of a database that a worker keeps: chunks that are read one after another share them.

use std::sync::Arc;

/// The most bytes of the blocks that are kept, and their most number.
const MAX_BYTES: usize = 6 << 20;
const MAX_BLOCKS: usize = 256;
/// A longer block is not kept. The game's have 160 KiB.
const MAX_BLOCK: usize = 1 << 20;

/// A block of a table of an open database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BlockKey {
    /// The database's number in this process.
    pub(crate) database: u64,
    /// The table's place among those of the database.
    pub(crate) table: u32,
    /// The block's place in the table.
    pub(crate) block: u32,
}

#[derive(Debug, Default)]
pub(crate) struct KeptBlocks {
    blocks: Vec<KeptBlock>,
    /// Capacity of all buffers together.
    bytes: usize,
    /// Counts the uses of all blocks.
    uses: u64,
    /// A buffer for the next block.
    spare: Vec<u8>,
}

#[derive(Debug)]
struct KeptBlock {
    key: BlockKey,
    plain: Arc<Vec<u8>>,
    last_use: u64,
}

impl KeptBlocks {
    pub(crate) fn get(&mut self, key: BlockKey) -> Option<Arc<Vec<u8>>> {
        let block = self.blocks.iter_mut().find(|block| block.key == key)?;
        self.uses += 1;
        block.last_use = self.uses;
        Some(block.plain.clone())
    }

    /// Keeps a block in the place of those that were not used for longest.
    pub(crate) fn keep(&mut self, key: BlockKey, plain: Vec<u8>) -> Arc<Vec<u8>> {
        let plain = Arc::new(self.fitting(plain));
        if plain.capacity() <= MAX_BLOCK {
            self.uses += 1;
            self.bytes += plain.capacity();
            self.blocks.push(KeptBlock { key, plain: plain.clone(), last_use: self.uses });
        }
        while self.bytes > MAX_BYTES || self.blocks.len() > MAX_BLOCKS {
            self.remove_oldest();
        }
        plain
    }

    /// Returns the bytes in a buffer that is not much larger.
    fn fitting(&mut self, plain: Vec<u8>) -> Vec<u8> {
        if plain.capacity() / 2 < plain.len() {
            return plain;
        }
        let fitting = plain.as_slice().to_vec();
        self.take_back(plain);
        fitting
    }

    fn remove_oldest(&mut self) {
        let oldest = self.blocks.iter().enumerate().min_by_key(|(_, block)| block.last_use).map(|(place, _)| place);
        let Some(removed) = oldest.map(|place| self.blocks.swap_remove(place)) else { return };
        self.bytes -= removed.plain.capacity();
        if let Some(plain) = Arc::into_inner(removed.plain) {
            self.take_back(plain);
        }
    }

    /// Takes a buffer for the next block.
    pub(crate) fn take_back(&mut self, buffer: Vec<u8>) {
        if buffer.capacity() <= MAX_BLOCK && buffer.capacity() > self.spare.capacity() {
            self.spare = buffer;
        }
    }

    /// A buffer of at least `room` bytes.
    pub(super) fn buffer(&mut self, room: usize) -> Vec<u8> {
        let mut buffer = std::mem::take(&mut self.spare);
        if buffer.len() < room {
            if buffer.capacity() < room {
                buffer = Vec::new();
                buffer.reserve_exact(room);
            }
            buffer.resize(room, 0);
        }
        buffer
    }
}
