//! The settings of an export to Xaero's Minimap.

use crate::map_mods::xaero::ServerFolder;

/// The settings of an export to Xaero's Minimap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct XaeroWaypointOptions {
    pub server: ServerFolder,
    /// The number that the mod's part on the server keeps for the world.
    pub world_number: Option<i32>,
    /// Counts the waypoints without writing them.
    pub dry_run: bool,
}
