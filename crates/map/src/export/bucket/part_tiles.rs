//! The tiles that a shard has uploaded: `uploaded.tsv` in the state of its part, one line per tile
//! with the hash of its file, its length and its path. The manifests name these tiles only after
//! the merge, which removes the list. A tile that is being uploaded has a mark in place of its
//! hash.

use std::collections::BTreeMap;

use super::store::{Bucket, BucketError};
use crate::atlas::FileRecord;
use pixelmap_base::hash::{hash_text, parse_hash};

const MARK: &str = "-";

/// The tiles of one or several parts, by their paths. The record of a marked tile is `None`.
#[derive(Debug, Default)]
pub(super) struct UploadedTiles(pub(super) BTreeMap<String, Option<FileRecord>>);

impl UploadedTiles {
    /// Adds the tiles of a list in a bucket. Damaged lines are skipped, because their tiles are
    /// only drawn again.
    pub(super) async fn add_list(
        &mut self,
        bucket: &Bucket,
        path: &str,
    ) -> Result<(), BucketError> {
        let text = bucket.text(path).await?.unwrap_or_default();
        for line in String::from_utf8_lossy(&text).lines() {
            self.0.extend(parse_line(line));
        }
        Ok(())
    }

    /// Uploads the tiles as a list.
    pub(super) async fn put(&self, bucket: &Bucket, path: &str) -> Result<(), BucketError> {
        let mut text = Vec::new();
        for (tile, record) in &self.0 {
            match record {
                Some(FileRecord { bytes, file }) => {
                    text.extend(hash_text(*file));
                    text.extend(format!("\t{bytes}\t{tile}\n").into_bytes());
                }
                None => text.extend(format!("{MARK}\t0\t{tile}\n").into_bytes()),
            }
        }

        let put = bucket.put(path, text, false).await;
        put.map_err(|error| bucket.error(path, &error))
    }
}

fn parse_line(line: &str) -> Option<(String, Option<FileRecord>)> {
    let (hash, rest) = line.split_once('\t')?;
    let (bytes, path) = rest.split_once('\t')?;
    let record = if hash == MARK {
        None
    } else {
        Some(FileRecord {
            bytes: bytes.parse().ok()?,
            file: parse_hash(hash)?,
        })
    };
    Bucket::is_path(path).then(|| (path.to_owned(), record))
}
