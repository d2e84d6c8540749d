//! The output file of an export. It is published only when it is complete, and a map that was drawn
//! only for this export is removed first.

use std::path::Path;

use crate::store::{NewFile, PublishError, Scratch};

/// A file that is being written.
#[derive(Debug)]
pub struct FileTarget<'a> {
    /// The path that the user named.
    pub path: &'a Path,
    /// The folder of a map that was drawn only for this file; `None` if a finished map is exported.
    /// It is dropped before the file is unlocked, because after that another run may use the same
    /// folder.
    pub scratch: Option<Scratch>,
    /// The incomplete file.
    pub file: NewFile,
}

impl<'a> FileTarget<'a> {
    /// Starts the file at `path`.
    ///
    /// # Errors
    /// Fails if the path is a folder, if another run holds the file, or if it cannot be created.
    pub fn create(path: &'a Path) -> Result<Self, PublishError> {
        Ok(Self {
            path,
            file: NewFile::create(path)?,
            scratch: None,
        })
    }

    /// Starts the file at `path`, and makes a scratch folder for the map that is drawn for it.
    ///
    /// # Errors
    /// Fails for the same reasons as [`FileTarget::create`], or if the folder cannot be made.
    pub fn create_with_scratch(path: &'a Path) -> Result<Self, PublishError> {
        let file = NewFile::create(path)?;
        Ok(Self {
            path,
            scratch: Some(file.scratch()?),
            file,
        })
    }

    /// Returns the folder of the map that is drawn for the file.
    pub fn map_folder(&self) -> &Path {
        self.scratch.as_ref().map_or(self.path, Scratch::path)
    }

    /// Removes the scratch folder and publishes the file. Returns its length in bytes.
    pub(super) fn appear(self) -> Result<u64, PublishError> {
        drop(self.scratch);
        self.file.appear()
    }
}
