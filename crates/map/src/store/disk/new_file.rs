//! Writes a file under a temporary name, from which a rename moves it to its place once it is
//! whole. So readers always get whole files, and a run that fails leaves the earlier file
//! unchanged.
//!
//! A file of a map is written in the map's state folder, which this run holds. Any other file, such
//! as a picture or an archive, is written as a hidden file in the same folder, which this run
//! locks.

use std::fs::File;
use std::io::{self, BufWriter, Seek as _, SeekFrom, Write};
use std::path::Path;
use std::time::SystemTime;

use crate::atlas::archive_page;
use crate::page;
use crate::store::disk::atomic::move_to;
use crate::store::disk::scratch::Scratch;
use crate::store::error::PublishError;
use pixelmap_base::disk::{facts, facts_of_link, full_path, if_there, read_file};
use pixelmap_base::own_folder::changes::hidden_name;
use pixelmap_base::own_folder::{OwnFolder, Place};

/// A file that is being written. Dropping it removes it, unless it has appeared in its place.
#[derive(Debug)]
pub struct NewFile {
    place: Place,
    /// The place under its temporary name.
    part: Place,
    /// `None` once the file is closed.
    file: Option<BufWriter<File>>,
    /// Whether the temporary name is locked and its bytes are synced, because other runs may write
    /// the same file.
    is_locked: bool,
    has_appeared: bool,
    bytes: u64,
}

impl Drop for NewFile {
    fn drop(&mut self) {
        // Removes the file before its lock is released, because afterwards it may belong to another
        // run. If this fails, the next run removes the file.
        if !self.has_appeared {
            let _ = self.part.remove();
        }
        drop(self.file.take().map(BufWriter::into_parts));
    }
}

/// Checks that a file may be written to `path`, and writes nothing.
///
/// # Errors
/// The path is a folder, a device or a pipe.
pub fn check_file(path: &Path) -> Result<(), PublishError> {
    match facts(path).map_err(PublishError::io(path))? {
        Some(there) if there.is_dir() => Err(PublishError::IsAFolder(path.to_owned())),
        // The final rename would replace the device or pipe with a file.
        Some(there) if !there.is_file() => Err(PublishError::NotAFile(path.to_owned())),
        _ => Ok(()),
    }
}

impl NewFile {
    /// Begins the file at the path that the user named, and makes missing folders above it.
    ///
    /// # Errors
    /// The path is a folder, a device or a pipe, another run is writing this file, or it cannot be
    /// made.
    pub fn create(path: &Path) -> Result<Self, PublishError> {
        check_file(path)?;
        // Follows links, so that a link to a file remains a link.
        let path = full_path(path);
        let failed = |error| PublishError::Io(path.clone(), error);
        let folder = OwnFolder::make(path.parent().unwrap_or(&path)).map_err(failed)?;
        Self::hold(
            folder
                .place(path.file_name().unwrap_or_default())
                .map_err(failed)?,
        )
    }

    /// Begins the file at a place in a folder of ours, as a hidden file next to it, and makes
    /// missing folders around it. If the place is a link, the file replaces the link.
    ///
    /// # Errors
    /// The place is a folder, a device or a pipe, another run is writing this file, or it cannot be
    /// made.
    pub fn beside(place: &Place) -> Result<Self, PublishError> {
        match place.facts().map_err(PublishError::at(place))? {
            Some(there) if there.is_dir() => return Err(PublishError::IsAFolder(place.path())),
            Some(there) if !there.is_file() && !there.is_symlink() => {
                return Err(PublishError::NotAFile(place.path()));
            }
            _ => place.create_parents().map_err(PublishError::at(place))?,
        }
        Self::hold(place.clone())
    }

    /// Begins the file at `place` under the temporary name `part`, which no other run uses. `part`
    /// should be on the file system of the map's folder, so that a rename can move it.
    pub(crate) fn in_folder(part: Place, place: Place) -> Result<Self, PublishError> {
        let file = part.create().map_err(PublishError::at(&place))?;
        Ok(Self::new(place, part, BufWriter::new(file), false))
    }

    /// Opens the hidden file and locks it, so that no two runs write to it. The system releases the
    /// lock when the process ends.
    fn hold(place: Place) -> Result<Self, PublishError> {
        let part = place.part();
        let file = part.hold().map_err(|error| match error.kind() {
            // The hidden file may belong to another user, so the message must name the hidden file.
            io::ErrorKind::PermissionDenied if part.facts().is_ok_and(|there| there.is_some()) => {
                PublishError::Io(part.path(), error)
            }
            _ => PublishError::Io(place.path(), error),
        })?;

        let Some(file) = file else {
            return Err(PublishError::Held(place.path(), String::new()));
        };

        // Emptied only after it is locked, because before that another run may be writing to it.
        file.set_len(0).map_err(PublishError::at(&place))?;

        Ok(Self::new(
            place,
            part,
            BufWriter::with_capacity(1 << 16, file),
            true,
        ))
    }

    fn new(place: Place, part: Place, file: BufWriter<File>, is_locked: bool) -> Self {
        Self {
            place,
            part,
            file: Some(file),
            is_locked,
            has_appeared: false,
            bytes: 0,
        }
    }

    /// Makes an empty hidden folder next to the file, for temporary files that are needed while it
    /// is written.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn scratch(&self) -> Result<Scratch, PublishError> {
        Scratch::make(self.place.beside(hidden_name(self.place.name(), ".map")))
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// The bytes cannot be written.
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), PublishError> {
        self.write_all(bytes).map_err(|error| self.failed(error))
    }

    /// Overwrites bytes that were added before, starting at the offset `at`. Later bytes are still
    /// appended at the end.
    ///
    /// # Errors
    /// The bytes cannot be written.
    pub fn replace(&mut self, at: u64, bytes: &[u8]) -> Result<(), PublishError> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let replaced = file
            .seek(SeekFrom::Start(at))
            .and_then(|_| file.write_all(bytes));
        replaced
            .and_then(|()| file.seek(SeekFrom::End(0)))
            .map(drop)
            .map_err(|error| self.failed(error))
    }

    /// Sets the modification time. Call this after all bytes have been added.
    ///
    /// # Errors
    /// The time cannot be set.
    pub fn set_modified(&mut self, time: SystemTime) -> Result<(), PublishError> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let set = file
            .flush()
            .and_then(|()| file.get_ref().set_modified(time));
        set.map_err(|error| self.failed(error))
    }

    /// Waits until the bytes written so far are on the disk.
    pub(crate) fn sync(&mut self) -> Result<(), PublishError> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let synced = file.flush().and_then(|()| file.get_ref().sync_all());
        synced.map_err(|error| self.failed(error))
    }

    /// Closes the file, and returns the modification time that it will have in its place.
    pub(crate) fn close(&mut self) -> Result<Option<SystemTime>, PublishError> {
        self.flush().map_err(|error| self.failed(error))?;
        // Some systems set the modification time when the file is closed.
        self.file = None;
        let facts = self
            .part
            .exact_facts()
            .map_err(|error| self.failed(error))?;
        Ok(facts
            .modified()
            .ok()
            .map(cap_std::time::SystemTime::into_std))
    }

    /// Moves the file to its place, and makes missing folders there. The bytes of a locked file are
    /// on the disk before. Returns its length in bytes.
    ///
    /// # Errors
    /// The file cannot be written. An earlier file at its place is unchanged.
    pub fn appear(mut self) -> Result<u64, PublishError> {
        if self.is_locked {
            self.sync()?;
        } else {
            self.flush().map_err(|error| self.failed(error))?;
            // Some systems cannot rename an open file.
            self.file = None;
        }

        move_to(&self.part, &self.place).map_err(|error| self.failed(error))?;
        self.has_appeared = true;
        Ok(self.bytes)
    }

    /// Returns the error to report if this file cannot be written.
    pub fn failed(&self, error: io::Error) -> PublishError {
        PublishError::Io(self.place.path(), error)
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.as_mut().map_or(Ok(0), |file| file.write(bytes))?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), Write::flush)
    }
}

/// Writes a small file at a place in a folder of ours, whole or not at all.
///
/// # Errors
/// The new file cannot be begun, or the bytes cannot be written.
pub fn put_at(place: &Place, bytes: &[u8]) -> Result<(), PublishError> {
    let mut file = NewFile::beside(place)?;
    file.add(bytes)?;
    file.appear().map(drop)
}

/// Writes a small file that the user named, whole or not at all. The new file has the permissions
/// of the file that it replaces, so that the same users can read it.
///
/// # Errors
/// The file cannot be written. An earlier file is unchanged.
pub fn put_file(path: &Path, bytes: &[u8]) -> Result<(), PublishError> {
    let mut new = NewFile::create(path)?;
    new.add(bytes)?;

    let earlier = facts(&new.place.path()).map_err(|error| new.failed(error))?;
    if let (Some(file), Some(earlier)) = (&new.file, earlier) {
        file.get_ref()
            .set_permissions(earlier.permissions())
            .map_err(|error| new.failed(error))?;
    }

    new.appear().map(drop)
}

/// Writes the page that shows an archive, in the archive's folder and under its name with the
/// ending `.html`. Returns `false` and changes nothing if the existing file of that name is not a
/// page of pixelmap.
///
/// # Errors
/// The page cannot be written. An earlier page is unchanged.
pub fn put_page_beside(archive: &Path) -> Result<bool, PublishError> {
    let place = archive_page(archive);
    let failed = |error| PublishError::Io(place.clone(), error);

    if facts_of_link(&place).map_err(failed)?.is_some() {
        let there = if_there(read_file(&place)).map_err(failed)?;
        if !there.is_some_and(|there| page::is_page(&there)) {
            return Ok(false);
        }
    }

    let name = archive.file_name().unwrap_or_default().to_string_lossy();
    put_file(&place, page::archive_page(&name).as_bytes()).map(|()| true)
}

/// Returns the warning that the page of an archive was not written, because another file has the
/// page's name.
pub fn no_page(archive: &Path) -> String {
    let page = archive_page(archive);
    format!(
        "{} is not a page of pixelmap, so it was kept, and the archive has no page next to it",
        page.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::apart::check_apart;

    fn create(path: &Path) -> Result<NewFile, PublishError> {
        NewFile::create(path)
    }

    fn write(path: &Path, bytes: &[u8]) {
        File::create(path).unwrap().write_all(bytes).unwrap();
    }

    #[test]
    fn a_file_appears_whole_without_leftovers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("map.png");
        write(&path, b"earlier");
        let mut part = create(&path).unwrap();
        let scratch = part.scratch().unwrap();
        write(&scratch.path().join("tile.png"), b"tile");
        part.add(b"one").unwrap();

        assert_eq!(std::fs::read(&path).unwrap(), b"earlier");
        part.add(b", two").unwrap();
        part.replace(1, b"NE").unwrap();
        part.add(b".").unwrap();
        drop(scratch);
        assert_eq!(part.appear().unwrap(), 9);
        assert_eq!(std::fs::read(&path).unwrap(), b"oNE, two.");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn unfinished_files_leave_the_earlier_ones() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("map.png");
        write(&path, b"earlier");
        drop(create(&path).unwrap());
        assert_eq!(std::fs::read(&path).unwrap(), b"earlier");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn one_run_holds_the_partial_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("map.png");
        write(&folder.path().join(".map.png.part"), b"left behind");
        let left = folder.path().join(".map.png.map/overworld");
        std::fs::create_dir_all(&left).unwrap();
        let first = create(&path).unwrap();
        assert!(matches!(create(&path), Err(PublishError::Held(..))));
        assert!(create(&folder.path().join("other.png")).is_ok());
        drop(first);

        let mut again = create(&path).unwrap();
        let scratch = again.scratch().unwrap();
        assert!(!left.exists() && scratch.path().is_dir());
        again.add(b"new").unwrap();
        drop(scratch);
        again.appear().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn files_cannot_replace_folders_or_be_in_worlds() {
        let folder = tempfile::tempdir().unwrap();
        let world = folder.path().join("world");
        std::fs::create_dir(&world).unwrap();
        let refused = check_apart(&world.join("map.png"), [&world]);
        assert!(matches!(refused, Err(PublishError::InsideWorld(_))));
        assert!(matches!(create(&world), Err(PublishError::IsAFolder(_))));
        assert_eq!(std::fs::read_dir(&world).unwrap().count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn a_partial_file_of_the_user_stays() {
        let folder = tempfile::tempdir().unwrap();
        let [theirs, path, part] =
            ["theirs", "map.png", ".map.png.part"].map(|name| folder.path().join(name));
        write(&theirs, b"theirs");
        std::fs::hard_link(&theirs, &part).unwrap();
        let mut file = create(&path).unwrap();
        file.add(b"a picture").unwrap();
        file.appear().unwrap();

        std::os::unix::fs::symlink(&theirs, &part).unwrap();
        create(&path).unwrap().add(b"another").unwrap();
        assert_eq!(
            (
                std::fs::read(&theirs).unwrap(),
                std::fs::read(&path).unwrap()
            ),
            (b"theirs".to_vec(), b"a picture".to_vec())
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_link_loop_in_the_way_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let [path, part] = ["map.png", ".map.png.part"].map(|name| folder.path().join(name));
        std::os::unix::fs::symlink(&part, &part).unwrap();
        create(&path).unwrap().appear().unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
