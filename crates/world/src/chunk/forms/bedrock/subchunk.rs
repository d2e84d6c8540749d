//! Reads sections of Bedrock Edition since 1.2.13, and converts them to the order of Java Edition.
//!
//! A section consists of storages, and a storage of indices and a palette of names. The second
//! storage contains water in the same cells as the first. A block of the first storage is wet if
//! its cell has water, and if it is air, the cell contains only the water.

use super::dyes::Dyes;
use super::storage::{Cursor, Storage};
use crate::chunk::cells::{Block, CELLS};
use crate::chunk::error::ChunkError;
use crate::chunk::forms::java::packing::Packing;
use crate::chunk::meta::Warnings;
use crate::names::{BlockId, NameCache};
use crate::nbt::{LittleReader, Span, Tag};
use pixelmap_base::coord::CHUNK_SIDE;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Subchunk {
    /// All storages, consecutively.
    storages: Span,
    count: u8,
    /// Number of entries of the first palette.
    pub(crate) entries: usize,
}

/// The result of [`Subchunk::expand`].
pub(crate) struct SubchunkLayout {
    /// The layout of the indices, or `None` if the first block fills the section.
    pub(crate) packing: Option<Packing>,
    pub(crate) warnings: Warnings,
}

/// The start of a storage, which its palette follows.
struct SubchunkHead {
    storage: Storage,
    entries: usize,
}

impl Subchunk {
    /// Reads `count` storages. Checks only the start of the first one.
    pub(crate) fn read(mut cursor: Cursor<'_>, count: u8) -> Result<Self, ChunkError> {
        let mut start = cursor;
        let storages = start.take(start.rest().len())?;
        let SubchunkHead { entries, .. } = SubchunkHead::read(&mut cursor)?;
        Ok(Self {
            storages,
            count,
            entries,
        })
    }

    /// Appends the blocks of the section at height `y` to `blocks`, and the indices of its cells to
    /// `packed`, in the order of Java Edition, `[y][z][x]`.
    pub(crate) fn expand(
        self,
        y: i16,
        bytes: &[u8],
        dyes: &mut Dyes,
        name_cache: &mut NameCache,
        blocks: &mut Vec<Block>,
        packed: &mut Vec<u8>,
    ) -> SubchunkLayout {
        let mut warnings = Warnings::default();
        let mut cursor = Cursor::new(bytes, self.storages);
        let start = blocks.len();
        let Ok(SubchunkHead { storage, entries }) = SubchunkHead::read(&mut cursor) else {
            return SubchunkLayout {
                packing: None,
                warnings,
            };
        };

        let palette = cursor;

        let is_whole = add_palette(&mut cursor, entries, false, name_cache, blocks);
        if !is_whole {
            warnings.add(Warnings::NAMELESS);
        }

        let dry = blocks.len() - start;
        let mut cells = [0; CELLS];
        storage.unpack(bytes, &mut cells);

        let mut highest = highest_index(&cells);
        let is_past_end = highest >= dry;
        if is_past_end {
            warnings.add(Warnings::PALETTE_INDEX);
            cells
                .iter_mut()
                .filter(|cell| usize::from(**cell) >= dry)
                .for_each(|cell| *cell = u16::MAX);
        }

        let has_second = self.count > 1 && is_whole;
        let water = if has_second {
            soak(cursor, &mut cells, start, bytes, name_cache, blocks)
        } else {
            None
        };

        if let Some(alone) = water {
            // The wet versions of the first palette's blocks belong between the dry blocks and the
            // pure water.
            add_palette(&mut { palette }, entries, true, name_cache, blocks);
            blocks[start + dry..].rotate_left(alone);
        }

        let is_dyed = dyes.dye(y, bytes, &mut cells, start, name_cache, blocks);
        if is_past_end || water.is_some() || is_dyed {
            // The table ends with air, for indices past the palette's end.
            let end = blocks.len() - start;
            for cell in &mut cells {
                *cell = (*cell).min(end as u16);
            }
            highest = highest_index(&cells);
        }

        let packing = packing(highest);
        if let Some(Packing::Aligned(bits)) = packing {
            pack(&cells, bits, packed);
        }

        SubchunkLayout { packing, warnings }
    }

    /// Returns the bytes from the first palette on, which end with the palettes of the other
    /// storages.
    pub(in crate::chunk) fn palettes(self, bytes: &[u8]) -> &[u8] {
        let mut cursor = Cursor::new(bytes, self.storages);
        SubchunkHead::read(&mut cursor).map_or(&[], |_| cursor.rest())
    }

    /// Returns the first palette's entry for a cell, `[x][z][y]`, or `None` if it cannot be read.
    pub(crate) fn entry(self, bytes: &[u8], cell: usize) -> Option<&[u8]> {
        let mut cursor = Cursor::new(bytes, self.storages);
        let SubchunkHead { storage, entries } = SubchunkHead::read(&mut cursor).ok()?;
        let index = Some(storage.index(bytes, cell)).filter(|index| *index < entries)?;
        let mut reader = LittleReader::in_compound(cursor.rest());
        for _ in 0..index {
            next_entry(&mut reader)?;
        }
        Some(next_entry(&mut reader)?.slice(cursor.rest()))
    }
}

impl SubchunkHead {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ChunkError> {
        // Palettes of numbers cannot be read, because only a running game can resolve them.
        if cursor.rest().first().is_some_and(|head| head & 1 == 1) {
            return Err(ChunkError::FORM);
        }

        let storage = Storage::read(cursor)?;

        // A library wrote a length even for palettes of one entry. It can be recognised, because an
        // entry begins with the tag of a compound instead.
        if storage.is_uniform() && cursor.rest().starts_with(&[1, 0, 0, 0]) {
            cursor.int()?;
        }

        Ok(Self {
            storage,
            entries: storage.palette_len(cursor)?,
        })
    }
}

/// Returns the layout for indices up to `highest`, or `None` if all are 0.
fn packing(highest: usize) -> Option<Packing> {
    match highest {
        0 => None,
        1..16 => Some(Packing::Aligned(4)),
        16..256 => Some(Packing::Aligned(8)),
        _ => Some(Packing::Aligned(16)),
    }
}

fn highest_index(cells: &[u16; CELLS]) -> usize {
    usize::from(cells.iter().fold(0, |highest, &cell| cell.max(highest)))
}

/// Appends the blocks of a palette's entries, and moves the cursor behind the palette. Returns
/// false if an entry cannot be read.
fn add_palette(
    cursor: &mut Cursor<'_>,
    entries: usize,
    is_wet: bool,
    name_cache: &mut NameCache,
    blocks: &mut Vec<Block>,
) -> bool {
    let bytes = cursor.rest();
    let mut reader = LittleReader::in_compound(bytes);
    for _ in 0..entries {
        let Some(entry) = next_entry(&mut reader) else {
            return false;
        };
        let id = name_cache.bedrock_block(entry.slice(bytes), is_wet);
        blocks.push(Block {
            id,
            traits: name_cache.traits(id),
        });
    }

    cursor.take(reader.position()).is_ok()
}

/// Returns the payload of the next entry of a palette, or `None` if it cannot be read.
fn next_entry(reader: &mut LittleReader<'_>) -> Option<Span> {
    let Ok(Some((Tag::Compound, _))) = reader.entry() else {
        return None;
    };
    reader.skip_span(Tag::Compound).ok()
}

/// Reads the second storage at the cursor, and points each cell with water at the wet version of
/// its block, or at the water itself if the block is air. Returns `None` if the storage contains no
/// water or cannot be read.
///
/// The first palette's blocks begin at `start`. The table gets the same number of wet blocks behind
/// them, which the caller adds, and then the blocks of the second palette for cells that are air in
/// the first storage. This function appends only the blocks of the second palette. It returns their
/// number, or 0 if no cell needs them.
fn soak(
    mut cursor: Cursor<'_>,
    cells: &mut [u16; CELLS],
    start: usize,
    bytes: &[u8],
    name_cache: &mut NameCache,
    blocks: &mut Vec<Block>,
) -> Option<usize> {
    let SubchunkHead { storage, entries } = SubchunkHead::read(&mut cursor).ok()?;
    let end = blocks.len();
    add_palette(&mut cursor, entries, false, name_cache, blocks);

    let (first, second) = blocks[start..].split_at(end - start);
    if !second.iter().any(|block| block.traits.is_water()) {
        blocks.truncate(end);
        return None;
    }

    let mut indices = [0; CELLS];
    storage.unpack(bytes, &mut indices);

    let mut alone = 0;
    for (cell, index) in cells.iter_mut().zip(indices) {
        let is_water = second
            .get(usize::from(index))
            .is_some_and(|block| block.traits.is_water());
        match first.get(usize::from(*cell)) {
            Some(block) if is_water && block.id == BlockId::AIR => {
                *cell = 2 * first.len() as u16 + index;
                alone = second.len();
            }
            Some(_) if is_water => *cell += first.len() as u16,
            _ => {}
        }
    }

    blocks.truncate(end + alone);
    Some(alone)
}

/// Appends indices of `bits` bits (4, 8 or 16) in the order `[y][z][x]`, so that
/// [`Packing::Aligned`] can read them. The order of `cells` is `[x][z][y]`.
fn pack(cells: &[u16; CELLS], bits: u32, packed: &mut Vec<u8>) {
    match bits {
        4 => pack_bits::<4>(cells, packed),
        8 => pack_bits::<8>(cells, packed),
        _ => pack_bits::<16>(cells, packed),
    }
}

/// Implements [`pack`]. The number of bits is a constant so that the compiler moves several cells
/// at once.
fn pack_bits<const BITS: usize>(cells: &[u16; CELLS], packed: &mut Vec<u8>) {
    let start = packed.len();
    packed.resize(start + CELLS * BITS / 8, 0);

    let (columns, _) = cells.as_chunks::<CHUNK_SIDE>();
    let in_short = 16 / BITS;
    let in_row = CHUNK_SIDE / in_short;
    for z in 0..CHUNK_SIDE {
        // A row of shorts, `[position in the row][y]`. A short has as many cells as fit in it.
        let mut row = [[0_u16; CHUNK_SIDE]; CHUNK_SIDE];
        for part in 0..in_row {
            let mut made = [0_u16; CHUNK_SIDE];
            for x in 0..in_short {
                let column = &columns[(part * in_short + x) * CHUNK_SIDE + z];
                for (short, cell) in made.iter_mut().zip(column) {
                    *short |= cell << (x * BITS);
                }
            }

            // The first cells of a long are in its last bytes.
            row[part ^ 3] = made.map(u16::to_be);
        }

        let slices = packed[start..].chunks_exact_mut(CHUNK_SIDE * in_row * 2);
        for (y, slice) in slices.enumerate() {
            let (shorts, _) = slice[z * in_row * 2..][..in_row * 2].as_chunks_mut::<2>();
            for (short, made) in shorts.iter_mut().zip(&row) {
                *short = made[y].to_ne_bytes();
            }
        }
    }
}
