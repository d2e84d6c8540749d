//! Draws a map while people look at it. The viewed regions are drawn first, and tiles that are not
//! drawn yet are sketched. Tiles with textures are only drawn when they are requested, and are not
//! stored.
//!
//! This module does not depend on who views the map, or how. `serve` calls it.

mod block_queries;
mod facts;
mod inner_tiles;
mod live_map;
mod requests;
mod sketches;
mod tile_state;
mod viewport;
mod watched;

pub use block_queries::{BlockQueries, BlockQuery};
pub use inner_tiles::{InnerTile, InnerTiles};
pub use live_map::{LEAST_SHARE, Live};
pub use tile_state::{DrawnTile, LayerTile, TileState};
pub use viewport::{ViewJobs, Viewport};
pub(crate) use watched::draw;

#[cfg(test)]
mod tests;
