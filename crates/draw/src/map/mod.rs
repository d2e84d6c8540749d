//! Turns painted canvases into published tiles.
//!
//! There is one job per region, which draws the region and publishes its tiles, and one job per
//! parent tile. Painting is left to `painter`, and storing and reducing tiles to `tiles`.

mod changes;
pub(crate) mod context;
mod inner_tiles;
pub(crate) mod legend;
mod markers;
mod region_jobs;
mod region_map;
mod tile_plan;
mod unchanged;

pub(crate) use region_map::Map;
pub(crate) use tile_plan::tile_plan;
