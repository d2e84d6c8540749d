//! Counts what a job waits for, and when all jobs have ended, without one counter that all workers touch.
//!
//! Knows nothing of jobs, queues or sleeping.

use super::sync::{AtomicU32, AtomicUsize, CachePadded, Ordering, fence};

/// The children of one job that have not ended.
///
/// It is only ever lowered, by exactly as many calls as it was made for. The call that brings it to zero returns true,
/// and its caller alone goes on with the job: there is no polling and no waiting. Every lowering releases what its
/// caller did and the last one acquires all of that, so a parent sees the work of all its children.
#[derive(Debug)]
pub(super) struct Countdown(AtomicU32);

impl Countdown {
    pub(super) fn new(children: u32) -> Self {
        Self(AtomicU32::new(children))
    }

    /// Counts the end of a child. Returns true for the last one: the caller makes the job runnable.
    pub(super) fn end_one(&self) -> bool {
        self.0.fetch_sub(1, Ordering::AcqRel) == 1
    }
}

/// The number of ended jobs, counted by each worker for itself and added up only by workers with nothing to do.
///
/// A worker publishes its own number when it finds no work, and then adds up those of all. Publishing stores, fences,
/// and only then reads. Of all publications one comes last in the order of the fences; its worker sees all others, so
/// once every job has ended and every worker has published, at least one of them has seen the full sum.
#[derive(Debug)]
pub(super) struct EndedCounts {
    ended: Box<[CachePadded<AtomicUsize>]>,
}

impl EndedCounts {
    /// Begins with no job ended by any of `workers`.
    pub(super) fn new(workers: usize) -> Self {
        Self { ended: (0..workers).map(|_| CachePadded::new(AtomicUsize::new(0))).collect() }
    }

    /// Publishes that `worker` has ended `jobs` in all, and returns what all workers have published.
    pub(super) fn publish(&self, worker: usize, jobs: usize) -> usize {
        self.ended[worker].store(jobs, Ordering::Release);
        fence(Ordering::SeqCst);
        self.ended.iter().map(|ended| ended.load(Ordering::Acquire)).sum()
    }
}
