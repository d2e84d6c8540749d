//! Claims the place in the bucket for this map, and marks everything that the export is about to
//! change or remove. Only after that does `put` upload and remove files, so every file in the
//! bucket is named at all times.

use std::fs::File;
use std::path::Path;

use super::file_list::{FileList, ListedFile, MARK};
use super::plan::BucketPlan;
use super::store::BucketError;
use super::tiles::{BucketLayer, Lines, bucket_manifest, mark_all, marks_path, to_put};
use super::upload::{ExportSetup, Upload};
use crate::atlas::{MapFile, MapFolder, is_kept_file};
use crate::export::error::ExportError;
use crate::store::{PublishError, begun_copy, begun_path};

/// The files that lead a browser to all others, in the order of their upload. The version file is
/// last, because an open page polls it.
pub(super) const PAGE_FILES: [&str; 5] = [
    MapFile::SCRIPT,
    "terrain.html",
    "index.html",
    MapFile::FILE,
    MapFile::VERSION,
];

impl ExportSetup<'_> {
    /// Claims the place for this map. Fails if it holds something else, another world, or tiles
    /// with other names.
    pub(super) async fn claim_place(self) -> Result<(), ExportError> {
        let path = begun_path();
        let there = self.bucket.text(&path).await?;
        if there.is_none() && !self.bucket.is_empty().await? {
            return Err(BucketError::NotOurs(self.bucket.address().to_owned()).into());
        }

        let address = self.bucket.address();
        let begun = begun_copy(self.map, Path::new(address), there.as_deref()).map_err(
            |error| match error {
                PublishError::OtherNaming(_, naming) => {
                    BucketError::OtherNaming(address.to_owned(), naming).into()
                }
                error => ExportError::from(error),
            },
        )?;

        if there.as_deref() != Some(begun.as_bytes()) {
            let put = self.bucket.put(&path, begun.into_bytes(), false).await;
            put.map_err(|error| self.bucket.error(&path, &error))?;
        }

        Ok(())
    }

    /// Opens a file of the map other than a tile, and returns it with its entry for the list.
    pub(super) fn open(self, path: &str) -> Result<(File, ListedFile), ExportError> {
        let place = self.map.root().join(path);
        let mut file = self.map.open_file(path)?;
        let listed = ListedFile::read(&mut file).map_err(PublishError::io(&place))?;
        Ok((file, listed))
    }

    /// Returns the manifest of a layer in which all tiles are marked that the export is about to
    /// change or remove. Also adds the bytes of changed tiles to the total of the progress.
    fn marks(self, layer: &BucketLayer<'_>) -> Result<File, ExportError> {
        let mut manifest = Lines::new(layer.facts.scheme)?;
        for pair in layer.pairs()? {
            let pair = pair?;
            let missing = to_put(pair);
            let bytes = missing.map_or(0, |record| u64::from(record.bytes));
            self.sent.expect(bytes);
            let record = match pair.a {
                Some(stays) if missing.is_none() => stays,
                _ => MARK,
            };
            manifest.add(pair.tile, record)?;
        }

        manifest.end()
    }
}

impl<'a> Upload<'a> {
    /// Finds the files to upload and to remove, and marks them in the bucket.
    pub(super) async fn mark_changes(&mut self) -> Result<BucketPlan<'a>, ExportError> {
        let ExportSetup {
            map, bucket, sent, ..
        } = self.job;
        let mut list = FileList::read(bucket).await?;
        let has_page = list.has_whole(MapFile::FILE);

        let mut layers = Vec::new();
        for layer in map.facts().with_details() {
            let is_untouched = self.job.is_untouched(&MapFolder::manifest_path(layer));
            layers.push(BucketLayer::open(self.job, layer, &list, is_untouched).await?);
        }

        let mut others = map.other_files()?;
        list.mark_all_but(|path| {
            let found = others.binary_search_by(|other| other.as_str().cmp(path));
            found.is_ok() || self.job.stays(path)
        });
        others.retain(|path| !layers.iter().any(|layer| layer.path == *path));

        others.sort_by_key(|path| PAGE_FILES.iter().position(|last| last == path));

        let mut kept = Vec::new();
        let mut to_put = Vec::new();
        for path in others {
            if is_kept_file(&path) && list.has_whole(&path) {
                self.counts.unchanged += 1;
                continue;
            }

            let (_, file) = self.job.open(&path)?;
            if list.mark(&path, file) {
                sent.expect(file.bytes);
                if is_kept_file(&path) {
                    kept.push(path);
                } else {
                    to_put.push(path);
                }
            } else {
                self.counts.unchanged += 1;
            }
        }

        for layer in layers.iter().filter(|layer| !layer.is_untouched) {
            list.mark(&layer.path, layer.listed);
        }

        list.write(bucket).await?;

        for layer in layers.iter().filter(|layer| !layer.is_same) {
            self.job
                .put_names(&marks_path(&layer.path), self.job.marks(layer)?)
                .await?;
        }

        let plan = BucketPlan {
            layers,
            kept,
            others: to_put,
            list,
            has_page,
        };

        for (path, naming) in plan.removed_layers() {
            if let Some(manifest) = bucket_manifest(bucket, &path).await? {
                self.job
                    .put_names(&marks_path(&path), mark_all(naming.scheme, manifest)?)
                    .await?;
            }
        }

        Ok(plan)
    }
}
