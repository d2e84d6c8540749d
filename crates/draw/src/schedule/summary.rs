//! The summary of a run: how many jobs ended, and what each worker did.

use std::time::Duration;

#[derive(Debug, Clone, Default)]
pub struct Summary {
    /// One entry per worker.
    pub workers: Vec<WorkerStats>,
    /// Jobs that were run, including the ones that panicked.
    pub finished: usize,
    /// Jobs that were not run, because the run was stopped, the plan was invalid, or no worker
    /// could be set up.
    pub not_run: usize,
    /// Faults that did not cost a job, one sentence each.
    pub warnings: Vec<String>,
}

impl Summary {
    pub(super) fn from_not_run(jobs: usize, warning: Option<String>) -> Self {
        Self {
            not_run: jobs,
            warnings: warning.into_iter().collect(),
            ..Self::default()
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkerStats {
    /// The time spent on jobs and on getting them, without waiting.
    pub busy: Duration,
    /// The number of batches taken from the shared leaves.
    pub pulls: usize,
    /// The number of jobs taken from other workers.
    pub steals: usize,
    /// The number of times that the worker slept.
    pub waits: usize,
    pub jobs: usize,
    /// The CPU the worker was pinned to.
    pub cpu: Option<usize>,
}
