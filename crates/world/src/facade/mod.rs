//! The names for programs of other people. They hide how a world is stored: the types of the other
//! modules, such as NBT readers and slots, appear in no signature.

mod block;
mod chunk;
mod chunk_error;
mod chunks;
mod decode;
mod dimension;
mod edition;
mod error;
mod reader;
mod region;
mod section;
mod sign;
mod states;
mod surface;
#[cfg(test)]
mod tests;
mod world;

pub use block::Block;
pub use chunk::Chunk;
pub use chunk_error::ChunkError;
pub use chunks::Chunks;
pub use dimension::Dimension;
pub use edition::Edition;
pub use error::Error;
pub use region::Region;
pub use sign::Sign;
pub use surface::Surface;
pub use world::World;
