//! The names of level.dat in the folder of a world.

use std::path::Path;

use pixelmap_base::files::Files;

/// level.dat, and the backup that the game keeps of it.
pub(crate) const LEVEL_FILES: [&str; 2] = ["level.dat", "level.dat_old"];

/// Returns whether a folder has one of [`LEVEL_FILES`], as the folder of a world has.
pub(crate) fn has_level(files: &Files, folder: &Path) -> bool {
    LEVEL_FILES
        .iter()
        .any(|name| files.is_file(&folder.join(name)))
}
