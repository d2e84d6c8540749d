//! `--nice`: leaves the machine to other programs, such as the game's server.

use crate::cli::WorkerArgs;
use crate::log::Log;

/// Lets the program have only what no other program wants, if that is asked for. To be called before any thread is
/// started, as threads inherit it. Where the system refuses, there is a warning.
pub(super) fn be_nice(workers: &WorkerArgs, log: Log<'_>) {
    if let Err(error) = if workers.nice { idle() } else { Ok(()) } {
        log.warning(&format!("--nice: the program runs at its usual priority: {error}"));
    }
}

/// In the class of idle programs. Of the disk Linux gives the same class to who has asked for no other.
#[cfg(target_os = "linux")]
fn idle() -> Result<(), String> {
    use thread_priority::unix::{NormalThreadSchedulePolicy, ThreadSchedulePolicy, set_thread_priority_and_policy};
    use thread_priority::{ThreadPriority, thread_native_id};

    let class = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle);
    set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, class).map_err(|error| error.to_string())
}

/// Behind all others.
#[cfg(all(unix, not(target_os = "linux")))]
fn idle() -> Result<(), String> {
    rustix::process::nice(19).map(drop).map_err(|error| error.to_string())
}

/// Elsewhere only the number of workers is another.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it may fail")]
const fn idle() -> Result<(), String> {
    Ok(())
}
