//! One picture in a file: it appears whole by rename, and until then stands beside its place under a name of its own,
//! which the run holds.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::PublishError;
use super::output::{check_apart, full_path};

/// A picture that is being written.
#[derive(Debug)]
pub struct PictureFile {
    path: PathBuf,
    part: Part,
    bytes: u64,
}

/// The file as long as it is not whole; one that is dropped goes.
#[derive(Debug)]
struct Part {
    path: PathBuf,
    file: Option<BufWriter<File>>,
}

impl Drop for Part {
    fn drop(&mut self) {
        // While it is still held: afterwards it may be another run's.
        if let Some(file) = self.file.take() {
            let _ = std::fs::remove_file(&self.path);
            drop(file.into_parts());
        }
    }
}

impl PictureFile {
    /// Begins a picture at `path`; `folders` are those of the world, in which it must not lie.
    ///
    /// # Errors
    /// The path is a folder or lies in the world, another run is at this picture, or the file cannot be made.
    pub fn create(path: &Path, folders: &[PathBuf]) -> Result<Self, PublishError> {
        if path.is_dir() {
            return Err(PublishError::IsAFolder(path.to_owned()));
        }
        folders.iter().try_for_each(|folder| check_apart(path, folder))?;
        // Through links, so that a link to a picture stays one.
        let path = full_path(path);
        let file = hold(&path)?;
        let part = Part { path: part_of(&path), file: Some(BufWriter::with_capacity(1 << 16, file)) };
        Ok(Self { path, part, bytes: 0 })
    }

    /// Ends the picture and puts it in its place; returns its length in bytes.
    ///
    /// # Errors
    /// It cannot be written: what stood there before still stands.
    pub fn finish(mut self) -> Result<u64, PublishError> {
        let Some(file) = &mut self.part.file else { return Ok(self.bytes) };
        let flushed = file.flush().and_then(|()| file.get_ref().sync_all());
        let done = flushed.and_then(|()| std::fs::rename(&self.part.path, &self.path));
        done.map_err(|error| self.failed(error))?;
        // What stands there now is no longer to be removed.
        self.part.file = None;
        Ok(self.bytes)
    }

    /// Adds what `write` writes.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn add(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), PublishError> {
        write(self).map_err(|error| self.failed(error))
    }

    fn failed(&self, error: io::Error) -> PublishError {
        PublishError::Io(self.path.clone(), error)
    }
}

impl Write for PictureFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.part.file.as_mut().map_or(Ok(0), |file| file.write(bytes))?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.part.file.as_mut().map_or(Ok(()), Write::flush)
    }
}

/// Writes a small file that belongs to a picture, whole or not at all.
///
/// # Errors
/// It cannot be written: what stood there before still stands.
pub fn put_beside(path: &Path, bytes: &[u8]) -> Result<(), PublishError> {
    let path = full_path(path);
    let mut file = hold(&path)?;
    let part = part_of(&path);
    let written = file.write_all(bytes).and_then(|()| std::fs::rename(&part, &path));
    if written.is_err() {
        let _ = std::fs::remove_file(&part);
    }
    written.map_err(PublishError::io(&path))
}

/// What stands beside a file's place until it is whole. The name is the same for every run, so that a run that was killed
/// leaves nothing that the next one does not find.
fn part_of(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".part");
    path.with_file_name(name)
}

/// Opens the unfinished file and holds it, so that no two runs write to it; the lock dies with its process.
fn hold(path: &Path) -> Result<File, PublishError> {
    let part = part_of(path);
    let failed = |error| PublishError::Io(path.to_owned(), error);
    loop {
        // Not emptied before it is held: another run may be at it.
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(&part).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(PublishError::Held(path.to_owned(), String::new())),
            // A file system without locks: a run alone is safe all the same.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        // Between opening and holding it, the run before may have put it in its place: then it is that run's picture.
        if is_at(&file, &part) {
            file.set_len(0).map_err(failed)?;
            return Ok(file);
        }
    }
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let id = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
    match (file.metadata(), path.metadata()) {
        (Ok(held), Ok(there)) => id(held) == id(there),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    // Where files that are open cannot be renamed, what is there is what was opened.
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn create(path: &Path) -> Result<PictureFile, PublishError> {
        PictureFile::create(path, &[])
    }

    #[test]
    fn a_picture_appears_whole_and_nothing_stays_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("map.png");
        File::create(&path).unwrap().write_all(b"earlier").unwrap();
        let mut picture = create(&path).unwrap();
        picture.add(|out| out.write_all(b"one")).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"earlier");
        picture.add(|out| out.write_all(b", two")).unwrap();
        assert_eq!(picture.finish().unwrap(), 8);
        assert_eq!(std::fs::read(&path).unwrap(), b"one, two");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_not_finished_leaves_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("map.png");
        File::create(&path).unwrap().write_all(b"earlier").unwrap();
        drop(create(&path).unwrap());
        assert_eq!(std::fs::read(&path).unwrap(), b"earlier");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_picture_is_made_by_one_run_at_a_time_and_what_a_killed_one_left_is_no_hindrance() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("map.png");
        File::create(part_of(&path)).unwrap().write_all(b"left behind").unwrap();
        let first = create(&path).unwrap();
        assert!(matches!(create(&path), Err(PublishError::Held(..))));
        assert!(create(&folder.path().join("other.png")).is_ok());
        drop(first);
        let mut again = create(&path).unwrap();
        again.add(|out| out.write_all(b"new")).unwrap();
        again.finish().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
    }

    #[test]
    fn a_picture_lies_in_no_world_and_is_no_folder() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("world/map.png");
        std::fs::create_dir(folder.path().join("world")).unwrap();
        let refused = PictureFile::create(&inside, &[folder.path().join("world")]);
        assert!(matches!(refused, Err(PublishError::InsideWorld(_))));
        assert!(matches!(create(&folder.path().join("world")), Err(PublishError::IsAFolder(_))));
        assert_eq!(std::fs::read_dir(folder.path().join("world")).unwrap().count(), 0);
    }
}
