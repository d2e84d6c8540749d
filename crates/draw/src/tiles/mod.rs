//! The tiles of a map while it is made: which ones are recorded, where they are stored, and when a
//! parent can be made.
//!
//! A merge of shards and an import need exactly this floor, because both make tiles without reading
//! a world.

pub(crate) mod jobs;
pub(crate) mod journal_subject;
pub(crate) mod map_markers;
pub(crate) mod map_tiles;
pub(crate) mod pyramid;
pub mod record;
pub(crate) mod tile_jobs;
pub(crate) mod tile_store;
pub(crate) mod tile_worker;
