//! Sections of Bedrock Edition since 1.2.13: storages, of which each is indices and a palette of names. The second one
//! holds what is in the same cells: water, in which the blocks of the first one are wet.

use super::blocks::{Blocks, CELLS};
use super::packing::Packing;
use super::storage::{Cursor, Storage};
use super::{Block, Error, Warnings};
use crate::base::coord::CHUNK_SIDE;
use crate::world::names::NameCache;
use crate::world::nbt::{LittleReader, Span, Tag};

#[derive(Debug, Clone, Copy)]
pub(super) struct Subchunk {
    /// The storages, one after another.
    storages: Span,
    count: u8,
    /// Number of entries of the first palette.
    pub(super) entries: usize,
}

/// What [`Subchunk::expand`] made.
pub(super) struct Expanded {
    /// The layout of the indices; `None`: the first block fills the section.
    pub(super) packing: Option<Packing>,
    pub(super) warnings: Warnings,
}

/// The start of a storage: its palette is behind it.
struct Head {
    storage: Storage,
    entries: usize,
}

impl Subchunk {
    /// Reads `count` storages; only the first one's start is checked.
    pub(super) fn read(mut cursor: Cursor<'_>, count: u8) -> Result<Blocks, Error> {
        if count == 0 {
            return Ok(Blocks::Air);
        }
        let mut start = cursor;
        let storages = start.take(start.rest().len())?;
        let Head { entries, .. } = Head::read(&mut cursor)?;
        Ok(Blocks::Subchunk(Self { storages, count, entries }))
    }

    /// Appends the section's blocks to `blocks`, and indices of its cells into them to `packed`, in the order of Java
    /// Edition, `[y][z][x]`.
    pub(super) fn expand(
        self,
        bytes: &[u8],
        name_cache: &mut NameCache,
        blocks: &mut Vec<Block>,
        packed: &mut Vec<u8>,
    ) -> Expanded {
        let mut warnings = Warnings::default();
        let mut cursor = Cursor::new(bytes, self.storages);
        let start = blocks.len();
        let Ok(Head { storage, entries }) = Head::read(&mut cursor) else {
            return Expanded { packing: None, warnings };
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
            cells.iter_mut().filter(|cell| usize::from(**cell) >= dry).for_each(|cell| *cell = u16::MAX);
        }
        let is_wet = self.count > 1 && is_whole && soak(cursor, &mut cells, dry, bytes, name_cache, blocks);
        if is_wet {
            // Behind the blocks as they are dry, the same wet.
            add_palette(&mut { palette }, entries, true, name_cache, blocks);
        }
        if is_past_end || is_wet {
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
        Expanded { packing, warnings }
    }
}

impl Head {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        // Numbers of blocks are known to a running game only.
        if cursor.rest().first().is_some_and(|head| head & 1 == 1) {
            return Err(Error::FORM);
        }
        let storage = Storage::read(cursor)?;
        // A library wrote the length of palettes of one entry, too. An entry begins with the tag of a compound.
        if storage.is_uniform() && cursor.rest().starts_with(&[1, 0, 0, 0]) {
            cursor.int()?;
        }
        Ok(Self { storage, entries: storage.palette_len(cursor)? })
    }
}

/// The layout of indices up to `highest`; `None`: all are 0.
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

/// Appends the blocks of a palette's entries, and moves the cursor behind it. Returns false where it cannot be read to
/// its end.
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
        let Ok(Some((Tag::Compound, _))) = reader.entry() else { return false };
        let Ok(entry) = reader.skip_span(Tag::Compound) else { return false };
        let id = name_cache.bedrock_block(entry.slice(bytes), is_wet);
        blocks.push(Block { id, traits: name_cache.traits(id) });
    }
    cursor.take(reader.position()).is_ok()
}

/// Adds `dry` to the indices of the cells that are water in the second storage, where the cursor is. Returns whether
/// there are any.
fn soak(
    mut cursor: Cursor<'_>,
    cells: &mut [u16; CELLS],
    dry: usize,
    bytes: &[u8],
    name_cache: &mut NameCache,
    blocks: &mut Vec<Block>,
) -> bool {
    let Ok(Head { storage, entries }) = Head::read(&mut cursor) else { return false };
    let start = blocks.len();
    add_palette(&mut cursor, entries, false, name_cache, blocks);
    let second = &blocks[start..];
    let is_wet = second.iter().any(|block| block.traits.is_water());
    if is_wet {
        let mut indices = [0; CELLS];
        storage.unpack(bytes, &mut indices);
        for (cell, index) in cells.iter_mut().zip(indices) {
            if usize::from(*cell) < dry && second.get(usize::from(index)).is_some_and(|block| block.traits.is_water()) {
                *cell += dry as u16;
            }
        }
    }
    blocks.truncate(start);
    is_wet
}

/// Appends indices of `bits` bits (4, 8 or 16) in the order `[y][z][x]`, as [`Packing::Aligned`] reads them; `cells`
/// run `[x][z][y]`.
fn pack(cells: &[u16; CELLS], bits: u32, packed: &mut Vec<u8>) {
    let start = packed.len();
    packed.resize(start + CELLS * bits as usize / 8, 0);
    let (shorts, _) = packed[start..].as_chunks_mut::<2>();
    let in_short = 16 / bits as usize;
    let in_row = CHUNK_SIDE / in_short;
    for (z, part) in (0..CHUNK_SIDE).flat_map(|z| (0..in_row).map(move |part| (z, part))) {
        // A quarter of a long at each height, of as many columns of cells as it holds.
        let mut made = [0_u16; 16];
        for x in 0..in_short {
            let column = ((part * in_short + x) * CHUNK_SIDE + z) * 16;
            for (short, &cell) in made.iter_mut().zip(&cells[column..column + 16]) {
                *short |= cell << (x as u32 * bits);
            }
        }
        // The first cells of a long are in its last bytes.
        let place = z * in_row + (part ^ 3);
        for (slice, short) in shorts.chunks_exact_mut(CHUNK_SIDE * in_row).zip(made) {
            slice[place] = short.to_be_bytes();
        }
    }
}
