//! Changes the files at places in a folder of ours. Every change of an output goes through this
//! module, so that a test can end a run at any change. As with reading
//! ([`own_folder`](crate::own_folder)), no link inside the folder is followed.

use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io::{self, Seek as _, Write as _};
use std::path::Path;

use cap_fs_ext::{DirExt as _, FollowSymlinks, MetadataExt as _, OpenOptionsFollowExt as _};
use cap_std::fs::{Dir, Metadata, OpenOptions};

use crate::disk::{is_absent, not_a_file};
#[cfg(any(test, feature = "faults"))]
use crate::faults::fail_change;
use crate::own_folder::{OwnFolder, Place, link_error};

#[cfg(not(any(test, feature = "faults")))]
#[allow(clippy::unnecessary_wraps, reason = "in tests it fails")]
const fn fail_change(_: &Path) -> io::Result<()> {
    Ok(())
}

impl OwnFolder {
    /// Opens the folder that the user named, and makes it if it is missing.
    ///
    /// # Errors
    /// The folder cannot be made or opened.
    pub fn make(path: &Path) -> io::Result<Self> {
        fail_change(path)?;
        std::fs::create_dir_all(path)?;
        Self::open(path)
    }
}

/// Opens a folder, and makes it if it is missing.
fn open_or_make(around: &Dir, name: &OsStr) -> io::Result<Dir> {
    match around.open_dir_nofollow(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // Another worker may make the folder at the same moment.
            match around.create_dir(name) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
                _ => around.open_dir_nofollow(name),
            }
        }
        opened => opened,
    }
}

impl Place {
    /// Fails if a test has asked for the failure of a change here. Other builds do not even make
    /// the path.
    #[cfg_attr(
        not(any(test, feature = "faults")),
        allow(
            clippy::unnecessary_wraps,
            clippy::unused_self,
            reason = "in tests it fails"
        )
    )]
    fn may_change(&self) -> io::Result<()> {
        #[cfg(any(test, feature = "faults"))]
        fail_change(&self.path())?;
        Ok(())
    }

    /// Makes a new file with the default permissions. Fails if the place is not free.
    pub fn create(&self) -> io::Result<File> {
        self.may_change()?;
        let mut options = OpenOptions::new();
        options
            .write(true)
            .create_new(true)
            .follow(FollowSymlinks::No);
        self.parent()?
            .open_with(self.name(), &options)
            .map(cap_std::fs::File::into_std)
    }

    /// Opens a file of ours in order to change it in its place, and makes it if it is missing. A
    /// link is removed, and a file with a second name is replaced by a copy, because the file
    /// behind the link or the other name is not ours.
    pub fn open_to_write(&self) -> io::Result<File> {
        self.may_change()?;

        if self
            .facts()?
            .is_some_and(|there| there.is_file() && there.nlink() > 1)
        {
            let part = self.part();
            self.copy_to(&part)?;
            part.rename_to(self)?;
        }

        self.open_or_create()
    }

    fn open_or_create(&self) -> io::Result<File> {
        match self.facts()? {
            Some(there) if there.is_symlink() => self.parent()?.remove_file(self.name())?,
            Some(there) if !there.is_file() => return Err(not_a_file()),
            _ => {}
        }

        let mut options = OpenOptions::new();
        options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .follow(FollowSymlinks::No);

        self.parent()?
            .open_with(self.name(), &options)
            .map(cap_std::fs::File::into_std)
    }

    /// Opens or makes the file at this place and takes its lock, which the system releases when the
    /// process ends. Returns `None` if another run has the lock. A file with a second name may be
    /// the user's, so it is replaced by a new file.
    pub fn hold(&self) -> io::Result<Option<File>> {
        loop {
            self.may_change()?;

            let file = self.open_or_create()?;
            if !lock(&file)? {
                return Ok(None);
            }

            // Between opening the file and locking it, the previous run may have moved or removed
            // it.
            let held = Metadata::from_file(&file)?;
            let there = self
                .facts()?
                .filter(|there| (there.dev(), there.ino()) == (held.dev(), held.ino()));
            match there {
                Some(there) if there.nlink() > 1 => drop(self.remove()?),
                Some(_) => return Ok(Some(file)),
                None => {}
            }
        }
    }

    /// Returns the place of the unfinished file. Its name is the same for every run, so that the
    /// next run finds the file that a killed run left.
    pub fn part(&self) -> Self {
        self.beside(hidden_name(self.name(), ".part"))
    }

    /// Makes the folder at this place and the missing folders around it.
    pub fn create_folders(&self) -> io::Result<()> {
        self.may_change()?;
        self.folder()
            .walk_with(self.relative(), open_or_make)
            .map(drop)
    }

    /// Makes the missing folders around this place.
    pub fn create_parents(&self) -> io::Result<()> {
        self.may_change()?;
        self.folder()
            .walk_with(self.around(), open_or_make)
            .map(drop)
    }

    /// Moves a file to another place on the same file system.
    pub fn rename_to(&self, to: &Self) -> io::Result<()> {
        to.may_change()?;
        self.parent()?
            .rename(self.name(), &*to.parent()?, to.name())
    }

    /// Gives this file a second name on the same file system. If the file system does not support
    /// this, the file is renamed instead. An existing file with that name is left alone.
    pub fn link_to(&self, to: &Self) -> io::Result<()> {
        to.may_change()?;

        match self
            .parent()?
            .hard_link(self.name(), &*to.parent()?, to.name())
        {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            Err(error) if is_absent(&error) => Err(error),
            Err(_) if to.is_file()? => Ok(()),
            Err(_) => self
                .parent()?
                .rename(self.name(), &*to.parent()?, to.name()),
            Ok(()) => Ok(()),
        }
    }

    /// As [`Self::link_to`], but replaces an existing file, and copies the file if the system
    /// refuses a second name.
    pub fn link_or_copy_to(&self, to: &Self) -> io::Result<()> {
        to.remove()?;
        self.parent()?
            .hard_link(self.name(), &*to.parent()?, to.name())
            .or_else(|_| self.copy_to(to))
    }

    /// Copies a file to a place on any file system, and waits until the copy is on the disk. The
    /// copy keeps the modification time, because later runs recognise the file by it.
    pub fn copy_to(&self, to: &Self) -> io::Result<()> {
        // A killed run may have left a file there.
        to.remove()?;
        let mut read = self.open()?;
        let mut file = to.create()?;
        io::copy(&mut read, &mut file)?;
        file.set_modified(read.metadata()?.modified()?)?;
        file.sync_all()
    }

    /// Removes a file. Returns whether it existed.
    ///
    /// # Errors
    /// The file cannot be removed.
    pub fn remove(&self) -> io::Result<bool> {
        self.may_change()?;
        match self
            .parent()
            .and_then(|parent| parent.remove_file(self.name()))
        {
            Err(error) if is_absent(&error) => Ok(false),
            done => done.map(|()| true),
        }
    }

    /// Removes the folders around this place that are empty, except the folder of ours itself.
    pub fn remove_empty_around(&self) -> io::Result<()> {
        for relative in self
            .relative()
            .ancestors()
            .skip(1)
            .filter(|relative| *relative != Path::new(""))
        {
            let folder = self.folder().place(relative)?;
            folder.may_change()?;

            // A folder that is not empty cannot be removed, so the folders around it are not empty
            // either.
            let removed = folder
                .parent()
                .and_then(|parent| parent.remove_dir(folder.name()));
            if removed.is_err_and(|error| error.kind() != io::ErrorKind::NotFound) {
                break;
            }
        }

        Ok(())
    }

    /// Removes a folder with all its contents, or a file. A link is refused, like a link on the
    /// way.
    pub fn remove_tree(&self) -> io::Result<()> {
        self.may_change()?;
        match self.facts()? {
            Some(there) if there.is_dir() => self.parent()?.remove_dir_all(self.name()),
            Some(there) if there.is_symlink() => Err(link_error(self)),
            Some(_) => self.parent()?.remove_file(self.name()),
            None => Ok(()),
        }
    }
}

/// Returns the name of the hidden file or folder that belongs to the one called `name`.
pub fn hidden_name(name: &OsStr, ending: &str) -> std::ffi::OsString {
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(ending);
    hidden
}

/// Takes the lock of a file of ours. Returns `false` if another run has it.
fn lock(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Ok(false),
        // Some file systems do not support locks. We go on without one, because a single run is
        // safe anyway.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
        Ok(()) => Ok(true),
    }
}

/// Writes bytes at the offset `at` of a file of ours. `path` is its path, for errors in tests.
pub fn write_at(path: &Path, mut file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    fail_change(path)?;
    file.seek(io::SeekFrom::Start(at))?;
    file.write_all(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::{FailingOperations, run_with_failures};
    use crate::own_folder::stream::is_same_stream;

    fn folder() -> (tempfile::TempDir, OwnFolder) {
        let folder = tempfile::tempdir().unwrap();
        let own = OwnFolder::open(folder.path()).unwrap();
        (folder, own)
    }

    fn write(place: &Place, text: &str) {
        place.create_parents().unwrap();
        place.create().unwrap().write_all(text.as_bytes()).unwrap();
    }

    #[test]
    fn one_unanswered_query_does_not_make_a_difference() {
        let (_folder, own) = folder();
        let place = own.place("own").unwrap();
        write(&place, "own");

        for at in 0..3 {
            let failing = FailingOperations::OneQuery(at);
            let compare = || place.has_bytes(b"own").unwrap();
            assert!(run_with_failures(own.path(), failing, compare).0, "{at}");
            let compare = || is_same_stream(&place, |out| out.write_all(b"own")).unwrap();
            assert!(run_with_failures(own.path(), failing, compare).0, "{at}");
        }
    }

    #[test]
    fn a_file_is_the_same_by_its_bytes() {
        let (_folder, own) = folder();
        let place = own.place("own").unwrap();
        write(&place, "own");
        assert!(
            place.has_bytes(b"own").unwrap()
                && !place.has_bytes(b"old").unwrap()
                && !place.has_bytes(b"own and more").unwrap()
        );

        assert!(place.remove().unwrap() && !place.remove().unwrap());
        write(&own.place("folder/file").unwrap(), "");
        assert!(
            own.place("folder").unwrap().remove().is_err(),
            "a folder is no file that is gone"
        );
    }

    #[cfg(unix)]
    #[test]
    fn no_operation_follows_a_link_inside_the_folder() {
        let (_folder, own) = folder();

        let (outside, theirs) = folder();
        for name in ["17/file", "other"] {
            write(&theirs.place(name).unwrap(), "theirs");
        }

        write(&own.place("day/own").unwrap(), "own");
        std::os::unix::fs::symlink(outside.path(), own.path().join("day/link")).unwrap();

        let own_file = own.place("day/own").unwrap();
        for name in ["day/link/17/file", "day/link/new", "day/link/17/new/deep"] {
            let place = own.place(name).unwrap();
            let errors = [
                place.facts().err(),
                place.open().err(),
                place.create().err(),
                place.open_to_write().err(),
                place.hold().err(),
                place.create_folders().err(),
                place.create_parents().err(),
                own_file.rename_to(&place).err(),
                own_file.link_to(&place).err(),
                own_file.copy_to(&place).err(),
                place.remove().err(),
                place.remove_tree().err(),
                place.names().err(),
                place.check_folder().err(),
            ];

            for (number, error) in errors.into_iter().enumerate() {
                let error = error
                    .unwrap_or_else(|| panic!("operation {number} on {name} followed the link"))
                    .to_string();
                assert!(
                    error.contains("day/link is a link"),
                    "operation {number} on {name}: {error}"
                );
            }
        }

        let refused = own
            .place("day/link")
            .unwrap()
            .remove_tree()
            .unwrap_err()
            .to_string();

        assert!(refused.contains("day/link is a link"), "{refused}");
        assert_eq!(
            std::fs::read_to_string(outside.path().join("17/file")).unwrap(),
            "theirs"
        );
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn a_write_does_not_follow_a_planted_link() {
        let (_folder, own) = folder();
        let [theirs, link, twin] =
            ["theirs", "journal", "lock"].map(|name| own.place(name).unwrap());
        write(&theirs, "theirs");
        std::os::unix::fs::symlink(theirs.path(), link.path()).unwrap();
        std::fs::hard_link(theirs.path(), twin.path()).unwrap();

        assert!(
            link.open()
                .unwrap_err()
                .to_string()
                .contains("journal is a link")
        );

        for place in [&link, &twin] {
            let file = place.open_to_write().unwrap();
            write_at(&place.path(), &file, b"ours", 0).unwrap();
        }

        assert_eq!(theirs.read().unwrap(), b"theirs");
        assert_eq!(
            (link.read().unwrap(), twin.read().unwrap()),
            (b"ours".to_vec(), b"oursrs".to_vec())
        );
        twin.remove().unwrap();
        std::fs::hard_link(theirs.path(), twin.path()).unwrap();
        twin.hold().unwrap().unwrap().set_len(0).unwrap();
        assert_eq!(theirs.read().unwrap(), b"theirs");
    }

    #[test]
    fn an_absent_folder_is_empty() {
        let (folder, _) = folder();
        let own = OwnFolder::open(&folder.path().join("absent")).unwrap();
        let place = own.place("a/b").unwrap();
        assert!(
            place.facts().unwrap().is_none()
                && place.names().unwrap().is_empty()
                && !place.remove().unwrap()
        );
        assert!(place.create().is_err() && place.create_folders().is_err());
    }
}
