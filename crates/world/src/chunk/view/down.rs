//! Walks down one column of a section, cell by cell.

use super::chunk::Chunk;
use crate::chunk::cells::Block;
use crate::chunk::forms::stored::blocks::{Cells, SectionTable};
use crate::chunk::forms::stored::buffers::ChunkBuffers;
use crate::chunk::meta::Warnings;
use pixelmap_base::coord::CHUNK_AREA;

impl Chunk<'_> {
    /// Visits a column of a section from slice `from` (0 to 15) down, until `visit` returns true.
    /// Returns whether it did.
    #[inline]
    pub fn visit_down(
        &mut self,
        section: usize,
        column: usize,
        from: usize,
        mut visit: impl FnMut(usize, Block) -> bool,
    ) -> bool {
        let table @ SectionTable { start, len, .. } = self.resolve(section);
        let stored = self.section(section).blocks;
        let ChunkBuffers {
            numeric,
            cut,
            packed,
            blocks,
            ..
        } = &mut *self.buffers;

        let blocks = &blocks[start..start + len];
        let mut slices = (0..=from).rev();
        match stored.cells(self.bytes, cut, packed, table) {
            Cells::Uniform => slices.any(|y| visit(y, blocks[0])),
            Cells::Packed { longs, packing } => {
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
            Cells::Numeric(arrays) => slices.any(|y| {
                visit(
                    y,
                    numeric.block(arrays, y * CHUNK_AREA + column, self.name_cache),
                )
            }),
            Cells::Wide(stored) => {
                let cells = stored.slices(self.bytes);
                let mut lookup = cells.lookup(&blocks[..len - 1], self.name_cache);
                let mut past_end = false;
                let ended = slices.any(|y| {
                    visit(
                        y,
                        lookup.block_or_air(cells.key(y * CHUNK_AREA + column), &mut past_end),
                    )
                });

                if past_end {
                    self.meta.warnings.add(Warnings::PALETTE_INDEX);
                }

                ended
            }
        }
    }
}
