//! Durations for which a reader waits while another program writes a file.

use std::time::Duration;

/// A file that was left alone for this long is considered complete. It is longer than writing a
/// chunk in pieces takes, and longer than a step of the clock for file times.
pub(crate) const REST: Duration = Duration::from_millis(30);
/// A writer on a busy machine may pause for longer than [`REST`] in the middle of a record. Files
/// that were left alone for this long are read like files that nobody writes.
pub(crate) const LONG_REST: Duration = Duration::from_secs(1);
/// The pause between two readings. It is longer than a server takes to write a chunk.
pub(crate) const PAUSE: Duration = Duration::from_millis(2);
/// The longest total time spent waiting for the files of one region to rest, so that a file that is
/// written continuously does not hold up the run.
pub(crate) const RESTS: Duration = Duration::from_millis(150);
/// The longest total time spent waiting for the files of one region, including pauses.
pub(crate) const PATIENCE: Duration = Duration::from_millis(200);

/// The time that was spent waiting for the files of one region.
#[derive(Debug, Default)]
pub(crate) struct WaitingTime(pub(crate) Duration);

impl WaitingTime {
    /// Waits, unless the total time would then exceed `limit`. Returns whether it waited.
    pub(crate) fn wait(&mut self, time: Duration, limit: Duration) -> bool {
        let may_wait = self.0 + time <= limit;
        if may_wait {
            std::thread::sleep(time);
            self.0 += time;
        }
        may_wait
    }
}
