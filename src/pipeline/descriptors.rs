//! How many workers the process's limit of open files allows.

/// Descriptors that are in use however few workers there are: standard streams, the lock, the threads' own.
const IN_USE: u64 = 16;
/// Descriptors of a worker: its region file, a `.mcc` beside it, and the tile that it writes.
const A_WORKER: u64 = 3;

/// `wanted` workers, or as many as there are descriptors for: fewer workers are better than a run that fails.
pub(super) fn allow(wanted: usize) -> usize {
    let Some(limit) = limit() else { return wanted };
    let workers = limit.saturating_sub(IN_USE) / A_WORKER;
    wanted.min(usize::try_from(workers).unwrap_or(usize::MAX)).max(1)
}

#[cfg(target_os = "linux")]
fn limit() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Nofile).current
}

#[cfg(not(target_os = "linux"))]
fn limit() -> Option<u64> {
    None
}
