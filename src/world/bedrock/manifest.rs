//! The manifest: which tables and logs belong to the database.
//!
//! Its records are changes of the list of files, one after another. Source: LevelDB, `db/version_edit.cc`.

use std::collections::BTreeMap;

use super::block::KEY_TAIL;
use super::fields;
use super::records::{self, RecordDamage};
use crate::world::bytes::Defect;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Manifest {
    /// The tables by their numbers.
    pub(super) tables: BTreeMap<u64, TableFile>,
    /// Logs with lower numbers are in the tables.
    pub(super) first_log: u64,
    /// Whether a record has named the first log, as the first record that LevelDB writes does.
    is_whole: bool,
    /// One more log that is not in the tables; 0: none.
    pub(super) previous_log: u64,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct TableFile {
    pub(super) level: u64,
    /// The least key in it.
    pub(super) smallest: Box<[u8]>,
    /// The greatest key in it.
    pub(super) largest: Box<[u8]>,
}

impl Manifest {
    /// Reads a manifest.
    ///
    /// # Errors
    /// A part of it is damaged. Then it is not known which tables belong to the database.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, RecordDamage> {
        let mut manifest = Self::default();
        records::read(bytes, |mut record| {
            while !record.is_empty() {
                manifest.apply(&mut record)?;
            }
            Some(())
        })?;
        let cut = RecordDamage { offset: bytes.len() as u64, defect: Defect::CutShort };
        if manifest.is_whole { Ok(manifest) } else { Err(cut) }
    }

    /// Takes one change. `None`: it is none that LevelDB knows.
    fn apply(&mut self, record: &mut &[u8]) -> Option<()> {
        match fields::number(record)? {
            // The comparator, and keys from which compaction goes on.
            1 => drop(fields::string(record)?),
            5 => drop((fields::number(record)?, fields::string(record)?)),
            2 => {
                self.first_log = fields::number(record)?;
                self.is_whole = true;
            }
            9 => self.previous_log = fields::number(record)?,
            // The next number of a file, and the newest sequence in the tables.
            3 | 4 => drop(fields::number(record)?),
            6 => self.remove(fields::number(record)?, fields::number(record)?),
            7 => {
                let level = fields::number(record)?;
                let number = fields::number(record)?;
                let _size = fields::number(record)?;
                let smallest = fields::string(record)?;
                let largest = fields::string(record)?;
                let key = |key: &[u8]| Some(key.get(..key.len().checked_sub(KEY_TAIL)?)?.into());
                self.tables.insert(number, TableFile { level, smallest: key(smallest)?, largest: key(largest)? });
            }
            _ => return None,
        }
        Some(())
    }

    /// Removes a table, unless the same change has put it to another level.
    fn remove(&mut self, level: u64, number: u64) {
        if self.tables.get(&number).is_some_and(|table| table.level == level) {
            self.tables.remove(&number);
        }
    }
}
