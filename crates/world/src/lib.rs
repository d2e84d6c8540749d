//! Reads Minecraft worlds of both editions and of all versions since Alpha: Anvil and `McRegion`
//! files, chunk files, the database of Bedrock Edition, files of zvcr, and each of them inside a
//! zip.
//!
//! [`World::open`] finds the [`Dimension`]s of a world. A dimension has [`Region`]s, a region has
//! [`Chunk`]s, and a chunk has blocks with names and properties, biomes, surfaces and signs. Chunks
//! of all versions have the same methods, and one world may contain chunks of several versions.
//!
//! ```
//! use pixelmap_world::World;
//!
//! let world = World::open("../../fixtures/demo")?;
//! let overworld = world.dimension("overworld").expect("a world usually has an overworld");
//!
//! for chunk in overworld.chunks_in(0..64, 0..64) {
//!     match chunk {
//!         Ok(chunk) => {
//!             if let Some(surface) = chunk.surface(0, 0) {
//!                 println!("{},{}: {} at {}", chunk.x(), chunk.z(), surface.block, surface.y);
//!             }
//!         }
//!         // One damaged chunk does not keep the others from being read.
//!         Err(damage) => eprintln!("{damage}"),
//!     }
//! }
//! # Ok::<(), pixelmap_world::Error>(())
//! ```
//!
//! # Units
//! Positions are in blocks, chunks of 16 by 16 columns, or regions of 32 by 32 chunks. x grows to
//! the east, z to the south and y upwards. A position is always absolute, counted from the origin
//! of the world.
//!
//! # Promises
//! - The reader never writes, locks or creates a file, so a world can be read while a game runs.
//! - No world makes it panic, and its memory is bounded for every world: a chunk may inflate to at
//!   most 64 MiB.
//! - The crate contains no `unsafe` code. All types can be sent to other threads.

#![deny(missing_docs)]
#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "what tests write is no output of the program"
    )
)]

mod facade;

#[doc(hidden)]
mod alpha;
#[doc(hidden)]
pub mod anvil;
#[doc(hidden)]
pub mod bedrock;
#[doc(hidden)]
pub mod bytes;
#[doc(hidden)]
pub mod chunk;
#[doc(hidden)]
pub mod explored;
#[doc(hidden)]
pub mod internal;
#[doc(hidden)]
pub mod names;
#[doc(hidden)]
pub mod nbt;
#[doc(hidden)]
pub mod pack;
#[doc(hidden)]
mod region;
#[doc(hidden)]
mod save;
#[doc(hidden)]
mod saves;
#[doc(hidden)]
pub mod text;
#[doc(hidden)]
pub mod zvcr;

pub use facade::{
    Block, Chunk, ChunkError, Chunks, Dimension, Edition, Error, Region, Sign, Surface, World,
};
