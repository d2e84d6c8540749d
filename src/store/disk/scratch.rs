//! A folder for files that a run needs on the way: removed when it is dropped. Its name is the same for every run, so
//! that the next run removes what a killed one left; a run makes it only while it holds the output's lock.

use std::fs;
use std::path::{Path, PathBuf};

use crate::store::PublishError;
use crate::store::disk::files;

/// A scratch folder.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// Makes the folder, without what a run left in it that was killed.
    ///
    /// # Errors
    /// The system refuses.
    pub(crate) fn make(path: PathBuf) -> Result<Self, PublishError> {
        let removed = files::remove_tree(&path);
        removed.and_then(|()| fs::create_dir_all(&path)).map_err(PublishError::io(&path))?;
        Ok(Self { path })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left of it is removed by the next run.
        let _ = fs::remove_dir_all(&self.path);
    }
}
