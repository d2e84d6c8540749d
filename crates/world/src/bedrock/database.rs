//! Opens a database and answers all reads from the files that belonged to it at that moment.
//!
//! The game may replace files while a world is open, so `Database` keeps its tables open if it can,
//! and the logs in memory. The sibling modules find the chunks and read their regions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::chunks::{
    BlockRef, ChunkIndex, DimensionChunks, DividedBlock, KnownTables, RegionChunks, ScatteredBlocks,
};
use super::leveldb::{BlockReader, Logs, OpenError, OpenFiles, Table, open_files};
use crate::bytes::{Defect, FileDamage, Inflater};
use pixelmap_base::coord::RegionPos;
use pixelmap_base::files::Files;

/// Name of the database's folder inside the folder of a world.
pub const FOLDER: &str = "db";
/// The most bytes of keys and values that one prefix lookup may collect.
pub const MAX_VALUES: usize = 64 << 20;

/// The next database number of this process.
static NUMBERS: AtomicU64 = AtomicU64::new(0);

/// How a lookup of values ended.
#[derive(Debug)]
pub struct FoundValues {
    /// The number of entries beyond [`MAX_VALUES`], which were not visited.
    pub beyond: usize,
    /// The damage of the first block that may contain wanted keys and cannot be read. All others
    /// were visited.
    pub damage: Option<FileDamage>,
}

#[derive(Debug)]
pub struct Database {
    /// Unique within the process, so that workers can cache parts of several databases.
    number: u64,
    folder: PathBuf,
    /// Sorted by number.
    tables: Vec<Table>,
    logs: Logs,
    /// Sorted by dimension number.
    dimensions: Vec<(i32, DimensionChunks)>,
    scattered: ScatteredBlocks,
    damage: Vec<FileDamage>,
    known: KnownTables,
}

impl Database {
    /// Opens the database in the folder of a `world` and finds the positions of its chunks on up to
    /// `threads` threads. With 0 threads, the system suggests the number. `known` is the result of
    /// [`Database::known_tables`] in an earlier run, or empty.
    ///
    /// # Errors
    /// Fails if the database is missing, if no part of it can be read, or if a read failed with an
    /// error that may pass. All other damage is listed in [`Database::damage`].
    pub fn open(
        files: &Files,
        world: &Path,
        known: &[u8],
        threads: usize,
    ) -> Result<Arc<Self>, OpenError> {
        let folder = world.join(FOLDER);
        let mut known = KnownTables::parse(known);
        let opened = open_files(files, &folder, known.logs(), || ())?;
        let ChunkIndex {
            dimensions,
            damage: damaged_blocks,
        } = ChunkIndex::new(&opened, &mut known, threads)?;

        let OpenFiles {
            tables,
            logs,
            mut damage,
            ..
        } = opened;
        damage.extend(damaged_blocks);

        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        let scattered = ScatteredBlocks::find(&tables, &dimensions);
        Ok(Arc::new(Self {
            number,
            folder,
            tables,
            logs,
            dimensions,
            scattered,
            damage,
            known,
        }))
    }

    /// Returns the folder that contains the files of the database.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the bytes to pass to [`Database::open`] in a later run, so that it does not read
    /// these tables again. Returns `None` if they are the same as the bytes that this run got.
    pub fn known_tables(&self) -> Option<Vec<u8>> {
        self.known.to_bytes()
    }

    /// Returns the dimensions that have chunks, sorted by number: 0 is the overworld, 1 the nether,
    /// 2 the end.
    pub fn dimensions(&self) -> &[(i32, DimensionChunks)] {
        &self.dimensions
    }

    /// Returns all damage: files first, then blocks of tables.
    pub fn damage(&self) -> &[FileDamage] {
        &self.damage
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
        for table in &self.tables {
            for block in table.blocks_with(prefix) {
                let read = table.inflate(block, &mut inflater).and_then(|plain| {
                    newest
                        .add_block(&plain, prefix)
                        .map_err(|defect| table.damage(block, defect))
                });
                damage = damage.or(read.err());
            }
        }

        self.logs
            .entries(prefix)
            .for_each(|entry| newest.add(entry.key, entry.sequence, entry.value));

        (newest, damage)
    }

    pub(super) fn logs(&self) -> &Logs {
        &self.logs
    }

    /// Returns the indexed chunks of a region, or `None` if the region has no stored chunk.
    pub(super) fn region(&self, dimension: i32, region: RegionPos) -> Option<&RegionChunks> {
        let index = self
            .dimensions
            .binary_search_by_key(&dimension, |(number, _)| *number)
            .ok()?;
        self.dimensions[index].1.region(region)
    }

    /// Returns a number that no other database of the process has.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Inflates a block. Fails for `BlockRef::MISSING`, because a missing chunk has no block.
    pub(super) fn inflate(
        &self,
        BlockRef { table, block }: BlockRef,
        inflater: &mut Inflater,
    ) -> Result<Vec<u8>, FileDamage> {
        if (BlockRef { table, block }) == BlockRef::MISSING {
            return Err(self.missing_damage());
        }
        self.tables[table as usize].inflate(block as usize, inflater)
    }

    /// Returns the pieces of a block that contains chunks of very many regions, or `None` for other
    /// blocks.
    pub(super) fn divided(
        &self,
        block: BlockRef,
        inflater: &mut Inflater,
    ) -> Result<Option<Arc<DividedBlock>>, FileDamage> {
        self.scattered.get(block, || {
            let plain = self.inflate(block, inflater)?;
            let divided = DividedBlock::new(&plain).map_err(|defect| self.damage_in(block, defect));
            inflater.kept_parts.give_back(plain);
            divided
        })
    }

    /// Returns the number of blocks that were divided into pieces.
    #[cfg(test)]
    pub(super) fn divided_blocks(&self) -> usize {
        self.scattered.divided()
    }

    /// Returns the damage that explains a missing chunk. Damaged blocks that may contain a chunk
    /// are listed with the chunk itself, so a missing one must have been in a lost file. Files are
    /// first in the list of damage.
    fn missing_damage(&self) -> FileDamage {
        let unknown = FileDamage {
            file: FOLDER.to_owned(),
            offset: None,
            defect: Defect::Missing,
        };
        self.damage.first().cloned().unwrap_or(unknown)
    }

    pub(super) fn damage_in(
        &self,
        BlockRef { table, block }: BlockRef,
        defect: Defect,
    ) -> FileDamage {
        self.tables[table as usize].damage(block as usize, defect)
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
