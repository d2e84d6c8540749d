//! What earlier runs have found in tables. A table never changes, so a run reads only those that are new.

use std::collections::{BTreeMap, BTreeSet};

use twox_hash::XxHash3_64;

use super::sighting::{BlockRef, Sighting};
use super::table::Table;
use crate::world::stored::FileDamage;

/// The first bytes of the file, with the number of its form.
const HEAD: &[u8; 8] = b"tables 1";
/// Bytes in front of the sightings of a table: its state, and their number.
const TABLE_HEAD: usize = 12;

/// Known tables, by their states.
#[derive(Debug, Default)]
pub(super) struct KnownTables {
    tables: BTreeMap<u64, Vec<[u8; Sighting::BYTES]>>,
    /// Whether they are others than those that were read from the file.
    is_new: bool,
}

impl KnownTables {
    /// Reads what [`KnownTables::to_bytes`] wrote; other bytes are no tables.
    pub(super) fn parse(file: &[u8]) -> Self {
        Self { tables: parse(file).unwrap_or_default(), is_new: false }
    }

    /// The bytes for a file; `None`: it has them already.
    pub(super) fn to_bytes(&self) -> Option<Vec<u8>> {
        let mut file = HEAD.to_vec();
        for (state, sightings) in &self.tables {
            file.extend(state.to_le_bytes());
            file.extend((sightings.len() as u32).to_le_bytes());
            file.extend_from_slice(sightings.as_flattened());
        }
        file.extend(XxHash3_64::oneshot(&file).to_le_bytes());
        self.is_new.then_some(file)
    }

    pub(super) fn has(&self, table: &Table) -> bool {
        self.tables.contains_key(&table.state())
    }

    /// What is known of these tables.
    pub(super) fn sightings(&self, tables: &[Table]) -> Vec<Sighting> {
        let records = |table: &Table| self.tables.get(&table.state()).into_iter().flatten();
        let numbered = (0..).zip(tables);
        let sightings = numbered.flat_map(|(number, table)| {
            let sightings = records(table).map(move |record| Sighting::from_bytes(number, record));
            sightings.filter(|sighting| (sighting.block.block as usize) < table.len())
        });
        sightings.collect()
    }

    /// Knows these tables and no others, by what was found in them, but for those in which something is damaged.
    pub(super) fn replace(
        &mut self,
        tables: &[Table],
        known: &[Sighting],
        new: &[Sighting],
        damaged: &[(BlockRef, FileDamage)],
    ) {
        let damaged: BTreeSet<u32> = damaged.iter().map(|(block, _)| block.table).collect();
        let whole = (0..).zip(tables).filter(|(number, _)| !damaged.contains(number));
        let states: BTreeMap<u32, u64> = whole.map(|(number, table)| (number, table.state())).collect();
        self.is_new =
            states.len() != self.tables.len() || !states.values().all(|state| self.tables.contains_key(state));
        if !self.is_new {
            return;
        }
        let mut tables: BTreeMap<u64, Vec<[u8; Sighting::BYTES]>> =
            states.values().map(|&state| (state, Vec::new())).collect();
        for sighting in known.iter().chain(new) {
            if let Some(table) = states.get(&sighting.block.table).and_then(|state| tables.get_mut(state)) {
                table.push(sighting.to_bytes());
            }
        }
        for table in tables.values_mut() {
            table.sort_unstable();
        }
        self.tables = tables;
    }
}

fn parse(file: &[u8]) -> Option<BTreeMap<u64, Vec<[u8; Sighting::BYTES]>>> {
    let (checked, sum) = file.split_last_chunk()?;
    if XxHash3_64::oneshot(checked) != u64::from_le_bytes(*sum) {
        return None;
    }
    let mut rest = checked.strip_prefix(HEAD)?;
    let mut tables = BTreeMap::new();
    while !rest.is_empty() {
        let (head, behind) = rest.split_first_chunk::<TABLE_HEAD>()?;
        let (state, count) = head.split_first_chunk()?;
        let count = u32::from_le_bytes(*count.first_chunk()?) as usize;
        let (records, behind) = behind.split_at_checked(count.checked_mul(Sighting::BYTES)?)?;
        tables.insert(u64::from_le_bytes(*state), records.as_chunks().0.to_vec());
        rest = behind;
    }
    Some(tables)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> Vec<u8> {
        let tables = BTreeMap::from([(5, vec![[1; Sighting::BYTES]; 3]), (9, Vec::new())]);
        KnownTables { tables, is_new: true }.to_bytes().unwrap()
    }

    #[test]
    fn a_file_is_read_as_it_was_written() {
        let read = KnownTables::parse(&file());
        assert_eq!(
            read.tables.iter().map(|(state, table)| (*state, table.len())).collect::<Vec<_>>(),
            [(5, 3), (9, 0)]
        );
        assert_eq!(read.to_bytes(), None, "nothing is new");
    }

    #[test]
    fn a_damaged_file_counts_as_absent() {
        let file = file();
        for end in 0..file.len() {
            assert!(KnownTables::parse(&file[..end]).tables.is_empty(), "cut at {end}");
        }
        for at in 0..file.len() {
            let mut changed = file.clone();
            changed[at] ^= 1;
            assert!(KnownTables::parse(&changed).tables.is_empty(), "byte {at} is another one");
        }
    }
}
