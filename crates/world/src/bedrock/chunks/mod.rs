//! Finds the chunks in the blocks of a database, and keeps what later runs need to find them again.
//!
//! A *sighting* lists facts about the keys of one chunk in one block, or in the logs. One pass over
//! the blocks collects the sightings, and [`ChunkIndex`] joins them into the chunks of each region.
//! A *part* contains the entries of one chunk in one block. A *scattered* block contains parts of
//! chunks of very many regions. It is *divided* into *pieces*, and each region inflates only the
//! pieces with its own chunks.

mod block_ref;
mod early;
mod index;
mod key;
mod known_tables;
pub(crate) mod part;
mod scattered;
mod sighting;
mod sighting_list;
mod values;

pub(crate) use block_ref::BlockRef;
pub use early::{ChunkExtent, EarlyChunk, EarlyReaders};
pub use index::DimensionChunks;
pub(crate) use index::{ChunkIndex, RegionChunks};
pub(crate) use key::{ChunkKey, ChunkPrefix};
pub(crate) use known_tables::KnownTables;
pub(crate) use scattered::{DividedBlock, ScatteredBlocks};
pub(crate) use values::{ChunkValues, own_lowest_section, to_record};
