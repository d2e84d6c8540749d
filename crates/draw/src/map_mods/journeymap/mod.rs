//! Exports a map into a folder of JourneyMap, a mod that gives players a map inside the game: one
//! picture per region, sorted by dimension and kind, and waypoints.
//!
//! The layouts come from the mod's sources and from real folders (TeamJM/journeymap-legacy,
//! `RegionImageHandler` and `Waypoint`; TeamJM/journeymap-tools). A region is one native tile in
//! both programs.

mod options;
mod plan;
mod tiles;
mod waypoints;

pub use options::JourneymapOptions;
pub use plan::{JourneymapCounts, JourneymapPlan, put_journeymap};
pub use waypoints::WaypointForm;
