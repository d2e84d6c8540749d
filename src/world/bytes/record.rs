//! What reading a chunk returns.

use std::time::Instant;

use crate::world::bytes::fault::Fault;
use crate::world::bytes::hash::{ChunkHash, NO_RECORD};
use crate::world::bytes::inflate::Plain;

#[derive(Debug)]
pub struct ChunkRecord<'a> {
    /// Its plain bytes, or its fault. A large buffer is given back when they are dropped.
    pub plain: Result<Plain<'a>, Fault>,
    /// What its plain bytes are.
    pub form: Form,
    /// Whether its compressed bytes end too early, after all of its plain bytes.
    pub is_cut: bool,
    pub stored: Stored,
    /// When reading ended and inflating began; `None`: it was not inflated.
    pub read_at: Option<Instant>,
}

/// What the plain bytes of a chunk are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A compound of Java Edition in NBT.
    Nbt,
    /// The values that Bedrock Edition stores of a chunk. The first byte is 1 in the overworld and 0 elsewhere. Then
    /// follows for each value, in the order of their keys: its tag (u8), the number of the section (i8, 0 where the key
    /// has none), the value's length (u32 in little-endian order), and the value.
    Values,
}

/// How a chunk is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stored {
    /// Hash of everything that the chunk is read from.
    pub hash: ChunkHash,
    /// Id of its compression, without the bit of a file of its own; `None`: it was not read.
    pub compression: Option<u8>,
    /// Whether its record leads to a file of its own.
    pub is_external: bool,
}

impl Stored {
    /// A slot in which nothing is stored.
    pub const NOTHING: Self = Self::unread(NO_RECORD);

    /// The name of its compression; `None`: it was not read.
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
        Self { hash, compression: None, is_external: false }
    }
}
