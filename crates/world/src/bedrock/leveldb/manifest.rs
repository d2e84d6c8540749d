//! Reads the manifest, which lists the tables and logs of the database.
//!
//! Its records are successive changes of this list. Source: LevelDB, `db/version_edit.cc`.

use std::collections::BTreeMap;

use super::block::KEY_TAIL;
use super::fields;
use super::records::{self, RecordDamage};
use crate::bytes::Defect;

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct TableManifest {
    /// The tables by number.
    pub(crate) tables: BTreeMap<u64, ListedTable>,
    /// The entries of logs with lower numbers are already in the tables.
    pub(crate) first_log: u64,
    /// Whether a record has named the first log. The first record that LevelDB writes does, so a
    /// manifest without it is cut.
    is_whole: bool,
    /// One more log whose entries are not in the tables, or 0 if there is no such log.
    pub(crate) previous_log: u64,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ListedTable {
    pub(crate) level: u64,
    /// The smallest key in the table.
    pub(crate) smallest: Box<[u8]>,
    /// The greatest key in the table.
    pub(crate) largest: Box<[u8]>,
}

impl TableManifest {
    /// Parses a manifest.
    ///
    /// # Errors
    /// Fails if any part of it is damaged, because then the tables of the database are not known.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, RecordDamage> {
        let mut manifest = Self::default();
        records::read(bytes, |mut record| {
            while !record.is_empty() {
                manifest.apply(&mut record)?;
            }
            Some(())
        })?;

        let cut = RecordDamage {
            offset: bytes.len() as u64,
            defect: Defect::CutShort,
        };

        if manifest.is_whole {
            Ok(manifest)
        } else {
            Err(cut)
        }
    }

    /// Applies one change. Returns `None` if it is malformed or unknown to LevelDB.
    fn apply(&mut self, record: &mut &[u8]) -> Option<()> {
        match fields::number(record)? {
            // The name of the comparator, and the key from which the next compaction of a level
            // starts.
            1 => drop(fields::string(record)?),
            5 => drop((fields::number(record)?, fields::string(record)?)),
            2 => {
                self.first_log = fields::number(record)?;
                self.is_whole = true;
            }
            9 => self.previous_log = fields::number(record)?,
            // The next file number, and the newest sequence.
            3 | 4 => drop(fields::number(record)?),
            6 => self.remove(fields::number(record)?, fields::number(record)?),
            7 => {
                let level = fields::number(record)?;
                let number = fields::number(record)?;
                let _size = fields::number(record)?;
                let smallest = fields::string(record)?;
                let largest = fields::string(record)?;

                self.tables.insert(
                    number,
                    ListedTable {
                        level,
                        smallest: without_tail(smallest)?.into(),
                        largest: without_tail(largest)?.into(),
                    },
                );
            }
            _ => return None,
        }

        Some(())
    }

    /// Removes a table, unless the same change has moved it to another level.
    fn remove(&mut self, level: u64, number: u64) {
        if self
            .tables
            .get(&number)
            .is_some_and(|table| table.level == level)
        {
            self.tables.remove(&number);
        }
    }
}

/// Returns a stored key without its tail; `None`: it is too short.
fn without_tail(key: &[u8]) -> Option<&[u8]> {
    key.split_last_chunk::<KEY_TAIL>().map(|(key, _)| key)
}
