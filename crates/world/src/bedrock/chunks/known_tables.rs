//! Remembers which chunks earlier runs found in each table and log.
//!
//! A table never changes, so a run only has to read the tables that are new. If a part of the
//! database is damaged, this module also gives the names of the chunks that used to be there, so
//! that the report can list them as missing.

use std::collections::{BTreeMap, BTreeSet};

use twox_hash::XxHash3_64;

use super::block_ref::BlockRef;
use super::sighting::Sighting;
use super::sighting_list::SightingList;
use crate::bedrock::leveldb::Table;

/// The first bytes of the file. The number is the version of its format.
const HEAD: &[u8; 8] = b"tables 5";

/// The sightings in one table.
#[derive(Debug, Default)]
struct KnownTable {
    name_hash: u64,
    sightings: SightingList,
}

/// All known tables, by `Table::state`.
#[derive(Debug, Default)]
pub(crate) struct KnownTables {
    tables: BTreeMap<u64, KnownTable>,
    /// The numbers of the logs that had entries.
    logs: Vec<u64>,
    /// Sightings in these logs, and chunks that were missing.
    others: SightingList,
    /// Whether the content differs from the file that was read.
    is_new: bool,
}

impl KnownTables {
    /// Parses the bytes from [`KnownTables::to_bytes`]. Damaged or foreign bytes give an empty
    /// cache, because every table can be read again.
    pub(crate) fn parse(file: &[u8]) -> Self {
        parse(file).unwrap_or_default()
    }

    /// Returns the bytes to store for later runs, or `None` if nothing has changed since they were
    /// read.
    pub(crate) fn to_bytes(&self) -> Option<Vec<u8>> {
        if !self.is_new {
            return None;
        }

        let mut file = HEAD.to_vec();
        file.extend((self.logs.len() as u32).to_le_bytes());
        file.extend(self.logs.iter().flat_map(|number| number.to_le_bytes()));
        put_list(&mut file, &self.others);

        for (
            state,
            KnownTable {
                name_hash,
                sightings,
            },
        ) in &self.tables
        {
            file.extend(state.to_le_bytes());
            file.extend(name_hash.to_le_bytes());
            put_list(&mut file, sightings);
        }

        file.extend(XxHash3_64::oneshot(&file).to_le_bytes());
        Some(file)
    }

    /// The numbers of the logs that had entries.
    pub(crate) fn logs(&self) -> &[u64] {
        &self.logs
    }

    /// Returns all sightings of earlier runs, with `BlockRef::MISSING` as their table.
    pub(crate) fn all_sightings(&self) -> Vec<Sighting> {
        let mut all = Vec::new();
        for list in self
            .tables
            .values()
            .map(|known| &known.sightings)
            .chain([&self.others])
        {
            list.visit(BlockRef::MISSING.table, |sighting| all.push(sighting));
        }

        all
    }

    /// Replaces the known logs, and the sightings that are not in tables: chunks in the logs and
    /// missing chunks.
    pub(crate) fn replace_others(&mut self, logs: Vec<u64>, others: SightingList) {
        self.is_new |= self.logs != logs || self.others != others;
        self.logs = logs;
        self.others = others;
    }

    pub(crate) fn has(&self, table: &Table) -> bool {
        self.tables.contains_key(&table.state())
    }

    /// Returns the sightings of a known table, or `None` if the table is not known.
    pub(crate) fn sightings(&self, table: &Table) -> Option<&SightingList> {
        self.tables
            .get(&table.state())
            .map(|known| &known.sightings)
    }

    /// Returns the sightings of earlier runs in lost tables and in `damaged` blocks, which cannot
    /// be read now. Because of them, chunks that are stored nowhere else can be reported as
    /// damaged.
    pub(crate) fn lost_sightings(
        &self,
        tables: &[Table],
        damaged: &BTreeSet<BlockRef>,
    ) -> Vec<Sighting> {
        let unread = names_of_unread(tables, damaged);
        let mut sightings = Vec::new();
        for known in self.tables.values() {
            let Some(&number) = unread.get(&known.name_hash) else {
                continue;
            };

            let is_lost = tables[number as usize].is_lost();
            known.sightings.visit(number, |sighting| {
                if is_lost || damaged.contains(&sighting.block) {
                    sightings.push(Sighting {
                        is_damaged: true,
                        ..sighting
                    });
                }
            });
        }

        sightings
    }

    /// Replaces the known tables with exactly these. A readable table that is not known yet gets
    /// its sightings from `found`, by table number. Lost tables and tables with `damaged` blocks
    /// keep the sightings of earlier runs.
    pub(crate) fn replace(
        &mut self,
        tables: &[Table],
        mut found: BTreeMap<u32, SightingList>,
        damaged: &BTreeSet<BlockRef>,
    ) {
        let unread = names_of_unread(tables, damaged);
        let whole: Vec<(u32, &Table)> = (0_u32..)
            .zip(tables)
            .filter(|(_, table)| !unread.contains_key(&table.name_hash()))
            .collect();

        let states: BTreeSet<u64> = whole.iter().map(|(_, table)| table.state()).collect();
        let before = self.tables.len();
        self.tables
            .retain(|state, known| states.contains(state) || unread.contains_key(&known.name_hash));
        self.is_new |= self.tables.len() < before;

        for (number, table) in whole {
            if !self.has(table) {
                let sightings = found.remove(&number).unwrap_or_default();
                self.tables.insert(
                    table.state(),
                    KnownTable {
                        name_hash: table.name_hash(),
                        sightings,
                    },
                );
                self.is_new = true;
            }
        }
    }
}

/// Returns the tables that are lost or have damaged blocks, as table numbers by the hash of the
/// name.
fn names_of_unread(tables: &[Table], damaged: &BTreeSet<BlockRef>) -> BTreeMap<u64, u32> {
    let damaged: BTreeSet<u32> = damaged.iter().map(|block| block.table).collect();
    let unread = (0..)
        .zip(tables)
        .filter(|(number, table)| table.is_lost() || damaged.contains(number));
    unread
        .map(|(number, table)| (table.name_hash(), number))
        .collect()
}

fn parse(file: &[u8]) -> Option<KnownTables> {
    let (checked, sum) = file.split_last_chunk()?;
    if XxHash3_64::oneshot(checked) != u64::from_le_bytes(*sum) {
        return None;
    }

    let rest = checked.strip_prefix(HEAD)?;

    let (logs, rest) = split_list::<8>(rest)?;
    let (others, mut rest) = split_list::<1>(rest)?;
    let mut tables = BTreeMap::new();
    while !rest.is_empty() {
        let (state, behind) = rest.split_first_chunk()?;
        let (name_hash, behind) = behind.split_first_chunk()?;
        let (sightings, behind) = split_list::<1>(behind)?;
        let sightings = SightingList::from_bytes(sightings.as_flattened().to_vec());

        let name_hash = u64::from_le_bytes(*name_hash);
        tables.insert(
            u64::from_le_bytes(*state),
            KnownTable {
                name_hash,
                sightings,
            },
        );
        rest = behind;
    }

    let logs = logs
        .iter()
        .map(|number| u64::from_le_bytes(*number))
        .collect();

    let others = SightingList::from_bytes(others.as_flattened().to_vec());
    Some(KnownTables {
        tables,
        logs,
        others,
        is_new: false,
    })
}

/// Appends a list: its length in bytes (u32), then the bytes.
fn put_list(file: &mut Vec<u8>, list: &SightingList) {
    file.extend((list.bytes().len() as u32).to_le_bytes());
    file.extend_from_slice(list.bytes());
}

/// Splits off a list of records of `BYTES` bytes each. The number of records (u32) precedes them.
fn split_list<const BYTES: usize>(bytes: &[u8]) -> Option<(&[[u8; BYTES]], &[u8])> {
    let (count, rest) = bytes.split_first_chunk()?;
    let (records, rest) =
        rest.split_at_checked((u32::from_le_bytes(*count) as usize).checked_mul(BYTES)?)?;
    Some((records.as_chunks().0, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bedrock::chunks::sighting_list::SightingGroup;
    use pixelmap_base::coord::ChunkPos;

    fn list(chunks: i32) -> SightingList {
        let (mut list, mut group) = (SightingList::default(), SightingGroup::new());
        (0..chunks)
            .for_each(|x| group.add(&Sighting::new(BlockRef::LOGS, 0, ChunkPos { x, z: 0 })));
        list.add_group(0, 9, &mut group);
        list
    }

    fn file() -> Vec<u8> {
        let tables = BTreeMap::from([
            (
                5,
                KnownTable {
                    name_hash: 7,
                    sightings: list(3),
                },
            ),
            (9, KnownTable::default()),
        ]);

        KnownTables {
            tables,
            logs: vec![4, 6],
            others: list(2),
            is_new: true,
        }
        .to_bytes()
        .unwrap()
    }

    #[test]
    fn a_file_is_read_as_it_was_written() {
        let read = KnownTables::parse(&file());
        let tables = read
            .tables
            .iter()
            .map(|(state, table)| (*state, table.name_hash, table.sightings.len()));
        assert_eq!(tables.collect::<Vec<_>>(), [(5, 7, 3), (9, 0, 0)]);
        assert_eq!((read.logs(), read.others.len()), (&[4, 6][..], 2));
        assert_eq!(read.to_bytes(), None, "nothing is new");
    }

    #[test]
    fn a_damaged_file_counts_as_absent() {
        let file = file();
        for end in 0..file.len() {
            assert!(
                KnownTables::parse(&file[..end]).tables.is_empty(),
                "cut at {end}"
            );
        }

        for at in 0..file.len() {
            let mut changed = file.clone();
            changed[at] ^= 1;
            assert!(
                KnownTables::parse(&changed).tables.is_empty(),
                "byte {at} is another one"
            );
        }
    }
}
