//! The state that the workers of one run share, and one worker's seat at it: gets the next job, and sleeps where there
//! is none.
//!
//! Knows jobs by number only: `worker` runs them and catches their panics.

use super::countdown::EndedCounts;
use super::idle::Idle;
use super::queue::{Committed, Inbox, PlanSlot, UrgentList};
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

/// Which leaves are run, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leaves {
    /// All, in the order of the plan.
    All,
    UrgentFirst,
    UrgentAlone,
}

/// One worker's part of the board, used only on that worker's thread.
#[derive(Debug)]
pub(super) struct Seat {
    board: Arc<Board>,
    index: usize,
    /// Jobs that are pulled and not begun, the next on top; above them at most one parent, which this worker's last
    /// job has released.
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
    /// An empty board and its seats.
    pub(super) fn new(seats: usize, max_batch: usize, leaves: Leaves) -> (Arc<Self>, Vec<Seat>) {
        let parkers: Vec<Parker> = (0..seats).map(|_| Parker::new()).collect();
        let deques: Vec<Deque<u32>> = (0..seats).map(|_| Deque::new_lifo()).collect();
        let board = Arc::new(Self {
            idle: Idle::new(parkers.iter().map(|parker| parker.unparker().clone()).collect()),
            slot: PlanSlot::empty(),
            tally: EndedCounts::new(seats),
            stealers: deques.iter().map(Deque::stealer).collect(),
            inboxes: (0..seats).map(|_| CachePadded::new(Inbox::new())).collect(),
            urgent: CachePadded::new(UrgentList::new()),
            leaves,
            max_batch,
        });
        let seats = deques.into_iter().zip(parkers).enumerate().map(|(index, (deque, parker))| Seat {
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
    pub(super) fn commit(&self, list: Committed) {
        self.slot.commit(list);
        self.idle.announce(self.stealers.len(), 0);
    }

    /// Ends the run without a plan, or before all of it is run.
    pub(super) fn give_up(&self) {
        self.idle.finish(0);
    }

    /// Returns whether leaves may be run out of the plan's order.
    pub(super) fn can_be_urgent(&self) -> bool {
        self.leaves != Leaves::All
    }

    /// Makes these leaves urgent, the first one first, and no others.
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

    /// Number of jobs that this worker has run.
    pub(super) fn ended_jobs(&self) -> usize {
        self.ended_jobs
    }

    /// Sleeps until the plan is committed. `None`: the run ended without one.
    pub(super) fn plan(&mut self) -> Option<Arc<Committed>> {
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

    /// The next job without waiting: a parent before any leaf, then what is urgent, then the worker's own jobs, then
    /// the shared ones, then other workers' jobs.
    pub(super) fn next(&mut self, list: &Committed) -> Option<u32> {
        loop {
            let job = self.candidate(list)?;
            if list.begin(job) {
                return Some(job);
            }
        }
    }

    /// The next job, which another worker may have begun.
    fn candidate(&mut self, list: &Committed) -> Option<u32> {
        let own = self.deque.pop();
        if own.is_some_and(|job| list.links.is_parent(job)) {
            return own;
        }
        if let Some(first) = self.board.inboxes[self.index].take().or_else(|| self.urgent(list)) {
            if let Some(leaf) = own {
                // The leaf was out of sight for a moment, in which another worker may have gone to sleep.
                self.deque.push(leaf);
                self.board.idle.announce(1, self.index);
            }
            return Some(first);
        }
        own.or_else(|| self.pull(list)).or_else(|| self.steal_job(list))
    }

    /// The first urgent leaf.
    fn urgent(&self, list: &Committed) -> Option<u32> {
        loop {
            let job = self.board.urgent.take()?;
            if list.links.is_leaf(job) {
                return Some(job);
            }
        }
    }

    /// The next job, after waiting: a few tries with short pauses, then sleep. `None` where the run is over.
    pub(super) fn wait(&mut self, list: &Committed) -> Option<u32> {
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

    /// Counts a job that has run or failed. Returns the parent that this makes runnable; the caller must `release` it.
    pub(super) fn count_end(&mut self, list: &Committed, job: u32) -> Option<u32> {
        self.ended_jobs += 1;
        list.links.count_end(job)
    }

    /// Makes a parent available: to this worker, which takes it next, or first of all to the one it prefers.
    ///
    /// Wakes no sleeper: one job has become available, and one worker, this one, is free.
    pub(super) fn release(&mut self, list: &Committed, parent: u32, preferred: Option<usize>) {
        match preferred.filter(|&worker| worker != self.index && worker < list.own.len()) {
            Some(worker) => {
                self.board.inboxes[worker].put(parent, list.links.height(parent));
                self.board.idle.invite(worker);
            }
            None => self.deque.push(parent),
        }
    }

    /// Leaves the run because it is over or stopped, or the worker cannot go on. Other workers may take the jobs that
    /// it holds.
    pub(super) fn leave(&mut self, list: &Committed, stopped: bool) {
        if stopped || self.board.idle.is_over() || self.all_ended(list) {
            self.board.idle.finish(self.index);
        } else {
            // The jobs it had pulled, and the parent that it was free to take from another's inbox.
            self.board.idle.announce(self.deque.len() + 1, self.index);
        }
    }

    /// Returns whether every job of the plan has ended, by the workers' published counts.
    fn all_ended(&self, list: &Committed) -> bool {
        self.board.tally.publish(self.index, self.ended_jobs) == list.links.len()
    }

    /// A batch from the shared lane, or a job from the worker's own lane where that comes earlier in the plan.
    fn pull(&mut self, list: &Committed) -> Option<u32> {
        if self.board.leaves == Leaves::UrgentAlone {
            return None;
        }
        let own = &list.own[self.index];
        let own_first = match (own.front_job(), list.shared.front_job()) {
            (Some(own), Some(shared)) => own < shared,
            (own, _) => own.is_some(),
        };
        let own_job = own_first.then(|| own.take()).flatten();
        own_job.or_else(|| self.pull_batch(list)).or_else(|| own.take())
    }

    fn pull_batch(&mut self, list: &Committed) -> Option<u32> {
        let (&first, rest) = list.shared.pull(list.own.len(), self.board.max_batch).split_first()?;
        self.counts.pulls += 1;
        for &job in rest.iter().rev() {
            self.deque.push(job);
        }
        if !rest.is_empty() {
            self.board.idle.announce(rest.len(), self.index);
        }
        Some(first)
    }

    /// A job that another worker holds or is preferred for, nearest neighbour first: parents, pulled jobs, lanes.
    fn steal_job(&mut self, list: &Committed) -> Option<u32> {
        let workers = list.own.len();
        let others = || (1..workers).map(|step| (self.index + step) % workers);
        let lanes_are_open = self.board.leaves != Leaves::UrgentAlone;
        let job = others()
            .find_map(|other| self.board.inboxes[other].take())
            .or_else(|| others().find_map(|other| steal_from(&self.board.stealers[other])))
            .or_else(|| others().filter(|_| lanes_are_open).find_map(|other| list.own[other].take()))?;
        self.counts.steals += 1;
        Some(job)
    }
}

/// Takes one job from the far end of another worker's deque. `None`: it is empty; a busy deque is tried again.
fn steal_from(stealer: &Stealer<u32>) -> Option<u32> {
    loop {
        match stealer.steal() {
            Steal::Success(job) => return Some(job),
            Steal::Empty => return None,
            Steal::Retry => {}
        }
    }
}
