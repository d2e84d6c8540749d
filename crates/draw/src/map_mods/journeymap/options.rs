//! The settings of an export to a player's folder.

use super::waypoints::WaypointForm;

/// The settings of an export to a player's folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JourneymapOptions {
    /// Names dimensions as versions of the mod up to 1.15 do.
    pub old_names: bool,
    /// Only fills areas that the player has not explored, and changes nothing else.
    pub merge: bool,
    /// Overwrites pictures that are newer than the tile.
    pub force: bool,
    pub waypoints: Option<WaypointForm>,
}
