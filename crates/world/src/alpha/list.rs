//! Lists the regions of a dimension by the names of its chunk files.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use super::chunk_path::{FOLDERS, number, path, position};
use pixelmap_base::coord::RegionPos;
use pixelmap_base::files::{Files, FolderEntry};
use pixelmap_base::retry::retryable;

/// Lists the regions that have chunk files below a dimension's folder, sorted by position, with the
/// number of bytes stored for each. The list is empty if there is no such folder.
///
/// # Errors
/// Fails if a folder cannot be read completely. Chunk files may be in it, and must not count as
/// removed.
pub(crate) fn list(files: &Files, folder: &Path) -> io::Result<Vec<(RegionPos, u64)>> {
    let mut regions: BTreeMap<(i32, i32), u64> = BTreeMap::new();
    for outer in folders(files, folder)? {
        for inner in folders(files, &outer.path)? {
            for entry in entries(files, &inner.path)? {
                let Some(chunk) = position(&entry.name) else {
                    continue;
                };
                if path(chunk) != format!("{}/{}/{}", outer.name, inner.name, entry.name) {
                    continue;
                }

                let RegionPos { x, z } = chunk.region();
                let bytes = files.facts(&entry.path).map_or(0, |facts| facts.bytes());
                *regions.entry((z, x)).or_default() += bytes;
            }
        }
    }

    Ok(regions
        .into_iter()
        .map(|((z, x), bytes)| (RegionPos { x, z }, bytes))
        .collect())
}

/// Lists the subfolders that have names like the game's folders of chunks.
fn folders(files: &Files, folder: &Path) -> io::Result<Vec<FolderEntry>> {
    let mut entries = entries(files, folder)?;
    entries.retain(|entry| {
        entry.is_folder && number(&entry.name).is_some_and(|name| (0..FOLDERS).contains(&name))
    });
    Ok(entries)
}

fn entries(files: &Files, folder: &Path) -> io::Result<Vec<FolderEntry>> {
    let entries = files.list(folder).and_then(Iterator::collect);
    match entries {
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(Vec::new())
        }
        Err(error) if !retryable(&error) => Err(io::Error::new(
            error.kind(),
            format!("{}: {error}", folder.display()),
        )),
        entries => entries,
    }
}
