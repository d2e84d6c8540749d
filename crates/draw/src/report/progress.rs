//! The progress of a run, which a display reads while the workers write it.

use std::sync::atomic::{AtomicU64, Ordering};

use crossbeam_utils::CachePadded;

/// Counters that workers increase once per region, and that a display reads.
#[derive(Debug, Default)]
pub struct Progress {
    /// Set before the workers start.
    regions_total: AtomicU64,
    cost_total: AtomicU64,
    /// The counters that workers write. They have a cache line of their own, so that writing them
    /// does not slow down access to other data.
    done: CachePadded<Done>,
}

#[derive(Debug, Default)]
struct Done {
    regions: AtomicU64,
    chunks: AtomicU64,
    cost: AtomicU64,
    unchanged_cost: AtomicU64,
    bad: AtomicU64,
}

/// The counters at one moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Regions that are drawn or were found unchanged.
    pub regions: u64,
    /// Regions to draw.
    pub regions_total: u64,
    /// Chunks read in the drawn regions.
    pub chunks: u64,
    /// Estimated cost of the drawn regions, in nanoseconds.
    pub cost: u64,
    /// Estimated cost of the unchanged regions, which take almost no time.
    pub unchanged_cost: u64,
    /// Estimated cost of all regions.
    pub cost_total: u64,
    /// Chunks that could not be read.
    pub bad: u64,
}

impl Progress {
    /// Returns the current counters.
    pub fn snapshot(&self) -> Snapshot {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Snapshot {
            regions: read(&self.done.regions),
            regions_total: read(&self.regions_total),
            chunks: read(&self.done.chunks),
            cost: read(&self.done.cost),
            unchanged_cost: read(&self.done.unchanged_cost),
            cost_total: read(&self.cost_total),
            bad: read(&self.done.bad),
        }
    }

    pub(crate) fn expect(&self, regions: u64, cost: u64) {
        self.regions_total.store(regions, Ordering::Relaxed);
        self.cost_total.store(cost, Ordering::Relaxed);
    }

    /// Counts a region that was found unchanged.
    pub(crate) fn count_unchanged(&self, cost: u64) {
        self.done.regions.fetch_add(1, Ordering::Relaxed);
        self.done.unchanged_cost.fetch_add(cost, Ordering::Relaxed);
    }

    /// Counts a finished region: `chunks` chunks were read, and `bad` of them failed.
    pub(crate) fn count_region(&self, cost: u64, chunks: u64, bad: u64) {
        let Done {
            regions,
            chunks: all_chunks,
            cost: all_cost,
            bad: all_bad,
            ..
        } = &*self.done;

        for (counter, more) in [
            (regions, 1),
            (all_cost, cost),
            (all_chunks, chunks),
            (all_bad, bad),
        ] {
            if more > 0 {
                counter.fetch_add(more, Ordering::Relaxed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_counters_share_no_cache_line() {
        let progress = Progress::default();
        let address = |counter: &AtomicU64| std::ptr::from_ref(counter).addr() / 64;
        let Done {
            regions,
            chunks,
            cost,
            unchanged_cost,
            bad,
        } = &*progress.done;

        for written in [regions, chunks, cost, unchanged_cost, bad] {
            assert_eq!(address(written), address(regions));
            assert_ne!(address(written), address(&progress.regions_total));
            assert_ne!(address(written), address(&progress.cost_total));
        }
    }

    #[test]
    fn a_region_counts_once_with_all_its_chunks() {
        let progress = Progress::default();
        progress.expect(3, 90);
        progress.count_region(30, 1000, 3);
        progress.count_unchanged(20);
        progress.count_region(40, 0, 0);

        let expected = Snapshot {
            regions: 3,
            regions_total: 3,
            chunks: 1000,
            cost: 70,
            unchanged_cost: 20,
            cost_total: 90,
            bad: 3,
        };
        assert_eq!(progress.snapshot(), expected);
    }
}
