//! Committed jobs that have not begun: the leaves of a plan in order, taken in batches. It handles
//! costs and positions; threads and sleeping belong to `worker` and `idle`.

use super::plan::{Dependencies, Links};
use super::sync::{Arc, AtomicU64, AtomicUsize, CachePadded, Mutex, Ordering, lock};
use std::collections::VecDeque;

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

/// The leaves of a plan in their order, taken from the front by any worker.
///
/// The list never changes after it is built, and the cursor only grows. So a worker needs only one
/// compare-and-swap and no lock: the worker that moves the cursor owns the jobs that the cursor has
/// passed.
#[derive(Debug)]
pub(super) struct LeafQueue {
    jobs: Box<[u32]>,
    costs_ns: Box<[u64]>,
    next: CachePadded<AtomicUsize>,
}

impl LeafQueue {
    fn new(dependencies: &Dependencies, links: &Links) -> Self {
        let mut jobs = Vec::with_capacity(links.leaves());
        let mut costs_ns = Vec::with_capacity(links.leaves());
        for (job, &cost_ns) in (0..).zip(&dependencies.costs_ns) {
            if links.is_leaf(job) {
                jobs.push(job);
                costs_ns.push(cost_ns);
            }
        }

        Self {
            jobs: jobs.into_boxed_slice(),
            costs_ns: costs_ns.into_boxed_slice(),
            next: CachePadded::new(AtomicUsize::new(0)),
        }
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
}

/// A checked plan in the form that the workers share.
#[derive(Debug)]
pub(super) struct CommittedPlan {
    pub(super) links: Links,
    pub(super) leaves: LeafQueue,
    /// One bit per job, set once the leaf is begun. Empty if every leaf can be reached in only one
    /// way.
    begun: Box<[AtomicU64]>,
}

impl CommittedPlan {
    /// `can_be_urgent` means that a leaf can also be reached through an [`UrgentList`].
    pub(super) fn new(dependencies: &Dependencies, links: Links, can_be_urgent: bool) -> Self {
        let words = if can_be_urgent {
            links.len().div_ceil(WORD)
        } else {
            0
        };

        Self {
            leaves: LeafQueue::new(dependencies, &links),
            links,
            begun: (0..words).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// Claims a job. Returns false if another worker has begun it. Only leaves need this: an urgent
    /// leaf also stays in the queue, so two workers may reach it, but a parent is released only
    /// once.
    pub(super) fn begin(&self, job: u32) -> bool {
        let Some(word) = self.begun.get(job as usize / WORD) else {
            return true;
        };
        let bit = 1 << (job as usize % WORD);
        !self.links.is_leaf(job) || word.fetch_or(bit, Ordering::Relaxed) & bit == 0
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
