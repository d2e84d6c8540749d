//! Runs each command and turns its result into an exit code.
//!
//! The modules translate arguments into calls of the library and print the results. This file holds
//! the code that several commands share.

mod catalog;
mod config;
mod diff;
mod dispatch;
mod draw_place;
mod export;
mod history;
mod info;
mod man;
mod markers;
mod merge;
mod nice;
mod palette;
mod query;
mod render;
mod request;
mod runner;
mod saves_list;
mod select;
#[cfg(feature = "serve")]
mod serve;
mod side_files;
mod signals;
mod usage;
mod verify;
mod version;
mod worker_count;
mod world_place;
mod worlds;

pub(crate) use dispatch::{run, run_without_words};
pub(crate) use usage::{misused_json, report_usage_error, usage_error};
