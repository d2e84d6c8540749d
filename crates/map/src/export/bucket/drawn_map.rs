//! A map in a bucket that a run draws: the run works in a temporary folder, and the bucket gets the
//! result.
//!
//! The folder first gets the state of the earlier runs, the manifests and the facts of the map, but
//! not its tiles ([`BucketFiles`] finds those). The run draws into the folder as into any other
//! one. Afterwards [`BucketMap::publish`] uploads in this order:
//!
//! | step | content of the bucket if the run is killed after it |
//! |---|---|
//! | the new journal, under the name `journal-next` | the earlier map; the next run finds both journals |
//! | tiles, manifests, page and removals, as an export uploads them | the new map; before the end, marks name everything that is uncertain |
//! | `journal-next` becomes `journal` | the new map and its state |
//! | the other files of the state | the same |
//!
//! The next run finds the records of both journals. A tile whose manifest has a mark is downloaded
//! and compared with these records, so a run that continues a killed one keeps the tiles that were
//! uploaded, and the pixels of chunks that can no longer be read.
//!
//! The run of a shard uploads its tiles and the state of its part in a similar order. The merge
//! then publishes the map.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Seek as _;
use std::path::Path;
use std::sync::{Arc, Mutex};

use tempfile::TempDir;

use super::access::BucketAccess;
use super::fetch::{Download, FetchedMap};
use super::files::BucketFiles;
use super::lease::{Lease, LeaseTimes};
use super::part_tiles::UploadedTiles;
use super::stages::runtime;
use super::store::{Bucket, BucketError};
use super::upload::{BucketCounts, ExportSetup, Upload};
use crate::atlas::{Elsewhere, MapFolder};
use crate::export::error::ExportError;
use crate::export::workers::Pieces;
use crate::remote::{TrafficCounts, unless_stopped};
use crate::store::{PublishError, TravellingState, begun_path};
use pixelmap_base::disk::if_there;
use pixelmap_base::hash::hash_reader;
use pixelmap_base::mutex;
use pixelmap_base::own_folder::OwnFolder;

/// A map in a bucket, and the temporary folder in which it is drawn.
#[derive(Debug)]
pub struct BucketMap {
    pub(super) files: Arc<BucketFiles>,
    folder: TempDir,
    pub(super) access: BucketAccess,
    /// The locks in the bucket. The first one protects the state that the run changes. The list is
    /// empty if the map is only read, and after the upload.
    locks: Mutex<Vec<Lease>>,
    /// The hashes of the downloaded files of the state, by their paths.
    pub(super) state: BTreeMap<String, u64>,
    /// The tiles that shards had uploaded when the run began.
    pub(super) uploaded: UploadedTiles,
    /// The lists of these tiles.
    part_lists: Vec<String>,
}

impl BucketMap {
    /// Locks the map in a bucket, and downloads its state into a temporary folder. Returns `None`
    /// if `is_stopped` ended this.
    ///
    /// # Errors
    /// Fails if another run holds the map, if the place holds something else, if the store is away
    /// or refuses, or if the folder cannot be written.
    pub fn open(
        bucket: Bucket,
        access: BucketAccess,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Option<Self>, ExportError> {
        Self::open_with(bucket, access, LeaseTimes::default(), is_stopped)
    }

    pub(super) fn open_with(
        bucket: Bucket,
        access: BucketAccess,
        times: LeaseTimes,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Option<Self>, ExportError> {
        let runtime = Arc::new(runtime()?);
        let bucket = Arc::new(bucket);
        let checked = runtime.block_on(unless_stopped(is_stopped, check_place(&bucket)));
        let Some(()) = checked.transpose()? else {
            return Ok(None);
        };

        let Some(locks) = access.take_locks(&bucket, &runtime, times, is_stopped)? else {
            return Ok(None);
        };

        let folder = tempfile::Builder::new().prefix("pixelmap-").tempdir();
        let folder = folder.map_err(PublishError::io(&std::env::temp_dir()))?;
        let own = OwnFolder::open(folder.path()).map_err(PublishError::io(folder.path()))?;
        let download = Download {
            bucket: &bucket,
            folder: &own,
            access: &access,
        };

        let fetched = runtime.block_on(unless_stopped(is_stopped, download.fetch()));
        let Some(fetched) = fetched.transpose()? else {
            return Ok(None);
        };

        let FetchedMap {
            layers,
            others,
            names,
            state,
            uploaded,
            part_lists,
        } = fetched;
        Ok(Some(Self {
            files: Arc::new(BucketFiles {
                bucket,
                runtime,
                layers,
                others,
                names,
                changes: Mutex::default(),
            }),
            folder,
            access,
            locks: Mutex::new(locks),
            state,
            uploaded,
            part_lists,
        }))
    }

    /// Returns the folder in which the map is drawn.
    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the files of the map that are not in the folder.
    pub fn files(&self) -> Elsewhere {
        Arc::clone(&self.files) as Elsewhere
    }

    pub fn address(&self) -> &str {
        self.files.bucket.address()
    }

    /// Returns the cost of all requests so far.
    pub fn traffic(&self) -> TrafficCounts {
        self.files.bucket.traffic()
    }

    /// Uploads the map that was drawn in the folder, and counts the bytes in `sent`. Gives the
    /// locks back at the end. Returns `None` if `is_stopped` ended this; the next run continues.
    ///
    /// # Errors
    /// Fails if another run has taken the lock over, if the store is away or refuses, or if the
    /// folder cannot be read.
    pub fn publish(
        &self,
        is_stopped: &dyn Fn() -> bool,
        sent: &Pieces,
    ) -> Result<Option<BucketCounts>, ExportError> {
        let locks = std::mem::take(&mut *mutex::lock(&self.locks));
        let Some(lease) = locks.first() else {
            return Ok(Some(BucketCounts::default()));
        };

        lease.confirm()?;
        if matches!(self.access, BucketAccess::Part(_)) {
            let is_ended = || is_stopped() || !lease.is_valid();
            let put = self.wait(&is_ended, self.publish_part(sent)).transpose()?;
            return match put {
                None if !is_stopped() => Err(self.files.bucket.held().into()),
                put => Ok(put),
            };
        }

        let put = self.wait(is_stopped, self.put_next_journal()).transpose()?;
        let Some(()) = put else { return Ok(None) };

        let Some(counts) = self.publish_map(lease, is_stopped, sent)? else {
            return Ok(None);
        };

        // Without all tiles, the next run needs the records of both journals.
        if counts.gaps > 0 {
            return Ok(Some(counts));
        }

        let put = self.wait(is_stopped, self.put_state()).transpose()?;
        Ok(put.map(|()| counts))
    }

    /// Uploads the map without its state.
    fn publish_map(
        &self,
        lease: &Lease,
        is_stopped: &dyn Fn() -> bool,
        sent: &Pieces,
    ) -> Result<Option<BucketCounts>, ExportError> {
        let map = MapFolder::open(self.root())?;
        let setup = ExportSetup {
            map: &map,
            bucket: &self.files.bucket,
            is_stopped: &|| is_stopped() || !lease.is_valid(),
            sent,
            files: Some(&self.files),
        };

        loop {
            match self.files.runtime.block_on(Upload::new(setup).run())? {
                Some(counts) => return Ok(Some(counts)),
                None if is_stopped() => return Ok(None),
                // The store did not answer for a while. The upload begins again, unless another run
                // has taken the lock over.
                None => lease.confirm()?,
            }
        }
    }

    fn wait<T>(&self, is_stopped: &dyn Fn() -> bool, work: impl Future<Output = T>) -> Option<T> {
        let runtime = &self.files.runtime;
        runtime.block_on(unless_stopped(is_stopped, work))
    }

    /// Uploads the new journal under its temporary name if it differs from the one in the bucket.
    pub(super) async fn put_next_journal(&self) -> Result<(), ExportError> {
        let paths = self.access.state();
        match self.changed_state(&paths.journal())? {
            Some(file) => self.put(&paths.next_journal(), file).await,
            None => Ok(()),
        }
    }

    /// Makes the new state the one that later runs use.
    async fn put_state(&self) -> Result<(), ExportError> {
        self.put_own_state().await?;

        // The manifests name the tiles of all shards now.
        let bucket = &self.files.bucket;
        let parts = TravellingState::parts();
        let gone = if self.files.is_removed(&parts) {
            bucket.paths_below(&parts).await?
        } else {
            self.part_lists.clone()
        };
        if !gone.is_empty() {
            bucket.remove(gone).await?;
        }

        Ok(())
    }

    /// Uploads the state that the run changes.
    pub(super) async fn put_own_state(&self) -> Result<(), ExportError> {
        let paths = self.access.state();
        let (journal, next) = (paths.journal(), paths.next_journal());
        if self.changed_state(&journal)?.is_some() {
            self.files.bucket.rename(&next, &journal).await?;
        } else if self.state.contains_key(&next) {
            self.files.bucket.remove(vec![next]).await?;
        }

        for path in paths.others() {
            if let Some(file) = self.changed_state(&path)? {
                self.put(&path, file).await?;
            }
        }

        Ok(())
    }

    pub(super) async fn put(&self, path: &str, file: File) -> Result<(), ExportError> {
        let bucket = &self.files.bucket;
        let put = bucket.put_file(path, file, false).await;
        put.map_err(|error| bucket.error(path, &error).into())
    }

    /// Opens a file of the state if it differs from the downloaded one.
    pub(super) fn changed_state(&self, path: &str) -> Result<Option<File>, ExportError> {
        let failed = |error| PublishError::Io(self.root().join(path), error);
        let opened = OwnFolder::open(self.root()).and_then(|folder| folder.place(path)?.open());
        let Some(mut file) = if_there(opened).map_err(failed)? else {
            return Ok(None);
        };

        let (_, hash) = hash_reader(&mut file).map_err(failed)?;
        file.rewind().map_err(failed)?;
        Ok((self.state.get(path) != Some(&hash)).then_some(file))
    }
}

/// Checks that the place is empty or holds a map.
async fn check_place(bucket: &Bucket) -> Result<(), ExportError> {
    if bucket.text(&begun_path()).await?.is_none() && !bucket.is_empty().await? {
        return Err(BucketError::NotOurs(bucket.address().to_owned()).into());
    }
    Ok(())
}
