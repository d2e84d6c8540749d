//! Lists the data packs of a world in the order in which the game applies them.

use std::path::{Path, PathBuf};

use crate::save::entries;
use crate::save::error::WorldError;
use pixelmap_base::files::{Files, FolderEntry};

/// The most packs of a world that are read.
const MAX_PACKS: usize = 256;

/// Lists the packs in a world's `datapacks` in the order in which the game applies them: first the
/// packs that level.dat lists as used, then packs that it does not list, by name. Packs that it
/// lists as unused are left out.
///
/// # Errors
/// Fails if a folder cannot be read now, but perhaps later.
pub(crate) fn list(
    files: &Files,
    world: &Path,
    [used, unused]: &[Vec<String>; 2],
    warnings: &mut Vec<String>,
) -> Result<Vec<PathBuf>, WorldError> {
    let folder = world.join("datapacks");
    let entries = entries::list(files, &folder, |entry| is_pack(files, entry));
    if files.is_taken(&folder).unwrap_or(true)
        && let Err(error) = &entries
    {
        warnings.push(format!(
            "the data packs in {} cannot be listed and are left out: {error}",
            folder.display()
        ));
    }

    let entries = WorldError::ok_unless_retryable(&folder, entries)?.unwrap_or_default();
    let mut names: Vec<String> = entries.into_iter().map(|entry| entry.name).collect();
    names.sort();

    names.retain(|name| index_in(unused, name).is_none());
    names.sort_by_key(|name| index_in(used, name).unwrap_or(usize::MAX));

    if names.len() > MAX_PACKS {
        warnings.push(format!(
            "{}: only the first {MAX_PACKS} of {} packs are read",
            folder.display(),
            names.len()
        ));
        names.truncate(MAX_PACKS);
    }

    Ok(names.into_iter().map(|name| folder.join(name)).collect())
}

/// Returns the index of a pack in a list of level.dat.
fn index_in(list: &[String], name: &str) -> Option<usize> {
    list.iter()
        .position(|other| other.strip_prefix("file/") == Some(name))
}

fn is_pack(files: &Files, entry: &FolderEntry) -> bool {
    let is_zip = entry
        .path
        .extension()
        .is_some_and(|ending| ending == "zip" || ending == "jar");
    // A broken link may lead to a folder or a zip whatever its own name is, so it counts as a pack
    // and is reported later.
    entry.is_folder || is_zip || (entry.is_link && files.facts(&entry.path).is_err())
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn packs_are_in_the_order_of_level_dat() {
        let world = tempfile::tempdir().unwrap();
        let folder = world.path().join("datapacks");
        for name in ["b", "a", "off", "new"] {
            std::fs::create_dir_all(folder.join(name)).unwrap();
        }

        for name in ["z.zip", "notes.txt"] {
            File::create(folder.join(name)).unwrap();
        }

        let names = |list: &[&str]| list.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let data_packs = [
            names(&["vanilla", "file/z.zip", "file/b", "file/a", "file/gone"]),
            names(&["file/off"]),
        ];

        let found = list(&Files::Disk, world.path(), &data_packs, &mut Vec::new()).unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|path| path.file_name().unwrap().to_str().unwrap())
            .collect();
        assert_eq!(found, ["z.zip", "b", "a", "new"]);
    }
}
