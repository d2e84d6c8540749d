//! Walks down one column of a section, cell by cell.

use super::blocks::{Blocks, CELLS};
use super::numeric::CUT_BYTES;
use super::section::SectionTable;
use super::{Block, Buffers, Chunk, Warnings};
use crate::base::coord::CHUNK_AREA;

impl Chunk<'_> {
    /// Visits a column of a section from slice `from` (0 to 15) down, until `visit` returns true. Returns whether it
    /// did.
    #[inline]
    pub fn visit_down(
        &mut self,
        section: usize,
        column: usize,
        from: usize,
        mut visit: impl FnMut(usize, Block) -> bool,
    ) -> bool {
        let SectionTable { start, len, wide } = self.resolve(section);
        let stored = self.section(section).blocks;
        let Buffers { numeric, cut, blocks, wide: expanded, .. } = &mut *self.buffers;
        let blocks = &blocks[start..start + len];
        let cell = |y: usize| y * CHUNK_AREA + column;
        let mut slices = (0..=from).rev();
        match stored {
            Blocks::Air | Blocks::Palette { packing: None, .. } => slices.any(|y| visit(y, blocks[0])),
            Blocks::Palette { indices, packing: Some(packing), .. } => {
                let longs = indices.slice(self.bytes);
                let limit = len - 1;
                let mut past_end = false;
                let ended = slices.any(|y| {
                    let index = usize::from(packing.cell(longs, y, column));
                    past_end |= index >= limit;
                    visit(y, blocks[index.min(limit)])
                });
                if past_end {
                    self.meta.warnings.add(Warnings::PALETTE_INDEX);
                }
                ended
            }
            Blocks::Numeric { ids, add, data } => {
                let arrays = [ids, add, data].map(|span| span.slice(self.bytes));
                slices.any(|y| visit(y, numeric.block(arrays, cell(y), self.name_cache)))
            }
            Blocks::Column { .. } => {
                let (ids, data) = cut[wide..wide + CUT_BYTES].split_at(CELLS);
                slices.any(|y| visit(y, numeric.block([ids, &[], data], cell(y), self.name_cache)))
            }
            Blocks::Wide(_) => {
                let indices = &expanded[wide..wide + CELLS];
                slices.any(|y| visit(y, blocks[usize::from(indices[cell(y)])]))
            }
        }
    }
}
