//! What `pixelmap render` promises, each promise by running the program on worlds of the builder.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod area;
mod bytes;
mod config;
mod faults;
mod folder;
mod hiding;
mod layers;
mod legends;
#[cfg(target_os = "linux")]
mod limits;
#[cfg(unix)]
mod live;
mod log;
mod look;
mod naming;
#[cfg(unix)]
mod nightly;
mod refusals;
mod runs;
mod seams;
#[cfg(target_os = "linux")]
mod signals;
mod staged;
mod underground;

#[path = "../map/mod.rs"]
mod map;
#[path = "../world/mod.rs"]
mod world;
