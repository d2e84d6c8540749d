//! The files of a map in a bucket, for a run that draws the map without downloading its tiles. The
//! manifests of the bucket record all tiles, so the run compares records, and downloads a tile only
//! to read its pixels.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, IntoInnerError, Seek as _};
use std::sync::{Arc, Mutex};

use tokio::runtime::Runtime;

use super::file_list::MARK;
use super::store::{Bucket, BucketError};
use crate::atlas::{
    FileRecord, FilesElsewhere, Manifest, Naming, Scheme, TileRecord, split_tile_path,
};
use pixelmap_base::mutex;

/// The files in a bucket at the beginning of the run.
pub(super) struct BucketFiles {
    pub(super) bucket: Arc<Bucket>,
    pub(super) runtime: Arc<Runtime>,
    /// The tiles of each map layer, by the layer's folder.
    pub(super) layers: BTreeMap<String, BucketTiles>,
    /// The other files that were not downloaded. The record of a marked file is `None`.
    pub(super) others: BTreeMap<String, Option<FileRecord>>,
    /// The names of the owner's files, by their folder.
    pub(super) names: BTreeMap<String, Vec<String>>,
    pub(super) changes: Mutex<BucketChanges>,
}

/// The tiles of a map layer in a bucket. A tile with a mark may have any content, or be missing.
#[derive(Debug)]
pub(super) struct BucketTiles {
    pub(super) naming: Naming,
    pub(super) manifest: Manifest,
}

/// The paths that commits of the run have changed.
#[derive(Debug, Default)]
pub(super) struct BucketChanges {
    put: BTreeSet<String>,
    removed: BTreeSet<String>,
}

/// The record of a file in the bucket.
enum Recorded {
    Absent,
    Known(FileRecord),
    /// An interrupted upload may have replaced the file.
    Uncertain,
}

impl fmt::Debug for BucketFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BucketFiles")
            .field("bucket", &self.bucket)
            .finish_non_exhaustive()
    }
}

impl BucketFiles {
    /// Returns whether a file that is not in the folder stays in the bucket.
    pub(super) fn stays(&self, path: &str) -> bool {
        self.others.contains_key(path) && !mutex::lock(&self.changes).removed.contains(path)
    }

    /// Returns whether a commit of the run has published this file, changed or not.
    pub(super) fn is_put(&self, path: &str) -> bool {
        mutex::lock(&self.changes).put.contains(path)
    }

    /// Returns the manifest of a layer's tiles in the bucket as a temporary file, or `None` if the
    /// bucket does not have the layer.
    pub(super) fn manifest(&self, layer: &str, scheme: Scheme) -> io::Result<Option<File>> {
        let Some(BucketTiles { manifest, .. }) = self.layers.get(layer) else {
            return Ok(None);
        };

        let mut file = BufWriter::new(tempfile::tempfile()?);
        manifest.write(scheme, &mut file)?;
        let mut file = file.into_inner().map_err(IntoInnerError::into_error)?;
        file.rewind()?;
        Ok(Some(file))
    }

    /// Returns whether a commit of the run has removed this file or folder.
    pub(super) fn is_removed(&self, path: &str) -> bool {
        mutex::lock(&self.changes).removed.contains(path)
    }

    fn recorded(&self, path: &str) -> Recorded {
        if mutex::lock(&self.changes).removed.contains(path) {
            return Recorded::Absent;
        }

        let known = match self.tile(path) {
            Some(tile) => Some(
                Some(tile)
                    .filter(|tile| *tile != MARK)
                    .map(FileRecord::from),
            ),
            None => self.others.get(path).copied(),
        };
        match known {
            None => Recorded::Absent,
            Some(None) => Recorded::Uncertain,
            Some(Some(record)) => Recorded::Known(record),
        }
    }

    fn tile(&self, path: &str) -> Option<TileRecord> {
        let (folder, inside) = split_tile_path(path)?;
        let layer = self.layers.get(folder)?;
        let tile = layer.naming.parse_path(inside)?;
        layer.manifest.tiles.get(&tile).copied()
    }
}

impl FilesElsewhere for BucketFiles {
    fn find(&self, relative: &str) -> io::Result<Option<FileRecord>> {
        match self.recorded(relative) {
            Recorded::Absent => Ok(None),
            Recorded::Known(record) => Ok(Some(record)),
            Recorded::Uncertain => Ok(self
                .read(relative)?
                .map(|bytes| FileRecord::of_bytes(&bytes))),
        }
    }

    fn read(&self, relative: &str) -> io::Result<Option<Vec<u8>>> {
        self.runtime
            .block_on(self.bucket.text(relative))
            .map_err(as_io_error)
    }

    fn names(&self, folder: &str) -> Vec<String> {
        self.names.get(folder).cloned().unwrap_or_default()
    }

    fn note_put(&self, relative: &str) {
        mutex::lock(&self.changes).put.insert(relative.to_owned());
    }

    fn note_removed(&self, relative: &str) {
        let mut changes = mutex::lock(&self.changes);
        changes.removed.insert(relative.to_owned());
    }
}

/// Wraps an error of a bucket so that a run that fails with it can be repeated later if that may
/// help.
fn as_io_error(error: BucketError) -> io::Error {
    let kind = if error.retryable() {
        io::ErrorKind::HostUnreachable
    } else {
        io::ErrorKind::Other
    };
    io::Error::new(kind, error)
}
