//! Finds differences between two renders, and faults between a render and its own manifests.
//!
//! Manifests are compared first: tiles with the same pixel hash are equal and are not opened. The
//! other tiles are compared one by one, so that memory grows with the number of workers and the
//! length of the manifests, not with the number of pixels. Counts refer to the native zoom level; a
//! tile of an outer level that differs only because the tiles below it do is not counted again.
//! `verify` reads every byte of every tile. This room does not read worlds, only finished maps.

mod columns;
mod comparison;
mod difference;
mod digest;
mod heat;
mod lists;
mod maps;
mod panels;
mod picture;
mod pixels;
mod request;
mod side;
mod threads;
mod trouble;
mod verify;

pub use comparison::compare;
pub use difference::{Change, ChangedImage, Difference, DifferenceCounts, LayerDifference};
pub use digest::digest;
pub use heat::heatmap;
pub use lists::{DifferenceLists, list_differences};
pub use panels::{DifferencePart, LARGE, MEDIUM, Panels, SMALL, is_shown, show_part};
pub use picture::PictureFile;
pub use request::CompareRequest;
pub use side::{Side, Sides};
pub use trouble::Trouble;
pub use verify::{Problem, Verification, Wrong, verify};
