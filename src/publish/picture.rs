//! One picture in a file, written piece by piece.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::PublishError;
use super::partial_file::Part;

/// A picture that is being written.
#[derive(Debug)]
pub struct PictureFile {
    part: Part,
}

impl PictureFile {
    /// Begins the picture that shall stand at `path`; `folders` are those of the world, in which it must not lie.
    ///
    /// # Errors
    /// The path is a folder or lies in the world, another run is at this picture, or the file cannot be made.
    pub fn create(path: &Path, folders: &[PathBuf]) -> Result<Self, PublishError> {
        Ok(Self { part: Part::create(path, folders)? })
    }

    /// Adds what `write` writes.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn add(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), PublishError> {
        write(&mut self.part).map_err(|error| self.part.failed(error))
    }

    /// Ends the picture and puts it in its place; returns its length in bytes.
    ///
    /// # Errors
    /// It cannot be written: what stood there before still stands.
    pub fn finish(self) -> Result<u64, PublishError> {
        self.part.appear()
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write as _;

    use super::*;
    use crate::publish::partial_file::part_of;

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
