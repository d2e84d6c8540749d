//! Reads the chunks of a file in one pass, and keeps the wanted ones within a bound.
//!
//! Chunks are stored column by column, but painters and questions read them row by row. So the
//! chunks of a file are kept after the pass. If they take too much memory, only the first rows are
//! kept, and a later pass reads the other rows.

use std::io::{self, Read};
use std::ops::Range;

use crate::bytes::{ChunkHash, StreamDamage, hash_values};
use crate::zvcr::chunk::ChunkReader;
use crate::zvcr::header::Header;
use crate::zvcr::stream::Stream;
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

/// A chunk in the NBT of the game.
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
    /// Reads the inflated bytes of a file up to the first damage.
    pub(super) fn read(
        inflated: io::Result<impl Read>,
        header: Header,
        at: Option<i64>,
        region: RegionPos,
        wanted: WantedChunks,
    ) -> Self {
        let mut content = Self {
            stored: SlotSet::NONE,
            kept: wanted,
            chunks: std::iter::repeat_with(|| None).take(REGION_SLOTS).collect(),
            bytes: 0,
        };

        let mut read = SlotSet::NONE;
        let damage = match inflated.map(Stream::new) {
            Ok(mut stream) => content
                .read_slots(&mut stream, header, at, region, &mut read)
                .err(),
            Err(error) => Some(StreamDamage {
                at: 0,
                defect: error.into(),
            }),
        };
        if let Some(damage) = damage {
            content.add_damage(&damage, &read);
        }

        content
    }

    /// Reads all slots. `read` gets the slots before the first damage.
    fn read_slots<R: Read>(
        &mut self,
        stream: &mut Stream<R>,
        header: Header,
        at: Option<i64>,
        region: RegionPos,
        read: &mut SlotSet,
    ) -> Result<(), StreamDamage> {
        let mut reader = ChunkReader::start(stream, header, at)?;
        let mut plain = Vec::new();

        for slot in stored_order() {
            if ChunkReader::has_next(stream)? {
                if self.kept.has(slot) {
                    let chunk = reader.read(stream, region.chunk(slot), &mut plain)?;
                    let chunk = chunk.map(|()| ReadChunk {
                        plain: plain.as_slice().into(),
                        hash: hash_values(&plain),
                    });
                    self.keep(slot, chunk);
                } else {
                    reader.skip(stream)?;
                }
                self.stored.insert(slot);
            }
            read.insert(slot);
        }

        Ok(())
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

    /// Marks the chunks that damage has cost: all after the place, because the place of the next
    /// chunk is unknown.
    fn add_damage(&mut self, damage: &StreamDamage, read: &SlotSet) {
        for slot in Slot::all().filter(|&slot| !read.has(slot)) {
            self.stored.insert(slot);
            if self.kept.has(slot) {
                self.chunks[slot.index()] = Some(Err(damage.clone()));
            }
        }
    }

    /// Returns the chunk in a slot. `None`: the slot is empty or not kept.
    pub(super) fn chunk(&self, slot: Slot) -> Option<&Result<ReadChunk, StreamDamage>> {
        self.chunks[slot.index()].as_ref()
    }
}

/// Returns all slots in the order of the file: column by column from west to east.
fn stored_order() -> impl Iterator<Item = Slot> {
    (0..REGION_CHUNKS).flat_map(|x| (0..REGION_CHUNKS).map(move |z| Slot::at(x, z)))
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
    let content = Content::read(Ok(inflated), header, at, RegionPos { x: 0, z: 0 }, wanted);

    let chunks = Slot::all().zip(content.chunks);
    let chunks = chunks.filter_map(|(slot, chunk)| Some((slot, chunk?.map(|read| read.plain))));
    Ok(chunks.collect())
}
