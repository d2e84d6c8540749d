//! Keeps parts of a journal in memory, because the facts of a region are read up to nine times: for
//! the region itself and for each of its neighbours. A compact journal is sorted by tile, so that
//! the entries of neighbours are near each other in the file, and most reads find their block here.

use std::fs::File;
use std::io;
use std::sync::Mutex;

use crate::store::journal::entry::{SHORT, entry_len, read_entry};
use pixelmap_base::at::read_at;
use pixelmap_base::mutex;

/// Bytes from the start of one block to the start of the next one.
const STEP: usize = 8 << 10;
/// A block overlaps the next one by this much, so that a short entry is whole in the block in which
/// it starts.
const BLOCK: usize = STEP + SHORT;
/// The number of blocks that are kept, together 2 MiB. Workers in different parts of a map rarely
/// need the same slot.
const SLOTS: usize = 256;

/// The blocks of a journal that were read last. Each block has one slot in which it may be kept, so
/// that workers do not wait for each other. The part of the file that is read must not change.
#[derive(Debug)]
pub(crate) struct JournalBlocks {
    slots: Box<[Mutex<CachedBlock>]>,
}

#[derive(Debug, Default)]
struct CachedBlock {
    number: Option<u64>,
    bytes: Vec<u8>,
}

impl Default for JournalBlocks {
    fn default() -> Self {
        Self {
            slots: (0..SLOTS).map(|_| Mutex::default()).collect(),
        }
    }
}

impl JournalBlocks {
    /// Calls `read` with the bytes of the entry at the offset `at`. Returns `None` if no whole
    /// entry is there.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn read_entry<T>(
        &self,
        file: &File,
        at: u64,
        read: impl FnOnce(&[u8]) -> T,
    ) -> io::Result<Option<T>> {
        let number = at / STEP as u64;
        let mut block = mutex::lock(&self.slots[number as usize % SLOTS]);
        if block.number != Some(number) {
            block.read(file, number)?;
        }

        let from = block
            .bytes
            .get((at % STEP as u64) as usize..)
            .unwrap_or_default();
        if let Some(entry) = entry_len(from).and_then(|len| from.get(..len)) {
            return Ok(Some(read(entry)));
        }

        drop(block);
        Ok(read_entry(file, at)?.as_deref().map(read))
    }
}

impl CachedBlock {
    fn read(&mut self, file: &File, number: u64) -> io::Result<()> {
        self.number = None;
        self.bytes.resize(BLOCK, 0);
        let read = read_at(file, &mut self.bytes, number * STEP as u64)?;
        self.bytes.truncate(read);
        self.number = Some(number);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use crate::store::journal::entry::JournalEntry;
    use crate::store::journal::entry::LayerKey;
    use pixelmap_base::coord::TilePos;

    #[test]
    fn each_entry_is_read_whole_wherever_it_starts() {
        let mut file = tempfile::tempfile().unwrap();
        let mut positions = Vec::new();
        let mut end = 0;
        for number in 0..300_usize {
            let payload = vec![number as u8; [3, 400, 700, 20_000][number % 4]];
            let tile = TilePos {
                zoom: 17,
                x: number as i32,
                y: 0,
            };

            let layer = LayerKey {
                layer: 1,
                options: 2,
            };

            let bytes = JournalEntry {
                layer,
                tile,
                payload: &payload,
                sure: true,
            }
            .bytes();
            file.write_all(&bytes).unwrap();
            positions.push((end, bytes.clone()));
            end += bytes.len() as u64;
        }

        let blocks = JournalBlocks::default();
        let read = |at| blocks.read_entry(&file, at, <[u8]>::to_vec).unwrap();

        for (at, bytes) in positions.iter().chain(positions.iter().rev()) {
            assert_eq!(read(*at).as_ref(), Some(bytes), "{at}");
        }

        assert_eq!(read(end), None);
        assert_eq!(read(end - 5), None);
    }
}
