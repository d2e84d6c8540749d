//! Reads sections of mods that gave blocks more numeric ids than 12 bits can represent.
//!
//! `NotEnoughIDs` and `EndlessIDs` store wider ids in each cell. `JustEnoughIDs` and
//! `RoughlyEnoughIDs` store a palette of ids in each section, and an index into it in each cell.
//! Cells are looked up only when a slice is read, and equal neighbours only once, because most
//! cells of a section are never seen.

use super::slice::Slice;
use crate::chunk::cells::{Block, CELLS};
use crate::chunk::mask::Mask;
use crate::names::NameCache;
use crate::nbt::Span;
use pixelmap_base::coord::CHUNK_AREA;

/// The number of cells handled in one step.
const GROUP: usize = 8;
/// The stored arrays of a group, for comparison with another group.
type Stored = [u128; 2];
/// The kinds of a group: each field of eight bits has one bit per cell.
type GroupKinds = u32;
/// The first bit of each field.
const UNSEEN: u32 = 0;
const WATER: u32 = 8;
const GROUND: u32 = 16;
/// Indices past the palette's end, which are drawn as air.
const PAST_END: u32 = 24;

/// The arrays of a section, as spans or as bytes. An array that is not stored is empty, and its
/// cells are 0.
///
/// The *key* of a cell is `id << 4 | data`. In the last form it is the cell's index instead. If
/// data has 16 bits, its lowest 4 bits have the same position and the others begin at bit 20,
/// because ids then have 16 bits.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Wide<A> {
    /// `NotEnoughIDs`: ids of 16 bits, and data of 16 bits or as nibbles.
    Shorts { ids: A, data: A },
    /// Low bytes, nibbles (bits 8 to 11 and 12 to 15) and, for `EndlessIDs`, bytes (bits 16 to 23).
    Parts {
        low: A,
        add: A,
        add2: A,
        high: A,
        data: A,
    },
    /// `JustEnoughIDs`: `ids` and `data` make an index into a palette of `id << 4 | data`.
    Palette { ids: A, data: A, states: A },
}

impl Wide<Span> {
    /// Returns the arrays in the chunk's bytes.
    // Never inlined, so that the functions that call it remain small enough to be inlined.
    #[inline(never)]
    pub(crate) fn slices(self, bytes: &[u8]) -> Wide<&[u8]> {
        match self {
            Self::Shorts { ids, data } => Wide::Shorts {
                ids: ids.slice(bytes),
                data: data.slice(bytes),
            },
            Self::Parts {
                low,
                add,
                add2,
                high,
                data,
            } => Wide::Parts {
                low: low.slice(bytes),
                add: add.slice(bytes),
                add2: add2.slice(bytes),
                high: high.slice(bytes),
                data: data.slice(bytes),
            },
            Self::Palette { ids, data, states } => Wide::Palette {
                ids: ids.slice(bytes),
                data: data.slice(bytes),
                states: states.slice(bytes),
            },
        }
    }

    /// Appends the section's palette to `blocks`, as far as an index can reach. Appends nothing if
    /// the cells contain ids.
    pub(crate) fn resolve(self, bytes: &[u8], name_cache: &mut NameCache, blocks: &mut Vec<Block>) {
        let Self::Palette { states, .. } = self else {
            return;
        };
        let (states, _) = states.slice(bytes).as_chunks();
        blocks.extend(states.iter().take(CELLS).map(|state| {
            let state = u32::from_be_bytes(*state);
            named(state >> 4, state as u16 & 15, name_cache)
        }));
    }
}

impl<'a> Wide<&'a [u8]> {
    /// Returns a lookup for this section's keys. `palette` must be the blocks that
    /// [`Wide::resolve`] appended.
    #[inline]
    pub(crate) fn lookup(self, palette: &'a [Block], name_cache: &'a mut NameCache) -> Lookup<'a> {
        let has_wide_data = matches!(self, Self::Shorts { data, .. } if is_shorts(data));
        Lookup {
            palette: matches!(self, Self::Palette { .. }).then_some(palette),
            has_wide_data,
            name_cache,
        }
    }

    /// Returns slice `y` of the section, and whether any index in an open column is past the
    /// palette's end.
    pub(crate) fn slice(&self, y: usize, open: Mask, lookup: &mut Lookup<'_>) -> (Slice, bool) {
        if self.is_uniform(y) {
            let block = lookup.block(self.key(y * CHUNK_AREA));
            return (Slice::uniform(block.unwrap_or(Block::AIR)), block.is_none());
        }

        // Equal blocks are next to each other, so most groups are stored as the same bytes as the
        // group before.
        let mut last = None;

        let mut kinds = 0;
        let mut past_end = 0;
        let mut fields = [[0; CHUNK_AREA / GROUP]; 3];
        for (group, &open) in open.bytes().iter().enumerate() {
            if open == 0 {
                continue;
            }

            let stored = self.group(y * CHUNK_AREA + group * GROUP);
            if last != Some(stored) {
                last = Some(stored);
                kinds = lookup.kinds(self.keys(stored));
            }

            for (masks, field) in fields.iter_mut().zip([UNSEEN, WATER, GROUND]) {
                masks[group] = (kinds >> field) as u8;
            }

            past_end |= (kinds >> PAST_END) as u8 & open;
        }

        let [unseen, water, ground] = fields.map(Mask::from_bytes);
        (
            Slice {
                unseen,
                water,
                ground,
            },
            past_end != 0,
        )
    }

    /// Visits some cells of slice `y`, in order. Returns whether any index is past the palette's
    /// end.
    #[inline]
    pub(crate) fn each(
        &self,
        y: usize,
        cells: Mask,
        lookup: &mut Lookup<'_>,
        mut visit: impl FnMut(usize, Block),
    ) -> bool {
        let mut past_end = false;
        let mut last: Option<(u32, Block)> = None;

        let mut group = (CELLS, [0; GROUP]);
        cells.each(|column| {
            let cell = y * CHUNK_AREA + column;
            let (start, in_group) = (cell - cell % GROUP, cell % GROUP);
            if group.0 != start {
                group = (start, self.keys(self.group(start)));
            }

            let key = group.1[in_group];
            let block = match last {
                Some((last, block)) if last == key => block,
                _ => lookup.block_or_air(key, &mut past_end),
            };

            last = Some((key, block));
            visit(column, block);
        });

        past_end
    }

    /// Returns the key of one cell of the section.
    #[inline]
    pub(crate) fn key(&self, cell: usize) -> u32 {
        let in_group = cell % GROUP;
        self.keys(self.group(cell - in_group))[in_group]
    }

    /// Returns whether all cells of slice `y` are equal.
    fn is_uniform(&self, y: usize) -> bool {
        match *self {
            Self::Shorts { ids, data } => {
                if !are_equal_shorts(ids, y) {
                    return false;
                }

                if is_shorts(data) {
                    are_equal_shorts(data, y)
                } else {
                    are_equal_nibbles(data, y)
                }
            }
            Self::Parts {
                low,
                add,
                add2,
                high,
                data,
            } => {
                are_equal_bytes(low, y)
                    && are_equal_nibbles(add, y)
                    && are_equal_nibbles(add2, y)
                    && are_equal_bytes(high, y)
                    && are_equal_nibbles(data, y)
            }
            Self::Palette { ids, data, .. } => {
                are_equal_bytes(ids, y) && are_equal_nibbles(data, y)
            }
        }
    }

    /// Returns the arrays of the group that begins at a cell of the section.
    #[inline]
    fn group(&self, cell: usize) -> Stored {
        match *self {
            Self::Shorts { ids, data } => {
                let data = if is_shorts(data) {
                    shorts_at(data, cell)
                } else {
                    nibbles_at(data, cell)
                };

                [shorts_at(ids, cell), data]
            }
            Self::Parts {
                low,
                add,
                add2,
                high,
                data,
            } => [
                bytes_at(low, cell) | nibbles_at(add, cell) << 64 | nibbles_at(add2, cell) << 96,
                bytes_at(high, cell) | nibbles_at(data, cell) << 64,
            ],
            Self::Palette { ids, data, .. } => [bytes_at(ids, cell), nibbles_at(data, cell)],
        }
    }

    /// Decodes the keys of a group from its arrays.
    #[inline]
    fn keys(&self, [first, second]: Stored) -> [u32; GROUP] {
        match *self {
            Self::Shorts { data, .. } => {
                let ids = split_shorts(first);
                if is_shorts(data) {
                    let data = split_shorts(second);
                    return std::array::from_fn(|cell| {
                        let data = short(data, cell);
                        (data >> 4) << 20 | short(ids, cell) << 4 | data & 15
                    });
                }

                std::array::from_fn(|cell| short(ids, cell) << 4 | nibble(second as u32, cell))
            }
            Self::Parts { .. } => {
                let [low, high] = [first, second].map(|array| array as u64);
                let [add, add2, data] =
                    [first >> 64, first >> 96, second >> 64].map(|array| array as u32);
                std::array::from_fn(|cell| {
                    let id = byte(low, cell)
                        | nibble(add, cell) << 8
                        | nibble(add2, cell) << 12
                        | byte(high, cell) << 16;
                    id << 4 | nibble(data, cell)
                })
            }
            Self::Palette { .. } => {
                let (ids, data) = (first as u64, second as u32);
                std::array::from_fn(|cell| byte(ids, cell) << 4 | nibble(data, cell))
            }
        }
    }
}

/// Finds the blocks of a section's keys.
pub(crate) struct Lookup<'a> {
    /// The blocks by key, or `None` if the keys contain ids.
    palette: Option<&'a [Block]>,
    /// Whether the keys contain data of 16 bits.
    has_wide_data: bool,
    name_cache: &'a mut NameCache,
}

impl Lookup<'_> {
    /// Returns the block of a key, or `None` if the key is past the palette's end.
    #[inline]
    fn block(&mut self, key: u32) -> Option<Block> {
        match self.palette {
            Some(palette) => palette.get(key as usize).copied(),
            None if self.has_wide_data => {
                let data = (key >> 16) as u16 & !15 | key as u16 & 15;
                Some(named(key >> 4 & 0xffff, data, self.name_cache))
            }
            None => Some(named(key >> 4, key as u16 & 15, self.name_cache)),
        }
    }

    /// Returns the block of a key. Past the palette's end, returns air and sets `past_end`.
    #[inline]
    pub(crate) fn block_or_air(&mut self, key: u32, past_end: &mut bool) -> Block {
        self.block(key).unwrap_or_else(|| {
            *past_end = true;
            Block::AIR
        })
    }

    #[inline]
    fn kinds(&mut self, keys: [u32; GROUP]) -> GroupKinds {
        let (mut last, mut same) = (keys[0], self.kind(keys[0]));
        keys.iter().enumerate().fold(0, |kinds, (cell, &key)| {
            if key != last {
                (last, same) = (key, self.kind(key));
            }
            kinds | same << cell
        })
    }

    /// Returns the kind of a key, in the bits of the first cell of a group.
    fn kind(&mut self, key: u32) -> GroupKinds {
        let Some(Block { traits, .. }) = self.block(key) else {
            return 1 << PAST_END | 1 << UNSEEN;
        };
        GroupKinds::from(traits.is_unseen()) << UNSEEN
            | GroupKinds::from(traits.is_water()) << WATER
            | GroupKinds::from(traits.is_plain_ground()) << GROUND
    }
}

#[inline]
fn named(id: u32, data: u16, name_cache: &mut NameCache) -> Block {
    let id = name_cache.numeric_block(id, data);
    Block {
        id,
        traits: name_cache.traits(id),
    }
}

/// Data of 16 bits has four times as many bytes as nibbles.
#[inline]
fn is_shorts(data: &[u8]) -> bool {
    data.len() == CELLS * 2
}

/// Returns `N` bytes of an array, or zeros if the array is not stored.
#[inline]
fn part<const N: usize>(array: &[u8], at: usize) -> [u8; N] {
    array
        .get(at..)
        .and_then(|rest| rest.first_chunk())
        .copied()
        .unwrap_or([0; N])
}

/// Returns the shorts of a group, with the first cell in the highest bits.
#[inline]
fn shorts_at(array: &[u8], cell: usize) -> u128 {
    u128::from_be_bytes(part(array, cell * 2))
}

/// Returns the bytes of a group, with the first cell in the lowest bits.
#[inline]
fn bytes_at(array: &[u8], cell: usize) -> u128 {
    u128::from(u64::from_le_bytes(part(array, cell)))
}

/// Returns the nibbles of a group, with the first cell in the lowest bits.
#[inline]
fn nibbles_at(array: &[u8], cell: usize) -> u128 {
    u128::from(u32::from_le_bytes(part(array, cell / 2)))
}

/// Splits the shorts of a group. They are big-endian, so the first one is in the highest bits.
#[inline]
fn split_shorts(shorts: u128) -> [[u8; 2]; GROUP] {
    let bytes = shorts.to_be_bytes();
    let (shorts, _) = bytes.as_chunks::<2>();
    shorts.first_chunk::<GROUP>().copied().unwrap_or_default()
}

#[inline]
fn short(shorts: [[u8; 2]; GROUP], cell: usize) -> u32 {
    u32::from(u16::from_be_bytes(shorts[cell]))
}

#[inline]
fn byte(bytes: u64, cell: usize) -> u32 {
    u32::from(bytes.to_le_bytes()[cell])
}

#[inline]
fn nibble(nibbles: u32, cell: usize) -> u32 {
    nibbles >> (cell * 4) & 15
}

#[inline]
fn are_equal_bytes(array: &[u8], y: usize) -> bool {
    repeats::<CHUNK_AREA>(array, y, 1).is_some()
}

#[inline]
fn are_equal_shorts(array: &[u8], y: usize) -> bool {
    repeats::<{ CHUNK_AREA * 2 }>(array, y, 2).is_some()
}

#[inline]
fn are_equal_nibbles(array: &[u8], y: usize) -> bool {
    repeats::<{ CHUNK_AREA / 2 }>(array, y, 1).is_some_and(|pair| pair >> 4 == pair & 15)
}

/// Returns the first byte of slice `y` of an array if the slice's `N` bytes repeat every `width`
/// bytes.
fn repeats<const N: usize>(array: &[u8], y: usize, width: usize) -> Option<u8> {
    let Some(slice) = array.get(y * N..).and_then(|rest| rest.first_chunk::<N>()) else {
        return Some(0);
    };
    (slice[width..] == slice[..N - width]).then_some(slice[0])
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::names::{Describe, Names, NumericNames, Traits};

    /// Describes every third id as water, and the next one as unseen.
    struct Thirds;

    impl Describe for Thirds {
        fn drawn_properties(&self, _: &str) -> Vec<String> {
            Vec::new()
        }

        fn traits(&self, name: &str, _: &str) -> Traits {
            let id = name.split(':').nth(1).and_then(|id| id.parse::<u32>().ok());
            [Traits::WATER, Traits::HIDDEN, Traits::GROUND][id.unwrap_or(1) as usize % 3]
        }

        fn knows_biome(&self, _: &str) -> bool {
            true
        }
    }

    /// Returns bytes in runs, because equal blocks are next to each other. Each of the last slices
    /// has only one value.
    fn runs(len: usize, seed: usize) -> Vec<u8> {
        let run = |at: usize| ((at / 23 * seed * 2_654_435_761) >> 7) as u8;
        (0..len)
            .map(|at| if at < len * 3 / 4 { run(at) } else { 0x11 })
            .collect()
    }

    #[test]
    fn slices_equal_their_cells_in_each_form() {
        let mut name_cache = NameCache::new(Arc::new(Names::new(
            Arc::new(Thirds),
            NumericNames::default(),
        )));

        let [low, shorts] = [runs(CELLS, 3), runs(CELLS * 2, 5)];
        let [high, wide_data] = [runs(CELLS, 7), runs(CELLS * 2, 11)];
        let [add, add2, data] = [13, 17, 19].map(|seed| runs(CELLS / 2, seed));
        let few: Vec<u8> = low.iter().map(|id| id & 15).collect();
        let states: Vec<u8> = (0..200_u32)
            .flat_map(|id| (id * 977).to_be_bytes())
            .collect();
        let none: &[u8] = &[];

        let short = |bytes: &[u8], cell: usize| {
            u32::from(u16::from_be_bytes([bytes[cell * 2], bytes[cell * 2 + 1]]))
        };

        let half = |bytes: &[u8], cell: usize| u32::from(bytes[cell / 2] >> (cell % 2 * 4) & 15);
        let of = |bytes: &[u8], cell: usize| u32::from(bytes[cell]);

        let keys = |key: &dyn Fn(usize) -> u32| (0..CELLS).map(key).collect::<Vec<_>>();
        let forms = [
            (
                Wide::Shorts {
                    ids: &shorts[..],
                    data: none,
                },
                keys(&|cell| short(&shorts, cell) << 4),
            ),
            (
                Wide::Shorts {
                    ids: &shorts,
                    data: &data,
                },
                keys(&|cell| short(&shorts, cell) << 4 | half(&data, cell)),
            ),
            (
                Wide::Shorts {
                    ids: &shorts,
                    data: &wide_data,
                },
                keys(&|cell| {
                    let data = short(&wide_data, cell);
                    (data >> 4) << 20 | short(&shorts, cell) << 4 | data & 15
                }),
            ),
            (
                Wide::Parts {
                    low: &low,
                    add: &add,
                    add2: &add2,
                    high: &high,
                    data: &data,
                },
                keys(&|cell| {
                    let id =
                        half(&add, cell) << 8 | half(&add2, cell) << 12 | of(&high, cell) << 16;
                    (id | of(&low, cell)) << 4 | half(&data, cell)
                }),
            ),
            (
                Wide::Parts {
                    low: &low,
                    add: none,
                    add2: &add2,
                    high: none,
                    data: none,
                },
                keys(&|cell| (half(&add2, cell) << 12 | of(&low, cell)) << 4),
            ),
            (
                Wide::Palette {
                    ids: &few,
                    data: &data,
                    states: &states,
                },
                keys(&|cell| of(&few, cell) << 4 | half(&data, cell)),
            ),
        ];

        let mut palette: Vec<Block> = Vec::new();
        let states = (0..200_u32).map(|id| id * 977);
        palette.extend(states.map(|state| named(state >> 4, state as u16 & 15, &mut name_cache)));

        let mut past_ends = 0;
        for (wide, keys) in forms {
            let mut lookup = wide.lookup(&palette, &mut name_cache);
            for y in 0..16 {
                let key = |column: usize| keys[y * CHUNK_AREA + column];

                let blocks: Vec<Option<Block>> = (0..CHUNK_AREA)
                    .map(|column| lookup.block(key(column)))
                    .collect();
                for open in [
                    Mask::ALL,
                    Mask::from_fn(|column| column / 7 % 5 == 1),
                    Mask::only(200),
                ] {
                    let is_past = !Mask::from_fn(|column| blocks[column].is_none())
                        .and(open)
                        .is_empty();
                    let expected =
                        Slice::from_blocks(|column| blocks[column].unwrap_or(Block::AIR));
                    let (found, past_end) = wide.slice(y, open, &mut lookup);

                    let masks = |slice: Slice| {
                        [slice.unseen, slice.water, slice.ground].map(|mask| mask.and(open))
                    };

                    assert_eq!(
                        (masks(found), past_end),
                        (masks(expected), is_past),
                        "{wide:?} {y}"
                    );

                    past_ends += usize::from(past_end);
                    let mut seen = Mask::NONE;
                    let past_end = wide.each(y, open, &mut lookup, |column, block| {
                        seen.insert(column);
                        assert_eq!(block.id, blocks[column].unwrap_or(Block::AIR).id);
                    });
                    assert_eq!((seen, past_end), (open, is_past));
                }
            }
        }

        assert!(past_ends > 0);
    }
}
