//! Writes a chunk in the NBT of the game's versions since 1.18.

const BYTE: u8 = 1;
const INT: u8 = 3;
const BYTE_ARRAY: u8 = 7;
const STRING: u8 = 8;
const LIST: u8 = 9;
const COMPOUND: u8 = 10;
const LONG_ARRAY: u8 = 12;
/// The end of a compound.
const END: u8 = 0;

/// Writes a string without its tag. The caller's strings are short.
pub(super) fn put_text(out: &mut Vec<u8>, text: &[u8]) {
    out.extend((text.len() as u16).to_be_bytes());
    out.extend(text);
}

/// Writes the tag and the name of a field.
fn put_field(out: &mut Vec<u8>, tag: u8, name: &str) {
    out.push(tag);
    put_text(out, name.as_bytes());
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

/// Writes an entry of a palette of block states. The name has its namespace.
pub(super) fn put_state(out: &mut Vec<u8>, name: &str, properties: &[(&str, &str)]) {
    put_field(out, STRING, "Name");
    put_text(out, name.as_bytes());

    if !properties.is_empty() {
        put_field(out, COMPOUND, "Properties");
        for (key, value) in properties {
            put_field(out, STRING, key);
            put_text(out, value.as_bytes());
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

/// Writes the light of blocks in a section: half a byte per cell, in the order of its blocks.
pub(super) fn put_block_light(out: &mut Vec<u8>, light: &[u8]) {
    put_field(out, BYTE_ARRAY, "BlockLight");
    out.extend((light.len() as u32).to_be_bytes());
    out.extend(light);
}

/// Writes a whole chunk. `data_version` is absent if the version of the game is not known. Each of
/// the sections has its height, in sections, and its fields: blocks, biomes and light. They may be
/// missing.
pub(super) fn put_chunk<'s>(
    out: &mut Vec<u8>,
    data_version: Option<i32>,
    sections: impl ExactSizeIterator<Item = (i8, [&'s [u8]; 2])>,
) {
    put_field(out, COMPOUND, "");
    if let Some(version) = data_version {
        put_int(out, "DataVersion", version);
    }

    put_list(out, "sections", COMPOUND, sections.len());
    for (y, fields) in sections {
        put_field(out, BYTE, "Y");
        out.push(y as u8);
        for fields in fields {
            out.extend_from_slice(fields);
        }
        out.push(END);
    }

    out.push(END);
}
