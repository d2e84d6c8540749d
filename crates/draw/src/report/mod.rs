//! The results of a run: counts, and bounded lists of findings.
//!
//! This module does not depend on terminals or threads. Each worker fills a [`Tally`] of its own,
//! and the tallies are added at the end.

mod bad;
mod bad_chunk;
mod counts;
mod facts;
mod failure;
mod findings;
mod join;
mod odd_dimensions;
mod one_map;
mod options;
mod outcome;
pub(crate) mod progress;
mod run_report;
mod shown;
mod stages;
mod states;
mod tally;
mod thresholds;

pub use bad::{Damage, DamageList, RegionDamage};
pub use bad_chunk::{BadChunk, MAX_LISTED};
pub use counts::{ChunkCounts, RegionCounts, TileCounts, WorkerCounts};
pub use facts::{ArchiveFacts, BucketFacts, DownloadFacts, PictureFacts, WorldFacts};
pub use failure::{Failure, FailureKind};
pub(crate) use findings::times;
pub use findings::{ChunkFindings, NewerChunks, UnclearChunks, UnknownBlock, UnknownName};
pub use odd_dimensions::OddDimensions;
pub use one_map::OneMap;
pub use options::Options;
pub use outcome::Outcome;
pub use run_report::{Report, peak_memory_bytes};
pub use shown::ShownNames;
pub use stages::{Clock, Stage, Stages};
pub use states::StoredStates;
pub use tally::{DimensionCounts, Findings, Tally};
pub use thresholds::{Limit, Quality, Thresholds, Verdict, Violation};
