//! Committed jobs that have not begun: the leaves of a plan in order, taken in batches. It handles
//! costs and positions; threads and sleeping belong to `worker` and `idle`.

use super::plan::{Links, Shape};
use super::sync::{Arc, AtomicU64, AtomicUsize, CachePadded, Mutex, Ordering, lock};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// A batch ends with the job that makes its estimated cost exceed this limit.
pub const BATCH_COST_NS: u64 = 100_000_000;

/// Returns the number of waiting jobs that one pull takes:
/// `min((n + threads - 1) / threads, max_batch)`, or fewer if their cost exceeds [`BATCH_COST_NS`],
/// but at least one if any job waits.
///
/// `costs_ns` contains the estimated cost of each waiting job, in the order of the queue.
pub fn pull_size(costs_ns: &[u64], threads: usize, max_batch: usize) -> usize {
    let most = costs_ns
        .len()
        .div_ceil(threads.max(1))
        .min(max_batch.max(1));

    let mut cost = 0_u64;
    for (taken, cost_ns) in costs_ns[..most].iter().enumerate() {
        cost = cost.saturating_add(*cost_ns);
        if cost > BATCH_COST_NS {
            return taken + 1;
        }
    }

    most
}

/// Jobs in a fixed order, taken from the front by any worker.
///
/// The list never changes after it is built, and the cursor only grows. So a worker needs only one
/// compare-and-swap and no lock: the worker that moves the cursor owns the jobs that the cursor has
/// passed.
#[derive(Debug)]
pub(super) struct Lane {
    jobs: Box<[u32]>,
    costs_ns: Box<[u64]>,
    next: CachePadded<AtomicUsize>,
}

impl Lane {
    fn new(jobs: Vec<u32>, costs_ns: &[u64]) -> Self {
        let costs_ns = jobs.iter().map(|&job| costs_ns[job as usize]).collect();
        Self {
            jobs: jobs.into_boxed_slice(),
            costs_ns,
            next: CachePadded::new(AtomicUsize::new(0)),
        }
    }

    /// Returns the job at the front. Its number is also its place in the order of the plan.
    pub(super) fn front_job(&self) -> Option<u32> {
        self.jobs.get(self.next.load(Ordering::Relaxed)).copied()
    }

    /// Takes one batch by the rule of [`pull_size`]; the batch is empty if no job waits.
    pub(super) fn pull(&self, threads: usize, max_batch: usize) -> &[u32] {
        let mut from = self.next.load(Ordering::Relaxed);
        loop {
            let size = pull_size(&self.costs_ns[from..], threads, max_batch);
            if size == 0 {
                return &[];
            }

            let to = from + size;
            match self
                .next
                .compare_exchange_weak(from, to, Ordering::Relaxed, Ordering::Relaxed)
            {
                Ok(_) => return &self.jobs[from..to],
                Err(now) => from = now,
            }
        }
    }

    /// Takes the one job at the front.
    pub(super) fn take(&self) -> Option<u32> {
        self.pull(1, 1).first().copied()
    }
}

/// A checked plan in the form that the workers share.
#[derive(Debug)]
pub(super) struct CommittedPlan {
    pub(super) links: Links,
    /// Leaves for all workers.
    pub(super) shared: Lane,
    /// One lane per worker, with the leaves that prefer this worker.
    pub(super) own: Box<[Lane]>,
    /// One bit per job, set once the leaf is begun. Empty if every leaf can be reached in only one
    /// way.
    begun: Box<[AtomicU64]>,
}

impl CommittedPlan {
    /// Sorts the leaves of a plan into lanes. `preferred` returns the worker that should run a job.
    /// `can_be_urgent` means that a leaf can also be reached through an [`UrgentList`].
    pub(super) fn new(
        shape: &Shape,
        links: Links,
        workers: usize,
        can_be_urgent: bool,
        preferred: impl Fn(u32) -> Option<usize>,
    ) -> Self {
        let mut shared = Vec::new();
        let mut own = vec![Vec::new(); workers];
        for job in (0..links.len() as u32).filter(|&job| !links.is_parent(job)) {
            preferred(job)
                .and_then(|worker| own.get_mut(worker))
                .unwrap_or(&mut shared)
                .push(job);
        }

        let words = if can_be_urgent {
            links.len().div_ceil(WORD)
        } else {
            0
        };

        Self {
            links,
            shared: Lane::new(shared, &shape.costs_ns),
            own: own
                .into_iter()
                .map(|jobs| Lane::new(jobs, &shape.costs_ns))
                .collect(),
            begun: (0..words).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// Claims a job. Returns false if another worker has begun it. Only leaves need this: an urgent
    /// leaf also stays in its lane, so two workers may reach it, but a parent is released only
    /// once.
    pub(super) fn begin(&self, job: u32) -> bool {
        let Some(word) = self.begun.get(job as usize / WORD) else {
            return true;
        };
        let bit = 1 << (job as usize % WORD);
        self.links.is_parent(job) || word.fetch_or(bit, Ordering::Relaxed) & bit == 0
    }
}

/// Jobs per word of `begun`.
const WORD: usize = u64::BITS as usize;

/// Leaves that are begun before all others, in this order.
#[derive(Debug)]
pub(super) struct UrgentList {
    /// The list's length, readable without the lock.
    waiting: AtomicUsize,
    jobs: Mutex<VecDeque<u32>>,
}

impl UrgentList {
    pub(super) fn new() -> Self {
        Self {
            waiting: AtomicUsize::new(0),
            jobs: Mutex::new(VecDeque::new()),
        }
    }

    /// Swaps another list in.
    pub(super) fn set(&self, list: VecDeque<u32>) {
        let mut jobs = lock(&self.jobs);
        *jobs = list;
        self.waiting.store(jobs.len(), Ordering::Release);
    }

    pub(super) fn take(&self) -> Option<u32> {
        if self.waiting.load(Ordering::Acquire) == 0 {
            return None;
        }
        let mut jobs = lock(&self.jobs);
        let job = jobs.pop_front()?;
        self.waiting.store(jobs.len(), Ordering::Release);
        Some(job)
    }
}

/// The place where a plan is published: empty until one swap makes the whole plan visible.
#[derive(Debug)]
pub(super) struct PlanSlot(Mutex<Option<Arc<CommittedPlan>>>);

impl PlanSlot {
    pub(super) fn empty() -> Self {
        Self(Mutex::new(None))
    }

    /// Publishes the plan with one swap, so that a reader sees either nothing or the whole plan.
    pub(super) fn commit(&self, list: CommittedPlan) {
        *lock(&self.0) = Some(Arc::new(list));
    }

    /// Returns the plan once it is committed. A worker calls this until it gets the plan, and then
    /// keeps it.
    pub(super) fn get(&self) -> Option<Arc<CommittedPlan>> {
        lock(&self.0).clone()
    }
}

/// Parents that became runnable on another worker and prefer this one. The deepest parent is taken
/// first.
#[derive(Debug)]
pub(super) struct Inbox {
    /// The heap's length, readable without the lock.
    waiting: AtomicUsize,
    jobs: Mutex<BinaryHeap<Reverse<(u32, u32)>>>,
}

impl Inbox {
    pub(super) fn new() -> Self {
        Self {
            waiting: AtomicUsize::new(0),
            jobs: Mutex::new(BinaryHeap::new()),
        }
    }

    pub(super) fn put(&self, job: u32, height: u32) {
        let mut jobs = lock(&self.jobs);
        jobs.push(Reverse((height, job)));
        self.waiting.store(jobs.len(), Ordering::Release);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.load(Ordering::Acquire) == 0
    }

    pub(super) fn take(&self) -> Option<u32> {
        if self.is_empty() {
            return None;
        }
        let mut jobs = lock(&self.jobs);
        let Reverse((_, job)) = jobs.pop()?;
        self.waiting.store(jobs.len(), Ordering::Release);
        Some(job)
    }
}
