//! Promises of the program, each tested by running it on worlds of the builder.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[cfg(unix)]
mod action;
mod archive;
#[cfg(all(unix, feature = "object-store"))]
mod bucket;
mod check_script;
mod compare;
mod config;
mod details;
mod drawing;
mod export;
mod folder;
mod help;
mod incremental;
mod info;
mod kept;
#[cfg(target_os = "linux")]
mod limits;
mod log;
mod naming;
#[cfg(target_os = "linux")]
mod nice;
#[cfg(unix)]
mod no_fooling;
mod obeyed;
mod one_file;
mod page;
mod papers;
mod picture;
mod publishing;
mod query;
mod refusals;
mod regions;
mod reviewer;
mod schemas;
mod schemes;
#[cfg(all(unix, feature = "serve"))]
mod serve;
#[cfg(target_os = "linux")]
mod signals;
mod tile_lists;
#[cfg(unix)]
mod viewer;
mod worlds;

#[path = "../map/mod.rs"]
mod map;
#[cfg(unix)]
#[path = "../runner/mod.rs"]
mod runner;
#[path = "../world/mod.rs"]
mod world;
