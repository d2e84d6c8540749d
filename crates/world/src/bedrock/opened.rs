//! The opened files of a database, in which values can be looked up by their keys. No chunk is
//! listed yet.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::chunks::KnownTables;
use super::leveldb::{BlockReader, OpenError, OpenFiles, open_files};
use crate::bytes::{Defect, FileDamage, Inflater};
use pixelmap_base::files::Files;

/// Name of the database's folder inside the folder of a world.
pub const FOLDER: &str = "db";
/// The most bytes of keys and values that one prefix lookup may collect.
pub const MAX_VALUES: usize = 64 << 20;

/// How a lookup of values ended.
#[derive(Debug)]
pub struct FoundValues {
    /// The number of entries beyond [`MAX_VALUES`], which were not visited.
    pub beyond: usize,
    /// The damage of the first block that may contain wanted keys and cannot be read. All others
    /// were visited.
    pub damage: Option<FileDamage>,
}

/// The opened files of a database.
#[derive(Debug)]
pub struct OpenedDatabase {
    folder: PathBuf,
    pub(super) files: OpenFiles,
    pub(super) known: KnownTables,
}

impl OpenedDatabase {
    /// Opens the database in the folder of a `world`. `known` is the result of
    /// [`Database::known_tables`](super::Database::known_tables) in an earlier run, or empty.
    ///
    /// # Errors
    /// Fails if the database is missing, if no part of it can be read, or if a read failed with an
    /// error that may pass.
    pub fn open(files: &Files, world: &Path, known: &[u8]) -> Result<Self, OpenError> {
        let folder = world.join(FOLDER);
        let known = KnownTables::parse(known);
        let files = open_files(files, &folder, known.logs(), || ())?;
        Ok(Self {
            folder,
            files,
            known,
        })
    }

    /// Returns the folder that contains the files of the database.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the value of a key, or `None` if the key is missing or deleted.
    ///
    /// # Errors
    /// Fails if a block that may contain the key is damaged.
    pub fn value(&self, key: &[u8]) -> Result<Option<Vec<u8>>, FileDamage> {
        let mut value = None;
        let FoundValues { damage, .. } = self.values(key, |own, bytes| {
            if own == key {
                value = Some(bytes.to_vec());
            }
        });
        damage.map_or(Ok(value), Err)
    }

    /// Calls `visit` with the keys that begin with `prefix`, in order, and their values.
    pub fn values(&self, prefix: &[u8], visit: impl FnMut(&[u8], &[u8])) -> FoundValues {
        let (newest, damage) = self.newest(prefix, NewestValues::default());
        newest.visit(visit);
        FoundValues {
            beyond: newest.beyond,
            damage,
        }
    }

    /// Calls `visit` with the keys that begin with `prefix` and have a value, in order. It keeps no
    /// values in memory, so that far more keys are found than by [`Database::values`].
    pub fn keys(&self, prefix: &[u8], mut visit: impl FnMut(&[u8])) -> FoundValues {
        let newest = NewestValues {
            are_keys_enough: true,
            ..NewestValues::default()
        };
        let (newest, damage) = self.newest(prefix, newest);
        newest.visit(|key, _| visit(key));
        FoundValues {
            beyond: newest.beyond,
            damage,
        }
    }

    /// Adds the newest values of the keys that begin with `prefix` to `newest`. Also returns the
    /// first damage in the way.
    fn newest(
        &self,
        prefix: &[u8],
        mut newest: NewestValues,
    ) -> (NewestValues, Option<FileDamage>) {
        let mut inflater = Inflater::default();
        let mut damage = None;
        for table in &self.files.tables {
            for block in table.blocks_with(prefix) {
                let read = table.inflate(block, &mut inflater).and_then(|plain| {
                    newest
                        .add_block(&plain, prefix)
                        .map_err(|defect| table.damage(block, defect))
                });
                damage = damage.or(read.err());
            }
        }

        self.files
            .logs
            .entries(prefix)
            .for_each(|entry| newest.add(entry.key, entry.sequence, entry.value));

        (newest, damage)
    }
}

/// The newest value of each key with its sequence. The value is `None` if the key is deleted.
#[derive(Default)]
struct NewestValues {
    values: BTreeMap<Vec<u8>, (u64, Option<Vec<u8>>)>,
    bytes: usize,
    /// The number of entries that are left out because there are too many bytes.
    beyond: usize,
    /// Whether empty values are kept instead of the stored ones.
    are_keys_enough: bool,
}

impl NewestValues {
    fn add_block(&mut self, plain: &[u8], prefix: &[u8]) -> Result<(), Defect> {
        let mut reader = BlockReader::new(plain)?;
        reader.seek(prefix);

        while let Some(entry) = reader.next()? {
            if entry.key.starts_with(prefix) {
                self.add(
                    entry.key,
                    entry.sequence,
                    entry.value.map(|value| &plain[value]),
                );
            } else if entry.key > prefix {
                break;
            }
        }

        Ok(())
    }

    /// Calls `visit` with the keys that are not deleted, in order, and their values.
    fn visit(&self, mut visit: impl FnMut(&[u8], &[u8])) {
        for (key, (_, value)) in &self.values {
            if let Some(value) = value {
                visit(key, value);
            }
        }
    }

    fn add(&mut self, key: &[u8], sequence: u64, value: Option<&[u8]>) {
        if self
            .values
            .get(key)
            .is_some_and(|(newest, _)| *newest >= sequence)
        {
            return;
        }

        if self.bytes > MAX_VALUES {
            self.beyond += 1;
            return;
        }

        let value = value.map(|value| if self.are_keys_enough { &[] } else { value });
        self.bytes += key.len() + value.map_or(0, <[u8]>::len);
        self.values
            .insert(key.to_vec(), (sequence, value.map(<[u8]>::to_vec)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_beyond_the_bound_are_counted() {
        let mut newest = NewestValues::default();
        let value = vec![0; MAX_VALUES / 2];
        for (sequence, key) in [b"a", b"b", b"c", b"d", b"a"].into_iter().enumerate() {
            newest.add(key, sequence as u64, Some(&value));
        }
        newest.add(b"b", 0, Some(&value));
        assert_eq!((newest.values.len(), newest.beyond), (2, 3));
    }

    #[test]
    fn keys_alone_are_not_bounded_by_their_values() {
        let mut newest = NewestValues {
            are_keys_enough: true,
            ..NewestValues::default()
        };
        let value = vec![0; MAX_VALUES / 2];
        for (sequence, key) in [b"a", b"b", b"c", b"d"].into_iter().enumerate() {
            newest.add(key, sequence as u64, Some(&value));
        }
        newest.add(b"c", 9, None);

        let mut keys = Vec::new();
        newest.visit(|key, value| keys.push((key.to_vec(), value.len())));
        let found = [b"a", b"b", b"d"].map(|key| (key.to_vec(), 0));
        assert_eq!((keys, newest.beyond), (found.to_vec(), 0));
    }
}
