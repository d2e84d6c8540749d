//! The report of a run.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::report::bad_chunk::BadChunk;
use crate::report::counts::{ChunkCounts, RegionCounts, TileCounts, WorkerCounts};
use crate::report::facts::{ArchiveFacts, BucketFacts, DownloadFacts, PictureFacts, WorldFacts};
use crate::report::failure::Failure;
use crate::report::findings::{NewerChunks, UnclearChunks, UnknownName};
use crate::report::odd_dimensions::OddDimensions;
use crate::report::one_map::OneMap;
use crate::report::options::Options;
use crate::report::outcome::Outcome;
use crate::report::stages::Stages;

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
    /// Places that could not be read, in order; at most `MAX_LISTED`.
    pub bad_chunks: Vec<BadChunk>,
    /// Unknown blocks by name; at most `MAX_LISTED`, the first in the order of names.
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
    /// The upload, if the map is in a bucket.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bucket: Option<BucketFacts>,
    /// The download, if the world is in a bucket or at an address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub download: Option<DownloadFacts>,
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
