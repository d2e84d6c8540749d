//! Exports the past of a map as moving pictures: an animated GIF or WebP, or a folder of frames.
//! Each frame shows one layer at one moment. Moments at which the layer did not change are left
//! out, or on request shown for as long as the others.
//!
//! Only two frames are in memory at a time, the current one and the one before it, whatever the
//! number of moments.

mod colours;
mod folder;
mod frames;
mod gif;
mod pace;
mod plan;
mod put;
mod webp;

pub use folder::open_frames;
pub use frames::TimelapseCounts;
pub use plan::{MomentRange, TimelapseKind, TimelapseOptions, TimelapsePlan};
pub use put::{put_animation, put_frames};
