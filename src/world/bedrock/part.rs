//! Defines the part of a block that belongs to one chunk. Workers keep parts, because reading one again is faster than
//! inflating its block again.
//!
//! A part is a list of entries. Each entry consists of its tag and section (u8 each), its sequence (u64), whether it
//! has a value (u8), the value's length (u32) and the value.

use std::ops::Range;

use super::fields;
use super::key::ChunkKey;

/// An entry of a chunk.
#[derive(Debug)]
pub(super) struct PartEntry {
    pub(super) tag: u8,
    pub(super) section: u8,
    /// Newer entries have higher sequences.
    pub(super) sequence: u64,
    /// The place of its value in the part, or `None` if the key is deleted.
    pub(super) value: Option<Range<usize>>,
}

/// Appends an entry to a part.
pub(super) fn add_entry(part: &mut Vec<u8>, key: &ChunkKey, sequence: u64, value: Option<&[u8]>) {
    part.extend([key.tag, key.section]);
    part.extend(sequence.to_le_bytes());
    let bytes = value.unwrap_or_default();
    part.push(u8::from(value.is_some()));
    part.extend((bytes.len() as u32).to_le_bytes());
    part.extend_from_slice(bytes);
}

/// Iterates over the entries of a part.
pub(super) fn entries(part: &[u8]) -> impl Iterator<Item = PartEntry> {
    let mut rest = part;
    std::iter::from_fn(move || {
        let [tag, section] = fields::array(&mut rest)?;
        let sequence = u64::from_le_bytes(fields::array(&mut rest)?);
        let [has_value] = fields::array(&mut rest)?;
        let len = u32::from_le_bytes(fields::array(&mut rest)?) as usize;
        let start = part.len() - rest.len();
        fields::take(&mut rest, len)?;
        Some(PartEntry { tag, section, sequence, value: (has_value == 1).then_some(start..start + len) })
    })
}
