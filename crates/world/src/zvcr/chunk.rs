//! Reads one chunk of a file: its sections, and its block entities.

use std::collections::BTreeMap;
use std::io::Read;

use crate::bytes::{Defect, StreamDamage};
use crate::nbt;
use crate::zvcr::chain::{ChainBuffers, ChainReader, Palettes, read_time, skip_chain};
use crate::zvcr::chunk_nbt::{self, ChunkParts, Kind};
use crate::zvcr::header::Header;
use crate::zvcr::stream::Stream;
use pixelmap_base::coord::{CHUNK_SIDE, ChunkPos};

/// The most entries of the list of visits, and of the list of states of block entities.
const MAX_LISTED: u64 = 65_536;
/// The most block entities of a state: one for each block.
const MAX_BLOCK_ENTITIES: u64 = 98_304;
/// The most bytes of a block entity.
const MAX_FIELDS: u64 = 65_536;
/// The most bytes of the block entities of a chunk that are kept.
const MAX_KEPT: usize = 1 << 20;

/// The time of an entry in the list of visits: a byte, and the time.
const VISIT: u64 = 9;

/// Block entities by their stored position.
type BlockEntities = BTreeMap<u32, BlockEntity>;

#[derive(Debug)]
struct BlockEntity {
    name: &'static str,
    /// Its fields in NBT with the end of their compound.
    fields: Vec<u8>,
}

/// Reads the chunks of a file, one after another.
pub(super) struct ChunkReader {
    header: Header,
    at: Option<i64>,
    blocks: Palettes,
    biomes: Palettes,
    buffers: ChainBuffers,
    /// The cells of all sections in NBT, first all blocks and then all biomes.
    cells: Vec<u8>,
    ends: Vec<usize>,
}

impl ChunkReader {
    /// Reads the palettes, which precede the chunks.
    pub(super) fn start<R: Read>(
        stream: &mut Stream<R>,
        header: Header,
        at: Option<i64>,
    ) -> Result<Self, StreamDamage> {
        Ok(Self {
            header,
            at,
            blocks: Palettes::read(stream)?,
            biomes: Palettes::read(stream)?,
            buffers: ChainBuffers::default(),
            cells: Vec::new(),
            ends: Vec::new(),
        })
    }

    /// Returns whether the next slot has a chunk. If it does, the chunk must be read or skipped.
    pub(super) fn has_next<R: Read>(stream: &mut Stream<R>) -> Result<bool, StreamDamage> {
        stream.choice(|form| match form {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        })
    }

    pub(super) fn skip<R: Read>(&self, stream: &mut Stream<R>) -> Result<(), StreamDamage> {
        for _ in 0..2 * self.header.heights.sections {
            skip_chain(stream)?;
        }

        let visits = stream.count(MAX_LISTED)?;
        stream.skip(visits * VISIT)?;

        for _ in 0..stream.count(MAX_LISTED)? {
            read_time(stream)?;
            for _ in 0..stream.count(MAX_BLOCK_ENTITIES)? {
                let change = BlockEntityChange::read(stream)?;
                if let Some((_, len)) = change.put {
                    stream.skip(len)?;
                }
            }
        }

        Ok(())
    }

    /// Reads a chunk, and writes its wanted state into `out` in NBT.
    ///
    /// # Errors
    /// The outer error is damage after which the place of the next chunk is unknown. The inner one
    /// concerns only this chunk.
    pub(super) fn read<R: Read>(
        &mut self,
        stream: &mut Stream<R>,
        chunk: ChunkPos,
        out: &mut Vec<u8>,
    ) -> Result<Result<(), StreamDamage>, StreamDamage> {
        self.cells.clear();
        self.ends.clear();
        let mut broken = None;

        for kind in [Kind::Blocks, Kind::Biomes] {
            let reader = ChainReader {
                kind,
                palettes: match kind {
                    Kind::Blocks => &self.blocks,
                    Kind::Biomes => &self.biomes,
                },
                registry: self.header.registry,
                at: self.at,
            };

            for _ in 0..self.header.heights.sections {
                let damage = stream.damage(Defect::Structure);
                let is_sound = reader.read(stream, &mut self.buffers, &mut self.cells)?;
                self.ends.push(self.cells.len());
                if !is_sound {
                    broken.get_or_insert(damage);
                }
            }
        }

        let visits = stream.count(MAX_LISTED)?;
        stream.skip(visits * VISIT)?;
        let block_entities = self.read_block_entities(stream)?;

        out.clear();
        self.put(chunk, &block_entities, out);
        Ok(broken.map_or(Ok(()), Err))
    }

    /// Reads all states of the block entities, and returns the wanted one.
    fn read_block_entities<R: Read>(
        &self,
        stream: &mut Stream<R>,
    ) -> Result<BlockEntities, StreamDamage> {
        let mut entities = BlockEntities::new();
        let mut kept = 0;
        let mut last = None;

        for _ in 0..stream.count(MAX_LISTED)? {
            let time = read_time(stream)?;
            let is_wanted = last.is_none_or(|last| self.at.is_some_and(|at| last > at));
            if is_wanted {
                last = Some(time);
            }

            for _ in 0..stream.count(MAX_BLOCK_ENTITIES)? {
                let change = BlockEntityChange::read(stream)?;
                let Some((number, len)) = change.put else {
                    if is_wanted {
                        entities.remove(&change.at);
                    }
                    continue;
                };

                let name = if is_wanted && kept < MAX_KEPT {
                    self.header.registry.block_entity(number)
                } else {
                    None
                };
                let Some(name) = name else {
                    stream.skip(len)?;
                    continue;
                };

                let mut fields = Vec::new();
                stream.append(len, &mut fields)?;
                kept += fields.len();
                if let Some(fields) = without_root(fields) {
                    entities.insert(change.at, BlockEntity { name, fields });
                }
            }
        }

        Ok(entities)
    }

    /// Writes the chunk whose cells were read.
    fn put(&self, chunk: ChunkPos, block_entities: &BlockEntities, out: &mut Vec<u8>) {
        let heights = self.header.heights;
        let mut start = 0;
        let mut sections: Vec<&[u8]> = Vec::with_capacity(self.ends.len());
        for &end in &self.ends {
            sections.push(&self.cells[start..end]);
            start = end;
        }

        let corner = chunk.corner();
        let mut entities = Vec::new();
        for (&at, BlockEntity { name, fields }) in block_entities {
            // The importer stores x and z in the region, and other programs store them in the chunk.
            let [x, z] = [at, at >> 8].map(|part| (part & 15) as i32);
            let y = (at >> 16) as i32 + i32::from(heights.lowest) * CHUNK_SIDE as i32;
            let at = [corner.x + x, y, corner.z + z];
            chunk_nbt::put_block_entity(&mut entities, name, at, fields);
        }

        let (blocks, biomes) = sections.split_at(heights.sections);
        let parts = ChunkParts {
            data_version: self.header.registry.data_version,
            heights,
            blocks,
            biomes,
            block_entities: &entities,
            block_entity_count: block_entities.len(),
        };
        chunk_nbt::put_chunk(out, &parts);
    }
}

/// An entry in the list of block entities.
struct BlockEntityChange {
    at: u32,
    /// The number of its type and the length of its fields, which follow. Absent if the block entity
    /// was removed.
    put: Option<(u32, u64)>,
}

impl BlockEntityChange {
    fn read<R: Read>(stream: &mut Stream<R>) -> Result<Self, StreamDamage> {
        let at = stream.int()?;
        let is_put = stream.choice(|form| match form {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        })?;

        let put = if is_put {
            Some((stream.int()?, stream.count(MAX_FIELDS)?))
        } else {
            None
        };
        Ok(Self { at, put })
    }
}

/// Removes the tag of the root compound, which is nameless in the network form of NBT. Returns
/// `None` if the NBT is damaged.
fn without_root(mut stored: Vec<u8>) -> Option<Vec<u8>> {
    const COMPOUND: u8 = 10;
    let is_whole = stored.first() == Some(&COMPOUND) && {
        let named = [&[COMPOUND, 0, 0], &stored[1..]].concat();
        nbt::is_exactly_whole(&named)
    };
    if !is_whole {
        return None;
    }

    stored.remove(0);
    Some(stored)
}
