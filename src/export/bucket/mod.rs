//! Exports a map into a bucket of an object store: uploads the files of the map's folder one by
//! one.
//!
//! The bucket itself lists its files: its manifests name the tiles, and the *list*
//! (`.pixelmap/files.json`) names all other files. So unchanged files are not uploaded again, no
//! matter which machine runs the export. However an export ends, and whichever answers of the store
//! are lost, every file in the bucket is named there, and no file is mistaken for another. For
//! this, files are *marked* before they change or are removed. A marked file has an entry without a
//! hash in the list. Marked tiles are recorded in a second manifest below `.pixelmap/`, in which a
//! marked tile has no content; as long as this manifest exists, it replaces the first one.
//!
//! An export goes through these stages, in this order:
//!
//! | stage | content of the bucket | what the next export does if this one ends here |
//! |---|---|---|
//! | `New` | another map, an earlier one, or nothing | begins |
//! | `Taken` | `.pixelmap/world.json` names the map's world | begins; an empty place now belongs to this map |
//! | `Marked` | the earlier map; everything that changes or is removed is marked | uploads the marked files |
//! | `Tiles` | the tiles of both maps; changed tiles are new | uploads the tiles that are still marked |
//! | `Manifests` | the new map's tiles and manifests; tiles of the earlier map alone are removed | uploads the
//! other files |
//! | `Page` | the new map, and files that belong to the earlier one only | uploads and removes marked files |
//! | `Listed` | the new map, and a list without marks | finds nothing to do |
//!
//! A file that the store does not take is a *gap*, and the export goes on. It then removes nothing,
//! and it keeps the marks and the earlier page, because browsers would cache the files that a new
//! page refers to.

mod file_list;
mod mark;
mod put;
mod store;
mod tiles;

use std::fs::File;
use std::io;
use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};
use tokio::time::{sleep, timeout};

pub use self::store::{Bucket, BucketError};

use self::file_list::FileList;
use self::put::TriedManifests;
use self::tiles::BucketLayer;
use super::error::ExportError;
use super::workers::Pieces;
use crate::atlas::{FinishedMap, MapFolder, Naming};
use crate::store::PublishError;

/// The interval at which a waiting export checks whether it should stop.
const STOP_LOOK: Duration = Duration::from_millis(50);
/// The longest time for uploading the marks of possibly uploaded tiles once the export has to end.
const LAST_MARKS: Duration = Duration::from_secs(10);

/// The numbers of changed and unchanged files in a bucket.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BucketCounts {
    /// Uploaded files.
    pub written: u64,
    /// Bytes of the uploaded files.
    pub bytes: u64,
    /// Files that the bucket already had.
    pub unchanged: u64,
    pub removed: u64,
    /// Files that the store did not take.
    pub gaps: u64,
    /// The first gaps: the address of each file, and the reason.
    pub named: Vec<(String, String)>,
}

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

    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.map_err(|error| ExportError::Threads(error.to_string()))?;
    runtime.block_on(
        Upload::new(ExportSetup {
            map,
            bucket,
            is_stopped,
            sent,
        })
        .run(),
    )
}

/// The parameters that all steps of an export share.
#[derive(Clone, Copy)]
struct ExportSetup<'a> {
    map: &'a MapFolder,
    bucket: &'a Bucket,
    is_stopped: &'a dyn Fn() -> bool,
    sent: &'a Pieces,
}

struct Upload<'a> {
    job: ExportSetup<'a>,
    counts: BucketCounts,
    /// Files that the store did not take since the last one that it took.
    gaps_in_a_row: u64,
    /// The first error that ended the upload of tiles.
    failed: Option<ExportError>,
}

/// The progress of an export; the table above explains each stage.
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
    /// The paths of all files to upload other than tiles and manifests. The page is last.
    others: Vec<String>,
    list: FileList,
    /// Whether a page of an earlier export is in the bucket.
    has_page: bool,
}

impl BucketPlan<'_> {
    /// Returns the layers that are in the bucket but no longer in the map: the path of each
    /// manifest, and how its tiles are named.
    fn removed_layers(&self) -> Vec<(String, Naming)> {
        self.list
            .manifests()
            .filter(|(path, _)| !self.layers.iter().any(|layer| layer.path == *path))
            .collect()
    }
}

impl<'a> Upload<'a> {
    fn new(job: ExportSetup<'a>) -> Self {
        Self {
            job,
            counts: BucketCounts::default(),
            gaps_in_a_row: 0,
            failed: None,
        }
    }

    async fn run(mut self) -> Result<Option<BucketCounts>, ExportError> {
        let is_stopped = self.job.is_stopped;
        let mut stage = ExportStage::New;
        loop {
            stage = match stage {
                ExportStage::Listed => return Ok(Some(self.counts)),
                // The upload of tiles checks `is_stopped` itself, because the tiles uploaded before
                // the stop still have to be marked.
                ExportStage::Marked(plan) => {
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

    /// Returns whether the upload of tiles has to end.
    fn is_ended(&self) -> bool {
        (self.job.is_stopped)() || self.failed.is_some()
    }

    /// Returns whether the store has taken all files so far.
    fn is_whole(&self) -> bool {
        self.counts.gaps == 0
    }
}

impl ExportSetup<'_> {
    /// Uploads a file that names others (a manifest or its marks). The export fails without it,
    /// because the bucket would contain unnamed files.
    async fn put_names(self, path: &str, file: File) -> Result<(), ExportError> {
        let put = self.bucket.put_file(path, file, false).await;
        put.map_err(|error| self.bucket.error(path, &error).into())
    }
}

/// Runs `work` until it ends, and returns its result, or `None` if the export has to stop first.
async fn unless_stopped<T>(
    is_stopped: &dyn Fn() -> bool,
    work: impl Future<Output = T>,
) -> Option<T> {
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

/// Reports an error of a temporary file as an error of the folder for temporary files.
fn temporary(error: io::Error) -> PublishError {
    PublishError::Io(std::env::temp_dir(), error)
}
