//! Turns columns and their surroundings into pixels, and what a world stores besides blocks into markers. Knows no
//! files and no zoom levels.

pub mod layers;
pub mod palette;
pub mod surface;
pub mod textures;
