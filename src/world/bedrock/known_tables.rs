//! What earlier runs have found in tables and logs. A table never changes, so a run reads only those that are new. And
//! while a part of the database is damaged, chunks that were there before are missed by their names.

use std::collections::{BTreeMap, BTreeSet};

use twox_hash::XxHash3_64;

use super::sighting::{BlockRef, Sighting};
use super::table::Table;

/// The first bytes of the file, with the number of its form.
const HEAD: &[u8; 8] = b"tables 3";

/// What was found in a table.
#[derive(Debug, Default)]
struct KnownTable {
    name_hash: u64,
    records: Vec<[u8; Sighting::BYTES]>,
}

/// Known tables, by their states.
#[derive(Debug, Default)]
pub(super) struct KnownTables {
    tables: BTreeMap<u64, KnownTable>,
    /// The numbers of the logs that had entries.
    logs: Vec<u64>,
    /// What was found in them, and chunks that were missing.
    others: Vec<[u8; Sighting::BYTES]>,
    /// Whether they differ from those in the file.
    is_new: bool,
}

impl KnownTables {
    /// Reads what [`KnownTables::to_bytes`] wrote; other bytes are no tables.
    pub(super) fn parse(file: &[u8]) -> Self {
        parse(file).unwrap_or_default()
    }

    /// The bytes for a file; `None`: it has them already.
    pub(super) fn to_bytes(&self) -> Option<Vec<u8>> {
        if !self.is_new {
            return None;
        }
        let mut file = HEAD.to_vec();
        file.extend((self.logs.len() as u32).to_le_bytes());
        file.extend(self.logs.iter().flat_map(|number| number.to_le_bytes()));
        file.extend((self.others.len() as u32).to_le_bytes());
        file.extend_from_slice(self.others.as_flattened());
        for (state, KnownTable { name_hash, records }) in &self.tables {
            file.extend(state.to_le_bytes());
            file.extend(name_hash.to_le_bytes());
            file.extend((records.len() as u32).to_le_bytes());
            file.extend_from_slice(records.as_flattened());
        }
        file.extend(XxHash3_64::oneshot(&file).to_le_bytes());
        Some(file)
    }

    /// The numbers of the logs that had entries.
    pub(super) fn logs(&self) -> &[u64] {
        &self.logs
    }

    /// All that earlier runs have found, wherever it was.
    pub(super) fn all_sightings(&self) -> Vec<Sighting> {
        let records = self.tables.values().flat_map(|known| &known.records).chain(&self.others);
        records.map(|record| Sighting::from_bytes(BlockRef::MISSING.table, record)).collect()
    }

    /// Knows these logs and no others, and what is not in a table: what was found in the logs, and `missing` chunks.
    pub(super) fn replace_others<'a>(&mut self, logs: Vec<u64>, others: impl Iterator<Item = &'a Sighting>) {
        let mut others: Vec<_> = others.map(|sighting| sighting.to_bytes()).collect();
        others.sort_unstable();
        self.is_new |= self.logs != logs || self.others != others;
        self.logs = logs;
        self.others = others;
    }

    pub(super) fn has(&self, table: &Table) -> bool {
        self.tables.contains_key(&table.state())
    }

    /// What is known of these tables.
    pub(super) fn sightings(&self, tables: &[Table]) -> Vec<Sighting> {
        let mut sightings = Vec::new();
        for (number, table) in (0..).zip(tables) {
            let known = self.tables.get(&table.state()).into_iter().flat_map(|known| &known.records);
            let known = known.map(|record| Sighting::from_bytes(number, record));
            sightings.extend(known.filter(|sighting| (sighting.block.block as usize) < table.len()));
        }
        sightings
    }

    /// What earlier runs found where nothing can be read now: in tables that are lost, and in the `damaged` blocks. So
    /// chunks that are nowhere else are missed by their names.
    pub(super) fn lost_sightings(&self, tables: &[Table], damaged: &BTreeSet<BlockRef>) -> Vec<Sighting> {
        let unread = names_of_unread(tables, damaged);
        let mut sightings = Vec::new();
        for known in self.tables.values() {
            let Some(&number) = unread.get(&known.name_hash) else { continue };
            let is_lost = tables[number as usize].is_lost();
            let records = known.records.iter().map(|record| Sighting::from_bytes(number, record));
            let lost = records.filter(|sighting| is_lost || damaged.contains(&sighting.block));
            sightings.extend(lost.map(|sighting| Sighting { is_damaged: true, ..sighting }));
        }
        sightings
    }

    /// Knows these tables and no others: of those that can be read, what is in them, which for those that are not known
    /// yet is among `new`; of the others, what earlier runs found in them.
    pub(super) fn replace(&mut self, tables: &[Table], new: &[Sighting], damaged: &BTreeSet<BlockRef>) {
        let unread = names_of_unread(tables, damaged);
        let whole = || (0_u32..).zip(tables).filter(|(_, table)| !unread.contains_key(&table.name_hash()));
        let states: BTreeSet<u64> = whole().map(|(_, table)| table.state()).collect();
        let before = self.tables.len();
        self.tables.retain(|state, known| states.contains(state) || unread.contains_key(&known.name_hash));
        let mut added: BTreeMap<u32, KnownTable> = whole()
            .filter(|(_, table)| !self.has(table))
            .map(|(number, table)| (number, KnownTable { name_hash: table.name_hash(), records: Vec::new() }))
            .collect();
        self.is_new |= self.tables.len() < before || !added.is_empty();
        for sighting in new {
            if let Some(table) = added.get_mut(&sighting.block.table) {
                table.records.push(sighting.to_bytes());
            }
        }
        for (number, mut table) in added {
            table.records.sort_unstable();
            self.tables.insert(tables[number as usize].state(), table);
        }
    }
}

/// The tables that are lost, or have damaged blocks, by the hashes of their names.
fn names_of_unread(tables: &[Table], damaged: &BTreeSet<BlockRef>) -> BTreeMap<u64, u32> {
    let damaged: BTreeSet<u32> = damaged.iter().map(|block| block.table).collect();
    let unread = (0..).zip(tables).filter(|(number, table)| table.is_lost() || damaged.contains(number));
    unread.map(|(number, table)| (table.name_hash(), number)).collect()
}

fn parse(file: &[u8]) -> Option<KnownTables> {
    let (checked, sum) = file.split_last_chunk()?;
    if XxHash3_64::oneshot(checked) != u64::from_le_bytes(*sum) {
        return None;
    }
    let rest = checked.strip_prefix(HEAD)?;
    let (logs, rest) = split_list::<8>(rest)?;
    let (others, mut rest) = split_list(rest)?;
    let mut tables = BTreeMap::new();
    while !rest.is_empty() {
        let (state, behind) = rest.split_first_chunk()?;
        let (name_hash, behind) = behind.split_first_chunk()?;
        let (records, behind) = split_list(behind)?;
        let name_hash = u64::from_le_bytes(*name_hash);
        tables.insert(u64::from_le_bytes(*state), KnownTable { name_hash, records: records.to_vec() });
        rest = behind;
    }
    let logs = logs.iter().map(|number| u64::from_le_bytes(*number)).collect();
    Some(KnownTables { tables, logs, others: others.to_vec(), is_new: false })
}

/// Splits off a list of records: their number (u32), and each of them.
fn split_list<const BYTES: usize>(bytes: &[u8]) -> Option<(&[[u8; BYTES]], &[u8])> {
    let (count, rest) = bytes.split_first_chunk()?;
    let (records, rest) = rest.split_at_checked((u32::from_le_bytes(*count) as usize).checked_mul(BYTES)?)?;
    Some((records.as_chunks().0, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> Vec<u8> {
        let records = vec![[1; Sighting::BYTES]; 3];
        let tables = BTreeMap::from([(5, KnownTable { name_hash: 7, records }), (9, KnownTable::default())]);
        KnownTables { tables, logs: vec![4, 6], others: vec![[2; Sighting::BYTES]; 2], is_new: true }
            .to_bytes()
            .unwrap()
    }

    #[test]
    fn a_file_is_read_as_it_was_written() {
        let read = KnownTables::parse(&file());
        assert_eq!(
            read.tables.iter().map(|(state, table)| (*state, table.name_hash, table.records.len())).collect::<Vec<_>>(),
            [(5, 7, 3), (9, 0, 0)]
        );
        assert_eq!((read.logs(), read.others.len()), (&[4, 6][..], 2));
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
