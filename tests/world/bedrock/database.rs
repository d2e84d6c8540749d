//! Writes a database: its tables, its log, and the manifest that names them.

use std::collections::BTreeMap;

use super::crc32c;
use super::log::{self, TableFile};
pub use super::table::Compression;
use super::table::{self, Entry, Table};
use crate::world::files::Files;

/// Changes of keys: puts a value, or deletes the key if there is no value.
pub type Changes = BTreeMap<Vec<u8>, Option<Vec<u8>>>;

/// A database to write. Later additions are newer.
#[derive(Debug, Clone)]
pub struct Database {
    tables: Vec<Table>,
    /// The options of all tables.
    entries: Vec<Entry>,
    files: Vec<TableFile>,
    stale: Option<(TableFile, Table)>,
    batches: Vec<Vec<Entry>>,
    sequence: u64,
    next_file: u64,
}

impl Database {
    /// An empty database, whose newest file has this number.
    pub const fn new(last_file: u64) -> Self {
        Self {
            tables: Vec::new(),
            entries: Vec::new(),
            files: Vec::new(),
            stale: None,
            batches: Vec::new(),
            sequence: 0,
            next_file: last_file + 1,
        }
    }

    /// Adds a table of level 1, 0 or lower, with blocks of this many plain bytes.
    pub fn table(
        &mut self,
        level: u64,
        compression: Compression,
        block_size: usize,
        changes: &Changes,
    ) {
        let entries = self.entries(changes);
        let table = table::write(&entries, compression, block_size);
        let file = self.table_file(level, &entries, &table);
        self.tables.push(table);
        self.files.push(file);
        self.entries.extend(entries);
    }

    /// Adds a table that an earlier state of the manifest names and the last one does not. It is
    /// newer than all before it.
    pub fn stale_table(&mut self, changes: &Changes) {
        let entries = self.entries(changes);
        let table = table::write(&entries, Compression::Deflate, 4096);
        self.stale = Some((self.table_file(2, &entries, &table), table));
    }

    /// Adds a batch to the log.
    pub fn batch(&mut self, changes: &Changes) {
        let entries = self.entries(changes);
        self.batches.push(entries);
    }

    /// The database after the game has moved everything into one table: only the newest version of
    /// each key, with its number.
    pub fn compacted(&self) -> Self {
        let mut newest: BTreeMap<&[u8], &Entry> = BTreeMap::new();
        for entry in self.entries.iter().chain(self.batches.iter().flatten()) {
            let known = newest.entry(&entry.key).or_insert(entry);
            if known.sequence < entry.sequence {
                *known = entry;
            }
        }

        let entries: Vec<Entry> = newest
            .into_values()
            .filter(|entry| entry.value.is_some())
            .cloned()
            .collect();

        let mut database = Self {
            sequence: self.sequence,
            ..Self::new(self.next_file + 2)
        };
        let table = table::write(&entries, Compression::Zlib, 7000);
        let file = database.table_file(1, &entries, &table);
        database.tables.push(table);
        database.files.push(file);
        database.entries = entries;

        database
    }

    /// Gives the changes numbers, in the order of their keys.
    fn entries(&mut self, changes: &Changes) -> Vec<Entry> {
        let first = self.sequence + 1;
        self.sequence += changes.len() as u64;
        let numbered = changes.iter().zip(first..);
        numbered
            .map(|((key, value), sequence)| Entry {
                key: key.clone(),
                sequence,
                value: value.clone(),
            })
            .collect()
    }

    fn table_file(&mut self, level: u64, entries: &[Entry], table: &Table) -> TableFile {
        self.next_file += 1;
        TableFile {
            level,
            number: self.next_file - 1,
            size: table.bytes.len() as u64,
            smallest: entries[0].internal_key(),
            largest: entries[entries.len() - 1].internal_key(),
        }
    }

    /// The name of a table's file, counted from 0.
    pub fn table_name(&self, table: usize) -> String {
        format!("db/{:06}.ldb", self.files[table].number)
    }

    /// Returns the place of a block in the file of its table: offset and length of the compressed
    /// bytes.
    pub fn block_place(&self, table: usize, block: usize) -> (usize, usize) {
        let handle = self.tables[table].blocks[block];
        (handle.offset, handle.length)
    }

    /// Damages a block so that it cannot be inflated, although its checksum is right.
    pub fn tear_block(&mut self, table: usize, block: usize) {
        let (offset, length) = self.block_place(table, block);
        let bytes = &mut self.tables[table].bytes;
        // This kind of block does not exist in deflate.
        bytes[offset] |= 6;
        let sum = crc32c::masked(&bytes[offset..=offset + length]);
        bytes[offset + length + 1..][..4].copy_from_slice(&sum.to_le_bytes());
    }

    /// The number of blocks of a table.
    pub fn block_count(&self, table: usize) -> usize {
        self.tables[table].blocks.len()
    }

    /// The name of the log's file.
    pub fn log_name(&self) -> String {
        format!("db/{:06}.log", self.next_file)
    }

    /// The name of the manifest's file.
    pub fn manifest_name(&self) -> String {
        format!("db/MANIFEST-{:06}", self.next_file + 1)
    }

    /// Adds the files of folder `db`.
    pub fn put_files(&self, files: &mut Files) {
        for (number, table) in self.tables.iter().enumerate() {
            files.put(&self.table_name(number), table.bytes.clone());
        }

        if let Some((file, table)) = &self.stale {
            files.put(&format!("db/{:06}.ldb", file.number), table.bytes.clone());
        }

        files.put(&self.log_name(), log::write(&self.batches));

        let stale = self.stale.as_ref().map(|(file, _)| file);
        let manifest = log::manifest(
            &self.files,
            stale,
            self.next_file,
            self.next_file + 2,
            self.sequence,
        );
        files.put(&self.manifest_name(), manifest);

        files.put(
            "db/CURRENT",
            format!("MANIFEST-{:06}\n", self.next_file + 1).into_bytes(),
        );
        files.put("db/LOCK", Vec::new());
    }
}
