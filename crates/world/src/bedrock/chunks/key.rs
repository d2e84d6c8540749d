//! Parses the keys of chunk values, and decides which ranges of keys may contain chunks.
//!
//! A key consists of x and z of the chunk (i32), the dimension (i32, absent in the overworld), a
//! tag, and for the blocks of a section the number of the section (i8). The numbers are
//! little-endian, so LevelDB sorts the keys by the lowest byte of x first.

use crate::bedrock::leveldb::KeyRange;
use crate::bytes::tag;
use pixelmap_base::coord::ChunkPos;

/// Bits of x and z. The game makes no chunks beyond them. Four letters of a text exceed them, so
/// they distinguish chunk keys from text keys.
const POSITION_BITS: u32 = 28;
/// Bytes of x and z at the beginning of a key.
pub(crate) const CHUNK_BYTES: usize = 8;
/// The highest dimension number. The dimensions of add-ons are numbered behind the game's three.
const MAX_DIMENSION: i32 = 0xffff;
/// The highest number of the game's own dimensions: the end.
const LAST_OWN: i32 = 2;

/// The key of a chunk value that this program reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChunkKey {
    pub(crate) dimension: i32,
    pub(crate) chunk: ChunkPos,
    pub(crate) tag: u8,
    /// The number of the section, or 0 if the key has none.
    pub(crate) section: u8,
}

impl ChunkKey {
    /// Parses a key. Returns `None` unless it belongs to a chunk value that this program reads.
    pub(crate) fn parse(key: &[u8]) -> Option<Self> {
        let (x, rest) = key.split_first_chunk()?;
        let (z, rest) = rest.split_first_chunk()?;
        let (dimension, rest) = match rest.len() {
            1 | 2 => (0, rest),
            5 | 6 => {
                let (dimension, rest) = rest.split_first_chunk()?;
                let dimension = i32::from_le_bytes(*dimension);
                (1..=MAX_DIMENSION)
                    .contains(&dimension)
                    .then_some((dimension, rest))?
            }
            _ => return None,
        };

        let (tag, section) = match *rest {
            [tag::SECTION, section] => (tag::SECTION, section),
            [tag] if is_read(tag, dimension) => (tag, 0),
            _ => return None,
        };

        Some(Self {
            dimension,
            chunk: ChunkPos {
                x: position(*x)?,
                z: position(*z)?,
            },
            tag,
            section,
        })
    }
}

fn is_read(tag: u8, dimension: i32) -> bool {
    // The heights of the game's own dimensions are known without the facts.
    if tag == tag::FACTS_HASH {
        return dimension > LAST_OWN;
    }

    matches!(
        tag,
        tag::DATA_3D
            | tag::VERSION
            | tag::DATA_2D
            | tag::DATA_2D_LEGACY
            | tag::LEGACY_TERRAIN
            | tag::BLOCK_ENTITIES
            | tag::FINALIZED
            | tag::SPAWNERS
            | tag::LEGACY_VERSION
    )
}

fn position(bytes: [u8; 4]) -> Option<i32> {
    let position = i32::from_le_bytes(bytes);
    let rest = 32 - POSITION_BITS;
    (position << rest >> rest == position).then_some(position)
}

/// The prefix of all keys of a chunk.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChunkPrefix {
    bytes: [u8; 12],
    len: usize,
}

impl ChunkPrefix {
    pub(crate) fn new(dimension: i32, chunk: ChunkPos) -> Self {
        let mut bytes = [0; 12];
        bytes[..4].copy_from_slice(&chunk.x.to_le_bytes());
        bytes[4..8].copy_from_slice(&chunk.z.to_le_bytes());
        bytes[8..].copy_from_slice(&dimension.to_le_bytes());
        Self {
            bytes,
            len: if dimension == 0 { 8 } else { 12 },
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

impl KeyRange<'_> {
    /// If the first key is not known, lets the range begin at the chunk of its last key.
    pub(crate) fn with_first(self) -> Self {
        Self {
            first: self
                .first
                .or(Some(&self.last[..self.last.len().min(CHUNK_BYTES)])),
            ..self
        }
    }

    /// Returns whether the range cannot contain chunk keys, because all of its keys begin with the
    /// same four bytes of text.
    pub(crate) fn has_no_chunk(&self) -> bool {
        let Some((first, _)) = self.first.and_then(|first| first.split_first_chunk::<4>()) else {
            return false;
        };
        self.last.starts_with(first) && position(*first).is_none()
    }
}
