//! Finds the jars and zips in a folder of mods or packs.

use std::path::{Path, PathBuf};

use crate::pack::error::PackError;
use pixelmap_base::disk::{is_file, is_folder};

/// The most jars of a folder, and the most jars inside other jars.
pub const MAX_JARS: usize = 1000;

/// Lists the jars and zips in a folder, sorted by path; empty for a file or for a folder that is
/// itself a pack.
///
/// # Errors
/// Fails if the folder cannot be listed, or has more than [`MAX_JARS`] of them.
pub fn jars(folder: &Path) -> Result<Vec<PathBuf>, PackError> {
    if !has_folder(folder)?
        || has_folder(&folder.join("assets"))?
        || has_folder(&folder.join("data"))?
    {
        return Ok(Vec::new());
    }

    let listed =
        std::fs::read_dir(folder).map_err(|error| PackError::io(folder.display(), &error))?;
    let paths = listed.flatten().map(|entry| entry.path());
    let mut jars: Vec<PathBuf> = paths
        .filter(|path| is_jar(path))
        .take(MAX_JARS + 1)
        .collect();

    if jars.len() > MAX_JARS {
        return Err(PackError::new(
            folder.display(),
            format!("more than {MAX_JARS} jars"),
        ));
    }

    jars.sort();
    Ok(jars)
}

/// Returns whether there is a folder at a path.
fn has_folder(path: &Path) -> Result<bool, PackError> {
    is_folder(path).map_err(|error| PackError::io(path.display(), &error))
}

/// Returns whether a file is a jar or zip. If the system fails to answer, the file counts, so that
/// opening it reports the error.
fn is_jar(path: &Path) -> bool {
    let ending = path.extension().map(std::ffi::OsStr::to_ascii_lowercase);
    ending.is_some_and(|ending| {
        ["jar", "zip", "mcpack"]
            .iter()
            .any(|known| ending == *known)
    }) && is_file(path).unwrap_or(true)
}
