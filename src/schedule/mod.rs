//! Runs a forest of jobs on all cores: batches, order, counted dependencies, affinity, stop, isolation of panics.
//!
//! Generic over the job. Knows neither what jobs do nor anything of maps.
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
//! - **Each job once.** A job is run by one worker, at most once; unless the run is stopped, or no worker is left that
//!   could be set up, exactly once. Jobs are published whole or not at all ([`JobPlan`]).
//! - **Order.** Leaves (jobs that wait for none) are begun in the order of the plan, in batches ([`pull_size`]). A job
//!   whose children have ended is run before any new leaf, the deepest first, by the worker that ended the last one.
//! - **What is urgent comes first.** Where a list of urgent leaves goes with a run ([`Urgent`]), each free worker takes
//!   the first of them before any other leaf, however deep in the plan it lies, and still only once.
//! - **No job waits for another.** A worker that ends a job lowers one counter, that of the job's parent; the worker
//!   that lowers it to zero takes the parent over. There is no phase, no barrier and no counter that all share.
//! - **Any worker can take what has not begun.** Pulled jobs can be stolen one by one; a job that prefers another
//!   worker ([`Work::preferred`]) is taken by one that is idle.
//! - **A panic costs its job.** It is reported ([`Work::report_panic`]), the worker's buffers are made again, the parent
//!   still runs. A panic anywhere else in the caller's code becomes a warning, and nothing ever hangs.
//! - **Waiting costs nothing.** A worker without work looks around for a few microseconds, then sleeps until it alone
//!   is woken.
//!
//! # Parts
//!
//! `plan` is built privately and checked; `queue` holds committed jobs that have not begun; `countdown` counts what a
//! job waits for and what has ended; `idle` puts workers to sleep and wakes them; `board` ties these together into one
//! worker's next job; `urgent` lets others reach into a run; `worker` owns the threads and the panics; `topology` and
//! `affinity` choose the CPUs. The protocols among them are tried in every order of events by
//! `tests/schedule/model.rs`, and the rules on up to 256 workers by `benches/simulation.rs`.
//!
//! # The search for a next job
//!
//! 1. The parent that its last job has released (top of its own deque).
//! 2. Its inbox: parents released elsewhere that prefer this worker.
//! 3. What is urgent.
//! 4. What it has pulled (the rest of its own deque).
//! 5. The leaves that prefer it and the shared leaves, by their place in the plan: from the latter, a batch.
//! 6. Other workers' jobs, nearest worker first: their inboxes, their deques, the leaves that prefer them.
//!
//! Where it finds nothing, `idle` explains how it goes to sleep, and why no wake-up is lost.
//!
//! # The end of a run
//!
//! No counter of open jobs is shared. Each worker counts the jobs that it has ended and publishes the number only when
//! it finds nothing to do; it then adds up the numbers of all (`EndedCounts`). The last to publish sees the sum of the whole
//! plan, ends the run, and leaves; each worker that leaves wakes two that sleep, until none does. A stop goes the same
//! way: the first worker to see the request after its job ends the run. Sleepers need not watch for it, since while any
//! worker sleeps and the run is not over, another one is running a job.

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

/// Most jobs that one pull takes, unless set otherwise.
pub const DEFAULT_MAX_BATCH: usize = 8;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduleSettings {
    /// Number of workers; 0: [`available_threads`]. Never more are started than the plan has leaves.
    pub threads: usize,
    /// Most jobs that one pull takes; 0 counts as 1.
    pub max_batch: usize,
    pub pin: Pin,
}

impl Default for ScheduleSettings {
    fn default() -> Self {
        Self { threads: 0, max_batch: DEFAULT_MAX_BATCH, pin: Pin::Auto }
    }
}

/// The jobs' code and the workers' state.
pub trait Work: Sync {
    /// Any worker may run it.
    type Job: Send + Sync;
    /// State that a worker carries from job to job, such as buffers.
    type Worker;

    /// Makes the state of worker `index`, on the worker's own thread, once it is pinned.
    ///
    /// Called again after each panic of a job. A worker for which this panics leaves with a warning, and the others
    /// do its jobs.
    fn worker(&self, index: usize) -> Self::Worker;

    fn run(&self, worker: &mut Self::Worker, job: &Self::Job);

    /// Called after `run` has panicked on the job, which counts as ended.
    fn report_panic(&self, job: &Self::Job, message: &str);

    /// The worker whose cache holds what the job needs. Others take the job only when they have nothing else.
    ///
    /// Called once per job: for leaves before the run, for parents when their last child has ended. The number of a
    /// worker that does not exist counts as none.
    fn preferred(&self, job: &Self::Job) -> Option<usize> {
        let _ = job;
        None
    }
}

/// A flag that ends a run early. Its clones are the same flag.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets no further job begin; running jobs end by themselves.
    pub fn request(&self) {
        self.0.store(true, Ordering::Release);
    }

    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

impl From<Arc<AtomicBool>> for Stop {
    /// A stop requested by setting the flag, which is all that a signal handler can do.
    fn from(flag: Arc<AtomicBool>) -> Self {
        Self(flag)
    }
}

#[derive(Debug, Clone, Default)]
pub struct Summary {
    /// One entry per worker.
    pub workers: Vec<WorkerStats>,
    /// Jobs that were run, those that panicked among them.
    pub finished: usize,
    /// Jobs that were not: the run was stopped, the plan was bad, or no worker could be set up.
    pub not_run: usize,
    /// Faults that cost no job, one sentence each.
    pub warnings: Vec<String>,
}

impl Summary {
    fn from_not_run(jobs: usize, warning: Option<String>) -> Self {
        Self { not_run: jobs, warnings: warning.into_iter().collect(), ..Self::default() }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkerStats {
    /// Time spent on jobs and on getting them, without waiting.
    pub busy: Duration,
    /// Batches taken from the shared leaves.
    pub pulls: usize,
    /// Jobs taken from other workers.
    pub steals: usize,
    /// Number of times that it slept.
    pub waits: usize,
    pub jobs: usize,
    /// The CPU the worker was pinned to.
    pub cpu: Option<usize>,
}

/// Runs a plan, and returns when all of its jobs have ended or the run was stopped.
///
/// A plan whose dependencies are no forest is not run at all: a warning of the summary gives the reason. Should
/// `work.preferred` panic while the plan is committed, nothing is run and the panic goes on to the caller.
pub fn run<W: Work>(work: &W, plan: JobPlan<W::Job>, settings: &ScheduleSettings, stop: &Stop) -> Summary {
    worker::run(work, plan, settings, stop, None, thread)
}

/// As [`run`], with leaves that may become urgent on the way.
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
