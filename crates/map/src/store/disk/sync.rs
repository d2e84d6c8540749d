//! Syncs files to the disk. A file must be on the disk before another file refers to it, otherwise
//! a power cut could leave the reference without the file.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::store::error::PublishError;
use pixelmap_base::disk::if_there;

/// Syncs these files, all of them below `root`, and their folder entries. Missing files are
/// skipped.
///
/// # Errors
/// A file or a folder could not be written to the disk.
pub(crate) fn files(root: &Path, paths: &[PathBuf]) -> Result<(), PublishError> {
    if whole_file_system(root).map_err(PublishError::io(root))? {
        return Ok(());
    }

    let mut folders: Vec<&Path> = Vec::new();
    for path in paths {
        // Windows refuses to sync a file that is only open for reading.
        let opened = File::options().read(true).write(cfg!(windows)).open(path);
        if_there(opened.and_then(|file| file.sync_all())).map_err(PublishError::io(path))?;
        folders.extend(
            path.ancestors()
                .skip(1)
                .take_while(|folder| folder.starts_with(root)),
        );
    }

    folders.sort_unstable();
    folders.dedup();

    for folder in folders {
        // A system that cannot open a folder as a file stores the folder's entries together with
        // the files.
        File::open(folder)
            .and_then(|opened| opened.sync_all())
            .or_else(unless_lost)
            .map_err(PublishError::io(folder))?;
    }

    Ok(())
}

/// Syncs the whole file system with one call, because syncing a single file takes milliseconds, and
/// hundreds take seconds. Returns whether that was done.
#[cfg(target_os = "linux")]
fn whole_file_system(root: &Path) -> io::Result<bool> {
    // If the folder cannot be opened for any reason, its files are synced one by one.
    let Ok(folder) = File::open(root) else {
        return Ok(false);
    };
    rustix::fs::syncfs(&folder)
        .map(|()| true)
        .or_else(|refused| unless_lost(refused.into()).map(|()| false))
}

#[cfg(not(target_os = "linux"))]
#[expect(clippy::unnecessary_wraps, reason = "on Linux it can fail")]
fn whole_file_system(_: &Path) -> io::Result<bool> {
    Ok(false)
}

/// Accepts the system's refusal if it means only that the system cannot do this, and not that data
/// did not reach the disk.
fn unless_lost(refused: io::Error) -> io::Result<()> {
    use io::ErrorKind as Kind;
    let cannot = matches!(
        refused.kind(),
        Kind::Unsupported | Kind::InvalidInput | Kind::PermissionDenied
    );
    if cannot { Ok(()) } else { Err(refused) }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_lost_write_is_reported_as_an_error() {
        // EPERM (of a sandbox), EINVAL, ENOSYS, EOPNOTSUPP.
        for cannot in [1, 22, 38, 95] {
            assert!(
                unless_lost(io::Error::from_raw_os_error(cannot)).is_ok(),
                "{cannot}"
            );
        }

        // EIO, ENOSPC, EROFS, ESTALE, EDQUOT.
        for lost in [5, 28, 30, 116, 122] {
            assert!(
                unless_lost(io::Error::from_raw_os_error(lost)).is_err(),
                "{lost}"
            );
        }
    }
}
