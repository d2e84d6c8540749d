//! Sections of numeric ids of 12 bits, as indices into one table for all of them.

use super::blocks::{CELLS, byte, nibble};
use super::{Block, Layer, Mask};
use crate::block::Book;
use crate::coord::{CHUNK_AREA, CHUNK_SIDE};

/// Bytes of a section that was cut out of a chunk before 1.2: ids, then nibbles of data.
pub(super) const CUT_BYTES: usize = CELLS + CELLS / 2;
/// Cells that are looked at in one step.
const GROUP: usize = 8;
/// Kinds of blocks: flags.
const NOT_MET: u8 = 0;
const MET: u8 = 1;
const UNSEEN: u8 = 1 << 1;
const WATER: u8 = 1 << 2;
/// A layer of nibbles where none are stored.
const NO_NIBBLES: [u8; CHUNK_AREA / 2] = [0; CHUNK_AREA / 2];

fn is_uniform(bytes: &[u8]) -> bool {
    bytes.is_empty() || bytes[1..] == bytes[..bytes.len() - 1]
}

fn is_uniform_in_nibbles(bytes: &[u8]) -> bool {
    bytes.first().is_none_or(|byte| byte >> 4 == byte & 15) && is_uniform(bytes)
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
    /// What a walk has to know of them, by the same index: [`NOT_MET`] or a set of flags.
    kinds: Box<[u8]>,
    blocks: Vec<Block>,
}

impl Default for NumericTable {
    fn default() -> Self {
        // Index 0 is never handed out; 65,535 others are enough for all that 16 bits can tell apart, but one.
        Self { dense: vec![0; 1 << 16].into(), kinds: vec![NOT_MET; 1 << 16].into(), blocks: vec![Block::AIR] }
    }
}

impl NumericTable {
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
        let traits = book.traits(id);
        self.kinds[key] = MET | if traits.is_unseen() { UNSEEN } else { 0 } | if traits.is_water() { WATER } else { 0 };
        index
    }

    /// Cell `index` of a section, whose arrays are ids, higher bits of ids, and data.
    #[inline]
    pub(super) fn block(&mut self, [ids, add, data]: [&[u8]; 3], index: usize, book: &mut Book) -> Block {
        let high = if add.is_empty() { 0 } else { u32::from(nibble(add, index)) << 8 };
        let index = self.index(high | byte(ids, index), nibble(data, index), book);
        self.blocks[usize::from(index)]
    }

    /// Layer `y` of a section.
    pub(super) fn layer(&mut self, arrays: [&[u8]; 3], y: usize, book: &mut Book) -> Layer {
        let [ids, add, data] = arrays;
        let nibbles = y * CHUNK_AREA / 2..(y + 1) * CHUNK_AREA / 2;
        let ids = ids.get(y * CHUNK_AREA..(y + 1) * CHUNK_AREA).unwrap_or_default();
        let [add, data] = [add, data].map(|stored| stored.get(nibbles.clone()).unwrap_or_default());
        if is_uniform(ids) && is_uniform_in_nibbles(data) && is_uniform_in_nibbles(add) {
            return Layer::uniform(self.block(arrays, y * CHUNK_AREA, book));
        }
        let [add, data] = [add, data].map(|nibbles| if nibbles.is_empty() { &NO_NIBBLES } else { nibbles });
        let (ids, _) = ids.as_chunks::<GROUP>();
        let (data, _) = data.as_chunks::<{ GROUP / 2 }>();
        let (add, _) = add.as_chunks::<{ GROUP / 2 }>();
        // Blocks lie in heaps: most groups of cells are stored in the same bytes as the group before.
        let (mut last, mut kinds) = (None, 0);
        let (mut unseen, mut water) = ([0; CHUNK_AREA / GROUP], [0; CHUNK_AREA / GROUP]);
        for (((unseen, water), &ids), (&data, &add)) in
            unseen.iter_mut().zip(&mut water).zip(ids).zip(data.iter().zip(add))
        {
            if last != Some((ids, data, add)) {
                last = Some((ids, data, add));
                kinds = self.kinds(ids, data, add, book);
            }
            (*unseen, *water) = (gathered(kinds, UNSEEN), gathered(kinds, WATER));
        }
        Layer { unseen: Mask::from_bytes(unseen), water: Mask::from_bytes(water) }
    }

    /// The kinds of a group of cells, a byte each.
    #[inline]
    fn kinds(&mut self, ids: [u8; GROUP], data: [u8; GROUP / 2], add: [u8; GROUP / 2], book: &mut Book) -> u64 {
        let (data, add) = (u32::from_le_bytes(data) as usize, u32::from_le_bytes(add) as usize);
        let key = |cell: usize| usize::from(ids[cell]) << 4 | data >> (cell * 4) & 15 | (add >> (cell * 4) & 15) << 12;
        // Most data is 0.
        let kinds = match (self.kinds.first_chunk::<4096>(), data | add) {
            (Some(small), 0) => ids.map(|id| small[usize::from(id) << 4]),
            _ => std::array::from_fn(|cell| self.kinds[key(cell) & 0xffff]),
        };
        if !kinds.contains(&NOT_MET) {
            return u64::from_le_bytes(kinds);
        }
        u64::from_le_bytes(std::array::from_fn(|cell| {
            self.index((key(cell) >> 4) as u32, key(cell) as u8 & 15, book);
            self.kinds[key(cell) & 0xffff]
        }))
    }
}

/// Whether each of eight bytes has a flag, side by side.
const fn gathered(bytes: u64, flag: u8) -> u8 {
    let bits = bytes >> flag.trailing_zeros() & 0x0101_0101_0101_0101;
    (bits.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
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
            match name {
                "minecraft:water" => Traits::WATER,
                "numeric:10:0" => Traits::HIDDEN,
                _ => Traits::GROUND,
            }
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
    fn a_layer_is_what_its_cells_are_one_by_one() {
        let (mut table, mut book) = (NumericTable::default(), book());
        let (ids, data, add) = (heaps(CELLS, 5, 1), heaps(CELLS / 2, 7, 0x10), heaps(CELLS / 2, 40, 0));
        let same = [9; CELLS];
        for arrays in
            [[&ids[..], &[], &[]], [&ids, &[], &data], [&ids, &add, &data], [&same, &[], &[]], [&same, &add, &[]]]
        {
            for y in 0..16 {
                let layer = table.layer(arrays, y, &mut book);
                let cells: Vec<Block> =
                    (0..CHUNK_AREA).map(|column| table.block(arrays, y * CHUNK_AREA + column, &mut book)).collect();
                assert_eq!(layer, Layer::of(|column| cells[column]));
                assert!(!layer.water.is_empty() && (ids != arrays[0] || layer.water != Mask::ALL));
            }
        }
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
