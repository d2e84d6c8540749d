//! The state that all workers of one run share (the board), and each worker's own part of it (its
//! seat). A seat finds the next job of its worker, and puts the worker to sleep if there is none.
//!
//! This module handles jobs by number only; `worker` runs them and catches their panics.

use super::countdown::EndedCounts;
use super::idle::Idle;
use super::queue::{CommittedPlan, PlanSlot, UrgentList};
use super::sync::{Arc, Backoff, CachePadded, Deque, Parker, Steal, Stealer};
use std::collections::VecDeque;

#[derive(Debug)]
pub(super) struct Board {
    pub(super) idle: Idle,
    slot: PlanSlot,
    tally: EndedCounts,
    stealers: Box<[Stealer<u32>]>,
    urgent: CachePadded<UrgentList>,
    leaves: Leaves,
    max_batch: usize,
}

/// Which leaves a run may start, and in which order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leaves {
    /// All leaves, in the order of the plan.
    All,
    UrgentFirst,
    UrgentAlone,
}

/// One worker's part of the board, used only on that worker's thread.
#[derive(Debug)]
pub(super) struct Seat {
    board: Arc<Board>,
    index: usize,
    /// Jobs that this worker has pulled but not begun, with the next one on top.
    deque: Deque<u32>,
    /// The parent that this worker's last job has made runnable.
    released: Option<u32>,
    parker: Parker,
    ended_jobs: usize,
    pub(super) counts: Counts,
}

/// How a worker got its jobs.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) pulls: usize,
    pub(super) steals: usize,
    pub(super) waits: usize,
}

impl Board {
    /// Makes a board without a plan, and its seats.
    pub(super) fn new(seats: usize, max_batch: usize, leaves: Leaves) -> (Arc<Self>, Vec<Seat>) {
        let parkers: Vec<Parker> = (0..seats).map(|_| Parker::new()).collect();
        let deques: Vec<Deque<u32>> = (0..seats).map(|_| Deque::new_lifo()).collect();
        let board = Arc::new(Self {
            idle: Idle::new(
                parkers
                    .iter()
                    .map(|parker| parker.unparker().clone())
                    .collect(),
            ),
            slot: PlanSlot::empty(),
            tally: EndedCounts::new(seats),
            stealers: deques.iter().map(Deque::stealer).collect(),
            urgent: CachePadded::new(UrgentList::new()),
            leaves,
            max_batch,
        });

        let seats = deques
            .into_iter()
            .zip(parkers)
            .enumerate()
            .map(|(index, (deque, parker))| Seat {
                board: Arc::clone(&board),
                index,
                deque,
                released: None,
                parker,
                ended_jobs: 0,
                counts: Counts::default(),
            });
        let seats = seats.collect();

        (board, seats)
    }

    /// Publishes a whole plan, and wakes the workers that wait for it.
    pub(super) fn commit(&self, list: CommittedPlan) {
        self.slot.commit(list);
        self.idle.announce(self.stealers.len(), 0);
    }

    /// Ends the run without a plan, or before all jobs of the plan have run.
    pub(super) fn give_up(&self) {
        self.idle.finish(0);
    }

    /// Returns whether leaves may start out of the plan's order.
    pub(super) fn can_be_urgent(&self) -> bool {
        self.leaves != Leaves::All
    }

    /// Makes exactly these leaves urgent, in this order.
    pub(super) fn set_urgent(&self, jobs: VecDeque<u32>) {
        let count = jobs.len();
        self.urgent.set(jobs);
        self.idle.announce(count, 0);
    }
}

impl Seat {
    pub(super) fn index(&self) -> usize {
        self.index
    }

    /// Returns the number of jobs that this worker has run.
    pub(super) fn ended_jobs(&self) -> usize {
        self.ended_jobs
    }

    /// Sleeps until the plan is committed. Returns `None` if the run ended without a plan.
    pub(super) fn plan(&mut self) -> Option<Arc<CommittedPlan>> {
        let board = &*self.board;
        loop {
            if let Some(list) = board.slot.get() {
                return Some(list);
            }
            if board.idle.is_over() {
                board.idle.finish(self.index);
                return None;
            }

            board.idle.register(self.index);

            if board.idle.is_over() || board.slot.get().is_some() {
                board.idle.withdraw(self.index);
            } else {
                self.counts.waits += 1;
                board.idle.park(self.index, &self.parker);
            }
        }
    }

    /// Returns the next job without waiting: the released parent, an urgent leaf, one of the jobs
    /// that this worker has pulled, a new batch of leaves, or a job of another worker.
    pub(super) fn next(&mut self, list: &CommittedPlan) -> Option<u32> {
        loop {
            let job = self.candidate(list)?;
            if list.begin(job) {
                return Some(job);
            }
        }
    }

    /// Returns the next job. The caller must still claim it, because another worker may have begun
    /// it already.
    fn candidate(&mut self, list: &CommittedPlan) -> Option<u32> {
        self.released
            .take()
            .or_else(|| self.urgent(list))
            .or_else(|| self.deque.pop())
            .or_else(|| self.pull(list))
            .or_else(|| self.steal())
    }

    /// Returns the first urgent leaf.
    fn urgent(&self, list: &CommittedPlan) -> Option<u32> {
        loop {
            let job = self.board.urgent.take()?;
            if list.links.is_leaf(job) {
                return Some(job);
            }
        }
    }

    /// Returns the next job and waits for it if necessary: first a few tries with short pauses,
    /// then sleep. Returns `None` if the run is over.
    pub(super) fn wait(&mut self, list: &CommittedPlan) -> Option<u32> {
        if self.all_ended(list) {
            return None;
        }

        let backoff = Backoff::new();
        loop {
            if self.board.idle.is_over() {
                return None;
            }
            if let Some(job) = self.next(list) {
                return Some(job);
            }
            if !backoff.is_completed() {
                backoff.snooze();
                continue;
            }

            self.board.idle.register(self.index);

            let job = self.next(list);
            if job.is_some() || self.board.idle.is_over() {
                self.board.idle.withdraw(self.index);
                return job;
            }

            self.counts.waits += 1;
            self.board.idle.park(self.index, &self.parker);
            backoff.reset();
        }
    }

    /// Counts a job that has run or failed. If this makes its parent runnable, this worker takes
    /// the parent next, so no other worker has to be woken for it.
    pub(super) fn count_end(&mut self, list: &CommittedPlan, job: u32) {
        self.ended_jobs += 1;
        self.released = list.links.count_end(job);
    }

    /// Leaves the run because it is over or stopped, or because this worker cannot go on. Other
    /// workers may take the jobs that it holds.
    pub(super) fn leave(&mut self, list: &CommittedPlan, stopped: bool) {
        if stopped || self.board.idle.is_over() || self.all_ended(list) {
            self.board.idle.finish(self.index);
        } else {
            // Other workers must run its pulled jobs and its parent now, and nobody was woken for
            // the parent.
            if let Some(parent) = self.released.take() {
                self.deque.push(parent);
            }
            self.board.idle.announce(self.deque.len(), self.index);
        }
    }

    /// Returns whether every job of the plan has ended, according to the counts that the workers
    /// have published.
    fn all_ended(&self, list: &CommittedPlan) -> bool {
        self.board.tally.publish(self.index, self.ended_jobs) == list.links.len()
    }

    /// Takes a batch of leaves. Returns the first of them, and keeps the others.
    fn pull(&mut self, list: &CommittedPlan) -> Option<u32> {
        if self.board.leaves == Leaves::UrgentAlone {
            return None;
        }

        let workers = self.board.stealers.len();
        let batch = list.leaves.pull(workers, self.board.max_batch);
        let (&first, rest) = batch.split_first()?;
        self.counts.pulls += 1;

        for &job in rest.iter().rev() {
            self.deque.push(job);
        }

        if !rest.is_empty() {
            self.board.idle.announce(rest.len(), self.index);
        }

        Some(first)
    }

    /// Takes a job that another worker holds but has not begun. The nearest neighbours come first.
    fn steal(&mut self) -> Option<u32> {
        let stealers = &self.board.stealers;
        let (before, from_own) = stealers.split_at(self.index);
        let job = from_own[1..].iter().chain(before).find_map(steal_from)?;

        self.counts.steals += 1;
        Some(job)
    }
}

/// Takes one job from the far end of another worker's deque. Returns `None` if the deque is empty;
/// it tries again while the deque is busy.
fn steal_from(stealer: &Stealer<u32>) -> Option<u32> {
    loop {
        match stealer.steal() {
            Steal::Success(job) => return Some(job),
            Steal::Empty => return None,
            Steal::Retry => {}
        }
    }
}
