//! A folder for temporary files of a run, which is removed when it is dropped. Its name is the same
//! for every run, so that the next run removes the folder of a killed one. This is safe because a
//! run only makes the folder while it holds the output's lock.

use std::path::{Path, PathBuf};

use crate::store::error::PublishError;
use pixelmap_base::own_folder::Place;

/// A scratch folder.
#[derive(Debug)]
pub struct Scratch {
    place: Place,
    path: PathBuf,
}

impl Scratch {
    /// Makes an empty folder. If a killed run left one, that folder is removed first.
    ///
    /// # Errors
    /// The folder cannot be removed or made.
    pub(crate) fn make(place: Place) -> Result<Self, PublishError> {
        let path = place.path();
        place
            .remove_tree()
            .and_then(|()| place.create_folders())
            .map_err(PublishError::io(&path))?;
        Ok(Self { place, path })
    }

    /// Returns the place of the folder.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // If this fails, the next run removes the rest.
        let _ = self.place.remove_tree();
    }
}
