//! Answers all reads of a database from the files that belonged to it when it was opened.
//!
//! The game may replace files while a world is open, so `Database` keeps its tables open if it can,
//! and the logs in memory. The sibling modules find the chunks and read their regions.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::chunks::{
    BlockRef, ChunkIndex, DimensionChunks, DividedBlock, EarlyReaders, RegionChunks,
    ScatteredBlocks,
};
use super::leveldb::{Logs, OpenError};
use super::opened::{FOLDER, OpenedDatabase};
use crate::bytes::{Defect, FileDamage, Inflater};
use pixelmap_base::coord::RegionPos;
use pixelmap_base::files::Files;

/// The next database number of this process.
static NUMBERS: AtomicU64 = AtomicU64::new(0);

#[derive(Debug)]
pub struct Database {
    /// Unique within the process, so that workers can cache parts of several databases.
    number: u64,
    opened: OpenedDatabase,
    /// Sorted by dimension number.
    dimensions: Vec<(i32, DimensionChunks)>,
    scattered: ScatteredBlocks,
    damage: Vec<FileDamage>,
}

impl Database {
    /// Opens the database in the folder of a `world` and lists its chunks, as
    /// [`OpenedDatabase::open`] and [`Database::list`] do.
    ///
    /// # Errors
    /// Fails if one of them fails.
    pub fn open(
        files: &Files,
        world: &Path,
        known: &[u8],
        threads: usize,
    ) -> Result<Arc<Self>, OpenError> {
        let opened = OpenedDatabase::open(files, world, known)?;
        Self::list(opened, threads, None).map_err(OpenError::from)
    }

    /// Finds the positions of the chunks of an opened database on up to `threads` threads. With 0
    /// threads, the system suggests the number. The readers of `early` get most of the chunks
    /// meanwhile.
    ///
    /// # Errors
    /// Fails if a read failed with an error that may pass. All other damage is listed in
    /// [`Database::damage`].
    pub fn list(
        mut opened: OpenedDatabase,
        threads: usize,
        early: Option<&dyn EarlyReaders>,
    ) -> io::Result<Arc<Self>> {
        let OpenedDatabase { files, known, .. } = &mut opened;
        let ChunkIndex {
            dimensions,
            damage: damaged_blocks,
        } = ChunkIndex::new(files, known, threads, early)?;

        let mut damage = files.damage.clone();
        damage.extend(damaged_blocks);

        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        let scattered = ScatteredBlocks::find(&files.tables, &dimensions);
        Ok(Arc::new(Self {
            number,
            opened,
            dimensions,
            scattered,
            damage,
        }))
    }

    /// Returns the opened files.
    pub fn opened(&self) -> &OpenedDatabase {
        &self.opened
    }

    /// Returns the bytes to pass to [`OpenedDatabase::open`] in a later run, so that it does not read
    /// these tables again. Returns `None` if they are the same as the bytes that this run got.
    pub fn known_tables(&self) -> Option<Vec<u8>> {
        self.opened.known.to_bytes()
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

    pub(super) fn logs(&self) -> &Logs {
        &self.opened.files.logs
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
        self.opened.files.tables[table as usize].inflate(block as usize, inflater)
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
        self.opened.files.tables[table as usize].damage(block as usize, defect)
    }
}
