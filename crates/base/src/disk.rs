//! Answers questions about paths that a user named, and decides whether two paths lead to the same
//! place. All queries report errors of the file system instead of treating them as "not there".
//! Links are followed, because the user chose the path; files inside an output are read through
//! [`own_folder`](super::own_folder) instead.

use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

#[cfg(any(test, feature = "faults"))]
pub use super::faults::fail_query;

#[cfg(not(any(test, feature = "faults")))]
#[allow(clippy::unnecessary_wraps, reason = "in tests it fails")]
pub const fn fail_query(_: &Path) -> io::Result<()> {
    Ok(())
}

/// The length of the longest file that is read whole. A map of ten million regions has a `map.json`
/// of about this length.
pub(crate) const MAX_FILE: u64 = 128 << 20;

/// Opens a regular file for reading. Refuses anything else, because opening a pipe would wait for a
/// writer, and some devices never end.
///
/// # Errors
/// Fails if the path cannot be opened, or is not a regular file.
pub fn open_file(path: &Path) -> io::Result<File> {
    fail_query(path)?;
    if path.metadata()?.is_file() {
        File::open(path)
    } else {
        Err(not_a_file())
    }
}

/// Describes the file or folder at a path, following links. Returns `None` if nothing is there.
/// This is used instead of `Path::exists`, `is_file` and `is_dir`, because they return false if the
/// system fails for a moment, and a run that believed them would publish or remove the wrong files.
///
/// # Errors
/// Fails if the system does not answer.
pub fn facts(path: &Path) -> io::Result<Option<Metadata>> {
    fail_query(path)?;
    if_there(path.metadata())
}

/// Describes the file, folder or link at a path, without following the link. Returns `None` if
/// nothing is there.
///
/// # Errors
/// Fails if the system does not answer.
pub fn facts_of_link(path: &Path) -> io::Result<Option<Metadata>> {
    fail_query(path)?;
    if_there(path.symlink_metadata())
}

/// Returns whether a regular file is at a path.
///
/// # Errors
/// Fails if the system does not answer.
pub fn is_file(path: &Path) -> io::Result<bool> {
    Ok(facts(path)?.is_some_and(|there| there.is_file()))
}

/// Returns whether a folder is at a path.
///
/// # Errors
/// Fails if the system does not answer.
pub fn is_folder(path: &Path) -> io::Result<bool> {
    Ok(facts(path)?.is_some_and(|there| there.is_dir()))
}

/// Turns the error of an absent file into `None`. An existing file that cannot be read stays an
/// error.
pub fn if_there<T>(read: io::Result<T>) -> io::Result<Option<T>> {
    match read {
        Err(error) if is_absent(&error) || error.kind() == io::ErrorKind::InvalidInput => Ok(None),
        read => read.map(Some),
    }
}

/// Returns whether an error means that the file is absent.
pub fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// Returns the error for a path that leads to something other than a regular file.
pub fn not_a_file() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "this is not a regular file")
}

/// Reads a regular file. A file that is longer than `MAX_FILE` was not written by this program
/// and counts as absent.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_file(path)?
        .take(MAX_FILE + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE {
        Err(not_a_file())
    } else {
        Ok(bytes)
    }
}

/// Returns the absolute path, with links resolved in the part that exists.
pub fn full_path(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let there = absolute
        .ancestors()
        .find_map(|part| Some((part, part.canonicalize().ok()?)));
    let Some((part, mut full)) = there else {
        return absolute;
    };

    // The remaining part does not exist, so it cannot contain links, and `..` simply removes one
    // name.
    for component in absolute.strip_prefix(part).unwrap_or(Path::new("")) {
        if component == ".." {
            full.pop();
        } else {
            full.push(component);
        }
    }

    full
}

/// Returns whether two paths lead to the same file or folder, whatever links they contain. Two
/// names of one file (hard links) count as two places, because each can be replaced without the
/// other.
pub fn is_one_place(a: &Path, b: &Path) -> bool {
    full_path(a) == full_path(b) || is_one_folder(a, b)
}

/// Returns whether a path is another one or below it. Both must be [full](full_path).
pub fn is_inside(inner: &Path, outer: &Path) -> bool {
    // A folder that is mounted in a second place has two full paths, so paths alone are not enough.
    inner.starts_with(outer)
        || folder_id(outer).is_some_and(|outer| {
            inner
                .ancestors()
                .any(|around| folder_id(around) == Some(outer))
        })
}

fn is_one_folder(a: &Path, b: &Path) -> bool {
    folder_id(a).is_some_and(|folder| folder_id(b) == Some(folder))
}

/// Returns the device and the number of a folder, which are the same wherever it is mounted.
#[cfg(unix)]
fn folder_id(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    path.metadata()
        .ok()
        .filter(Metadata::is_dir)
        .map(|entry| (entry.dev(), entry.ino()))
}

#[cfg(not(unix))]
const fn folder_id(_: &Path) -> Option<(u64, u64)> {
    None
}
