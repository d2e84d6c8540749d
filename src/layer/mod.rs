//! Layers: finished columns and what surrounds them to pixels.
//!
//! A layer is handed one row of chunks after the other. It knows no files and no zoom levels. To add one, write its file
//! in this room, and name it in each list of `painter.rs`.

mod biome;
mod cave;
mod day;
mod height;
mod height16;
mod inhabited;
mod legend;
mod mix;
mod night;
mod painter;
mod paints;
mod relief;
mod row;
mod slime;
mod tint;
mod tone;
mod version;

pub use day::Day;
pub use legend::Legend;
pub use painter::{Choices, Layer, Painter};
pub use paints::Paints;
pub use row::{BiomeRows, Row};
pub use slime::Slimes;

/// The version of the look: a number's pixels never change.
pub const LOOK: u32 = 1;
