//! The redo list contains all remaining changes of a commit to a map's folder, so that a later run
//! can finish the commit of a killed run. It is written whole, carried out, and removed.
//!
//! A line is `put "PATH"`, for a file that is staged under the same path in the state's folder
//! `next`, `remove "PATH"`, or `keep ["PATH","KEPT"]`, for a file that gets a second name before
//! all other lines are carried out. Paths are relative to the folder and written as JSON strings.
//! Every line may be carried out twice, so a run that is killed leaves one of three states: the
//! list is not written yet, it is present, or it is done and removed. The next run that opens the
//! folder carries out a list that is present.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Seek as _, Write};
use std::path::PathBuf;

use serde::de::DeserializeOwned;

use crate::store::disk::atomic::{link_to, move_to};
use crate::store::disk::sync;
use crate::store::error::PublishError;
use pixelmap_base::disk::if_there;
use pixelmap_base::json;
use pixelmap_base::own_folder::{OwnFolder, Place};

/// The file name of the redo list in the state folder.
pub(crate) const FILE: &str = "commit";
/// The folder in the state folder in which files are staged.
pub(crate) const NEXT: &str = "next";

/// Returns the path at which a run with this state folder stages the file for `path`.
pub(crate) fn staged_path(state: &str, path: &str) -> String {
    format!("{state}/{NEXT}/{path}")
}

/// Writes the line that moves a staged file to its place.
pub(crate) fn write_put(out: &mut dyn Write, path: &str) -> io::Result<()> {
    writeln!(out, "put {}", json::text(&path)?)
}

/// Writes the line that removes a file.
pub(crate) fn write_remove(out: &mut dyn Write, path: &str) -> io::Result<()> {
    writeln!(out, "remove {}", json::text(&path)?)
}

/// Writes the line that gives a file a second name.
pub(crate) fn write_keep(out: &mut dyn Write, path: &str, kept: &str) -> io::Result<()> {
    writeln!(out, "keep {}", json::text(&[path, kept])?)
}

/// Returns the place of a file or folder in the state folder.
fn in_state(root: &OwnFolder, state: &str, name: &str) -> Result<Place, PublishError> {
    root.place(format!("{state}/{name}"))
        .map_err(PublishError::io(root.path()))
}

/// Carries out the redo list in a state folder, if there is one. Then removes the list and all
/// staged files.
///
/// # Errors
/// A change fails. The list is then still present, and the next run carries it out.
pub(crate) fn carry_out(root: &OwnFolder, state: &str) -> Result<(), PublishError> {
    let list = in_state(root, state, FILE)?;
    let Some(file) = if_there(list.open()).map_err(PublishError::at(&list))? else {
        return Ok(());
    };
    RedoList {
        root,
        state,
        list: list.path(),
    }
    .each_line(file)?;
    list.remove().map_err(PublishError::at(&list))?;
    remove_staged(root, state)
}

/// Removes all staged files.
///
/// # Errors
/// The files cannot be removed.
pub(crate) fn remove_staged(root: &OwnFolder, state: &str) -> Result<(), PublishError> {
    let next = in_state(root, state, NEXT)?;
    next.remove_tree().map_err(PublishError::at(&next))
}

/// A redo list that is being carried out.
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

        // The list itself is synced as well, because without it nobody could complete the changes
        // that begin here.
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

    /// Syncs files that were put or kept to the disk. This way nothing is removed before its
    /// replacement is on the disk, and nothing is replaced before its second name is on the disk.
    fn sync_all(&self, put: &mut Vec<PathBuf>) -> Result<(), PublishError> {
        let put = std::mem::take(put);
        if put.is_empty() {
            Ok(())
        } else {
            sync::files(self.root.path(), &put)
        }
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

    /// Gives a published file a second name and returns the path of that name. Returns `None` if
    /// this was done before, because then another file may already be in the first place.
    fn keep_one(&self, [path, kept]: &[String; 2]) -> Result<Option<PathBuf>, PublishError> {
        let (from, to) = (self.place(path)?, self.place(kept)?);
        let failed = PublishError::at(&to);

        // If someone has removed the file it cannot be kept, but the map is published anyway.
        let is_done = to
            .is_file()
            .and_then(|is_kept| Ok(is_kept || !from.is_file()?));

        let kept = is_done.and_then(|is_done| {
            if is_done {
                Ok(false)
            } else {
                link_to(&from, &to).map(|()| true)
            }
        });

        Ok(kept.map_err(failed)?.then(|| to.path()))
    }

    /// Moves a staged file to its place and returns its path. Returns `None` if this was done
    /// before.
    fn put_one(&self, path: &str) -> Result<Option<PathBuf>, PublishError> {
        let (from, to) = (
            self.place(&staged_path(self.state, path))?,
            self.place(path)?,
        );
        if !from.is_file().map_err(PublishError::at(&from))? {
            return Ok(None);
        }

        move_to(&from, &to).map_err(PublishError::at(&to))?;
        Ok(Some(to.path()))
    }

    /// Removes a file and the folders that are empty then. The folders are removed even if the file
    /// is already gone, because a run may have been killed between the two steps.
    fn remove_one(&self, path: &str) -> Result<(), PublishError> {
        let place = self.place(path)?;
        place
            .remove()
            .and_then(|_| place.remove_empty_around())
            .map_err(PublishError::at(&place))
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
        File::create(path)
            .unwrap()
            .write_all(text.as_bytes())
            .unwrap();
    }

    #[test]
    fn a_redo_list_continues_from_any_state() {
        for done in 0..4 {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path();
            write(&root.join("day/17/0/1.png"), "old");
            write(&root.join("day/17/5/2.png"), "old");
            let next = |path: &str| root.join(staged_path(STATE, path));
            write(&next("day/17/0/1.png"), "new");
            write(&next("map.json"), "{}");
            let lines = "put \"day/17/0/1.png\"\nput \"map.json\"\nremove \
                         \"day/17/5/2.png\"\nremove \"gone\"\n";
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
            assert_eq!(
                std::fs::read(root.join("day/17/0/1.png")).unwrap(),
                b"new",
                "{done}"
            );

            assert!(
                root.join("map.json").is_file() && !root.join("day/17/5").exists(),
                "{done}"
            );
            assert!(
                !list_path(root).exists() && !root.join(STATE).join(NEXT).exists(),
                "{done}"
            );
        }
    }

    #[test]
    fn redo_lists_stay_inside_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("map");
        let beside = folder.path().join("beside");
        write(&beside, "kept");

        for line in [
            "remove \"../beside\"\n",
            "put \"../beside\"\n",
            "remove ../beside\n",
            "x\n",
            "\n",
        ] {
            write(&list_path(&root), line);
            assert!(carry_out(&own(&root), STATE).is_err(), "{line}");
            assert_eq!(std::fs::read(&beside).unwrap(), b"kept");
        }
    }
}
