//! Downloads the files of a map in a bucket that a run needs before it draws: the state of earlier
//! runs, the facts, the manifests and the lists of the history. Tiles stay in the bucket.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;

use super::access::BucketAccess;
use super::file_list::{FileList, MARK};
use super::files::BucketTiles;
use super::part_tiles::UploadedTiles;
use super::store::Bucket;
use super::tiles::{bucket_manifest, marks_path};
use crate::atlas::{
    FileRecord, Format, HISTORY, MARKERS, Manifest, ManifestLines, MapFile, Naming, TileRecord,
    is_kept_file, split_tile_path,
};
use crate::export::error::ExportError;
use crate::store::{PublishError, TravellingState, begun_path, begun_scheme};
use pixelmap_base::hash::hash_reader;
use pixelmap_base::own_folder::OwnFolder;

/// The contents of a bucket, and the files that were downloaded from it.
pub(super) struct FetchedMap {
    /// The tiles of each map layer, by the layer's folder.
    pub(super) layers: BTreeMap<String, BucketTiles>,
    /// The other files that were not downloaded. The record of a marked file is `None`.
    pub(super) others: BTreeMap<String, Option<FileRecord>>,
    /// The names of the owner's files, by their folder.
    pub(super) names: BTreeMap<String, Vec<String>>,
    /// The hashes of the downloaded files of the state, by their paths.
    pub(super) state: BTreeMap<String, u64>,
    /// The tiles that shards have uploaded and no manifest names yet.
    pub(super) uploaded: UploadedTiles,
    /// The lists of these tiles.
    pub(super) part_lists: Vec<String>,
}

/// A download into a folder.
pub(super) struct Download<'a> {
    pub(super) bucket: &'a Bucket,
    pub(super) folder: &'a OwnFolder,
    pub(super) access: &'a BucketAccess,
}

impl Download<'_> {
    pub(super) async fn fetch(&self) -> Result<FetchedMap, ExportError> {
        let list = FileList::read(self.bucket).await?;
        let mut fetched = BTreeSet::from([begun_path()]);
        self.get(&begun_path()).await?;
        for (path, _) in list.files() {
            if path == MapFile::FILE || is_history_list(path) {
                self.get(path).await?;
                fetched.insert(path.to_owned());
            }
        }

        let mut layers = BTreeMap::new();
        for (path, naming) in list.manifests() {
            let manifest = self
                .fetch_manifest(&path, list.has_whole(&path), naming)
                .await?;
            let folder = path.strip_suffix(Manifest::FILE).unwrap_or(&path);
            let folder = folder.trim_end_matches('/').to_owned();
            layers.insert(folder, BucketTiles { naming, manifest });
            fetched.extend([marks_path(&path), path]);
        }

        let mut others = BTreeMap::new();
        for (path, file) in list.files().filter(|(_, file)| !file.is_manifest()) {
            if !fetched.contains(path) {
                others.insert(path.to_owned(), file.record());
            }
        }

        let (state, part_lists) = self.fetch_state().await?;
        let mut uploaded = UploadedTiles::default();
        for path in &part_lists {
            uploaded.add_list(self.bucket, path).await?;
        }
        self.add_uploaded(&mut layers, &uploaded)?;

        Ok(FetchedMap {
            layers,
            others,
            names: BTreeMap::from([(MARKERS.to_owned(), self.bucket.names(MARKERS).await?)]),
            state,
            uploaded,
            part_lists,
        })
    }

    /// Downloads a manifest. Returns the tiles in the bucket: the manifest with marks names them if
    /// the list marks this one.
    async fn fetch_manifest(
        &self,
        path: &str,
        is_whole: bool,
        naming: Naming,
    ) -> Result<Manifest, ExportError> {
        let has_manifest = self.get(path).await?;
        if !is_whole && let Some(file) = bucket_manifest(self.bucket, path).await? {
            return Ok(read_tiles(file, naming));
        }

        Ok(if has_manifest {
            read_tiles(self.open(path)?, naming)
        } else {
            Manifest::default()
        })
    }

    /// Downloads the files of the state. Returns their hashes, and the paths of the lists of tiles
    /// that shards have uploaded.
    async fn fetch_state(&self) -> Result<(BTreeMap<String, u64>, Vec<String>), ExportError> {
        let mut state = BTreeMap::new();
        let map = TravellingState::of_map();
        if let BucketAccess::Part(name) = self.access {
            // The part comes first, because a part that is older than the map takes over the map's
            // records.
            let part = TravellingState::of_part(name);
            let own = [part.part(), part.part_before()];
            self.fetch_files(&part, own, &mut state).await?;
            self.fetch_files(&map, [], &mut state).await?;
            return Ok((state, vec![part.uploaded()]));
        }

        self.fetch_files(&map, [], &mut state).await?;
        let mut lists = Vec::new();
        let mut names = BTreeSet::new();
        let parts = TravellingState::parts();
        for path in self.bucket.paths_below(&parts).await? {
            let inside = path
                .strip_prefix(&parts)
                .map(|rest| rest.trim_start_matches('/'));
            let Some((name, file)) = inside.and_then(|inside| inside.split_once('/')) else {
                continue;
            };

            if path == TravellingState::of_part(name).uploaded() {
                lists.push(path);
            } else if *self.access == BucketAccess::Merge && !file.starts_with("lock") {
                self.get_state(&path, &mut state).await?;
                names.insert(name.to_owned());
            }
        }

        for name in names {
            let part = TravellingState::of_part(&name);
            if state.contains_key(&part.next_journal()) {
                part.join_journals(self.folder)?;
            }
        }

        Ok((state, lists))
    }

    /// Downloads the files of one state folder.
    async fn fetch_files<const N: usize>(
        &self,
        paths: &TravellingState,
        more: [String; N],
        state: &mut BTreeMap<String, u64>,
    ) -> Result<(), ExportError> {
        for path in [paths.journal(), paths.next_journal()]
            .into_iter()
            .chain(paths.others())
            .chain(more)
        {
            self.get_state(&path, state).await?;
        }

        if state.contains_key(&paths.next_journal()) {
            paths.join_journals(self.folder)?;
        }
        Ok(())
    }

    async fn get_state(
        &self,
        path: &str,
        state: &mut BTreeMap<String, u64>,
    ) -> Result<(), ExportError> {
        if self.get(path).await? {
            let hashed = hash_reader(&mut self.open(path)?);
            let (_, hash) = hashed.map_err(PublishError::io(self.folder.path()))?;
            state.insert(path.to_owned(), hash);
        }
        Ok(())
    }

    /// Adds the tiles that shards have uploaded. A tile that is already marked stays marked.
    fn add_uploaded(
        &self,
        layers: &mut BTreeMap<String, BucketTiles>,
        UploadedTiles(uploaded): &UploadedTiles,
    ) -> Result<(), ExportError> {
        let scheme = begun_scheme(self.folder)?;
        for (path, record) in uploaded {
            let Some((folder, inside)) = split_tile_path(path) else {
                continue;
            };
            let ending = path.rsplit('.').next().unwrap_or_default();
            let Some(format) = Format::from_ending(ending) else {
                continue;
            };

            let naming = Naming { scheme, format };
            let Some(tile) = naming.parse_path(inside) else {
                continue;
            };
            let record = record.map_or(MARK, |FileRecord { bytes, file }| TileRecord {
                bytes,
                file,
                pixels: 0,
            });

            let layer = layers
                .entry(folder.to_owned())
                .or_insert_with(|| BucketTiles {
                    naming,
                    manifest: Manifest::default(),
                });
            let there = layer.manifest.tiles.entry(tile).or_insert(record);
            if *there != MARK {
                *there = record;
            }
        }

        Ok(())
    }

    /// Downloads a file into the folder. Returns whether the bucket has it.
    async fn get(&self, path: &str) -> Result<bool, ExportError> {
        let Some(mut file) = self.bucket.get(path).await? else {
            return Ok(false);
        };

        let copied = self.folder.place(path).and_then(|place| {
            place.create_parents()?;
            io::copy(&mut file, &mut place.create()?)
        });
        copied.map_err(PublishError::io(&self.folder.path().join(path)))?;
        Ok(true)
    }

    fn open(&self, path: &str) -> Result<File, PublishError> {
        let opened = self.folder.place(path).and_then(|place| place.open());
        opened.map_err(PublishError::io(&self.folder.path().join(path)))
    }
}

/// Returns whether a file lists earlier versions of files, which are files of their own.
fn is_history_list(path: &str) -> bool {
    let inside = path.strip_prefix(HISTORY);
    inside.is_some_and(|inside| inside.starts_with('/')) && !is_kept_file(path)
}

/// Reads the undamaged lines of a manifest.
fn read_tiles(manifest: File, naming: Naming) -> Manifest {
    let lines = ManifestLines::new(manifest, naming.scheme);
    Manifest {
        tiles: lines.filter_map(Result::ok).collect(),
    }
}
