//! Writes databases for tests.
#![allow(
    unreachable_pub,
    reason = "the builder is public for the tests in tests/"
)]

use std::fs;
use std::path::Path;

#[path = "../../../../../tests/world/bedrock/crc32c.rs"]
mod crc32c;
#[path = "../../../../../tests/world/bedrock/log.rs"]
mod log;
#[path = "../../../../../tests/world/bedrock/snappy.rs"]
mod snappy;
#[allow(dead_code, reason = "other tests damage its blocks")]
#[path = "../../../../../tests/world/bedrock/table.rs"]
mod table;

pub(super) use table::{Compression, Entry};

/// A database in a temporary folder.
pub(super) struct TestDatabase {
    tables: Vec<log::TableFile>,
    folder: tempfile::TempDir,
}

impl TestDatabase {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("db")).unwrap();
        let written = Self {
            tables: Vec::new(),
            folder,
        };
        written.put_list();
        written
    }

    pub(super) fn world(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.world().join("db").join(name)).unwrap()
    }

    pub(super) fn put(&self, name: &str, bytes: &[u8]) {
        use std::io::Write as _;
        let mut file = tempfile::NamedTempFile::new_in(self.world()).unwrap();
        file.write_all(bytes).unwrap();
        file.persist(self.world().join("db").join(name)).unwrap();
    }

    pub(super) fn remove(&self, name: &str) {
        fs::remove_file(self.world().join("db").join(name)).unwrap();
    }

    /// Adds a table, each of whose blocks ends after `block_size` bytes, and returns the positions
    /// of the blocks.
    pub(super) fn add_table(
        &mut self,
        number: u64,
        mut entries: Vec<Entry>,
        compression: Compression,
        block_size: usize,
    ) -> Vec<table::Handle> {
        entries.sort_by(|a, b| a.key.cmp(&b.key).then(b.sequence.cmp(&a.sequence)));

        let ends = [&entries[0], &entries[entries.len() - 1]].map(Entry::internal_key);
        self.put_table(
            number,
            table::write(&entries, compression, block_size),
            ends,
        )
    }

    /// Adds a table of one block with exactly these keys, which include their tails and may be
    /// malformed.
    pub(super) fn add_pairs(&mut self, number: u64, pairs: &[(Vec<u8>, Vec<u8>)]) {
        let ends = [&pairs[0], &pairs[pairs.len() - 1]].map(|(key, _)| key.clone());
        self.put_table(
            number,
            table::write_pairs(pairs, Compression::Deflate, usize::MAX),
            ends,
        );
    }

    fn put_table(
        &mut self,
        number: u64,
        table: table::Table,
        ends: [Vec<u8>; 2],
    ) -> Vec<table::Handle> {
        self.put(&format!("{number:06}.ldb"), &table.bytes);
        let size = table.bytes.len() as u64;

        let [smallest, largest] = ends;
        self.tables.push(log::TableFile {
            level: 1,
            number,
            size,
            smallest,
            largest,
        });
        self.put_list();

        table.blocks
    }

    /// Writes the log.
    pub(super) fn put_log(&self, batches: &[Vec<Entry>]) {
        self.put("000009.log", &log::write(batches));
    }

    /// Writes the list of files.
    pub(super) fn put_list(&self) {
        self.put(
            "MANIFEST-000002",
            &log::manifest(&self.tables, None, 9, 20, 1000),
        );
        self.put("CURRENT", b"MANIFEST-000002\n");
    }

    /// Removes the last table from the list of files.
    pub(super) fn forget_table(&mut self) {
        self.tables.pop();
        self.put_list();
    }
}
