//! The ways to make a map: a render into a folder, a live map, shards and their merge, an import, a
//! scratch map that is exported, and a dry run.

pub(crate) mod dry;
pub(crate) mod import;
pub(crate) mod live;
mod open_map;
pub(crate) mod open_world;
pub(crate) mod run;
pub(crate) mod scratch;
pub(crate) mod shards;
