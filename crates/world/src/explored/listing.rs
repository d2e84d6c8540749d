//! Lists the folders of map mods.

use std::io;
use std::path::Path;

use pixelmap_base::files::{Files, FolderEntry};

/// Lists a folder, sorted by name.
pub(super) fn sorted(files: &Files, folder: &Path) -> io::Result<Vec<FolderEntry>> {
    let mut entries = files.list(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(entries)
}

pub(super) fn name_of(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}
