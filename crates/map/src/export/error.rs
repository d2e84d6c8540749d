//! The reasons why an export cannot be made.

use std::fmt;
use std::path::PathBuf;

use thiserror::Error;

use crate::atlas::{AtlasError, Content};
#[cfg(feature = "object-store")]
use crate::export::bucket::BucketError;
use crate::export::pictures::grid::PictureError;
use crate::store::PublishError;
use pixelmap_base::words::{FORCE, OUTPUT, RENDER, THREADS, TO, Word};

/// Why an export cannot be made.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The map cannot be read, or one of its tiles differs from its record in the manifest.
    #[error(fmt = fmt_map)]
    Map(#[from] AtlasError),
    /// The output cannot be written.
    #[error(transparent)]
    Publish(#[from] PublishError),
    /// The requested picture cannot be made.
    #[error(transparent)]
    Picture(PictureError),
    /// The folder contains something other than a map.
    #[error(
        "{} contains {}, but an export needs a map: name the folder of one",
        .0.display(),
        .1
    )]
    NotAMap(PathBuf, Content),
    /// The map does not show the requested layer or dimension: the requested name, and all names
    /// that the map shows.
    #[error("this map does not show {}; it shows {}", .0, .1.join(", "))]
    NotShown(String, Vec<String>),
    /// The map shows several layers or dimensions, and none was named: the option that names one,
    /// and the names that the map shows.
    #[error("this map shows {}: name one of them with {}", .1.join(", "), .0)]
    Several(Word, Vec<String>),
    /// The map is an archive, which does not contain all files that a bucket needs.
    #[error(
        "{} is an archive, but a bucket needs a map in a folder: name that folder",
        .0.display()
    )]
    BucketOfArchive(PathBuf),
    /// The output is among the map's own files, or the map is inside the output.
    #[error(
        "{} is inside the map, or the map is inside it: name another place with {OUTPUT}",
        .0.display()
    )]
    InMap(PathBuf),
    #[error("threads cannot be started ({0}): ask for fewer with {THREADS}")]
    Threads(String),
    /// The map is an archive, which has no moments for a time-lapse.
    #[error("{} is an archive, which has no history: name the folder of a map", .0.display())]
    TimelapseOfArchive(PathBuf),
    /// One moment of a map was named, but a time-lapse shows all of them.
    #[error(
        "a time-lapse shows all moments of a map: name {}, and the last moment with {TO}",
        .0.display()
    )]
    TimelapseOfMoment(PathBuf),
    /// An earlier moment of a map was named, but map mods only take the newest one.
    #[error("a map mod gets the newest state of a map: name {}", .0.display())]
    MapModOfMoment(PathBuf),
    /// One moment of a map was named, but a bucket takes the newest map together with all its
    /// moments.
    #[cfg(feature = "object-store")]
    #[error("a bucket gets the newest state of a map, with its moments: name {}", .0.display())]
    BucketOfMoment(PathBuf),
    /// The bucket cannot be written.
    #[cfg(feature = "object-store")]
    #[error(transparent)]
    Bucket(#[from] BucketError),
}

impl ExportError {
    /// Returns whether the same call may succeed later.
    pub fn retryable(&self) -> bool {
        match self {
            Self::Map(error) => error.retryable(),
            Self::Publish(error) => error.retryable(),
            #[cfg(feature = "object-store")]
            Self::Bucket(error) => error.retryable(),
            _ => false,
        }
    }
}

/// Formats the reason why a map cannot be read, with a remedy that fits an export.
fn fmt_map(error: &AtlasError, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let (path, wrong) = match error {
        AtlasError::Manifest(path, error) => {
            return write!(
                f,
                "{}: {error}: draw the map again with {RENDER}",
                path.display()
            );
        }
        AtlasError::Missing(path) => (path, "is missing".to_owned()),
        AtlasError::Changed(path) => (path, "is not the file that tiles.tsv names".to_owned()),
        AtlasError::NotATile(path, error) => (path, format!("cannot be decoded ({error})")),
        AtlasError::NoMap(_)
        | AtlasError::Io(..)
        | AtlasError::Archive(..)
        | AtlasError::Moment(_) => {
            return write!(f, "{error}");
        }
    };

    write!(
        f,
        "{} {wrong}: draw the map again with {RENDER} {FORCE}",
        path.display()
    )
}
