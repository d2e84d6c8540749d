//! The state that all workers of a run share, whatever their jobs are: whether to stop, why the run
//! failed, and the counts.

use std::io;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::report::progress::Progress;
use crate::report::{Failure, FailureKind, Tally};
use crate::schedule::{Stop, Summary};
use pixelmap_base::mutex;
use pixelmap_base::retry::retryable;

#[derive(Debug)]
pub(crate) struct RunState<'a> {
    pub(crate) progress: &'a Progress,
    pub(crate) stop: Stop,
    start: Instant,
    /// Whether a job was left unfinished because the run is stopping.
    has_undone: AtomicBool,
    tally: Mutex<Tally>,
    failure: Mutex<Option<Failure>>,
}

/// The results of a run whose workers have ended.
#[derive(Debug)]
pub(crate) struct JobResults {
    pub(crate) tally: Tally,
    pub(crate) failure: Option<Failure>,
    pub(crate) summary: Summary,
    /// Whether all jobs were done.
    pub(crate) is_done: bool,
    pub(crate) start: Instant,
}

/// The reason why a job leaves its tile undone.
#[derive(Debug)]
pub(crate) enum Interruption {
    /// The run is stopping.
    Stopped,
    /// The run must not go on.
    Failed(Failure),
}

impl From<Failure> for Interruption {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl Interruption {
    /// The run must fail with this message, and would fail again.
    pub(crate) fn new(kind: FailureKind, message: String) -> Self {
        Self::Failed(Failure {
            kind,
            message,
            retryable: false,
        })
    }

    /// A file of the world cannot be read now. A later run may be able to read it.
    pub(crate) fn reading(path: &Path, error: &io::Error) -> Self {
        let message = format!("{}: {error}", path.display());
        Self::Failed(Failure {
            kind: FailureKind::World,
            message,
            retryable: retryable(error),
        })
    }
}

impl<'a> RunState<'a> {
    pub(crate) fn new(progress: &'a Progress, stop: &Stop) -> Self {
        Self {
            progress,
            stop: stop.clone(),
            start: Instant::now(),
            has_undone: AtomicBool::new(false),
            tally: Mutex::default(),
            failure: Mutex::default(),
        }
    }

    /// Returns the results after all workers have ended.
    pub(crate) fn end(self, summary: Summary) -> JobResults {
        let mut tally = mutex::into_inner(self.tally);
        tally.add_unread_borders();
        let lost = (summary.not_run > 0 && !self.stop.is_requested()).then(|| {
            let why = summary.warnings.join("; ");
            defect(format!(
                "{} jobs were not run; this is a defect of pixelmap, please report it: {why}",
                summary.not_run
            ))
        });

        let is_done = summary.not_run == 0 && !self.has_undone.into_inner();
        JobResults {
            tally,
            failure: mutex::into_inner(self.failure).or(lost),
            summary,
            is_done,
            start: self.start,
        }
    }

    /// Returns whether the run is stopping. A running job should then return as soon as it can do
    /// so cleanly.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.is_requested()
    }

    /// Fails if the run is stopping.
    pub(crate) fn check_stop(&self) -> Result<(), Interruption> {
        if self.is_stopped() {
            Err(Interruption::Stopped)
        } else {
            Ok(())
        }
    }

    /// Records the end of a job. If the job failed, so does the run: running jobs finish, nothing
    /// is removed, and only the first failure is reported.
    pub(crate) fn end_job(&self, job: Result<(), Interruption>) {
        let Err(undone) = job else { return };
        self.has_undone.store(true, Ordering::Relaxed);
        if let Interruption::Failed(failure) = undone {
            self.note_failure(failure);
            self.stop.request();
        }
    }

    /// Stores the failure if it is the first one. The jobs go on.
    pub(crate) fn note_failure(&self, failure: Failure) {
        mutex::lock(&self.failure).get_or_insert(failure);
    }
}

/// The counts of one worker. They are added to the run's counts when the worker is dropped, even
/// after a panic.
#[derive(Debug)]
pub(crate) struct WorkerTally<'a> {
    run: &'a RunState<'a>,
    /// The counts of the current job.
    pub(crate) job: Tally,
    finished: Tally,
}

impl<'a> WorkerTally<'a> {
    pub(crate) fn new(run: &'a RunState<'a>) -> Self {
        Self {
            run,
            job: Tally::default(),
            finished: Tally::default(),
        }
    }

    /// Adds the counts of the current job to the finished ones.
    pub(crate) fn end_job(&mut self) {
        self.finished.add(std::mem::take(&mut self.job));
    }
}

impl Drop for WorkerTally<'_> {
    fn drop(&mut self) {
        self.end_job();
        let mut run = mutex::lock(&self.run.tally);
        run.add(std::mem::take(&mut self.finished));
    }
}

/// Returns the failure for a defect of the program.
pub(crate) fn defect(message: String) -> Failure {
    Failure {
        kind: FailureKind::Defect,
        message,
        retryable: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn passing_world_errors_are_not_output_errors() {
        // 24 is EMFILE: too many open files.
        let undone = Interruption::reading(
            Path::new("world/region/r.0.0.mca"),
            &io::Error::from_raw_os_error(24),
        );
        let Interruption::Failed(failure) = undone else {
            panic!("the run goes on")
        };

        assert_eq!(
            (failure.kind, failure.retryable),
            (FailureKind::World, true)
        );
        assert!(
            failure.message.starts_with("world/region/r.0.0.mca: "),
            "{}",
            failure.message
        );
    }
}
