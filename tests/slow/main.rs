//! Compares the program and the library with the slow reader, which shares no code with them.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]
#![allow(
    clippy::disallowed_methods,
    reason = "what tests write is no output of the program"
)]

mod against;
mod bedrock;
mod height16;
mod itself;
mod properties;
mod views;
mod walk;

#[path = "../map/mod.rs"]
mod map;
#[path = "../missing/mod.rs"]
mod missing;
#[path = "../slow_reader/mod.rs"]
mod slow_reader;
#[path = "../world/mod.rs"]
mod world;
