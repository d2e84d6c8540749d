//! The blocks of one section in each form they are stored in, as indices into a table of ids.

use std::collections::HashMap;

use super::Block;
use super::entries::SectionPalette;
use super::packing::Packing;
use crate::base::coord::CHUNK_AREA;
use crate::world::names::NameCache;
use crate::world::nbt::Span;

/// Cells of a section.
pub(super) const CELLS: usize = 16 * CHUNK_AREA;
/// Cells of a chunk before 1.2: 128 high.
pub(super) const COLUMN_CELLS: usize = 128 * CHUNK_AREA;

/// The form in which a section's blocks are stored. Indices of a section run `[y][z][x]`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum Blocks {
    /// Nothing is stored.
    #[default]
    Air,
    /// A palette of names and packed indices into it; no packing: the first name fills the section.
    Palette { names: SectionPalette, indices: Span, packing: Option<Packing> },
    /// Bytes of ids with nibbles of data, and of higher id bits where ids go beyond 255.
    Numeric { ids: Span, add: Span, data: Span },
    /// A chunk before 1.2: one array for all its heights, `[x][z][y]`.
    Column { ids: Span, data: Span },
    /// Numeric ids of more than 12 bits, as some mods store them.
    Wide(Wide),
}

/// Numeric ids of more than 12 bits, by mod.
#[derive(Debug, Clone, Copy)]
pub(super) enum Wide {
    /// `NotEnoughIDs`: ids of 16 bits; data of 16 bits or as nibbles.
    Shorts { ids: Span, data: Span },
    /// Nibbles (bits 8 to 11 and 12 to 15) and, for `EndlessIDs`, bytes (bits 16 to 23) beside the low bytes.
    Parts { low: Span, add: Span, add2: Span, high: Span, data: Span },
    /// `JustEnoughIDs`: `ids` and `data` make an index into a palette of `id << 4 | data`.
    Palette { ids: Span, data: Span, states: Span },
}

/// Element `index` of an array of nibbles, the even one low.
pub(super) fn nibble(nibbles: &[u8], index: usize) -> u8 {
    let byte = nibbles.get(index >> 1).copied().unwrap_or(0);
    byte >> (index % 2 * 4) & 15
}

pub(super) fn byte(bytes: &[u8], index: usize) -> u32 {
    bytes.get(index).map_or(0, |&byte| u32::from(byte))
}

fn short(bytes: &[u8], index: usize) -> u32 {
    byte(bytes, index * 2) << 8 | byte(bytes, index * 2 + 1)
}

impl Wide {
    /// The id and data of cell `index`; `None` where the palette ends before it.
    fn cell(self, bytes: &[u8], index: usize) -> Option<(u32, u8)> {
        Some(match self {
            Self::Shorts { ids, data } => {
                let data = data.of(bytes);
                let value = if data.len() == CELLS * 2 { short(data, index) as u8 & 15 } else { nibble(data, index) };
                (short(ids.of(bytes), index), value)
            }
            Self::Parts { low, add, add2, high, data } => {
                let id = byte(low.of(bytes), index)
                    | u32::from(nibble(add.of(bytes), index)) << 8
                    | u32::from(nibble(add2.of(bytes), index)) << 12
                    | byte(high.of(bytes), index) << 16;
                (id, nibble(data.of(bytes), index))
            }
            Self::Palette { ids, data, states } => {
                let at = (byte(ids.of(bytes), index) << 4 | u32::from(nibble(data.of(bytes), index))) as usize;
                let (states, _) = states.of(bytes).as_chunks();
                let state = u32::from_be_bytes(*states.get(at)?);
                (state >> 4, state as u8 & 15)
            }
        })
    }

    /// Writes the section's 4096 cells as indices into the blocks that it appends to `blocks`. Returns whether any cell
    /// lies past the end of the palette and so is air.
    pub(super) fn expand(
        self,
        bytes: &[u8],
        name_cache: &mut NameCache,
        blocks: &mut Vec<Block>,
        cells: &mut Vec<u16>,
    ) -> bool {
        let start = blocks.len();
        let mut met = HashMap::new();
        let mut past_end = false;
        for index in 0..CELLS {
            let cell = self.cell(bytes, index);
            past_end |= cell.is_none();
            let (id, data) = cell.unwrap_or_default();
            let cell = *met.entry((id, data)).or_insert_with(|| {
                let id = name_cache.numeric_block(id, data);
                blocks.push(Block { id, traits: name_cache.traits(id) });
                (blocks.len() - 1 - start) as u16
            });
            cells.push(cell);
        }
        past_end
    }
}
