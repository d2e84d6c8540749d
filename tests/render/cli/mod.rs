//! Tests the command line: arguments, messages, JSON, exit codes, signals, resources, and the
//! documents.

mod completions;
mod config;
mod control_characters;
mod documentation;
mod environment;
mod help;
mod info;
#[cfg(target_os = "linux")]
mod limits;
pub(crate) mod log;
mod names;
#[cfg(target_os = "linux")]
pub(crate) mod nice;
#[cfg(target_os = "linux")]
mod packages;
mod query;
mod refusals;
pub(crate) mod schemas;
mod select;
#[cfg(target_os = "linux")]
mod signals;
mod written_files;
