//! Looks at folders from time to time, and reports that a file changed. On network drives and in containers on macOS and
//! Windows, the system reports no changes of files that another machine writes.
//!
//! Keeps one number per folder, however many files there are.

use std::fs;
use std::hash::{Hash as _, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::Builder;
use std::time::Duration;

use twox_hash::XxHash3_64;

/// The time between two looks, unless the owner names another.
pub const POLL_EVERY: Duration = Duration::from_mins(5);

/// A look at folders from time to time, until it is dropped.
#[derive(Debug)]
pub(super) struct Poll {
    /// The thread ends when this is gone.
    _end: Sender<()>,
}

impl Poll {
    /// Looks at folders now and each time that `every` has passed; `report` is called after a look that finds a change.
    ///
    /// # Errors
    /// No thread can be started.
    pub(super) fn start(
        folders: Vec<PathBuf>,
        every: Duration,
        report: impl FnMut() + Send + 'static,
    ) -> io::Result<Self> {
        let (end, ended) = channel();
        Builder::new().name("poll".to_owned()).spawn(move || look_again(&folders, every, &ended, report))?;
        Ok(Self { _end: end })
    }
}

fn look_again(folders: &[PathBuf], every: Duration, ended: &Receiver<()>, mut report: impl FnMut()) {
    let mut seen: Vec<Option<u64>> = folders.iter().map(|folder| state(folder).ok()).collect();
    while ended.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
        let mut has_changed = false;
        for (folder, seen) in folders.iter().zip(&mut seen) {
            // A folder that cannot be read now may be the same when it is back.
            let Ok(now) = state(folder) else { continue };
            has_changed |= seen.replace(now) != Some(now);
        }
        if has_changed {
            report();
        }
    }
}

/// A number that differs when a file in the folder has another length or time, or is new or gone.
fn state(folder: &Path) -> io::Result<u64> {
    let mut state = 0_u64;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let part = match fs::metadata(&path) {
            Ok(metadata) if metadata.is_dir() => state_of(&path, &self::state(&path)?),
            Ok(metadata) => state_of(&path, &(metadata.len(), metadata.modified().ok())),
            // The game removes files at any time, and a link may lead nowhere.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        // Folders are listed in any order, so that the order must not count.
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
#[allow(clippy::disallowed_methods, reason = "test files are no output of the program")]
mod tests {
    use super::*;

    #[test]
    fn a_look_finds_each_kind_of_change() {
        let root = tempfile::tempdir().unwrap();
        let below = root.path().join("region/1a");
        fs::create_dir_all(&below).unwrap();
        let (report, reports) = channel();
        let folders = vec![root.path().join("region")];
        let report = move || report.send(()).unwrap_or_default();
        let poll = Poll::start(folders, Duration::from_millis(10), report).unwrap();
        let is_seen = |patience| reports.recv_timeout(Duration::from_millis(patience)).is_ok();
        assert!(!is_seen(300), "nothing has changed");
        let file = below.join("c.0.0.dat");
        fs::write(&file, "new").unwrap();
        assert!(is_seen(60_000), "a new file");
        while is_seen(300) {}
        fs::write(&file, "longer").unwrap();
        assert!(is_seen(60_000), "a longer file");
        while is_seen(300) {}
        let earlier = std::time::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        fs::File::options().write(true).open(&file).unwrap().set_modified(earlier).unwrap();
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
