//! Runs a forest of jobs on all cores: in batches and in order, with counted dependencies, pinned
//! workers, a stop, and isolation of panics.
//!
//! It is generic over the job, and independent of maps and of the work that jobs do.
//!
//! # Example
//!
//! ```
//! use pixelmap::schedule::{JobPlan, ScheduleSettings, Stop, Work, run};
//! use std::sync::atomic::{AtomicU64, Ordering};
//!
//! struct Sum(AtomicU64);
//!
//! impl Work for Sum {
//!     type Job = u64;
//!     type Worker = ();
//!     fn worker(&self, _index: usize) {}
//!     fn run(&self, _worker: &mut (), job: &u64) {
//!         self.0.fetch_add(*job, Ordering::Relaxed);
//!     }
//!     fn report_panic(&self, _job: &u64, _message: &str) {}
//! }
//!
//! let mut plan = JobPlan::new();
//! let last = plan.add(1_000, 1_000);
//! for number in 0..10 {
//!     let leaf = plan.add(number, 1_000);
//!     plan.set_parent(leaf, last);
//! }
//! let sum = Sum(AtomicU64::new(0));
//! let summary = run(&sum, plan, &ScheduleSettings { threads: 2, ..ScheduleSettings::default() }, &Stop::new());
//! assert_eq!((summary.finished, summary.not_run), (11, 0));
//! assert_eq!(sum.0.into_inner(), 1_045);
//! ```
//!
//! # Promises
//!
//! - **Each job once.** Each job is run by one worker, at most once. It is run exactly once unless
//!   the run is stopped or no worker can be set up. Jobs are published whole or not at all
//!   ([`JobPlan`]).
//! - **Order.** Leaves (jobs without children) are begun in the order of the plan, in batches
//!   ([`pull_size`]). A job whose children have ended is run before any new leaf, by the worker
//!   that ended the last child.
//! - **Urgent leaves come first.** If a run has a list of urgent leaves ([`Urgent`]), each free
//!   worker takes the first of them before any other leaf, wherever it is in the plan, and still
//!   only once.
//! - **No job waits for another.** A worker that ends a job lowers one counter, which belongs to
//!   the job's parent. The worker that lowers it to zero takes over the parent. There are no
//!   phases, no barriers, and no counter that all workers share.
//! - **Any worker can take a job that has not begun.** Pulled jobs can be stolen one by one.
//! - **A panic costs only its job.** The panic is reported ([`Work::report_panic`]), the worker's
//!   buffers are made again, and the parent still runs. A panic anywhere else in the caller's code
//!   becomes a warning, and nothing ever hangs.
//! - **Waiting costs nothing.** A worker without work searches for a few microseconds, then sleeps
//!   until a wake-up for this worker alone.
//!
//! # Parts
//!
//! `plan` is built privately and checked; `queue` contains committed jobs that have not begun;
//! `countdown` counts unfinished children and ended jobs; `idle` puts workers to sleep and wakes
//! them; `board` combines these into one worker's next job; `urgent` lets other threads change the
//! order during a run; `worker` owns the threads and handles panics; `topology` and `affinity`
//! choose the CPUs. `tests/schedule/model.rs` tries the protocols between them in every order of
//! events, and `benches/simulation.rs` tries the rules on up to 256 workers.
//!
//! # The search for a next job
//!
//! A worker tries these sources in this order:
//!
//! 1. The parent that its last job has made runnable.
//! 2. Urgent leaves.
//! 3. The jobs that it has pulled (its deque).
//! 4. A new batch of leaves.
//! 5. The jobs that other workers have pulled, nearest worker first.
//!
//! If all are empty, it goes to sleep; `idle` explains how, and why no wake-up is lost.
//!
//! # The end of a run
//!
//! Workers share no counter of open jobs. Each worker counts the jobs that it has ended and
//! publishes the number only when it finds nothing to do; it then adds up the numbers of all
//! workers (`EndedCounts`). The last worker to publish sees the sum of the whole plan, ends the
//! run, and leaves. Each worker that leaves wakes two sleepers, until none sleeps. A stop works the
//! same way: the first worker that sees the request after its job ends the run. Sleepers need not
//! watch for it, because while any worker sleeps and the run is not over, another one is running a
//! job.

mod affinity;
mod board;
mod countdown;
mod idle;
mod plan;
mod queue;
mod sync;
mod topology;
mod urgent;
mod worker;

#[cfg(test)]
mod tests;

pub use affinity::{Pin, available_threads};
pub use plan::{JobPlan, NodeId};
pub use queue::{BATCH_COST_NS, pull_size};
pub use urgent::Urgent;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Builder;
use std::time::Duration;

/// The most jobs that one pull takes by default.
pub const DEFAULT_MAX_BATCH: usize = 8;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduleSettings {
    /// The number of workers; 0 means [`available_threads`]. No more workers are started than the
    /// plan has leaves.
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

/// The code that runs jobs, and the state of its workers.
pub trait Work: Sync {
    /// A job, which any worker may run.
    type Job: Send + Sync;
    /// State that a worker carries from job to job, such as buffers.
    type Worker;

    /// Makes the state of worker `index`, on the worker's own thread, after the thread is pinned.
    ///
    /// Called again after each panic of a job. If this function panics, its worker leaves with a
    /// warning, and the other workers do its jobs.
    fn worker(&self, index: usize) -> Self::Worker;

    fn run(&self, worker: &mut Self::Worker, job: &Self::Job);

    /// Called after `run` has panicked on the job. The job counts as ended.
    fn report_panic(&self, job: &Self::Job, message: &str);
}

/// A flag that ends a run early. Clones share the same flag.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    pub fn new() -> Self {
        Self::default()
    }

    /// Prevents further jobs from starting. Running jobs end normally.
    pub fn request(&self) {
        self.0.store(true, Ordering::Release);
    }

    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

impl From<Arc<AtomicBool>> for Stop {
    /// Makes a stop that is requested by setting this flag, because a signal handler can do nothing
    /// more than that.
    fn from(flag: Arc<AtomicBool>) -> Self {
        Self(flag)
    }
}

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
    fn from_not_run(jobs: usize, warning: Option<String>) -> Self {
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

/// Runs a plan, and returns when all of its jobs have ended or the run was stopped.
///
/// A plan whose dependencies are not a forest is not run; a warning in the summary gives the
/// reason.
pub fn run<W: Work>(
    work: &W,
    plan: JobPlan<W::Job>,
    settings: &ScheduleSettings,
    stop: &Stop,
) -> Summary {
    worker::run(work, plan, settings, stop, None, thread)
}

/// Like [`run`], with leaves that may become urgent during the run.
pub fn run_urgent<W: Work>(
    work: &W,
    plan: JobPlan<W::Job>,
    settings: &ScheduleSettings,
    stop: &Stop,
    urgent: &Urgent,
) -> Summary {
    worker::run(work, plan, settings, stop, Some(urgent), thread)
}

fn thread(index: usize) -> Builder {
    Builder::new().name(format!("worker-{index}"))
}
