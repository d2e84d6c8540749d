//! The reasons why a configuration file cannot be used.

use std::fmt::Display;
use std::path::Path;

/// A reason why a configuration file cannot be used.
#[derive(Debug)]
pub(crate) struct ConfigError {
    /// The path of the file, and the reason.
    pub(crate) message: String,
    /// True if reading the file may succeed later.
    pub(crate) retryable: bool,
}

impl ConfigError {
    pub(super) fn in_file(path: &Path, error: &dyn Display, retryable: bool) -> Self {
        Self {
            message: format!("{}: {error}", path.display()),
            retryable,
        }
    }
}

/// Formats an error of clap as one line, without its hints on usage.
pub(crate) fn in_a_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .take_while(|line| !line.is_empty())
        .collect();
    lines.join(" ").trim_start_matches("error: ").to_owned()
}
