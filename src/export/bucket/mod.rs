//! A map in a bucket of an object store: the files of its folder, put there one by one.
//!
//! The bucket itself names what is in it: its manifests name the tiles, and the *list* (`.pixelmap/files.json`) all
//! other files. So what is unchanged is not put again, whichever machine puts it. Whenever an export ends, and whatever
//! answers of the store are lost, the bucket holds nothing that is not named there, and nothing is taken for what it is
//! not. For this, files are *marked* before they change or are removed. The mark of a file is an entry of the list
//! without a hash. Tiles are marked in a second manifest, below `.pixelmap/`, where a marked tile has no content; it
//! counts in place of the first one for as long as it is there.
//!
//! An export goes through these stages, in this order:
//!
//! | stage | what is in the bucket | what the next export does, if this one ends here |
//! |---|---|---|
//! | `New` | another map, an earlier one, or nothing | begins |
//! | `Taken` | `.pixelmap/world.json` names the map's world | begins; an empty place is this map's now |
//! | `Marked` | the earlier map; all that changes or is removed is marked | puts what is marked |
//! | `Tiles` | the tiles of both maps, those that changed are new | puts tiles that are marked still |
//! | `Manifests` | the new map's tiles and manifests; tiles of the earlier map alone are removed | puts the other files |
//! | `Page` | the new map, and files that were only of the earlier one | puts and removes marked files |
//! | `Listed` | the new map, and a list without marks | finds nothing to do |
//!
//! A file that the store does not take is a *gap*, and the export goes on. Then nothing is removed, and marks stay, as
//! well as the page: a browser would keep what a new page leads to.

mod file_list;
mod mark;
mod put;
mod store;
mod tiles;

use std::fs::File;
use std::io;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::future::{Either, select};
use tokio::time::{sleep, timeout};

pub use self::store::{Bucket, BucketError};

use self::file_list::FileList;
use self::put::TriedManifests;
use self::tiles::BucketLayer;
use super::ExportError;
use crate::atlas::{FinishedMap, MapFolder, Naming};
use crate::store::PublishError;

/// The time between two looks at whether the export is to stop.
const STOP_LOOK: Duration = Duration::from_millis(50);
/// The time for marking what may have been put, once the export is to end.
const LAST_MARKS: Duration = Duration::from_secs(10);

/// The progress of an export, to be shown meanwhile.
#[derive(Debug, Default)]
pub struct Sent {
    bytes: AtomicU64,
    total: AtomicU64,
}

impl Sent {
    /// Bytes that were put, and bytes of all that is to be put.
    pub fn bytes(&self) -> (u64, u64) {
        (self.bytes.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed))
    }
}

/// The files of a bucket that changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BucketCounts {
    /// Files that were put.
    pub written: u64,
    /// Bytes of these.
    pub bytes: u64,
    /// Files that were there already.
    pub unchanged: u64,
    pub removed: u64,
    /// Files that the store did not take.
    pub gaps: u64,
    /// The first of these: the address of each, and why.
    pub named: Vec<(String, String)>,
}

/// Puts a map into a bucket; `None`: the export is to stop. What was put until then is not put again.
///
/// # Errors
/// The place holds something else or another world, the store is away or refuses, or a tile is not the one that the
/// manifest names.
pub fn put_bucket(
    map: &FinishedMap,
    bucket: &Bucket,
    is_stopped: &dyn Fn() -> bool,
    sent: &Sent,
) -> Result<Option<BucketCounts>, ExportError> {
    let FinishedMap::Folder(map) = map else { return Err(ExportError::BucketOfArchive(map.path().to_owned())) };
    if map.moment_id().is_some() {
        return Err(ExportError::BucketOfMoment(map.root().to_owned()));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| ExportError::Threads(error.to_string()))?;
    runtime.block_on(Upload::new(ExportSetup { map, bucket, is_stopped, sent }).run())
}

/// The parameters that all steps of an export share.
#[derive(Clone, Copy)]
struct ExportSetup<'a> {
    map: &'a MapFolder,
    bucket: &'a Bucket,
    is_stopped: &'a dyn Fn() -> bool,
    sent: &'a Sent,
}

struct Upload<'a> {
    job: ExportSetup<'a>,
    counts: BucketCounts,
    /// Files in a row that the store did not take.
    gaps_in_a_row: u64,
    /// The error that ends the export while tiles are put.
    failed: Option<ExportError>,
}

/// How far an export has come: see the table above.
enum ExportStage<'a> {
    New,
    Taken,
    Marked(BucketPlan<'a>),
    Tiles(BucketPlan<'a>, Vec<Option<TriedManifests>>),
    Manifests(BucketPlan<'a>),
    Page(BucketPlan<'a>),
    Listed,
}

/// The files that an export puts and removes.
struct BucketPlan<'a> {
    layers: Vec<BucketLayer<'a>>,
    /// The paths of files that are no tiles and no manifests, and are to be put: the page last.
    others: Vec<String>,
    list: FileList,
    /// Whether a page of an earlier export is in the bucket.
    has_page: bool,
}

impl BucketPlan<'_> {
    /// The layers that are in the bucket and not of the map: the paths of their manifests, and how tiles are named.
    fn removed_layers(&self) -> Vec<(String, Naming)> {
        self.list.manifests().filter(|(path, _)| !self.layers.iter().any(|layer| layer.path == *path)).collect()
    }
}

impl<'a> Upload<'a> {
    fn new(job: ExportSetup<'a>) -> Self {
        Self { job, counts: BucketCounts::default(), gaps_in_a_row: 0, failed: None }
    }

    async fn run(mut self) -> Result<Option<BucketCounts>, ExportError> {
        let is_stopped = self.job.is_stopped;
        let mut stage = ExportStage::New;
        loop {
            stage = match stage {
                ExportStage::Listed => return Ok(Some(self.counts)),
                // Tiles look themselves whether the export is to stop: what was put by then is to be marked.
                ExportStage::Marked(plan) => {
                    let manifests = self.put_tiles(&plan.layers).await?;
                    if self.is_ended() {
                        // If this fails, the marks that are in the bucket stay.
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
            ExportStage::New => self.job.take_place().await.map(|()| ExportStage::Taken),
            ExportStage::Taken => self.mark_changes().await.map(ExportStage::Marked),
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
            ExportStage::Marked(_) | ExportStage::Listed => Ok(stage),
        }
    }

    /// Returns whether no more tiles are to be put.
    fn is_ended(&self) -> bool {
        (self.job.is_stopped)() || self.failed.is_some()
    }

    /// Returns whether the store took all files so far.
    fn is_whole(&self) -> bool {
        self.counts.gaps == 0
    }
}

impl ExportSetup<'_> {
    /// Puts a file by which the bucket names others: without it, the export cannot go on.
    async fn put_names(self, path: &str, file: File) -> Result<(), ExportError> {
        let put = self.bucket.put_file(path, file, false).await;
        put.map_err(|error| self.bucket.error(path, &error).into())
    }
}

/// The result of some work; `None`: the export is to stop.
async fn unless_stopped<T>(is_stopped: &dyn Fn() -> bool, work: impl Future<Output = T>) -> Option<T> {
    let stopped = async {
        while !is_stopped() {
            sleep(STOP_LOOK).await;
        }
    };
    match select(pin!(work), pin!(stopped)).await {
        Either::Left((done, _)) => Some(done),
        Either::Right(_) => None,
    }
}

/// An error of a temporary file.
fn temporary(error: io::Error) -> PublishError {
    PublishError::Io(std::env::temp_dir(), error)
}
