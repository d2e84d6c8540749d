//! Changes a map folder safely: readers always find whole files, and the next run can go on if a
//! run is killed.
//!
//! A tile appears by rename, so no reader ever sees half of a tile; a tile whose bytes did not
//! change keeps its file. The manifest, `map.json` and removals come last, so a run that is ended
//! early leaves every earlier tile in the map. This module handles neither pixels nor chunks: it
//! receives a tile as the bytes of a finished file.

pub(crate) mod commit;
pub(crate) mod disk;
mod folder;
pub(crate) mod journal;
mod parts;

pub use commit::change_list::ChangeLists;
pub use commit::file_changes::Commit;
pub use commit::forget::ForgetPlan;
pub use disk::new_file::{NewFile, check_file, no_page, put_at, put_file, put_page_beside};
pub use disk::scratch::Scratch;
#[cfg(feature = "object-store")]
pub use folder::identity::begun_path;
pub use folder::identity::{Identity, WantedNaming, begun_copy};
pub use folder::output::{FileFacts, Output, Put};
pub use journal::compact::{CompactJournal, CompletedLayers, compact};
pub use journal::entry::{JournalEntry, LayerKey};
pub use journal::journal_file::{Journal, JournalRecord};
pub use parts::{Adoption, FoundPart};

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::atlas::{AtlasError, Content, Naming, STATE};
use crate::base::denied::describe_write;
use crate::base::disk::{full_path, is_inside};
use crate::base::own_folder::{Place, is_link_error};
use crate::base::retry::{describe, retryable};
use crate::base::words::{FORMAT, OUTPUT, SCHEME};

/// The reason why an output folder cannot be used or written.
#[derive(Debug)]
pub enum PublishError {
    /// The path is a file, or no folder can be made there.
    NotAFolder(PathBuf),
    /// The path of a picture or an archive is a folder.
    IsAFolder(PathBuf),
    /// The path is neither a file nor a folder.
    NotAFile(PathBuf),
    /// The folder is not empty and contains nothing of pixelmap.
    NotOurs(PathBuf),
    /// The output is inside the world, or the world is inside it.
    InsideWorld(PathBuf),
    /// The folder holds this other content of pixelmap.
    OtherContent(PathBuf, Content),
    /// The tiles of the folder have this other naming.
    OtherNaming(PathBuf, Naming),
    /// The folder shows another world, which has this name.
    OtherWorld(PathBuf, String),
    /// The folder does not contain a finished map.
    NoMap(PathBuf),
    /// Another run holds the folder. The text names its process, and is empty if the process is not
    /// recorded.
    Held(PathBuf, String),
    /// A file could not be read or written.
    Io(PathBuf, io::Error),
}

impl PublishError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::Io(path, error)
    }

    pub(crate) fn at(place: &Place) -> impl FnOnce(io::Error) -> Self {
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

impl fmt::Display for PublishError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAFolder(path) => {
                write!(
                    f,
                    "{} is not a folder: name a folder with {OUTPUT}",
                    path.display()
                )
            }
            Self::NotAFile(path) => {
                write!(
                    f,
                    "{} is a device or a pipe: name a file with {OUTPUT}",
                    path.display()
                )
            }
            Self::IsAFolder(path) => {
                write!(
                    f,
                    "{} is a folder: name a file with {OUTPUT}",
                    path.display()
                )
            }
            Self::NotOurs(path) => write!(
                f,
                "{} is not empty, and pixelmap did not make it: name a new or empty folder with \
                 {OUTPUT}",
                path.display()
            ),
            Self::InsideWorld(path) => {
                write!(
                    f,
                    "{} is inside the world, or the world is inside it: name another place with \
                     {OUTPUT}",
                    path.display()
                )
            }
            Self::OtherContent(path, content) => {
                write!(
                    f,
                    "{} contains {content}: name another folder with {OUTPUT}, or remove this one \
                     first",
                    path.display()
                )
            }
            Self::OtherNaming(path, Naming { scheme, format }) => write!(
                f,
                "{} was begun with {SCHEME} {} {FORMAT} {}, which cannot change: leave them out, \
                 or name a new folder with {OUTPUT}",
                path.display(),
                scheme.name(),
                format.name()
            ),
            Self::OtherWorld(path, name) => write!(
                f,
                "{} shows another world ({}): name another folder with {OUTPUT}, or remove this \
                 one first",
                path.display(),
                name.escape_debug()
            ),
            Self::NoMap(path) => AtlasError::NoMap(path.clone()).fmt(f),
            Self::Held(path, holder) => {
                write!(
                    f,
                    "{} is held by another run{holder}: try again when it has ended",
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
            Self::Io(path, error) if is_of_disk(error) => {
                write!(f, "{}: {}", asked_for(path).display(), describe(error))
            }
            Self::Io(path, error) => {
                write!(f, "{}: {}", path.display(), describe_write(path, error))
            }
        }
    }
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

impl std::error::Error for PublishError {}

/// Checks that an output is not inside a folder of the world, and that no folder of the world is
/// inside the output.
///
/// # Errors
/// One of them is inside the other.
pub fn check_apart<'a>(
    root: &Path,
    world: impl IntoIterator<Item = &'a PathBuf>,
) -> Result<(), PublishError> {
    let full = full_path(root);
    let mut world = world.into_iter().map(|folder| full_path(folder));
    if world.any(|folder| is_inside(&full, &folder) || is_inside(&folder, &full)) {
        return Err(PublishError::InsideWorld(root.to_owned()));
    }

    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

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
