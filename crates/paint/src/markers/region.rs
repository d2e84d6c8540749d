//! The markers of a region.

use crate::markers::marker::Marker;
use pixelmap_base::coord::SlotSet;

/// The markers of a region, and its drawn chunks. Only drawn chunks have markers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RegionMarkers {
    pub drawn: SlotSet,
    /// Sorted.
    pub markers: Vec<Marker>,
    /// The bytes of all properties that were added.
    pub(super) text: usize,
    /// The number of markers that a bound left out. It is recorded with the markers, so that a run
    /// that reads no markers again reports the same number.
    pub left_out: u64,
    /// Whether markers are missing because a companion file exists and cannot be opened.
    pub lacks_file: bool,
}

impl RegionMarkers {
    /// Makes the markers of a region from its record.
    pub fn recorded(drawn: SlotSet, markers: Vec<Marker>, left_out: u64) -> Self {
        Self {
            drawn,
            markers,
            left_out,
            ..Self::default()
        }
    }
}
