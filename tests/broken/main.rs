//! Broken worlds: a fault costs the chunk that it is in and nothing else, is named, and holds nothing up.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod bombs;
mod cases;
#[cfg(unix)]
mod no_files;
mod one_chunk;
mod places;
mod run;
mod texts;

#[path = "../map/mod.rs"]
mod map;
#[path = "../world/mod.rs"]
mod world;
