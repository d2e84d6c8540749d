//! The list of all files in a bucket other than tiles: `.pixelmap/files.json`. An export uploads it
//! twice: before everything else, with marks on the files that are about to change, and once more
//! at the end.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Seek as _};

use serde::{Deserialize, Serialize};

use super::store::Bucket;
use crate::atlas::{FileRecord, Format, LayerFacts, Naming, STATE, Scheme, TileRecord};
use crate::export::error::ExportError;
use pixelmap_base::hash::hash_reader;
use pixelmap_base::json;

/// Returns the list's path in the bucket.
fn path() -> String {
    format!("{STATE}/files.json")
}

/// The record of a marked tile. No file has this record, so a marked tile is always uploaded again.
pub(super) const MARK: TileRecord = TileRecord {
    bytes: 0,
    file: 0,
    pixels: 0,
};

/// A file in a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ListedFile {
    pub(super) bytes: u64,
    /// XXH3-64 of the content; `None` if the file is marked.
    hash: Option<u64>,
    /// How the tiles of a manifest are named; `None` for files other than manifests.
    #[serde(skip_serializing_if = "Option::is_none")]
    tiles: Option<(Scheme, Format)>,
}

impl ListedFile {
    /// Reads and hashes a whole file, and rewinds it.
    pub(super) fn read(file: &mut File) -> io::Result<Self> {
        let (bytes, hash) = hash_reader(file)?;
        file.rewind()?;
        Ok(Self {
            bytes,
            hash: Some(hash),
            tiles: None,
        })
    }

    /// Reads the facts of a manifest, with the naming of the tiles that it lists.
    pub(super) fn read_manifest(file: &mut File, layer: &LayerFacts) -> io::Result<Self> {
        Ok(Self {
            tiles: Some((layer.scheme, layer.format)),
            ..Self::read(file)?
        })
    }
}

impl ListedFile {
    /// Returns whether the file is a manifest.
    pub(super) const fn is_manifest(&self) -> bool {
        self.tiles.is_some()
    }

    /// Returns the length and hash of the file, or `None` if it is marked.
    pub(super) fn record(&self) -> Option<FileRecord> {
        Some(FileRecord {
            bytes: u32::try_from(self.bytes).ok()?,
            file: self.hash?,
        })
    }
}

/// The files in a bucket, by their paths.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FileList {
    files: BTreeMap<String, ListedFile>,
    is_changed: bool,
}

impl FileList {
    /// Reads the list of a bucket. A missing or damaged list counts as empty, so that all files are
    /// uploaded again.
    pub(super) async fn read(bucket: &Bucket) -> Result<Self, ExportError> {
        let text = bucket.text(&path()).await?;
        let files = text.and_then(|text| serde_json::from_slice(&text).ok());
        let mut files: BTreeMap<String, ListedFile> = files.unwrap_or_default();
        files.retain(|path, _| Bucket::is_path(path));
        Ok(Self {
            files,
            is_changed: false,
        })
    }

    /// Returns all files with their paths.
    pub(super) fn files(&self) -> impl Iterator<Item = (&str, ListedFile)> {
        self.files.iter().map(|(path, file)| (path.as_str(), *file))
    }

    /// Returns whether the bucket has exactly this file at this path.
    pub(super) fn has(&self, path: &str, file: ListedFile) -> bool {
        self.files.get(path) == Some(&file)
    }

    /// Returns whether the bucket has an unmarked file at a path.
    pub(super) fn has_whole(&self, path: &str) -> bool {
        self.files.get(path).is_some_and(|file| file.hash.is_some())
    }

    pub(super) fn add(&mut self, path: &str, file: ListedFile) {
        self.files.insert(path.to_owned(), file);
        self.is_changed = true;
    }

    /// Marks the entry that `file` is about to replace. Returns false, and marks nothing, if the
    /// bucket already has this file.
    pub(super) fn mark(&mut self, path: &str, file: ListedFile) -> bool {
        let is_other = !self.has(path, file);
        if is_other {
            self.add(path, ListedFile { hash: None, ..file });
        }
        is_other
    }

    /// Marks all files that do not belong to the map, because they are about to be removed.
    pub(super) fn mark_all_but(&mut self, is_of_map: impl Fn(&str) -> bool) {
        for (_, file) in self.files.iter_mut().filter(|(path, _)| !is_of_map(path)) {
            self.is_changed |= file.hash.take().is_some();
        }
    }

    /// Returns the paths of the manifests, and how their tiles are named.
    pub(super) fn manifests(&self) -> impl Iterator<Item = (String, Naming)> {
        self.files.iter().filter_map(|(path, file)| {
            let (scheme, format) = file.tiles?;
            Some((path.clone(), Naming { scheme, format }))
        })
    }

    /// Removes the marked files that do not belong to the map from the list, and returns their
    /// paths.
    pub(super) fn take_marked_but(&mut self, is_of_map: impl Fn(&str) -> bool) -> Vec<String> {
        let gone = self
            .files
            .extract_if(.., |path, file| file.hash.is_none() && !is_of_map(path));
        let gone: Vec<String> = gone.map(|(path, _)| path).collect();
        self.is_changed |= !gone.is_empty();
        gone
    }

    /// Uploads the list if it has changed since it was read or last uploaded.
    pub(super) async fn write(&mut self, bucket: &Bucket) -> Result<(), ExportError> {
        if std::mem::take(&mut self.is_changed) {
            // JSON can hold every value of these types, so this cannot fail.
            let text = json::text(&self.files).unwrap_or_default() + "\n";
            let put = bucket.put(&path(), text.into_bytes(), false).await;
            put.map_err(|error| bucket.error(&path(), &error))?;
        }
        Ok(())
    }
}
