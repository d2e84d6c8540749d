//! Layers: finished columns and their surroundings become pixels.
//!
//! A painter takes one row of chunks after the other. Knows no files and no zoom levels. To add a layer, write its file
//! here and a row of the table in `table.rs`.

mod biome;
mod cave;
mod day;
mod details;
mod height;
mod height16;
mod inhabited;
mod inner_columns;
mod legend;
mod mix;
mod night;
mod painter;
mod paints;
mod relief;
mod row;
mod shown_region;
mod slime;
mod table;
mod terrain;
mod tint;
mod tone;
mod version;
mod window;

pub use day::Day;
pub use inner_columns::InnerColumns;
pub use legend::Legend;
pub use night::NightTone;
pub use painter::LayerPainter;
pub use paints::Paints;
pub use row::{BiomeRows, ChunkRow};
pub use shown_region::{InnerTone, ShownRegion};
pub use slime::Slimes;
pub use table::{Choices, Layer};
pub use version::game_version;

/// The version of the look. The pixels of a version never change.
pub const LOOK: u32 = 1;
