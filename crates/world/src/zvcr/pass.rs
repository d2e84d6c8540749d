//! A pass over the chunks of a file, in the order in which they are stored.

use std::fmt;
use std::io::{self, Read};

use crate::bytes::{
    Allowance, ChunkHash, ChunkRecord, ChunkStorage, Fault, Form, Inflater, PlainBytes,
    StreamDamage, hash_fault, hash_values,
};
use crate::zvcr::chunk::ChunkReader;
use crate::zvcr::header::Header;
use crate::zvcr::stream::Stream;
use pixelmap_base::coord::{ChunkPos, REGION_CHUNKS, REGION_SLOTS, RegionPos, Slot, SlotSet};

/// A pass over the chunks of a file. Only one chunk of them is in memory at a time.
pub struct ChunkPass<'a> {
    region: RegionPos,
    /// The rest of the stream, or the damage at which it ended.
    rest: Result<Rest<'a>, StreamDamage>,
    /// The number of slots before the rest.
    passed: usize,
    /// The slots so far with chunks, and the slots whose chunks may be lost by damage.
    stored: SlotSet,
    /// The bytes of the last chunk, unless it is damaged.
    plain: Vec<u8>,
    damage: Option<StreamDamage>,
}

impl fmt::Debug for ChunkPass<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChunkPass")
            .field("region", &self.region)
            .field("passed", &self.passed)
            .finish_non_exhaustive()
    }
}

impl<'a> ChunkPass<'a> {
    /// Begins a pass over the inflated bytes of a file.
    pub(super) fn start(
        inflated: io::Result<Box<dyn Read + 'a>>,
        header: Header,
        at: Option<i64>,
        region: RegionPos,
    ) -> Self {
        let rest = inflated.map_err(|error| StreamDamage {
            at: 0,
            defect: error.into(),
        });

        Self {
            region,
            rest: rest.and_then(|inflated| Rest::start(inflated, header, at)),
            passed: 0,
            stored: SlotSet::NONE,
            plain: Vec::new(),
            damage: None,
        }
    }

    /// Reads the next chunk in one of the `wanted` slots, and returns its slot. Returns `None` if no
    /// chunk is left in them. Damage costs all chunks after it.
    pub fn advance(&mut self, wanted: &SlotSet) -> Option<Slot> {
        let last = (self.passed..REGION_SLOTS).rfind(|&index| wanted.has(stored_slot(index)))?;
        self.advance_to(last, |slot| wanted.has(slot))
    }

    /// Reads the next chunk in a wanted slot up to the one with the number `last`.
    pub(super) fn advance_to(
        &mut self,
        last: usize,
        is_wanted: impl Fn(Slot) -> bool,
    ) -> Option<Slot> {
        while self.passed <= last {
            let slot = stored_slot(self.passed);
            self.passed += 1;

            let is_wanted = is_wanted(slot);
            let chunk = is_wanted.then(|| self.region.chunk(slot));
            self.damage = match self.pass_slot(chunk) {
                PassedSlot::Empty => continue,
                PassedSlot::Chunk => None,
                PassedSlot::Damaged(damage) => Some(damage),
            };

            self.stored.insert(slot);
            if is_wanted {
                return Some(slot);
            }
        }

        None
    }

    /// Passes the next slot, and reads its chunk if its position is given.
    fn pass_slot(&mut self, chunk: Option<ChunkPos>) -> PassedSlot {
        let passed = match &mut self.rest {
            Ok(rest) => rest.pass_slot(chunk, &mut self.plain),
            Err(damage) => return PassedSlot::Damaged(damage.clone()),
        };

        passed.unwrap_or_else(|damage| {
            self.rest = Err(damage.clone());
            PassedSlot::Damaged(damage)
        })
    }

    /// Returns the passed slots with chunks, and the slots whose chunks may be lost by damage.
    pub(super) fn stored(&self) -> SlotSet {
        self.stored
    }

    /// Returns the bytes of the last chunk in [`Form::Network`].
    pub(super) fn chunk(&self) -> Result<&[u8], &StreamDamage> {
        self.damage.as_ref().map_or(Ok(&self.plain), Err)
    }

    /// Returns the last chunk.
    pub fn record<'i>(&self, inflater: &'i mut Inflater) -> ChunkRecord<'i> {
        record(
            self.chunk().map(|plain| (plain, hash_values(plain))),
            inflater,
        )
    }
}

/// The part of a stream that was not read yet.
struct Rest<'a> {
    stream: Stream<Box<dyn Read + 'a>>,
    reader: ChunkReader,
}

enum PassedSlot {
    Empty,
    Chunk,
    /// The chunk may be lost.
    Damaged(StreamDamage),
}

impl<'a> Rest<'a> {
    fn start(
        inflated: Box<dyn Read + 'a>,
        header: Header,
        at: Option<i64>,
    ) -> Result<Self, StreamDamage> {
        let mut stream = Stream::new(inflated);
        let reader = ChunkReader::start(&mut stream, header, at)?;
        Ok(Self { stream, reader })
    }

    /// Passes the next slot, and reads its chunk into `plain` if its position is given.
    ///
    /// # Errors
    /// Fails at damage after which the place of the next chunk is unknown.
    fn pass_slot(
        &mut self,
        chunk: Option<ChunkPos>,
        plain: &mut Vec<u8>,
    ) -> Result<PassedSlot, StreamDamage> {
        let Self { stream, reader } = self;
        if !ChunkReader::has_next(stream)? {
            return Ok(PassedSlot::Empty);
        }

        let read = if let Some(chunk) = chunk {
            reader.read(stream, chunk, plain)?
        } else {
            reader.skip(stream)?;
            Ok(())
        };
        Ok(read.map_or_else(PassedSlot::Damaged, |()| PassedSlot::Chunk))
    }
}

/// Returns the slot with a number in the order of the file: column by column from west to east.
fn stored_slot(number: usize) -> Slot {
    Slot::at(number / REGION_CHUNKS, number % REGION_CHUNKS)
}

/// Returns a chunk whose bytes in [`Form::Network`] are given with their hash.
pub(super) fn record<'i>(
    read: Result<(&[u8], ChunkHash), &StreamDamage>,
    inflater: &'i mut Inflater,
) -> ChunkRecord<'i> {
    let mut plain = PlainBytes::start(inflater);
    let (filled, hash) = match read {
        Ok((bytes, hash)) => {
            let room = plain.inflater().fill(bytes.len(), &mut { Allowance::FULL });
            (room.map(|room| room.copy_from_slice(bytes)), hash)
        }
        Err(damage) => {
            let fault = Fault::from(damage.clone());
            let hash = hash_fault(&fault);
            (Err(fault), hash)
        }
    };

    ChunkRecord {
        form: Form::Network,
        is_cut: false,
        stored: ChunkStorage::unread(hash),
        plain: filled.map(|()| plain),
        read_at: None,
    }
}
