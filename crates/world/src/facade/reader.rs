//! The buffers with which chunks are read, one after another.

use std::fmt;
use std::sync::Arc;

use super::chunk::Chunk;
use super::chunk_error::{ChunkError, Reason};
use super::decode::{BlockTable, decode};
use super::states::AllStates;
use crate::bytes::{Form, Inflater};
use crate::chunk::{Chunk as StoredChunk, ChunkBuffers, ChunkFault};
use crate::names::{NameCache, Names, NumericNames};
use crate::region::Region as StoredRegion;
use pixelmap_base::coord::Slot;

/// Buffers and names, reused from chunk to chunk.
pub(super) struct Reader {
    inflater: Inflater,
    buffers: ChunkBuffers,
    names: NameCache,
    blocks: BlockTable,
    /// The names of numeric ids in this world, for new tables of names.
    numeric: Arc<NumericNames>,
}

impl Reader {
    pub(super) fn new(numeric: Arc<NumericNames>) -> Self {
        Self {
            inflater: Inflater::default(),
            buffers: ChunkBuffers::default(),
            names: names(&numeric),
            blocks: BlockTable::default(),
            numeric,
        }
    }

    /// Reads the chunk in a slot. `None` if the slot is empty.
    pub(super) fn read(
        &mut self,
        region: &mut StoredRegion,
        slot: Slot,
    ) -> Result<Option<Chunk>, ChunkError> {
        if self.names.is_half_full() {
            // A full table would drop properties, so a world with very many states gets a new one.
            self.names = names(&self.numeric);
            self.blocks = BlockTable::default();
        }

        let position = region.pos().chunk(slot);
        let error = |fault| ChunkError {
            region: position.region(),
            chunk: Some(position),
            reason: Reason::Chunk(fault),
        };

        // While a game is writing the file, another chunk's record may be at the place where this
        // one's was.
        let record = region.read(slot, &mut self.inflater, |plain| {
            StoredChunk::parse(plain, Form::Nbt, &mut self.buffers, &mut self.names)
                .is_ok_and(|chunk| chunk.meta().is_at(position))
        });
        let Some(record) = record else {
            return Ok(None);
        };

        let plain = record
            .plain
            .map_err(|fault| error(ChunkFault::Unread(fault)))?;
        let parsed = StoredChunk::parse(&plain, record.form, &mut self.buffers, &mut self.names);
        let mut stored = parsed.map_err(|fault| error(ChunkFault::Unparsed(fault)))?;

        Ok(Some(decode(&mut stored, position, &mut self.blocks)))
    }
}

fn names(numeric: &Arc<NumericNames>) -> NameCache {
    NameCache::new(Arc::new(Names::new(
        Arc::new(AllStates),
        Arc::clone(numeric),
    )))
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use crate::facade::World;

    #[test]
    fn properties_survive_very_many_other_states() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/numeric-1343");
        let world = World::open(path).unwrap();
        let overworld = world.dimension("overworld").unwrap();
        let [x, z] = overworld.regions().next().unwrap();
        let mut region = overworld.region(x, z).unwrap().unwrap();

        let names = &mut region.reader.names;
        let lamp = names.block(b"mod:lamp", |_| None);
        for number in 0..1 << 14 {
            let number = format!("{number}");
            let properties = || vec![(&b"n"[..], number.as_bytes())];
            names.unknown_state(lamp, number.as_bytes(), properties);
        }

        let chunk = region.chunks().find_map(Result::ok).unwrap();
        let mut blocks = chunk.blocks().map(|(_, block)| block);
        assert!(blocks.any(|block| block.property("axis") == Some("y")));
    }
}
