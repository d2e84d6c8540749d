//! Makes a map from the pictures that players' map mods saved while they explored. No world is
//! read.

mod imported_map;
mod picture_tiles;
mod plan;

pub use imported_map::{ImportedMap, import};
