//! A map in a bucket of an object store: the files of its folder, put there one by one.
//!
//! What stands there is told by the bucket itself: its manifests tell the tiles, and `.pixelmap/files.json` all other
//! files. So what is unchanged is neither read nor put, whichever machine puts it. The order is that of a folder: tiles
//! first, then what is gone is removed, then the manifests, then all other files, the page's last. A file that the store
//! does not take is a gap: what told of it before still stands, so that the next export tries it again.

mod listed;
mod store;
mod tiles;

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io::{self, BufWriter, Seek as _};
use std::path::Path;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::future::{Either, select};
use futures_util::{StreamExt as _, stream};

pub use self::store::{Bucket, BucketError};

use self::listed::{Listed, Stands};
use self::tiles::{LayerTiles, Pair};
use super::layer::tile_file;
use super::{ExportError, Workers};
use crate::coord::TilePos;
use crate::publish::{Facts, Manifest, MapFile, MapFolder, PublishError, TileRecord, in_folder, open_file};

/// Files on their way at a time: an answer takes some 30 ms, in which a core signs and sends as many.
const ON_THE_WAY: usize = 32;
/// So many files in a row that the store does not take: it is away.
const AWAY: u64 = 2 * ON_THE_WAY as u64;
/// The time between two looks at whether the export is to stop.
const STOP_LOOK: Duration = Duration::from_millis(50);
/// The most gaps that are named.
const NAMED: usize = 10;
/// The files that lead to the others, in their order: an open page looks at the last.
const LAST: [&str; 3] = ["index.html", MapFile::FILE, MapFile::VERSION];

/// How much of an export is in its place, to be shown meanwhile.
#[derive(Debug, Default)]
pub struct Sent {
    bytes: AtomicU64,
    total: AtomicU64,
}

impl Sent {
    /// Bytes that are there, and bytes of all that is to be put.
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
    /// Files that are gone.
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
pub fn write_bucket(
    map: &MapFolder,
    bucket: &Bucket,
    workers: &Workers<'_>,
    sent: &Sent,
) -> Result<Option<BucketCounts>, ExportError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| ExportError::Threads(error.to_string()))?;
    let writing = Writing { map, bucket, workers, sent, counts: RefCell::default(), in_a_row: Cell::new(0) };
    runtime.block_on(writing.run())
}

/// A map that is being put into a bucket.
struct Writing<'a> {
    map: &'a MapFolder,
    bucket: &'a Bucket,
    workers: &'a Workers<'a>,
    sent: &'a Sent,
    counts: RefCell<BucketCounts>,
    /// Files in a row that the store did not take.
    in_a_row: Cell<u64>,
}

impl Writing<'_> {
    async fn run(self) -> Result<Option<BucketCounts>, ExportError> {
        let Some(begun) = self.unless_stopped(self.begin()).await else { return Ok(None) };
        let (layers, mut listed) = begun?;
        self.count(&layers)?;
        let mut standing = Vec::new();
        for layer in &layers {
            standing.push(self.put_tiles(layer).await?);
        }
        let is_whole = !self.is_stopped() && self.counts.borrow().gaps == 0;
        if is_whole {
            self.remove_tiles(&layers, &listed).await?;
        }
        for (layer, standing) in layers.iter().zip(standing) {
            let mut file = standing.filter(|_| !is_whole).map_or_else(|| layer.manifest(), Ok)?;
            let stands = Stands::of_manifest(&mut file, layer.facts).map_err(temporary)?;
            self.put_other(&layer.path, file, stands, &mut listed).await?;
        }
        if !self.is_stopped() {
            self.put_others(&layers, is_whole, &mut listed).await?;
        }
        listed.write(self.bucket).await?;
        Ok(if self.is_stopped() { None } else { Some(self.counts.into_inner()) })
    }

    fn is_stopped(&self) -> bool {
        (self.workers.is_stopped)()
    }

    /// The result of some work; `None`: the export is to stop.
    async fn unless_stopped<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let stopped = async {
            while !self.is_stopped() {
                tokio::time::sleep(STOP_LOOK).await;
            }
        };
        match select(pin!(work), pin!(stopped)).await {
            Either::Left((done, _)) => Some(done),
            Either::Right(_) => None,
        }
    }

    /// Takes the place for this map. Returns its layers, and what stands there.
    async fn begin(&self) -> Result<(Vec<LayerTiles<'_>>, Listed), ExportError> {
        self.take_place().await?;
        let listed = Listed::read(self.bucket).await?;
        let mut layers = Vec::new();
        for layer in self.map.dimensions().iter().flat_map(Facts::with_details) {
            layers.push(LayerTiles::open(self.map, layer, self.bucket, &listed).await?);
        }
        Ok((layers, listed))
    }

    /// Marks the place as this map's, or finds that it is.
    async fn take_place(&self) -> Result<(), ExportError> {
        let there = self.bucket.get(MapFolder::BEGUN).await?.map(tiles::text).transpose()?;
        if there.is_none() && !self.bucket.is_empty().await? {
            return Err(BucketError::NotOurs(self.bucket.address().to_owned()).into());
        }
        let begun = self.map.begun(Path::new(self.bucket.address()), there.as_deref())?;
        if there.as_deref() != Some(begun.as_bytes()) {
            let put = self.bucket.put(MapFolder::BEGUN, begun.into_bytes(), false).await;
            put.map_err(|error| self.bucket.error(MapFolder::BEGUN, &error))?;
        }
        Ok(())
    }

    /// Counts the bytes of the tiles that are to be put.
    fn count(&self, layers: &[LayerTiles<'_>]) -> Result<(), ExportError> {
        for layer in layers.iter().filter(|layer| !layer.is_same) {
            for pair in layer.pairs()? {
                let bytes = pair?.to_put().map_or(0, |record| u64::from(record.bytes));
                self.sent.total.fetch_add(bytes, Ordering::Relaxed);
            }
        }
        Ok(())
    }

    /// Puts the tiles of a layer that are not there, many at a time. Returns the manifest of what stands there then.
    async fn put_tiles(&self, layer: &LayerTiles<'_>) -> Result<Option<File>, ExportError> {
        if layer.is_same {
            self.counts.borrow_mut().unchanged += layer.count()?;
            return Ok(None);
        }
        let mut standing = BufWriter::new(tempfile::tempfile().map_err(temporary)?);
        let mut puts = pin!(stream::iter(layer.pairs()?).map(|pair| self.put_tile(layer, pair)).buffered(ON_THE_WAY));
        while let Some(stands) = puts.next().await {
            if let Some((tile, record)) = stands? {
                Manifest::write_line(layer.facts.scheme, tile, record, &mut standing).map_err(temporary)?;
            }
        }
        let file = standing.into_inner().map_err(|error| temporary(error.into_error()))?;
        (&file).rewind().map_err(temporary)?;
        Ok(Some(file))
    }

    /// Puts a tile, if another one stands there or none. Returns the record of what stands there then.
    async fn put_tile(
        &self,
        layer: &LayerTiles<'_>,
        pair: Result<Pair, ExportError>,
    ) -> Result<Option<(TilePos, TileRecord)>, ExportError> {
        let pair = pair?;
        let stands = pair.there.map(|record| (pair.tile, record));
        let Some(record) = pair.to_put().filter(|_| !self.is_stopped()) else {
            self.counts.borrow_mut().unchanged += u64::from(pair.ours.is_some());
            return Ok(stands);
        };
        let path = self.map.tile_path(layer.facts, pair.tile);
        let bytes = tile_file(self.map, &path, record)?;
        match self.unless_stopped(self.bucket.put(&path, bytes, true)).await {
            None => Ok(stands),
            Some(Ok(())) => {
                self.took(record.bytes.into());
                Ok(Some((pair.tile, record)))
            }
            Some(Err(error)) => self.took_not(&path, &error).map(|()| stands),
        }
    }

    /// Removes the tiles that the map does not have any more, also those of layers that it does not have any more.
    async fn remove_tiles(&self, layers: &[LayerTiles<'_>], listed: &Listed) -> Result<(), ExportError> {
        for layer in layers.iter().filter(|layer| !layer.is_same) {
            let mut gone = Vec::new();
            for pair in layer.pairs()? {
                let pair = pair?;
                gone.extend(pair.ours.is_none().then(|| self.map.tile_path(layer.facts, pair.tile)));
            }
            self.remove(gone).await?;
        }
        for (folder, naming) in listed.layers_but(|path| layers.iter().any(|layer| layer.path == path)) {
            if let Some(manifest) = self.bucket.get(&in_folder(&folder, Manifest::FILE)).await? {
                self.remove(tiles::paths(&folder, naming, manifest)).await?;
            }
        }
        Ok(())
    }

    /// Puts all other files of the folder; where all tiles are in their places, removes those that it does not have any
    /// more.
    async fn put_others(
        &self,
        layers: &[LayerTiles<'_>],
        is_whole: bool,
        listed: &mut Listed,
    ) -> Result<(), ExportError> {
        let mut others = self.map.files_beside_tiles()?;
        if is_whole {
            self.remove(listed.take_gone(|path| others.binary_search_by(|other| other.as_str().cmp(path)).is_ok()))
                .await?;
        }
        others.retain(|path| !layers.iter().any(|layer| layer.path == *path));
        others.sort_by_key(|path| LAST.iter().position(|last| last == path));
        for path in others {
            if self.is_stopped() {
                break;
            }
            let place = self.map.root().join(&path);
            let mut file = open_file(&place).map_err(PublishError::io(&place))?;
            let stands = Stands::of(&mut file).map_err(PublishError::io(&place))?;
            self.put_other(&path, file, stands, listed).await?;
        }
        Ok(())
    }

    /// Puts a file that is no tile, if another one stands there or none.
    async fn put_other(&self, path: &str, file: File, stands: Stands, listed: &mut Listed) -> Result<(), ExportError> {
        if listed.holds(path, stands) {
            self.counts.borrow_mut().unchanged += 1;
            return Ok(());
        }
        match self.bucket.put_file(path, file, self.map.is_versioned(path)).await {
            Ok(()) => {
                self.took(stands.bytes);
                listed.add(path, stands);
                Ok(())
            }
            Err(error) => self.took_not(path, &error),
        }
    }

    async fn remove(&self, gone: Vec<String>) -> Result<(), ExportError> {
        let count = gone.len() as u64;
        self.bucket.remove(gone).await?;
        self.counts.borrow_mut().removed += count;
        Ok(())
    }

    fn took(&self, bytes: u64) {
        self.sent.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.in_a_row.set(0);
        let mut counts = self.counts.borrow_mut();
        counts.written += 1;
        counts.bytes += bytes;
    }

    /// Counts a gap.
    ///
    /// # Errors
    /// The store takes nothing at all.
    fn took_not(&self, path: &str, error: &object_store::Error) -> Result<(), ExportError> {
        use object_store::Error::{NotFound, PermissionDenied, Unauthenticated};
        self.in_a_row.set(self.in_a_row.get() + 1);
        let is_refused = matches!(error, NotFound { .. } | PermissionDenied { .. } | Unauthenticated { .. });
        if is_refused || self.in_a_row.get() >= AWAY {
            return Err(self.bucket.error(path, error).into());
        }
        let mut counts = self.counts.borrow_mut();
        counts.gaps += 1;
        if counts.named.len() < NAMED {
            counts.named.push((self.bucket.address_of(path), store::in_words(error)));
        }
        Ok(())
    }
}

/// An error of a temporary file.
fn temporary(error: io::Error) -> PublishError {
    PublishError::Io(std::env::temp_dir(), error)
}
