//! Answers questions about worlds without drawing a map: `info`, `query`, `select`, the facts of a
//! catalog, and the markers of an existing map.

mod area;
pub mod catalog;
mod chunk_reader;
mod info;
mod markers;
mod query;
mod select;
mod shapes;

pub use crate::request::ceilings::FoundCeiling;
pub use area::{AreaAnswer, AreaColumn, Ground, query_area};
pub use info::{DamagedPlace, DimensionInfo, SpawnInfo, WorldInfo, info};
pub use markers::{RemadeMarkers, remake_markers};
pub use query::{Answer, ColumnPart, HighestBlock, MissingColumn, ceiling, query};
pub use select::{ChunkRules, SelectedChunks, select};
pub use shapes::{DimensionShape, ShapeError};
