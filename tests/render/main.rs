//! Promises of the program, each tested by running it on worlds of the builder.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod compare;
mod config;
mod drawing;
mod help;
mod incremental;
mod info;
#[cfg(target_os = "linux")]
mod limits;
mod log;
#[cfg(target_os = "linux")]
mod nice;
mod obeyed;
mod outputs;
mod papers;
mod publishing;
mod query;
mod refusals;
mod schemas;
#[cfg(all(unix, feature = "serve"))]
mod serve;
#[cfg(target_os = "linux")]
mod signals;
mod worlds;

#[path = "../map/mod.rs"]
mod map;
#[cfg(unix)]
#[path = "../runner/mod.rs"]
mod runner;
#[path = "../world/mod.rs"]
mod world;
