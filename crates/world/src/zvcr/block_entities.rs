//! Reads the block entities of a chunk, and writes them in the NBT of the game.

use std::collections::BTreeMap;
use std::io::Read;

use crate::bytes::StreamDamage;
use crate::nbt;
use crate::zvcr::chain::read_time;
use crate::zvcr::header::Header;
use crate::zvcr::stream::Stream;
use pixelmap_base::coord::{CHUNK_SIDE, ChunkPos};

/// The most entries of the list of visits, and of the list of states of block entities.
pub(super) const MAX_LISTED: u64 = 65_536;
/// The most block entities of a state: one for each block.
const MAX_BLOCK_ENTITIES: u64 = 98_304;
/// The most bytes of a block entity.
const MAX_FIELDS: u64 = 65_536;
/// The most bytes of the block entities of a chunk that are kept.
const MAX_KEPT: usize = 1 << 20;

const INT: u8 = 3;
const STRING: u8 = 8;
const COMPOUND: u8 = 10;

/// Block entities by their stored position.
pub(super) struct BlockEntities(BTreeMap<u32, BlockEntity>);

#[derive(Debug)]
struct BlockEntity {
    name: &'static str,
    /// Its fields in NBT with the end of their compound.
    fields: Vec<u8>,
}

impl BlockEntities {
    /// Reads all states of the block entities, and returns the wanted one.
    pub(super) fn read<R: Read>(
        stream: &mut Stream<R>,
        header: &Header,
        at: Option<i64>,
    ) -> Result<Self, StreamDamage> {
        let mut entities = BTreeMap::new();
        let mut kept = 0;
        let mut last = None;

        for _ in 0..stream.count(MAX_LISTED)? {
            let time = read_time(stream)?;
            let is_wanted = last.is_none_or(|last| at.is_some_and(|at| last > at));
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
                    header.names.block_entity(number)
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

        Ok(Self(entities))
    }

    /// Skips all states of the block entities.
    pub(super) fn skip<R: Read>(stream: &mut Stream<R>) -> Result<(), StreamDamage> {
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

    /// Writes the payload of their list. Writes nothing for an empty list.
    pub(super) fn put(&self, chunk: ChunkPos, lowest: i8, out: &mut Vec<u8>) {
        if self.0.is_empty() {
            return;
        }

        out.push(COMPOUND);
        out.extend((self.0.len() as u32).to_be_bytes());

        let corner = chunk.corner();
        for (&at, BlockEntity { name, fields }) in &self.0 {
            // The importer stores x and z in the region, and other programs store them in the chunk.
            let [x, z] = [at, at >> 8].map(|part| (part & 15) as i32);
            let y = (at >> 16) as i32 + i32::from(lowest) * CHUNK_SIDE as i32;

            put_field(out, STRING, "id");
            put_text(out, &format!("minecraft:{name}"));
            for (axis, number) in [("x", corner.x + x), ("y", y), ("z", corner.z + z)] {
                put_field(out, INT, axis);
                out.extend(number.to_be_bytes());
            }
            out.extend(fields);
        }
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

/// Writes a string without its tag. The caller's strings are short.
fn put_text(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as u16).to_be_bytes());
    out.extend(text.as_bytes());
}

/// Writes the tag and the name of a field.
fn put_field(out: &mut Vec<u8>, tag: u8, name: &str) {
    out.push(tag);
    put_text(out, name);
}
