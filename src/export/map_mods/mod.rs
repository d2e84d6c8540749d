//! Folders of other programs: JourneyMap's map of one player, and the tiles and documents of squaremap.

pub(crate) mod dated;
pub(crate) mod features;
pub(crate) mod journeymap;
pub(crate) mod squaremap;
