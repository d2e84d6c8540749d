//! Brings a finished file to its place by rename, so that no reader ever sees half of a file.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::base::disk::is_file;
use crate::store::disk::files;
use crate::store::disk::files::part_path;

/// A new file that is being written; it is removed when it is dropped before it has a place.
#[derive(Debug)]
pub(crate) struct Temporary {
    path: PathBuf,
    file: Option<File>,
}

impl Temporary {
    /// Makes the file at `path`, which is on the file system of the map's folder.
    pub(crate) fn create(path: PathBuf) -> io::Result<Self> {
        let file = Some(files::create(&path)?);
        Ok(Self { path, file })
    }

    /// Returns when its bytes are on the disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.file.as_ref().map_or(Ok(()), File::sync_all)
    }

    /// Puts the finished file in its place, in folders that are made if they are not there.
    pub(crate) fn appear(mut self, place: &Path) -> io::Result<()> {
        // Not every system renames a file that is open.
        self.file = None;
        move_to(&self.path, place)
    }

    /// Ends writing, and describes the file as it will be in its place.
    pub(crate) fn finish(&mut self) -> io::Result<fs::Metadata> {
        // Some systems stamp a file when it is closed.
        self.file = None;
        self.path.metadata()
    }
}

impl Write for Temporary {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_mut().map_or(Ok(0), |file| file.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        self.file = None;
        // It is gone already where it has come to its place.
        let _ = files::remove(&self.path);
    }
}

/// Moves a finished file to its place, in folders that are made if they are not there.
pub(crate) fn move_to(from: &Path, to: &Path) -> io::Result<()> {
    let mut moved = files::rename(from, to);
    // Nearly always the folder is there.
    if is_kind(&moved, io::ErrorKind::NotFound) && is_file(from)? {
        to.parent().map_or(Ok(()), files::create_folders)?;
        moved = files::rename(from, to);
    }
    // A layer's folder may be on a file system of its own.
    if is_kind(&moved, io::ErrorKind::CrossesDevices) { move_across(from, to) } else { moved }
}

/// Gives a file a second name, in folders that are made if they are not there. A file that is there already stays.
pub(crate) fn link_to(from: &Path, to: &Path) -> io::Result<()> {
    if is_file(to)? {
        return Ok(());
    }
    let linked = files::link(from, to);
    if is_kind(&linked, io::ErrorKind::NotFound) && is_file(from)? {
        to.parent().map_or(Ok(()), files::create_folders)?;
        return files::link(from, to);
    }
    linked
}

fn is_kind(moved: &io::Result<()>, kind: io::ErrorKind) -> bool {
    moved.as_ref().is_err_and(|refused| refused.kind() == kind)
}

/// Copies a file beside its place, from where a rename puts it there, and removes it.
fn move_across(from: &Path, to: &Path) -> io::Result<()> {
    let part = part_path(to);
    let moved = copy(from, &part).and_then(|()| files::rename(&part, to));
    if moved.is_err() {
        let _ = files::remove(&part);
    }
    moved.and_then(|()| files::remove(from).map(drop))
}

/// Copies a file with its time, by which a later run recognises it; returns when the copy is on the disk.
pub(crate) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    // A killed run may have left one.
    files::remove(to)?;
    let mut read = File::open(from)?;
    let mut file = files::create(to)?;
    io::copy(&mut read, &mut file)?;
    file.set_modified(read.metadata()?.modified()?)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, text: &str) {
        File::create(path).unwrap().write_all(text.as_bytes()).unwrap();
    }

    #[test]
    fn a_file_without_a_place_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        drop(Temporary::create(at("0")).unwrap());
        Temporary::create(at("1")).unwrap().appear(&at("new/placed")).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(at("new/placed").is_file());
    }

    #[test]
    fn a_copied_file_replaces_another_and_keeps_its_time() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        write(&at("from"), "new");
        write(&at("to"), "older and longer");
        write(&at(".to.part"), "left by a killed run");
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
        File::options().write(true).open(at("from")).unwrap().set_modified(time).unwrap();
        move_across(&at("from"), &at("to")).unwrap();
        assert_eq!(fs::read(at("to")).unwrap(), b"new");
        assert_eq!(at("to").metadata().unwrap().modified().unwrap(), time);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn a_file_that_cannot_take_its_place_stays() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("to/in the way")).unwrap();
        write(&at("from"), "");
        assert!(move_across(&at("from"), &at("to")).is_err());
        assert!(move_to(&at("from"), &at("to")).is_err());
        assert!(at("from").is_file() && !at(".to.part").exists());
    }

    /// Memory is a file system of its own on most systems.
    #[cfg(target_os = "linux")]
    #[allow(clippy::print_stderr, reason = "a test that is skipped is named")]
    #[test]
    fn a_place_may_lie_on_another_file_system() {
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
            let mut file = Temporary::create(folder.path().join("1")).unwrap();
            file.write_all(text.as_bytes()).unwrap();
            file.appear(&to).unwrap();
            assert_eq!(fs::read(&to).unwrap(), text.as_bytes());
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        assert_eq!(fs::read_dir(to.parent().unwrap()).unwrap().count(), 1);
    }
}
