//! Changes of files: a leaf that knows nothing of maps. Every change of the file system goes through here, so that a
//! test can end a run at any one of them.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use crate::base::disk::{facts, facts_of_link, is_absent, not_a_file, open_file};
#[cfg(test)]
use crate::base::faults::fail_change;

#[cfg(not(test))]
#[allow(clippy::unnecessary_wraps, reason = "in tests it fails")]
const fn fail_change(_: &Path) -> io::Result<()> {
    Ok(())
}

/// The path of the unfinished file, beside the place of the finished one. The name is the same for every run, so that
/// the next run finds all that a killed run left.
pub(crate) fn part_path(path: &Path) -> PathBuf {
    hidden_beside(path, ".part")
}

/// The path of a hidden file or folder beside `path`, named after it.
pub(crate) fn hidden_beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(ending);
    path.with_file_name(name)
}

/// Returns whether a file holds these bytes. One that cannot be read is replaced like one with other bytes: if that was a
/// failure of a moment, the same bytes are written once more.
pub(crate) fn is_same(path: &Path, bytes: &[u8]) -> bool {
    let there = facts(path).ok().flatten();
    if !there.is_some_and(|there| there.is_file() && there.len() == bytes.len() as u64) {
        return false;
    }
    let mut read = Vec::with_capacity(bytes.len());
    open_file(path).and_then(|mut file| file.read_to_end(&mut read)).is_ok() && read == bytes
}

/// Opens a file of ours that is written in its place, and makes it if it is not there. A link in its place is removed:
/// what it leads to is not ours.
pub(crate) fn open_to_write(path: &Path) -> io::Result<File> {
    fail_change(path)?;
    match facts_of_link(path)? {
        Some(there) if there.is_symlink() => fs::remove_file(path)?,
        Some(there) if !there.is_file() => return Err(not_a_file()),
        _ => {}
    }
    File::options().read(true).write(true).create(true).truncate(false).open(path)
}

/// Takes the lock of a file that is ours; returns `false` if another run has it. The lock ends with its process.
pub(crate) fn lock(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Ok(false),
        // A file system without locks: a run alone is safe all the same.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
        Ok(()) => Ok(true),
    }
}

/// Makes a new file, with the modes of any new file.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    fail_change(path)?;
    File::options().write(true).create_new(true).open(path)
}

/// Writes at a place of the file at `path`.
pub(crate) fn write_at(path: &Path, mut file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    fail_change(path)?;
    file.seek(io::SeekFrom::Start(at))?;
    file.write_all(bytes)
}

/// Makes a folder and those around it that are missing.
pub(crate) fn create_folders(path: &Path) -> io::Result<()> {
    fail_change(path)?;
    fs::create_dir_all(path)
}

/// Gives a file the name of another place on the same file system.
pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fail_change(to)?;
    fs::rename(from, to)
}

/// Gives a file a second name on the same file system or, where there are no second names, that name alone. One that is
/// there already stays.
pub(crate) fn link(from: &Path, to: &Path) -> io::Result<()> {
    fail_change(to)?;
    match fs::hard_link(from, to) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) if is_absent(&error) => Err(error),
        Err(_) if facts(to)?.is_some_and(|there| there.is_file()) => Ok(()),
        Err(_) => fs::rename(from, to),
        Ok(()) => Ok(()),
    }
}

/// Removes a file; returns whether it was there.
pub(crate) fn remove(path: &Path) -> io::Result<bool> {
    fail_change(path)?;
    match fs::remove_file(path) {
        Err(error) if is_absent(&error) => Ok(false),
        done => done.map(|()| true),
    }
}

/// Removes the folders around `path` that are empty, up to `root`, which stays.
pub(crate) fn remove_empty_around(path: &Path, root: &Path) -> io::Result<()> {
    for folder in path.ancestors().skip(1).take_while(|folder| *folder != root) {
        fail_change(folder)?;
        // A folder that is not empty refuses to go, and so do those around it.
        if fs::remove_dir(folder).is_err_and(|error| error.kind() != io::ErrorKind::NotFound) {
            break;
        }
    }
    Ok(())
}

/// Removes a folder of the state with all that is in it, or anything else that is there.
pub(crate) fn remove_tree(path: &Path) -> io::Result<()> {
    fail_change(path)?;
    match facts_of_link(path)? {
        Some(there) if there.is_dir() => fs::remove_dir_all(path),
        Some(_) => fs::remove_file(path),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::disk::first_existing;

    #[test]
    fn a_file_is_the_same_by_its_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let below = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for (path, text) in [(at("own"), "own"), (below.path().join("own"), "old"), (below.path().join("kept"), "kept")]
        {
            create(&path).unwrap().write_all(text.as_bytes()).unwrap();
        }
        assert!(is_same(&at("own"), b"own") && !is_same(&at("own"), b"old") && !is_same(&at("own"), b"own and more"));
        let roots = [below.path().to_owned()];
        assert_eq!(first_existing(&at("own"), &roots, "own").unwrap(), at("own"));
        assert_eq!(first_existing(&at("kept"), &roots, "kept").unwrap(), below.path().join("kept"));
        assert_eq!(first_existing(&at("none"), &roots, "none").unwrap(), at("none"));
        assert!(remove(&at("own")).unwrap() && !remove(&at("own")).unwrap());
        assert!(remove(folder.path()).is_err(), "a folder is no file that is gone");
    }

    #[cfg(unix)]
    #[test]
    fn a_write_does_not_follow_a_planted_link() {
        let folder = tempfile::tempdir().unwrap();
        let [theirs, ours] = ["theirs", "journal"].map(|name| folder.path().join(name));
        File::create(&theirs).unwrap().write_all(b"theirs").unwrap();
        std::os::unix::fs::symlink(&theirs, &ours).unwrap();
        let file = open_to_write(&ours).unwrap();
        write_at(&ours, &file, b"ours", 0).unwrap();
        assert_eq!((fs::read(&theirs).unwrap(), fs::read(&ours).unwrap()), (b"theirs".to_vec(), b"ours".to_vec()));
    }
}
