//! Reads the chunks of one region from the blocks and logs that contain their keys.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::chunks::part::BlockPart;
use super::chunks::{
    BlockRef, ChunkExtent, ChunkKey, ChunkPrefix, ChunkValues, RegionChunks, own_lowest_section,
    to_record,
};
use super::database::Database;
use super::leveldb::BlockReader;
use crate::bytes::{
    Allowance, ChunkRecord, ChunkStorage, DatabaseRegion, Defect, Fault, FileDamage, Inflater,
    PartKey, PlainBytes, Stamp, UNKNOWN_LOWEST,
};
use pixelmap_base::coord::{ChunkPos, RegionPos, Slot, SlotSet};

/// The most bytes of block parts that may be gathered for one chunk.
const MAX_GATHERED: usize = 64 << 20;

/// The lowest sections of chunks in the dimensions of add-ons, by the hash that each chunk stores.
pub type LowestSections = BTreeMap<u64, i8>;

/// One region of one dimension of a database.
#[derive(Debug)]
pub struct BedrockRegion {
    database: Arc<Database>,
    dimension: i32,
    region: RegionPos,
    lowest_sections: Arc<LowestSections>,
    stored: SlotSet,
    stamp: Stamp,
    /// Inflated bytes of the chunks read so far, without chunks on the region's border. The limit
    /// of a region applies to them.
    inflated: u64,
}

impl BedrockRegion {
    pub fn open(database: Arc<Database>, dimension: i32, region: RegionPos) -> Self {
        let mut stored = SlotSet::NONE;
        let mut stamp = Stamp::default();
        if let Some(chunks) = database.region(dimension, region) {
            chunks
                .chunks()
                .iter()
                .for_each(|chunk| stored.insert(chunk.slot));
            stamp = stamp_chunks(chunks);
        }

        Self {
            database,
            dimension,
            region,
            lowest_sections: Arc::default(),
            stored,
            stamp,
            inflated: 0,
        }
    }

    /// Sets the lowest sections of chunks. Without them, only the ones of the game's own dimensions
    /// are known.
    #[must_use]
    pub fn with_lowest_sections(self, lowest_sections: Arc<LowestSections>) -> Self {
        Self {
            lowest_sections,
            ..self
        }
    }

    pub fn region(&self) -> RegionPos {
        self.region
    }

    pub fn has(&self, slot: Slot) -> bool {
        self.stored.has(slot)
    }

    /// Returns a stamp of the sequences of all chunks. It changes when a value of a chunk is
    /// written or deleted, and when damage is repaired.
    pub fn stamp(&self) -> Stamp {
        self.stamp
    }

    /// Reads the chunk in `slot`. Returns `None` if it is not stored.
    pub fn read<'a>(&mut self, slot: Slot, inflater: &'a mut Inflater) -> Option<ChunkRecord<'a>> {
        if !self.has(slot) {
            return None;
        }

        let mut plain = PlainBytes::start(inflater);
        let mut allowance = Allowance::for_slot(self.inflated, slot);
        let gathered = self.gather(slot, plain.inflater(), &mut allowance);

        if !slot.is_on_border() {
            self.inflated += allowance.reached as u64;
        }

        Some(to_record(gathered, plain))
    }

    /// Returns the blocks in which the chunk in `slot` is stored. Returns `None` if they are not
    /// consecutive.
    pub fn extent(&self, slot: Slot) -> Option<ChunkExtent> {
        let chunks = self.database.region(self.dimension, self.region)?;
        let blocks = chunks.blocks(slot)?;
        ChunkExtent::new(self.dimension, self.region.chunk(slot), blocks)
    }

    /// Returns how the chunk in `slot` is stored, with the same hash as [`BedrockRegion::read`].
    pub fn hash(&self, slot: Slot, inflater: &mut Inflater) -> ChunkStorage {
        if !self.has(slot) {
            return ChunkStorage::NOTHING;
        }
        let mut plain = PlainBytes::start(inflater);
        let gathered = self.gather(slot, plain.inflater(), &mut { Allowance::FULL });
        to_record(gathered, plain).stored
    }

    /// Gathers the newest values of a chunk into the plain bytes of the inflater.
    fn gather(
        &self,
        slot: Slot,
        inflater: &mut Inflater,
        allowance: &mut Allowance,
    ) -> Result<(), Fault> {
        let chunk = self.region.chunk(slot);
        let prefix = ChunkPrefix::new(self.dimension, chunk);

        let chunks = self.database.region(self.dimension, self.region);
        let mut parts = Vec::new();
        let mut gathered = 0;
        for &block in chunks
            .and_then(|chunks| chunks.blocks(slot))
            .unwrap_or_default()
        {
            let part = self.part(slot, block, inflater)?;
            gathered += part.len();
            if gathered > MAX_GATHERED {
                return Err(self.database.damage_in(block, Defect::TooLarge).into());
            }
            parts.push(part);
        }

        let mut values = ChunkValues::default();
        for part in &parts {
            values.add_part(part);
        }

        for entry in self.database.logs().entries(prefix.bytes()) {
            if let Some(key) = self.key(entry.key).filter(|key| key.chunk == chunk) {
                values.add_value(&key, entry.sequence, entry.value);
            }
        }

        let lowest = |hash| lowest_section(self.dimension, &self.lowest_sections, hash);
        values.write(lowest, inflater, allowance)
    }

    /// Returns the part of a block that belongs to the chunk in `slot`.
    ///
    /// If the worker has not kept this part, it inflates the block. It then keeps the parts of
    /// later slots and of other regions, because those may still be read. If the block contains
    /// chunks of very many regions, the worker inflates only a piece of it.
    fn part(
        &self,
        slot: Slot,
        block: BlockRef,
        inflater: &mut Inflater,
    ) -> Result<Box<[u8]>, FileDamage> {
        let key = PartKey {
            slot,
            table: block.table,
            block: block.block,
        };

        if let Some(part) = inflater
            .kept_parts
            .take(self.database_region(self.region), key)
        {
            return Ok(part);
        }

        let mut own = Box::default();

        // Copies only parts that are kept, because a block has many others.
        let mut visit =
            |inflater: &mut Inflater, chunk: ChunkPos, len: usize, copy: &dyn Fn() -> Box<[u8]>| {
                let is_own = chunk.region() == self.region;
                if is_own && chunk.slot() == slot {
                    own = copy();
                } else if (!is_own || chunk.slot() > slot) && self.is_stored(chunk) {
                    let region = self.database_region(chunk.region());
                    inflater.kept_parts.keep(
                        region,
                        PartKey {
                            slot: chunk.slot(),
                            ..key
                        },
                        len,
                        copy,
                    );
                }
            };

        let read = if let Some(divided) = self.database.divided(block, inflater)? {
            divided.visit_near(
                self.dimension,
                self.region.chunk(slot),
                inflater,
                |inflater, dimension, chunk, part| {
                    if dimension == self.dimension {
                        visit(inflater, chunk, part.len(), &|| part.into());
                    }
                },
            )
        } else {
            let plain = self.database.inflate(block, inflater)?;
            let read = self.divide(&plain, |chunk, part| {
                visit(inflater, chunk, part.len(), &|| part.copy(&plain));
            });
            inflater.kept_parts.give_back(plain);
            read
        };

        read.map_err(|defect| self.database.damage_in(block, defect))?;
        Ok(own)
    }

    fn database_region(&self, region: RegionPos) -> DatabaseRegion {
        DatabaseRegion {
            database: self.database.number(),
            dimension: self.dimension,
            region,
        }
    }

    /// Returns whether a chunk of the dimension is stored.
    fn is_stored(&self, chunk: ChunkPos) -> bool {
        let chunks = self.database.region(self.dimension, chunk.region());
        chunks.is_some_and(|chunks| chunks.blocks(chunk.slot()).is_some())
    }

    /// Calls `visit` with the part of each chunk of this dimension in a block.
    fn divide(
        &self,
        block: &[u8],
        mut visit: impl FnMut(ChunkPos, &BlockPart),
    ) -> Result<(), Defect> {
        let mut reader = BlockReader::new(block)?;
        let mut last = None;
        let mut part = BlockPart::default();
        while let Some(entry) = reader.next()? {
            // Entries of another dimension may be between the entries of a chunk, because of the
            // order of keys.
            let Some(key) = self.key(entry.key) else {
                continue;
            };

            if let Some(last) = last.replace(key.chunk).filter(|last| *last != key.chunk) {
                visit(last, &part);
                part.clear();
            }

            part.add(&key, entry.sequence, entry.value);
        }

        if let Some(last) = last {
            visit(last, &part);
        }

        Ok(())
    }

    /// Parses a key. Returns `None` unless it belongs to a chunk of this dimension.
    fn key(&self, key: &[u8]) -> Option<ChunkKey> {
        ChunkKey::parse(key).filter(|key| key.dimension == self.dimension)
    }
}

/// Returns the lowest section of a chunk that stores this `hash` of the facts about it.
fn lowest_section(dimension: i32, lowest_sections: &LowestSections, hash: Option<u64>) -> i8 {
    if let Some(lowest) = own_lowest_section(dimension) {
        return lowest;
    }
    let lowest = hash.and_then(|hash| lowest_sections.get(&hash));
    lowest.copied().unwrap_or(UNKNOWN_LOWEST)
}

fn stamp_chunks(chunks: &RegionChunks) -> Stamp {
    let words = chunks.chunks().iter().flat_map(|chunk| {
        [
            chunk.newest.to_le_bytes(),
            (chunk.slot.index() as u64 * 2 + u64::from(chunk.is_damaged)).to_le_bytes(),
        ]
    });
    let bytes: Vec<u8> = words.flatten().collect();
    Stamp {
        len: chunks.chunks().len() as u64,
        ..Stamp::default()
    }
    .with_header(&bytes)
}
