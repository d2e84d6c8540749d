//! Counts of regions, chunks and tiles, and of the work of each worker.

use serde::Serialize;

/// Counts of region files.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct RegionCounts {
    pub total: u64,
    pub drawn: u64,
    pub unchanged: u64,
    pub failed: u64,
    pub hidden: u64,
}

/// Counts of used slots, whose total is `drawn + empty + unfinished + bad + hidden`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ChunkCounts {
    /// Chunks with something to see.
    pub drawn: u64,
    /// Finished chunks without any block to show.
    pub empty: u64,
    /// Chunks that the game has not finished.
    pub unfinished: u64,
    /// Chunks that could not be read.
    pub bad: u64,
    /// Chunks that must not be shown, without the chunks of region files that are hidden
    /// completely.
    pub hidden: u64,
    /// Chunks that were inflated a second time for a neighbour's border.
    pub edge: u64,
}

impl ChunkCounts {
    /// Returns the number of used slots, without hidden ones.
    pub const fn total(&self) -> u64 {
        self.drawn + self.empty + self.unfinished + self.bad
    }

    /// Adds other counts.
    pub(super) const fn add(&mut self, other: Self) {
        self.drawn += other.drawn;
        self.empty += other.empty;
        self.unfinished += other.unfinished;
        self.bad += other.bad;
        self.hidden += other.hidden;
        self.edge += other.edge;
    }
}

/// Counts of tiles.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct TileCounts {
    pub written: u64,
    pub unchanged: u64,
    pub removed: u64,
}

impl RegionCounts {
    pub(super) fn add(&mut self, other: Self) {
        self.total += other.total;
        self.drawn += other.drawn;
        self.unchanged += other.unchanged;
        self.failed += other.failed;
        self.hidden += other.hidden;
    }
}

impl TileCounts {
    pub(super) fn add(&mut self, other: Self) {
        self.written += other.written;
        self.unchanged += other.unchanged;
        self.removed += other.removed;
    }
}

#[derive(Debug, Clone, Default, Serialize)]
pub struct WorkerCounts {
    /// Seconds spent on jobs.
    pub busy_seconds: f64,
    /// Jobs it ran.
    pub jobs: u64,
    /// Batches it pulled.
    pub pulls: u64,
    /// Jobs it stole.
    pub steals: u64,
    /// Times it went to sleep.
    pub waits: u64,
}
