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
use std::collections::BTreeSet;
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
use self::tiles::{LayerTiles, Pair, standing, under_way};
use super::layer::tile_file;
use super::{ExportError, Workers};
use crate::coord::TilePos;
use crate::publish::{
    Facts, LayerFacts, Manifest, MapFile, MapFolder, PublishError, Scheme, TileRecord, in_folder, open_file,
};

/// Files on their way at a time: an answer takes some 30 ms, in which a core signs and sends as many.
const ON_THE_WAY: usize = 32;
/// So many files in a row that the store does not take: it is away.
const AWAY: u64 = 2 * ON_THE_WAY as u64;
/// The time between two looks at whether the export is to stop.
const STOP_LOOK: Duration = Duration::from_millis(50);
/// The most gaps that are named.
const NAMED: usize = 10;
/// The record of a tile that may be there: no file is equal to it.
const ON_ITS_WAY: TileRecord = TileRecord { bytes: 0, file: 0, pixels: 0 };
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
        let (layers, others, mut listed) = begun?;
        let mut manifests = Vec::new();
        for layer in &layers {
            manifests.push(self.put_tiles(layer).await?);
        }
        let is_whole = self.is_whole();
        if is_whole {
            self.remove_tiles(&layers, &listed).await?;
        }
        for (layer, manifests) in layers.iter().zip(manifests) {
            self.put_manifest(layer, manifests.filter(|_| !is_whole), &mut listed).await?;
        }
        self.put_others(others, is_whole, &mut listed).await?;
        listed.write(self.bucket).await?;
        if self.is_whole() {
            let ended = layers.iter().filter(|layer| !layer.is_same).map(|layer| under_way(&layer.path));
            self.bucket.remove(ended.collect()).await?;
        }
        Ok(if self.is_stopped() { None } else { Some(self.counts.into_inner()) })
    }

    fn is_stopped(&self) -> bool {
        (self.workers.is_stopped)()
    }

    /// Returns whether all is in its place so far.
    fn is_whole(&self) -> bool {
        !self.is_stopped() && self.counts.borrow().gaps == 0
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

    /// Takes the place for this map, and marks there what is about to change. Returns the layers, the other files, and
    /// what stands there.
    async fn begin(&self) -> Result<(Vec<LayerTiles<'_>>, Vec<(String, Stands)>, Listed), ExportError> {
        self.take_place().await?;
        let mut listed = Listed::read(self.bucket).await?;
        let mut layers = Vec::new();
        for layer in self.map.dimensions().iter().flat_map(Facts::with_details) {
            layers.push(LayerTiles::open(self.map, layer, self.bucket, &listed).await?);
        }
        let mut others = self.map.files_beside_tiles()?;
        others.retain(|path| !layers.iter().any(|layer| layer.path == *path));
        others.sort_by_key(|path| LAST.iter().position(|last| last == path));
        let stands = |path: String| {
            let (_, stands) = self.open(&path)?;
            Ok((path, stands))
        };
        let others: Vec<(String, Stands)> = others.into_iter().map(stands).collect::<Result<_, ExportError>>()?;
        for layer in layers.iter().filter(|layer| !layer.is_same) {
            listed.mark(&layer.path, Stands::of_manifest(&mut layer.manifest()?, layer.facts).map_err(temporary)?);
            let manifest = self.under_way(layer)?;
            let put = self.bucket.put_file(&under_way(&layer.path), manifest, false).await;
            put.map_err(|error| self.bucket.error(&under_way(&layer.path), &error))?;
        }
        others.iter().for_each(|(path, stands)| listed.mark(path, *stands));
        listed.write(self.bucket).await?;
        Ok((layers, others, listed))
    }

    /// The manifest of a layer that is under way. Counts the bytes that are to be put.
    fn under_way(&self, layer: &LayerTiles<'_>) -> Result<File, ExportError> {
        let mut manifest = Lines::new(layer.facts)?;
        for pair in layer.pairs()? {
            let pair = pair?;
            let to_put = pair.to_put();
            let bytes = to_put.map_or(0, |record| u64::from(record.bytes));
            self.sent.total.fetch_add(bytes, Ordering::Relaxed);
            manifest.add(pair.tile, if to_put.is_some() { ON_ITS_WAY } else { pair.there.unwrap_or(ON_ITS_WAY) })?;
        }
        manifest.end()
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

    /// Puts the tiles of a layer that are not there, many at a time. Returns the manifest of what stands there then, and
    /// that of what may: `None`, if nothing has changed.
    async fn put_tiles(&self, layer: &LayerTiles<'_>) -> Result<Option<[File; 2]>, ExportError> {
        if layer.is_same {
            self.counts.borrow_mut().unchanged += layer.count()?;
            return Ok(None);
        }
        let (mut stands, mut may_stand) = (Lines::new(layer.facts)?, Lines::new(layer.facts)?);
        let mut puts = pin!(stream::iter(layer.pairs()?).map(|pair| self.put_tile(layer, pair)).buffered(ON_THE_WAY));
        while let Some(put) = puts.next().await {
            let (tile, record) = put?;
            if record != ON_ITS_WAY {
                stands.add(tile, record)?;
            }
            may_stand.add(tile, record)?;
        }
        Ok(Some([stands.end()?, may_stand.end()?]))
    }

    /// Puts a tile, if another one stands there or none. Returns the record of what stands there then.
    async fn put_tile(
        &self,
        layer: &LayerTiles<'_>,
        pair: Result<Pair, ExportError>,
    ) -> Result<(TilePos, TileRecord), ExportError> {
        let pair = pair?;
        let Some(record) = pair.to_put() else {
            self.counts.borrow_mut().unchanged += u64::from(pair.ours.is_some());
            return Ok((pair.tile, pair.there.unwrap_or(ON_ITS_WAY)));
        };
        if self.is_stopped() {
            return Ok((pair.tile, pair.there.unwrap_or(ON_ITS_WAY)));
        }
        let path = self.map.tile_path(layer.facts, pair.tile);
        let bytes = tile_file(self.map, &path, record)?;
        match self.unless_stopped(self.bucket.put(&path, bytes, true)).await {
            None => {}
            Some(Ok(())) => {
                self.took(record.bytes.into());
                return Ok((pair.tile, record));
            }
            Some(Err(error)) => self.took_not(&path, &error)?,
        }
        // The store may have taken it, and its answer was lost.
        Ok((pair.tile, ON_ITS_WAY))
    }

    /// Puts the manifest of a layer: the map's, or that of what stands there; beside it stays that of what may.
    async fn put_manifest(
        &self,
        layer: &LayerTiles<'_>,
        part: Option<[File; 2]>,
        listed: &mut Listed,
    ) -> Result<(), ExportError> {
        let Some([stands, may_stand]) = part else {
            let mut file = layer.manifest()?;
            let stands = Stands::of_manifest(&mut file, layer.facts).map_err(temporary)?;
            return self.put_other(&layer.path, file, stands, listed).await;
        };
        for (path, file) in [(layer.path.clone(), stands), (under_way(&layer.path), may_stand)] {
            let put = self.bucket.put_file(&path, file, false).await;
            put.map_err(|error| self.bucket.error(&path, &error))?;
        }
        Ok(())
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
            let path = in_folder(&folder, Manifest::FILE);
            if let Some(manifest) = standing(self.bucket, &path).await? {
                self.remove(tiles::paths(&folder, naming, manifest)).await?;
                self.bucket.remove(vec![under_way(&path)]).await?;
            }
        }
        Ok(())
    }

    /// Puts all other files of the folder; where all tiles are in their places, removes those that it does not have any
    /// more.
    async fn put_others(
        &self,
        others: Vec<(String, Stands)>,
        is_whole: bool,
        listed: &mut Listed,
    ) -> Result<(), ExportError> {
        if is_whole {
            let manifests = self.map.dimensions().iter().flat_map(Facts::with_details).map(MapFolder::manifest_path);
            let stay: BTreeSet<String> = manifests.chain(others.iter().map(|(path, _)| path.clone())).collect();
            self.remove(listed.take_gone(|path| stay.contains(path))).await?;
        }
        for (path, stands) in others {
            if self.is_stopped() {
                break;
            }
            self.put_other(&path, self.open(&path)?.0, stands, listed).await?;
        }
        Ok(())
    }

    /// A file of the map that is no tile, and what is to stand there for it.
    fn open(&self, path: &str) -> Result<(File, Stands), ExportError> {
        let place = self.map.root().join(path);
        let mut file = open_file(&place).map_err(PublishError::io(&place))?;
        let stands = Stands::of(&mut file).map_err(PublishError::io(&place))?;
        Ok((file, stands))
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

/// Lines of a manifest in a temporary file.
struct Lines {
    scheme: Scheme,
    file: BufWriter<File>,
}

impl Lines {
    fn new(layer: &LayerFacts) -> Result<Self, ExportError> {
        let file = tempfile::tempfile().map_err(temporary)?;
        Ok(Self { scheme: layer.scheme, file: BufWriter::new(file) })
    }

    fn add(&mut self, tile: TilePos, record: TileRecord) -> Result<(), ExportError> {
        Ok(Manifest::write_line(self.scheme, tile, record, &mut self.file).map_err(temporary)?)
    }

    /// The file, from its start.
    fn end(self) -> Result<File, ExportError> {
        let mut file = self.file.into_inner().map_err(|error| temporary(error.into_error()))?;
        file.rewind().map_err(temporary)?;
        Ok(file)
    }
}

/// An error of a temporary file.
fn temporary(error: io::Error) -> PublishError {
    PublishError::Io(std::env::temp_dir(), error)
}
