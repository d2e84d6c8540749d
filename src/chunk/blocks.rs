//! The blocks of one section in each of the ways they are stored, as indices into a table of ids.

use std::collections::HashMap;

use super::Lookup;
use super::packing::Packing;
use crate::block::{BlockId, Book, Traits};
use crate::coord::CHUNK_AREA;
use crate::nbt::{List, Span};

/// Cells of a section.
pub(super) const CELLS: usize = 16 * CHUNK_AREA;
/// Cells of a chunk before 1.2: 128 high.
pub(super) const COLUMN_CELLS: usize = 128 * CHUNK_AREA;

/// How a section's blocks are stored. Indices of a section run `[y][z][x]`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum Blocks {
    /// Nothing is stored.
    #[default]
    Air,
    /// A palette of names and packed indices into it; no packing: the first name fills the section.
    Palette { names: List, indices: Span, packing: Option<Packing> },
    /// Bytes of ids with nibbles of data, and of higher id bits where ids go beyond 255.
    Numeric { ids: Span, add: Span, data: Span },
    /// A chunk before 1.2: one array for all its heights, `[x][z][y]`.
    Column { ids: Span, data: Span },
    /// Numeric ids of more than 12 bits, as some mods store them.
    Wide(Wide),
}

/// Where mods put ids of more than 12 bits.
#[derive(Debug, Clone, Copy)]
pub(super) enum Wide {
    /// `NotEnoughIDs`: ids of 16 bits; data of 16 bits or as nibbles.
    Shorts { ids: Span, data: Span },
    /// Nibbles (bits 8 to 11 and 12 to 15) and, for `EndlessIDs`, bytes (bits 16 to 23) beside the low bytes.
    Parts { low: Span, add: Span, add2: Span, high: Span, data: Span },
    /// `JustEnoughIDs`: `ids` and `data` make an index into a palette of `id << 4 | data`.
    Palette { ids: Span, data: Span, states: Span },
}

/// A layer of nibbles where none are stored.
const NO_NIBBLES: [u8; CHUNK_AREA / 2] = [0; CHUNK_AREA / 2];

/// Element `index` of an array of nibbles, the even one low.
fn nibble(nibbles: &[u8], index: usize) -> u8 {
    let byte = nibbles.get(index >> 1).copied().unwrap_or(0);
    if index & 1 == 0 { byte & 15 } else { byte >> 4 }
}

fn is_uniform(bytes: &[u8]) -> bool {
    bytes.is_empty() || bytes[1..] == bytes[..bytes.len() - 1]
}

fn is_uniform_in_nibbles(bytes: &[u8]) -> bool {
    is_uniform(bytes) && bytes.first().is_none_or(|byte| byte >> 4 == byte & 15)
}

fn byte(bytes: &[u8], index: usize) -> u32 {
    bytes.get(index).map_or(0, |&byte| u32::from(byte))
}

fn short(bytes: &[u8], index: usize) -> u32 {
    byte(bytes, index * 2) << 8 | byte(bytes, index * 2 + 1)
}

impl Wide {
    /// The id and data of cell `index`.
    fn cell(self, bytes: &[u8], index: usize) -> (u32, u8) {
        match self {
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
                let state = states
                    .of(bytes)
                    .get(at * 4..at * 4 + 4)
                    .map_or(0, |four| u32::from_be_bytes([four[0], four[1], four[2], four[3]]));
                (state >> 4, state as u8 & 15)
            }
        }
    }

    /// Writes the section's 4096 cells as indices into the ids that `meet` hands out.
    pub(super) fn expand(self, bytes: &[u8], book: &mut Book, ids: &mut Vec<BlockId>, cells: &mut Vec<u16>) {
        let start = ids.len();
        let mut met = HashMap::new();
        for index in 0..CELLS {
            let (id, data) = self.cell(bytes, index);
            let cell = *met.entry((id, data)).or_insert_with(|| {
                ids.push(book.numeric_block(id, data));
                (ids.len() - 1 - start) as u16
            });
            cells.push(cell);
        }
    }
}

/// The numeric blocks that a worker has met, as dense indices: one table for all numeric sections of all chunks.
#[derive(Debug)]
pub(super) struct NumericTable {
    /// Index by `id << 4 | data`; 0 means not met yet.
    dense: Box<[u16]>,
    ids: Vec<BlockId>,
    traits: Vec<Traits>,
}

impl Default for NumericTable {
    fn default() -> Self {
        // Index 0 is never handed out; 65,535 others are enough for all that 16 bits can tell apart, but one.
        Self { dense: vec![0; 1 << 16].into(), ids: vec![BlockId::AIR], traits: vec![Traits::NOTHING] }
    }
}

impl NumericTable {
    /// What its indices stand for.
    pub(super) fn lookup(&self) -> Lookup<'_> {
        Lookup { ids: &self.ids, traits: &self.traits }
    }

    #[inline]
    fn index(&mut self, id: u32, data: u8, book: &mut Book) -> u16 {
        match self.dense[(id << 4 | u32::from(data)) as usize & 0xffff] {
            0 => self.meet(id, data, book),
            index => index,
        }
    }

    #[cold]
    fn meet(&mut self, id: u32, data: u8, book: &mut Book) -> u16 {
        let key = (id << 4 | u32::from(data)) as usize & 0xffff;
        let id = book.numeric_block(id, data);
        let index = u16::try_from(self.ids.len()).unwrap_or(0);
        if index != 0 {
            self.ids.push(id);
            self.traits.push(book.traits(id));
            self.dense[key] = index;
        }
        index
    }

    /// Cell `index` of a numeric section.
    pub(super) fn section_cell(&mut self, [ids, add, data]: [&[u8]; 3], index: usize, book: &mut Book) -> u16 {
        let high = if add.is_empty() { 0 } else { u32::from(nibble(add, index)) << 8 };
        self.index(high | byte(ids, index), nibble(data, index), book)
    }

    /// Layer `y` of a numeric section. Where all its cells are the same that one is given and `cells` left alone.
    pub(super) fn section_layer(
        &mut self,
        arrays: [&[u8]; 3],
        y: usize,
        book: &mut Book,
        cells: &mut [u16; CHUNK_AREA],
    ) -> Option<u16> {
        let [ids, add, data] = arrays;
        let nibbles = y * CHUNK_AREA / 2..(y + 1) * CHUNK_AREA / 2;
        let of = |array: &[u8]| array.is_empty() || array.get(nibbles.clone()).is_some_and(is_uniform_in_nibbles);
        if ids.get(y * CHUNK_AREA..(y + 1) * CHUNK_AREA).is_some_and(is_uniform) && of(data) && of(add) {
            return Some(self.section_cell(arrays, y * CHUNK_AREA, book));
        }
        let ids = ids.get(y * CHUNK_AREA..(y + 1) * CHUNK_AREA).unwrap_or_default();
        let data = data.get(nibbles.clone()).unwrap_or(&NO_NIBBLES);
        let add = add.get(nibbles).unwrap_or(&NO_NIBBLES);
        let pairs = ids.chunks_exact(2).zip(data.iter().zip(add));
        for (cells, (ids, (&data, &add))) in cells.chunks_exact_mut(2).zip(pairs) {
            cells[0] = self.index(u32::from(ids[0]) | u32::from(add & 15) << 8, data & 15, book);
            cells[1] = self.index(u32::from(ids[1]) | u32::from(add >> 4) << 8, data >> 4, book);
        }
        None
    }

    /// The cell at height `y` of column `[z][x]` of a chunk before 1.2, whose arrays run `[x][z][y]`.
    pub(super) fn column_cell(&mut self, [ids, data]: [&[u8]; 2], y: usize, column: usize, book: &mut Book) -> u16 {
        let index = y + 128 * (column / 16 + 16 * (column % 16));
        self.index(byte(ids, index), nibble(data, index), book)
    }
}
