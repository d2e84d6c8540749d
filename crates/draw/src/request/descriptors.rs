//! Computes how many workers the process's limit of open files allows.

/// The descriptors that are open with any number of workers: 3 standard streams, the output folder,
/// its state, the folder's lock, the journal (open for reading and for writing) and the file of
/// recorded changes. 8 more are reserved for files that the program was started with. If more than
/// that are open, a run may still run out of descriptors.
const IN_USE: u64 = 9 + 8;
/// The descriptors of one worker. To rename a tile into place it has the two folders open, the
/// folder from which it reached the second one, and the tile. To draw a region it needs only two:
/// the region file, its own or a neighbour's, and a `.mcc` file of that region.
const A_WORKER: u64 = 4;

/// The most folders of tiles that are kept open. Workers draw regions near each other, whose tiles
/// are in few columns.
const MOST_FOLDERS: u64 = 64;

/// Returns how many folders of tiles may be kept open while this many workers draw. This is a
/// quarter of the descriptors that are left, because a merge also has a file of each part open.
pub(crate) fn folders(workers: usize) -> usize {
    let Some(limit) = limit() else {
        return MOST_FOLDERS as usize;
    };

    let left = limit.saturating_sub(IN_USE + A_WORKER * workers as u64);
    (left / 4).min(MOST_FOLDERS) as usize
}

/// Returns `wanted`, or fewer if the descriptors do not suffice, because fewer workers are better
/// than a failed run.
pub(crate) fn allow(wanted: usize) -> usize {
    let Some(limit) = limit() else { return wanted };
    let workers = limit.saturating_sub(IN_USE) / A_WORKER;
    wanted
        .min(usize::try_from(workers).unwrap_or(usize::MAX))
        .max(1)
}

/// Raises the limit as far as the system allows, because a merge has a file of each part open.
pub(crate) fn raise() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

        let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);

        // If the system refuses, a file that cannot be opened later is reported then.
        let _ = setrlimit(
            Resource::Nofile,
            Rlimit {
                current: maximum,
                maximum,
            },
        );
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
