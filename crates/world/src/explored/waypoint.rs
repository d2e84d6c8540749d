//! A place that a player has named in a map mod.

use pixelmap_base::coord::ColumnPos;

/// A place that a player has named in a map mod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waypoint {
    pub name: String,
    pub at: ColumnPos,
    /// Absent: the mod does not know the height.
    pub y: Option<i32>,
    pub colour: [u8; 3],
}

/// The waypoints of one file, and the numbers of its lines that are damaged.
#[derive(Debug, Default)]
pub(crate) struct FileWaypoints {
    pub(crate) waypoints: Vec<Waypoint>,
    /// The first line has the number 1.
    pub(crate) damaged: Vec<usize>,
}
