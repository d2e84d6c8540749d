//! One place in an object store: a bucket, and the prefix of all its keys. Files are uploaded whole
//! or not at all. This module treats all files as
//! plain bytes.

use std::fs::File;
use std::io::{Read as _, Seek as _, Write as _};
use std::path::Path as FilePath;
use std::pin::pin;
use std::sync::Arc;

use futures_util::future::ready;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
#[cfg(test)]
use object_store::ObjectStore;
use object_store::buffered::BufWriter;
use object_store::path::Path;
use object_store::{
    Attribute, Attributes, Error, ObjectStoreExt as _, PutMode, PutOptions, UpdateVersion,
};

use crate::atlas::{CACHE_CHECKED, CACHE_FOREVER, FileKind, Naming, STATE};
use crate::remote::{StorePlace, TrafficCounts, is_refused, reason};
use pixelmap_base::words::{FORMAT, OUTPUT, SCHEME};

/// Parts of a file uploaded at the same time.
const PARTS: usize = 2;
/// Larger files are uploaded in parts of this size. Stores accept no parts below 5 MiB.
const PART: usize = 8 << 20;

/// A place in an object store.
#[derive(Debug)]
pub struct Bucket {
    place: StorePlace,
}

/// Why nothing can be put into a bucket.
#[derive(Debug, thiserror::Error)]
pub enum BucketError {
    /// The address is wrong, or the settings of the store in the environment are.
    #[error("{0}")]
    Address(String),
    /// The place holds something else.
    #[error(
        "{0} is not empty, and pixelmap did not write its files: name an empty place, such as \
         {0}/map"
    )]
    NotOurs(String),
    /// Tiles have other names in the map at this place: the address, and the naming there.
    #[error(
        "{} contains a map with {SCHEME} {} {FORMAT} {}: name another place, or draw the map with \
         these options",
        .0,
        .1.scheme.name(),
        .1.format.name()
    )]
    OtherNaming(String, Naming),
    /// The store refuses: the requested address, and the store's answer.
    #[error(
        "{0}: the store refuses access ({1}): check the bucket's name, its region, and the keys in \
         the environment"
    )]
    Refused(String, String),
    /// The store does not answer, or answers that it cannot serve the request now: the requested
    /// address, and the reason.
    #[error("{0}: the store cannot be reached ({1}): run the same command again later")]
    Away(String, String),
    /// Another run draws this place, or has taken it over.
    #[error("{0} is held by another run: try again when it has ended")]
    Held(String),
    /// The store cannot keep two runs apart.
    #[error(
        "{0}: the store does not support conditional writes, which keep two runs apart: name a \
         folder with {OUTPUT}, and upload the map from there"
    )]
    NoLock(String),
}

impl BucketError {
    /// Returns whether the same call may succeed later.
    pub const fn retryable(&self) -> bool {
        matches!(self, Self::Away(..) | Self::Held(_))
    }
}

impl Bucket {
    /// Opens a place by its address: `s3://BUCKET/PREFIX`, `gs://...` or `az://...`. Keys, region
    /// and endpoint come from the environment. A failed request is repeated up to `retries` times.
    ///
    /// # Errors
    /// Fails if the address does not name a place, or if the store's settings in the environment
    /// are missing or wrong.
    pub fn open(address: &str, retries: usize) -> Result<Self, BucketError> {
        StorePlace::open(address, retries, Arc::default())
            .map(|place| Self { place })
            .map_err(BucketError::Address)
    }

    /// Returns a place in a store of a test.
    #[cfg(test)]
    pub(super) fn of_store(store: Arc<dyn ObjectStore>) -> Self {
        let place = StorePlace {
            store,
            address: "memory://map".to_owned(),
            prefix: "map".to_owned(),
            traffic: Arc::default(),
        };
        Self { place }
    }

    /// Returns the cost of all requests so far.
    pub fn traffic(&self) -> TrafficCounts {
        self.place.traffic.counts()
    }

    pub(super) fn file_address(&self, relative: &str) -> String {
        format!("{}/{relative}", self.place.address)
    }

    pub fn address(&self) -> &str {
        &self.place.address
    }

    /// Returns the error of a run that finds another one at work here.
    pub(super) fn held(&self) -> BucketError {
        BucketError::Held(self.place.address.clone())
    }

    fn key(&self, relative: &str) -> Result<Path, Error> {
        self.place.key(relative)
    }

    /// Returns whether the place is empty, except for the state of a run that has published nothing.
    ///
    /// # Errors
    /// Fails if the store does not answer, or refuses.
    pub(super) async fn is_empty(&self) -> Result<bool, BucketError> {
        let prefix =
            Path::parse(&self.place.prefix).map_err(|error| self.error("", &error.into()))?;

        // Web consoles create an empty file to represent a folder, so that file is ignored.
        let state = self.key(STATE).map_err(|error| self.error("", &error))?;
        let mut files = pin!(
            self.place
                .store
                .list(Some(&prefix))
                .try_filter(|file| ready(
                    file.location != prefix && !file.location.prefix_matches(&state)
                ))
        );

        files
            .try_next()
            .await
            .map(|file| file.is_none())
            .map_err(|error| self.error("", &error))
    }

    /// Returns the names of the files in a folder, without the files in its inner folders.
    ///
    /// # Errors
    /// Fails if the store does not answer, or refuses.
    pub(super) async fn names(&self, folder: &str) -> Result<Vec<String>, BucketError> {
        let failed = |error| self.error(folder, &error);
        let prefix = self.key(folder).map_err(failed)?;
        let listed = self.place.store.list_with_delimiter(Some(&prefix)).await;
        let files = listed.map_err(failed)?.objects.into_iter();
        Ok(files
            .filter_map(|file| file.location.filename().map(str::to_owned))
            .collect())
    }

    /// Returns the paths of all files in a folder and its inner folders, the oldest file first.
    ///
    /// # Errors
    /// Fails if the store does not answer, or refuses.
    pub(super) async fn paths_below(&self, folder: &str) -> Result<Vec<String>, BucketError> {
        let failed = |error| self.error(folder, &error);
        let prefix = self.key(folder).map_err(failed)?;
        let listed = self
            .place
            .store
            .list(Some(&prefix))
            .try_collect::<Vec<_>>()
            .await;
        let mut files = listed.map_err(failed)?;
        files.sort_by_key(|file| file.last_modified);

        let paths = files.iter().filter_map(|file| {
            let path = file.location.as_ref().strip_prefix(&self.place.prefix)?;
            Some(path.trim_start_matches('/').to_owned())
        });
        Ok(paths.collect())
    }

    /// Downloads a small file with its version. Returns `None` if the bucket does not have it.
    ///
    /// # Errors
    /// As [`Bucket::get`].
    pub(super) async fn versioned_text(
        &self,
        relative: &str,
    ) -> Result<Option<(Vec<u8>, UpdateVersion)>, BucketError> {
        let read = async {
            let got = self.place.store.get(&self.key(relative)?).await?;
            let version = UpdateVersion {
                e_tag: got.meta.e_tag.clone(),
                version: got.meta.version.clone(),
            };
            Ok((got.bytes().await?.to_vec(), version))
        };

        match read.await {
            Ok(found) => Ok(Some(found)),
            Err(error) => self.if_there(relative, &error),
        }
    }

    /// Returns `None` for the answer that a file does not exist, and other answers as errors.
    fn if_there<T>(&self, relative: &str, error: &Error) -> Result<Option<T>, BucketError> {
        // The answer for a missing bucket is the same, but with another code.
        let is_missing =
            matches!(error, Error::NotFound { .. }) && !reason(error).contains("NoSuchBucket");
        if is_missing {
            Ok(None)
        } else {
            Err(self.error(relative, error))
        }
    }

    /// Uploads a small file if the condition of `mode` holds. Returns its new version, or `None` if
    /// the condition does not hold.
    ///
    /// # Errors
    /// Fails if the store does not take the file, or does not support conditional writes.
    pub(super) async fn put_if(
        &self,
        relative: &str,
        bytes: Vec<u8>,
        mode: PutMode,
    ) -> Result<Option<UpdateVersion>, BucketError> {
        let is_update = matches!(mode, PutMode::Update(_));
        let options = PutOptions {
            attributes: attributes(relative, false),
            ..PutOptions::from(mode)
        };
        let put = async {
            self.place
                .store
                .put_opts(&self.key(relative)?, bytes.into(), options)
                .await
        };

        match put.await {
            Ok(put) => Ok(Some(put.into())),
            Err(
                Error::AlreadyExists { .. }
                | Error::Precondition { .. }
                | Error::NotModified { .. },
            ) => Ok(None),
            // The file that an update needs is gone. For a new file, the bucket is missing.
            Err(Error::NotFound { .. }) if is_update => Ok(None),
            Err(Error::NotImplemented { .. }) => {
                Err(BucketError::NoLock(self.place.address.clone()))
            }
            Err(error) if reason(&error).starts_with("501") => {
                Err(BucketError::NoLock(self.place.address.clone()))
            }
            Err(error) => Err(self.error(relative, &error)),
        }
    }

    /// Renames a file in the store, without downloading it.
    ///
    /// # Errors
    /// Fails if the store does not answer, or refuses.
    pub(super) async fn rename(&self, from: &str, to: &str) -> Result<(), BucketError> {
        let renamed = async {
            self.place
                .store
                .rename(&self.key(from)?, &self.key(to)?)
                .await
        };
        renamed.await.map_err(|error| self.error(from, &error))
    }

    /// Downloads a file to a temporary file. Returns `None` if the bucket does not have it.
    ///
    /// # Errors
    /// Fails if the store does not answer or refuses, or if the temporary file cannot be written.
    pub(super) async fn get(&self, relative: &str) -> Result<Option<File>, BucketError> {
        let read = async {
            let mut got = self
                .place
                .store
                .get(&self.key(relative)?)
                .await?
                .into_stream();
            let mut file = tempfile::tempfile().map_err(local)?;
            while let Some(bytes) = got.try_next().await? {
                file.write_all(&bytes).map_err(local)?;
            }
            file.rewind().map_err(local)?;
            Ok(file)
        };

        match read.await {
            Ok(file) => Ok(Some(file)),
            Err(error) => self.if_there(relative, &error),
        }
    }

    /// Downloads a small file into memory. Returns `None` if the bucket does not have it.
    ///
    /// # Errors
    /// As [`Bucket::get`].
    pub(super) async fn text(&self, relative: &str) -> Result<Option<Vec<u8>>, BucketError> {
        let Some(mut file) = self.get(relative).await? else {
            return Ok(None);
        };
        let mut text = Vec::new();
        file.read_to_end(&mut text)
            .map_err(|error| self.error(relative, &local(error)))?;
        Ok(Some(text))
    }

    /// Returns whether a text is a valid path of a file.
    pub(super) fn is_path(relative: &str) -> bool {
        Path::parse(relative).is_ok()
    }

    /// Uploads a file from memory. `is_kept`: its address contains its version, so browsers may
    /// cache it for ever.
    ///
    /// # Errors
    /// Fails if the store does not take the file.
    pub(super) async fn put(
        &self,
        relative: &str,
        bytes: Vec<u8>,
        is_kept: bool,
    ) -> Result<(), Error> {
        let options = PutOptions {
            attributes: attributes(relative, is_kept),
            ..PutOptions::default()
        };

        self.place
            .store
            .put_opts(&self.key(relative)?, bytes.into(), options)
            .await
            .map(drop)
    }

    /// Uploads a file part by part.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or if the store does not take it.
    pub(super) async fn put_file(
        &self,
        relative: &str,
        file: File,
        is_kept: bool,
    ) -> Result<(), Error> {
        let writer =
            BufWriter::with_capacity(Arc::clone(&self.place.store), self.key(relative)?, PART);
        let mut writer = writer
            .with_attributes(attributes(relative, is_kept))
            .with_max_concurrency(PARTS);
        loop {
            let mut bytes = Vec::new();
            if (&file)
                .take(PART as u64)
                .read_to_end(&mut bytes)
                .map_err(local)?
                == 0
            {
                break;
            }

            writer.put(bytes.into()).await?;
        }

        tokio::io::AsyncWriteExt::shutdown(&mut writer)
            .await
            .map_err(|error| error.downcast::<Error>().unwrap_or_else(local))
    }

    /// Removes files. Files that no longer exist count as removed.
    ///
    /// # Errors
    /// Fails if the store does not answer, or refuses.
    pub(super) async fn remove(&self, relative: Vec<String>) -> Result<(), BucketError> {
        let keys: Result<Vec<Path>, Error> =
            relative.iter().map(|relative| self.key(relative)).collect();
        let keys = keys.map_err(|error| self.error("", &error))?;
        let mut removed = self
            .place
            .store
            .delete_stream(stream::iter(keys.into_iter().map(Ok)).boxed());
        while let Some(one) = removed.next().await {
            match one {
                Ok(_) | Err(Error::NotFound { .. }) => {}
                Err(error) => return Err(self.error("", &error)),
            }
        }

        Ok(())
    }

    /// Describes an error of the store. Returns [`BucketError::Away`] if the same call may succeed
    /// later.
    pub(super) fn error(&self, relative: &str, error: &Error) -> BucketError {
        let address = self.file_address(relative).trim_end_matches('/').to_owned();
        let why = reason(error);
        match error {
            Error::Generic { .. } if !is_refused(&why) => BucketError::Away(address, why),
            _ => BucketError::Refused(address, why),
        }
    }
}

/// Returns the HTTP headers of a file. `is_kept`: its address contains its version.
fn attributes(relative: &str, is_kept: bool) -> Attributes {
    let kind = FileKind::from_path(FilePath::new(relative)).content_type;
    let cache = if is_kept {
        CACHE_FOREVER
    } else {
        CACHE_CHECKED
    };
    [
        (Attribute::ContentType, kind),
        (Attribute::CacheControl, cache),
    ]
    .into_iter()
    .collect()
}

/// Wraps an error of this machine as an error of a store.
fn local(error: std::io::Error) -> Error {
    Error::Generic {
        store: "local",
        source: error.into(),
    }
}
