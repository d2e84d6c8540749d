//! Reads the database of a Bedrock Edition world, which is a LevelDB with Mojang's additions.
//!
//! It reads the state of one moment and never writes, so it takes no lock. It ignores the levels of
//! LevelDB: the entry with the highest sequence wins for each key, whatever file contains it. This
//! module finds and returns values; it does not interpret NBT or blocks.
//!
//! Source: the `doc` folder of LevelDB, and Mojang's `leveldb-mcpe` for its additions.

mod block;
mod checksum;
mod database;
mod fields;
mod index;
mod key;
mod known_tables;
mod log;
mod manifest;
mod open_files;
mod part;
mod records;
mod region;
mod scattered;
mod sighting;
mod sighting_list;
mod snapshot;
mod table;
#[cfg(test)]
mod tests;

pub use database::{Database, FOLDER, FoundValues, MAX_VALUES};
pub use index::DimensionChunks;
pub use open_files::OpenError;
pub use region::{BedrockRegion, LowestSections};
pub use snapshot::is_database;
