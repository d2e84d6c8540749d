//! Sleeping and waking: one parker per worker, and one bit per sleeping worker.
//!
//! Knows workers by their index, and neither jobs nor queues.
//!
//! # Why no wake-up is lost
//!
//! A worker that finds nothing **registers** (sets its bit), fences, and **looks once more**; only then it parks. A
//! publisher of work does the reverse: it **publishes**, fences, and **looks at the bits**. Of the two fences one comes
//! first. Either the sleeper's second look sees the work, or the publisher sees the bit.
//!
//! A publisher that sees a bit **claims** it by clearing it, and then owes that worker one unparking; two publishers
//! never spend their wake-ups on the same sleeper. A worker that has found work on its second look takes its bit back
//! itself. Where the bit is already gone, a publisher has spent on it a wake-up that was meant for some other job, and
//! the worker **passes it on** to the next sleeper. The unparking that still arrives makes one later park return at
//! once, so a parked worker goes by its bit and not by having been unparked. To pass on is to publish once more, fence
//! and all: the bits of workers in other words are not ordered by having seen one's own bit gone.
//!
//! So at any time: if a job is free to be taken and a worker sleeps, a wake-up is on its way.
//!
//! The end is published like work (`finish`), and each worker that leaves wakes two more: no worker wakes all.

use super::sync::{AtomicBool, AtomicU64, BITS, CachePadded, Ordering, Parker, Unparker, fence};

#[derive(Debug)]
pub(super) struct Idle {
    /// One bit per worker: set while it sleeps or is about to, until a publisher claims it.
    asleep: Box<[CachePadded<AtomicU64>]>,
    unparkers: Box<[Unparker]>,
    over: CachePadded<AtomicBool>,
}

impl Idle {
    /// Makes a set in which no worker sleeps. `unparkers` has one entry per worker.
    pub(super) fn new(unparkers: Box<[Unparker]>) -> Self {
        let words = unparkers.len().div_ceil(BITS);
        Self {
            asleep: (0..words).map(|_| CachePadded::new(AtomicU64::new(0))).collect(),
            unparkers,
            over: CachePadded::new(AtomicBool::new(false)),
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    /// Ends the run: sleeping workers are woken, two by two.
    pub(super) fn finish(&self, near: usize) {
        self.over.store(true, Ordering::Release);
        self.announce(2, near);
    }

    /// Announces `jobs` that any worker may take: wakes as many sleepers, the first at or after `near`.
    pub(super) fn announce(&self, jobs: usize, near: usize) {
        fence(Ordering::SeqCst);
        for _ in 0..jobs {
            if !self.wake_one(near) {
                return;
            }
        }
    }

    /// Announces a job that `worker` should take, published by a worker that is free to take it itself: wakes `worker`
    /// if it sleeps, only for the sake of its cache.
    pub(super) fn invite(&self, worker: usize) {
        fence(Ordering::SeqCst);
        if self.claim(worker) {
            self.unparkers[worker].unpark();
        }
    }

    /// Registers `worker` as about to sleep: from here on publishers see it. It must look once more, and then
    /// `withdraw` or `park`.
    pub(super) fn register(&self, worker: usize) {
        self.asleep[worker / BITS].fetch_or(bit(worker), Ordering::SeqCst);
        fence(Ordering::SeqCst);
    }

    /// Takes the bit of `worker` back after its second look found something. A wake-up that was spent on it meanwhile
    /// is passed on.
    pub(super) fn withdraw(&self, worker: usize) {
        if !self.claim(worker) {
            // With the fence of any publication: the publisher that has claimed the bit may have looked at a sleeper
            // which this worker, having read no more than its own bit, might not see yet.
            self.announce(1, worker);
        }
    }

    /// Sleeps until a publisher has claimed the bit of `worker`, whose parker this is.
    pub(super) fn park(&self, worker: usize, parker: &Parker) {
        while self.is_asleep(worker) {
            parker.park();
        }
    }

    /// Returns whether `worker` is registered and unclaimed.
    pub(super) fn is_asleep(&self, worker: usize) -> bool {
        self.asleep[worker / BITS].load(Ordering::Acquire) & bit(worker) != 0
    }

    /// Clears the bit of `worker`. Returns true for the one caller that has cleared it.
    fn claim(&self, worker: usize) -> bool {
        let word = &self.asleep[worker / BITS];
        // A plain read first: mostly no worker sleeps, and that answer must not cost a locked write.
        word.load(Ordering::Relaxed) & bit(worker) != 0
            && word.fetch_and(!bit(worker), Ordering::AcqRel) & bit(worker) != 0
    }

    /// Claims and unparks the first sleeper at or after `near`. Returns false where no worker sleeps.
    fn wake_one(&self, near: usize) -> bool {
        let words = self.asleep.len();
        let first = near / BITS;
        for word in (0..words).map(|step| (first + step) % words) {
            loop {
                let bits = self.asleep[word].load(Ordering::Relaxed);
                if bits == 0 {
                    break;
                }
                let start = if word == first { near % BITS } else { 0 };
                let offset = bits.rotate_right(start as u32).trailing_zeros() as usize;
                let worker = word * BITS + (start + offset) % BITS;
                if self.claim(worker) {
                    self.unparkers[worker].unpark();
                    return true;
                }
            }
        }
        false
    }
}

const fn bit(worker: usize) -> u64 {
    1 << (worker % BITS)
}
