//! Uploads tiles, manifests and all other files, and removes files that the map no longer has. The
//! module `mark` has marked them before, so an export that is interrupted here can be resumed by
//! the next one.

use std::fs::File;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesOrdered;
use twox_hash::XxHash3_64;

use super::file_list::{FileList, ListedFile, MARK};
use super::mark::PAGE_FILES;
use super::plan::BucketPlan;
use super::tiles::{BucketLayer, Lines, bucket_manifest, marks_path, tile_paths, to_put};
use super::upload::{ExportSetup, Upload};
use crate::atlas::{AtlasError, TilePair, TileRecord};
use crate::export::error::ExportError;
use crate::remote::{reason, unless_stopped};
use pixelmap_base::coord::TilePos;

/// Tiles uploaded at the same time. An answer takes about 30 ms, in which one core signs and sends
/// about this number.
pub(super) const ON_THE_WAY: usize = 32;
/// The store counts as away if it fails to take this number of tiles in a row.
const MOST_TILES_IN_A_ROW: u64 = 2 * ON_THE_WAY as u64;
/// The store counts as away if it fails to take this number of other files in a row. The limit is
/// lower because these files are uploaded one by one.
const MOST_OTHERS_IN_A_ROW: u64 = 3;
/// The most gaps that the report names.
const MOST_NAMED: usize = 10;
/// The most files that one request removes.
const REMOVED_AT_ONCE: usize = 1000;

/// The new manifests of a layer after the attempt to upload its tiles.
pub(super) struct TriedManifests {
    /// The tiles that are certainly in the bucket.
    confirmed: File,
    /// The confirmed tiles, and marks for tiles that may be in the bucket.
    marked: File,
}

/// The outcome for one tile.
struct TriedTile {
    tile: TilePos,
    /// The record of the tile in the bucket, or `MARK` if that is uncertain.
    record: TileRecord,
    /// `None` if the tile was not tried, or if the export ended before the store answered.
    result: Option<PutResult>,
}

enum PutResult {
    /// The bucket already had the tile.
    Unchanged,
    /// The store took the tile.
    Taken,
    /// The store did not take the tile with this path.
    NotTaken(String, object_store::Error),
    /// The map's own file cannot be read, or differs from its record.
    Failed(ExportError),
}

impl ExportSetup<'_> {
    /// Uploads a tile if the bucket has another version of it or none.
    async fn put_tile(self, layer: &BucketLayer<'_>, pair: TilePair, is_ended: bool) -> TriedTile {
        let before = pair.b.unwrap_or(MARK);
        let Some(record) = to_put(pair).filter(|_| !is_ended) else {
            let is_unchanged = pair.a.is_some() && pair.has_same_file();
            return TriedTile {
                tile: pair.tile,
                // The list of a shard's tiles lacks the hashes of their pixels.
                record: if is_unchanged {
                    pair.a.unwrap_or(before)
                } else {
                    before
                },
                result: is_unchanged.then_some(PutResult::Unchanged),
            };
        };

        let path = self.map.tile_path(layer.facts, pair.tile);
        let put = async {
            let bytes = match self.map.tile_file(&path, record) {
                Ok(bytes) => bytes,
                Err(AtlasError::Missing(_)) if self.files.is_some() => {
                    return self.confirm_tile(&path, record).await;
                }
                Err(error) => return PutResult::Failed(error.into()),
            };
            match self.bucket.put(&path, bytes, true).await {
                Ok(()) => PutResult::Taken,
                Err(error) => PutResult::NotTaken(path, error),
            }
        };
        let result = unless_stopped(self.is_stopped, put).await;

        // A tile without an answer stays marked, because the store may have taken it.
        let is_there = matches!(result, Some(PutResult::Taken | PutResult::Unchanged));
        let record = if is_there { record } else { MARK };

        TriedTile {
            tile: pair.tile,
            record,
            result,
        }
    }
}

impl ExportSetup<'_> {
    /// Compares a marked tile in the bucket with its record. The run has found the tile there and
    /// kept it.
    async fn confirm_tile(self, path: &str, record: TileRecord) -> PutResult {
        match self.bucket.text(path).await {
            Ok(Some(bytes)) if XxHash3_64::oneshot(&bytes) == record.file => PutResult::Unchanged,
            Ok(_) => PutResult::Failed(AtlasError::Changed(self.map.root().join(path)).into()),
            Err(error) => PutResult::Failed(error.into()),
        }
    }
}

impl Upload<'_> {
    /// Uploads the tiles of all layers that the bucket does not have. Returns the manifests of each
    /// layer, or `None` for an unchanged layer.
    pub(super) async fn put_tiles(
        &mut self,
        layers: &[BucketLayer<'_>],
    ) -> Result<Vec<Option<TriedManifests>>, ExportError> {
        let mut manifests = Vec::new();
        for layer in layers {
            if layer.is_same {
                self.counts.unchanged += layer.count()?;
                manifests.push(None);
            } else {
                manifests.push(Some(self.put_layer(layer).await?));
            }
        }

        Ok(manifests)
    }

    /// Uploads the tiles of a layer, many at the same time.
    async fn put_layer(&mut self, layer: &BucketLayer<'_>) -> Result<TriedManifests, ExportError> {
        let job = self.job;
        let mut confirmed = Lines::new(layer.facts.scheme)?;

        let mut marked = Lines::new(layer.facts.scheme)?;
        let mut pairs = layer.pairs()?;
        let mut on_the_way = FuturesOrdered::new();
        loop {
            while on_the_way.len() < ON_THE_WAY
                && let Some(pair) = pairs.next()
            {
                on_the_way.push_back(job.put_tile(layer, pair?, self.is_ended()));
            }

            let Some(TriedTile {
                tile,
                record,
                result,
            }) = on_the_way.next().await
            else {
                break;
            };

            self.count_tile(record, result);

            if record != MARK {
                confirmed.add(tile, record)?;
            }

            marked.add(tile, record)?;
        }

        Ok(TriedManifests {
            confirmed: confirmed.end()?,
            marked: marked.end()?,
        })
    }

    fn count_tile(&mut self, record: TileRecord, result: Option<PutResult>) {
        match result {
            Some(PutResult::Unchanged) => self.counts.unchanged += 1,
            Some(PutResult::Taken) => self.count_put(record.bytes.into()),
            Some(PutResult::NotTaken(path, error)) => {
                let counted = self.count_gap(&path, &error, MOST_TILES_IN_A_ROW);
                self.failed = self.failed.take().or(counted.err());
            }
            Some(PutResult::Failed(error)) => self.failed = self.failed.take().or(Some(error)),
            None => {}
        }
    }

    /// Uploads the manifests that mark tiles which may be in the bucket.
    pub(super) async fn put_marks(
        &self,
        layers: &[BucketLayer<'_>],
        manifests: Vec<Option<TriedManifests>>,
    ) -> Result<(), ExportError> {
        for (layer, manifests) in layers.iter().zip(manifests) {
            if let Some(TriedManifests { marked, .. }) = manifests {
                self.job.put_names(&marks_path(&layer.path), marked).await?;
            }
        }
        Ok(())
    }

    /// Removes the tiles that the map does not have, including all tiles of layers that it no
    /// longer has.
    pub(super) async fn remove_tiles(&mut self, plan: &BucketPlan<'_>) -> Result<(), ExportError> {
        let ExportSetup { map, bucket, .. } = self.job;
        for layer in plan.layers.iter().filter(|layer| !layer.is_same) {
            let gone = layer.pairs()?.filter_map(|pair| match pair {
                Ok(pair) => pair
                    .a
                    .is_none()
                    .then(|| Ok(map.tile_path(layer.facts, pair.tile))),
                Err(error) => Some(Err(error)),
            });
            self.remove(gone).await?;
        }

        for (path, naming) in plan.removed_layers() {
            if let Some(manifest) = bucket_manifest(bucket, &path).await? {
                self.remove(tile_paths(&path, naming, manifest).map(Ok))
                    .await?;
                bucket.remove(vec![path.clone()]).await?;
                bucket.remove(vec![marks_path(&path)]).await?;
            }
        }

        Ok(())
    }

    /// Uploads the manifests. If there are gaps, it uploads manifests of the confirmed tiles
    /// together with the marks; the map's own manifest replaces the marks only if the export has no
    /// gaps.
    pub(super) async fn put_manifests(
        &mut self,
        plan: &mut BucketPlan<'_>,
        manifests: Vec<Option<TriedManifests>>,
    ) -> Result<(), ExportError> {
        let BucketPlan { layers, list, .. } = plan;
        let has_gaps = !self.is_whole();
        for (layer, manifests) in layers.iter().zip(manifests) {
            if layer.is_untouched {
                self.counts.unchanged += 1;
                continue;
            }

            if has_gaps && let Some(TriedManifests { confirmed, marked }) = manifests {
                self.job.put_names(&marks_path(&layer.path), marked).await?;
                self.job.put_names(&layer.path, confirmed).await?;
                continue;
            }

            if self
                .put_other(&layer.path, layer.manifest()?, layer.listed, list)
                .await?
                && !layer.is_same
            {
                self.job
                    .bucket
                    .remove(vec![marks_path(&layer.path)])
                    .await?;
            }
        }

        Ok(())
    }

    /// Uploads the files that only earlier moments show. They are uploaded before the tiles that
    /// replace them, because the machine may lose its copies.
    pub(super) async fn put_kept(&mut self, plan: &mut BucketPlan<'_>) -> Result<(), ExportError> {
        let BucketPlan { kept, list, .. } = plan;
        for path in kept {
            let (file, listed) = self.job.open(path)?;
            self.put_other(path, file, listed, list).await?;
        }
        Ok(())
    }

    /// Uploads all files other than tiles, manifests and kept files. If there are gaps, an earlier page in the
    /// bucket is kept.
    pub(super) async fn put_others(
        &mut self,
        plan: &mut BucketPlan<'_>,
    ) -> Result<(), ExportError> {
        let BucketPlan {
            others,
            list,
            has_page,
            ..
        } = plan;

        for path in others {
            if *has_page && !self.is_whole() && PAGE_FILES.contains(&path.as_str()) {
                break;
            }
            let (file, listed) = self.job.open(path)?;
            self.put_other(path, file, listed, list).await?;
        }

        Ok(())
    }

    /// Removes all files other than tiles that the map does not have.
    pub(super) async fn remove_others(
        &mut self,
        plan: &mut BucketPlan<'_>,
    ) -> Result<(), ExportError> {
        let BucketPlan {
            layers,
            others,
            list,
            ..
        } = plan;

        let job = self.job;
        let gone = list.take_marked_but(|path| {
            others.iter().any(|other| other == path)
                || layers.iter().any(|layer| layer.path == path)
                || job.stays(path)
        });
        self.remove(gone.into_iter().map(Ok)).await
    }

    /// Uploads a file other than a tile if the bucket has another version of it or none. Returns
    /// whether the bucket has it now.
    async fn put_other(
        &mut self,
        path: &str,
        file: File,
        listed: ListedFile,
        list: &mut FileList,
    ) -> Result<bool, ExportError> {
        if list.has(path, listed) {
            self.counts.unchanged += 1;
            return Ok(true);
        }

        match self
            .job
            .bucket
            .put_file(path, file, self.job.map.is_versioned(path))
            .await
        {
            Ok(()) => {
                self.count_put(listed.bytes);
                list.add(path, listed);
                Ok(true)
            }
            Err(error) => self
                .count_gap(path, &error, MOST_OTHERS_IN_A_ROW)
                .map(|()| false),
        }
    }

    /// Removes files, up to `REMOVED_AT_ONCE` per request.
    async fn remove(
        &mut self,
        gone: impl Iterator<Item = Result<String, ExportError>>,
    ) -> Result<(), ExportError> {
        let mut gone = gone.peekable();
        while gone.peek().is_some() {
            let some: Vec<String> = gone
                .by_ref()
                .take(REMOVED_AT_ONCE)
                .collect::<Result<_, _>>()?;
            let count = some.len() as u64;
            self.job.bucket.remove(some).await?;
            self.counts.removed += count;
        }

        Ok(())
    }

    fn count_put(&mut self, bytes: u64) {
        self.job.sent.end(bytes);
        self.gaps_in_a_row = 0;
        self.counts.written += 1;
        self.counts.bytes += bytes;
    }

    /// Counts a file that the store did not take.
    ///
    /// # Errors
    /// Fails if the store refuses, or if it failed to take `most_in_a_row` files in a row.
    fn count_gap(
        &mut self,
        path: &str,
        error: &object_store::Error,
        most_in_a_row: u64,
    ) -> Result<(), ExportError> {
        use object_store::Error::{NotFound, PermissionDenied, Unauthenticated};

        let bucket = self.job.bucket;
        self.gaps_in_a_row += 1;

        let is_refused = matches!(
            error,
            NotFound { .. } | PermissionDenied { .. } | Unauthenticated { .. }
        );
        if is_refused || self.gaps_in_a_row >= most_in_a_row {
            return Err(bucket.error(path, error).into());
        }

        self.counts.gaps += 1;

        if self.counts.named.len() < MOST_NAMED {
            self.counts
                .named
                .push((bucket.file_address(path), reason(error)));
        }

        Ok(())
    }
}
