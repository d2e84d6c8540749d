//! Reads the entries of a section palette, in every form in which chunks store them.
//!
//! Up to 26.2 an entry is `{Name, Properties}`. From 26.3 on it is a string, which means the
//! block's default state, or `{id, properties}`. A string in a list that also contains compounds is
//! wrapped as `{"": string}`. One list may mix these forms.

use crate::chunk::cells::Block;
use crate::names::{BlockId, NameCache, Traits};
use crate::nbt::{List, Reader, Span, Tag};

/// More properties than any block has. Further ones are skipped.
const MAX_PROPERTIES: usize = 32;
/// The most entries that indices of 16 bits can reach.
const MAX_ENTRIES: usize = (1 << 16) - 1;

/// A section's palette, and the bytes of its entries.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SectionPalette {
    pub(crate) list: List,
    pub(crate) stored: Span,
}

impl SectionPalette {
    /// Reads the position of a palette. Skipping its entries also checks them.
    pub(crate) fn read(
        reader: &mut Reader<'_>,
        tag: Tag,
    ) -> Result<Option<Self>, crate::nbt::Error> {
        Ok(reader
            .whole_list(tag)?
            .map(|(list, stored)| Self { list, stored }))
    }

    /// Returns whether another palette of the same chunk is stored as the same bytes.
    #[inline]
    pub(crate) fn is_same(self, other: Self, bytes: &[u8]) -> bool {
        self.list.tag == other.list.tag && self.stored.slice(bytes) == other.stored.slice(bytes)
    }

    /// Appends the blocks of the entries. An entry without a name becomes air. Returns whether
    /// there was one.
    #[inline]
    pub(crate) fn resolve(
        self,
        bytes: &[u8],
        name_cache: &mut NameCache,
        blocks: &mut Vec<Block>,
    ) -> bool {
        let mut nameless = false;
        let mut reader = Reader::at_list(bytes, self.list);
        for _ in 0..self.list.len.min(MAX_ENTRIES) {
            // The list was walked when the chunk was parsed, so this never fails.
            let Ok(entry) = entry(bytes, &mut reader, self.list.tag, name_cache) else {
                return nameless;
            };

            nameless |= entry.is_none();

            let (mut id, properties) = entry.unwrap_or((BlockId::AIR, None));
            let traits = name_cache.traits(id);
            if traits.any(Traits::UNKNOWN)
                && let Some(stored) = properties
            {
                id = name_cache
                    .unknown_state(id, stored.slice(bytes), || all_properties(bytes, stored));
            }

            blocks.push(Block { id, traits });
        }

        nameless
    }
}

/// Reads an entry: its block, and where its properties are stored. Returns `None` for an entry
/// without a name.
fn entry<'a>(
    bytes: &'a [u8],
    reader: &mut Reader<'a>,
    tag: Tag,
    name_cache: &mut NameCache,
) -> Result<Option<(BlockId, Option<Span>)>, crate::nbt::Error> {
    if tag == Tag::String {
        let name = reader.string(tag)?;
        return Ok(name.map(|name| (name_cache.block(name, |_| None), None)));
    }
    if !reader.compound(tag)? {
        return Ok(None);
    }

    let mut name = None;
    let mut properties = None;
    while let Some((tag, key)) = reader.entry()? {
        match key {
            b"" | b"Name" | b"id" => name = reader.string(tag)?.or(name),
            b"Properties" | b"properties" => {
                let stored = reader.skip_span(tag)?;
                properties = (tag == Tag::Compound).then_some(stored).or(properties);
            }
            _ => reader.skip(tag)?,
        }
    }

    let Some(name) = name else {
        return Ok(None);
    };

    // Few blocks look different in their states, so properties are read only if the name cache
    // needs one.
    let id = name_cache.block(name, |wanted| property(bytes, properties?, wanted));

    Ok(Some((id, properties)))
}

/// Returns the value of a property in a compound, the last one if it occurs several times.
fn property<'a>(bytes: &'a [u8], stored: Span, wanted: &[u8]) -> Option<&'a [u8]> {
    let mut value = None;
    each_property(bytes, stored, |key, stored| {
        if key == wanted {
            value = Some(stored);
        }
    })
    .ok()?;

    value
}

/// Visits the properties in a compound in their order.
fn each_property<'a>(
    bytes: &'a [u8],
    stored: Span,
    mut visit: impl FnMut(&'a [u8], &'a [u8]),
) -> Result<(), crate::nbt::Error> {
    let mut reader = Reader::at_payload(bytes, stored);
    reader.compound(Tag::Compound)?;

    let mut count = 0;
    while count < MAX_PROPERTIES
        && let Some((tag, key)) = reader.entry()?
    {
        let Some(value) = reader.string(tag)? else {
            continue;
        };
        count += 1;
        visit(key, value);
    }

    Ok(())
}

/// Returns the properties in a compound. The compound was walked when the chunk was parsed, so this
/// never fails.
fn all_properties(bytes: &[u8], stored: Span) -> Vec<(&[u8], &[u8])> {
    let mut all = Vec::new();
    let _ = each_property(bytes, stored, |key, value| all.push((key, value)));
    all
}
