//! Records of drawn regions and finished tiles: the sources they were drawn from, their files, and
//! the findings of the run that drew them.
//!
//! This module has the values and their bytes. It does not depend on the journal, which keeps them
//! from run to run, or on how tiles are drawn.

mod bytes;
mod markers;
mod region;
mod region_markers;
mod source;
mod tile_facts;

pub use bytes::{
    facts_bytes, native_bytes, parent_bytes, parse_facts, parse_native, parse_parent, parse_source,
};
pub use markers::{markers_bytes, parse_markers};
pub use region::RegionFacts;
pub use region_markers::MarkersRecord;
pub use source::{Hashes, RegionSource};
pub use tile_facts::{NativeRecord, ParentRecord, TileFacts};
