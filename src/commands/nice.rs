//! Implements `--nice`: the program runs at idle priority, so that other programs such as the
//! game's server come first.

use crate::cli::WorkerArgs;
use crate::log::Log;

/// Lowers the priority of the program if the user asked for it. Must be called before any thread
/// starts, because threads inherit the priority. If the system refuses, writes a warning.
pub(super) fn be_nice(workers: &WorkerArgs, log: Log<'_>) {
    if let Err(error) = if workers.nice { idle() } else { Ok(()) } {
        log.warning(&format!(
            "--nice: the program runs at its usual priority: {error}"
        ));
    }
}

/// Moves this thread to the class of idle programs. Linux then also treats disk accesses as idle,
/// because no other class was requested for them.
#[cfg(target_os = "linux")]
fn idle() -> Result<(), String> {
    use thread_priority::unix::{
        NormalThreadSchedulePolicy, ThreadSchedulePolicy, set_thread_priority_and_policy,
    };
    use thread_priority::{ThreadPriority, thread_native_id};

    let class = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle);
    set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, class)
        .map_err(|error| error.to_string())
}

/// Sets the lowest priority.
#[cfg(all(unix, not(target_os = "linux")))]
fn idle() -> Result<(), String> {
    rustix::process::nice(19)
        .map(drop)
        .map_err(|error| error.to_string())
}

/// On other systems `--nice` only reduces the number of workers.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it may fail")]
const fn idle() -> Result<(), String> {
    Ok(())
}
