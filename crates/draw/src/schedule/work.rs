//! The code that runs jobs, which the caller supplies.

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
