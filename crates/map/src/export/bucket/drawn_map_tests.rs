//! Tests maps that are drawn in a bucket with a store in memory, which can be cut off after any
//! number of changes, as if the run had been killed there.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::stream::BoxStream;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta,
    ObjectStore, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};
use twox_hash::XxHash3_64;

use super::access::BucketAccess;
use super::drawn_map::BucketMap;
use super::lease::LeaseTimes;
use super::store::Bucket;
use crate::atlas::{DimensionFacts, LayerFacts, Manifest, MapFile, Naming, TileRecord, in_folder};
use crate::export::error::ExportError;
use crate::export::workers::Pieces;
use crate::store::{Commit, Identity, Output};
use pixelmap_base::coord::TilePos;

const LAYER: &str = "overworld/day";
const JOURNAL: &str = ".pixelmap/journal";

/// Short times, so that a test does not wait for the lock of a killed run.
const SHORT: LeaseTimes = LeaseTimes {
    renewal: Duration::from_millis(20),
    validity: Duration::from_secs(5),
    takeover: Duration::from_millis(100),
    look: Duration::from_millis(10),
};

/// A store that answers no request after this number of changes.
#[derive(Debug)]
struct CutOff {
    inner: Arc<InMemory>,
    changes_left: AtomicUsize,
}

impl CutOff {
    fn over(inner: &Arc<InMemory>, changes: usize) -> Arc<Self> {
        Arc::new(Self {
            inner: Arc::clone(inner),
            changes_left: AtomicUsize::new(changes),
        })
    }

    fn look(&self) -> Result<()> {
        if self.changes_left.load(Ordering::SeqCst) == 0 {
            return Err(killed());
        }
        Ok(())
    }

    fn change(&self) -> Result<()> {
        let left = self
            .changes_left
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
                left.checked_sub(1)
            });
        left.map(drop).map_err(|_| killed())
    }
}

/// The answer of a store that a killed run no longer reaches. It is a refusal, so that nothing is
/// repeated.
fn killed() -> Error {
    Error::PermissionDenied {
        path: String::new(),
        source: "the run was killed".into(),
    }
}

impl fmt::Display for CutOff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CutOff")
    }
}

#[async_trait]
impl ObjectStore for CutOff {
    async fn put_opts(
        &self,
        location: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> Result<PutResult> {
        // Renewals of the lock happen at any time, so they do not count.
        if location.as_ref().ends_with(".pixelmap/lock") {
            self.look()?;
        } else {
            self.change()?;
        }
        self.inner.put_opts(location, payload, options).await
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.change()?;
        self.inner.put_multipart_opts(location, options).await
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        self.look()?;
        self.inner.get_opts(location, options).await
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        match self.change() {
            Ok(()) => self.inner.delete_stream(locations),
            Err(error) => Box::pin(futures_util::stream::iter([Err(error)])),
        }
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.inner.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.look()?;
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.change()?;
        self.inner.copy_opts(from, to, options).await
    }
}

fn open(store: Arc<dyn ObjectStore>) -> std::result::Result<BucketMap, ExportError> {
    let bucket = Bucket::of_store(store);
    let opened = BucketMap::open_with(bucket, BucketAccess::Change, SHORT, &|| false)?;
    Ok(opened.expect("nobody stops the run"))
}

/// The tiles of a map: the number in each file, by x.
type Tiles = BTreeMap<i32, u32>;

fn tile(x: i32) -> TilePos {
    TilePos { zoom: 17, x, y: 0 }
}

fn tile_bytes(x: i32, number: u32) -> Vec<u8> {
    format!("tile {x} number {number}").into_bytes()
}

/// Draws these tiles into the folder of a map, and publishes them.
fn draw(map: &BucketMap, tiles: &Tiles) {
    let world = Identity {
        name: "w".to_owned(),
        spawn: None,
        path: "/nowhere/world".into(),
    };
    let output = Output::open(map.root(), &world, &[]).unwrap();
    let output = output.over(Some(map.files()));
    let naming = Naming::default();

    let mut manifest = Manifest::default();
    for (&x, &number) in tiles {
        let bytes = tile_bytes(x, number);
        let path = in_folder(LAYER, &naming.path(tile(x)));
        output.put(&path, &bytes).unwrap();
        let record = TileRecord {
            bytes: bytes.len() as u32,
            file: XxHash3_64::oneshot(&bytes),
            pixels: u64::from(number),
        };
        manifest.tiles.insert(tile(x), record);
    }

    let mut gone = Vec::new();
    let manifest_path = in_folder(LAYER, Manifest::FILE);
    output
        .each_tile(&manifest_path, naming.scheme, |tile, _| {
            if !manifest.tiles.contains_key(&tile) {
                gone.push(in_folder(LAYER, &naming.path(tile)));
            }
        })
        .unwrap();

    let mut facts = MapFile::new("w".to_owned());
    facts.dimensions.push(DimensionFacts {
        id: "overworld".to_owned(),
        path: "overworld".to_owned(),
        name: "Overworld".to_owned(),
        spawn: None,
        layers: vec![LayerFacts::new(
            "day",
            LAYER.to_owned(),
            naming,
            17,
            17,
            &manifest,
        )],
        details: None,
        markers: Vec::new(),
    });

    let mut commit = Commit::new(&output);
    commit
        .put_stream(&manifest_path, |out| manifest.write(naming.scheme, out))
        .unwrap();
    commit.put(MapFile::FILE, facts.json().as_bytes()).unwrap();
    commit
        .put(JOURNAL, format!("{tiles:?}").as_bytes())
        .unwrap();
    for path in gone {
        commit.remove(&path).unwrap();
    }
    commit.carry_out().unwrap();
}

fn run(store: Arc<dyn ObjectStore>, tiles: &Tiles) -> std::result::Result<(), ExportError> {
    let map = open(store)?;
    draw(&map, tiles);
    map.publish(&|| false, &Pieces::default()).map(drop)
}

/// Returns all files of a store.
fn files(store: &InMemory) -> BTreeMap<String, Vec<u8>> {
    use futures_util::TryStreamExt as _;
    use object_store::ObjectStoreExt as _;

    let runtime = super::stages::runtime().unwrap();
    runtime.block_on(async {
        let listed: Vec<ObjectMeta> = store.list(None).try_collect().await.unwrap();
        let mut files = BTreeMap::new();
        for file in listed {
            let bytes = store
                .get(&file.location)
                .await
                .unwrap()
                .bytes()
                .await
                .unwrap();
            files.insert(file.location.to_string(), bytes.to_vec());
        }
        files
    })
}

/// Returns the tiles of a store that exist, as the numbers in their files.
fn tiles_there(files: &BTreeMap<String, Vec<u8>>) -> Tiles {
    let naming = Naming::default();
    (0..20)
        .filter_map(|x| {
            let bytes = files.get(&format!("map/{}", in_folder(LAYER, &naming.path(tile(x)))))?;
            let text = std::str::from_utf8(bytes).unwrap();
            Some((x, text.rsplit(' ').next()?.parse().ok()?))
        })
        .collect()
}

fn copy_of(store: &InMemory) -> Arc<InMemory> {
    Arc::new(store.fork())
}

#[test]
fn a_run_killed_after_any_change_is_continued() {
    let first: Tiles = (0..6).map(|x| (x, 1)).collect();
    let second: Tiles = (2..9).map(|x| (x, 1 + u32::from(x % 2 == 0))).collect();

    let begun = Arc::new(InMemory::new());
    run(begun.clone(), &first).unwrap();
    let clean = copy_of(&begun);
    run(clean.clone(), &second).unwrap();
    let wanted = files(&clean);
    assert_eq!(tiles_there(&wanted), second);

    let mut kills = 0;
    for changes in 0.. {
        let store = copy_of(&begun);
        if run(CutOff::over(&store, changes), &second).is_ok() {
            break;
        }
        kills += 1;

        // Readers find each tile that both maps have, and the state never names tiles that are not
        // uploaded.
        let there = files(&store);
        let shown = tiles_there(&there);
        for x in 2..6 {
            assert!(
                shown[&x] == first[&x] || shown[&x] == second[&x],
                "tile {x} after {changes} changes"
            );
        }
        let is_new = |path: &str| there.get(path) == wanted.get(path);
        if is_new("map/map.json") || is_new("map/.pixelmap/journal") {
            assert_eq!(shown, second, "after {changes} changes");
        }

        run(store.clone(), &second).unwrap();
        assert_eq!(files(&store), wanted, "after {changes} changes");
    }
    assert!(kills > 10, "{kills}");
}

#[test]
fn an_unchanged_run_uploads_nothing() {
    let tiles: Tiles = (0..6).map(|x| (x, 1)).collect();
    let store = Arc::new(InMemory::new());
    run(store.clone(), &tiles).unwrap();

    // Only the removal of the lock is left.
    let cut_off = CutOff::over(&store, 1);
    run(cut_off.clone(), &tiles).unwrap();
    assert_eq!(cut_off.changes_left.load(Ordering::SeqCst), 0);
}

#[test]
fn a_renewed_lock_keeps_other_runs_away() {
    let store = Arc::new(InMemory::new());
    let held = open(store.clone()).unwrap();
    let refused = open(store.clone()).unwrap_err();
    assert!(
        refused.retryable() && refused.to_string().contains("held by another run"),
        "{refused}"
    );

    drop(held);
    assert!(open(store).is_ok());
}

#[test]
fn a_run_without_its_lock_uploads_nothing() {
    let store = Arc::new(InMemory::new());
    let first: Tiles = (0..6).map(|x| (x, 1)).collect();
    let second: Tiles = (0..6).map(|x| (x, 2)).collect();
    run(store.clone(), &first).unwrap();
    let before = files(&store);

    let map = open(store.clone()).unwrap();
    draw(&map, &second);
    let lock = Path::from("map/.pixelmap/lock");
    let runtime = super::stages::runtime().unwrap();
    runtime.block_on(async {
        use object_store::ObjectStoreExt as _;
        store.put(&lock, "another run".into()).await.unwrap();
    });

    let lost = map.publish(&|| false, &Pieces::default()).unwrap_err();
    assert!(lost.retryable(), "{lost}");
    drop(map);

    let mut after = files(&store);
    assert_eq!(after.remove(lock.as_ref()).unwrap(), b"another run");
    assert_eq!(after, before);
}
