//! Keeps the wanted chunks of a file within a bound, for readers that need them in any order.
//!
//! Chunks are stored column by column, but questions read them row by row. So the chunks of a file
//! are kept after a pass. If they take too much memory, only the first rows are kept, and a later
//! pass reads the other rows.

use std::io;
use std::ops::Range;

use crate::bytes::{ChunkHash, StreamDamage, hash_values};
use crate::zvcr::header::Header;
use crate::zvcr::pass::ChunkPass;
use pixelmap_base::coord::{REGION_CHUNKS, REGION_SLOTS, RegionPos, Slot, SlotSet};

/// The usual bound of the chunks that are kept. A full region of natural land has 20 to 25 MB.
pub(super) const MAX_KEPT: usize = 32 << 20;

/// Which chunks of a file are kept.
#[derive(Debug, Clone)]
pub(super) struct WantedChunks {
    /// Only the chunks on the border of the region.
    pub(super) border_only: bool,
    /// The rows of chunks, from north to south.
    pub(super) rows: Range<usize>,
    /// The most bytes of chunks that are kept, unless one row has more.
    pub(super) most_bytes: usize,
}

impl WantedChunks {
    pub(super) fn has(&self, slot: Slot) -> bool {
        self.rows.contains(&slot.z()) && (!self.border_only || slot.is_on_border())
    }

    pub(super) fn is_in_all_rows(&self) -> bool {
        self.rows == (0..REGION_CHUNKS)
    }
}

/// A chunk in [`Form::Network`](crate::bytes::Form::Network).
#[derive(Debug)]
pub(super) struct ReadChunk {
    pub(super) plain: Box<[u8]>,
    pub(super) hash: ChunkHash,
}

/// The result of a pass over a file.
#[derive(Debug)]
pub(super) struct Content {
    /// The slots with chunks, and the slots whose chunks may be lost by damage.
    pub(super) stored: SlotSet,
    pub(super) kept: WantedChunks,
    /// Absent: the slot is empty or not kept.
    chunks: Box<[Option<Result<ReadChunk, StreamDamage>>]>,
    /// The number of bytes of the kept chunks.
    pub(super) bytes: usize,
}

impl Content {
    /// Reads a file up to the first damage.
    pub(super) fn read(mut pass: ChunkPass<'_>, wanted: WantedChunks) -> Self {
        let mut content = Self {
            stored: SlotSet::NONE,
            kept: wanted,
            chunks: std::iter::repeat_with(|| None).take(REGION_SLOTS).collect(),
            bytes: 0,
        };

        while let Some(slot) = pass.advance_to(REGION_SLOTS - 1, |slot| content.kept.has(slot)) {
            let chunk = pass.chunk().map_err(StreamDamage::clone);
            let chunk = chunk.map(|plain| ReadChunk {
                plain: plain.into(),
                hash: hash_values(plain),
            });
            content.keep(slot, chunk);
        }

        content.stored = pass.stored();
        content
    }

    /// Keeps a chunk. Drops the southern half of the rows as long as the chunks take too much
    /// memory, but keeps at least one row.
    fn keep(&mut self, slot: Slot, chunk: Result<ReadChunk, StreamDamage>) {
        self.bytes += chunk.as_ref().map_or(0, |chunk| chunk.plain.len());
        self.chunks[slot.index()] = Some(chunk);

        while self.bytes > self.kept.most_bytes && self.kept.rows.len() > 1 {
            let Range { start, end } = self.kept.rows;
            let middle = start.midpoint(end);
            self.kept.rows = start..middle;
            for chunk in &mut self.chunks[Slot::at(0, middle).index()..] {
                if let Some(Ok(chunk)) = chunk.take() {
                    self.bytes -= chunk.plain.len();
                }
            }
        }
    }

    /// Returns the chunk in a slot. `None`: the slot is empty or not kept.
    pub(super) fn chunk(&self, slot: Slot) -> Option<&Result<ReadChunk, StreamDamage>> {
        self.chunks[slot.index()].as_ref()
    }
}

/// The plain bytes of a chunk, or the damage that has cost it.
pub type PlainChunk = Result<Box<[u8]>, StreamDamage>;

/// Reads the inflated bytes of a file of the overworld at region 0, 0, for tests of any bytes.
/// `start` are the bytes of its header. Returns the plain bytes of each chunk.
///
/// # Errors
/// Fails if the header is not known.
pub fn read_container(
    start: &[u8],
    inflated: &[u8],
    at: Option<i64>,
) -> io::Result<Vec<(Slot, PlainChunk)>> {
    let wanted = WantedChunks {
        border_only: false,
        rows: 0..REGION_CHUNKS,
        most_bytes: MAX_KEPT,
    };
    let header = Header::parse(start)?;
    let pass = ChunkPass::start(Ok(Box::new(inflated)), header, at, RegionPos { x: 0, z: 0 });
    let content = Content::read(pass, wanted);

    let chunks = Slot::all().zip(content.chunks);
    let chunks = chunks.filter_map(|(slot, chunk)| Some((slot, chunk?.map(|read| read.plain))));
    Ok(chunks.collect())
}
