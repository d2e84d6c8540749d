//! Tests the promises of the program by running it on worlds that the builder makes.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]
#![allow(
    clippy::disallowed_methods,
    reason = "what tests write is no output of the program"
)]

mod cli;
mod compare;
mod drawing;
mod incremental;
mod outputs;
mod publishing;
#[cfg(all(unix, feature = "serve"))]
mod serve;
mod worlds;

#[path = "../map/mod.rs"]
mod map;
#[path = "../missing/mod.rs"]
mod missing;
#[cfg(unix)]
#[path = "../runner/mod.rs"]
mod runner;
#[path = "../world/mod.rs"]
mod world;
