//! Brings an export from stage to stage.

use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use super::plan::BucketPlan;
use super::put::TriedManifests;
use super::store::Bucket;
use super::upload::{BucketCounts, ExportSetup, Upload};
use crate::atlas::FinishedMap;
use crate::export::error::ExportError;
use crate::export::workers::Pieces;
use crate::remote::unless_stopped;

/// The longest time for uploading the marks of possibly uploaded tiles once the export has to end.
const LAST_MARKS: Duration = Duration::from_secs(10);

/// Uploads a map into a bucket, and counts the bytes in `sent`. Returns `None` if `is_stopped`
/// ended the export; the next export skips the files that this one has uploaded.
///
/// # Errors
/// Fails if the place holds something else or another world, if the store is away or refuses, or if
/// a tile differs from its record in the manifest.
pub fn put_bucket(
    map: &FinishedMap,
    bucket: &Bucket,
    is_stopped: &dyn Fn() -> bool,
    sent: &Pieces,
) -> Result<Option<BucketCounts>, ExportError> {
    let FinishedMap::Folder(map) = map else {
        return Err(ExportError::BucketOfArchive(map.path().to_owned()));
    };
    if map.moment_id().is_some() {
        return Err(ExportError::BucketOfMoment(map.root().to_owned()));
    }

    runtime()?.block_on(
        Upload::new(ExportSetup {
            map,
            bucket,
            is_stopped,
            sent,
            files: None,
        })
        .run(),
    )
}

/// Makes the runtime that sends requests and waits for their answers in the calling thread.
pub(super) fn runtime() -> Result<Runtime, ExportError> {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| ExportError::Threads(error.to_string()))
}

/// The progress of an export; the table at the top of the module `bucket` explains each stage.
enum ExportStage<'a> {
    New,
    Taken,
    Marked(BucketPlan<'a>),
    Kept(BucketPlan<'a>),
    Tiles(BucketPlan<'a>, Vec<Option<TriedManifests>>),
    Manifests(BucketPlan<'a>),
    Page(BucketPlan<'a>),
    Listed,
}

impl<'a> Upload<'a> {
    pub(super) async fn run(mut self) -> Result<Option<BucketCounts>, ExportError> {
        let is_stopped = self.job.is_stopped;
        let mut stage = ExportStage::New;
        loop {
            stage = match stage {
                ExportStage::Listed => return Ok(Some(self.counts)),
                // The upload of tiles checks `is_stopped` itself, because the tiles uploaded before
                // the stop still have to be marked.
                ExportStage::Kept(plan) => {
                    let manifests = self.put_tiles(&plan.layers).await?;
                    if self.is_ended() {
                        // If this fails, the marks that are already in the bucket remain valid.
                        let _ = timeout(LAST_MARKS, self.put_marks(&plan.layers, manifests)).await;
                        return self.failed.map_or(Ok(None), Err);
                    }
                    ExportStage::Tiles(plan, manifests)
                }
                stage => match unless_stopped(is_stopped, self.step(stage)).await {
                    Some(next) => next?,
                    None => return Ok(None),
                },
            };
        }
    }

    /// Brings the export to its next stage.
    async fn step(&mut self, stage: ExportStage<'a>) -> Result<ExportStage<'a>, ExportError> {
        match stage {
            ExportStage::New => self.job.claim_place().await.map(|()| ExportStage::Taken),
            ExportStage::Taken => self.mark_changes().await.map(ExportStage::Marked),
            ExportStage::Marked(mut plan) => {
                self.put_kept(&mut plan).await?;
                Ok(ExportStage::Kept(plan))
            }
            ExportStage::Tiles(mut plan, manifests) => {
                if self.is_whole() {
                    self.remove_tiles(&plan).await?;
                }
                self.put_manifests(&mut plan, manifests).await?;
                Ok(ExportStage::Manifests(plan))
            }
            ExportStage::Manifests(mut plan) => {
                self.put_others(&mut plan).await?;
                Ok(ExportStage::Page(plan))
            }
            ExportStage::Page(mut plan) => {
                if self.is_whole() {
                    self.remove_others(&mut plan).await?;
                }
                plan.list.write(self.job.bucket).await?;
                Ok(ExportStage::Listed)
            }
            ExportStage::Kept(_) | ExportStage::Listed => Ok(stage),
        }
    }
}
