//! The entries of a block of a table.
//!
//! An entry is how many bytes its key shares with the one before, how many it has besides, the length of its value
//! (all varints), the rest of its key, and the value. Behind the entries are the places of those that share nothing, and
//! their number (all u32). Source: LevelDB, `doc/table_format.md` and `table/block.cc`.

use std::ops::Range;

use super::fields;
use super::log::{DELETION, VALUE};
use crate::world::bytes::Defect;

/// Bytes behind a key: what the entry is (u8), and its sequence (56 bits).
pub(super) const KEY_TAIL: usize = 8;
/// The longest key that is read.
const MAX_KEY: usize = 64 << 10;

/// An entry of a block.
#[derive(Debug)]
pub(super) struct BlockEntry<'a> {
    pub(super) key: &'a [u8],
    /// Newer entries have higher ones.
    pub(super) sequence: u64,
    /// The place of its value in the block. `None`: the key is deleted.
    pub(super) value: Option<Range<usize>>,
}

/// Walks through a block's entries.
#[derive(Debug)]
pub(super) struct BlockReader<'a> {
    block: &'a [u8],
    /// The places of entries that share nothing with those before.
    restarts: &'a [[u8; 4]],
    /// Where the next entry begins.
    at: usize,
    /// Where the entries end.
    end: usize,
    /// The key of the last entry, as it is in tables.
    key: Vec<u8>,
    has_bad_key: bool,
}

/// An entry of an index: a key at or behind all keys of a block, and the place of the value with the block's handle.
pub(super) type Separator<'a> = (&'a [u8], Range<usize>);

impl<'a> BlockReader<'a> {
    /// # Errors
    /// The block has no room for the restarts that it counts.
    pub(super) fn new(block: &'a [u8]) -> Result<Self, Defect> {
        let (rest, count) = block.split_last_chunk::<4>().ok_or(Defect::CutShort)?;
        let bytes = (u32::from_le_bytes(*count) as usize).checked_mul(4).ok_or(Defect::Structure)?;
        let end = rest.len().checked_sub(bytes).ok_or(Defect::Structure)?;
        Ok(Self { block, restarts: rest[end..].as_chunks().0, at: 0, end, key: Vec::new(), has_bad_key: false })
    }

    /// Takes the next entry. `None`: there is none. An entry with a bad key, which is too short for its tail or of an
    /// unknown kind, is left out, because it changes nothing about the entries around it. See [`BlockReader::has_bad_key`].
    ///
    /// # Errors
    /// The entry's bytes have no sense.
    pub(super) fn next(&mut self) -> Result<Option<BlockEntry<'_>>, Defect> {
        let (tail, value) = loop {
            if self.at == self.end {
                return Ok(None);
            }
            let value = self.take().ok_or(Defect::Structure)?;
            match self.tail().map(|tail| (tail, tail as u8)) {
                Some((tail, VALUE)) => break (tail, Some(value)),
                Some((tail, DELETION)) => break (tail, None),
                _ => self.has_bad_key = true,
            }
        };
        Ok(Some(BlockEntry { key: &self.key[..self.key.len() - KEY_TAIL], sequence: tail >> 8, value }))
    }

    /// Takes the next entry of an index: a separator, and the place of its value. Its kind is not looked at, because LevelDB
    /// takes it from the last key of the block, which may be a deletion.
    ///
    /// # Errors
    /// The entry's bytes have no sense.
    pub(super) fn next_separator(&mut self) -> Result<Option<Separator<'_>>, Defect> {
        if self.at == self.end {
            return Ok(None);
        }
        let value = self.take().ok_or(Defect::Structure)?;
        let len = self.key.len().checked_sub(KEY_TAIL).ok_or(Defect::Structure)?;
        Ok(Some((&self.key[..len], value)))
    }

    /// Returns whether an entry was left out so far, because its key is bad.
    pub(super) fn has_bad_key(&self) -> bool {
        self.has_bad_key
    }

    /// The sequence and the kind of the last entry, which follow its key. `None`: the key is too short to have them.
    fn tail(&self) -> Option<u64> {
        self.key.last_chunk::<KEY_TAIL>().map(|tail| u64::from_le_bytes(*tail))
    }

    /// Takes the next entry's key, and the place of its value.
    fn take(&mut self) -> Option<Range<usize>> {
        let mut rest = &self.block[self.at..self.end];
        let shared = fields::length(&mut rest).filter(|shared| *shared <= self.key.len())?;
        let more = fields::length(&mut rest).filter(|more| shared.saturating_add(*more) <= MAX_KEY)?;
        let len = fields::length(&mut rest)?;
        self.key.truncate(shared);
        self.key.extend_from_slice(fields::take(&mut rest, more)?);
        fields::take(&mut rest, len)?;
        self.at = self.end - rest.len();
        Some(self.at - len..self.at)
    }

    /// Goes to a place from which all entries follow whose keys are not less than `key`, and few others.
    pub(super) fn seek(&mut self, key: &[u8]) {
        let before = self.restarts.partition_point(|&restart| self.restart_key(restart).is_some_and(|own| own < key));
        let at = before.checked_sub(1).map_or(0, |last| u32::from_le_bytes(self.restarts[last]) as usize);
        self.at = at.min(self.end);
        self.key.clear();
    }

    /// The key of an entry that shares nothing, as far as it is the user's.
    fn restart_key(&self, restart: [u8; 4]) -> Option<&'a [u8]> {
        let mut rest = self.block.get(u32::from_le_bytes(restart) as usize..self.end)?;
        let _shared = fields::length(&mut rest)?;
        let more = fields::length(&mut rest)?;
        let _value = fields::length(&mut rest)?;
        fields::take(&mut rest, more)?.split_last_chunk::<KEY_TAIL>().map(|(key, _)| key)
    }
}
