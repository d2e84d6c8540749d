//! Shards: each one draws a part of a map, and a merge combines the parts into one map.

mod adopt;
mod archive;
mod begin;
mod divide;
mod error;
mod file;
pub(crate) mod finish;
mod key_index;
mod merge;
mod merge_plan;
mod part_list;
mod part_tiles;

pub use archive::{ArchiveLayer, merge_archive};
pub(crate) use begin::begin;
pub use divide::{ShardDivision, divide};
pub use error::MergeError;
pub use merge::{MergedMap, merge};
pub use merge_plan::MergeSettings;
