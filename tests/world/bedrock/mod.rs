//! Builds Bedrock worlds: chunks in every form, and a database of tables and a log.

pub mod block;
pub mod chunk;
mod crc32c;
pub mod database;
pub mod keys;
pub mod level_dat;
mod log;
pub mod mutation;
mod snappy;
mod storage;
mod table;

pub use block::Block;
pub use chunk::{ChunkSpec, Form};
pub use database::{Compression, Database};
