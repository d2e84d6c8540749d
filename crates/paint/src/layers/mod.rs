//! Turns finished columns and their surroundings into pixels, in one way per layer.
//!
//! A painter paints one row of chunks after the other, at the native zoom level. The inner tiles
//! show textures, and the folder `inner` paints them. Reading chunks and writing tiles is up to
//! others. To add a layer, write its file in one of the folders here and add a row to the table in
//! `table.rs`.

mod chunk_facts;
mod colours;
mod details;
mod heights;
mod inner;
mod land;
mod legend;
mod look;
mod renderer;
mod row;
mod table;

pub use chunk_facts::slime::Slimes;
pub use chunk_facts::version::game_version;
pub use colours::colour_cache::ColourCache;
pub use details::{details_bounds, details_without};
pub use inner::inner_columns::InnerColumns;
pub use inner::shown_region::{InnerTone, ShownRegion};
pub use land::day::Day;
pub use land::night::NightTone;
pub use legend::Legend;
pub use look::LOOK;
pub use renderer::LayerRenderer;
pub use row::{BiomeRows, ChunkRow};
pub use table::{Choices, Layer};
