//! Counts the children for which a job still waits, and detects the end of all jobs, without a
//! counter that all workers touch.
//!
//! This module is independent of jobs, queues and sleeping.

use super::sync::{AtomicU32, AtomicUsize, CachePadded, Ordering, fence};

/// Counts the children of one job that have not ended.
///
/// The counter only decreases, and each child lowers it once. The call that brings it to zero
/// returns true, and only its caller continues with the job, so nobody polls or waits. Every
/// decrement has release ordering and the last one also acquires, so a parent sees the work of all
/// its children.
#[derive(Debug)]
pub(super) struct Countdown(AtomicU32);

impl Countdown {
    pub(super) fn new(children: u32) -> Self {
        Self(AtomicU32::new(children))
    }

    /// Counts the end of a child. Returns true for the last child; its caller then makes the job
    /// runnable.
    pub(super) fn end_one(&self) -> bool {
        self.0.fetch_sub(1, Ordering::AcqRel) == 1
    }
}

/// Counts ended jobs. Each worker counts its own, and only workers without work add up the counts.
///
/// A worker that finds no work publishes its own count, and then adds up the counts of all workers.
/// Publishing is a store, then a fence, then the reads. The fences have a total order, so the
/// worker with the last fence sees the counts of all others. Therefore, once every job has ended
/// and every worker has published, at least one worker has seen the full sum.
#[derive(Debug)]
pub(super) struct EndedCounts {
    ended: Box<[CachePadded<AtomicUsize>]>,
}

impl EndedCounts {
    /// Starts with 0 ended jobs for each of `workers`.
    pub(super) fn new(workers: usize) -> Self {
        Self {
            ended: (0..workers)
                .map(|_| CachePadded::new(AtomicUsize::new(0)))
                .collect(),
        }
    }

    /// Publishes that `worker` has ended `jobs` in total, and returns the sum of the counts that
    /// all workers have published.
    pub(super) fn publish(&self, worker: usize, jobs: usize) -> usize {
        self.ended[worker].store(jobs, Ordering::Release);
        fence(Ordering::SeqCst);
        self.ended
            .iter()
            .map(|ended| ended.load(Ordering::Acquire))
            .sum()
    }
}
