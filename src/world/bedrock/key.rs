//! Keys of chunks: where a value belongs, and what it is.
//!
//! A key is x and z of the chunk (i32), the dimension (i32, not in the overworld), a tag, and the number of the section
//! (i8) of blocks. All is in little-endian order, so that keys are sorted by the lowest byte of x first.

use crate::base::coord::ChunkPos;
use crate::world::bytes::tag;

/// Bits of x and of z. The game makes no chunk beyond them, and four letters of a text are beyond them.
const POSITION_BITS: u32 = 28;
/// Bytes of x and z at the beginning of a key.
pub(super) const CHUNK_BYTES: usize = 8;
/// The highest number of a dimension. Those of add-ons begin behind the game's three.
const MAX_DIMENSION: i32 = 0xffff;

/// The key of a value that is read of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ChunkKey {
    pub(super) dimension: i32,
    pub(super) chunk: ChunkPos,
    pub(super) tag: u8,
    /// The number of the section; 0 where the key has none.
    pub(super) section: u8,
}

impl ChunkKey {
    /// Reads a key. `None`: it is not that of a value that is read of a chunk.
    pub(super) fn parse(key: &[u8]) -> Option<Self> {
        let (x, rest) = key.split_first_chunk()?;
        let (z, rest) = rest.split_first_chunk()?;
        let (dimension, rest) = match rest.len() {
            1 | 2 => (0, rest),
            5 | 6 => {
                let (dimension, rest) = rest.split_first_chunk()?;
                let dimension = i32::from_le_bytes(*dimension);
                (1..=MAX_DIMENSION).contains(&dimension).then_some((dimension, rest))?
            }
            _ => return None,
        };
        let (tag, section) = match *rest {
            [tag::SECTION, section] => (tag::SECTION, section),
            [tag] if is_read(tag) => (tag, 0),
            _ => return None,
        };
        Some(Self { dimension, chunk: ChunkPos { x: position(*x)?, z: position(*z)? }, tag, section })
    }
}

fn is_read(tag: u8) -> bool {
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

/// The beginning of all keys of a chunk.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChunkPrefix {
    bytes: [u8; 12],
    len: usize,
}

impl ChunkPrefix {
    pub(super) fn new(dimension: i32, chunk: ChunkPos) -> Self {
        let mut bytes = [0; 12];
        bytes[..4].copy_from_slice(&chunk.x.to_le_bytes());
        bytes[4..8].copy_from_slice(&chunk.z.to_le_bytes());
        bytes[8..].copy_from_slice(&dimension.to_le_bytes());
        Self { bytes, len: if dimension == 0 { 8 } else { 12 } }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// The keys that may be in a part of a table, by the table's index.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeyRange<'a> {
    /// No key is less. `None`: not known.
    pub(super) first: Option<&'a [u8]>,
    /// No key is greater.
    pub(super) last: &'a [u8],
}

impl KeyRange<'_> {
    /// The range from the chunk of its last key on, if its first key is not known.
    pub(super) fn with_first(self) -> Self {
        Self { first: self.first.or(Some(&self.last[..self.last.len().min(CHUNK_BYTES)])), ..self }
    }

    /// Returns whether keys with this beginning may be in the range.
    pub(super) fn may_have_prefix(&self, prefix: &[u8]) -> bool {
        // A first key that is greater than the prefix is greater than all keys with it, or has it itself.
        self.first.is_none_or(|first| first <= prefix || first.starts_with(prefix)) && prefix <= self.last
    }

    /// Returns whether no key of a chunk can be in the range, as all keys in it begin with the same text.
    pub(super) fn has_no_chunk(&self) -> bool {
        let Some((first, _)) = self.first.and_then(|first| first.split_first_chunk::<4>()) else { return false };
        self.last.starts_with(first) && position(*first).is_none()
    }
}
