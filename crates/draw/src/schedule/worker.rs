//! The threads of the workers. Each worker gets jobs from its seat, runs them, and survives their
//! panics. This module calls the user's `Work` and checks `Stop`; `board` decides which job is
//! next.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::{Builder, Scope, ScopedJoinHandle, scope};
use std::time::{Duration, Instant};

use super::affinity::{available_threads, pin, worker_cpus};
use super::board::{Board, Leaves, Seat};
use super::plan::{Dependencies, JobPlan, Links};
use super::queue::CommittedPlan;
use super::settings::ScheduleSettings;
use super::stop::Stop;
use super::summary::{Summary, WorkerStats};
use super::urgent::Urgent;
use super::work::Work;

struct SharedRun<'r, W: Work> {
    work: &'r W,
    jobs: &'r [W::Job],
    stop: &'r Stop,
}

#[derive(Default)]
struct Shift {
    stats: WorkerStats,
    unpinned: bool,
    warnings: Vec<String>,
}

/// Runs a plan, `urgent` leaves first. `builder` prepares the thread of each worker.
pub(super) fn run<W>(
    work: &W,
    plan: JobPlan<W::Job>,
    settings: &ScheduleSettings,
    stop: &Stop,
    urgent: Option<&Urgent>,
    builder: impl Fn(usize) -> Builder,
) -> Summary
where
    W: Work,
{
    let (jobs, dependencies) = plan.into_parts();
    let links = match dependencies.links() {
        Ok(links) => links,
        Err(why) => {
            return Summary::from_not_run(
                jobs.len(),
                Some(format!("nothing was run: the plan is invalid, {why}")),
            );
        }
    };

    if jobs.is_empty() || stop.is_requested() {
        return Summary::from_not_run(jobs.len(), None);
    }

    let wanted = if settings.threads == 0 {
        available_threads()
    } else {
        settings.threads
    };

    let threads = wanted.min(links.leaves());
    let (worker_cpus, unpinned) = match worker_cpus(settings.pin, threads) {
        Ok(worker_cpus) => (worker_cpus, None),
        Err(warning) => (None, Some(warning)),
    };

    let run = SharedRun {
        work,
        jobs: &jobs,
        stop,
    };

    let leaves = urgent.map_or(Leaves::All, Urgent::leaves);
    let (board, seats) = Board::new(threads, settings.max_batch, leaves);
    scope(|scope| {
        let mut started = Vec::new();
        let mut warnings = Vec::from_iter(unpinned);
        for seat in seats {
            let index = seat.index();
            match run.start(
                scope,
                builder(index),
                seat,
                worker_cpus.as_ref().map(|worker_cpus| worker_cpus[index]),
            ) {
                Ok(worker) => started.push(worker),
                Err(error) => {
                    warnings.push(format!(
                        "only {index} of {threads} threads could be started: {error}"
                    ));
                    break;
                }
            }
        }

        // The urgent leaves are known before the plan is committed, because a worker begins a job
        // as soon as it has the plan.
        let _attached = urgent
            .filter(|_| !started.is_empty())
            .map(|urgent| urgent.attach(&board));
        let mut shifts = Vec::new();
        if started.is_empty() {
            let (board, seats) = Board::new(1, settings.max_batch, leaves);
            let _attached = urgent.map(|urgent| urgent.attach(&board));
            commit(&board, dependencies, links);
            shifts.extend(seats.into_iter().map(|seat| run.shift(seat, None)));
        } else {
            commit(&board, dependencies, links);
        }

        for worker in started {
            match worker.join() {
                Ok(shift) => shifts.push(shift),
                Err(_) => {
                    warnings.push("a worker was lost to a panic outside of its jobs".to_owned());
                }
            }
        }

        summary(shifts, jobs.len(), warnings)
    })
}

impl<W: Work> SharedRun<'_, W> {
    fn start<'s>(
        &'s self,
        scope: &'s Scope<'s, '_>,
        builder: Builder,
        seat: Seat,
        cpu: Option<usize>,
    ) -> io::Result<ScopedJoinHandle<'s, Shift>> {
        builder.spawn_scoped(scope, move || self.shift(seat, cpu))
    }

    /// Runs one worker from its first job to its last, on its own thread.
    fn shift(&self, mut seat: Seat, cpu: Option<usize>) -> Shift {
        let mut shift = Shift::default();
        shift.stats.cpu = cpu.filter(|&cpu| pin(cpu));
        shift.unpinned = cpu.is_some() && shift.stats.cpu.is_none();

        let mut state = self.buffers(seat.index(), &mut shift.warnings);
        if let Some(list) = seat.plan() {
            let mut waited = Duration::ZERO;
            let start = Instant::now();
            while let Some(buffers) = &mut state {
                let mut next = seat.next(&list);
                if next.is_none() {
                    let start = Instant::now();
                    next = seat.wait(&list);
                    waited += start.elapsed();
                }

                let Some(job) = next else { break };
                if self.stop.is_requested() {
                    break;
                }

                if let Err(message) = guarded(|| self.work.run(buffers, &self.jobs[job as usize])) {
                    self.report(job, &message, &mut shift.warnings);
                    drop_quietly(state.take());
                    state = self.buffers(seat.index(), &mut shift.warnings);
                }

                seat.count_end(&list, job);
            }

            seat.leave(&list, self.stop.is_requested());
            shift.stats.busy = start.elapsed().saturating_sub(waited);
        }

        drop_quietly(state);
        shift.stats.jobs = seat.ended_jobs();
        shift.stats.pulls = seat.counts.pulls;
        shift.stats.steals = seat.counts.steals;
        shift.stats.waits = seat.counts.waits;

        shift
    }

    /// Makes a worker's buffers. Returns `None` if that panicked, because the worker cannot go on
    /// without them.
    fn buffers(&self, worker: usize, warnings: &mut Vec<String>) -> Option<W::Worker> {
        guarded(|| self.work.worker(worker))
            .inspect_err(|message| {
                warnings.push(format!("worker {worker} could not be set up: {message}"));
            })
            .ok()
    }

    fn report(&self, job: u32, message: &str, warnings: &mut Vec<String>) {
        if let Err(second) = guarded(|| self.work.report_panic(&self.jobs[job as usize], message)) {
            warnings.push(format!(
                "a failed job could not be reported: {second}; it had failed with: {message}"
            ));
        }
    }
}

/// Publishes the plan to the workers. Its builder is dropped before any job runs, because it is
/// large for a large world.
fn commit(board: &Board, dependencies: Dependencies, links: Links) {
    let list = CommittedPlan::new(&dependencies, links, board.can_be_urgent());
    drop(dependencies);
    board.commit(list);
}

/// Runs the user's code, and turns a panic into its message.
///
/// If a panic leaves shared state half changed, the user's code must cope with that, as with a
/// poisoned lock. The worker's own buffers are thrown away.
fn guarded<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| {
        let message = match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
            (Some(text), _) => (*text).to_owned(),
            (_, Some(text)) => text.clone(),
            _ => "a panic without a message".to_owned(),
        };
        drop_quietly(panic);
        message
    })
}

/// Drops a value of the user. A panic of its destructor is ignored, because the value is no longer
/// needed.
fn drop_quietly<T>(thing: T) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| drop(thing))) {
        // Dropping the payload of this panic might panic again, without end.
        std::mem::forget(panic);
    }
}

fn summary(shifts: Vec<Shift>, jobs: usize, mut warnings: Vec<String>) -> Summary {
    let unpinned = shifts.iter().filter(|shift| shift.unpinned).count();
    if unpinned > 0 {
        warnings.push(format!(
            "{unpinned} of {} workers could not be pinned and run on any CPU",
            shifts.len()
        ));
    }

    let mut workers = Vec::with_capacity(shifts.len());
    for shift in shifts {
        warnings.extend(shift.warnings);
        workers.push(shift.stats);
    }

    let finished = workers.iter().map(|worker| worker.jobs).sum();
    let not_run = jobs - finished;
    Summary {
        workers,
        finished,
        not_run,
        warnings,
    }
}
