//! Reads the entries of one inflated block of a table.
//!
//! An entry consists of three varints, the rest of its key and its value. The varints are the
//! number of bytes that its key shares with the previous key, the number of further bytes of its
//! key, and the length of its value. The block ends with the offsets of the *restarts*, which are
//! the entries that share nothing, and with their number (u32 each). Source: LevelDB,
//! `doc/table_format.md` and `table/block.cc`.

use std::ops::Range;

use super::fields;
use super::log::{DELETION, VALUE};
use crate::bytes::Defect;

/// Length of the tail of each key in a table: the entry's kind (u8) and its sequence (56 bits).
pub(crate) const KEY_TAIL: usize = 8;
/// The longest key that is read.
const MAX_KEY: usize = 64 << 10;

/// An entry of a block.
#[derive(Debug)]
pub(crate) struct BlockEntry<'a> {
    pub(crate) key: &'a [u8],
    /// Newer entries have higher sequences.
    pub(crate) sequence: u64,
    /// The position of its value in the block, or `None` if the key is deleted.
    pub(crate) value: Option<Range<usize>>,
}

/// Iterates over the entries of a block.
#[derive(Debug)]
pub(crate) struct BlockReader<'a> {
    block: &'a [u8],
    /// The offsets of entries that share no bytes with the previous key.
    restarts: &'a [[u8; 4]],
    /// Start of the next entry.
    at: usize,
    /// End of the entries.
    end: usize,
    /// The key of the last entry, including its tail.
    key: Vec<u8>,
    has_bad_key: bool,
}

/// An entry of an index: a key that is at or behind all keys of a block, and the position of the
/// bytes that contain the block's handle.
pub(crate) type Separator<'a> = (&'a [u8], Range<usize>);

impl<'a> BlockReader<'a> {
    /// # Errors
    /// Fails if the block is shorter than the restarts that it claims to have.
    pub(crate) fn new(block: &'a [u8]) -> Result<Self, Defect> {
        let (rest, count) = block.split_last_chunk::<4>().ok_or(Defect::CutShort)?;
        let bytes = (u32::from_le_bytes(*count) as usize)
            .checked_mul(4)
            .ok_or(Defect::Structure)?;
        let end = rest.len().checked_sub(bytes).ok_or(Defect::Structure)?;
        Ok(Self {
            block,
            restarts: rest[end..].as_chunks().0,
            at: 0,
            end,
            key: Vec::new(),
            has_bad_key: false,
        })
    }

    /// Reads the next entry. Returns `None` at the end of the block. Skips an entry with a bad key,
    /// which is too short for its tail or has an unknown kind, because the entries around it can
    /// still be read. See [`BlockReader::has_bad_key`].
    ///
    /// # Errors
    /// Fails if the bytes of the entry are malformed.
    pub(crate) fn next(&mut self) -> Result<Option<BlockEntry<'_>>, Defect> {
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

        Ok(Some(BlockEntry {
            key: &self.key[..self.key.len() - KEY_TAIL],
            sequence: tail >> 8,
            value,
        }))
    }

    /// Reads the next entry of an index: a separator, and the position of its value. Ignores the
    /// kind of the entry, because LevelDB copies it from the last key of the block, which may be a
    /// deletion.
    ///
    /// # Errors
    /// Fails if the bytes of the entry are malformed.
    pub(crate) fn next_separator(&mut self) -> Result<Option<Separator<'_>>, Defect> {
        if self.at == self.end {
            return Ok(None);
        }

        let value = self.take().ok_or(Defect::Structure)?;
        let len = self
            .key
            .len()
            .checked_sub(KEY_TAIL)
            .ok_or(Defect::Structure)?;
        Ok(Some((&self.key[..len], value)))
    }

    /// Returns whether an entry was skipped so far because its key is bad.
    pub(crate) fn has_bad_key(&self) -> bool {
        self.has_bad_key
    }

    /// Returns the sequence and the kind of the last entry, which follow its key, or `None` if the
    /// key is too short to have them.
    fn tail(&self) -> Option<u64> {
        self.key
            .last_chunk::<KEY_TAIL>()
            .map(|tail| u64::from_le_bytes(*tail))
    }

    /// Reads the next entry's key, and returns the position of its value.
    fn take(&mut self) -> Option<Range<usize>> {
        let mut rest = &self.block[self.at..self.end];
        let shared = fields::length(&mut rest).filter(|shared| *shared <= self.key.len())?;
        let more =
            fields::length(&mut rest).filter(|more| shared.saturating_add(*more) <= MAX_KEY)?;
        let len = fields::length(&mut rest)?;
        self.key.truncate(shared);
        self.key.extend_from_slice(fields::take(&mut rest, more)?);
        fields::take(&mut rest, len)?;
        self.at = self.end - rest.len();
        Some(self.at - len..self.at)
    }

    /// Moves to a restart from which all entries with keys of at least `key` follow, after only a
    /// few smaller ones.
    pub(crate) fn seek(&mut self, key: &[u8]) {
        let before = self
            .restarts
            .partition_point(|&restart| self.restart_key(restart).is_some_and(|own| own < key));
        let at = before
            .checked_sub(1)
            .map_or(0, |last| u32::from_le_bytes(self.restarts[last]) as usize);
        self.at = at.min(self.end);
        self.key.clear();
    }

    /// Returns the key of a restart, without its tail.
    fn restart_key(&self, restart: [u8; 4]) -> Option<&'a [u8]> {
        let mut rest = self
            .block
            .get(u32::from_le_bytes(restart) as usize..self.end)?;
        let _shared = fields::length(&mut rest)?;
        let more = fields::length(&mut rest)?;
        let _value = fields::length(&mut rest)?;
        fields::take(&mut rest, more)?
            .split_last_chunk::<KEY_TAIL>()
            .map(|(key, _)| key)
    }
}
