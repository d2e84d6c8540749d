//! The reasons why a pack cannot be read.

use std::fmt;
use std::io;
use std::path::Path;

use thiserror::Error;

use pixelmap_base::files::Files;
use pixelmap_base::retry::retryable;

/// The reason why a pack, a file in it, or rules about its files cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{place}: {reason}")]
pub struct PackError {
    /// The pack's path and the file in it, or the name of a resource.
    pub place: String,
    pub reason: String,
    /// Whether the same read may succeed later.
    pub retryable: bool,
}

impl PackError {
    /// Makes an error that is not retryable. `place` is a file or a resource's name.
    pub fn new(place: impl fmt::Display, reason: impl fmt::Display) -> Self {
        Self {
            place: place.to_string(),
            reason: reason.to_string(),
            retryable: false,
        }
    }

    pub(crate) fn io(place: impl fmt::Display, error: &io::Error) -> Self {
        Self {
            retryable: retryable(error),
            ..Self::new(place, error)
        }
    }

    /// Returns the error for a pack that cannot be opened.
    pub(crate) fn unopened(files: &Files, path: &Path, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound if files.is_link(path) => {
                Self::new(path.display(), "a broken link: its target does not exist")
            }
            io::ErrorKind::NotFound => Self::new(path.display(), "there is no such file"),
            _ => Self::io(path.display(), error),
        }
    }
}
