//! The forms in which a run reports to the terminal while it works.

use clap::ValueEnum;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// For people
    Text,
    /// For programs: one JSON object per line
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressMode {
    /// A bar if standard error is a terminal
    Auto,
    /// A bar
    Always,
    /// Lines
    Plain,
    /// Nothing
    Never,
}
