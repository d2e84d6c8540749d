//! The redo list, of all that is left to do to a map's folder: it is written whole, carried out, and removed.
//!
//! A line is `put "PATH"`, for a file that is staged under the same path in the state's folder `next`, `remove "PATH"`, or
//! `keep ["PATH","KEPT"]`, for a file that gets a second name before all other lines are carried out; paths are relative to the
//! folder and written as JSON writes text. Every line may be carried out twice. So a run that is killed leaves one of
//! three states: before the list, with the list, after it; and the run that opens the folder next carries out a list that
//! is there.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Seek as _, Write};
use std::path::PathBuf;

use serde::de::DeserializeOwned;

use crate::base::disk::if_there;
use crate::base::json;
use crate::store::PublishError;
use crate::store::disk::atomic::{link_to, move_to};
use crate::store::disk::own_folder::{OwnFolder, Place};
use crate::store::disk::sync;

/// The redo list in the state folder.
pub(crate) const FILE: &str = "commit";
/// The folder of the state in which files are staged.
pub(crate) const NEXT: &str = "next";

/// The place where a file is staged for `path`, by a run with this state.
pub(crate) fn staged_path(state: &str, path: &str) -> String {
    format!("{state}/{NEXT}/{path}")
}

/// Writes a line.
pub(crate) fn write_put(out: &mut dyn Write, path: &str) -> io::Result<()> {
    writeln!(out, "put {}", json::text(&path)?)
}

/// Writes a line.
pub(crate) fn write_remove(out: &mut dyn Write, path: &str) -> io::Result<()> {
    writeln!(out, "remove {}", json::text(&path)?)
}

/// Writes a line.
pub(crate) fn write_keep(out: &mut dyn Write, path: &str, kept: &str) -> io::Result<()> {
    writeln!(out, "keep {}", json::text(&[path, kept])?)
}

/// The list of a folder's state, or something else in the state.
fn in_state(root: &OwnFolder, state: &str, name: &str) -> Result<Place, PublishError> {
    root.place(format!("{state}/{name}")).map_err(PublishError::io(root.path()))
}

/// Carries out the list in a folder's state, if there is one, and removes it with all that is staged.
///
/// # Errors
/// The system refuses: the list is still there, and the next run carries it out.
pub(crate) fn carry_out(root: &OwnFolder, state: &str) -> Result<(), PublishError> {
    let list = in_state(root, state, FILE)?;
    let Some(file) = if_there(list.open()).map_err(PublishError::at(&list))? else { return Ok(()) };
    RedoList { root, state, list: list.path() }.each_line(file)?;
    list.remove().map_err(PublishError::at(&list))?;
    remove_staged(root, state)
}

/// Removes all that is staged.
///
/// # Errors
/// The system refuses.
pub(crate) fn remove_staged(root: &OwnFolder, state: &str) -> Result<(), PublishError> {
    let next = in_state(root, state, NEXT)?;
    next.remove_tree().map_err(PublishError::at(&next))
}

/// A list that is carried out.
struct RedoList<'a> {
    root: &'a OwnFolder,
    state: &'a str,
    list: PathBuf,
}

impl RedoList<'_> {
    fn each_line(&self, mut file: File) -> Result<(), PublishError> {
        let failed = |error| PublishError::Io(self.list.clone(), error);
        let mut unsure = vec![self.list.clone()];
        for line in BufReader::new(&file).lines() {
            if let Some(("keep", paths)) = line.map_err(failed)?.split_once(' ') {
                unsure.extend(self.keep_one(&self.parse(paths)?)?);
            }
        }
        // Also the list: without it nobody could end what begins here.
        self.sync_all(&mut unsure)?;
        file.rewind().map_err(failed)?;
        let mut put = Vec::new();
        for line in BufReader::new(file).lines() {
            let line = line.map_err(failed)?;
            match line.split_once(' ') {
                Some(("put", path)) => put.extend(self.put_one(&self.parse::<String>(path)?)?),
                Some(("remove", path)) => {
                    self.sync_all(&mut put)?;
                    self.remove_one(&self.parse::<String>(path)?)?;
                }
                Some(("keep", _)) => {}
                _ => return Err(self.damaged()),
            }
        }
        self.sync_all(&mut put)
    }

    /// Brings files that were put or kept to the disk, so that nothing is removed before its replacement is there, and
    /// nothing is replaced before its second name is there.
    fn sync_all(&self, put: &mut Vec<PathBuf>) -> Result<(), PublishError> {
        let put = std::mem::take(put);
        if put.is_empty() { Ok(()) } else { sync::files(self.root.path(), &put) }
    }

    fn parse<T: DeserializeOwned>(&self, text: &str) -> Result<T, PublishError> {
        serde_json::from_str(text).map_err(|_| self.damaged())
    }

    fn damaged(&self) -> PublishError {
        let what = io::Error::new(io::ErrorKind::InvalidData, "the list is damaged: delete it");
        PublishError::Io(self.list.clone(), what)
    }

    fn place(&self, path: &str) -> Result<Place, PublishError> {
        self.root.place(path).map_err(PublishError::io(&self.list))
    }

    /// Gives a published file a second name; returns its path there, or `None` where that was done before: then another
    /// file may be in its place already.
    fn keep_one(&self, [path, kept]: &[String; 2]) -> Result<Option<PathBuf>, PublishError> {
        let (from, to) = (self.place(path)?, self.place(kept)?);
        let failed = PublishError::at(&to);
        // A file that someone has removed cannot be kept, and the map is published all the same.
        let is_done = to.is_file().and_then(|is_kept| Ok(is_kept || !from.is_file()?));
        let kept = is_done.and_then(|is_done| if is_done { Ok(false) } else { link_to(&from, &to).map(|()| true) });
        Ok(kept.map_err(failed)?.then(|| to.path()))
    }

    /// Moves a staged file to its place; returns the path, or `None` where that was done before.
    fn put_one(&self, path: &str) -> Result<Option<PathBuf>, PublishError> {
        let (from, to) = (self.place(&staged_path(self.state, path))?, self.place(path)?);
        if !from.is_file().map_err(PublishError::at(&from))? {
            return Ok(None);
        }
        move_to(&from, &to).map_err(PublishError::at(&to))?;
        Ok(Some(to.path()))
    }

    /// Removes a file and the folders that it leaves empty: also where it is gone already, since a run may have been
    /// killed between the two.
    fn remove_one(&self, path: &str) -> Result<(), PublishError> {
        let place = self.place(path)?;
        place.remove().and_then(|_| place.remove_empty_around()).map_err(PublishError::at(&place))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::atlas::STATE;

    fn own(root: &Path) -> OwnFolder {
        OwnFolder::open(root).unwrap()
    }

    fn list_path(root: &Path) -> PathBuf {
        root.join(STATE).join(FILE)
    }

    fn write(path: &Path, text: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        File::create(path).unwrap().write_all(text.as_bytes()).unwrap();
    }

    #[test]
    fn a_list_is_carried_out_however_far_it_was() {
        for done in 0..4 {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path();
            write(&root.join("day/17/0/1.png"), "old");
            write(&root.join("day/17/5/2.png"), "old");
            let next = |path: &str| root.join(staged_path(STATE, path));
            write(&next("day/17/0/1.png"), "new");
            write(&next("map.json"), "{}");
            let lines = "put \"day/17/0/1.png\"\nput \"map.json\"\nremove \"day/17/5/2.png\"\nremove \"gone\"\n";
            write(&list_path(root), lines);
            if done > 0 {
                std::fs::rename(next("day/17/0/1.png"), root.join("day/17/0/1.png")).unwrap();
            }
            if done > 1 {
                std::fs::rename(next("map.json"), root.join("map.json")).unwrap();
            }
            if done > 2 {
                std::fs::remove_file(root.join("day/17/5/2.png")).unwrap();
            }
            carry_out(&own(root), STATE).unwrap();
            assert_eq!(std::fs::read(root.join("day/17/0/1.png")).unwrap(), b"new", "{done}");
            assert!(root.join("map.json").is_file() && !root.join("day/17/5").exists(), "{done}");
            assert!(!list_path(root).exists() && !root.join(STATE).join(NEXT).exists(), "{done}");
        }
    }

    #[test]
    fn a_list_leads_nowhere_outside_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("map");
        let beside = folder.path().join("beside");
        write(&beside, "kept");
        for line in ["remove \"../beside\"\n", "put \"../beside\"\n", "remove ../beside\n", "x\n", "\n"] {
            write(&list_path(&root), line);
            assert!(carry_out(&own(&root), STATE).is_err(), "{line}");
            assert_eq!(std::fs::read(&beside).unwrap(), b"kept");
        }
    }
}
