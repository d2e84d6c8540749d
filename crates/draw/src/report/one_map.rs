//! The report of one of several maps that a run drew.

use serde::Serialize;

use crate::report::counts::{ChunkCounts, RegionCounts, TileCounts};
use crate::report::options::Options;
use crate::report::outcome::Outcome;

/// The report of one of several maps of a run.
#[derive(Debug, Clone, Serialize)]
pub struct OneMap {
    pub outcome: Outcome,
    /// The options in effect.
    pub options: Options,
    /// The dimensions drawn.
    pub dimensions: Vec<String>,
    pub regions: RegionCounts,
    pub chunks: ChunkCounts,
    pub tiles: TileCounts,
    /// Seconds from start to end.
    pub seconds: f64,
}
