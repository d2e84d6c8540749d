//! The number of workers that the process's limit of open files allows.

/// Descriptors that are in use however few workers there are: 3 standard streams, the folder's lock, the journal, which
/// is open for reading and for writing, and the file in which changes are recorded. The rest is for what the program was
/// started with; where more than that is open, a run may still end for want of descriptors.
const IN_USE: u64 = 7 + 8;
/// Descriptors of a worker: a region file, its own or a neighbour's, and a `.mcc` beside it. Both are closed again when
/// it reads or writes a tile, which takes one at a time.
const A_WORKER: u64 = 2;

/// `wanted` workers, or as many as there are descriptors for: fewer workers are better than a run that fails.
pub(crate) fn allow(wanted: usize) -> usize {
    let Some(limit) = limit() else { return wanted };
    let workers = limit.saturating_sub(IN_USE) / A_WORKER;
    wanted.min(usize::try_from(workers).unwrap_or(usize::MAX)).max(1)
}

/// Raises the limit as far as the system lets a process do so: a merge holds a file of each part.
pub(crate) fn raise() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
        // Where that is refused, a file that cannot be opened is reported.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    }
}

#[cfg(unix)]
fn limit() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Nofile).current
}

#[cfg(not(unix))]
fn limit() -> Option<u64> {
    None
}
