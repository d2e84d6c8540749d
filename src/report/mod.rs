//! The results of a run: counters, and a bounded list of the places with faults.
//!
//! Knows no terminal and no threads: each worker fills a [`Tally`] of its own, and they are added up at the end.

mod bad;
mod findings;
mod join;
pub(crate) mod progress;
mod shown;
mod stages;
mod tally;
mod thresholds;

pub use bad::{BadPlace, BadPlaces, Damage};
pub use findings::{ChunkFindings, Newer, NotUnderstood, UnknownBlock};
pub use join::OneMap;
pub use shown::ShownNames;
pub use stages::{Clock, Stage, Stages};
pub use tally::{DimensionCounts, Findings, Tally};
pub use thresholds::{Limit, OddDimensions, Quality, Thresholds, Verdict, Violation};

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The most bad chunks that are listed, and the most unknown blocks; those beyond are counted. Each worker lists as
/// many until the end, since only then the first of them are known: 3 MB where everything is damaged.
pub const MAX_LISTED: usize = 10_000;

/// The outcome of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Everything asked for is drawn.
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
    /// The region file's name; that of the folder where its files cannot be listed.
    pub region: String,
    /// The chunk's position in chunks; `None`: the whole region file.
    pub chunk: Option<[i32; 2]>,
    /// The reason in one word.
    pub reason: Cow<'static, str>,
    /// The reason in a sentence.
    pub message: Box<str>,
}

/// The reason for which a run failed.
#[derive(Debug, Clone, Serialize)]
pub struct Failure {
    /// The kind of failure.
    pub kind: FailureKind,
    /// One line that names a remedy.
    pub message: String,
    /// The same call may succeed later.
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
    /// The program is to blame.
    Defect,
    /// More tiles would be removed than may be.
    MaxRemoved,
    /// The map is not as it was asked for, and so nothing of it was published.
    HeldBack,
    /// The map is not as it was asked for, and was published all the same.
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

/// Counts of slots in use: `drawn + empty + unfinished + bad + hidden` is their number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ChunkCounts {
    /// Chunks with something to see.
    pub drawn: u64,
    /// Finished chunks without a block.
    pub empty: u64,
    /// Chunks that the game has not finished.
    pub unfinished: u64,
    /// Chunks that could not be read.
    pub bad: u64,
    /// Chunks that must not be shown. Chunks of wholly hidden region files are not counted.
    pub hidden: u64,
    /// Chunks that were inflated a second time for a neighbour's border.
    pub edge: u64,
}

impl ChunkCounts {
    /// The slots in use, without hidden ones.
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
    /// Its columns: the area asked for, with sides moved outward to whole pixels.
    pub area: [i32; 4],
    /// Pixels a block, `1/8` to `8`.
    pub scale: String,
    /// Pixels from west to east.
    pub width: u32,
    /// Pixels from north to south.
    pub height: u32,
    /// Bytes of the file; 0 where none was published.
    pub bytes: u64,
}

/// The archive that was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ArchiveFacts {
    /// The number of different tiles; equal ones are in it once.
    pub contents: u64,
    /// Bytes of the file.
    pub bytes: u64,
}

#[derive(Debug, Clone, Default, Serialize)]
pub struct WorkerCounts {
    /// Seconds at work.
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

/// The options in effect.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    pub area: Option<[i32; 4]>,
    /// Lowest height looked at.
    pub min_y: Option<i32>,
    /// Highest height looked at.
    pub max_y: Option<i32>,
    /// Unfinished chunks are drawn.
    pub unfinished: bool,
    /// Places are hidden; the report never names them.
    pub hide: bool,
    /// The seconds that players must have been in a chunk for it to be shown; `None`: any chunk is shown.
    pub min_inhabited: Option<u32>,
    pub layers: Vec<String>,
    /// The scheme of the tiles' names; `None`: a picture, or no map was begun.
    pub scheme: Option<Cow<'static, str>>,
    /// The format of the tiles, or of the picture.
    pub format: Option<Cow<'static, str>>,
    /// The version of the look.
    pub look: u32,
    /// The palettes as given: `texture`, `map-item` or a file.
    pub palette: Vec<String>,
    /// The way to draw unknown blocks: `auto`, `hide` or a colour.
    pub unknown: String,
    /// The jars and packs that colours are taken from.
    pub assets: Vec<String>,
    /// The most jobs a worker pulls at once.
    pub max_batch: usize,
    /// Nothing is published until all has succeeded.
    pub staged: bool,
}

/// The world that was drawn.
#[derive(Debug, Clone, Default, Serialize)]
pub struct WorldFacts {
    pub name: String,
    /// Its path as it was given.
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
    pub unknown_blocks: BTreeMap<String, UnknownBlock>,
    /// Unknown biomes by name.
    pub unknown_biomes: BTreeMap<String, UnknownBlock>,
    /// Finished chunks that show next to nothing, although something unknown is stored in them.
    pub not_understood: Option<NotUnderstood>,
    /// Chunks newer than this program knows.
    pub newer: Option<Newer>,
    /// Dimensions that show something odd as a whole.
    #[serde(skip)]
    pub odd_dimensions: OddDimensions,
    /// Nothing was lost for them.
    pub warnings: Vec<String>,
    pub tiles: TileCounts,
    /// The picture, in mode image.
    pub picture: Option<PictureFacts>,
    /// The archive, where one was published.
    pub archive: Option<ArchiveFacts>,
    /// Seconds from start to end.
    pub seconds: f64,
    /// The highest memory use of the process.
    pub peak_memory_bytes: Option<u64>,
    /// Workers that were started; 0 where there was nothing to do.
    pub threads: usize,
    /// Chunks read in a second.
    pub chunks_per_second: f64,
    /// Seconds of all workers by stage.
    pub stages: Stages,
    /// The work of each worker.
    pub workers: Vec<WorkerCounts>,
    /// Each map, where the run drew several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub maps: Vec<OneMap>,
}

impl Report {
    /// The report of a run that ended before anything was drawn.
    pub fn failed(failure: Failure) -> Self {
        Self {
            outcome: Outcome::Failed,
            error: Some(failure),
            peak_memory_bytes: peak_memory_bytes(),
            ..Self::default()
        }
    }

    /// The number of places that could not be read: chunks, and whole region files. The list of them may be shorter.
    pub const fn gaps(&self) -> u64 {
        self.chunks.bad + self.regions.failed
    }
}

/// The highest memory use of this process so far, where the system counts it.
pub fn peak_memory_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}
