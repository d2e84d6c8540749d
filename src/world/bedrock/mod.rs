//! The database of a world of Bedrock Edition: LevelDB as the game writes it.
//!
//! It is read as it was at one moment, and never written: no lock is taken. Levels are ignored: of the entries of a key
//! the one with the highest sequence counts, whatever file it is in. Knows no NBT and no blocks of the game.
//!
//! Source: the `doc` folder of LevelDB, and Mojang's `leveldb-mcpe` for what it adds.

mod block;
mod checksum;
mod database;
mod fields;
mod index;
mod key;
mod known_tables;
mod log;
mod manifest;
mod part;
mod records;
mod region;
mod scattered;
mod sighting;
mod sighting_list;
mod snappy;
mod snapshot;
mod table;
#[cfg(test)]
mod tests;

pub use database::{Database, FOLDER, OpenError};
pub use index::DimensionChunks;
pub use region::BedrockRegion;
pub use snapshot::is_database;
