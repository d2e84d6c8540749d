//! The record of a region's markers.

use pixelmap_paint::markers::RegionMarkers;
use pixelmap_world::internal::ChunkHash;

/// The markers of a region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkersRecord {
    /// A hash of the files that the markers were read from. If it is `UNSTABLE`, they are read
    /// again.
    pub key: ChunkHash,
    pub markers: RegionMarkers,
}
