//! Access to a stored region of 32 by 32 chunks: in a region file, in chunk files or in a database.
//!
//! This module hides headers, chunk files and tables from all rooms outside `world`. A region lists
//! its chunks, reads a chunk's bytes by slot, and returns hashes and stamps, so that a later run
//! can find the changes.

mod entry;
mod open_region;
mod store;

pub use crate::bedrock::{ChunkExtent, EarlyChunk, EarlyReaders};
pub use crate::zvcr::ChunkPass;
pub use entry::RegionEntry;
pub(crate) use entry::RegionKind;
pub use open_region::Region;
pub use store::{Companion, RegionStore};
