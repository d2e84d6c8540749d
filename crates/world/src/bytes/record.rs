//! The result of reading a chunk.

use std::time::Instant;

use crate::bytes::fault::Fault;
use crate::bytes::hash::{ChunkHash, NO_RECORD};
use crate::bytes::inflate::PlainBytes;

#[derive(Debug)]
pub struct ChunkRecord<'a> {
    /// Its plain bytes, or its fault. Dropping the bytes releases the right to large buffers.
    pub plain: Result<PlainBytes<'a>, Fault>,
    /// The form of its plain bytes.
    pub form: Form,
    /// Whether its compressed bytes end too early, after all of its plain bytes.
    pub is_cut: bool,
    pub stored: ChunkStorage,
    /// When reading ended and inflating began; `None`: the chunk was not inflated.
    pub read_at: Option<Instant>,
}

/// The form of a chunk's plain bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The root compound of Java Edition in NBT.
    Nbt,
    /// The values that Bedrock Edition stores for a chunk. The first byte is the number of the
    /// lowest section (i8), or [`UNKNOWN_LOWEST`]. Then each value follows, in the order of their
    /// keys: its tag (u8), the number of the section (i8, 0 if the key has none), the value's
    /// length (u32, little-endian), and the value.
    Values,
    /// Blocks and biomes by the numbers of the game's network protocol, in the form that
    /// `bytes/network.rs` describes.
    Network,
}

/// The lowest section of a chunk whose dimension has unknown heights.
pub const UNKNOWN_LOWEST: i8 = i8::MAX;

/// The way in which a chunk is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkStorage {
    /// A hash of everything that the chunk is read from.
    pub hash: ChunkHash,
    /// The id of its compression, without the bit for an external file; `None`: it was not read.
    pub compression: Option<u8>,
    /// Whether its record refers to an external file.
    pub is_external: bool,
}

impl ChunkStorage {
    /// An empty slot.
    pub const NOTHING: Self = Self::unread(NO_RECORD);

    /// Returns the name of its compression; `None`: it was not read.
    pub fn compression_name(&self) -> Option<&'static str> {
        self.compression.map(|compression| match compression {
            1 => "gzip",
            2 => "zlib",
            3 => "none",
            4 => "lz4",
            127 => "custom",
            _ => "unknown",
        })
    }

    pub(crate) const fn unread(hash: ChunkHash) -> Self {
        Self {
            hash,
            compression: None,
            is_external: false,
        }
    }
}
