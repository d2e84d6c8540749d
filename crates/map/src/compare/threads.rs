//! Runs the work of a comparison on several threads.

use crate::compare::trouble::Trouble;

/// The maximum number of threads. More would only hinder each other.
const MOST_THREADS: usize = 1024;

/// Runs `work` in a rayon pool with `threads` threads.
pub(super) fn on_threads<T: Send>(
    threads: usize,
    work: impl FnOnce() -> T + Send,
) -> Result<T, Trouble> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.clamp(1, MOST_THREADS))
        .build();
    Ok(pool
        .map_err(|error| Trouble::Threads(error.to_string()))?
        .install(work))
}
