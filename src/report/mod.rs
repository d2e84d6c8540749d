//! What a run did and what went wrong where: counters, and a bounded list of places.
//!
//! Knows no terminal and no threads: each worker fills a [`Tally`] of its own, and they are added up at the end.

mod bad;
mod demands;
mod join;
mod remarks;
mod shown;
mod stages;
mod tally;

pub use bad::{BadPlace, BadPlaces, Damage};
pub use demands::{Demands, Limit, Quality, Verdict};
pub use join::OneMap;
pub use remarks::{Newer, NotUnderstood, Remarks, UnknownBlock};
pub use shown::ShownNames;
pub use stages::{Clock, Stage, Stages};
pub use tally::{Findings, Tally};

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

/// The most bad chunks that are listed, and the most unknown blocks; those beyond are counted. Each worker lists as many
/// until the end, since nobody knows before which of them are the first: 3 MB where everything is damaged.
pub const MAX_LISTED: usize = 10_000;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Everything asked for is drawn.
    Complete,
    /// There was nothing to draw.
    Empty,
    /// Drawn, but for what could not be read.
    Gaps,
    /// Not drawn, or not published.
    Failed,
    /// Broken off by the user.
    Interrupted,
}

/// A place that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BadChunk {
    /// The dimension's id.
    pub dimension: String,
    /// The region file's name; that of the folder if nobody can tell which files are in it.
    pub region: String,
    /// The chunk's position in chunks; `None`: the whole region file.
    pub chunk: Option<[i32; 2]>,
    /// The reason in one word.
    pub reason: Cow<'static, str>,
    /// The reason in a sentence.
    pub message: Box<str>,
}

/// Why a run failed.
#[derive(Debug, Clone, Serialize)]
pub struct Failure {
    /// What kind of thing failed.
    pub kind: &'static str,
    /// One line that says what to do.
    pub message: String,
    /// Whether the same call may succeed later.
    pub retryable: bool,
}

impl Failure {
    /// The kind where a map was drawn that is not as it was asked for, and so nothing of it was published.
    pub const HELD_BACK: &'static str = "held_back";
    /// The kind where it was published all the same.
    pub const DEMANDS: &'static str = "demands";
}

/// Counts of region files.
#[derive(Debug, Clone, Copy, Default, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
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
    /// Chunks with something to be seen.
    pub drawn: u64,
    /// Finished chunks in which nothing stands.
    pub empty: u64,
    /// Chunks that the game has not finished.
    pub unfinished: u64,
    /// Chunks that could not be read.
    pub bad: u64,
    /// Chunks that must not be shown. Of region files that are wholly hidden nobody knows how many are in them.
    pub hidden: u64,
    /// Chunks that were inflated a second time for a neighbour's border.
    pub edge: u64,
}

impl ChunkCounts {
    /// The slots in use, but for what is hidden.
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
#[expect(missing_docs, reason = "the names say it")]
pub struct TileCounts {
    pub written: u64,
    pub unchanged: u64,
    pub removed: u64,
}

/// The picture that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PictureFacts {
    /// Its columns, which are the area asked for but for sides that lay inside a pixel.
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
    /// How many of its tiles differ; equal ones are in it once.
    pub contents: u64,
    /// Bytes of the file.
    pub bytes: u64,
}

/// What a worker did.
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

/// What was asked for, as it took effect.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Options {
    /// The area drawn.
    pub area: Option<[i32; 4]>,
    /// Lowest height looked at.
    pub min_y: Option<i32>,
    /// Highest height looked at.
    pub max_y: Option<i32>,
    /// Whether unfinished chunks are drawn.
    pub unfinished: bool,
    /// Whether places are hidden; which is said nowhere.
    pub hide: bool,
    /// How many seconds players must have been in a chunk for it to be shown; `None`: that does not matter.
    pub min_inhabited: Option<u32>,
    /// The layers drawn.
    pub layers: Vec<String>,
    /// How tiles are counted; `None`: it is one picture, or nothing was begun.
    pub scheme: Option<&'static str>,
    /// What tiles are, or the picture.
    pub format: Option<&'static str>,
    /// The version of the look.
    pub look: u32,
    /// The palettes as they were asked for: `texture`, `map-item` or a file.
    pub palette: Vec<String>,
    /// How unknown blocks are drawn: `auto`, `hide` or a colour.
    pub unknown: String,
    /// The jars and packs that colours are taken from.
    pub assets: Vec<String>,
    /// The most jobs a worker pulls at once.
    pub max_batch: usize,
    /// Whether nothing is published until all has succeeded.
    pub staged: bool,
}

/// The world that was drawn.
#[derive(Debug, Clone, Default, Serialize)]
pub struct WorldFacts {
    /// Its name.
    pub name: String,
    /// The version of level.dat.
    pub data_version: Option<i32>,
    /// The dimensions drawn.
    pub dimensions: Vec<String>,
}

/// All there is to say of a run.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// How it ended.
    pub outcome: Outcome,
    /// Why it failed, if it did.
    pub error: Option<Failure>,
    /// What was asked for.
    pub options: Options,
    /// What was drawn.
    pub world: WorldFacts,
    /// Region files.
    pub regions: RegionCounts,
    /// Chunks.
    pub chunks: ChunkCounts,
    /// What could not be read, in order; at most [`MAX_LISTED`].
    pub bad_chunks: Vec<BadChunk>,
    /// Blocks that no table knows, by name; at most [`MAX_LISTED`], the first in the order of names.
    pub unknown_blocks: BTreeMap<String, UnknownBlock>,
    /// Biomes that no table knows, by name.
    pub unknown_biomes: BTreeMap<String, UnknownBlock>,
    /// Finished chunks that show next to nothing although something is stored in them that is not understood.
    pub not_understood: Option<NotUnderstood>,
    /// Chunks newer than this program knows.
    pub newer: Option<Newer>,
    /// What is worth telling and cost nothing.
    pub warnings: Vec<String>,
    /// Tiles.
    pub tiles: TileCounts,
    /// The picture, where one was to be made.
    pub picture: Option<PictureFacts>,
    /// The archive, where one was published.
    pub archive: Option<ArchiveFacts>,
    /// Seconds from start to end.
    pub seconds: f64,
    /// The most memory the process held.
    pub peak_memory_bytes: Option<u64>,
    /// Workers that were started; 0 where there was nothing to do.
    pub threads: usize,
    /// Chunks read in a second.
    pub chunks_per_second: f64,
    /// Seconds of all workers by stage.
    pub stages: Stages,
    /// What each worker did.
    pub workers: Vec<WorkerCounts>,
    /// Where the run drew several maps: what each of them was.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub maps: Vec<OneMap>,
}

impl Report {
    /// The report of a run that ended before anything was drawn.
    pub fn failed(failure: Failure) -> Self {
        Self {
            outcome: Outcome::Failed,
            error: Some(failure),
            options: Options::default(),
            world: WorldFacts::default(),
            regions: RegionCounts::default(),
            chunks: ChunkCounts::default(),
            bad_chunks: Vec::new(),
            unknown_blocks: BTreeMap::new(),
            unknown_biomes: BTreeMap::new(),
            not_understood: None,
            newer: None,
            warnings: Vec::new(),
            tiles: TileCounts::default(),
            picture: None,
            archive: None,
            seconds: 0.0,
            peak_memory_bytes: peak_memory_bytes(),
            threads: 0,
            chunks_per_second: 0.0,
            stages: Stages::default(),
            workers: Vec::new(),
            maps: Vec::new(),
        }
    }

    /// The number of places that could not be read: chunks, and whole region files. The list of them may be shorter.
    pub const fn gaps(&self) -> u64 {
        self.chunks.bad + self.regions.failed
    }
}

/// The most memory this process held so far, where the system tells.
pub fn peak_memory_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}
