//! Reads the database of a Bedrock Edition world, which is a LevelDB with Mojang's additions.
//!
//! It reads the state of one moment and never writes, so it takes no lock. It ignores the levels of
//! LevelDB: the entry with the highest sequence wins for each key, whatever file contains it. This
//! module finds and returns values; it does not interpret NBT or blocks.
//!
//! Source: the `doc` folder of LevelDB, and Mojang's `leveldb-mcpe` for its additions.

mod chunks;
mod database;
mod leveldb;
mod opened;
mod region;
#[cfg(test)]
mod tests;

pub use chunks::{ChunkExtent, DimensionChunks, EarlyChunk, EarlyReaders};
pub use database::Database;
pub use leveldb::{OpenError, is_database};
pub use opened::{FOLDER, FoundValues, MAX_VALUES, OpenedDatabase};
pub use region::{BedrockRegion, LowestSections};
