//! The state that the workers of a run share, whatever their jobs are: whether to stop, why it failed, and the counts.

use std::io;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::base::mutex;
use crate::base::retry::retryable;
use crate::report::progress::Progress;
use crate::report::{Failure, FailureKind, Tally};
use crate::schedule::Stop;
use crate::store::PublishError;

#[derive(Debug)]
pub(crate) struct RunState<'a> {
    pub(crate) progress: &'a Progress,
    pub(crate) stop: Stop,
    /// A job was begun and not ended, since the run was to stop.
    has_undone: AtomicBool,
    tally: Mutex<Tally>,
    failure: Mutex<Option<Failure>>,
}

/// The results of a run whose workers have ended.
#[derive(Debug)]
pub(crate) struct RunEnd {
    pub(crate) tally: Tally,
    pub(crate) failure: Option<Failure>,
    pub(crate) has_undone: bool,
}

/// A file that is needed cannot be read: the run has failed for it.
#[derive(Debug)]
pub(crate) struct Unread;

impl<'a> RunState<'a> {
    pub(crate) fn new(progress: &'a Progress, stop: &Stop) -> Self {
        Self {
            progress,
            stop: stop.clone(),
            has_undone: AtomicBool::new(false),
            tally: Mutex::default(),
            failure: Mutex::default(),
        }
    }

    pub(crate) fn end(self) -> RunEnd {
        RunEnd {
            tally: mutex::into_inner(self.tally),
            failure: mutex::into_inner(self.failure),
            has_undone: self.has_undone.into_inner(),
        }
    }

    /// Returns whether the run is to end: a job that was begun is to be left as soon as that can be done in order.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.is_requested()
    }

    /// Notes that a job that was begun is left undone.
    pub(crate) fn leave_undone(&self) {
        self.has_undone.store(true, Ordering::Relaxed);
    }

    /// Ends the run: what is begun ends by itself, and nothing is removed. The first failure is the one reported.
    pub(crate) fn fail(&self, failure: impl Into<Failure>) {
        self.note_failure(failure.into());
        self.stop.request();
    }

    pub(crate) fn fail_with(&self, kind: FailureKind, message: String) {
        self.fail(Failure { kind, message, retryable: false });
    }

    /// Ends the run because a file of the world cannot be read now, and may be later.
    pub(crate) fn fail_reading(&self, path: &Path, error: &io::Error) {
        self.fail(reading_failure(path, error));
    }

    /// Keeps the first failure; the jobs go on.
    pub(crate) fn note_failure(&self, failure: Failure) {
        mutex::lock(&self.failure).get_or_insert(failure);
    }

    /// Unwraps what was read in the output folder, or fails the run: it may be all that is recorded of what is damaged
    /// now.
    pub(crate) fn or_fail<T>(&self, read: Result<T, PublishError>) -> Result<T, Unread> {
        read.map_err(|error| {
            self.fail(&error);
            Unread
        })
    }
}

/// The counts of one worker, which are added to those of the run when it is dropped, also after a panic.
#[derive(Debug)]
pub(crate) struct WorkerTally<'a> {
    run: &'a RunState<'a>,
    /// The counts of the job that is being done.
    pub(crate) job: Tally,
    finished: Tally,
}

impl<'a> WorkerTally<'a> {
    pub(crate) fn new(run: &'a RunState<'a>) -> Self {
        Self { run, job: Tally::default(), finished: Tally::default() }
    }

    /// Adds the counts of the job to those of the finished ones.
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

/// The failure for a defect of the program.
pub(crate) fn defect(message: String) -> Failure {
    Failure { kind: FailureKind::Defect, message, retryable: false }
}

/// The failure for a file of the world that cannot be read now.
fn reading_failure(path: &Path, error: &io::Error) -> Failure {
    let message = format!("{}: {error}", path.display());
    Failure { kind: FailureKind::World, message, retryable: retryable(error) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_passing_error_of_the_world_is_not_the_outputs() {
        // EMFILE.
        let failure = reading_failure(Path::new("world/region/r.0.0.mca"), &io::Error::from_raw_os_error(24));
        assert_eq!((failure.kind, failure.retryable), (FailureKind::World, true));
        assert!(failure.message.starts_with("world/region/r.0.0.mca: "), "{}", failure.message);
    }
}
