//! Tests pixels: every layer, its colours, its markers, and hidden places.

mod area;
mod changed;
mod golden;
mod hiding;
mod layers;
mod legends;
mod look_one;
pub(crate) mod markers;
mod pack_versions;
mod palettes;
mod same_bytes;
mod seams;
mod slime;
mod terrain;
mod textures;
mod underground;
