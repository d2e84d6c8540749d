//! The parameters of an export, and the counts of its uploaded files.

use std::fs::File;

use super::files::BucketFiles;
use super::store::Bucket;
use crate::atlas::MapFolder;
use crate::export::error::ExportError;
use crate::export::workers::Pieces;

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

/// The parameters that all steps of an export share.
#[derive(Clone, Copy)]
pub(super) struct ExportSetup<'a> {
    pub(super) map: &'a MapFolder,
    pub(super) bucket: &'a Bucket,
    pub(super) is_stopped: &'a dyn Fn() -> bool,
    pub(super) sent: &'a Pieces,
    /// The files in the bucket that are not in the map's folder, if only changes are there.
    pub(super) files: Option<&'a BucketFiles>,
}

impl ExportSetup<'_> {
    /// Returns whether a file in the bucket belongs to the map although it is not in the map's
    /// folder.
    pub(super) fn stays(self, path: &str) -> bool {
        self.files.is_some_and(|files| files.stays(path))
    }

    /// Returns whether the manifest at this path is the one in the bucket, because the run has not
    /// drawn its layer.
    pub(super) fn is_untouched(self, path: &str) -> bool {
        self.files.is_some_and(|files| !files.is_put(path))
    }

    /// Uploads a file that names others (a manifest or its marks). The export fails without it,
    /// because the bucket would contain unnamed files.
    pub(super) async fn put_names(self, path: &str, file: File) -> Result<(), ExportError> {
        let put = self.bucket.put_file(path, file, false).await;
        put.map_err(|error| self.bucket.error(path, &error).into())
    }
}

pub(super) struct Upload<'a> {
    pub(super) job: ExportSetup<'a>,
    pub(super) counts: BucketCounts,
    /// Files that the store did not take since the last one that it took.
    pub(super) gaps_in_a_row: u64,
    /// The first error that ended the upload of tiles.
    pub(super) failed: Option<ExportError>,
}

impl<'a> Upload<'a> {
    pub(super) fn new(job: ExportSetup<'a>) -> Self {
        Self {
            job,
            counts: BucketCounts::default(),
            gaps_in_a_row: 0,
            failed: None,
        }
    }

    /// Returns whether the upload of tiles has to end.
    pub(super) fn is_ended(&self) -> bool {
        (self.job.is_stopped)() || self.failed.is_some()
    }

    /// Returns whether the store has taken all files so far.
    pub(super) fn is_whole(&self) -> bool {
        self.counts.gaps == 0
    }
}
