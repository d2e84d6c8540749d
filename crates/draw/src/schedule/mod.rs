//! Runs a forest of jobs on all cores: in batches and in order, with counted dependencies, pinned
//! workers, a stop, and isolation of panics.
//!
//! It is generic over the job, and independent of maps and of the work that jobs do.
//!
//! # Example
//!
//! ```
//! use pixelmap_draw::schedule::{JobPlan, ScheduleSettings, Stop, Work, run};
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
//! If all are empty, it sleeps; `idle` explains how, and why no wake-up is lost.
//!
//! # The end of a run
//!
//! Workers share no counter of open jobs. Each worker counts the jobs that it has ended and
//! publishes the number only when it finds nothing to do; it then adds up the numbers of all
//! workers (`EndedCounts`). The last worker to publish has the sum of the whole plan, ends the
//! run, and leaves. Each worker that leaves wakes two sleepers, until none sleeps. A stop works the
//! same way: the first worker that notices the request after its job ends the run. Sleepers need not
//! watch for it, because while any worker sleeps and the run is not over, another one is running a
//! job.

mod affinity;
mod board;
mod countdown;
mod idle;
mod plan;
mod queue;
mod run;
mod settings;
mod stop;
mod summary;
mod sync;
mod topology;
mod urgent;
mod work;
mod worker;

pub use affinity::{Pin, available_threads};
pub use plan::{JobPlan, NodeId};
pub use queue::{BATCH_COST_NS, pull_size};
pub use run::{run, run_urgent};
pub use settings::{DEFAULT_MAX_BATCH, ScheduleSettings};
pub use stop::Stop;
pub use summary::{Summary, WorkerStats};
pub use urgent::Urgent;
pub use work::Work;

#[cfg(test)]
mod tests;
