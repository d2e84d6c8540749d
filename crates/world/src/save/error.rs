//! Errors that keep a world from being opened or read.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::explored::MapMod;
use pixelmap_base::retry::retryable;
use pixelmap_base::words::AT;

/// The most worlds that the message names if a folder of several worlds was given.
const MAX_NAMED: usize = 20;

/// The reason why a folder cannot be drawn as a world.
#[derive(Debug, Error)]
pub enum WorldError {
    /// The folder does not exist.
    #[error("there is no folder {}: give the path of a world folder", .0.display())]
    Missing(PathBuf),
    #[error(
        "{} is a file: give the world folder it belongs to, or a .zip or .tar.gz of a world",
        .0.display()
    )]
    NotAFolder(PathBuf),
    #[error("cannot read {}: {}", .0.display(), .1)]
    Unreadable(PathBuf, io::Error),
    /// Its files show that it is something else. The texts are the rest of a sentence about the
    /// path, and the next step for the user.
    #[error("{} {}: {}", .0.display(), .1, .2)]
    Foreign(PathBuf, &'static str, Cow<'static, str>),
    /// An earlier state was wanted of a world that stores only one state.
    #[error(
        "{} stores only its present state: leave out {AT}, which is for files of zvcr",
        .0.display()
    )]
    NoPast(PathBuf),
    /// The folder is not the folder of one world of this map mod. The list names the folders of
    /// worlds inside.
    #[error("{}", not_explored(*.0, .1, .2))]
    NotExplored(MapMod, PathBuf, Vec<PathBuf>),
    /// No region file was found. The list names worlds in the folders directly inside.
    #[error("{}", no_regions(.0, .1))]
    NoRegions(PathBuf, Vec<PathBuf>),
}

impl WorldError {
    /// Returns the error for a folder of the user that cannot be opened.
    pub(crate) fn unopened(folder: &Path, error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing(folder.to_owned()),
            _ => Self::Unreadable(folder.to_owned(), error),
        }
    }

    /// Returns the error for a Git LFS pointer at `path`; `what` names the file that it replaces.
    pub(crate) fn pointer(path: PathBuf, what: &'static str) -> Self {
        Self::Foreign(path, what, "run git lfs pull in the repository".into())
    }

    /// Returns whether the same call may succeed later.
    pub fn retryable(&self) -> bool {
        matches!(self, Self::Unreadable(_, error) if retryable(error))
    }

    /// Turns an error in a part of the world into `None`, as if that part were absent.
    ///
    /// # Errors
    /// Fails if the same read may succeed later, because then the part must not count as absent.
    pub fn ok_unless_retryable<T>(path: &Path, read: io::Result<T>) -> Result<Option<T>, Self> {
        match read {
            Err(error) if retryable(&error) => Err(Self::Unreadable(path.to_owned(), error)),
            read => Ok(read.ok()),
        }
    }
}

/// Returns the message for a folder that is not the folder of one world of a map mod. `inside` are
/// the folders of worlds in it.
fn not_explored(map_mod: MapMod, folder: &Path, inside: &[PathBuf]) -> String {
    let name = map_mod.name();
    if inside.is_empty() {
        return format!(
            "{} has no regions of {name}: give the folder of one world or server, which has \
             folders such as {}",
            folder.display(),
            map_mod.example()
        );
    }

    let start = format!(
        "{} is not one world of {name}, but has worlds in it",
        folder.display()
    );
    with_worlds(start, inside)
}

/// Returns the message for a folder without region files. `inside` are the worlds in it.
fn no_regions(folder: &Path, inside: &[PathBuf]) -> String {
    let folder = folder.display();
    if inside.is_empty() {
        return format!(
            "no region file (r.X.Z.mca or .mcr) in {folder}: give a world folder, a dimension \
             folder or a region folder"
        );
    }

    let start = format!("{folder} is not a world, but has worlds in it");
    with_worlds(start, inside)
}

/// Returns a message that ends with the worlds to choose from.
fn with_worlds(start: String, worlds: &[PathBuf]) -> String {
    let mut text = start + ": give one of";

    // A line break in a name would look like the start of another world.
    for world in worlds.iter().take(MAX_NAMED) {
        text += "\n  ";
        text += &world.display().to_string().replace('\n', "\\n");
    }

    let more = worlds.len().saturating_sub(MAX_NAMED);
    if more > 0 {
        text += &format!("\n  and {more} more");
    }

    text
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn only_lasting_errors_count_as_absence() {
        let refused = |number| {
            WorldError::ok_unless_retryable::<()>(
                Path::new("w"),
                Err(io::Error::from_raw_os_error(number)),
            )
        };

        // ENFILE, EMFILE.
        for number in [23, 24] {
            assert!(refused(number).is_err_and(|error| error.retryable()));
        }

        // EACCES.
        assert!(refused(13).is_ok_and(|read| read.is_none()));
    }
}
