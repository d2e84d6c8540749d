//! Finds out whether a game has a map open.
//!
//! The mod holds a lock on a file while it runs, and leaves the file when it ends. So the file alone
//! means nothing.

use std::fs::{File, TryLockError};
use std::io;

use super::error::XaeroError;
use pixelmap_base::own_folder::{OwnFolder, Place};
use pixelmap_map::store::PublishError;

/// The file whose lock the mod holds.
const LOCK: &str = ".lock";

/// Fails if a game holds the lock of one of these paths in a folder.
pub(crate) fn check_locks(folder: &OwnFolder, paths: &[String]) -> Result<(), XaeroError> {
    for path in paths {
        let place = folder
            .place(path)
            .map_err(PublishError::io(folder.path()))?;
        if let Some(held) = held(&place).map_err(PublishError::io(&place.path()))? {
            return Err(XaeroError::Running(held.path()));
        }
    }

    Ok(())
}

/// Returns the place of the lock file in a folder if a game holds it.
fn held(folder: &Place) -> io::Result<Option<Place>> {
    let place = folder.inside(LOCK);
    if !place.is_file()? {
        return Ok(None);
    }

    let file = place.open()?;
    Ok((is_held(&file)? || is_held_by_java(&file)?).then_some(place))
}

fn is_held(file: &File) -> io::Result<bool> {
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) if error.kind() != io::ErrorKind::Unsupported => Err(error),
        _ => {
            file.unlock()?;
            Ok(false)
        }
    }
}

/// Returns whether the lock of a process is on the file: the kind that Java takes on Unix, which the
/// lock of an open file does not notice.
#[cfg(unix)]
fn is_held_by_java(file: &File) -> io::Result<bool> {
    use rustix::fs::{FlockOperation, fcntl_lock};
    use rustix::io::Errno;

    match fcntl_lock(file, FlockOperation::NonBlockingLockShared) {
        Ok(()) => Ok(false),
        Err(Errno::AGAIN | Errno::ACCESS) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(unix))]
fn is_held_by_java(_: &File) -> io::Result<bool> {
    Ok(false)
}
