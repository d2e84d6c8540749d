//! Layers: finished columns and what surrounds them to pixels.
//!
//! A layer is handed one row of chunks after the other. It knows no files and no zoom levels.

mod day;
mod paints;
mod relief;
mod row;
mod tint;
mod tone;

pub use day::Day;
pub use paints::Paints;
pub use row::{BiomeRows, Row};

/// The version of the look: a number's pixels never change.
pub const LOOK: u32 = 1;
