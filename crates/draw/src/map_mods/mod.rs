//! Exports into the folders of other programs. Each map mod has a folder here and a row in
//! `mod_target.rs`, which also decides whether it gets the tiles of a map (JourneyMap, squaremap), the
//! columns of a world (Xaero's World Map) or the markers of a map (Xaero's Minimap). They share the
//! reading of markers, the choice of the ones that become waypoints, and the dating of files.

pub(crate) mod dated;
pub(crate) mod features;
pub(crate) mod journeymap;
mod mod_target;
mod named_places;
pub(crate) mod squaremap;
pub(crate) mod xaero;
pub(crate) mod xaero_minimap;

pub use journeymap::{
    JourneymapCounts, JourneymapOptions, JourneymapPlan, WaypointForm, put_journeymap,
};
pub use mod_target::{ColumnMod, MarkerMod, ModTarget, PictureMod};
pub use squaremap::{SquaremapCounts, put_squaremap};
pub use xaero::{
    Keep, ServerFolder, XaeroAmount, XaeroCounts, XaeroError, XaeroOptions, XaeroPlan, put_xaero,
};
pub use xaero_minimap::{XaeroWaypointCounts, XaeroWaypointOptions, XaeroWaypointPlan};
