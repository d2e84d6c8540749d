//! The request of a comparison.

use pixelmap_base::coord::Area;

/// The parts of two renders to compare, and the tolerance.
#[derive(Debug, Clone, Default)]
pub struct CompareRequest {
    /// The ids of the dimensions; empty for all.
    pub dimensions: Vec<String>,
    /// The ids of the layers; empty for all.
    pub layers: Vec<String>,
    /// The columns to compare, or `None` for all. For pictures without stored facts these are
    /// pixels.
    pub area: Option<Area>,
    /// Columns to ignore. For pictures without stored facts these are pixels.
    pub ignore: Vec<Area>,
    /// The largest difference of a channel or number that still counts as equal.
    pub tolerance: u16,
    /// The number of workers, at least 1.
    pub threads: usize,
}
