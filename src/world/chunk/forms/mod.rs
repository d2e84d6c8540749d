//! The forms in which all versions and editions of the game store a chunk: parses them, and reads
//! blocks, biomes and light from each. `view` and `Chunk` show others one view of them.

pub(crate) mod biomes;
pub(crate) mod blocks;
pub(crate) mod buffers;
pub(crate) mod dyes;
pub(crate) mod entries;
pub(crate) mod light;
pub(crate) mod numeric;
pub(crate) mod packing;
pub(crate) mod parse;
pub(crate) mod section;
pub(crate) mod slice;
pub(crate) mod spawners;
pub(crate) mod storage;
pub(crate) mod subchunk;
pub(crate) mod values;
pub(crate) mod wide;
