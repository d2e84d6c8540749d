//! A map's folder that is held while tiles that are damaged, or none of the map's, are taken out of it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::output::{LOCK, STATE, hold, is_own, place};
use super::{Format, PublishError, number_in_path};

/// A map's folder in which no run draws until this is dropped.
#[derive(Debug)]
pub struct HeldMap {
    root: PathBuf,
    _lock: File,
}

impl HeldMap {
    /// Takes hold of a folder that a run has marked as ours.
    ///
    /// # Errors
    /// It is not, or another run holds it.
    pub fn open(root: &Path) -> Result<Self, PublishError> {
        let lock = hold(&root.join(STATE).join(LOCK), root)?;
        Ok(Self { root: root.to_owned(), _lock: lock })
    }

    /// Removes the file at a path relative to the folder, if it looks like a tile, is a regular file, and no link leads
    /// to it; says whether it did. Folders that it leaves empty go with it.
    ///
    /// # Errors
    /// The path leads out of the folder, or the file cannot be removed.
    pub fn remove_tile(&self, relative: &str) -> Result<bool, PublishError> {
        let path = place(&self.root, relative)?;
        let folders: Vec<&Path> = path.ancestors().skip(1).take_while(|folder| *folder != self.root).collect();
        let is_file = || path.symlink_metadata().is_ok_and(|there| there.is_file());
        if !looks_like_a_tile(relative) || !folders.iter().all(|folder| is_own(folder)) || !is_file() {
            return Ok(false);
        }
        fs::remove_file(&path).map_err(PublishError::io(&path))?;
        // A folder that is not empty refuses to go, and so do those around it.
        folders.into_iter().map(fs::remove_dir).take_while(Result::is_ok).for_each(drop);
        Ok(true)
    }
}

/// `<folder>/<zoom>/<x>/<y>` with the ending of a tile.
fn looks_like_a_tile(relative: &str) -> bool {
    let Some((tile, ending)) = relative.rsplit_once('.') else { return false };
    let mut names = tile.rsplit('/');
    let numbers = names.by_ref().take(3).filter(|name| number_in_path(name).is_some()).count();
    Format::named(ending).is_some() && numbers == 3 && names.next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::publish::{Identity, Output};

    #[test]
    fn only_tiles_of_the_folder_itself_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("map");
        assert!(HeldMap::open(&root).is_err(), "nothing of ours");
        let world = Identity { name: "w".to_owned(), spawn: None, path: folder.path().join("world") };
        let output = Output::open(&root, &world, &[]).unwrap();
        let files = ["day/17/0/-1.png", "day/17/0/a.png", "day/tiles.tsv", "17/0/0.png", "day/17/0/0.png/1.png"];
        for path in files {
            output.put(path, b"kept").unwrap();
        }
        assert!(matches!(HeldMap::open(&root), Err(PublishError::Held(..))));
        drop(output);
        let held = HeldMap::open(&root).unwrap();
        for path in [&files[1..], &["day/17/0/0.png", "day/17/9/9.png"]].concat() {
            assert!(!held.remove_tile(path).unwrap(), "{path}");
        }
        for path in ["../17/0/0.png", "/17/0/0.png", "day/../../w/17/0/0.png"] {
            assert!(held.remove_tile(path).is_err(), "{path}");
        }
        assert!(held.remove_tile(files[0]).unwrap() && !root.join(files[0]).exists());
        assert!(files[1..].iter().all(|path| root.join(path).is_file()));
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_removed_through_a_link() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("map");
        let world = Identity { name: "w".to_owned(), spawn: None, path: folder.path().join("world") };
        drop(Output::open(&root, &world, &[]).unwrap());
        let beside = folder.path().join("beside/17/0");
        fs::create_dir_all(&beside).unwrap();
        File::create(beside.join("0.png")).unwrap();
        symlink(folder.path().join("beside"), root.join("day")).unwrap();
        fs::create_dir_all(root.join("night/17/0")).unwrap();
        symlink(beside.join("0.png"), root.join("night/17/0/0.png")).unwrap();
        let held = HeldMap::open(&root).unwrap();
        for path in ["day/17/0/0.png", "night/17/0/0.png"] {
            assert!(!held.remove_tile(path).unwrap(), "{path}");
        }
        assert!(beside.join("0.png").is_file() && root.join("night/17/0/0.png").is_symlink());
    }
}
