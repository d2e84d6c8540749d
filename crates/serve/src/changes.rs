//! Waits until the files of a world change, so that `follow` can draw the map again while the world
//! is played.
//!
//! The system reports most changes. `poll` finds the others on drives that report none. A wait ends
//! only after the changes have paused, because a game saves for seconds and drawing half of a save
//! would be wasted.

use std::fmt;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::poll::Poll;
use pixelmap_base::mutex;

/// A wait ends after this time without a change, because a game needs seconds to save.
const QUIET: Duration = Duration::from_secs(3);
/// The longest time from the first change until the wait ends, even if further changes follow.
const LATEST: Duration = Duration::from_secs(30);
/// The longest time between two checks of folders that the system cannot watch.
const LOOK_EVERY: Duration = Duration::from_secs(30);

/// An event that ends a wait.
enum WaitEvent {
    Changed,
    /// The drawing with this number has failed.
    Failed(u64),
    Stop,
}

/// A watch for changed files in some folders.
pub(super) struct Changes {
    /// Dropping it ends the watch.
    _watcher: Mutex<Option<RecommendedWatcher>>,
    /// Dropping it ends the polling.
    _poll: Mutex<Option<Poll>>,
    events: Mutex<Receiver<WaitEvent>>,
    sender: Sender<WaitEvent>,
    /// The time without a change after which a wait ends.
    quiet: Duration,
    /// The number of drawings that have begun.
    drawings: AtomicU64,
}

impl fmt::Debug for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Changes").finish_non_exhaustive()
    }
}

impl Changes {
    /// Begins to watch folders. The system reports no changes on some drives, so the folders are
    /// also checked every `poll`, or more often if the system cannot watch them at all. With `None`
    /// they are never checked.
    pub(super) fn watch(folders: &[PathBuf], poll: Option<Duration>) -> Self {
        let (sender, events) = channel();
        let watcher = watch(folders, &sender);
        let every = if watcher.is_ok() {
            poll
        } else {
            poll.map(|every| every.min(LOOK_EVERY))
        };

        let report = sender.clone();
        let poll = every.map(|every| {
            Poll::start(folders.to_vec(), every, move || {
                drop(report.send(WaitEvent::Changed));
            })
        });

        Self {
            _watcher: Mutex::new(watcher.ok()),
            // If no thread can be started for polling, the events of the system remain.
            _poll: Mutex::new(poll.and_then(Result::ok)),
            events: Mutex::new(events),
            sender,
            quiet: QUIET,
            drawings: AtomicU64::new(0),
        }
    }

    /// Reports a change that was noticed in another way.
    pub(super) fn report_change(&self) {
        // The receiver is in `self`, so that it is still there.
        let _ = self.sender.send(WaitEvent::Changed);
    }

    /// Returns a function that ends the wait. It may be called from any thread, even before the
    /// wait begins.
    pub(super) fn stopper(&self) -> impl Fn() + Clone + Send + Sync + use<> {
        let sender = self.sender.clone();
        move || drop(sender.send(WaitEvent::Stop))
    }

    /// Returns the number of a drawing that begins now. Its failure is reported under this number.
    pub(super) fn begin_drawing(&self) -> u64 {
        self.drawings.fetch_add(1, Ordering::Relaxed)
    }

    /// Ends the wait for a change during this drawing. Waits during other drawings go on.
    pub(super) fn drawing_has_failed(&self, number: u64) {
        let _ = self.sender.send(WaitEvent::Failed(number));
    }

    /// Waits until a file has changed and the changes have paused, or have gone on for `LATEST`.
    /// Returns false if the wait was stopped, or the drawing with this number has failed.
    pub(super) fn wait(&self, drawing: Option<u64>) -> bool {
        let events = mutex::lock(&self.events);
        loop {
            match events.recv() {
                Ok(WaitEvent::Changed) => break,
                // An earlier drawing left this event.
                Ok(WaitEvent::Failed(number)) if drawing != Some(number) => {}
                Ok(WaitEvent::Failed(_) | WaitEvent::Stop) | Err(_) => return false,
            }
        }

        let latest = Instant::now() + LATEST;
        loop {
            let left = latest.saturating_duration_since(Instant::now());
            match events.recv_timeout(left.min(self.quiet)) {
                Ok(WaitEvent::Changed) if left.is_zero() => return true,
                Ok(WaitEvent::Changed) => {}
                Ok(WaitEvent::Failed(number)) if drawing != Some(number) => {}
                Err(RecvTimeoutError::Timeout) => return true,
                Ok(WaitEvent::Failed(_) | WaitEvent::Stop)
                | Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
    }
}

fn watch(folders: &[PathBuf], sender: &Sender<WaitEvent>) -> notify::Result<RecommendedWatcher> {
    let sender = sender.clone();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        // Reading a file is not a change. An error of the watcher may hide a change, so it counts
        // as one.
        if !event.is_ok_and(|event| matches!(event.kind, EventKind::Access(_))) {
            let _ = sender.send(WaitEvent::Changed);
        }
    })?;

    for folder in folders {
        watcher.watch(folder, RecursiveMode::Recursive)?;
    }

    Ok(watcher)
}

#[cfg(test)]
impl Changes {
    /// Makes a watch whose changes are reported by a test only.
    pub(super) fn for_test(quiet: Duration) -> Self {
        Self {
            quiet,
            ..Self::watch(&[], None)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_in_folders_below_are_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("0/1a");
        std::fs::create_dir_all(&below).unwrap();
        let watched = Changes::watch(&[folder.path().to_owned()], None);
        let changes = Changes {
            quiet: Duration::from_millis(10),
            ..watched
        };

        let stop = changes.stopper();
        let late = std::thread::Builder::new().spawn(move || {
            std::thread::sleep(LOOK_EVERY * 2);
            stop();
        });
        drop(late.unwrap());
        std::fs::File::create(below.join("c.0.1a.dat")).unwrap();
        assert!(changes.wait(None));
    }
}
