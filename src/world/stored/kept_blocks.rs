//! Inflated blocks of a database that a worker keeps: chunks that are read one after another share them.

use std::sync::Arc;

/// The most bytes of the blocks that are kept, and the most of them.
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
    last_use: BlockUse,
    /// The number of that use.
    number: u64,
}

/// For which chunk a block is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BlockUse {
    /// Dimension, x and z of the region.
    pub(crate) region: (i32, i32, i32),
    /// Whether a chunk of the region's next row is in the block, too.
    pub(crate) comes_again: bool,
}

impl KeptBlocks {
    pub(crate) fn get(&mut self, key: BlockKey, last_use: BlockUse) -> Option<Arc<Vec<u8>>> {
        self.uses += 1;
        let block = self.blocks.iter_mut().find(|block| block.key == key)?;
        (block.last_use, block.number) = (last_use, self.uses);
        Some(block.plain.clone())
    }

    /// Keeps a block in the place of others.
    pub(crate) fn keep(&mut self, key: BlockKey, plain: Vec<u8>, last_use: BlockUse) -> Arc<Vec<u8>> {
        let plain = Arc::new(self.fit(plain));
        if plain.capacity() > MAX_BLOCK {
            return plain;
        }
        while self.bytes + plain.capacity() > MAX_BYTES || self.blocks.len() == MAX_BLOCKS {
            self.remove_one(last_use.region);
        }
        self.bytes += plain.capacity();
        self.uses += 1;
        self.blocks.push(KeptBlock { key, plain: plain.clone(), last_use, number: self.uses });
        plain
    }

    /// Returns the bytes in a buffer that is not much larger.
    fn fit(&mut self, plain: Vec<u8>) -> Vec<u8> {
        if plain.capacity() / 2 < plain.len() {
            return plain;
        }
        let fitting = plain.as_slice().to_vec();
        self.take_back(plain);
        fitting
    }

    /// Removes the block that was used before all others, but none that the next row of `region` comes to. Of those the
    /// one that was used last is removed: the row comes to it last.
    fn remove_one(&mut self, region: (i32, i32, i32)) {
        let order = |block: &KeptBlock| match block.last_use {
            BlockUse { region: own, comes_again: true } if own == region => (1, u64::MAX - block.number),
            _ => (0, block.number),
        };
        let place = (0..self.blocks.len()).min_by_key(|&place| order(&self.blocks[place]));
        let Some(removed) = place.map(|place| self.blocks.swap_remove(place)) else { return };
        self.bytes -= removed.plain.capacity();
        if let Some(plain) = Arc::into_inner(removed.plain) {
            self.take_back(plain);
        }
    }

    /// Takes back a buffer, for the next block.
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

#[cfg(test)]
mod tests {
    use super::*;

    const LEN: usize = MAX_BYTES / 8;

    fn key(block: u32) -> BlockKey {
        BlockKey { database: 0, table: 0, block }
    }

    fn use_in(x: i32, comes_again: bool) -> BlockUse {
        BlockUse { region: (0, x, 0), comes_again }
    }

    /// The blocks that are kept after these were used: each in a region, and again in the next row or not.
    fn kept(uses: &[(u32, i32, bool)]) -> Vec<u32> {
        let mut kept = KeptBlocks::default();
        for &(block, x, comes_again) in uses {
            if kept.get(key(block), use_in(x, comes_again)).is_none() {
                kept.keep(key(block), vec![1; LEN], use_in(x, comes_again));
            }
            assert!(kept.bytes <= MAX_BYTES && kept.bytes == kept.blocks.len() * LEN);
        }
        let mut blocks: Vec<u32> = kept.blocks.iter().map(|block| block.key.block).collect();
        blocks.sort_unstable();
        blocks
    }

    #[test]
    fn finished_blocks_are_given_up_before_others() {
        let mut uses: Vec<(u32, i32, bool)> = (0..8).map(|block| (block, 0, !(3..=4).contains(&block))).collect();
        assert_eq!(kept(&uses), [0, 1, 2, 3, 4, 5, 6, 7]);
        uses.push((8, 0, true));
        assert_eq!(kept(&uses), [0, 1, 2, 4, 5, 6, 7, 8]);
        // Block 4 comes again, so that none is finished.
        uses.extend([(4, 0, true), (9, 0, true)]);
        assert_eq!(kept(&uses), [0, 1, 2, 5, 6, 7, 8, 9]);
        // In another region the oldest is removed.
        uses.push((10, 1, true));
        assert_eq!(kept(&uses), [1, 2, 5, 6, 7, 8, 9, 10]);
    }

    #[test]
    fn of_a_row_that_is_too_long_most_is_there_in_the_next() {
        let row: Vec<(u32, i32, bool)> = (0..10).map(|block| (block, 0, true)).collect();
        assert_eq!(kept(&row), [0, 1, 2, 3, 4, 5, 6, 9]);
    }

    #[test]
    fn buffers_are_used_again() {
        let mut kept = KeptBlocks::default();
        let once = use_in(0, false);
        for block in 0..20 {
            let mut plain = kept.buffer(LEN);
            assert_eq!(plain.len(), LEN);
            plain.truncate(LEN - 1);
            assert_eq!(kept.keep(key(block), plain, once).len(), LEN - 1);
        }
        // A small block takes no more than it needs, and a large one is not kept.
        let mut small = vec![1; LEN];
        small.truncate(9);
        assert!(kept.keep(key(20), small, once).capacity() < LEN);
        kept.keep(key(21), vec![1; MAX_BLOCK + 1], once);
        assert!(kept.get(key(20), once).is_some() && kept.get(key(21), once).is_none());
    }
}
