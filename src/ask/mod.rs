//! Answers questions about a world without drawing a map: `info`, `query`, and the markers of an existing map.

mod info;
mod markers;
mod query;

pub use info::{Damaged, DimensionInfo, SpawnInfo, WorldInfo, info};
pub use markers::{Remade, remake_markers};
pub use query::{Answer, ColumnPart, HighestBlock, Missing, ceiling, query};
