//! The redo list, of all that is left to do to a map's folder: it is written whole, carried out, and removed.
//!
//! A line is `put "PATH"`, for a file that is staged under the same path in the state's folder `next`, `remove "PATH"`, or
//! `keep ["PATH","KEPT"]`, for a file that gets a second name before all other lines are carried out; paths are relative to the
//! folder and written as JSON writes text. Every line may be carried out twice. So a run that is killed leaves one of
//! three states: before the list, with the list, after it; and the run that opens the folder next carries out a list that
//! is there.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Seek as _, Write};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use crate::base::disk::{if_there, is_file, open_file, place};
use crate::base::json;
use crate::store::PublishError;
use crate::store::disk::atomic::{link_to, move_to};
use crate::store::disk::files;
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

/// Carries out the list in a folder's state, if there is one, and removes it with all that is staged.
///
/// # Errors
/// The system refuses: the list is still there, and the next run carries it out.
pub(crate) fn carry_out(root: &Path, state: &str) -> Result<(), PublishError> {
    let list = root.join(state).join(FILE);
    let Some(file) = if_there(open_file(&list)).map_err(PublishError::io(&list))? else { return Ok(()) };
    each_line(file, root, state, &list)?;
    files::remove(&list).map_err(PublishError::io(&list))?;
    remove_staged(root, state)
}

/// Removes all that is staged.
///
/// # Errors
/// The system refuses.
pub(crate) fn remove_staged(root: &Path, state: &str) -> Result<(), PublishError> {
    let next = root.join(state).join(NEXT);
    files::remove_tree(&next).map_err(PublishError::io(&next))
}

fn each_line(mut file: File, root: &Path, state: &str, list: &Path) -> Result<(), PublishError> {
    let mut unsure = vec![list.to_owned()];
    for line in BufReader::new(&file).lines() {
        if let Some(("keep", paths)) = line.map_err(PublishError::io(list))?.split_once(' ') {
            unsure.extend(keep_one(root, &parse(list, paths)?, list)?);
        }
    }
    // Also the list: without it nobody could end what begins here.
    sync_all(root, &mut unsure)?;
    file.rewind().map_err(PublishError::io(list))?;
    let mut put = Vec::new();
    for line in BufReader::new(file).lines() {
        let line = line.map_err(PublishError::io(list))?;
        match line.split_once(' ') {
            Some(("put", path)) => put.extend(put_one(root, state, &parse::<String>(list, path)?, list)?),
            Some(("remove", path)) => {
                sync_all(root, &mut put)?;
                remove_one(root, &parse::<String>(list, path)?, list)?;
            }
            Some(("keep", _)) => {}
            _ => return Err(damaged_list_error(list)),
        }
    }
    sync_all(root, &mut put)
}

/// Brings to the disk what was put or kept: nothing is removed before what replaces it is there, and nothing is replaced
/// before its second name is there.
fn sync_all(root: &Path, put: &mut Vec<PathBuf>) -> Result<(), PublishError> {
    let put = std::mem::take(put);
    if put.is_empty() { Ok(()) } else { sync::files(root, &put) }
}

fn parse<T: DeserializeOwned>(list: &Path, text: &str) -> Result<T, PublishError> {
    serde_json::from_str(text).map_err(|_| damaged_list_error(list))
}

fn damaged_list_error(list: &Path) -> PublishError {
    PublishError::Io(list.to_owned(), io::Error::new(io::ErrorKind::InvalidData, "the list is damaged: delete it"))
}

/// Gives a published file a second name; returns its place there, or `None` where that was done before: then another file
/// may be in its place already.
fn keep_one(root: &Path, [path, kept]: &[String; 2], list: &Path) -> Result<Option<PathBuf>, PublishError> {
    let from = place(root, path).map_err(PublishError::io(list))?;
    let to = place(root, kept).map_err(PublishError::io(list))?;
    // A file that someone has removed cannot be kept, and the map is published all the same.
    if is_file(&to).map_err(PublishError::io(&to))? || !is_file(&from).map_err(PublishError::io(&from))? {
        return Ok(None);
    }
    link_to(&from, &to).map_err(PublishError::io(&to))?;
    Ok(Some(to))
}

/// Moves a staged file to its place; returns the place, or `None` where that was done before.
fn put_one(root: &Path, state: &str, path: &str, list: &Path) -> Result<Option<PathBuf>, PublishError> {
    let to = place(root, path).map_err(PublishError::io(list))?;
    let from = root.join(staged_path(state, path));
    if !is_file(&from).map_err(PublishError::io(&from))? {
        return Ok(None);
    }
    move_to(&from, &to).map_err(PublishError::io(&to))?;
    Ok(Some(to))
}

/// Removes a file and the folders that it leaves empty: also where it is gone already, since a run may have been killed
/// between the two.
fn remove_one(root: &Path, path: &str, list: &Path) -> Result<(), PublishError> {
    let place = place(root, path).map_err(PublishError::io(list))?;
    files::remove(&place).and_then(|_| files::remove_empty_around(&place, root)).map_err(PublishError::io(&place))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atlas::STATE;

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
                move_to(&next("day/17/0/1.png"), &root.join("day/17/0/1.png")).unwrap();
            }
            if done > 1 {
                move_to(&next("map.json"), &root.join("map.json")).unwrap();
            }
            if done > 2 {
                files::remove(&root.join("day/17/5/2.png")).unwrap();
            }
            carry_out(root, STATE).unwrap();
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
            assert!(carry_out(&root, STATE).is_err(), "{line}");
            assert_eq!(std::fs::read(&beside).unwrap(), b"kept");
        }
    }
}
