//! A way to look at a chunk from below its surface: one column cell by cell.

use super::blocks::{Blocks, CELLS};
use super::numeric::CUT_BYTES;
use super::section::Table;
use super::{Block, Buffers, Chunk, Warnings};
use crate::coord::CHUNK_AREA;

impl Chunk<'_> {
    /// Visits the cells of a column of a section from layer `from` (0 to 15) down, until `visit` says that it has come to
    /// its end; says so too.
    #[inline]
    pub fn down(
        &mut self,
        section: usize,
        column: usize,
        from: usize,
        mut visit: impl FnMut(usize, Block) -> bool,
    ) -> bool {
        let Table { start, len, wide } = self.resolve(section);
        let stored = self.section(section).blocks;
        let Buffers { numeric, cut, blocks, wide: expanded, .. } = &mut *self.buffers;
        let blocks = &blocks[start..start + len];
        let cell = |y: usize| y * CHUNK_AREA + column;
        let mut layers = (0..=from).rev();
        match stored {
            Blocks::Air | Blocks::Palette { packing: None, .. } => layers.any(|y| visit(y, blocks[0])),
            Blocks::Palette { indices, packing: Some(packing), .. } => {
                let longs = indices.of(self.bytes);
                let limit = len - 1;
                let mut past_end = false;
                let ended = layers.any(|y| {
                    let index = usize::from(packing.entry(longs, cell(y)));
                    past_end |= index >= limit;
                    visit(y, blocks[index.min(limit)])
                });
                if past_end {
                    self.meta.warnings.add(Warnings::PALETTE_INDEX);
                }
                ended
            }
            Blocks::Numeric { ids, add, data } => {
                let arrays = [ids, add, data].map(|span| span.of(self.bytes));
                layers.any(|y| visit(y, numeric.block(arrays, cell(y), self.book)))
            }
            Blocks::Column { .. } => {
                let (ids, data) = cut[wide..wide + CUT_BYTES].split_at(CELLS);
                layers.any(|y| visit(y, numeric.block([ids, &[], data], cell(y), self.book)))
            }
            Blocks::Wide(_) => {
                let indices = &expanded[wide..wide + CELLS];
                layers.any(|y| visit(y, blocks[usize::from(indices[cell(y)])]))
            }
        }
    }
}
