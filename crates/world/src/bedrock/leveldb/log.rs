//! Reads logs, which contain the entries that the game has written since its newest table.
//!
//! A record of a log consists of a sequence (u64), a number of entries (u32) and the entries. Each
//! entry has a kind (u8), a key and, unless it is a deletion, a value. Source: LevelDB,
//! `db/write_batch.cc`.

use std::cmp::Reverse;
use std::ops::Range;

use super::fields;
use super::records::{self, RecordDamage};

/// The most bytes that are read of all logs together. The game begins a new log after 4 MB.
pub(crate) const MAX_LOGS: u64 = 256 << 20;
/// The most entries of all logs together. The limit exists because an entry of two bytes takes 32
/// in memory.
const MAX_ENTRIES: usize = 4 << 20;

/// The highest sequence, because tables store 56 bits.
pub(crate) const MAX_SEQUENCE: u64 = (1 << 56) - 1;
/// Kinds of entries.
pub(crate) const DELETION: u8 = 0;
pub(crate) const VALUE: u8 = 1;

/// The newest entry of each key in the logs.
#[derive(Debug, Default)]
pub(crate) struct Logs {
    /// All keys and values, concatenated.
    bytes: Vec<u8>,
    /// Sorted by key, once `Logs::sort` was called.
    entries: Vec<LogEntry>,
}

#[derive(Debug)]
struct LogEntry {
    key: Range<u32>,
    sequence: u64,
    /// `None` if the key is deleted.
    value: Option<Range<u32>>,
}

/// The newest entry of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NewestEntry<'a> {
    pub(crate) key: &'a [u8],
    pub(crate) sequence: u64,
    /// `None` if the key is deleted.
    pub(crate) value: Option<&'a [u8]>,
}

impl Logs {
    /// Adds the entries of a log.
    ///
    /// # Errors
    /// Returns the first damage. All readable entries are added nevertheless.
    pub(crate) fn add(&mut self, log: &[u8]) -> Result<(), RecordDamage> {
        records::read(log, |record| self.add_record(record))
    }

    /// Adds the entries of a record. Returns `None` if it is damaged; the entries before the damage
    /// are added nevertheless.
    fn add_record(&mut self, mut record: &[u8]) -> Option<()> {
        let first = u64::from_le_bytes(fields::array(&mut record)?);
        let count = u32::from_le_bytes(fields::array(&mut record)?);
        for number in 0..u64::from(count) {
            if self.entries.len() >= MAX_ENTRIES {
                return None;
            }

            let [kind] = fields::array(&mut record)?;
            let key = fields::string(&mut record)?;

            let value = match kind {
                VALUE => Some(fields::string(&mut record)?),
                DELETION => None,
                _ => return None,
            };

            let entry = LogEntry {
                key: self.keep(key),
                sequence: first
                    .checked_add(number)
                    .filter(|sequence| *sequence <= MAX_SEQUENCE)?,
                value: value.map(|value| self.keep(value)),
            };
            self.entries.push(entry);
        }

        record.is_empty().then_some(())
    }

    /// Stores the bytes of a key or value. Its position fits in 32 bits, because all logs together
    /// have at most [`MAX_LOGS`] bytes.
    fn keep(&mut self, bytes: &[u8]) -> Range<u32> {
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(bytes);
        start..self.bytes.len() as u32
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Sorts the added entries for lookups, and drops all but the newest entry of each key.
    pub(crate) fn sort(&mut self) {
        let Self { bytes, entries } = self;
        entries.sort_unstable_by(|a, b| {
            let (key_a, key_b) = (slice_of(bytes, &a.key), slice_of(bytes, &b.key));
            (key_a, Reverse(a.sequence)).cmp(&(key_b, Reverse(b.sequence)))
        });
        entries.dedup_by(|later, first| slice_of(bytes, &later.key) == slice_of(bytes, &first.key));
        entries.shrink_to_fit();
    }

    fn slice(&self, range: &Range<u32>) -> &[u8] {
        slice_of(&self.bytes, range)
    }

    /// Returns the entries whose keys begin with `prefix`, in order.
    pub(crate) fn entries<'a>(&'a self, prefix: &'a [u8]) -> impl Iterator<Item = NewestEntry<'a>> {
        let start = self
            .entries
            .partition_point(|entry| self.slice(&entry.key) < prefix);
        let newest = self.entries[start..].iter().map(|entry| NewestEntry {
            key: self.slice(&entry.key),
            sequence: entry.sequence,
            value: entry.value.as_ref().map(|value| self.slice(value)),
        });
        newest.take_while(move |newest| newest.key.starts_with(prefix))
    }
}

fn slice_of<'a>(bytes: &'a [u8], range: &Range<u32>) -> &'a [u8] {
    &bytes[range.start as usize..range.end as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_of_endless_entries_is_bounded() {
        let record = [
            &[0; 8][..],
            &u32::MAX.to_le_bytes(),
            &[DELETION, 0].repeat(MAX_ENTRIES + 9),
        ]
        .concat();
        let mut logs = Logs::default();
        assert_eq!(logs.add_record(&record), None);
        assert_eq!(logs.entries.len(), MAX_ENTRIES);
    }
}
