//! Lists the entries of a folder.

use std::fs::DirEntry;
use std::io;
use std::path::{Path, PathBuf};

use super::error::WorldError;

/// A file, folder or link in a folder.
pub(super) struct Entry {
    /// Its name; bytes that are not text are replaced.
    pub(super) name: String,
    /// Its path.
    pub(super) path: PathBuf,
    /// Set for a symbolic link.
    pub(super) is_link: bool,
    /// Set for a folder and for a link to one.
    pub(super) is_folder: bool,
}

/// Lists the folders in a folder, by name; none if it cannot be listed.
///
/// # Errors
/// Those that may be gone later.
pub(super) fn folders(folder: &Path) -> Result<Vec<Entry>, WorldError> {
    Ok(WorldError::passing(folder, list(folder, |entry| entry.is_folder))?.unwrap_or_default())
}

/// Lists the wanted entries of a folder, by name.
///
/// # Errors
/// The folder cannot be listed.
pub(super) fn list(folder: &Path, is_wanted: impl Fn(&Entry) -> bool) -> io::Result<Vec<Entry>> {
    let entries = std::fs::read_dir(folder)?.flatten().filter_map(|entry| Entry::of(folder, &entry));
    let mut entries: Vec<Entry> = entries.filter(is_wanted).collect();
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(entries)
}

impl Entry {
    fn of(folder: &Path, entry: &DirEntry) -> Option<Self> {
        let kind = entry.file_type().ok()?;
        let path = folder.join(entry.file_name());
        let is_link = kind.is_symlink();
        let is_folder = if is_link { path.is_dir() } else { kind.is_dir() };
        Some(Self { name: entry.file_name().to_string_lossy().into_owned(), path, is_link, is_folder })
    }
}
