//! The entries of a section palette, in every form they are stored in.
//!
//! Up to 26.2 an entry is `{Name, Properties}`. From 26.3 on it is a string, which means the block's default state, or
//! `{id, properties}`; a string in a list that also holds compounds is wrapped as `{"": string}`. One list may mix them.

use crate::block::{BlockId, Book};
use crate::nbt::{List, Reader, Tag};

/// More properties than any block has; what comes after is left out.
const MAX_PROPERTIES: usize = 32;
/// The most entries that 16-bit indices can reach.
const MAX_ENTRIES: usize = (1 << 16) - 1;

/// Appends the ids of a palette's entries; an entry without a name is air. Says whether there was one.
pub(super) fn resolve(bytes: &[u8], names: List, book: &mut Book, ids: &mut Vec<BlockId>) -> bool {
    let mut nameless = false;
    let mut reader = Reader::at_list(bytes, names);
    for _ in 0..names.len.min(MAX_ENTRIES) {
        // The list was walked when the chunk was parsed, so nothing is wrong with it here.
        let Ok(id) = entry(&mut reader, names.tag, book) else { return nameless };
        nameless |= id.is_none();
        ids.push(id.unwrap_or(BlockId::AIR));
    }
    nameless
}

fn entry(reader: &mut Reader<'_>, tag: Tag, book: &mut Book) -> Result<Option<BlockId>, crate::nbt::Error> {
    if tag == Tag::String {
        let name = reader.string(tag)?;
        return Ok(name.map(|name| book.block(name, |_| None)));
    }
    if !reader.compound(tag)? {
        return Ok(None);
    }
    let mut name = None;
    let mut properties = [(&b""[..], &b""[..]); MAX_PROPERTIES];
    let mut count = 0;
    while let Some((tag, key)) = reader.entry()? {
        match key {
            b"" | b"Name" | b"id" => name = reader.string(tag)?.or(name),
            b"Properties" | b"properties" => {
                if reader.compound(tag)? {
                    count = 0;
                    while let Some((tag, key)) = reader.entry()? {
                        if let (Some(value), true) = (reader.string(tag)?, count < MAX_PROPERTIES) {
                            properties[count] = (key, value);
                            count += 1;
                        }
                    }
                }
            }
            _ => reader.skip(tag)?,
        }
    }
    let of = |wanted: &[u8]| properties[..count].iter().rev().find(|(key, _)| *key == wanted).map(|&(_, value)| value);
    Ok(name.map(|name| book.block(name, of)))
}
