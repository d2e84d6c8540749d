//! The reasons why a finished map cannot be read. Most messages name the file and a remedy.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use pixelmap_base::own_folder::{Place, is_link_error};
use pixelmap_base::retry::{describe, retryable};
use pixelmap_base::words::{FROM, HISTORY, RENDER, TO, VERIFY};
use pixelmap_tile::NotATile;

/// Why a finished map cannot be read.
#[derive(Debug, Error)]
pub enum AtlasError {
    /// The folder does not hold a finished map.
    #[error(
        "{} does not contain a finished map of pixelmap: name the folder that {RENDER} made",
        .0.display()
    )]
    NoMap(PathBuf),
    /// A file cannot be read.
    #[error(fmt = fmt_io)]
    Io(PathBuf, #[source] io::Error),
    /// An archive is damaged or was not written by pixelmap; the text is the fault.
    #[error("{}: {}: make the archive again", .0.display(), .1)]
    Archive(PathBuf, String),
    /// A manifest has a damaged line or cannot be read.
    #[error("{}: {}: draw the map again, or save the file again", .0.display(), .1)]
    Manifest(PathBuf, #[source] ManifestError),
    /// A file that a manifest names is missing.
    #[error("{} is missing: draw the map again ({VERIFY} lists all faults)", .0.display())]
    Missing(PathBuf),
    /// A file differs from the one that a manifest names.
    #[error(
        "{} is not the file that its manifest names: draw the map again ({VERIFY} lists all faults)",
        .0.display()
    )]
    Changed(PathBuf),
    /// The requested moment does not exist.
    #[error(transparent)]
    Moment(MomentError),
    /// A tile cannot be decoded.
    #[error("{} is {}: draw the map again", .0.display(), .1)]
    NotATile(PathBuf, #[source] NotATile),
}

impl AtlasError {
    pub fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::Io(path, error)
    }

    pub fn at(place: &Place) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::Io(place.path(), error)
    }

    /// Returns whether a file cannot be read because it is a link, or because a link is on the way
    /// to it.
    pub fn is_link(&self) -> bool {
        matches!(self, Self::Io(_, error) if is_link_error(error))
    }

    /// Returns whether the same call may succeed later.
    pub fn retryable(&self) -> bool {
        matches!(self, Self::Io(_, error) if retryable(error))
    }
}

/// Formats the reason why a file cannot be read.
fn fmt_io(path: &Path, error: &io::Error, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if is_link_error(error) {
        // The error itself names the link, which may be further up in the path.
        return write!(f, "{error}");
    }
    if error.kind() == io::ErrorKind::IsADirectory {
        return write!(
            f,
            "{} is a folder, but a file belongs there: move the folder away",
            path.display()
        );
    }

    write!(f, "{}: {}", path.display(), describe(error))
}

/// Why a manifest cannot be read completely.
#[derive(Debug, Error)]
pub enum ManifestError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(io::Error),
    /// The line with this number, counted from 1, is damaged or out of order.
    #[error("line {0} is not a line of a manifest, or out of order")]
    Line(u64),
}

/// Why a moment cannot be found.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MomentError {
    /// The map does not have a history.
    #[error("{} has no history: draw it with {HISTORY} to remember its moments", .0.display())]
    NoHistory(PathBuf),
    /// No moment has this time or label: the text, and the times of the first and the last moment.
    #[error(
        "there is no moment {}: the first is from {}, the last from {}; give a time (2026-05-01 or \
         2026-05-01T12:00), a label, or the number of moments back (-3)",
        .0.escape_debug(),
        .1[0],
        .1[1]
    )]
    NotThere(String, [String; 2]),
    /// The first moment of a range is later than the last one. Contains both as the user wrote
    /// them.
    #[error(
        "there is no moment from {} to {}: name an earlier one with {FROM}, or a later one with \
         {TO}",
        .0[0].escape_debug(),
        .0[1].escape_debug()
    )]
    NoneBetween([String; 2]),
}
