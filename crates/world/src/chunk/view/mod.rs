//! Shows others one view of a chunk, whatever its form: its blocks by slice and by cell, walks down
//! its columns, biomes, light, beds and entities, and a search for blocks by name.

mod beds;
mod biomes;
mod chunk;
mod down;
mod entity_list;
mod light;
mod search;

pub use chunk::Chunk;
pub use entity_list::EntityList;
pub use search::BlockSearch;
