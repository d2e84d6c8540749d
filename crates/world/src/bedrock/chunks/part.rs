//! Defines the part of a block that belongs to one chunk. Workers keep parts, because reading one
//! again is faster than inflating its block again.
//!
//! A part is a list of entries. Each entry consists of its tag and section (u8 each), its sequence
//! (u64), whether it has a value (u8), the value's length (u32) and the value.

use std::ops::Range;

use super::key::ChunkKey;
use crate::bedrock::leveldb::fields;

/// Bytes of an entry in front of its value.
const HEAD: usize = 15;

/// An entry of a chunk.
#[derive(Debug, Clone)]
pub(crate) struct PartEntry {
    pub(crate) tag: u8,
    pub(crate) section: u8,
    /// Newer entries have higher sequences.
    pub(crate) sequence: u64,
    /// The position of its value, or `None` if the key is deleted.
    pub(crate) value: Option<Range<usize>>,
}

/// The entries of one chunk in a block, which are copied only if they are needed.
#[derive(Debug, Default)]
pub(crate) struct BlockPart {
    /// The positions of the values are in the block.
    entries: Vec<PartEntry>,
}

impl BlockPart {
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
    }

    pub(crate) fn add(&mut self, key: &ChunkKey, sequence: u64, value: Option<Range<usize>>) {
        self.entries.push(PartEntry {
            tag: key.tag,
            section: key.section,
            sequence,
            value,
        });
    }

    /// Returns the entries in the order in which they were added.
    pub(crate) fn entries(&self) -> &[PartEntry] {
        &self.entries
    }

    /// Returns the length of the part.
    pub(crate) fn len(&self) -> usize {
        let values = self
            .entries
            .iter()
            .filter_map(|entry| entry.value.as_ref())
            .map(Range::len);
        self.entries.len() * HEAD + values.sum::<usize>()
    }

    /// Copies the entries out of `block`.
    pub(crate) fn copy(&self, block: &[u8]) -> Box<[u8]> {
        let mut part = Vec::with_capacity(self.len());
        for PartEntry {
            tag,
            section,
            sequence,
            value,
        } in &self.entries
        {
            add_entry(
                &mut part,
                [*tag, *section],
                *sequence,
                value.clone().map(|value| &block[value]),
            );
        }

        part.into()
    }
}

/// Appends an entry with this tag and section to a part.
pub(crate) fn add_entry(
    part: &mut Vec<u8>,
    tag_and_section: [u8; 2],
    sequence: u64,
    value: Option<&[u8]>,
) {
    let bytes = value.unwrap_or_default();

    let mut head = [0; HEAD];
    head[..2].copy_from_slice(&tag_and_section);
    head[2..10].copy_from_slice(&sequence.to_le_bytes());
    head[10] = u8::from(value.is_some());
    head[11..].copy_from_slice(&(bytes.len() as u32).to_le_bytes());
    part.extend_from_slice(&head);
    part.extend_from_slice(bytes);
}

/// Iterates over the entries of a part. The positions of their values are in the part.
pub(crate) fn entries(part: &[u8]) -> impl Iterator<Item = PartEntry> {
    let mut rest = part;
    std::iter::from_fn(move || {
        let [tag, section] = fields::array(&mut rest)?;
        let sequence = u64::from_le_bytes(fields::array(&mut rest)?);
        let [has_value] = fields::array(&mut rest)?;
        let len = u32::from_le_bytes(fields::array(&mut rest)?) as usize;
        let start = part.len() - rest.len();
        fields::take(&mut rest, len)?;

        Some(PartEntry {
            tag,
            section,
            sequence,
            value: (has_value == 1).then_some(start..start + len),
        })
    })
}
