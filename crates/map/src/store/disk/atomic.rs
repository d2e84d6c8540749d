//! Moves finished files to their places by rename, so that no reader ever sees half of a file. A
//! file that must move to another file system is copied into a hidden file there first.

use std::io;

use pixelmap_base::own_folder::Place;

/// Moves a finished file to its place, and makes missing folders there.
pub(crate) fn move_to(from: &Place, to: &Place) -> io::Result<()> {
    let mut moved = from.rename_to(to);

    // The folders nearly always exist, so they are only made after a rename has failed.
    if is_kind(&moved, io::ErrorKind::NotFound) && from.is_file()? {
        to.create_parents()?;
        moved = from.rename_to(to);
    }

    // A layer's folder may be on another file system.
    if is_kind(&moved, io::ErrorKind::CrossesDevices) {
        move_across(from, to)
    } else {
        moved
    }
}

/// Gives a file a second name, and makes missing folders there. If a file with that name exists,
/// nothing is done.
pub(crate) fn link_to(from: &Place, to: &Place) -> io::Result<()> {
    if to.is_file()? {
        return Ok(());
    }

    let linked = from.link_to(to);
    if is_kind(&linked, io::ErrorKind::NotFound) && from.is_file()? {
        to.create_parents()?;
        return from.link_to(to);
    }

    linked
}

fn is_kind(moved: &io::Result<()>, kind: io::ErrorKind) -> bool {
    moved.as_ref().is_err_and(|refused| refused.kind() == kind)
}

/// Copies a file to a hidden file next to `to`, renames the copy to `to`, and removes the original.
fn move_across(from: &Place, to: &Place) -> io::Result<()> {
    let part = to.part();
    let moved = from.copy_to(&part).and_then(|()| part.rename_to(to));
    if moved.is_err() {
        let _ = part.remove();
    }
    moved.and_then(|()| from.remove().map(drop))
}

/// Checks that a file can be put at a place. This must be done before a commit, because once other
/// files have taken their places it is too late to refuse.
pub(crate) fn check_place(place: &Place) -> io::Result<()> {
    match place.exact_facts() {
        Ok(there) if there.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::io::Write as _;
    use std::path::Path;

    use super::*;
    use crate::store::disk::new_file::NewFile;
    use pixelmap_base::own_folder::OwnFolder;

    fn write(path: &Path, text: &str) {
        File::create(path)
            .unwrap()
            .write_all(text.as_bytes())
            .unwrap();
    }

    fn places(folder: &Path) -> impl Fn(&str) -> Place {
        let folder = OwnFolder::open(folder).unwrap();
        move |name| folder.place(name).unwrap()
    }

    #[test]
    fn an_unplaced_temporary_file_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let at = places(folder.path());
        drop(NewFile::in_folder(at("0"), at("new/dropped")).unwrap());
        NewFile::in_folder(at("1"), at("new/placed"))
            .unwrap()
            .appear()
            .unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(at("new/placed").is_file().unwrap());
    }

    #[test]
    fn a_copied_file_keeps_its_time() {
        let folder = tempfile::tempdir().unwrap();
        let at = places(folder.path());
        write(&at("from").path(), "new");
        write(&at("to").path(), "older and longer");
        write(&at(".to.part").path(), "left by a killed run");

        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
        File::options()
            .write(true)
            .open(at("from").path())
            .unwrap()
            .set_modified(time)
            .unwrap();

        move_across(&at("from"), &at("to")).unwrap();
        assert_eq!(at("to").read().unwrap(), b"new");
        assert_eq!(
            at("to").path().metadata().unwrap().modified().unwrap(),
            time
        );

        assert_eq!(
            fs::read_dir(folder.path()).unwrap().count(),
            1,
            "nothing is left beside it"
        );
    }

    #[test]
    fn a_file_that_cannot_be_moved_stays() {
        let folder = tempfile::tempdir().unwrap();
        let at = places(folder.path());
        fs::create_dir_all(at("to/in the way").path()).unwrap();
        write(&at("from").path(), "");
        assert!(move_across(&at("from"), &at("to")).is_err());
        assert!(move_to(&at("from"), &at("to")).is_err());
        assert!(at("from").is_file().unwrap() && !at(".to.part").is_file().unwrap());
    }

    /// On most systems `/dev/shm` is a separate file system, in memory.
    #[cfg(target_os = "linux")]
    #[allow(clippy::print_stderr, reason = "a test that is skipped is named")]
    #[test]
    fn files_can_move_to_another_file_system() {
        use std::os::unix::fs::MetadataExt as _;

        let folder = tempfile::tempdir().unwrap();
        let Ok(other) = tempfile::tempdir_in("/dev/shm") else {
            return eprintln!("skipped: there is no /dev/shm");
        };
        if other.path().metadata().unwrap().dev() == folder.path().metadata().unwrap().dev() {
            return eprintln!("skipped: /dev/shm is the file system of temporary files");
        }

        let to = places(other.path())("17/0/1.png");
        for text in ["one", "another"] {
            let mut file = NewFile::in_folder(places(folder.path())("1"), to.clone()).unwrap();
            file.add(text.as_bytes()).unwrap();
            file.appear().unwrap();
            assert_eq!(to.read().unwrap(), text.as_bytes());
        }

        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        assert_eq!(
            fs::read_dir(to.path().parent().unwrap()).unwrap().count(),
            1
        );
    }
}
