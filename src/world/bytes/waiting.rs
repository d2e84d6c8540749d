//! Waiting for the program that writes a file.

use std::time::Duration;

/// A file that was left alone for this long is believed to be whole: longer than it takes to write a chunk in pieces,
/// and than a step of the clock that stamps files.
pub(crate) const REST: Duration = Duration::from_millis(30);
/// The pause between two readings: longer than a server takes to write a chunk.
pub(crate) const PAUSE: Duration = Duration::from_millis(2);
/// The longest time spent waiting for the files of one region to rest. A file that is written without end must not hold
/// up the run.
pub(crate) const RESTS: Duration = Duration::from_millis(150);
/// The longest time spent waiting for the files of one region, pauses included.
pub(crate) const PATIENCE: Duration = Duration::from_millis(200);

/// The time that was spent waiting for the files of one region.
#[derive(Debug, Default)]
pub(crate) struct Waited(pub(crate) Duration);

impl Waited {
    /// Waits, unless all waiting would then exceed `limit`. Returns whether it waited.
    pub(crate) fn wait(&mut self, time: Duration, limit: Duration) -> bool {
        let may_wait = self.0 + time <= limit;
        if may_wait {
            std::thread::sleep(time);
            self.0 += time;
        }
        may_wait
    }
}
