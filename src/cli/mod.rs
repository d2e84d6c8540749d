//! Defines the command line with clap, and translates its arguments into the settings of the
//! library.
//!
//! The commands themselves are in `commands`.
//!
//! Completions, the manual page and `--help` are generated from these definitions. So the doc
//! comments of options are texts that users read.

mod arguments;
mod catalog;
mod command;
mod compare;
pub(crate) mod complete;
pub(crate) mod config;
mod drawn;
mod export;
mod export_target;
mod heights;
mod history;
mod info;
mod map_mod;
mod map_source;
mod markers;
mod merge;
mod mod_target;
pub(crate) mod mode;
mod moment;
mod names;
mod palette;
pub(crate) mod parse;
mod paths;
mod picture;
mod query;
mod render;
mod render_options;
mod request;
mod run_output;
mod select;
#[cfg(feature = "serve")]
mod serve;
mod shard;
mod target_args;
mod terminal;
mod tiles;
mod timelapse;
mod world_address;

pub(crate) use arguments::{arguments, asks_for_json_document, asks_for_json_log};
pub(crate) use catalog::CatalogArgs;
pub(crate) use command::{Cli, Command};
pub(crate) use compare::{DiffArgs, VerifyArgs};
pub(crate) use config::{CommandLine, program, typed_column_option, typed_option_besides};
pub(crate) use drawn::{DrawnArgs, WorkerArgs};
pub(crate) use export::ExportArgs;
#[cfg(feature = "object-store")]
pub(crate) use export::RETRIES;
pub(crate) use export_target::{ExportTarget, path_to_open};
pub(crate) use history::HistoryArgs;
pub(crate) use info::InfoArgs;
pub(crate) use markers::MarkersArgs;
pub(crate) use merge::MergeArgs;
pub(crate) use palette::{GenerateArgs, PaletteCommand};
pub(crate) use query::QueryArgs;
pub(crate) use render::{Deny, RenderArgs};
pub(crate) use request::{MapTarget, RenderRequest};
pub(crate) use run_output::{FileListArgs, RunOutputArgs};
pub(crate) use select::SelectArgs;
#[cfg(feature = "serve")]
pub(crate) use serve::ServeArgs;
pub(crate) use terminal::{LogFormat, ProgressMode};
pub(crate) use world_address::{is_address, shown_address};

#[cfg(test)]
mod refusal_tests;
