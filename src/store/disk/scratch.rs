//! A folder for files that a run needs on the way: removed when it is dropped. Its name is the same for every run, so
//! that the next run removes what a killed one left; a run makes it only while it holds the output's lock.

use std::path::{Path, PathBuf};

use crate::store::PublishError;
use crate::store::disk::own_folder::Place;

/// A scratch folder.
#[derive(Debug)]
pub struct Scratch {
    place: Place,
    path: PathBuf,
}

impl Scratch {
    /// Makes the folder, without what a run left in it that was killed.
    ///
    /// # Errors
    /// The system refuses.
    pub(crate) fn make(place: Place) -> Result<Self, PublishError> {
        let path = place.path();
        place.remove_tree().and_then(|()| place.create_folders()).map_err(PublishError::io(&path))?;
        Ok(Self { place, path })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left of it is removed by the next run.
        let _ = self.place.remove_tree();
    }
}
