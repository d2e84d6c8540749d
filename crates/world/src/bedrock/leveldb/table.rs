//! Reads tables, the files with LevelDB's sorted entries. A table has compressed blocks of entries
//! and an index of them.
//!
//! The file ends with the position of the index and a magic number. The index is itself a block.
//! Its keys separate the other blocks, and its values are their positions. A compression id (u8)
//! and a checksum (u32) follow each block. Mojang's LevelDB adds two compressions to Google's.
//! Source: LevelDB, `doc/table_format.md`; Mojang's leveldb-mcpe,
//! `include/leveldb/zlib_compressor.h`.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use twox_hash::XxHash3_64;

use super::block::BlockReader;
use super::checksum;
use super::fields;
use super::key_range::KeyRange;
use super::snapshot::{DatabaseFile, TableFile, foreign_defect};
use crate::bytes::{Allowance, Defect, FileDamage, Inflater, Stamp};
use pixelmap_base::files::{Files, OpenFile};

/// Length of the footer, and the bytes with which it ends.
const FOOTER: usize = 48;
const MAGIC: [u8; 8] = 0xdb47_7524_8b80_fb57_u64.to_le_bytes();
/// Length of the compression id and the checksum behind each block.
const TRAILER: usize = 5;
/// The most bytes of a block, both as stored and inflated.
const MAX_BLOCK: usize = 16 << 20;
/// Initial room for an inflated block. Nearly all blocks of the game fit, because it begins a new
/// one after 160 KiB.
const ROOM: usize = 172 << 10;

/// Compression ids.
const NONE: u8 = 0;
const SNAPPY: u8 = 1;
const ZLIB: u8 = 2;
const DEFLATE: u8 = 4;

/// The file of a table.
#[derive(Debug)]
struct TableSource {
    files: Files,
    path: PathBuf,
    /// `None` if the file is opened for each read.
    open: Option<OpenFile>,
    /// Length of the file when the table was opened.
    len: u64,
    /// If set, each read fails with this error number of the system.
    #[cfg(test)]
    failure: Option<i32>,
}

/// The position of a block in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BlockExtent {
    pub(crate) offset: u64,
    /// Its length, without the compression id and the checksum.
    pub(crate) len: u32,
}

#[derive(Debug)]
pub(crate) struct Table {
    source: TableSource,
    name: String,
    blocks: Vec<IndexedBlock>,
    /// The separators of all blocks, concatenated.
    separators: Vec<u8>,
    /// The smallest key in the table, if it is known.
    smallest: Option<Box<[u8]>>,
    /// A hash of the file's name, stamp and index, by which later runs recognise the table.
    state: u64,
    /// Set if no part of the table can be read.
    defect: Option<Defect>,
}

#[derive(Debug)]
struct IndexedBlock {
    extent: BlockExtent,
    /// The position of its separator. Each key in the block is at most the separator, and each key
    /// in later blocks is at least the separator.
    separator: Range<u32>,
    /// Whether its checksum was already found correct. One check is enough, because a database file
    /// never changes.
    is_checked: AtomicBool,
}

impl Table {
    /// Opens a table and reads its index.
    ///
    /// # Errors
    /// Fails if the file cannot be read or is not a table.
    pub(crate) fn open(
        files: &Files,
        file: &DatabaseFile,
        smallest: Option<Box<[u8]>>,
        inflater: &mut Inflater,
    ) -> Result<Self, Defect> {
        let DatabaseFile { path, name } = file.clone();

        // Opening a pipe could block forever.
        if !files.facts(&path)?.is_file() {
            return Err(Defect::Foreign);
        }

        let open = files.open(&path)?;
        let facts = open.facts()?;
        let len = facts.bytes();

        let source = TableSource {
            files: files.clone(),
            path,
            open: Some(open),
            len,
            #[cfg(test)]
            failure: None,
        };

        let mut table = Self {
            source,
            name,
            blocks: Vec::new(),
            separators: Vec::new(),
            smallest,
            state: 0,
            defect: None,
        };

        let index = table.read_index(inflater)?;
        table.state = Stamp::new(&facts)
            .with_header(&[index.as_slice(), table.name.as_bytes()].concat())
            .state();

        Ok(table)
    }

    /// Makes a table that stands for an unreadable file. If its smallest and largest keys are
    /// known, it has one block with this range of keys, so that chunks in the range count as
    /// damaged.
    pub(crate) fn from_defect(files: &Files, table: &TableFile, defect: Defect) -> Self {
        let DatabaseFile { path, name } = table.file.clone();
        let source = TableSource {
            files: files.clone(),
            path,
            open: None,
            len: 0,
            #[cfg(test)]
            failure: None,
        };

        let smallest = table.smallest.clone();
        let separators = table.largest.as_deref().unwrap_or_default().to_vec();
        let separator = 0..separators.len() as u32;
        let extent = BlockExtent { offset: 0, len: 0 };
        let block = IndexedBlock {
            extent,
            separator,
            is_checked: AtomicBool::new(false),
        };

        let blocks = table
            .largest
            .is_some()
            .then_some(block)
            .into_iter()
            .collect();

        Self {
            source,
            name,
            blocks,
            separators,
            smallest,
            state: 0,
            defect: Some(defect),
        }
    }

    /// Makes each read fail with this error number of the system.
    #[cfg(test)]
    pub(crate) fn fail_reads(&mut self, number: i32) {
        self.source.failure = Some(number);
    }

    pub(crate) fn is_lost(&self) -> bool {
        self.defect.is_some()
    }

    pub(crate) fn is_encrypted(&self) -> bool {
        self.defect == Some(Defect::Encrypted)
    }

    /// Returns a hash of the file's name.
    pub(crate) fn name_hash(&self) -> u64 {
        XxHash3_64::oneshot(self.name.as_bytes())
    }

    /// Closes the file, so that each later read opens it again.
    pub(crate) fn close(&mut self) {
        self.source.open = None;
    }

    /// Reads the index and returns its bytes.
    fn read_index(&mut self, inflater: &mut Inflater) -> Result<Vec<u8>, Defect> {
        let mut footer = [0; FOOTER];
        let start = self
            .source
            .len
            .checked_sub(FOOTER as u64)
            .ok_or_else(|| self.source.foreign_defect())?;
        self.source.read(start, &mut footer)?;

        if !footer.ends_with(&MAGIC) {
            return Err(self.source.foreign_defect());
        }

        let mut handles = &footer[..];
        let _metaindex = BlockExtent::read(&mut handles).ok_or(Defect::Structure)?;
        let extent = BlockExtent::read(&mut handles).ok_or(Defect::Structure)?;

        let index = self
            .source
            .inflate(extent, &AtomicBool::new(false), inflater)?;
        let mut reader = BlockReader::new(&index)?;
        let mut end = 0;
        while let Some((separator, value)) = reader.next_separator()? {
            let extent = BlockExtent::read(&mut &index[value]).ok_or(Defect::Structure)?;

            // Overlapping blocks are refused, because a small file could otherwise describe a
            // million times its own length.
            if extent.offset < end {
                return Err(Defect::Structure);
            }

            end = extent.offset.saturating_add(u64::from(extent.len));
            let start = self.separators.len() as u32;

            if self.separators.len() + separator.len() > MAX_BLOCK {
                return Err(Defect::TooLarge);
            }

            self.separators.extend_from_slice(separator);
            self.blocks.push(IndexedBlock {
                extent,
                separator: start..self.separators.len() as u32,
                is_checked: AtomicBool::new(false),
            });
        }

        self.separators.shrink_to_fit();
        self.blocks.shrink_to_fit();

        Ok(index)
    }

    /// Returns a number that identifies the table and the state of its file.
    pub(crate) fn state(&self) -> u64 {
        self.state
    }

    /// Returns the number of blocks.
    pub(crate) fn len(&self) -> usize {
        self.blocks.len()
    }

    pub(crate) fn extent(&self, block: usize) -> BlockExtent {
        self.blocks[block].extent
    }

    /// Returns the range of keys that a block may contain.
    pub(crate) fn range(&self, block: usize) -> KeyRange<'_> {
        let before = block
            .checked_sub(1)
            .map(|before| self.separator(&self.blocks[before]));
        KeyRange {
            first: before.or(self.smallest.as_deref()),
            last: self.separator(&self.blocks[block]),
        }
    }

    /// Returns the blocks that may contain keys with this prefix.
    pub(crate) fn blocks_with<'a>(&'a self, prefix: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
        let first = self
            .blocks
            .partition_point(|block| self.separator(block) < prefix);
        (first..self.len()).take_while(move |&block| self.range(block).may_have_prefix(prefix))
    }

    fn separator(&self, block: &IndexedBlock) -> &[u8] {
        &self.separators[block.separator.start as usize..block.separator.end as usize]
    }

    /// Reads and inflates a block.
    pub(crate) fn inflate(
        &self,
        block: usize,
        inflater: &mut Inflater,
    ) -> Result<Vec<u8>, FileDamage> {
        if let Some(defect) = &self.defect {
            return Err(FileDamage {
                file: self.name.clone(),
                offset: None,
                defect: defect.clone(),
            });
        }

        let IndexedBlock {
            extent, is_checked, ..
        } = &self.blocks[block];
        self.source
            .inflate(*extent, is_checked, inflater)
            .map_err(|defect| self.damage(block, defect))
    }

    pub(crate) fn damage(&self, block: usize, defect: Defect) -> FileDamage {
        FileDamage {
            file: self.name.clone(),
            offset: Some(self.extent(block).offset),
            defect,
        }
    }
}

impl TableSource {
    /// Reads and inflates a block. Checks its checksum unless it was already found correct.
    fn inflate(
        &self,
        extent: BlockExtent,
        is_checked: &AtomicBool,
        inflater: &mut Inflater,
    ) -> Result<Vec<u8>, Defect> {
        let len = extent.len as usize;
        if extent
            .offset
            .checked_add((len + TRAILER) as u64)
            .is_none_or(|end| end > self.len)
        {
            return Err(Defect::OutOfFile);
        }

        if len > MAX_BLOCK {
            return Err(Defect::TooLarge);
        }

        let record = inflater.record(len + TRAILER, Allowance::FULL)?;
        self.read(extent.offset, record)?;

        if !is_checked.load(Ordering::Relaxed)
            && let Some((checked, sum)) = record.split_last_chunk()
        {
            if !checksum::is_right(checked, *sum) {
                return Err(Defect::Checksum);
            }
            is_checked.store(true, Ordering::Relaxed);
        }

        match record[len] {
            NONE => Ok(record[..len].to_vec()),
            SNAPPY => inflate_snappy(&record[..len]),
            ZLIB => inflater.inflate_block(true, 0..len, ROOM, MAX_BLOCK),
            DEFLATE => inflater.inflate_block(false, 0..len, ROOM, MAX_BLOCK),
            id => Err(Defect::Compression(id)),
        }
    }

    /// Fills the buffer with the bytes that begin at `start`.
    fn read(&self, start: u64, buffer: &mut [u8]) -> Result<(), Defect> {
        #[cfg(test)]
        if let Some(number) = self.failure {
            return Err(std::io::Error::from_raw_os_error(number).into());
        }

        let opened = if self.open.is_none() {
            Some(self.files.open(&self.path)?)
        } else {
            None
        };

        let Some(file) = self.open.as_ref().or(opened.as_ref()) else {
            return Ok(());
        };

        let mut done = 0;
        while done < buffer.len() {
            match file.read_at(&mut buffer[done..], start + done as u64)? {
                0 => return Err(Defect::CutShort),
                more => done += more,
            }
        }

        Ok(())
    }

    /// Returns the defect of a file that does not end like a table.
    fn foreign_defect(&self) -> Defect {
        self.files
            .read(&self.path, FOOTER as u64)
            .map_or_else(Defect::from, |start| foreign_defect(&start))
    }
}

fn inflate_snappy(packed: &[u8]) -> Result<Vec<u8>, Defect> {
    let len = snap::raw::decompress_len(packed).map_err(|_| Defect::Inflate)?;
    // This must be checked first, because the decoder allocates `len` bytes at once.
    if len > MAX_BLOCK {
        return Err(Defect::TooLarge);
    }

    snap::raw::Decoder::new()
        .decompress_vec(packed)
        .map_err(|_| Defect::Inflate)
}

impl BlockExtent {
    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let offset = fields::number(bytes)?;
        // An excessive length is refused later, when the block is read.
        let len = fields::number(bytes)?.min(u64::from(u32::MAX)) as u32;
        Some(Self { offset, len })
    }
}
