//! Finds the beds in a chunk of Bedrock Edition. Each half of a bed has a block entity.

use super::chunk::Chunk;
use crate::bytes::Form;
use crate::chunk::cells::{byte, nibble};
use crate::chunk::forms::bedrock::dyes::{DyedEntity, cell};
use crate::chunk::forms::stored::blocks::StoredBlocks;
use crate::names;
use pixelmap_base::coord::CHUNK_AREA;

/// The numeric id of a bed.
const BED: u32 = 26;

impl Chunk<'_> {
    /// Returns the positions `[x, y, z]` of the heads of its beds. Returns nothing for Java
    /// Edition, because it stores beds as points of interest.
    pub fn beds(&self) -> impl Iterator<Item = [i32; 3]> {
        let entities = match self.form {
            Form::Nbt | Form::Network => &[],
            Form::Values => self.extras.block_entities.slice(self.bytes),
        };
        let halves = DyedEntity::read_all(entities).filter(DyedEntity::is_bed);
        halves
            .filter_map(|half| half.position())
            .filter(|position| self.is_bed_head(*position))
    }

    fn is_bed_head(&self, position: [i32; 3]) -> bool {
        let height = usize::try_from((position[1] >> 4) + 128).ok();
        let Some(&Some(section)) = height.and_then(|height| self.buffers.by_height.get(height))
        else {
            return false;
        };

        match self.buffers.sections[usize::from(section)].blocks {
            StoredBlocks::Subchunk(stored) => stored
                .entry(self.bytes, cell(position))
                .is_some_and(names::is_bed_head),
            StoredBlocks::Column { ids, data } => {
                let [ids, data] = [ids, data].map(|span| span.slice(self.bytes));
                let height = ids.len() / CHUNK_AREA;
                let cell = (cell(position) >> 4) * height + position[1] as usize % height;
                byte(ids, cell) == BED && nibble(data, cell) & names::BED_HEAD != 0
            }
            _ => false,
        }
    }
}
