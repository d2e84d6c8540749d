//! A map in a bucket of an object store: the files of its folder, put there one by one.
//!
//! What stands there is told by the bucket itself: its manifests tell the tiles, and `.pixelmap/files.json` all other
//! files. So what is unchanged is not put again, whichever machine puts it.
//!
//! The order: what is about to change or to go is marked (in `files.json`, tiles in a manifest below `.pixelmap/`); then
//! tiles; then what is gone is removed; then manifests, all other files, and the page last. A mark goes when what it is of
//! is in its place. So whenever an export ends, and whatever answers of the store are lost, nothing stands there that no
//! list tells of, and nothing is taken for what it is not. A file that the store does not take is a gap.

mod listed;
mod store;
mod tiles;

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io;
use std::path::Path;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::future::{Either, select};
use futures_util::{StreamExt as _, stream};
use tokio::time::{sleep, timeout};

pub use self::store::{Bucket, BucketError};

use self::listed::{Listed, Stands};
use self::tiles::{LayerTiles, Lines, ON_ITS_WAY, Pair, standing, under_way};
use super::ExportError;
use crate::atlas::{FinishedMap, MapFile, MapFolder, Naming, TileRecord};
use crate::base::coord::TilePos;
use crate::base::disk::open_file;
use crate::store::{BEGUN, PublishError, begun_copy};

/// Files on their way at a time: an answer takes some 30 ms, in which a core signs and sends as many.
const ON_THE_WAY: usize = 32;
/// A store that does not take so many tiles in a row is away.
const AWAY: u64 = 2 * ON_THE_WAY as u64;
/// The same of other files, which are put one by one.
const AWAY_ONE_BY_ONE: u64 = 3;
/// The time between two looks at whether the export is to stop.
const STOP_LOOK: Duration = Duration::from_millis(50);
/// The most gaps that are named.
const NAMED: usize = 10;
/// Files that one request removes, at most.
const REMOVED_AT_ONCE: usize = 1000;
/// The time for telling what was put, once the export is to end.
const LAST_WORD: Duration = Duration::from_secs(10);
/// The files that lead to the others, in their order: an open page looks at the last.
const LAST: [&str; 4] = [MapFile::SCRIPT, "index.html", MapFile::FILE, MapFile::VERSION];

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
    map: &FinishedMap,
    bucket: &Bucket,
    is_stopped: &dyn Fn() -> bool,
    sent: &Sent,
) -> Result<Option<BucketCounts>, ExportError> {
    let FinishedMap::Folder(map) = map else { return Err(ExportError::BucketOfArchive(map.path().to_owned())) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| ExportError::Threads(error.to_string()))?;
    let writing = Writing {
        map,
        bucket,
        is_stopped,
        sent,
        counts: RefCell::default(),
        in_a_row: Cell::new(0),
        failed: RefCell::default(),
    };
    runtime.block_on(writing.run())
}

/// A map that is being put into a bucket.
struct Writing<'a> {
    map: &'a MapFolder,
    bucket: &'a Bucket,
    is_stopped: &'a dyn Fn() -> bool,
    sent: &'a Sent,
    counts: RefCell<BucketCounts>,
    /// Files in a row that the store did not take.
    in_a_row: Cell<u64>,
    /// What ends the export while tiles are on their way.
    failed: RefCell<Option<ExportError>>,
}

/// What there is to put.
struct Begun<'m> {
    layers: Vec<LayerTiles<'m>>,
    /// The paths of files that are no tiles and no manifests, and are to be put: those of [`LAST`] last.
    others: Vec<String>,
    listed: Listed,
    /// Whether a page stands there.
    has_page: bool,
}

/// The manifest of the tiles that stand in a bucket, and that of those that may.
type Manifests = Option<[File; 2]>;

impl Writing<'_> {
    async fn run(self) -> Result<Option<BucketCounts>, ExportError> {
        let Some(begun) = self.unless_stopped(self.begin()).await else { return Ok(None) };
        let begun = begun?;
        let mut manifests = Vec::new();
        for layer in &begun.layers {
            manifests.push(self.put_tiles(layer).await?);
        }
        if self.is_ended() {
            // What was put is not put again, if the store still takes this.
            let _ = timeout(LAST_WORD, self.put_marked(&begun.layers, manifests)).await;
            return self.failed.take().map_or(Ok(None), Err);
        }
        match self.unless_stopped(self.put_rest(begun, manifests)).await {
            None => Ok(None),
            Some(put) => put.map(|()| Some(self.counts.into_inner())),
        }
    }

    fn is_stopped(&self) -> bool {
        (self.is_stopped)()
    }

    fn is_ended(&self) -> bool {
        self.is_stopped() || self.failed.borrow().is_some()
    }

    fn has_gaps(&self) -> bool {
        self.counts.borrow().gaps > 0
    }

    /// The result of some work; `None`: the export is to stop.
    async fn unless_stopped<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let stopped = async {
            while !self.is_stopped() {
                sleep(STOP_LOOK).await;
            }
        };
        match select(pin!(work), pin!(stopped)).await {
            Either::Left((done, _)) => Some(done),
            Either::Right(_) => None,
        }
    }

    /// Takes the place for this map, and marks there all that is about to change or to go.
    async fn begin(&self) -> Result<Begun<'_>, ExportError> {
        self.take_place().await?;
        let mut listed = Listed::read(self.bucket).await?;
        let has_page = listed.has(MapFile::FILE);
        let mut layers = Vec::new();
        for layer in self.map.facts().with_details() {
            layers.push(LayerTiles::open(self.map, layer, self.bucket, &listed).await?);
        }
        let mut others = self.map.files_beside_tiles()?;
        listed.mark_all_but(|path| others.binary_search_by(|other| other.as_str().cmp(path)).is_ok());
        others.retain(|path| !layers.iter().any(|layer| layer.path == *path));
        others.sort_by_key(|path| LAST.iter().position(|last| last == path));
        let mut to_put = Vec::new();
        for path in others {
            let (_, stands) = self.open(&path)?;
            if listed.mark(&path, stands) {
                self.sent.total.fetch_add(stands.bytes, Ordering::Relaxed);
                to_put.push(path);
            } else {
                self.counts.borrow_mut().unchanged += 1;
            }
        }
        for layer in &layers {
            listed.mark(&layer.path, layer.stands);
        }
        listed.write(self.bucket).await?;
        for layer in layers.iter().filter(|layer| !layer.is_same) {
            self.put_own(&under_way(&layer.path), self.mark(layer)?).await?;
        }
        for (path, naming) in Self::gone_layers(&layers, &listed) {
            if let Some(manifest) = standing(self.bucket, &path).await? {
                self.put_own(&under_way(&path), tiles::all_marked(naming.scheme, manifest)?).await?;
            }
        }
        Ok(Begun { layers, others: to_put, listed, has_page })
    }

    /// Marks the place as this map's, or finds that it is.
    async fn take_place(&self) -> Result<(), ExportError> {
        let there = self.bucket.text(BEGUN).await?;
        if there.is_none() && !self.bucket.is_empty().await? {
            return Err(BucketError::NotOurs(self.bucket.address().to_owned()).into());
        }
        let address = self.bucket.address();
        let begun = begun_copy(self.map, Path::new(address), there.as_deref()).map_err(|error| match error {
            PublishError::OtherNaming(_, naming) => BucketError::OtherNaming(address.to_owned(), naming).into(),
            error => ExportError::from(error),
        })?;
        if there.as_deref() != Some(begun.as_bytes()) {
            let put = self.bucket.put(BEGUN, begun.into_bytes(), false).await;
            put.map_err(|error| self.bucket.error(BEGUN, &error))?;
        }
        Ok(())
    }

    /// The layers that stand in the bucket and are not of the map any more: their manifests, and how tiles are named.
    fn gone_layers(layers: &[LayerTiles<'_>], listed: &Listed) -> Vec<(String, Naming)> {
        listed.manifests().filter(|(path, _)| !layers.iter().any(|layer| layer.path == *path)).collect()
    }

    /// The manifest of a layer in which all tiles are marked that are about to change or to go.
    fn mark(&self, layer: &LayerTiles<'_>) -> Result<File, ExportError> {
        let mut manifest = Lines::new(layer.facts.scheme)?;
        for pair in layer.pairs()? {
            let pair = pair?;
            let to_put = pair.to_put();
            let bytes = to_put.map_or(0, |record| u64::from(record.bytes));
            self.sent.total.fetch_add(bytes, Ordering::Relaxed);
            let stays = pair.there.filter(|_| pair.ours.is_some() && to_put.is_none());
            manifest.add(pair.tile, stays.unwrap_or(ON_ITS_WAY))?;
        }
        manifest.end()
    }

    /// Puts the tiles of a layer that are not there, many at a time. Returns the manifests of what stands there then, and
    /// of what may; `None`: nothing has changed.
    async fn put_tiles(&self, layer: &LayerTiles<'_>) -> Result<Manifests, ExportError> {
        if layer.is_same {
            self.counts.borrow_mut().unchanged += layer.count()?;
            return Ok(None);
        }
        let (mut stands, mut may_stand) = (Lines::new(layer.facts.scheme)?, Lines::new(layer.facts.scheme)?);
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
        let stands = (pair.tile, pair.there.unwrap_or(ON_ITS_WAY));
        let Some(record) = pair.to_put() else {
            self.counts.borrow_mut().unchanged += u64::from(pair.ours.is_some());
            return Ok(stands);
        };
        if self.is_ended() {
            return Ok(stands);
        }
        let path = self.map.tile_path(layer.facts, pair.tile);
        let put = async {
            let bytes = self.map.tile_file(&path, record)?;
            match self.bucket.put(&path, bytes, true).await {
                Ok(()) => Ok(true),
                Err(error) => self.took_not(&path, &error, AWAY).map(|()| false),
            }
        };
        match self.unless_stopped(put).await {
            Some(Ok(true)) => {
                self.took(record.bytes.into());
                return Ok((pair.tile, record));
            }
            Some(Err(error)) => drop(self.failed.borrow_mut().get_or_insert(error)),
            Some(Ok(false)) | None => {}
        }
        // The store may have taken it, and its answer was lost.
        Ok((pair.tile, ON_ITS_WAY))
    }

    /// Puts the manifests of what may stand there.
    async fn put_marked(&self, layers: &[LayerTiles<'_>], manifests: Vec<Manifests>) -> Result<(), ExportError> {
        for (layer, manifests) in layers.iter().zip(manifests) {
            if let Some([_, may_stand]) = manifests {
                self.put_own(&under_way(&layer.path), may_stand).await?;
            }
        }
        Ok(())
    }

    /// Once all tiles were tried: removes what is gone, puts manifests and all other files.
    async fn put_rest(&self, begun: Begun<'_>, manifests: Vec<Manifests>) -> Result<(), ExportError> {
        let Begun { layers, others, mut listed, has_page } = begun;
        let is_whole = !self.has_gaps();
        if is_whole {
            self.remove_tiles(&layers, &listed).await?;
        }
        for (layer, manifests) in layers.iter().zip(manifests) {
            self.put_manifest(layer, manifests.filter(|_| !is_whole), &mut listed).await?;
        }
        for path in &others {
            // The page that stands there shows what stands there: a browser keeps what a new one would lead to.
            if has_page && self.has_gaps() && LAST.contains(&path.as_str()) {
                break;
            }
            let (file, stands) = self.open(path)?;
            self.put_other(path, file, stands, &mut listed).await?;
        }
        if is_whole {
            let is_there = |path: &str| others.iter().any(|other| other == path);
            let gone = listed.take_marked_but(|path| is_there(path) || layers.iter().any(|layer| layer.path == path));
            self.remove(gone.into_iter().map(Ok)).await?;
        }
        listed.write(self.bucket).await
    }

    /// Removes the tiles that the map does not have any more, also those of layers that it does not have any more.
    async fn remove_tiles(&self, layers: &[LayerTiles<'_>], listed: &Listed) -> Result<(), ExportError> {
        for layer in layers.iter().filter(|layer| !layer.is_same) {
            let gone = |pair: Result<Pair, ExportError>| match pair {
                Ok(pair) => pair.ours.is_none().then(|| Ok(self.map.tile_path(layer.facts, pair.tile))),
                Err(error) => Some(Err(error)),
            };
            self.remove(layer.pairs()?.filter_map(gone)).await?;
        }
        for (path, naming) in Self::gone_layers(layers, listed) {
            if let Some(manifest) = standing(self.bucket, &path).await? {
                self.remove(tiles::paths(&path, naming, manifest).map(Ok)).await?;
                self.bucket.remove(vec![path.clone()]).await?;
                self.bucket.remove(vec![under_way(&path)]).await?;
            }
        }
        Ok(())
    }

    /// Puts the manifest of a layer: the map's, or that of what stands there. Then that of what may stays beside it.
    async fn put_manifest(
        &self,
        layer: &LayerTiles<'_>,
        part: Manifests,
        listed: &mut Listed,
    ) -> Result<(), ExportError> {
        if let Some([stands, may_stand]) = part {
            self.put_own(&under_way(&layer.path), may_stand).await?;
            return self.put_own(&layer.path, stands).await;
        }
        self.put_other(&layer.path, layer.manifest()?, layer.stands, listed).await?;
        if !layer.is_same && listed.holds(&layer.path, layer.stands) {
            self.bucket.remove(vec![under_way(&layer.path)]).await?;
        }
        Ok(())
    }

    /// Puts a file that tells of the others: without it, the export cannot go on.
    async fn put_own(&self, path: &str, file: File) -> Result<(), ExportError> {
        let put = self.bucket.put_file(path, file, false).await;
        put.map_err(|error| self.bucket.error(path, &error).into())
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
            Err(error) => self.took_not(path, &error, AWAY_ONE_BY_ONE),
        }
    }

    /// Removes files, some at a time.
    async fn remove(&self, gone: impl Iterator<Item = Result<String, ExportError>>) -> Result<(), ExportError> {
        let mut gone = gone.peekable();
        while gone.peek().is_some() {
            let some: Vec<String> = gone.by_ref().take(REMOVED_AT_ONCE).collect::<Result<_, _>>()?;
            let count = some.len() as u64;
            self.bucket.remove(some).await?;
            self.counts.borrow_mut().removed += count;
        }
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
    /// The store refuses, or has taken none of so many files.
    fn took_not(&self, path: &str, error: &object_store::Error, away: u64) -> Result<(), ExportError> {
        use object_store::Error::{NotFound, PermissionDenied, Unauthenticated};
        self.in_a_row.set(self.in_a_row.get() + 1);
        let is_refused = matches!(error, NotFound { .. } | PermissionDenied { .. } | Unauthenticated { .. });
        if is_refused || self.in_a_row.get() >= away {
            return Err(self.bucket.error(path, error).into());
        }
        let mut counts = self.counts.borrow_mut();
        counts.gaps += 1;
        if counts.named.len() < NAMED {
            counts.named.push((self.bucket.address_of(path), store::reason(error)));
        }
        Ok(())
    }
}

/// An error of a temporary file.
fn temporary(error: io::Error) -> PublishError {
    PublishError::Io(std::env::temp_dir(), error)
}
