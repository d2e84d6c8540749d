//! Reads one chunk of any generation and presents it as a view of blocks and biomes.
//!
//! The structure of each chunk and section decides its generation. level.dat never does and the
//! `DataVersion` hardly ever, because one region can contain chunks of every version. Parsing
//! records positions in the inflated bytes instead of values, and a palette is resolved when its
//! section is first read. Stored height maps are ignored, because editors leave them wrong and old
//! ones miss blocks. This module does not deal with files or colours.
//!
//! Sources: the chunk format page of the Minecraft Wiki and the game's own converters, as of 26.4
//! (snapshot 6). Each generation has a fixture under `fixtures/`.

#[cfg(test)]
mod bedrock_tests;
mod cells;
mod chunk_fault;
mod error;
mod forms;
mod mask;
mod meta;
mod view;

pub use cells::Block;
pub use chunk_fault::ChunkFault;
pub use error::ChunkError;
pub use forms::bedrock::spawners::SpawnerBox;
pub use forms::java::slice::Slice;
pub use forms::stored::buffers::ChunkBuffers;
pub use mask::Mask;
pub use meta::{Generation, Meta, Status, Warnings};
pub use view::{BlockSearch, Chunk, EntityList};
