//! Builds worlds of every generation, sound and faulty, from descriptions: the ground truth of the
//! tests.
//!
//! Everything here is a pure function of its arguments: the same description gives the same bytes
//! on every platform (one deflate implementation at a fixed level, no clock, no unordered map). It
//! is independent of the library and follows the description of the format, so that it does not
//! repeat a mistake of the reader.
#![allow(
    dead_code,
    unused_imports,
    unreachable_pub,
    reason = "tests and a bench share this, and each uses a part"
)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a description that cannot be written is a mistake of the test"
)]

pub mod alpha;
pub mod bedrock;
pub mod biome;
pub mod block;
pub mod chunk;
pub mod files;
pub mod fixture;
pub mod ftb_chunks;
pub mod level_dat;
pub mod many;
pub mod mutation;
pub mod nbt;
pub mod numeric;
pub mod packed;
pub mod paletted;
pub mod payload;
pub mod region;
pub mod seed;
pub mod tar;
pub mod xaero;
pub mod zvcr;

pub use biome::Biome;
pub use block::Block;
pub use chunk::{ChunkSpec, Entries, Generation, Heights};
pub use files::Files;
pub use nbt::Tag;
pub use region::{Record, RegionSpec};
