//! Lists the entries of a folder of a world.

use std::io;
use std::path::Path;

use crate::save::error::WorldError;
use pixelmap_base::disk::is_absent;
use pixelmap_base::files::{Files, FolderEntry};

/// Lists the folders in a folder, sorted; empty if it cannot be listed. Fails if listing it may
/// succeed later.
pub(crate) fn folders(files: &Files, folder: &Path) -> Result<Vec<FolderEntry>, WorldError> {
    Ok(
        WorldError::ok_unless_retryable(folder, list(files, folder, |entry| entry.is_folder))?
            .unwrap_or_default(),
    )
}

/// Lists the wanted entries of a folder, sorted.
pub(crate) fn list(
    files: &Files,
    folder: &Path,
    is_wanted: impl Fn(&FolderEntry) -> bool,
) -> io::Result<Vec<FolderEntry>> {
    let mut entries: Vec<FolderEntry> = files.list(folder)?.flatten().filter(is_wanted).collect();
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(entries)
}

/// Lists the wanted entries of a folder, sorted. Warns of a folder that exists but cannot be
/// listed.
pub(crate) fn list_or_warn(
    files: &Files,
    folder: &Path,
    is_wanted: impl Fn(&FolderEntry) -> bool,
    warnings: &mut Vec<String>,
) -> Vec<FolderEntry> {
    list(files, folder, is_wanted).unwrap_or_else(|error| {
        if !is_absent(&error) {
            warnings.push(format!(
                "{} cannot be listed, so its markers are left out: {error}",
                folder.display()
            ));
        }
        Vec::new()
    })
}
