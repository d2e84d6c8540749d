//! Promises of pixels: what is drawn of a world in each layer, in which colours, with which markers; what is hidden.

mod area;
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
