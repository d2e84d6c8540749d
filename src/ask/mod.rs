//! Answers questions about a world without drawing a map: `info`, `query`, `select`, and the markers of an existing map.

mod info;
mod markers;
mod query;
mod select;
mod shapes;

pub use info::{Damaged, DimensionInfo, SpawnInfo, WorldInfo, info};
pub use markers::{Remade, remake_markers};
pub use query::{Answer, ColumnPart, HighestBlock, Missing, ceiling, query};
pub use select::{ChunkRules, SelectedChunks, select};
pub use shapes::{Shape, ShapeError};
