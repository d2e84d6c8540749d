//! Sections of numeric ids of 12 bits, as indices into one table for all of them.

use super::blocks::{CELLS, byte, nibble};
use super::{Block, Cells, Layer, Usual};
use crate::block::Book;
use crate::coord::{CHUNK_AREA, CHUNK_SIDE};

/// Bytes of a section that was cut out of a chunk before 1.2: ids, then nibbles of data.
pub(super) const CUT_BYTES: usize = CELLS + CELLS / 2;
/// Cells that are looked at in one step.
const GROUP: usize = 8;
/// A layer of nibbles where none are stored.
const NO_NIBBLES: [u8; CHUNK_AREA / 2] = [0; CHUNK_AREA / 2];

fn is_uniform(bytes: &[u8]) -> bool {
    bytes.is_empty() || bytes[1..] == bytes[..bytes.len() - 1]
}

fn is_uniform_in_nibbles(bytes: &[u8]) -> bool {
    is_uniform(bytes) && bytes.first().is_none_or(|byte| byte >> 4 == byte & 15)
}

/// Appends section `y` of a chunk before 1.2, whose arrays run `[x][z][y]` and are 128 high, as the sections of later
/// chunks are stored, `[y][z][x]`: its ids, then its data.
pub(super) fn cut(ids: &[u8], data: &[u8], y: usize, out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + CUT_BYTES, 0);
    let (cut_ids, cut_data) = out[start..].split_at_mut(CELLS);
    for (column, stored) in ids.chunks_exact(128).enumerate() {
        let place = column % CHUNK_SIDE * CHUNK_SIDE + column / CHUNK_SIDE;
        let stored = &stored[y * 16..y * 16 + 16];
        // Half of a chunk is air, which is there already.
        if stored.iter().any(|&id| id != 0) {
            for (layer, &id) in cut_ids.chunks_exact_mut(CHUNK_AREA).zip(stored) {
                layer[place] = id;
            }
        }
    }
    for (column, stored) in data.chunks_exact(64).enumerate() {
        let place = column % CHUNK_SIDE * CHUNK_SIDE + column / CHUNK_SIDE;
        let shift = place % 2 * 4;
        let stored = &stored[y * 8..y * 8 + 8];
        if stored.iter().any(|&pair| pair != 0) {
            for (layers, &pair) in cut_data.chunks_exact_mut(CHUNK_AREA).zip(stored) {
                layers[place / 2] |= (pair & 15) << shift;
                layers[CHUNK_AREA / 2 + place / 2] |= (pair >> 4) << shift;
            }
        }
    }
}

/// The numeric blocks that a worker has met, as dense indices: one table for all numeric sections of all chunks.
#[derive(Debug)]
pub(super) struct NumericTable {
    /// Index by `id << 4 | data`; 0 means not met yet.
    dense: Box<[u16]>,
    blocks: Vec<Block>,
}

impl Default for NumericTable {
    fn default() -> Self {
        // Index 0 is never handed out; 65,535 others are enough for all that 16 bits can tell apart, but one.
        Self { dense: vec![0; 1 << 16].into(), blocks: vec![Block::AIR] }
    }
}

impl NumericTable {
    /// What its indices stand for.
    pub(super) fn blocks(&self) -> &[Block] {
        &self.blocks
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
        let index = u16::try_from(self.blocks.len()).unwrap_or(0);
        if index != 0 {
            self.blocks.push(Block { id, traits: book.traits(id) });
            self.dense[key] = index;
        }
        index
    }

    /// Cell `index` of a section, whose arrays are ids, higher bits of ids, and data.
    pub(super) fn cell(&mut self, [ids, add, data]: [&[u8]; 3], index: usize, book: &mut Book) -> u16 {
        let high = if add.is_empty() { 0 } else { u32::from(nibble(add, index)) << 8 };
        self.index(high | byte(ids, index), nibble(data, index), book)
    }

    /// Layer `y` of a section; all its cells are written, unless they are all the same.
    pub(super) fn layer(
        &mut self,
        arrays: [&[u8]; 3],
        y: usize,
        usual: Option<Usual>,
        book: &mut Book,
        cells: &mut Cells,
    ) -> Layer {
        let [ids, add, data] = arrays;
        let nibbles = y * CHUNK_AREA / 2..(y + 1) * CHUNK_AREA / 2;
        let ids = ids.get(y * CHUNK_AREA..(y + 1) * CHUNK_AREA).unwrap_or_default();
        let data = data.get(nibbles.clone()).unwrap_or(&NO_NIBBLES);
        let add = add.get(nibbles).unwrap_or(&NO_NIBBLES);
        if is_uniform(ids) && is_uniform_in_nibbles(data) && is_uniform_in_nibbles(add) {
            return Layer::Uniform(self.cell(arrays, y * CHUNK_AREA, book));
        }
        // Blocks lie in heaps: most groups of cells are stored in the same bytes as the group before.
        let (mut last, mut indices, mut is_usual) = (None, [0; GROUP], false);
        let mut count = 0;
        let (ids, _) = ids.as_chunks::<GROUP>();
        let (data, _) = data.as_chunks::<{ GROUP / 2 }>();
        let (add, _) = add.as_chunks::<{ GROUP / 2 }>();
        let (out, _) = cells.indices.as_chunks_mut::<GROUP>();
        for (group, (out, ((&ids, &data), &add))) in out.iter_mut().zip(ids.iter().zip(data).zip(add)).enumerate() {
            if last != Some((ids, data, add)) {
                last = Some((ids, data, add));
                indices = self.group(ids, data, add, book);
                is_usual = usual.is_some_and(|usual| {
                    indices.iter().all(|&index| (usual.test)(self.blocks[usize::from(index)].traits))
                });
            }
            *out = indices;
            if !is_usual {
                for (cell, place) in cells.places[count..count + GROUP].iter_mut().enumerate() {
                    *place = (group * GROUP + cell) as u8;
                }
                count += GROUP;
            }
        }
        if usual.is_some() && count <= CHUNK_AREA / 2 { Layer::Unusual(count) } else { Layer::Mixed }
    }

    fn group(
        &mut self,
        ids: [u8; GROUP],
        data: [u8; GROUP / 2],
        add: [u8; GROUP / 2],
        book: &mut Book,
    ) -> [u16; GROUP] {
        // Most ids are small and most data is 0.
        if let (Some(small), 0, 0) =
            (self.dense.first_chunk::<4096>(), u32::from_ne_bytes(data), u32::from_ne_bytes(add))
        {
            let indices = ids.map(|id| small[usize::from(id) << 4]);
            if !indices.contains(&0) {
                return indices;
            }
        }
        std::array::from_fn(|cell| {
            self.index(u32::from(ids[cell]) | u32::from(nibble(&add, cell)) << 8, nibble(&data, cell), book)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::block::{Describe, Names, NumericNames, Traits};

    struct Water;

    impl Describe for Water {
        fn kept(&self, _: &str) -> &[String] {
            &[]
        }

        fn traits(&self, name: &str, _: &str) -> Traits {
            if name.ends_with("water") { Traits::WATER } else { Traits::GROUND }
        }

        fn knows_biome(&self, _: &str) -> bool {
            true
        }
    }

    fn book() -> Book {
        Book::new(Arc::new(Names::new(Arc::new(Water), NumericNames::parse("9:0\tminecraft:water", ""))))
    }

    /// Bytes in heaps, as blocks lie.
    fn heaps(len: usize, every: usize, other: u8) -> Vec<u8> {
        (0..len).map(|at| if at / 29 % every == 0 { other.wrapping_add((at % 3) as u8) } else { 9 }).collect()
    }

    #[test]
    fn a_layer_holds_what_its_cells_hold_and_leaves_out_only_what_is_usual() {
        let (mut table, mut book, mut cells) = (NumericTable::default(), book(), Cells::default());
        let usual = Usual { test: |traits| traits.any(Traits::WATER), index: None };
        let (ids, data, add) = (heaps(CELLS, 5, 1), heaps(CELLS / 2, 7, 0x10), heaps(CELLS / 2, 40, 0));
        for arrays in [[&ids[..], &[], &[]], [&ids, &[], &data], [&ids, &add, &data]] {
            for y in 0..16 {
                for usual in [None, Some(usual)] {
                    let layer = table.layer(arrays, y, usual, &mut book, &mut cells);
                    let count = match layer {
                        Layer::Unusual(count) => count,
                        Layer::Mixed => 0,
                        Layer::Uniform(_) => panic!("no layer is all the same"),
                    };
                    for place in 0..CHUNK_AREA {
                        let cell = table.cell(arrays, y * CHUNK_AREA + place, &mut book);
                        assert_eq!(cells.indices[place], cell);
                        let listed = cells.places[..count].contains(&(place as u8));
                        let is_water = table.blocks()[usize::from(cell)].traits.any(Traits::WATER);
                        assert!(layer == Layer::Mixed || listed || is_water);
                    }
                }
            }
        }
        assert!(matches!(table.layer([&ids, &[], &[]], 3, Some(usual), &mut book, &mut cells), Layer::Unusual(_)));
        let same = table.layer([&[9; CELLS], &[], &[]], 3, None, &mut book, &mut cells);
        assert_eq!(same, Layer::Uniform(table.cell([&[9; CELLS], &[], &[]], 0, &mut book)));
    }

    #[test]
    fn a_section_is_cut_out_of_a_whole_chunk() {
        let ids: Vec<u8> = (0..128 * CHUNK_AREA).map(|at| ((at * 31) >> 3) as u8).collect();
        let data: Vec<u8> = (0..64 * CHUNK_AREA).map(|at| ((at * 57) >> 2) as u8).collect();
        let mut out = vec![1];
        cut(&ids, &data, 5, &mut out);
        let (cut_ids, cut_data) = out[1..].split_at(CELLS);
        for (x, z, y) in (0..CELLS).map(|at| (at % 16, at / 16 % 16, at / 256)) {
            let (stored, index) = ((x * 16 + z) * 128 + 5 * 16 + y, (y * 16 + z) * 16 + x);
            assert_eq!(cut_ids[index], ids[stored]);
            assert_eq!(nibble(cut_data, index), nibble(&data, stored));
        }
        let mut out = Vec::new();
        cut(&ids, &[], 0, &mut out);
        assert_eq!(out[CELLS..], [0; CELLS / 2]);
    }
}
