//! The blocks of one section in each form in which they are stored.

use std::collections::HashMap;

use super::Block;
use super::entries::SectionPalette;
use super::numeric::CUT_BYTES;
use super::packing::Packing;
use super::section::SectionTable;
use super::subchunk::Subchunk;
use crate::base::coord::CHUNK_AREA;
use crate::world::names::NameCache;
use crate::world::nbt::Span;

/// Cells per section.
pub(super) const CELLS: usize = 16 * CHUNK_AREA;
/// Cells per chunk before 1.2: 128 high.
pub(super) const COLUMN_CELLS: usize = 128 * CHUNK_AREA;

/// The form of a section's blocks. Indices of cells run `[y][z][x]`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum Blocks {
    #[default]
    Air,
    /// A palette of names, and packed indices into it; no packing: the first name fills the section.
    Palette {
        names: SectionPalette,
        indices: Span,
        packing: Option<Packing>,
    },
    /// Ids as bytes, data as nibbles, and the higher bits of ids beyond 255 as nibbles.
    Numeric {
        ids: Span,
        add: Span,
        data: Span,
    },
    /// A chunk before 1.2: one array for its whole height, `[x][z][y]`. Bedrock Edition kept the order when it stored
    /// sections.
    Column {
        ids: Span,
        data: Span,
    },
    Wide(Wide),
    Subchunk(Subchunk),
}

/// A section's cells as they are read, once its table is made.
#[derive(Debug, Clone, Copy)]
pub(super) enum Cells<'a> {
    /// The first block of the table in all of them.
    Uniform,
    /// Indices into the table.
    Packed { longs: &'a [u8], packing: Packing },
    /// Ids, the higher bits of ids, and data.
    Numeric([&'a [u8]; 3]),
}

impl Blocks {
    /// The cells of a section: out of the chunk's `bytes`, or of the buffer of those that were cut or packed.
    #[inline]
    pub(super) fn cells<'a>(self, bytes: &'a [u8], cut: &'a [u8], packed: &'a [u8], table: SectionTable) -> Cells<'a> {
        let (longs, packing) = match self {
            Self::Air => return Cells::Uniform,
            Self::Palette { indices, packing, .. } => (indices.slice(bytes), packing),
            Self::Numeric { ids, add, data } => return Cells::Numeric([ids, add, data].map(|span| span.slice(bytes))),
            Self::Column { .. } => {
                let (ids, data) = cut[table.cells..table.cells + CUT_BYTES].split_at(CELLS);
                return Cells::Numeric([ids, &[], data]);
            }
            Self::Wide(_) | Self::Subchunk(_) => (&packed[table.cells..], table.packing),
        };
        packing.map_or(Cells::Uniform, |packing| Cells::Packed { longs, packing })
    }
}

/// Numeric ids of more than 12 bits, by mod.
#[derive(Debug, Clone, Copy)]
pub(super) enum Wide {
    /// `NotEnoughIDs`: ids of 16 bits; data of 16 bits or as nibbles.
    Shorts { ids: Span, data: Span },
    /// Low bytes, nibbles (bits 8 to 11 and 12 to 15) and, for `EndlessIDs`, bytes (bits 16 to 23).
    Parts { low: Span, add: Span, add2: Span, high: Span, data: Span },
    /// `JustEnoughIDs`: `ids` and `data` make an index into a palette of `id << 4 | data`.
    Palette { ids: Span, data: Span, states: Span },
}

/// Element `index` of an array of nibbles; even elements are the low nibbles.
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
    /// The id and data of cell `index`; `None`: the palette ends before it.
    fn cell(self, bytes: &[u8], index: usize) -> Option<(u32, u16)> {
        Some(match self {
            Self::Shorts { ids, data } => {
                let data = data.slice(bytes);
                let is_wide = data.len() == CELLS * 2;
                let value = if is_wide { short(data, index) as u16 } else { nibble(data, index).into() };
                (short(ids.slice(bytes), index), value)
            }
            Self::Parts { low, add, add2, high, data } => {
                let id = byte(low.slice(bytes), index)
                    | u32::from(nibble(add.slice(bytes), index)) << 8
                    | u32::from(nibble(add2.slice(bytes), index)) << 12
                    | byte(high.slice(bytes), index) << 16;
                (id, nibble(data.slice(bytes), index).into())
            }
            Self::Palette { ids, data, states } => {
                let at = (byte(ids.slice(bytes), index) << 4 | u32::from(nibble(data.slice(bytes), index))) as usize;
                let (states, _) = states.slice(bytes).as_chunks();
                let state = u32::from_be_bytes(*states.get(at)?);
                (state >> 4, state as u16 & 15)
            }
        })
    }

    /// The layout of the indices that are made of the cells.
    pub(super) const PACKING: Packing = Packing::Aligned(16);

    /// Appends the section's cells to `packed`, as indices into the blocks that it appends to `blocks`. Returns whether
    /// any cell is past the end of the palette and so is air.
    pub(super) fn expand(
        self,
        bytes: &[u8],
        name_cache: &mut NameCache,
        blocks: &mut Vec<Block>,
        packed: &mut Vec<u8>,
    ) -> bool {
        let start = blocks.len();
        let mut indices = HashMap::new();
        let mut past_end = false;
        for long in (0..CELLS).step_by(4) {
            let long = (long..long + 4).rev().fold(0, |long, index| {
                let cell = self.cell(bytes, index);
                past_end |= cell.is_none();
                let (id, data) = cell.unwrap_or_default();
                let index = *indices.entry((id, data)).or_insert_with(|| {
                    let id = name_cache.numeric_block(id, data);
                    blocks.push(Block { id, traits: name_cache.traits(id) });
                    (blocks.len() - 1 - start) as u64
                });
                long << 16 | index
            });
            packed.extend(u64::to_be_bytes(long));
        }
        past_end
    }
}
