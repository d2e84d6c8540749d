//! Passes chunks to a reader while their blocks are listed, so that these blocks need not be inflated
//! again.
//!
//! A listing reads each block once, in the order of the keys, which differs from the order of
//! regions. The entries of a chunk follow one another, so a thread that lists consecutive blocks
//! finds most chunks whole. But a chunk may have more entries in a table that another thread lists.
//! So the reader keeps its result under a [`ChunkExtent`], and the result counts only if the listed
//! chunk has the same extent.

use std::ops::Range;

use super::block_ref::BlockRef;
use super::key::{ChunkKey, ChunkPrefix};
use super::part::BlockPart;
use super::values::{ChunkValues, own_lowest_section, to_record};
use crate::bedrock::leveldb::Logs;
use crate::bytes::{Allowance, ChunkRecord, Inflater, PlainBytes, SHORT_CHUNK};
use pixelmap_base::coord::ChunkPos;

/// The consecutive blocks of one table in which a whole chunk is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ChunkExtent {
    dimension: i32,
    chunk: ChunkPos,
    first: BlockRef,
    blocks: u32,
}

impl ChunkExtent {
    /// Returns the extent of a chunk with these blocks, sorted. Returns `None` if they are not
    /// consecutive.
    pub(crate) fn new(dimension: i32, chunk: ChunkPos, blocks: &[BlockRef]) -> Option<Self> {
        let first = *blocks.first()?;
        let own = (first.block..).map(|block| BlockRef { block, ..first });
        if !blocks.iter().copied().eq(own.take(blocks.len())) {
            return None;
        }

        Some(Self {
            dimension,
            chunk,
            first,
            blocks: blocks.len() as u32,
        })
    }

    /// Returns the number of the dimension: 0 is the overworld, 1 the nether, 2 the end.
    pub fn dimension(&self) -> i32 {
        self.dimension
    }

    pub fn chunk(&self) -> ChunkPos {
        self.chunk
    }
}

/// Makes readers of chunks, one for each thread that lists blocks.
pub trait EarlyReaders: Sync {
    /// Returns a reader, which is called with chunks of the game's own dimensions.
    fn reader(&self) -> Box<dyn FnMut(EarlyChunk<'_>) + '_>;
}

/// A chunk that is read while its blocks are listed.
#[derive(Debug)]
pub struct EarlyChunk<'a> {
    extent: ChunkExtent,
    lowest: i8,
    values: ChunkValues<'a>,
}

impl EarlyChunk<'_> {
    pub fn extent(&self) -> ChunkExtent {
        self.extent
    }

    /// Returns the same record as the listed chunk's region does.
    pub fn record(self, inflater: &mut Inflater) -> ChunkRecord<'_> {
        let mut plain = PlainBytes::start(inflater);
        let mut allowance = Allowance::FULL;
        let gathered = self
            .values
            .write(|_| self.lowest, plain.inflater(), &mut allowance);
        to_record(gathered, plain)
    }
}

/// Collects the chunks of consecutive blocks, and passes each of them to the reader of a thread.
pub(crate) struct EarlyChunks<'r> {
    read: Box<dyn FnMut(EarlyChunk<'_>) + 'r>,
    logs: &'r Logs,
    /// The chunks at one position, which are in different dimensions. More entries of them may
    /// follow.
    open: Vec<OpenChunk>,
}

/// A chunk with more entries to come.
struct OpenChunk {
    dimension: i32,
    chunk: ChunkPos,
    /// Copied parts of earlier blocks.
    copied: Vec<u8>,
    /// Its entries in the present block.
    part: BlockPart,
    blocks: Vec<BlockRef>,
}

impl<'r> EarlyChunks<'r> {
    pub(crate) fn new(readers: &'r dyn EarlyReaders, logs: &'r Logs) -> Self {
        Self {
            read: readers.reader(),
            logs,
            open: Vec::new(),
        }
    }

    /// Adds an entry of a block, and passes on the chunks that were complete before it.
    pub(crate) fn add(
        &mut self,
        (block, plain): (BlockRef, &[u8]),
        key: &ChunkKey,
        sequence: u64,
        value: Option<Range<usize>>,
    ) {
        let first = self.open.first();
        if first.is_some_and(|open| open.chunk != key.chunk) {
            self.pass_on(plain);
        }
        if own_lowest_section(key.dimension).is_none() {
            return;
        }

        let open = self.open_chunk(key);
        if open.blocks.last() != Some(&block) {
            open.blocks.push(block);
        }
        open.part.add(key, sequence, value);
    }

    /// Returns the chunk of a key, which is at the position of the other open chunks.
    fn open_chunk(&mut self, key: &ChunkKey) -> &mut OpenChunk {
        let mut open = self.open.iter();
        let found = open.position(|open| open.dimension == key.dimension);
        let index = found.unwrap_or(self.open.len());
        if found.is_none() {
            self.open.push(OpenChunk {
                dimension: key.dimension,
                chunk: key.chunk,
                copied: Vec::new(),
                part: BlockPart::default(),
                blocks: Vec::new(),
            });
        }

        &mut self.open[index]
    }

    /// Copies the chunks at the end of a block, because they may continue in the next one.
    pub(crate) fn end_block(&mut self, plain: &[u8]) {
        for open in &mut self.open {
            open.copied.extend_from_slice(&open.part.copy(plain));
            open.part.clear();
        }

        self.open.retain(|open| open.copied.len() <= SHORT_CHUNK);
    }

    /// Passes on the chunks at the end of the last block.
    pub(crate) fn end(&mut self) {
        self.pass_on(&[]);
    }

    /// Forgets the last chunks, because a part of their block cannot be read.
    pub(crate) fn forget(&mut self) {
        self.open.clear();
    }

    /// Passes the open chunks to the reader, except chunks that have newer entries in a log.
    /// `plain` is the present block.
    ///
    /// Chunks with more bytes than [`SHORT_CHUNK`] are left to the region, which may have only a
    /// limited number of bytes in such chunks.
    fn pass_on(&mut self, plain: &[u8]) {
        for open in self.open.drain(..) {
            let prefix = ChunkPrefix::new(open.dimension, open.chunk);
            let is_in_logs = self.logs.entries(prefix.bytes()).next().is_some();
            if is_in_logs || open.copied.len() + open.part.len() > SHORT_CHUNK {
                continue;
            }

            let extent = ChunkExtent::new(open.dimension, open.chunk, &open.blocks);
            if let (Some(extent), Some(lowest)) = (extent, own_lowest_section(open.dimension)) {
                let mut values = ChunkValues::default();
                values.add_part(&open.copied);
                values.add_block_part(&open.part, plain);
                (self.read)(EarlyChunk {
                    extent,
                    lowest,
                    values,
                });
            }
        }
    }
}
