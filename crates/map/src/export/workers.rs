//! The threads of an export, and its progress.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::export::error::ExportError;

/// Progress of an export, counted in pieces that take about the same time: bytes for a bucket,
/// tiles or strips for others.
#[derive(Debug, Default)]
pub struct Pieces {
    done: AtomicU64,
    all: AtomicU64,
}

impl Pieces {
    /// Returns the number of finished pieces, and the number of all pieces.
    pub fn counts(&self) -> (u64, u64) {
        (
            self.done.load(Ordering::Relaxed),
            self.all.load(Ordering::Relaxed),
        )
    }

    pub fn expect(&self, pieces: u64) {
        self.all.fetch_add(pieces, Ordering::Relaxed);
    }

    pub fn end(&self, pieces: u64) {
        self.done.fetch_add(pieces, Ordering::Relaxed);
    }
}

/// The number of threads of an export, its progress, and the function that can stop it.
pub struct Workers<'a> {
    pub threads: usize,
    pub pieces: &'a Pieces,
    /// Returns whether the export has to stop.
    pub is_stopped: &'a (dyn Fn() -> bool + Sync),
}

impl fmt::Debug for Workers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workers")
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

impl Workers<'_> {
    /// Runs `work` in a rayon pool with these threads, or in the current thread if they cannot be
    /// started.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, ExportError> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads.max(1))
            .build();
        let pool = pool.or_else(|_| {
            rayon::ThreadPoolBuilder::new()
                .num_threads(1)
                .use_current_thread()
                .build()
        });
        Ok(pool
            .map_err(|error| ExportError::Threads(error.to_string()))?
            .install(work))
    }
}
