//! Opens a world that is in a bucket or at an address.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::address::{AddressKind, WorldAddress};
use super::bucket_folder;
use super::error::RemoteError;
use super::fetch::{DownloadWatch, Downloader, Fetch};
use super::store::StorePlace;
use super::traffic::{Traffic, TrafficCounts};
use super::web::WebDownload;
use pixelmap_base::files::Files;
use pixelmap_base::retry::retryable;

/// A world that is in a bucket or at an address.
#[derive(Debug)]
pub struct RemoteWorld {
    /// The address without secrets, as the path of the world.
    path: PathBuf,
    files: Files,
    traffic: Arc<Traffic>,
}

/// How a world is opened.
#[derive(Debug)]
pub struct RemoteRequest<'a> {
    /// The address as the user gave it.
    pub address: &'a str,
    pub fetch: Fetch,
    /// The progress of the download of an archive.
    pub watch: &'a DownloadWatch,
    /// Returns whether a file in an archive is read, by its path.
    pub is_needed: fn(&str) -> bool,
}

impl RemoteWorld {
    /// Lists the files of a world in a bucket, or downloads an archive of a world into a temporary
    /// file.
    ///
    /// # Errors
    /// Fails if the address is wrong, if the server is away or refuses, or if an archive cannot be
    /// read or does not fit on the disk.
    pub fn open(request: &RemoteRequest<'_>) -> Result<Self, RemoteError> {
        let address = WorldAddress::parse(request.address)?;
        let downloader = Downloader::new(request.fetch.clone(), &address.shown)?;
        let traffic = Arc::clone(&downloader.traffic);
        let place = Path::new(&address.shown);

        let files = match address.kind {
            AddressKind::BucketFolder => {
                let bucket = open_store(&address, &downloader)?;
                Files::of_remote(place, bucket_folder::open(bucket, downloader)?)
            }
            AddressKind::BucketArchive => {
                let bucket = open_store(&address, &downloader)?;
                let work = bucket.download("", u64::MAX, request.watch);
                let archive = downloader.run(&address.shown, work)?.file;
                open_archive(place, archive, request.is_needed)?
            }
            AddressKind::Web => {
                let archive = WebDownload::new(&address, request.watch).run(&downloader)?;
                open_archive(place, archive, request.is_needed)?
            }
        };

        let path = if address.inside.is_empty() {
            place.to_owned()
        } else {
            place.join(&address.inside)
        };
        Ok(Self {
            path,
            files,
            traffic,
        })
    }

    /// Returns the address without secrets, as the path of the world.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn files(&self) -> &Files {
        &self.files
    }

    /// Returns the cost of all requests so far.
    pub fn traffic(&self) -> TrafficCounts {
        self.traffic.counts()
    }
}

fn open_store(address: &WorldAddress, downloader: &Downloader) -> Result<StorePlace, RemoteError> {
    let traffic = Arc::clone(&downloader.traffic);
    StorePlace::open(&address.shown, downloader.retries(), traffic).map_err(RemoteError::Address)
}

fn open_archive(
    place: &Path,
    archive: std::fs::File,
    is_needed: fn(&str) -> bool,
) -> Result<Files, RemoteError> {
    Files::of_download(place, archive, is_needed).map_err(|error| {
        let shown = place.display().to_string();
        if retryable(&error) {
            RemoteError::NoRoom(shown, error.to_string())
        } else {
            RemoteError::Unusable(shown, error.to_string())
        }
    })
}
