//! The bytes of a chunk whose blocks and biomes are numbers of the game's network protocol, as
//! [`Form::Network`](super::Form::Network) has them.
//!
//! The header is the protocol (u16), the height of the lowest section in sections (i8), and the
//! number of sections (u8). The cells of all sections follow, the lowest first: all blocks, and then
//! all biomes. Then follows the time at which the chunk was found changed (i64), or [`NO_TIME`]. The
//! rest, if any, is the list of block entities in NBT.
//!
//! The cells of a section begin with the number of bits of an index (u8), or [`NOT_STORED`]. With 0
//! bits all cells have the first number of the palette. Then the palette follows: its length (u16)
//! and its numbers (u16); and then the indices in longs, which are packed as the game packs them.
//! Longs are big-endian, and all other numbers little-endian.

/// The number of bits of a section whose cells are not stored. Nothing follows it.
pub(crate) const NOT_STORED: u8 = u8::MAX;

/// The time of a chunk without a time.
pub(crate) const NO_TIME: i64 = i64::MIN;

/// Writes the header of a chunk.
pub(crate) fn put_header(out: &mut Vec<u8>, protocol: u16, lowest: i8, sections: u8) {
    out.extend(protocol.to_le_bytes());
    out.extend([lowest as u8, sections]);
}

/// Writes the start of the cells of a section, up to its palette. The caller's palettes have at most
/// as many numbers as there are cells.
pub(crate) fn put_palette(out: &mut Vec<u8>, bits: u8, palette: &[u16]) {
    out.push(bits);
    out.extend((palette.len() as u16).to_le_bytes());
    for number in palette {
        out.extend(number.to_le_bytes());
    }
}

/// Writes the time at which the chunk was found changed, in seconds since 1970.
pub(crate) fn put_time(out: &mut Vec<u8>, time: Option<i64>) {
    out.extend(time.unwrap_or(NO_TIME).to_le_bytes());
}

/// Writes little-endian longs of indices.
pub(crate) fn put_longs(out: &mut Vec<u8>, longs: &[u8]) {
    let start = out.len();
    out.extend_from_slice(longs);
    for long in out[start..].as_chunks_mut::<8>().0 {
        long.reverse();
    }
}
