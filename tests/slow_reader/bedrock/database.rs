//! Reads all keys of a database with their newest values, and finds the places where something is
//! missing.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::chunk;
use super::files::{Bytes, block, entries, handle, records};
use super::tables;

/// The reason why a database is not read at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The folder `db` is missing.
    NoFolder,
    /// CURRENT names no manifest, and no file can be read: the world is encrypted.
    Encrypted,
}

/// The newest versions of all keys of chunks, and of the tables of add-ons.
#[derive(Debug, Default)]
pub struct Database {
    newest: BTreeMap<Vec<u8>, Version>,
    /// The key ranges of blocks that cannot be read, both ends included.
    lost: Vec<(Vec<u8>, Vec<u8>)>,
    has_tables: bool,
    /// Tables that are missing, or whose index cannot be read.
    pub lost_tables: Vec<String>,
    /// Whether a log has a damaged record. A record that the end of the file cuts does not count.
    pub has_torn_log: bool,
}

#[derive(Debug)]
struct Version {
    sequence: u64,
    value: Option<Vec<u8>>,
}

/// The contents of a manifest: the current tables, and the oldest current log.
struct Manifest {
    /// The table's number and its least key.
    tables: BTreeMap<u64, Vec<u8>>,
    /// `None` if the manifest is cut before the log is named.
    log: Option<u64>,
}

impl Database {
    /// Reads all files of a folder.
    pub fn read(folder: &Path) -> Result<Self, Refusal> {
        // Files by number and ending.
        let mut files: BTreeMap<(u64, String), Vec<u8>> = BTreeMap::new();
        for entry in fs::read_dir(folder).map_err(|_| Refusal::NoFolder)? {
            let path = entry.unwrap().path();
            if let Some((number, ending)) =
                path.file_name().unwrap().to_str().unwrap().split_once('.')
            {
                let number = number.parse().unwrap_or(0);
                files.insert(
                    (number, ending.to_owned()),
                    fs::read(path).unwrap_or_default(),
                );
            }
        }

        let manifest = read_manifest(folder);
        let mut database = Self::default();
        for ((number, ending), bytes) in &files {
            let counts = manifest
                .as_ref()
                .is_none_or(|manifest| manifest.counts(*number, ending));
            match (counts, ending.as_str()) {
                (true, "ldb" | "sst") => {
                    let smallest = manifest
                        .as_ref()
                        .and_then(|manifest| manifest.tables.get(number).cloned());
                    if database
                        .add_table(bytes, smallest.unwrap_or_default())
                        .is_none()
                    {
                        database.lost_tables.push(format!("{number:06}.{ending}"));
                    }
                }
                (true, "log") => database.add_log(bytes),
                _ => {}
            }
        }

        for number in manifest.iter().flat_map(|manifest| manifest.tables.keys()) {
            if !["ldb", "sst"]
                .iter()
                .any(|ending| files.contains_key(&(*number, (*ending).to_owned())))
            {
                database.lost_tables.push(format!("{number:06}.ldb"));
            }
        }

        let is_read = database.has_tables || !database.newest.is_empty();
        if is_read || manifest.is_some() {
            Ok(database)
        } else {
            Err(Refusal::Encrypted)
        }
    }

    /// Adds the entries of a table. Records the key range of a block that cannot be read. A table
    /// without an index adds nothing.
    fn add_table(&mut self, file: &[u8], smallest: Vec<u8>) -> Option<()> {
        let footer = file.get(file.len().checked_sub(48)?..)?;
        if footer[40..] != 0xdb47_7524_8b80_fb57_u64.to_le_bytes() {
            return None;
        }

        let mut footer = Bytes(footer);
        handle(&mut footer)?;
        let index = entries(&block(file, handle(&mut footer)?)?)?;
        self.has_tables = true;

        let mut before = smallest;
        for (separator, place) in index {
            let separator = user_key(&separator)?.0;
            let place = handle(&mut Bytes(&place))?;
            match block(file, place).and_then(|plain| entries(&plain)) {
                None => self.lost.push((before, separator.clone())),
                Some(entries) => {
                    for (key, value) in entries {
                        // Entries without a sequence number, or of an unknown kind, are left out.
                        if let Some((key, number)) =
                            user_key(&key).filter(|(_, number)| number & 255 < 2)
                        {
                            self.add(key, number >> 8, (number & 255 == 1).then_some(value));
                        }
                    }
                }
            }

            before = separator;
        }

        Some(())
    }

    fn add_log(&mut self, file: &[u8]) {
        let (records, is_sound) = records(file);
        self.has_torn_log |= !is_sound;
        for record in records {
            // If a batch ends early, its earlier entries count.
            self.add_batch(&mut Bytes(&record));
        }
    }

    fn add_batch(&mut self, bytes: &mut Bytes<'_>) -> Option<()> {
        let (first, count) = (bytes.u64()?, bytes.u32()?);
        for sequence in (first..).take(count as usize) {
            let is_put = bytes.byte()? == 1;
            let key = bytes.text()?.to_vec();
            let value = if is_put {
                Some(bytes.text()?.to_vec())
            } else {
                None
            };
            self.add(key, sequence, value);
        }

        Some(())
    }

    fn add(&mut self, key: Vec<u8>, sequence: u64, value: Option<Vec<u8>>) {
        let is_wanted = chunk::place(&key).is_some() || tables::KEYS.contains(&&key[..]);
        if is_wanted
            && self
                .newest
                .get(&key)
                .is_none_or(|known| known.sequence < sequence)
        {
            self.newest.insert(key, Version { sequence, value });
        }
    }

    /// The keys that have a value.
    pub fn keys(&self) -> impl Iterator<Item = &[u8]> {
        self.newest
            .iter()
            .filter(|(_, version)| version.value.is_some())
            .map(|(key, _)| key.as_slice())
    }

    /// The newest value of a key.
    pub fn value(&self, key: &[u8]) -> Option<&[u8]> {
        self.newest.get(key)?.value.as_deref()
    }

    /// Returns whether a block that cannot be read may hold keys from `first` to `last`.
    pub fn is_lost_between(&self, first: &[u8], last: &[u8]) -> bool {
        self.lost
            .iter()
            .any(|(before, end)| before.as_slice() <= last && end.as_slice() >= first)
    }

    /// The number of blocks that cannot be read.
    pub fn lost_blocks(&self) -> usize {
        self.lost.len()
    }
}

/// The manifest that CURRENT names. It is `None` if it cannot be read; then all tables count.
fn read_manifest(folder: &Path) -> Option<Manifest> {
    let current = fs::read(folder.join("CURRENT")).ok()?;
    let name = std::str::from_utf8(&current).ok()?.strip_suffix('\n')?;
    name.strip_prefix("MANIFEST-")?.parse::<u64>().ok()?;
    let bytes = fs::read(folder.join(name)).ok()?;
    let mut manifest = Manifest {
        tables: BTreeMap::new(),
        log: None,
    };

    let (records, is_sound) = records(&bytes);
    let is_read = is_sound
        && records
            .iter()
            .all(|record| manifest.apply(&mut Bytes(record)).is_some());

    Some(manifest).filter(|manifest| is_read && manifest.log.is_some())
}

impl Manifest {
    /// Returns whether a file is one of the newest state.
    fn counts(&self, number: u64, ending: &str) -> bool {
        if ending == "log" {
            Some(number) >= self.log
        } else {
            self.tables.contains_key(&number)
        }
    }

    fn apply(&mut self, edit: &mut Bytes<'_>) -> Option<()> {
        while !edit.0.is_empty() {
            match edit.varint()? {
                1 => _ = edit.text()?,
                2 => self.log = Some(edit.varint()?),
                3 | 4 | 9 => _ = edit.varint()?,
                5 => _ = (edit.varint()?, edit.text()?),
                6 => {
                    edit.varint()?;
                    self.tables.remove(&edit.varint()?);
                }
                7 => {
                    edit.varint()?;
                    let (number, _size) = (edit.varint()?, edit.varint()?);
                    self.tables.insert(number, user_key(edit.text()?)?.0);
                    edit.text()?;
                }
                _ => return None,
            }
        }

        Some(())
    }
}

/// A key without its last eight bytes, and these as a number.
fn user_key(key: &[u8]) -> Option<(Vec<u8>, u64)> {
    let (key, number) = key.split_last_chunk::<8>()?;
    Some((key.to_vec(), u64::from_le_bytes(*number)))
}
