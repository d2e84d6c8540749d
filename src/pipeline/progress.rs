//! How far a run is, for whoever shows it.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counters that workers raise, a few times a region, and a display reads.
#[derive(Debug, Default)]
pub struct Progress {
    regions: AtomicU64,
    regions_total: AtomicU64,
    chunks: AtomicU64,
    cost: AtomicU64,
    cost_total: AtomicU64,
    bad: AtomicU64,
}

/// The counters at one moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Regions drawn.
    pub regions: u64,
    /// Regions to draw.
    pub regions_total: u64,
    /// Chunks read.
    pub chunks: u64,
    /// Estimated cost of the regions drawn, in nanoseconds.
    pub cost: u64,
    /// Estimated cost of all regions.
    pub cost_total: u64,
    /// Chunks that could not be read.
    pub bad: u64,
}

impl Progress {
    /// The counters now.
    pub fn snapshot(&self) -> Snapshot {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Snapshot {
            regions: read(&self.regions),
            regions_total: read(&self.regions_total),
            chunks: read(&self.chunks),
            cost: read(&self.cost),
            cost_total: read(&self.cost_total),
            bad: read(&self.bad),
        }
    }

    pub(super) fn expect(&self, regions: u64, cost: u64) {
        self.regions_total.store(regions, Ordering::Relaxed);
        self.cost_total.store(cost, Ordering::Relaxed);
    }

    pub(super) fn region(&self, cost: u64) {
        self.regions.fetch_add(1, Ordering::Relaxed);
        self.cost.fetch_add(cost, Ordering::Relaxed);
    }

    pub(super) fn chunks(&self, read: u64, bad: u64) {
        self.chunks.fetch_add(read, Ordering::Relaxed);
        if bad > 0 {
            self.bad.fetch_add(bad, Ordering::Relaxed);
        }
    }
}
