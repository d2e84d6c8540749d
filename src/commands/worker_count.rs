//! The number of workers.

use pixelmap_draw::schedule::available_threads;

/// Returns the number of workers. If `wanted` is 0, it is the number of CPUs that this process may
/// use.
pub(super) fn worker_count(wanted: usize) -> usize {
    if wanted == 0 {
        available_threads()
    } else {
        wanted
    }
}
