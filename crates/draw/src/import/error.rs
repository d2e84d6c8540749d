//! The reasons why an import fails.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use pixelmap_base::retry::retryable;

/// The maximum number of folders that a message names.
const MAX_NAMED: usize = 5;

/// The reason why the import fails.
#[derive(Debug, Error)]
pub enum ImportError {
    /// A folder cannot be listed.
    #[error("{}: {}", .0.display(), .1)]
    Unreadable(PathBuf, io::Error),
    /// This folder contains no pictures. The list names the folders below it that do.
    #[error("{}", no_pictures(.0, .1))]
    NoPictures(PathBuf, Vec<PathBuf>),
    /// No folder has the requested dimension. The list names the dimensions that they have.
    #[error("nobody has explored a dimension {}: the folders have {}", .0, .1.join(", "))]
    NoDimension(String, Vec<String>),
}

impl ImportError {
    /// Returns whether the same call may succeed later.
    pub fn retryable(&self) -> bool {
        matches!(self, Self::Unreadable(_, error) if retryable(error))
    }
}

/// Returns the message for a folder without pictures. `below` are the folders below it that have
/// pictures.
fn no_pictures(folder: &Path, below: &[PathBuf]) -> String {
    let folder = folder.display();
    if below.is_empty() {
        return format!(
            "{folder} does not contain pictures of JourneyMap: name the folder of one world or \
             server, which has folders such as overworld/day or DIM0/day"
        );
    }

    let named: Vec<String> = below
        .iter()
        .take(MAX_NAMED)
        .map(|path| path.display().to_string())
        .collect();

    let more = if below.len() > MAX_NAMED {
        " and others"
    } else {
        ""
    };

    let named = named.join(" or ");
    format!("{folder} is not the folder of one world: name {named}{more}")
}
