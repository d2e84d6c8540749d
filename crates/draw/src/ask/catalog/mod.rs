//! The facts about each world in a catalog of many worlds, and the copies among them.

mod copies;
mod facts;
mod sketch;
mod world_entry;

pub use copies::find_copies;
pub use facts::describe;
pub use sketch::ChunkSketch;
pub use world_entry::{CatalogDimension, FORMAT, WorldCopy, WorldEntry};
