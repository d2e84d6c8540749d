//! Lists the entries of a folder of a world.

use std::io;
use std::path::Path;

use super::error::WorldError;
use crate::world::files::{Entry, Files};

/// Lists the folders in a folder, by name; none if it cannot be listed.
///
/// # Errors
/// Those that may be gone later.
pub(super) fn folders(files: &Files, folder: &Path) -> Result<Vec<Entry>, WorldError> {
    Ok(WorldError::passing(folder, list(files, folder, |entry| entry.is_folder))?.unwrap_or_default())
}

/// Lists the wanted entries of a folder, by name.
///
/// # Errors
/// The folder cannot be listed.
pub(super) fn list(files: &Files, folder: &Path, is_wanted: impl Fn(&Entry) -> bool) -> io::Result<Vec<Entry>> {
    let mut entries: Vec<Entry> = files.list(folder)?.flatten().filter(is_wanted).collect();
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(entries)
}
