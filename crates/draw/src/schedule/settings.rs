//! The settings of a run: the number of workers, their batches and their CPUs.

use super::affinity::Pin;

/// The most jobs that one pull takes by default.
pub const DEFAULT_MAX_BATCH: usize = 8;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduleSettings {
    /// The number of workers; 0 means [`available_threads`](crate::schedule::available_threads). No
    /// more workers are started than the plan has leaves.
    pub threads: usize,
    /// The most jobs that one pull takes; 0 counts as 1.
    pub max_batch: usize,
    pub pin: Pin,
}

impl Default for ScheduleSettings {
    fn default() -> Self {
        Self {
            threads: 0,
            max_batch: DEFAULT_MAX_BATCH,
            pin: Pin::Auto,
        }
    }
}
