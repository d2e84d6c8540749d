//! A map at one of its moments, as a user names both in one path.

use std::path::{Path, PathBuf};

use super::error::AtlasError;
use super::folder::MapFolder;
use super::history::{Moment, Moments, split_moment};

/// A map's folder and one of its moments, as named by `MAP@MOMENT`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MapMoment {
    pub map: PathBuf,
    pub moment: Moment,
}

impl MapMoment {
    /// Finds the moment that a path names. Returns `None` if the path does not have the form
    /// `MAP@MOMENT` that [`MapFolder::open`](crate::atlas::MapFolder::open) accepts.
    ///
    /// # Errors
    /// Fails if the map or the moment does not exist, or if the list cannot be read.
    pub fn find(path: &Path) -> Result<Option<Self>, AtlasError> {
        let Some((map, wanted)) = split_moment(path) else {
            return Ok(None);
        };
        let folder = MapFolder::open(&map)?;
        let moment = Moments::open(folder.folder())?.find(&wanted)?.clone();
        Ok(Some(Self { map, moment }))
    }
}
