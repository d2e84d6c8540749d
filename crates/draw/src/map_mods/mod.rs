//! Exports into the folders of other programs. Each map mod has a folder here and a row in
//! `mod_target.rs`, which also decides whether it gets the tiles of a map (JourneyMap, squaremap) or
//! the columns of a world (Xaero). They share the reading of markers, the choice of the
//! ones that become waypoints, and the dating of files.

pub(crate) mod dated;
pub(crate) mod features;
pub(crate) mod journeymap;
mod mod_target;
mod named_places;
pub(crate) mod squaremap;
pub(crate) mod xaero;

pub use journeymap::{
    JourneymapCounts, JourneymapOptions, JourneymapPlan, WaypointForm, put_journeymap,
};
pub use mod_target::{ColumnMod, ModTarget, PictureMod};
pub use squaremap::{SquaremapCounts, put_squaremap};
pub use xaero::{
    Keep, ServerFolder, XaeroAmount, XaeroCounts, XaeroError, XaeroOptions, XaeroPlan, put_xaero,
};
