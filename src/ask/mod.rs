//! Questions to a world that draw no map: `info`, `query`, and the markers of a map made again.

mod info;
mod markers;
mod query;

pub use info::{Damaged, DimensionInfo, SpawnInfo, WorldInfo, info};
pub use markers::{Remade, remake_markers};
pub use query::{Answer, ColumnPart, HighestBlock, Missing, ceiling, query};
