//! Reads the region files of zvcr, the format of the largest published worlds.
//!
//! A file has the newest state of each chunk and differences to its older states, all in one zstd
//! stream. Blocks are numbers of the game's network protocol. This module passes over the stream, and
//! writes the wanted state of each chunk without its history and without palettes that other chunks
//! share, so that nothing else needs to know the format.
//!
//! Sources: the C++ library zvcr of 2b2tplace (format version 7), and its registries in mc-cpp.

mod block_entities;
mod chain;
mod chunk;
mod container;
mod header;
mod heights;
mod pass;
mod region;
mod store;
mod stream;
#[cfg(test)]
mod tests;

pub use container::{PlainChunk, read_container};
pub(crate) use header::{Header, MAGIC};
pub use pass::ChunkPass;
pub use region::ZvcrRegion;
pub(crate) use region::stamp_at;
pub use store::ZvcrStore;
pub(crate) use store::{ENDING, FileLayout};
