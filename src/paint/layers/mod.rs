//! Turns finished columns and their surroundings into pixels, in one way per layer.
//!
//! A painter paints one row of chunks after the other, at the native zoom level. The inner tiles,
//! which show textures, are painted by `shown_region`. Reading chunks and writing tiles is up to
//! others. To add a layer, write its file here and add a row to the table in `table.rs`.

mod biome;
mod cave;
mod changed;
mod colour_cache;
mod day;
mod details;
mod height;
mod height16;
mod inhabited;
mod inner_columns;
mod legend;
mod mix;
mod night;
mod relief;
mod renderer;
mod row;
mod shown_region;
mod slime;
mod table;
mod terrain;
mod tint;
mod tone;
mod version;
mod window;

pub use colour_cache::ColourCache;
pub use day::Day;
pub use details::{details_bounds, details_without};
pub use inner_columns::InnerColumns;
pub use legend::Legend;
pub use night::NightTone;
pub use renderer::LayerRenderer;
pub use row::{BiomeRows, ChunkRow};
pub use shown_region::{InnerTone, ShownRegion};
pub use slime::Slimes;
pub use table::{Choices, Layer};
pub use version::game_version;

/// The version of the look. The pixels of a version never change, so a change of pixels needs a new
/// version.
pub const LOOK: u32 = 1;
