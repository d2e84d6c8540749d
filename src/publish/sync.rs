//! Files that must stand on the disk itself before something else names them.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::PublishError;

/// Returns when these files, all of them below `root`, stand on the disk with their names.
///
/// # Errors
/// The system could not write one of them.
pub(super) fn files(root: &Path, paths: &[PathBuf]) -> Result<(), PublishError> {
    if whole_file_system(root) {
        return Ok(());
    }
    let mut folders: Vec<&Path> = Vec::new();
    for path in paths {
        File::open(path).and_then(|file| file.sync_all()).map_err(PublishError::io(path))?;
        folders.extend(path.ancestors().skip(1).take_while(|folder| folder.starts_with(root)));
    }
    folders.sort_unstable();
    folders.dedup();
    for folder in folders {
        // Where a folder cannot be opened as a file, its entries are kept with the files themselves.
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
    Ok(())
}

/// One call for all files of the file system: a file synced by itself takes milliseconds, hundreds of them seconds.
#[cfg(target_os = "linux")]
fn whole_file_system(root: &Path) -> bool {
    File::open(root).is_ok_and(|folder| rustix::fs::syncfs(&folder).is_ok())
}

#[cfg(not(target_os = "linux"))]
fn whole_file_system(_: &Path) -> bool {
    false
}
