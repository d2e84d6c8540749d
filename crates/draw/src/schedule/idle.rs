//! Puts workers to sleep and wakes them, with one parker per worker and one bit per sleeping
//! worker. Workers are identified by index; this module has no access to jobs or queues.
//!
//! # Why no wake-up is lost
//!
//! A worker that finds nothing **registers** (sets its bit), fences, and **looks once more**; only
//! then does it park. A publisher of work does the reverse: it **publishes**, fences, and **looks
//! at the bits**. One of the two fences comes first, so either the sleeper's second look sees the
//! work, or the publisher sees the bit.
//!
//! A publisher that sees a bit **claims** it by clearing it, and must then unpark that worker once.
//! So two publishers never spend their wake-ups on the same sleeper. A worker that has found work
//! on its second look clears its bit itself. If the bit is already gone, a publisher has spent a
//! wake-up on it that was meant for another job, so the worker **passes it on** to the next
//! sleeper. The unparking still arrives later and makes one park return at once. Therefore a parked
//! worker checks its bit instead of relying on having been unparked. Passing on must include the
//! fence of a publication, because seeing its own bit cleared does not order a worker's view of
//! bits in other words.
//!
//! So at any time: if a job is available and a worker sleeps, a wake-up is on its way.
//!
//! The end of the run is published like work (`finish`). Each worker that leaves wakes two more, so
//! that no worker has to wake all others.

use super::sync::{AtomicBool, AtomicU64, BITS, CachePadded, Ordering, Parker, Unparker, fence};

#[derive(Debug)]
pub(super) struct Idle {
    /// One bit per worker, set while the worker sleeps or is about to, until a publisher claims it.
    asleep: Box<[CachePadded<AtomicU64>]>,
    unparkers: Box<[Unparker]>,
    over: CachePadded<AtomicBool>,
}

impl Idle {
    /// Makes a set in which no worker sleeps. `unparkers` has one entry per worker.
    pub(super) fn new(unparkers: Box<[Unparker]>) -> Self {
        let words = unparkers.len().div_ceil(BITS);
        Self {
            asleep: (0..words)
                .map(|_| CachePadded::new(AtomicU64::new(0)))
                .collect(),
            unparkers,
            over: CachePadded::new(AtomicBool::new(false)),
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    /// Ends the run and wakes two sleeping workers; each of them wakes two more when it leaves.
    pub(super) fn finish(&self, near: usize) {
        self.over.store(true, Ordering::Release);
        self.announce(2, near);
    }

    /// Announces `jobs` jobs that any worker may take. Wakes the same number of sleepers, beginning
    /// with the first one at or after `near`.
    pub(super) fn announce(&self, jobs: usize, near: usize) {
        fence(Ordering::SeqCst);
        for _ in 0..jobs {
            if !self.wake_one(near) {
                return;
            }
        }
    }

    /// Registers `worker` as about to sleep, so that publishers see it from now on. The caller must
    /// look for work once more, and then call `withdraw` or `park`.
    pub(super) fn register(&self, worker: usize) {
        self.asleep[worker / BITS].fetch_or(bit(worker), Ordering::SeqCst);
        fence(Ordering::SeqCst);
    }

    /// Clears the bit of `worker` after its second look has found something. If a publisher has
    /// spent a wake-up on the worker meanwhile, the wake-up is passed on.
    pub(super) fn withdraw(&self, worker: usize) {
        if !self.claim(worker) {
            // This needs the fence of a publication: the publisher that claimed the bit may have
            // seen a sleeper that this worker, which has only read its own bit, might not see yet.
            self.announce(1, worker);
        }
    }

    /// Sleeps until a publisher has claimed the bit of `worker`. The parker must be this worker's
    /// own.
    pub(super) fn park(&self, worker: usize, parker: &Parker) {
        while self.is_asleep(worker) {
            parker.park();
        }
    }

    /// Returns whether `worker` is registered and unclaimed.
    pub(super) fn is_asleep(&self, worker: usize) -> bool {
        self.asleep[worker / BITS].load(Ordering::Acquire) & bit(worker) != 0
    }

    /// Clears the bit of `worker`. Returns true only to the one caller that has cleared it.
    fn claim(&self, worker: usize) -> bool {
        let word = &self.asleep[worker / BITS];
        // Reads first, because usually no worker sleeps, and this common case should not cost a
        // locked write.
        word.load(Ordering::Relaxed) & bit(worker) != 0
            && word.fetch_and(!bit(worker), Ordering::AcqRel) & bit(worker) != 0
    }

    /// Claims and unparks the first sleeper at or after `near`. Returns false if no worker sleeps.
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
