//! The state that all workers of one run share (the board), and each worker's own part of it (its
//! seat). A seat finds the next job of its worker, and puts the worker to sleep if there is none.
//!
//! This module handles jobs by number only; `worker` runs them and catches their panics.

use super::countdown::EndedCounts;
use super::idle::Idle;
use super::queue::{CommittedPlan, Inbox, PlanSlot, UrgentList};
use super::sync::{Arc, Backoff, CachePadded, Deque, Parker, Steal, Stealer};
use std::collections::VecDeque;

#[derive(Debug)]
pub(super) struct Board {
    pub(super) idle: Idle,
    slot: PlanSlot,
    tally: EndedCounts,
    stealers: Box<[Stealer<u32>]>,
    inboxes: Box<[CachePadded<Inbox>]>,
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
    /// Jobs that this worker has pulled but not begun, with the next one on top. Above them is at
    /// most one parent, which this worker's last job has released.
    deque: Deque<u32>,
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
            inboxes: (0..seats).map(|_| CachePadded::new(Inbox::new())).collect(),
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

    /// Returns the next job without waiting. Parents come before all leaves, then urgent leaves,
    /// the worker's own jobs, the shared jobs, and the jobs of other workers.
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
        let own = self.deque.pop();
        if own.is_some_and(|job| list.links.is_parent(job)) {
            return own;
        }

        if let Some(first) = self.board.inboxes[self.index]
            .take()
            .or_else(|| self.urgent(list))
        {
            if let Some(leaf) = own {
                // The leaf was invisible for a moment, and another worker may have gone to sleep
                // because of that.
                self.deque.push(leaf);
                self.board.idle.announce(1, self.index);
            }
            return Some(first);
        }

        own.or_else(|| self.pull(list))
            .or_else(|| self.steal_job(list))
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

    /// Counts a job that has run or failed. Returns the parent that this makes runnable; the caller
    /// must `release` it.
    pub(super) fn count_end(&mut self, list: &CommittedPlan, job: u32) -> Option<u32> {
        self.ended_jobs += 1;
        list.links.count_end(job)
    }

    /// Makes a parent available. This worker takes it next, unless the parent prefers another
    /// worker; then that worker gets it first.
    ///
    /// No other worker has to be woken for this, because one job has become available and this
    /// worker is free to take it.
    pub(super) fn release(&mut self, list: &CommittedPlan, parent: u32, preferred: Option<usize>) {
        match preferred.filter(|&worker| worker != self.index && worker < list.own.len()) {
            Some(worker) => {
                self.board.inboxes[worker].put(parent, list.links.height(parent));
                self.board.idle.invite(worker);
            }
            None => self.deque.push(parent),
        }
    }

    /// Leaves the run because it is over or stopped, or because this worker cannot go on. Other
    /// workers may take the jobs that it holds.
    pub(super) fn leave(&mut self, list: &CommittedPlan, stopped: bool) {
        if stopped || self.board.idle.is_over() || self.all_ended(list) {
            self.board.idle.finish(self.index);
        } else {
            // Others may now have to run its pulled jobs, and the one parent in another inbox for
            // which nobody was woken, because this worker was free to take it.
            self.board.idle.announce(self.deque.len() + 1, self.index);
        }
    }

    /// Returns whether every job of the plan has ended, according to the counts that the workers
    /// have published.
    fn all_ended(&self, list: &CommittedPlan) -> bool {
        self.board.tally.publish(self.index, self.ended_jobs) == list.links.len()
    }

    /// Takes a batch from the shared lane, or a job from the worker's own lane if that job is
    /// earlier in the plan.
    fn pull(&mut self, list: &CommittedPlan) -> Option<u32> {
        if self.board.leaves == Leaves::UrgentAlone {
            return None;
        }

        let own = &list.own[self.index];
        let own_first = match (own.front_job(), list.shared.front_job()) {
            (Some(own), Some(shared)) => own < shared,
            (own, _) => own.is_some(),
        };

        let own_job = own_first.then(|| own.take()).flatten();
        own_job
            .or_else(|| self.pull_batch(list))
            .or_else(|| own.take())
    }

    fn pull_batch(&mut self, list: &CommittedPlan) -> Option<u32> {
        let (&first, rest) = list
            .shared
            .pull(list.own.len(), self.board.max_batch)
            .split_first()?;
        self.counts.pulls += 1;

        for &job in rest.iter().rev() {
            self.deque.push(job);
        }

        if !rest.is_empty() {
            self.board.idle.announce(rest.len(), self.index);
        }

        Some(first)
    }

    /// Takes a job that another worker holds or is preferred for: a parent, a pulled job, or a leaf
    /// of its lane. The nearest neighbours come first.
    fn steal_job(&mut self, list: &CommittedPlan) -> Option<u32> {
        let workers = list.own.len();
        let others = || (1..workers).map(|step| (self.index + step) % workers);

        let lanes_are_open = self.board.leaves != Leaves::UrgentAlone;
        let job = others()
            .find_map(|other| self.board.inboxes[other].take())
            .or_else(|| others().find_map(|other| steal_from(&self.board.stealers[other])))
            .or_else(|| {
                others()
                    .filter(|_| lanes_are_open)
                    .find_map(|other| list.own[other].take())
            })?;

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
