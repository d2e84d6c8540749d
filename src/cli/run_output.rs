//! The options that `render` and `merge` share for the messages, the report and the lists of
//! changed files.

use std::path::PathBuf;

use clap::Args;

use super::terminal::{LogFormat, ProgressMode};

#[derive(Debug, Args)]
pub(crate) struct RunOutputArgs {
    /// Print errors and the reason of a code other than 0, one line for each, and no summary
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,

    /// Print more: every bad chunk, every unknown block, the work of each worker
    #[arg(short, long)]
    pub(crate) verbose: bool,

    /// How to show progress; plain: one line every 5 % or 30 seconds
    #[arg(long, value_enum, default_value_t = ProgressMode::Auto)]
    pub(crate) progress: ProgressMode,

    /// The form of messages on standard error; json: only objects as in docs/log.schema.json, and
    /// progress as with --progress plain
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = LogFormat::Text)]
    pub(crate) log_format: LogFormat,

    /// Write a JSON report; - for standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) files: FileListArgs,
}

#[derive(Debug, Args)]
pub(crate) struct FileListArgs {
    /// Write the paths of new or changed files in the map's folder, one per line: for rsync
    /// --files-from, rclone or an object store; - for standard output. Includes the changes of
    /// earlier runs that were killed
    #[arg(long, value_name = "FILE")]
    pub(crate) changed_list: Option<PathBuf>,

    /// Write the paths of removed files, one per line; - for standard output. Includes the removals
    /// of earlier runs that were killed
    #[arg(long, value_name = "FILE")]
    pub(crate) deleted_list: Option<PathBuf>,
}

impl FileListArgs {
    /// Returns whether the options ask for a list.
    pub(crate) fn are_wanted(&self) -> bool {
        self.changed_list.is_some() || self.deleted_list.is_some()
    }
}
