//! Waits until files change: those of a world that is played while its map is served.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use notify::{Config, EventKind, PollWatcher, RecommendedWatcher, RecursiveMode, Watcher};

/// A game saves for seconds: this long nothing must have changed.
const QUIET: Duration = Duration::from_secs(3);
/// So long after a change it is told at the latest, however much goes on.
const LATEST: Duration = Duration::from_secs(30);
/// The time between two looks where the system tells no changes.
const LOOK_EVERY: Duration = Duration::from_secs(30);

/// What ends a wait.
enum Told {
    Changed,
    Stop,
}

/// The changes of files in some folders.
pub struct Changes {
    /// Ends the watching when it is dropped.
    _watcher: Box<dyn Watcher + Send>,
    told: Receiver<Told>,
    teller: Sender<Told>,
}

impl std::fmt::Debug for Changes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Changes").finish_non_exhaustive()
    }
}

impl Changes {
    /// Begins to watch folders, by what the system tells, or by looking now and then where it tells nothing.
    ///
    /// # Errors
    /// A folder cannot be watched either way.
    pub fn of(folders: &[PathBuf]) -> Result<Self, String> {
        Self::by::<RecommendedWatcher>(folders, Config::default())
            .or_else(|_| Self::by::<PollWatcher>(folders, Config::default().with_poll_interval(LOOK_EVERY)))
            .map_err(|error| error.to_string())
    }

    fn by<W: Watcher + Send + 'static>(folders: &[PathBuf], config: Config) -> notify::Result<Self> {
        let (teller, told) = channel();
        let sender = teller.clone();
        let tell = move |event: notify::Result<notify::Event>| {
            // To read a file changes nothing. What could not be told may be a change.
            if !event.is_ok_and(|event| matches!(event.kind, EventKind::Access(_))) {
                let _ = sender.send(Told::Changed);
            }
        };
        let mut watcher = W::new(tell, config)?;
        for folder in folders {
            watcher.watch(folder, RecursiveMode::NonRecursive)?;
        }
        Ok(Self { _watcher: Box::new(watcher), told, teller })
    }

    /// Ends the waiting from any thread, also before it begins.
    pub fn stopper(&self) -> impl Fn() + Clone + Send + Sync + use<> {
        let teller = self.teller.clone();
        move || drop(teller.send(Told::Stop))
    }

    /// Waits until something has changed and nothing changes any more, or changes go on for long. Returns false if the
    /// waiting was stopped before.
    pub fn wait(&self) -> bool {
        let Ok(Told::Changed) = self.told.recv() else { return false };
        let latest = Instant::now() + LATEST;
        loop {
            let left = latest.saturating_duration_since(Instant::now());
            match self.told.recv_timeout(left.min(QUIET)) {
                Ok(Told::Changed) if left.is_zero() => return true,
                Ok(Told::Changed) => {}
                Err(RecvTimeoutError::Timeout) => return true,
                Ok(Told::Stop) | Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
    }
}
