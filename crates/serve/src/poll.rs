//! Checks folders from time to time and reports that a file changed. This is needed on network
//! drives, and in containers on macOS and Windows, because there the system does not report changes
//! of files that another machine writes.
//!
//! Memory is small, because one number summarises all files of a folder.

use std::fs;
use std::hash::{Hash as _, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::Builder;
use std::time::Duration;

use twox_hash::XxHash3_64;

/// The time between two checks, unless the owner sets another.
pub const POLL_EVERY: Duration = Duration::from_mins(5);

/// Checks folders on a thread of its own until it is dropped.
#[derive(Debug)]
pub(super) struct Poll {
    /// Dropping it ends the thread.
    _end: Sender<()>,
}

impl Poll {
    /// Checks folders now and then every `every`. Calls `report` after a check that finds a change.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub(super) fn start(
        folders: Vec<PathBuf>,
        every: Duration,
        report: impl FnMut() + Send + 'static,
    ) -> io::Result<Self> {
        let (end, ended) = channel();
        Builder::new()
            .name("poll".to_owned())
            .spawn(move || look_again(&folders, every, &ended, report))?;
        Ok(Self { _end: end })
    }
}

fn look_again(
    folders: &[PathBuf],
    every: Duration,
    ended: &Receiver<()>,
    mut report: impl FnMut(),
) {
    let mut seen: Vec<Option<u64>> = folders.iter().map(|folder| state(folder).ok()).collect();
    while ended.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
        let mut has_changed = false;
        for (folder, seen) in folders.iter().zip(&mut seen) {
            // A folder that cannot be read now, such as a missing drive, may be unchanged when it
            // is back.
            let Ok(now) = state(folder) else { continue };
            has_changed |= seen.replace(now) != Some(now);
        }

        if has_changed {
            report();
        }
    }
}

/// Returns a number that changes when a file in the folder is added, is removed, or gets another
/// length or time.
fn state(folder: &Path) -> io::Result<u64> {
    let mut state = 0_u64;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let part = match fs::metadata(&path) {
            Ok(metadata) if metadata.is_dir() => state_of(&path, &self::state(&path)?),
            Ok(metadata) => state_of(&path, &(metadata.len(), metadata.modified().ok())),
            // A file can be missing because the game removes files at any time, or because a link
            // leads nowhere.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };

        // The sum does not depend on the order, because the system lists a folder in any order.
        state = state.wrapping_add(part);
    }

    Ok(state)
}

fn state_of(path: &Path, facts: &impl std::hash::Hash) -> u64 {
    let mut hasher = XxHash3_64::with_seed(0);
    path.hash(&mut hasher);
    facts.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
#[allow(
    clippy::disallowed_methods,
    reason = "test files are no output of the program"
)]
mod tests {
    use super::*;

    #[test]
    fn polling_finds_every_kind_of_change() {
        let root = tempfile::tempdir().unwrap();
        let below = root.path().join("region/1a");
        fs::create_dir_all(&below).unwrap();
        let (report, reports) = channel();
        let folders = vec![root.path().join("region")];
        let report = move || report.send(()).unwrap_or_default();
        let poll = Poll::start(folders, Duration::from_millis(10), report).unwrap();

        let is_seen = |patience| {
            reports
                .recv_timeout(Duration::from_millis(patience))
                .is_ok()
        };

        assert!(!is_seen(300), "nothing has changed");

        let file = below.join("c.0.0.dat");
        fs::write(&file, "new").unwrap();
        assert!(is_seen(60_000), "a new file");
        while is_seen(300) {}
        fs::write(&file, "longer").unwrap();
        assert!(is_seen(60_000), "a longer file");
        while is_seen(300) {}

        let earlier = std::time::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        fs::File::options()
            .write(true)
            .open(&file)
            .unwrap()
            .set_modified(earlier)
            .unwrap();

        assert!(is_seen(60_000), "a file with another time");
        while is_seen(300) {}
        fs::remove_file(&file).unwrap();
        assert!(is_seen(60_000), "a file that is gone");
        while is_seen(300) {}

        fs::rename(root.path().join("region"), root.path().join("away")).unwrap();
        assert!(!is_seen(300), "a drive that is away for a while");
        fs::rename(root.path().join("away"), root.path().join("region")).unwrap();
        assert!(!is_seen(300), "and back as it was");
        drop(poll);
        assert!(reports.recv().is_err(), "the thread has ended");
    }
}
