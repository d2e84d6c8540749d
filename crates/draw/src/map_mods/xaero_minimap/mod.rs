//! Writes the markers of a map into the waypoint files of Xaero's Minimap, a mod that gives players a
//! small map in a corner of the game.
//!
//! The form of a line is in `pixelmap_world::explored`. Our waypoints have a set of their own, so the
//! ones of the player are never changed.

mod merge;
mod options;
mod plan;
mod waypoint_file;

pub use options::XaeroWaypointOptions;
pub use plan::{XaeroWaypointCounts, XaeroWaypointPlan};
