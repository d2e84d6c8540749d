//! Writes a chunk in the NBT of the game's versions since 1.18.

use crate::zvcr::heights::Heights;

const BYTE: u8 = 1;
const INT: u8 = 3;
const STRING: u8 = 8;
const LIST: u8 = 9;
const COMPOUND: u8 = 10;
const LONG_ARRAY: u8 = 12;
/// The end of a compound.
const END: u8 = 0;

/// Writes a string without its tag. The caller's strings are short.
fn put_text(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as u16).to_be_bytes());
    out.extend(text.as_bytes());
}

/// Writes a name of the game with its namespace.
pub(super) fn put_game_name(out: &mut Vec<u8>, name: &str) {
    const NAMESPACE: &[u8] = b"minecraft:";
    out.extend(((NAMESPACE.len() + name.len()) as u16).to_be_bytes());
    out.extend(NAMESPACE);
    out.extend(name.as_bytes());
}

/// Writes the tag and the name of a field.
fn put_field(out: &mut Vec<u8>, tag: u8, name: &str) {
    out.push(tag);
    put_text(out, name);
}

fn put_int(out: &mut Vec<u8>, name: &str, number: i32) {
    put_field(out, INT, name);
    out.extend(number.to_be_bytes());
}

/// Writes the start of a list: the tag and the number of its items.
fn put_list(out: &mut Vec<u8>, name: &str, tag: u8, len: usize) {
    put_field(out, LIST, name);
    out.push(tag);
    out.extend((len as u32).to_be_bytes());
}

/// Writes an entry of a palette of block states.
pub(super) fn put_state(out: &mut Vec<u8>, name: &str, properties: &[(&str, &str)]) {
    put_field(out, STRING, "Name");
    put_game_name(out, name);

    if !properties.is_empty() {
        put_field(out, COMPOUND, "Properties");
        for (key, value) in properties {
            put_field(out, STRING, key);
            put_text(out, value);
        }
        out.push(END);
    }

    out.push(END);
}

/// The two kinds of cells that a section has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Blocks,
    Biomes,
}

impl Kind {
    /// Returns the number of cells in a section.
    pub(super) const fn cells(self) -> usize {
        match self {
            Self::Blocks => 4096,
            Self::Biomes => 64,
        }
    }

    const fn field(self) -> &'static str {
        match self {
            Self::Blocks => "block_states",
            Self::Biomes => "biomes",
        }
    }
}

/// Writes the start of the cells of a section. The entries of the palette must follow.
pub(super) fn start_cells(out: &mut Vec<u8>, kind: Kind, palette: usize) {
    put_field(out, COMPOUND, kind.field());
    let tag = match kind {
        Kind::Blocks => COMPOUND,
        Kind::Biomes => STRING,
    };
    put_list(out, "palette", tag, palette);
}

/// Ends the cells of a section. `longs` are its indices, and absent in a uniform section.
pub(super) fn end_cells(out: &mut Vec<u8>, longs: Option<impl ExactSizeIterator<Item = u64>>) {
    if let Some(longs) = longs {
        put_field(out, LONG_ARRAY, "data");
        out.extend((longs.len() as u32).to_be_bytes());
        out.extend(longs.flat_map(u64::to_be_bytes));
    }
    out.push(END);
}

/// Writes a block entity. `fields` are its fields with the end of their compound.
pub(super) fn put_block_entity(out: &mut Vec<u8>, name: &str, at: [i32; 3], fields: &[u8]) {
    put_field(out, STRING, "id");
    put_game_name(out, name);
    for (name, number) in ["x", "y", "z"].into_iter().zip(at) {
        put_int(out, name, number);
    }
    out.extend(fields);
}

/// The parts of a chunk, each of them in NBT.
pub(super) struct ChunkParts<'a> {
    pub(super) data_version: i32,
    pub(super) heights: Heights,
    /// The cells of each section, the lowest first: blocks and biomes. They may be missing.
    pub(super) blocks: &'a [&'a [u8]],
    pub(super) biomes: &'a [&'a [u8]],
    pub(super) block_entities: &'a [u8],
    pub(super) block_entity_count: usize,
}

/// Writes a whole chunk.
pub(super) fn put_chunk(out: &mut Vec<u8>, parts: &ChunkParts<'_>) {
    put_field(out, COMPOUND, "");
    put_int(out, "DataVersion", parts.data_version);

    put_list(out, "sections", COMPOUND, parts.heights.sections);
    for (index, (blocks, biomes)) in parts.blocks.iter().zip(parts.biomes).enumerate() {
        put_field(out, BYTE, "Y");
        out.push((parts.heights.lowest + index as i8) as u8);
        out.extend_from_slice(blocks);
        out.extend_from_slice(biomes);
        out.push(END);
    }

    put_list(out, "block_entities", COMPOUND, parts.block_entity_count);
    out.extend_from_slice(parts.block_entities);
    out.push(END);
}
