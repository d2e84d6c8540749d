//! The errors that concern a whole world or region.

use std::io;
use std::path::PathBuf;

use thiserror::Error as ThisError;

use crate::save::WorldError;
use pixelmap_base::retry::retryable;

/// The reason why a world or a region cannot be opened. The message names the path, the reason and
/// a remedy in one line.
///
/// Damage inside a region is a [`ChunkError`](crate::ChunkError) instead.
///
/// ```
/// use pixelmap_world::{Error, World};
///
/// let error = World::open("no/such/folder").unwrap_err();
/// assert!(matches!(error, Error::NotAWorld(_)));
/// assert!(error.to_string().contains("no/such/folder"));
/// assert!(!error.is_retryable());
/// ```
#[derive(Debug, ThisError)]
#[non_exhaustive]
pub enum Error {
    /// The path does not exist, or contains something other than a world. The text is the whole
    /// message.
    #[error("{0}")]
    NotAWorld(String),
    /// The system failed to read a folder or file of the world.
    #[error("cannot read {}: {source}", .path.display())]
    Unreadable {
        /// The folder or file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl Error {
    /// Returns whether the same call may succeed later, as after too many open files.
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Unreadable { source, .. } if retryable(source))
    }
}

impl From<WorldError> for Error {
    fn from(error: WorldError) -> Self {
        match error {
            WorldError::Unreadable(path, source) => Self::Unreadable { path, source },
            other => Self::NotAWorld(other.to_string()),
        }
    }
}
