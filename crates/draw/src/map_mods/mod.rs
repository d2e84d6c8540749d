//! Exports into the folders of other programs: JourneyMap's map of one player, and the tiles and
//! documents of squaremap. Both share the reading of markers and the dating of files.

pub(crate) mod dated;
pub(crate) mod features;
pub(crate) mod journeymap;
pub(crate) mod squaremap;

pub use journeymap::{
    JourneymapCounts, JourneymapOptions, JourneymapPlan, WaypointForm, put_journeymap,
};
pub use squaremap::{SquaremapCounts, put_squaremap};
