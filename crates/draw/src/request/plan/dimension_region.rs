//! A region of one of the planned dimensions.

use pixelmap_base::coord::RegionPos;

/// A region of a dimension. The type has 12 bytes because a large world has many regions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DimensionRegion {
    /// The dimension's number in the plan.
    pub dimension: u32,
    /// The region in this dimension.
    pub region: RegionPos,
}
