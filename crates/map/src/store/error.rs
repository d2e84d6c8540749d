//! The reasons why an output cannot be used or written.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::atlas::{AtlasError, Content, Naming, STATE};
use pixelmap_base::denied::describe_write;
use pixelmap_base::own_folder::{Place, is_link_error};
use pixelmap_base::retry::{describe, retryable};
use pixelmap_base::words::{FORMAT, OUTPUT, SCHEME};

/// The reason why an output folder cannot be used or written.
#[derive(Debug, Error)]
pub enum PublishError {
    /// The path is a file, or no folder can be made there.
    #[error("{} is not a folder: name a folder with {OUTPUT}", .0.display())]
    NotAFolder(PathBuf),
    /// The path of a picture or an archive is a folder.
    #[error("{} is a folder: name a file with {OUTPUT}", .0.display())]
    IsAFolder(PathBuf),
    /// The path is neither a file nor a folder.
    #[error("{} is a device or a pipe: name a file with {OUTPUT}", .0.display())]
    NotAFile(PathBuf),
    /// The folder is not empty and contains nothing of pixelmap.
    #[error(
        "{} is not empty, and pixelmap did not make it: name a new or empty folder with {OUTPUT}",
        .0.display()
    )]
    NotOurs(PathBuf),
    /// The output is inside the world, or the world is inside it.
    #[error(
        "{} is inside the world, or the world is inside it: name another place with {OUTPUT}",
        .0.display()
    )]
    InsideWorld(PathBuf),
    /// The folder holds this other content of pixelmap.
    #[error(
        "{} contains {}: name another folder with {OUTPUT}, or remove this one first",
        .0.display(),
        .1
    )]
    OtherContent(PathBuf, Content),
    /// The tiles of the folder have this other naming.
    #[error(
        "{} was begun with {SCHEME} {} {FORMAT} {}, which cannot change: leave them out, or name \
         a new folder with {OUTPUT}",
        .0.display(),
        .1.scheme.name(),
        .1.format.name()
    )]
    OtherNaming(PathBuf, Naming),
    /// The folder shows another world, which has this name.
    #[error(
        "{} shows another world ({}): name another folder with {OUTPUT}, or remove this one first",
        .0.display(),
        .1.escape_debug()
    )]
    OtherWorld(PathBuf, String),
    /// The folder does not contain a finished map.
    #[error("{}", AtlasError::NoMap(.0.clone()))]
    NoMap(PathBuf),
    /// Another run holds the folder. The text names its process, and is empty if the process is not
    /// recorded.
    #[error("{} is held by another run{}: try again when it has ended", .0.display(), .1)]
    Held(PathBuf, String),
    /// A file could not be read or written.
    #[error(fmt = fmt_io)]
    Io(PathBuf, #[source] io::Error),
}

impl PublishError {
    pub fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::Io(path, error)
    }

    pub fn at(place: &Place) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::Io(place.path(), error)
    }

    /// Returns whether the same call may succeed later.
    pub fn retryable(&self) -> bool {
        match self {
            Self::Held(..) => true,
            Self::Io(_, error) => retryable(error),
            _ => false,
        }
    }
}

/// Formats the reason why a file could not be read or written.
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
    if is_of_disk(error) {
        return write!(f, "{}: {}", asked_for(path).display(), describe(error));
    }

    write!(f, "{}: {}", path.display(), describe_write(path, error))
}

/// Returns whether an error concerns the whole disk, and not only the file that was written.
fn is_of_disk(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    )
}

/// Returns the output to which a file belongs if the user did not name the file: one in the state
/// folder, or a hidden one next to the output. Returns other paths unchanged.
fn asked_for(path: &Path) -> PathBuf {
    let mut asked = PathBuf::new();
    for part in path {
        let name = part.to_string_lossy();
        let hidden = name
            .strip_prefix('.')
            .and_then(|name| name.strip_suffix(".map").or(name.strip_suffix(".part")));
        match hidden {
            _ if part == STATE && asked.as_os_str().is_empty() => return PathBuf::from("."),
            _ if part == STATE => return asked,
            Some(name) => return asked.join(name),
            _ => asked.push(part),
        }
    }

    asked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unreadable_file_keeps_its_cause() {
        use std::error::Error as _;

        let missing = io::Error::from(io::ErrorKind::NotFound);
        let error = PublishError::Io(PathBuf::from("map.json"), missing);
        let cause = error
            .source()
            .and_then(|cause| cause.downcast_ref::<io::Error>());
        assert_eq!(cause.map(io::Error::kind), Some(io::ErrorKind::NotFound));
    }

    #[test]
    fn a_full_disk_is_reported_with_the_output() {
        let told = |path: &str, kind: io::ErrorKind| {
            PublishError::Io(PathBuf::from(path), kind.into()).to_string()
        };

        let full = io::ErrorKind::StorageFull;
        for (path, asked) in [
            ("/srv/map/.pixelmap/tmp/3", "/srv/map: the disk is full: "),
            (".pixelmap/journal", ".: the disk is full: "),
            ("out/.world.png.map/.pixelmap/tmp/0", "out/world.png: "),
            ("out/.world.pmtiles.part", "out/world.pmtiles: "),
            (
                "map/overworld/day/17/0/0.png",
                "map/overworld/day/17/0/0.png: ",
            ),
        ] {
            assert!(told(path, full).starts_with(asked), "{}", told(path, full));
        }

        assert!(
            told("map/.pixelmap/commit", io::ErrorKind::Other)
                .starts_with("map/.pixelmap/commit: ")
        );
    }
}
