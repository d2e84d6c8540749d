//! The results of a run: counts, and bounded lists of findings.
//!
//! This module does not depend on terminals or threads. Each worker fills a [`Tally`] of its own,
//! and the tallies are added at the end.

mod bad;
mod findings;
mod join;
mod options;
pub(crate) mod progress;
mod shown;
mod stages;
mod states;
mod tally;
mod thresholds;

pub use bad::{BadPlace, BadPlaces, Damage};
pub(crate) use findings::times;
pub use findings::{ChunkFindings, NewerChunks, UnclearChunks, UnknownBlock, UnknownName};
pub use join::OneMap;
pub use options::Options;
pub use shown::ShownNames;
pub use stages::{Clock, Stage, Stages};
pub use states::StoredStates;
pub use tally::{DimensionCounts, Findings, Tally};
pub use thresholds::{Limit, OddDimensions, Quality, Thresholds, Verdict, Violation};

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The most bad chunks and the most unknown blocks that are listed. All others are only counted.
/// Each worker keeps as many until the end, because the first ones of the whole run are only known
/// then. This takes 3 MB if everything is damaged.
pub const MAX_LISTED: usize = 10_000;

/// The outcome of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Everything that was requested is drawn.
    #[default]
    Complete,
    /// There was nothing to draw.
    Empty,
    /// Drawn, except for places that could not be read.
    Gaps,
    /// Not drawn, or not published.
    Failed,
    /// Stopped by the user.
    Interrupted,
}

/// A place that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BadChunk {
    pub dimension: String,
    /// The name of the region file, or of the folder if its files cannot be listed.
    pub region: String,
    /// The chunk's position in chunks, or `None` for the whole region file.
    pub chunk: Option<[i32; 2]>,
    /// The reason as one word.
    pub reason: Cow<'static, str>,
    /// The reason as a sentence.
    pub message: Box<str>,
}

/// The reason why a run failed.
#[derive(Debug, Clone, Serialize)]
pub struct Failure {
    /// The kind of failure.
    pub kind: FailureKind,
    /// One line that names a remedy.
    pub message: String,
    /// Whether the same call may succeed later.
    pub retryable: bool,
}

/// The kind of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The run could not begin.
    NotBegun,
    /// The command line is wrong.
    Usage,
    /// The world cannot be read now.
    World,
    /// The output cannot be read or written.
    Output,
    /// The program has a defect.
    Defect,
    /// More tiles would be removed than the limit allows.
    MaxRemoved,
    /// The map does not meet the thresholds, so nothing was published.
    HeldBack,
    /// The map does not meet the thresholds, but was published anyway.
    Demands,
}

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
    const fn add(&mut self, other: Self) {
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

/// The picture that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PictureFacts {
    /// Its columns: the requested area, with sides moved outward to whole pixels.
    pub area: [i32; 4],
    /// Pixels per block, from `1/8` to `8`.
    pub scale: String,
    /// Pixels from west to east.
    pub width: u32,
    /// Pixels from north to south.
    pub height: u32,
    /// The size of the file in bytes, or 0 if none was published.
    pub bytes: u64,
}

/// The archive that was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ArchiveFacts {
    /// The number of different tiles. Equal tiles are stored only once.
    pub contents: u64,
    /// The size of the file in bytes.
    pub bytes: u64,
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

/// The world that was drawn.
#[derive(Debug, Clone, Default, Serialize)]
pub struct WorldFacts {
    pub name: String,
    /// Its path as the user named it.
    pub path: Option<String>,
    /// The version of level.dat.
    pub data_version: Option<i32>,
    /// The dimensions drawn.
    pub dimensions: Vec<String>,
}

/// The report of a run.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Report {
    /// The outcome.
    pub outcome: Outcome,
    /// The failure, if the run failed.
    pub error: Option<Failure>,
    /// The options in effect.
    pub options: Options,
    /// The world.
    pub world: WorldFacts,
    pub regions: RegionCounts,
    pub chunks: ChunkCounts,
    /// Places that could not be read, in order; at most [`MAX_LISTED`].
    pub bad_chunks: Vec<BadChunk>,
    /// Unknown blocks by name; at most [`MAX_LISTED`], the first in the order of names.
    pub unknown_blocks: BTreeMap<String, UnknownName>,
    /// Unknown biomes by name.
    pub unknown_biomes: BTreeMap<String, UnknownName>,
    /// Finished chunks that show almost nothing although they store something unknown.
    pub not_understood: Option<UnclearChunks>,
    /// Chunks of newer versions than this program supports.
    pub newer: Option<NewerChunks>,
    /// Dimensions that are odd as a whole.
    #[serde(skip)]
    pub odd_dimensions: OddDimensions,
    /// Problems that did not lose anything.
    pub warnings: Vec<String>,
    pub tiles: TileCounts,
    /// The picture, in mode image.
    pub picture: Option<PictureFacts>,
    /// The archive, if one was published.
    pub archive: Option<ArchiveFacts>,
    /// Seconds from start to end.
    pub seconds: f64,
    /// The highest memory use of the process.
    pub peak_memory_bytes: Option<u64>,
    /// The number of workers that were started, or 0 if there was nothing to do.
    pub threads: usize,
    /// Chunks read per second.
    pub chunks_per_second: f64,
    /// The seconds of all workers per stage.
    pub stages: Stages,
    /// The work of each worker.
    pub workers: Vec<WorkerCounts>,
    /// The reports of the single maps, if the run drew several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub maps: Vec<OneMap>,
}

impl Report {
    /// Makes the report of a run that ended before anything was drawn.
    pub fn failed(failure: Failure) -> Self {
        Self {
            outcome: Outcome::Failed,
            error: Some(failure),
            peak_memory_bytes: peak_memory_bytes(),
            ..Self::default()
        }
    }

    /// Returns the number of places that could not be read: chunks and whole region files. The list
    /// of them may be shorter.
    pub const fn gaps(&self) -> u64 {
        self.chunks.bad + self.regions.failed
    }
}

/// Returns the highest memory use of this process so far, if the system counts it.
pub fn peak_memory_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}
