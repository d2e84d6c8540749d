//! Gathers the newest values of one chunk into one record of the form `Form::Values`, and leaves
//! their meaning to `world::chunk`.
//!
//! The values of a chunk may be scattered over several blocks and logs, and several versions of a
//! value may exist.

use std::ops::Range;
use std::time::Instant;

use super::key::ChunkKey;
use super::part::{self, BlockPart, PartEntry};
use crate::bytes::{
    Allowance, ChunkRecord, ChunkStorage, Fault, Form, Inflater, PlainBytes, hash_fault,
    hash_values, tag,
};

/// Bytes that precede each value in a record: tag, section and length.
const HEAD: usize = 6;
/// The lowest section of the overworld, since biomes are stored by section.
const OVERWORLD_LOWEST: i8 = -4;

/// The stored values of one chunk, from all places where it is stored.
#[derive(Debug, Default)]
pub(crate) struct ChunkValues<'s> {
    /// Parts of blocks, and values of logs.
    sources: Vec<&'s [u8]>,
    entries: Vec<ChunkEntry>,
}

/// One entry of a chunk, which may be a deletion.
#[derive(Debug)]
struct ChunkEntry {
    tag: u8,
    section: u8,
    sequence: u64,
    value: Option<ValueSlice>,
}

/// The position of a value: the index of its source, and the range in that source.
#[derive(Debug)]
struct ValueSlice {
    source: usize,
    range: Range<usize>,
}

impl<'s> ChunkValues<'s> {
    /// Adds the entries of a copied part.
    pub(crate) fn add_part(&mut self, part: &'s [u8]) {
        let source = self.sources.len();
        self.sources.push(part);
        for entry in part::entries(part) {
            self.add_entry(source, entry);
        }
    }

    /// Adds the entries of a part that is still in its block.
    pub(crate) fn add_block_part(&mut self, part: &BlockPart, block: &'s [u8]) {
        let source = self.sources.len();
        self.sources.push(block);
        for entry in part.entries() {
            self.add_entry(source, entry.clone());
        }
    }

    fn add_entry(&mut self, source: usize, entry: PartEntry) {
        self.entries.push(ChunkEntry {
            tag: entry.tag,
            section: entry.section,
            sequence: entry.sequence,
            value: entry.value.map(|range| ValueSlice { source, range }),
        });
    }

    /// Adds an entry of a log. An entry without a value deletes the key.
    pub(crate) fn add_value(&mut self, key: &ChunkKey, sequence: u64, value: Option<&'s [u8]>) {
        let slice = value.map(|value| ValueSlice {
            source: self.sources.len(),
            range: 0..value.len(),
        });
        self.sources.extend(value);
        self.entries.push(ChunkEntry {
            tag: key.tag,
            section: key.section,
            sequence,
            value: slice,
        });
    }

    /// Writes the newest values into the plain bytes of the inflater. `lowest` returns the lowest
    /// section of the chunk, and gets the hash of the facts about the chunk if that is stored.
    ///
    /// # Errors
    /// Fails if there are more bytes than allowed.
    pub(crate) fn write(
        self,
        lowest: impl FnOnce(Option<u64>) -> i8,
        inflater: &mut Inflater,
        allowance: &mut Allowance,
    ) -> Result<(), Fault> {
        let Self { sources, entries } = self;
        let values = newest_values(entries);

        let len = 1 + values
            .iter()
            .map(|(_, _, slice)| HEAD + slice.range.len())
            .sum::<usize>();
        let plain = inflater.fill(len, allowance)?;
        plain[0] = lowest(facts_hash(&values, &sources)) as u8;

        let mut rest = &mut plain[1..];
        for (tag, section, ValueSlice { source, range }) in values {
            let value = &sources[source][range];
            let (head, behind) = rest.split_at_mut(HEAD);
            head[..2].copy_from_slice(&[tag, section]);
            head[2..].copy_from_slice(&(value.len() as u32).to_le_bytes());
            let (own, behind) = behind.split_at_mut(value.len());
            own.copy_from_slice(value);
            rest = behind;
        }

        Ok(())
    }
}

/// Returns the lowest section of the chunks of one of the game's own dimensions.
pub(crate) fn own_lowest_section(dimension: i32) -> Option<i8> {
    match dimension {
        0 => Some(OVERWORLD_LOWEST),
        1 | 2 => Some(0),
        _ => None,
    }
}

/// Makes the record of a chunk whose values were `gathered` into the plain bytes of an inflater.
pub(crate) fn to_record(gathered: Result<(), Fault>, plain: PlainBytes<'_>) -> ChunkRecord<'_> {
    let hash = match &gathered {
        Ok(()) => hash_values(&plain),
        Err(fault) => hash_fault(fault),
    };

    let read_at = gathered.is_ok().then(Instant::now);
    ChunkRecord {
        plain: gathered.map(|()| plain),
        form: Form::Values,
        is_cut: false,
        stored: ChunkStorage::unread(hash),
        read_at,
    }
}

/// Returns the newest entry of each key, sorted by key, without deleted keys.
fn newest_values(mut entries: Vec<ChunkEntry>) -> Vec<(u8, u8, ValueSlice)> {
    entries.sort_by_key(|entry| (entry.tag, entry.section, u64::MAX - entry.sequence));
    entries.dedup_by_key(|entry| (entry.tag, entry.section));
    entries
        .into_iter()
        .filter_map(|entry| Some((entry.tag, entry.section, entry.value?)))
        .collect()
}

/// Returns the stored hash of the facts about a chunk.
fn facts_hash(values: &[(u8, u8, ValueSlice)], sources: &[&[u8]]) -> Option<u64> {
    let (_, _, slice) = values.iter().find(|(tag, _, _)| *tag == tag::FACTS_HASH)?;
    let bytes = &sources[slice.source][slice.range.clone()];
    bytes.try_into().ok().map(u64::from_le_bytes)
}
