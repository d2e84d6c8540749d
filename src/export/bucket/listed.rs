//! The list of what stands in a bucket beside the tiles: `.pixelmap/files.json`. It is put first, with a mark at what is
//! about to change, and last: what has the mark when an export begins was under way when another one ended.

use std::collections::BTreeMap;
use std::fs::File;
use std::hash::Hasher as _;
use std::io::{self, Read as _, Seek as _};

use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_64;

use super::{Bucket, ExportError};
use crate::atlas::{Format, LayerFacts, Naming, Scheme};
use crate::base::json;

/// The list's path in the bucket.
const PATH: &str = ".pixelmap/files.json";

/// A file that stands in a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stands {
    pub(super) bytes: u64,
    /// XXH3-64; `None`: it is under way.
    hash: Option<u64>,
    /// Of a manifest, how its tiles are named.
    #[serde(skip_serializing_if = "Option::is_none")]
    tiles: Option<(Scheme, Format)>,
}

impl Stands {
    /// What is to stand there for a file, which is read to its end and wound back.
    pub(super) fn of(file: &mut File) -> io::Result<Self> {
        let mut hash = XxHash3_64::with_seed(0);
        let mut buffer = vec![0; 1 << 16];
        let mut bytes = 0;
        loop {
            match file.read(&mut buffer)? {
                0 => break,
                read => {
                    hash.write(&buffer[..read]);
                    bytes += read as u64;
                }
            }
        }
        file.rewind()?;
        Ok(Self { bytes, hash: Some(hash.finish()), tiles: None })
    }

    /// The same, of the manifest of a layer.
    pub(super) fn of_manifest(file: &mut File, layer: &LayerFacts) -> io::Result<Self> {
        Ok(Self { tiles: Some((layer.scheme, layer.format)), ..Self::of(file)? })
    }
}

/// What stands in a bucket, by its path there.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Listed {
    files: BTreeMap<String, Stands>,
    is_changed: bool,
}

impl Listed {
    /// Reads the list of a bucket. One that is not there or damaged is empty: then all is put.
    pub(super) async fn read(bucket: &Bucket) -> Result<Self, ExportError> {
        let text = bucket.text(PATH).await?;
        let files = text.and_then(|text| serde_json::from_slice(&text).ok());
        let mut files: BTreeMap<String, Stands> = files.unwrap_or_default();
        files.retain(|path, _| Bucket::is_path(path));
        Ok(Self { files, is_changed: false })
    }

    /// Returns whether this file stands there.
    pub(super) fn holds(&self, path: &str, file: Stands) -> bool {
        self.files.get(path) == Some(&file)
    }

    pub(super) fn add(&mut self, path: &str, file: Stands) {
        self.files.insert(path.to_owned(), file);
        self.is_changed = true;
    }

    /// Returns whether a file stands at a path.
    pub(super) fn has(&self, path: &str) -> bool {
        self.files.get(path).is_some_and(|file| file.hash.is_some())
    }

    /// Marks what this file is about to take the place of. Returns whether that is another one.
    pub(super) fn mark(&mut self, path: &str, file: Stands) -> bool {
        let is_other = !self.holds(path, file);
        if is_other {
            self.add(path, Stands { hash: None, ..file });
        }
        is_other
    }

    /// Marks what is about to go: all files but these.
    pub(super) fn mark_all_but(&mut self, is_there: impl Fn(&str) -> bool) {
        for (_, file) in self.files.iter_mut().filter(|(path, _)| !is_there(path)) {
            self.is_changed |= file.hash.take().is_some();
        }
    }

    /// The manifests that stand there, and the naming of their tiles.
    pub(super) fn manifests(&self) -> impl Iterator<Item = (String, Naming)> {
        let naming = |(scheme, format)| Naming { scheme, format };
        self.files.iter().filter_map(move |(path, file)| Some((path.clone(), naming(file.tiles?))))
    }

    /// Takes from the list what is marked and not among these; returns its paths.
    pub(super) fn take_marked_but(&mut self, is_there: impl Fn(&str) -> bool) -> Vec<String> {
        let is_gone = |path: &String, file: &mut Stands| file.hash.is_none() && !is_there(path);
        let gone: Vec<String> = self.files.extract_if(.., is_gone).map(|(path, _)| path).collect();
        self.is_changed |= !gone.is_empty();
        gone
    }

    /// Puts the list into the bucket, if it has changed.
    pub(super) async fn write(&mut self, bucket: &Bucket) -> Result<(), ExportError> {
        if std::mem::take(&mut self.is_changed) {
            // These types have nothing that JSON cannot hold.
            let text = json::text(&self.files).unwrap_or_default() + "\n";
            bucket.put(PATH, text.into_bytes(), false).await.map_err(|error| bucket.error(PATH, &error))?;
        }
        Ok(())
    }
}
