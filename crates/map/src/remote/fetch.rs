//! The values that all downloads of a run share.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::runtime::{Builder, Runtime};

use super::error::RemoteError;
use super::stop::unless_stopped;
use super::traffic::Traffic;

/// Returns whether the run has to stop.
type IsStopped = dyn Fn() -> bool + Send + Sync;

/// How files are downloaded.
#[derive(Clone)]
pub struct Fetch {
    /// The most times that a failed request is repeated.
    pub retries: usize,
    pub is_stopped: Arc<IsStopped>,
}

impl fmt::Debug for Fetch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fetch")
            .field("retries", &self.retries)
            .finish_non_exhaustive()
    }
}

/// The progress of a download in bytes.
#[derive(Debug, Default)]
pub struct DownloadWatch {
    done: AtomicU64,
    all: AtomicU64,
}

impl DownloadWatch {
    /// Returns the number of downloaded bytes, and the number of all bytes; 0: unknown.
    pub fn counts(&self) -> (u64, u64) {
        (
            self.done.load(Ordering::Relaxed),
            self.all.load(Ordering::Relaxed),
        )
    }

    pub(super) fn expect(&self, bytes: u64) {
        self.all.store(bytes, Ordering::Relaxed);
    }

    pub(super) fn reach(&self, bytes: u64) {
        self.done.store(bytes, Ordering::Relaxed);
    }
}

/// The thread-safe machinery of downloads: the runtime that waits for answers, and the counts.
#[derive(Debug)]
pub(super) struct Downloader {
    runtime: Runtime,
    fetch: Fetch,
    pub(super) traffic: Arc<Traffic>,
}

impl Downloader {
    pub(super) fn new(fetch: Fetch, address: &str) -> Result<Self, RemoteError> {
        let runtime = Builder::new_current_thread().enable_all().build();
        Ok(Self {
            runtime: runtime.map_err(|error| RemoteError::disk(address, error))?,
            fetch,
            traffic: Arc::default(),
        })
    }

    pub(super) fn retries(&self) -> usize {
        self.fetch.retries
    }

    /// Runs `work`, which may be called by many threads at once, until it ends or the run stops.
    ///
    /// # Errors
    /// Fails as the work does, and if the run has to stop first.
    pub(super) fn run<T>(
        &self,
        address: &str,
        work: impl Future<Output = Result<T, RemoteError>>,
    ) -> Result<T, RemoteError> {
        let is_stopped = || (self.fetch.is_stopped)();
        let done = self.runtime.block_on(unless_stopped(&is_stopped, work));
        done.unwrap_or_else(|| Err(RemoteError::Interrupted(address.to_owned())))
    }
}
