//! Columns and what surrounds them to pixels, and what a world knows beside its blocks to markers. Knows no files and no
//! zoom levels.

pub mod layers;
pub(crate) mod markers;
pub mod palette;
pub mod surface;
