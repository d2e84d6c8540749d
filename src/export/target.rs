//! The file that an export becomes.

use std::path::{Path, PathBuf};

use crate::store::{PartialFile, PublishError, Scratch};

/// A file that is being written.
#[derive(Debug)]
pub struct FileTarget<'a> {
    /// The path that the user named.
    pub path: &'a Path,
    /// The folder of the map that is drawn for it; absent where a finished map is exported. It is dropped before the file is let go: then another run may use the same folder.
    pub scratch: Option<Scratch>,
    /// The file as long as it is not whole.
    pub file: PartialFile,
}

impl<'a> FileTarget<'a> {
    /// Begins the file at `path`, which must not lie in the folders of the world.
    ///
    /// # Errors
    /// The output lies among the map's files, the path is a folder, another run holds the file, or it cannot be made.
    pub fn create(path: &'a Path, world_folders: &[PathBuf]) -> Result<Self, PublishError> {
        Ok(Self { path, file: PartialFile::create(path, world_folders)?, scratch: None })
    }

    /// Removes the scratch folder and puts the file in its place; returns its length in bytes.
    pub(super) fn appear(self) -> Result<u64, PublishError> {
        drop(self.scratch);
        self.file.appear()
    }
}
