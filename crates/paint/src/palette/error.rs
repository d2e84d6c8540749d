//! The error in a table of colours.

use thiserror::Error;

/// An error in a table: the file, the line, the reason.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}: {reason}", origin(file, *line))]
pub struct PaletteError {
    file: String,
    line: usize,
    reason: String,
}

impl PaletteError {
    /// Makes an error. `line` is counted from 1; 0 means the file as a whole.
    pub fn new(file: &str, line: usize, reason: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            line,
            reason: reason.into(),
        }
    }
}

/// Returns the file, and the line in it if there is one.
fn origin(file: &str, line: usize) -> String {
    match line {
        0 => file.to_owned(),
        line => format!("{file}, line {line}"),
    }
}
