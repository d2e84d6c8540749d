//! The reasons why a finished map cannot be read. Most messages name the file and a remedy.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::base::own_folder::{Place, is_link_error};
use crate::base::retry::{describe, retryable};
use crate::base::words::{FROM, HISTORY, RENDER, TO, VERIFY};
use crate::tile::NotATile;

/// Why a finished map cannot be read.
#[derive(Debug)]
pub enum AtlasError {
    /// The folder does not hold a finished map.
    NoMap(PathBuf),
    /// A file cannot be read.
    Io(PathBuf, io::Error),
    /// An archive is damaged or was not written by pixelmap; the text is the fault.
    Archive(PathBuf, String),
    /// A manifest has a damaged line or cannot be read.
    Manifest(PathBuf, ManifestError),
    /// A file that a manifest names is missing.
    Missing(PathBuf),
    /// A file differs from the one that a manifest names.
    Changed(PathBuf),
    /// The requested moment does not exist.
    Moment(MomentError),
    /// A tile cannot be decoded.
    NotATile(PathBuf, NotATile),
}

impl AtlasError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::Io(path, error)
    }

    pub(crate) fn at(place: &Place) -> impl FnOnce(io::Error) -> Self {
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

impl fmt::Display for AtlasError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoMap(path) => {
                write!(
                    f,
                    "{} does not contain a finished map of pixelmap: name the folder that {RENDER} \
                     made",
                    path.display()
                )
            }
            // The error itself names the link, which may be further up in the path.
            Self::Io(_, error) if is_link_error(error) => error.fmt(f),
            Self::Io(path, error) if error.kind() == io::ErrorKind::IsADirectory => {
                write!(
                    f,
                    "{} is a folder, but a file belongs there: move the folder away",
                    path.display()
                )
            }
            Self::Io(path, error) => write!(f, "{}: {}", path.display(), describe(error)),
            Self::Archive(path, error) => {
                write!(f, "{}: {error}: make the archive again", path.display())
            }
            Self::Manifest(path, error) => {
                write!(
                    f,
                    "{}: {error}: draw the map again, or save the file again",
                    path.display()
                )
            }
            Self::Missing(path) => {
                write!(
                    f,
                    "{} is missing: draw the map again ({VERIFY} lists all faults)",
                    path.display()
                )
            }
            Self::Changed(path) => write!(
                f,
                "{} is not the file that its manifest names: draw the map again ({VERIFY} lists \
                 all faults)",
                path.display()
            ),
            Self::Moment(error) => error.fmt(f),
            Self::NotATile(path, error) => {
                write!(f, "{} is {error}: draw the map again", path.display())
            }
        }
    }
}

impl std::error::Error for AtlasError {}

/// Why a manifest cannot be read completely.
#[derive(Debug)]
pub enum ManifestError {
    /// The file cannot be read.
    Io(io::Error),
    /// The line with this number, counted from 1, is damaged or out of order.
    Line(u64),
}

impl fmt::Display for ManifestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Line(number) => write!(
                f,
                "line {number} is not a line of a manifest, or out of order"
            ),
        }
    }
}

impl std::error::Error for ManifestError {}

/// Why a moment cannot be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MomentError {
    /// The map does not have a history.
    NoHistory(PathBuf),
    /// No moment has this time or label: the text, and the times of the first and the last moment.
    NotThere(String, [String; 2]),
    /// The first moment of a range is later than the last one. Contains both as the user wrote
    /// them.
    NoneBetween([String; 2]),
}

impl fmt::Display for MomentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoHistory(map) => {
                write!(
                    f,
                    "{} has no history: draw it with {HISTORY} to remember its moments",
                    map.display()
                )
            }
            Self::NotThere(wanted, [first, last]) => write!(
                f,
                "there is no moment {}: the first is from {first}, the last from {last}; give a \
                 time (2026-05-01 or 2026-05-01T12:00), a label, or the number of moments back \
                 (-3)",
                wanted.escape_debug()
            ),
            Self::NoneBetween([from, to]) => write!(
                f,
                "there is no moment from {} to {}: name an earlier one with {FROM}, or a later one \
                 with {TO}",
                from.escape_debug(),
                to.escape_debug()
            ),
        }
    }
}
