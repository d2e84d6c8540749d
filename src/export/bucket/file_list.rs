//! The list of what is in a bucket beside the tiles: `.pixelmap/files.json`. It is put first, with marks at what is
//! about to change, and last.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Seek as _};

use serde::{Deserialize, Serialize};

use super::Bucket;
use crate::atlas::{Format, LayerFacts, Naming, STATE, Scheme};
use crate::base::hash::hash_reader;
use crate::base::json;
use crate::export::ExportError;

/// The list's path in the bucket.
fn path() -> String {
    format!("{STATE}/files.json")
}

/// A file in a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ListedFile {
    pub(super) bytes: u64,
    /// XXH3-64; `None`: it is marked.
    hash: Option<u64>,
    /// How the tiles of a manifest are named; `None`: the file is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    tiles: Option<(Scheme, Format)>,
}

impl ListedFile {
    /// Reads a file to its end, and winds it back.
    pub(super) fn read(file: &mut File) -> io::Result<Self> {
        let (bytes, hash) = hash_reader(file)?;
        file.rewind()?;
        Ok(Self { bytes, hash: Some(hash), tiles: None })
    }

    /// Reads the facts of a manifest, with the naming of the tiles that it lists.
    pub(super) fn read_manifest(file: &mut File, layer: &LayerFacts) -> io::Result<Self> {
        Ok(Self { tiles: Some((layer.scheme, layer.format)), ..Self::read(file)? })
    }
}

/// The files in a bucket, by their paths.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FileList {
    files: BTreeMap<String, ListedFile>,
    is_changed: bool,
}

impl FileList {
    /// Reads the list of a bucket. One that is not there or damaged is empty: then all is put.
    pub(super) async fn read(bucket: &Bucket) -> Result<Self, ExportError> {
        let text = bucket.text(&path()).await?;
        let files = text.and_then(|text| serde_json::from_slice(&text).ok());
        let mut files: BTreeMap<String, ListedFile> = files.unwrap_or_default();
        files.retain(|path, _| Bucket::is_path(path));
        Ok(Self { files, is_changed: false })
    }

    /// Returns whether the bucket has this file at this path.
    pub(super) fn has(&self, path: &str, file: ListedFile) -> bool {
        self.files.get(path) == Some(&file)
    }

    /// Returns whether the bucket has a file at a path that is not marked.
    pub(super) fn has_whole(&self, path: &str) -> bool {
        self.files.get(path).is_some_and(|file| file.hash.is_some())
    }

    pub(super) fn add(&mut self, path: &str, file: ListedFile) {
        self.files.insert(path.to_owned(), file);
        self.is_changed = true;
    }

    /// Marks the file that this one is about to replace. Returns whether that is another one.
    pub(super) fn mark(&mut self, path: &str, file: ListedFile) -> bool {
        let is_other = !self.has(path, file);
        if is_other {
            self.add(path, ListedFile { hash: None, ..file });
        }
        is_other
    }

    /// Marks what is about to be removed: all files that are not of the map.
    pub(super) fn mark_all_but(&mut self, is_of_map: impl Fn(&str) -> bool) {
        for (_, file) in self.files.iter_mut().filter(|(path, _)| !is_of_map(path)) {
            self.is_changed |= file.hash.take().is_some();
        }
    }

    /// The paths of the manifests, and the naming of their tiles.
    pub(super) fn manifests(&self) -> impl Iterator<Item = (String, Naming)> {
        self.files.iter().filter_map(|(path, file)| {
            let (scheme, format) = file.tiles?;
            Some((path.clone(), Naming { scheme, format }))
        })
    }

    /// Takes the marked files that are not of the map from the list; returns their paths.
    pub(super) fn take_marked_but(&mut self, is_of_map: impl Fn(&str) -> bool) -> Vec<String> {
        let gone = self.files.extract_if(.., |path, file| file.hash.is_none() && !is_of_map(path));
        let gone: Vec<String> = gone.map(|(path, _)| path).collect();
        self.is_changed |= !gone.is_empty();
        gone
    }

    /// Puts the list into the bucket, if it has changed.
    pub(super) async fn write(&mut self, bucket: &Bucket) -> Result<(), ExportError> {
        if std::mem::take(&mut self.is_changed) {
            // These types have nothing that JSON cannot hold.
            let text = json::text(&self.files).unwrap_or_default() + "\n";
            let put = bucket.put(&path(), text.into_bytes(), false).await;
            put.map_err(|error| bucket.error(&path(), &error))?;
        }
        Ok(())
    }
}
