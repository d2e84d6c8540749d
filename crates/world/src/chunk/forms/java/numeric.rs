//! Reads sections of numeric ids of 12 bits. All of them share one table of blocks, because the ids
//! mean the same in every chunk of a world.

use super::slice::Slice;
use crate::chunk::cells::{Block, CELLS, CUT_BYTES, nibble};
use crate::chunk::mask::Mask;
use crate::names::NameCache;
use pixelmap_base::coord::{CHUNK_AREA, CHUNK_SIDE};

/// The number of cells handled in one step.
const GROUP: usize = 8;
/// The kinds of eight neighbouring cells. Each field has eight bits, and its lowest bit belongs to
/// the first cell. With this layout a group costs only a shift and an "or" per cell.
type CellKinds = u32;
/// The first bit of each field. `MET` is set for every block that is in the table.
const UNSEEN: u32 = 0;
const WATER: u32 = 8;
const GROUND: u32 = 16;
const MET: u32 = 24;
/// Replaces a slice of nibbles that is not stored.
const NO_NIBBLES: [u8; CHUNK_AREA / 2] = [0; CHUNK_AREA / 2];

/// Returns slice `y` of a section's arrays: its ids, and the nibbles with the ids' higher bits and
/// the data.
#[inline]
fn slice_arrays(
    [ids, add, data]: [&[u8]; 3],
    y: usize,
) -> Option<(&[u8; CHUNK_AREA], [&[u8; CHUNK_AREA / 2]; 2])> {
    let ids = ids.get(y * CHUNK_AREA..)?.first_chunk()?;
    let nibbles = [add, data].map(|stored| {
        stored
            .get(y * CHUNK_AREA / 2..)
            .and_then(|rest| rest.first_chunk())
    });
    Some((ids, nibbles.map(|nibbles| nibbles.unwrap_or(&NO_NIBBLES))))
}

fn is_uniform(bytes: &[u8]) -> bool {
    bytes[1..] == bytes[..bytes.len() - 1]
}

fn is_uniform_in_nibbles(bytes: &[u8; CHUNK_AREA / 2]) -> bool {
    bytes[0] >> 4 == bytes[0] & 15 && is_uniform(bytes)
}

/// Appends section `y` of arrays in the order `[x][z][y]`, rearranged to `[y][z][x]` as in other
/// chunks: first ids, then data. The arrays are 128 blocks high for a whole chunk, or 16 for one
/// section.
pub(crate) fn cut(ids: &[u8], data: &[u8], y: usize, out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + CUT_BYTES, 0);

    let (cut_ids, cut_data) = out[start..].split_at_mut(CELLS);
    let height = ids.len() / CHUNK_AREA;
    let y = y * 16 % height;
    for (column, stored) in ids.chunks_exact(height).enumerate() {
        let index = column % CHUNK_SIDE * CHUNK_SIDE + column / CHUNK_SIDE;
        let stored = &stored[y..y + 16];
        // Half of a chunk is air, which is 0 and therefore already there.
        if stored.iter().any(|&id| id != 0) {
            for (slice, &id) in cut_ids.chunks_exact_mut(CHUNK_AREA).zip(stored) {
                slice[index] = id;
            }
        }
    }

    for (column, stored) in data.chunks_exact(height / 2).enumerate() {
        let index = column % CHUNK_SIDE * CHUNK_SIDE + column / CHUNK_SIDE;
        let shift = index % 2 * 4;
        let stored = &stored[y / 2..y / 2 + 8];
        if stored.iter().any(|&pair| pair != 0) {
            for (slices, &pair) in cut_data.chunks_exact_mut(CHUNK_AREA).zip(stored) {
                slices[index / 2] |= (pair & 15) << shift;
                slices[CHUNK_AREA / 2 + index / 2] |= (pair >> 4) << shift;
            }
        }
    }
}

/// The numeric blocks that a worker has met, with dense indices. One table serves all sections of
/// all chunks.
#[derive(Debug)]
pub(crate) struct NumericTable {
    /// Index by `id << 4 | data`, or 0 if the block was not met yet.
    dense: Box<[u16]>,
    /// Kinds by `id << 4 | data`, or 0 if the block was not met yet.
    kinds: Box<[CellKinds]>,
    blocks: Vec<Block>,
    /// Whether the table contains ids of Bedrock Edition.
    is_bedrock: bool,
}

impl Default for NumericTable {
    fn default() -> Self {
        // Index 0 means "not met yet". The other 65,535 indices are enough for all but one of the
        // possible keys.
        Self {
            dense: vec![0; 1 << 16].into(),
            kinds: vec![0; 1 << 16].into(),
            blocks: vec![Block::AIR],
            is_bedrock: false,
        }
    }
}

impl NumericTable {
    /// Empties the table if it contains ids of the other edition.
    pub(crate) fn set_bedrock(&mut self, is_bedrock: bool) {
        if self.is_bedrock != is_bedrock {
            *self = Self {
                is_bedrock,
                ..Self::default()
            };
        }
    }

    #[inline]
    fn index(&mut self, id: u32, data: u8, name_cache: &mut NameCache) -> u16 {
        match self.dense[(id << 4 | u32::from(data)) as usize & 0xffff] {
            0 => self.meet(id, data, name_cache),
            index => index,
        }
    }

    #[cold]
    fn meet(&mut self, id: u32, data: u8, name_cache: &mut NameCache) -> u16 {
        let key = (id << 4 | u32::from(data)) as usize & 0xffff;

        let id = if self.is_bedrock {
            name_cache.bedrock_numeric_block(id, data)
        } else {
            name_cache.numeric_block(id, u16::from(data))
        };

        let index = u16::try_from(self.blocks.len()).unwrap_or(0);
        if index != 0 {
            self.blocks.push(Block {
                id,
                traits: name_cache.traits(id),
            });
            self.dense[key] = index;
        }

        let traits = name_cache.traits(id);
        self.kinds[key] = 1 << MET
            | CellKinds::from(traits.is_unseen()) << UNSEEN
            | CellKinds::from(traits.is_water()) << WATER
            | CellKinds::from(traits.is_plain_ground()) << GROUND;

        index
    }

    /// Returns the block in a cell of a section. The arrays are the same as in
    /// [`NumericTable::each`].
    #[inline]
    pub(crate) fn block(
        &mut self,
        [ids, add, data]: [&[u8]; 3],
        cell: usize,
        name_cache: &mut NameCache,
    ) -> Block {
        let Some(&low) = ids.get(cell) else {
            return Block::AIR;
        };
        let id = u32::from(low) | u32::from(nibble(add, cell)) << 8;
        let index = self.index(id, nibble(data, cell), name_cache);
        self.blocks[usize::from(index)]
    }

    /// Visits some cells of slice `y` of a section, in order. Its arrays are ids, higher bits of
    /// ids, and data; the last two may be empty.
    #[inline]
    pub(crate) fn each(
        &mut self,
        arrays: [&[u8]; 3],
        y: usize,
        cells: Mask,
        name_cache: &mut NameCache,
        mut visit: impl FnMut(usize, Block),
    ) {
        let Some((ids, [add, data])) = slice_arrays(arrays, y) else {
            return;
        };

        cells.each(|column| {
            let id = u32::from(ids[column]) | u32::from(nibble(add, column)) << 8;
            let index = self.index(id, nibble(data, column), name_cache);
            visit(column, self.blocks[usize::from(index)]);
        });
    }

    /// Returns slice `y` of a section. Only the open columns are valid.
    pub(crate) fn slice(
        &mut self,
        arrays: [&[u8]; 3],
        y: usize,
        open: Mask,
        name_cache: &mut NameCache,
    ) -> Slice {
        let mut slice = Slice {
            unseen: Mask::NONE,
            water: Mask::NONE,
            ground: Mask::NONE,
        };
        let Some((ids, [add, data])) = slice_arrays(arrays, y) else {
            return slice;
        };

        // Hardly any section has higher bits of ids.
        if is_uniform(ids)
            && is_uniform_in_nibbles(data)
            && (arrays[1].is_empty() || is_uniform_in_nibbles(add))
        {
            self.each(arrays, y, Mask::only(0), name_cache, |_, block| {
                slice = Slice::uniform(block);
            });
            return slice;
        }

        let (ids, _) = ids.as_chunks::<GROUP>();
        let (data, _) = data.as_chunks::<{ GROUP / 2 }>();
        let (add, _) = add.as_chunks::<{ GROUP / 2 }>();

        // Equal blocks are next to each other, so most groups of cells are stored as the same bytes
        // as the group before.
        let mut last = None;
        let mut kinds = 0;
        let mut fields = [[0; CHUNK_AREA / GROUP]; 3];
        for (group, &open) in open.bytes().iter().enumerate() {
            if open == 0 {
                continue;
            }

            let data = u32::from_le_bytes(data[group]);
            let add = u32::from_le_bytes(add[group]);
            let stored = (u64::from_le_bytes(ids[group]), data, add);
            if last != Some(stored) {
                last = Some(stored);
                kinds = self.kinds(ids[group], data, add, name_cache);
            }

            for (masks, field) in fields.iter_mut().zip([UNSEEN, WATER, GROUND]) {
                masks[group] = (kinds >> field) as u8;
            }
        }

        let [unseen, water, ground] = fields.map(Mask::from_bytes);
        Slice {
            unseen,
            water,
            ground,
        }
    }

    #[inline]
    fn kinds(
        &mut self,
        ids: [u8; GROUP],
        data: u32,
        add: u32,
        name_cache: &mut NameCache,
    ) -> CellKinds {
        // Most data is 0, and hardly any id has higher bits.
        let kinds = match (self.kinds.first_chunk::<4096>(), data, add) {
            (Some(small), 0, 0) => gather(|cell| small[usize::from(ids[cell]) << 4]),
            (Some(small), _, 0) => {
                gather(|cell| small[usize::from(ids[cell]) << 4 | group_nibble(data, cell)])
            }
            _ => gather(|cell| self.kinds[group_key(ids, data, add, cell) & 0xffff]),
        };

        if kinds >> MET == 0xff {
            return kinds;
        }

        for cell in 0..GROUP {
            let key = group_key(ids, data, add, cell);
            self.index((key >> 4) as u32, key as u8 & 15, name_cache);
        }

        gather(|cell| self.kinds[group_key(ids, data, add, cell) & 0xffff])
    }
}

/// Returns `id << 4 | data` of a cell in a group.
#[inline]
fn group_key(ids: [u8; GROUP], data: u32, add: u32, cell: usize) -> usize {
    usize::from(ids[cell]) << 4 | group_nibble(data, cell) | group_nibble(add, cell) << 12
}

/// Returns the nibble of a cell in a group. The first cell has the lowest bits.
#[inline]
fn group_nibble(nibbles: u32, cell: usize) -> usize {
    (nibbles >> (cell * 4) & 15) as usize
}

/// Gathers the kinds of a group cell by cell.
#[inline]
fn gather(kind: impl Fn(usize) -> CellKinds) -> CellKinds {
    (0..GROUP).fold(0, |kinds, cell| kinds | kind(cell) << cell)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::names::{Describe, Names, NumericNames, Traits};

    struct WaterNames;

    impl Describe for WaterNames {
        fn drawn_properties(&self, _: &str) -> Vec<String> {
            Vec::new()
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

    fn name_cache() -> NameCache {
        NameCache::new(Arc::new(Names::new(
            Arc::new(WaterNames),
            NumericNames::new("9:0\tminecraft:water", ""),
        )))
    }

    /// Returns bytes in runs, because equal blocks are next to each other.
    fn heaps(len: usize, every: usize, other: u8) -> Vec<u8> {
        (0..len)
            .map(|at| {
                if at / 29 % every == 0 {
                    other.wrapping_add((at % 3) as u8)
                } else {
                    9
                }
            })
            .collect()
    }

    #[test]
    fn a_layer_equals_its_cells() {
        let (mut table, mut name_cache) = (NumericTable::default(), name_cache());
        let (ids, data, add) = (
            heaps(CELLS, 5, 1),
            heaps(CELLS / 2, 7, 0x10),
            heaps(CELLS / 2, 40, 0),
        );

        let same = [9; CELLS];
        for arrays in [
            [&ids[..], &[], &[]],
            [&ids, &[], &data],
            [&ids, &add, &data],
            [&same, &[], &[]],
            [&same, &add, &[]],
        ] {
            for y in 0..16 {
                let slice = table.slice(arrays, y, Mask::ALL, &mut name_cache);
                let mut cells = Vec::new();
                table.each(arrays, y, Mask::ALL, &mut name_cache, |_, block| {
                    cells.push(block);
                });
                assert_eq!(slice, Slice::from_blocks(|column| cells[column]));

                let odd = Mask::from_fn(|column| column / 7 % 5 == 1);
                let found = table.slice(arrays, y, odd, &mut name_cache);
                for (found, all) in [
                    (found.unseen, slice.unseen),
                    (found.water, slice.water),
                    (found.ground, slice.ground),
                ] {
                    assert_eq!(found.and(odd), all.and(odd));
                }

                assert!(!slice.water.is_empty() && (ids != arrays[0] || slice.water != Mask::ALL));
            }
        }
    }

    #[test]
    fn a_section_is_cut_from_a_whole_chunk() {
        let ids: Vec<u8> = (0..128 * CHUNK_AREA)
            .map(|at| ((at * 31) >> 3) as u8)
            .collect();
        let data: Vec<u8> = (0..64 * CHUNK_AREA)
            .map(|at| ((at * 57) >> 2) as u8)
            .collect();
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
