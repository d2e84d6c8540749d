//! A world in a bucket: its listing, and the downloads of its files.

use std::io;

use futures_util::TryStreamExt as _;
use object_store::path::Path;

use super::download::{DownloadedObject, remote_error, version};
use super::error::RemoteError;
use super::fetch::{DownloadWatch, Downloader};
use super::store::StorePlace;
use super::temporary::free_bytes;
use pixelmap_base::files::{DownloadedFile, RemoteEntry, RemoteFiles, RemoteFolder};

/// The most bytes of all paths in a listing together. A path counts as at least `MIN_PATH` bytes,
/// because each entry needs some memory.
const MAX_PATHS: usize = 64 << 20;
const MIN_PATH: usize = 32;
/// The most bytes of a file of a world in a bucket. No region file of the game is as long.
const MAX_FILE: u64 = 2 << 30;
/// The most bytes of downloads that are kept for neighbours, and the part of the free disk that they
/// may use.
const MAX_KEPT: u64 = 1 << 30;
const KEPT_PART: u64 = 4;

/// The files of a world in a bucket.
#[derive(Debug)]
struct BucketFiles {
    place: StorePlace,
    downloader: Downloader,
}

impl RemoteFiles for BucketFiles {
    fn download(&self, path: &str) -> io::Result<DownloadedFile> {
        let watch = DownloadWatch::default();
        let work = self.place.download(path, MAX_FILE, &watch);
        let DownloadedObject { file, len, version } =
            self.downloader.run(&self.place.address, work)?;
        Ok(DownloadedFile { file, len, version })
    }

    fn download_start(&self, path: &str, limit: u64) -> io::Result<Vec<u8>> {
        let work = self.place.download_start(path, limit);
        Ok(self.downloader.run(&self.place.address, work)?)
    }
}

/// Lists a place in a bucket.
///
/// # Errors
/// Fails if the store does not answer or refuses, if nothing is there, or if the listing is too
/// long.
pub(super) fn open(place: StorePlace, downloader: Downloader) -> Result<RemoteFolder, RemoteError> {
    let entries = downloader.run(&place.address, list(&place))?;
    if entries.is_empty() {
        let why = "no file has this name or is in a folder of this name".to_owned();
        return Err(RemoteError::Missing(place.address, why));
    }

    let free = free_bytes().unwrap_or(MAX_KEPT * KEPT_PART);
    Ok(RemoteFolder {
        entries,
        files: std::sync::Arc::new(BucketFiles { place, downloader }),
        max_kept_bytes: MAX_KEPT.min(free / KEPT_PART),
    })
}

async fn list(place: &StorePlace) -> Result<Vec<RemoteEntry>, RemoteError> {
    let prefix =
        Path::parse(&place.prefix).map_err(|error| remote_error(&place.address, &error.into()))?;
    let mut listed = place.store.list(Some(&prefix));
    let mut entries = Vec::new();
    let mut names = 0;

    loop {
        let next = listed.try_next().await;
        let Some(meta) = next.map_err(|error| remote_error(&place.address, &error))? else {
            return Ok(entries);
        };

        let path = meta.location.as_ref().strip_prefix(&place.prefix);
        let path = path.unwrap_or_default().trim_start_matches('/');
        // Web consoles create an empty file to represent a folder.
        if path.is_empty() {
            continue;
        }

        names += path.len().max(MIN_PATH);
        if names > MAX_PATHS {
            let why = format!(
                "the paths of its files have more than {} MiB: name the folder of a world",
                MAX_PATHS >> 20
            );
            return Err(RemoteError::Unusable(place.address.clone(), why));
        }

        entries.push(RemoteEntry {
            path: path.to_owned(),
            len: meta.size,
            version: version(&meta),
        });
    }
}
