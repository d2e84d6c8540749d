//! How a finished file comes to its place: by rename, so that nobody ever sees half of one.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use tempfile::NamedTempFile;

use super::part::part_of;

/// Puts a finished file in its place, in folders that are made if they are not there.
pub(super) fn appear(file: NamedTempFile<File>, path: &Path) -> io::Result<()> {
    // What does not come to its place is gone with its path.
    file.into_temp_path().persist(path).or_else(|refused| move_refused(refused.error, &refused.path, path))
}

/// Moves a finished file to its place, in folders that are made if they are not there.
pub(super) fn move_to(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to).or_else(|refused| move_refused(refused, from, to))
}

/// The same, after the system has `refused` to rename it.
fn move_refused(refused: io::Error, from: &Path, to: &Path) -> io::Result<()> {
    let mut moved = Err(refused);
    // Nearly always the folder is there.
    if is_kind(&moved, io::ErrorKind::NotFound) && from.is_file() {
        to.parent().map_or(Ok(()), fs::create_dir_all)?;
        moved = fs::rename(from, to);
    }
    // A layer's folder may be on a file system of its own.
    if is_kind(&moved, io::ErrorKind::CrossesDevices) { move_across(from, to) } else { moved }
}

fn is_kind(moved: &io::Result<()>, kind: io::ErrorKind) -> bool {
    moved.as_ref().is_err_and(|refused| refused.kind() == kind)
}

/// Copies a file beside its place, from where a rename puts it there, and removes it.
fn move_across(from: &Path, to: &Path) -> io::Result<()> {
    let beside = part_of(to);
    let moved = copy(from, &beside).and_then(|()| fs::rename(&beside, to));
    if moved.is_err() {
        let _ = fs::remove_file(&beside);
    }
    moved.and_then(|()| fs::remove_file(from))
}

/// Copies a file with the time at which it was written, by which it is known; returns when the copy stands on the disk.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    // What a run left that was killed.
    let _ = fs::remove_file(to);
    let mut read = File::open(from)?;
    // Opened as any new file is, not with the modes of the other.
    let mut file = File::options().write(true).create_new(true).open(to)?;
    io::copy(&mut read, &mut file)?;
    file.set_modified(read.metadata()?.modified()?)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_copied_replaces_another_and_keeps_its_time() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let write =
            |name: &str, text: &str| io::Write::write_all(&mut File::create(at(name)).unwrap(), text.as_bytes());
        write("from", "new").unwrap();
        write("to", "older and longer").unwrap();
        write(".to.part", "what a run left that was killed").unwrap();
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
        File::options().write(true).open(at("from")).unwrap().set_modified(time).unwrap();
        move_across(&at("from"), &at("to")).unwrap();
        assert_eq!(fs::read(at("to")).unwrap(), b"new");
        assert_eq!(at("to").metadata().unwrap().modified().unwrap(), time);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn a_file_that_cannot_come_to_its_place_stays_where_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("to/in the way")).unwrap();
        File::create(at("from")).unwrap();
        assert!(move_across(&at("from"), &at("to")).is_err());
        assert!(move_to(&at("from"), &at("to")).is_err());
        assert!(at("from").is_file() && !at(".to.part").exists());
    }

    /// Memory is a file system of its own on most systems.
    #[cfg(target_os = "linux")]
    #[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
    #[test]
    fn a_place_on_another_file_system_is_one_like_others() {
        use std::os::unix::fs::MetadataExt as _;
        let folder = tempfile::tempdir().unwrap();
        let Ok(other) = tempfile::tempdir_in("/dev/shm") else {
            return eprintln!("skipped: there is no /dev/shm");
        };
        if other.path().metadata().unwrap().dev() == folder.path().metadata().unwrap().dev() {
            return eprintln!("skipped: /dev/shm is the file system of temporary files");
        }
        let to = other.path().join("17/0/1.png");
        for text in ["one", "another"] {
            let mut file = NamedTempFile::new_in(folder.path()).unwrap();
            io::Write::write_all(&mut file, text.as_bytes()).unwrap();
            appear(file, &to).unwrap();
            assert_eq!(fs::read(&to).unwrap(), text.as_bytes());
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        assert_eq!(fs::read_dir(to.parent().unwrap()).unwrap().count(), 1);
    }
}
