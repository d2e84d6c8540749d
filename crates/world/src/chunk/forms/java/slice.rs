//! Finds the kinds of the cells of one slice from whole longs of packed indices.
//!
//! Walks down the columns use the kinds to skip cells without looking up each block on its own.

use super::packing::Packing;
use crate::chunk::cells::Block;
use crate::chunk::mask::Mask;
use crate::names::Traits;
use pixelmap_base::coord::CHUNK_AREA;

/// The kinds of the cells of one slice: 16 by 16 cells of the same height. Columns that the caller
/// did not ask for may have any value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slice {
    /// Cells whose block [is not seen](Traits::is_unseen).
    pub unseen: Mask,
    /// Cells whose block [is water](Traits::is_water).
    pub water: Mask,
    /// Cells whose block [is plain ground](Traits::is_plain_ground).
    pub ground: Mask,
}

impl Slice {
    /// Returns the cells in which a player may stand or swim.
    pub fn open(&self) -> Mask {
        self.unseen.or(self.water)
    }

    pub(crate) const fn uniform(Block { traits, .. }: Block) -> Self {
        Self {
            unseen: Mask::all_or_none(traits.is_unseen()),
            water: Mask::all_or_none(traits.is_water()),
            ground: Mask::all_or_none(traits.is_plain_ground()),
        }
    }

    /// Makes a slice from blocks that are computed one by one.
    #[inline]
    pub(crate) fn from_blocks(block: impl Fn(usize) -> Block) -> Self {
        Self::from_rows(std::array::from_fn(|row| {
            (0..16).fold(0, |kinds, x| kinds | kind(block(row * 16 + x).traits) << x)
        }))
    }

    fn from_rows(rows: [CellKinds; 16]) -> Self {
        let [unseen, water, ground] = [UNSEEN, WATER, GROUND]
            .map(|start| Mask::from_rows(rows.map(|kinds| field(kinds, start))));
        Self {
            unseen,
            water,
            ground,
        }
    }
}

/// The kinds of up to 16 neighbouring cells. Each field has 16 bits, and its lowest bit belongs to
/// the first cell. With this layout a row costs only a shift and an "or" per cell.
type CellKinds = u64;

/// The first bit of each field.
const UNSEEN: u32 = 0;
const WATER: u32 = 16;
const GROUND: u32 = 32;
/// Indices past the palette's end, which are drawn as air.
const PAST_END: u32 = 48;

const fn field(kinds: CellKinds, field: u32) -> u16 {
    (kinds >> field) as u16
}

const fn kind(traits: Traits) -> CellKinds {
    (traits.is_unseen() as u64) << UNSEEN
        | (traits.is_water() as u64) << WATER
        | (traits.is_plain_ground() as u64) << GROUND
}

/// The kinds of the blocks of a section's palette, by index.
#[derive(Debug)]
pub(crate) struct KindTable {
    /// The section's start in the table of blocks, and the bits per index.
    section: Option<(usize, u32)>,
    /// Kinds by index. If indices have 4 bits, the kinds of two cells by the byte that contains
    /// both indices.
    kinds: Box<[CellKinds; 256]>,
}

impl Default for KindTable {
    fn default() -> Self {
        Self {
            section: None,
            kinds: Box::new([0; 256]),
        }
    }
}

impl KindTable {
    pub(crate) fn clear(&mut self) {
        self.section = None;
    }

    /// Prepares the table for the palette `blocks` of the section whose table starts at `start`,
    /// unless that was done before. Returns the bits per index, or `None` if indices continue in
    /// the next long or are too wide.
    #[inline]
    pub(crate) fn set(&mut self, start: usize, blocks: &[Block], packing: Packing) -> Option<u32> {
        let Packing::Aligned(bits @ 4..=8) = packing else {
            return None;
        };
        if self.section != Some((start, bits)) {
            self.section = Some((start, bits));
            self.learn(blocks, bits);
        }
        Some(bits)
    }

    fn learn(&mut self, blocks: &[Block], bits: u32) {
        self.kinds.fill(kind(Traits::NOTHING) | 1 << PAST_END);

        for (kinds, block) in self.kinds.iter_mut().zip(blocks).take(1 << bits) {
            *kinds = kind(block.traits);
        }

        if bits == 4 {
            let single: [CellKinds; 16] = std::array::from_fn(|index| self.kinds[index]);
            for (pairs, second) in self.kinds.chunks_exact_mut(16).zip(single) {
                for (pair, first) in pairs.iter_mut().zip(single) {
                    *pair = first | second << 1;
                }
            }
        }
    }

    /// Returns slice `y` of the section, and whether any index in an open column is past the
    /// palette's end.
    #[inline]
    pub(crate) fn slice(&self, bits: u32, longs: &[u8], y: usize, open: Mask) -> (Slice, bool) {
        match bits {
            4 => self.rows(longs, y, open),
            5 => self.across::<5>(longs, y, open),
            6 => self.across::<6>(longs, y, open),
            7 => self.across::<7>(longs, y, open),
            _ => self.across::<8>(longs, y, open),
        }
    }

    /// Implements [`KindTable::slice`] for indices of 4 bits, so that each long is a row.
    fn rows(&self, longs: &[u8], y: usize, open: Mask) -> (Slice, bool) {
        let (longs, _) = longs
            .get(y * CHUNK_AREA / 2..(y + 1) * CHUNK_AREA / 2)
            .unwrap_or_default()
            .as_chunks::<8>();

        let mut rows = [0; 16];
        let mut past_end = 0;
        for ((row, long), open) in rows.iter_mut().zip(longs).zip(open.rows()) {
            if open != 0 {
                // The first cells are in the last byte.
                let pairs = (0..8).map(|at| self.kinds[usize::from(long[7 - at])] << (at * 2));
                *row = pairs.fold(0, |kinds, pair| kinds | pair);
                past_end |= field(*row, PAST_END) & open;
            }
        }

        (Slice::from_rows(rows), past_end != 0)
    }

    /// Implements [`KindTable::slice`] for widths at which rows do not fill whole longs.
    fn across<const BITS: usize>(&self, longs: &[u8], y: usize, open: Mask) -> (Slice, bool) {
        let in_long = 64 / BITS;
        let start = y * CHUNK_AREA;
        let first = start / in_long;
        let last = (start + CHUNK_AREA - 1) / in_long;
        let (longs, _) = longs
            .get(first * 8..(last + 1) * 8)
            .unwrap_or_default()
            .as_chunks::<8>();

        // The first long may begin with cells of the slice below.
        let skipped = start % in_long;

        let open = BitStrip::from_mask(open, skipped);
        let mut strips = [BitStrip::default(); 3];
        let mut past_end = 0;
        for (index, long) in longs.iter().enumerate() {
            let at = index * in_long;
            let open = open.get(at) & ((1 << in_long) - 1);
            if open != 0 {
                let long = u64::from_be_bytes(*long);
                let kinds = (0..in_long).fold(0, |kinds, entry| {
                    let index = (long >> (entry * BITS)) as usize & ((1 << BITS) - 1);
                    kinds | self.kinds[index] << entry
                });

                for (strip, start) in strips.iter_mut().zip([UNSEEN, WATER, GROUND]) {
                    strip.put(at, field(kinds, start));
                }
                past_end |= field(kinds, PAST_END) & open;
            }
        }

        let [unseen, water, ground] = strips.map(|strip| strip.mask(skipped));
        (
            Slice {
                unseen,
                water,
                ground,
            },
            past_end != 0,
        )
    }
}

/// One bit per cell, for all longs that contain a part of a slice.
#[derive(Default, Clone, Copy)]
struct BitStrip([u64; CHUNK_AREA / 64 + 1]);

impl BitStrip {
    /// Makes a strip of a slice that follows the last `skipped` cells of the slice below.
    fn from_mask(mask: Mask, skipped: usize) -> Self {
        let words = mask.words();
        Self(std::array::from_fn(|at| {
            word_or_zero(&words, at) << skipped
                | word_or_zero(&words, at.wrapping_sub(1)) >> 1 >> (63 - skipped)
        }))
    }

    /// Returns the 16 cells that begin at `at`.
    #[inline]
    fn get(&self, at: usize) -> u16 {
        let first = word_or_zero(&self.0, at / 64);
        let second = word_or_zero(&self.0, at / 64 + 1);
        (first >> (at % 64) | second << 1 << (63 - at % 64)) as u16
    }

    #[inline]
    fn put(&mut self, at: usize, bits: u16) {
        let bits = u64::from(bits);
        if let Some(word) = self.0.get_mut(at / 64) {
            *word |= bits << (at % 64);
        }
        if let Some(next) = self.0.get_mut(at / 64 + 1) {
            *next |= bits >> 1 >> (63 - at % 64);
        }
    }

    /// Returns the slice, without the `skipped` cells before it.
    fn mask(&self, skipped: usize) -> Mask {
        let words = &self.0;
        Mask::from_words(std::array::from_fn(|word| {
            words[word] >> skipped | words[word + 1] << 1 << (63 - skipped)
        }))
    }
}

#[inline]
fn word_or_zero(words: &[u64], index: usize) -> u64 {
    words.get(index).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::BlockId;

    fn block(index: usize) -> Block {
        let traits = match index % 9 {
            0 => Traits::NOTHING,
            2 => Traits::WATER,
            3 => Traits::HIDDEN.with(Traits::WATER),
            4 => Traits::OVERLAY,
            7 => Traits::SUBMERGED,
            _ => Traits::GROUND,
        };
        Block {
            id: BlockId::AIR,
            traits,
        }
    }

    /// Returns a palette of `len` blocks of all kinds, and the longs of a section. Each slice has
    /// one block or many, and some indices are past the palette's end.
    fn section(bits: u32, len: usize) -> (Vec<Block>, Vec<u8>) {
        let index = |cell: u64| match cell / 256 % 4 {
            0 => cell / 1024 % len as u64,
            1 if cell.is_multiple_of(5) => {
                cell.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40 & ((1 << bits) - 1)
            }
            _ => (cell.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) % len as u64,
        };

        let in_long = u64::from(64 / bits);
        let long = |at: u64| {
            (0..in_long).fold(0, |long, entry| {
                long | index(at * in_long + entry) << (entry as u32 * bits)
            })
        };

        (
            (0..len).map(block).collect(),
            (0..4096_u64.div_ceil(in_long))
                .flat_map(|at| long(at).to_be_bytes())
                .collect(),
        )
    }

    /// Returns the masks of a slice, restricted to the open columns.
    fn within(slice: Slice, open: Mask) -> [Mask; 3] {
        [slice.unseen, slice.water, slice.ground].map(|mask| mask.and(open))
    }

    #[test]
    fn a_slice_by_longs_equals_its_cells() {
        let mut table = KindTable::default();
        for (bits, len) in [
            (4, 3),
            (4, 16),
            (5, 17),
            (5, 32),
            (6, 33),
            (6, 50),
            (7, 9),
            (7, 40),
            (8, 30),
            (8, 256),
        ] {
            let (mut blocks, longs) = section(bits, len);
            let packing = Packing::Aligned(bits);
            table.clear();
            assert_eq!(table.set(0, &blocks, packing), Some(bits));
            blocks.push(Block::AIR);

            for y in 0..16 {
                let mut cells = [0; CHUNK_AREA];
                packing.slice(&longs, y, len as u16, &mut cells);

                let expected = Slice::from_blocks(|column| blocks[usize::from(cells[column])]);
                let block = Mask::from_fn(|column| column / 16 > 4 && column % 16 < 7);
                for open in [
                    Mask::ALL,
                    Mask::only(0),
                    Mask::only(255),
                    Mask::from_fn(|column| column % 77 == 3),
                    block,
                ] {
                    let past_end = !Mask::from_fn(|column| usize::from(cells[column]) == len)
                        .and(open)
                        .is_empty();
                    let (slice, past) = table.slice(bits, &longs, y, open);
                    let (slice, expected) = (within(slice, open), within(expected, open));
                    assert_eq!(
                        (slice, past),
                        (expected, past_end),
                        "{bits} bits, {len} blocks, slice {y}"
                    );
                }
            }
        }
    }

    #[test]
    fn cells_are_sorted_by_kind() {
        let slice = Slice::from_blocks(block);
        assert_eq!(
            slice.unseen,
            Mask::from_fn(|column| [0, 3].contains(&(column % 9)))
        );

        assert_eq!(
            slice.water,
            Mask::from_fn(|column| [2, 7].contains(&(column % 9)))
        );
        assert_eq!(
            slice.ground,
            Mask::from_fn(|column| [1, 5, 6, 8].contains(&(column % 9)))
        );
    }

    #[test]
    fn a_table_is_learnt_again_for_another_section() {
        let (ground, mut table) = (
            Block {
                traits: Traits::GROUND,
                ..Block::AIR
            },
            KindTable::default(),
        );

        let longs = [0; 2048];
        for (start, block) in [(0, Block::AIR), (1, ground), (0, Block::AIR)] {
            table.set(start, &[block], Packing::Aligned(4));
            assert_eq!(
                table.slice(4, &longs, 0, Mask::ALL).0,
                Slice::uniform(block)
            );
        }

        table.clear();
        table.set(0, &[ground], Packing::Aligned(4));
        assert_eq!(
            table.slice(4, &longs, 0, Mask::ALL).0,
            Slice::uniform(ground),
            "the next chunk's"
        );
    }

    #[test]
    fn cells_outside_the_longs_are_left_out() {
        let mut table = KindTable::default();
        assert_eq!(table.set(0, &[Block::AIR], Packing::Aligned(9)), None);
        assert_eq!(table.set(0, &[Block::AIR], Packing::Spanning(5)), None);
    }
}
