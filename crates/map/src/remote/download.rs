//! Downloads one file of a bucket.

use std::fs::File;

use futures_util::TryStreamExt as _;
use object_store::{Error, GetOptions, GetRange, GetResult, ObjectMeta, ObjectStoreExt as _};
use twox_hash::XxHash3_64;

use super::error::RemoteError;
use super::fetch::DownloadWatch;
use super::store::{StorePlace, is_refused, reason};
use super::temporary::TemporaryFile;

/// A file of a bucket that was downloaded.
pub(super) struct DownloadedObject {
    pub(super) file: File,
    pub(super) len: u64,
    pub(super) version: u64,
}

impl StorePlace {
    /// Downloads a file of the place, or the place itself if `relative` is empty, into a temporary
    /// file of at most `limit` bytes.
    ///
    /// # Errors
    /// Fails if the store does not answer, refuses or does not have the file, or if the disk is
    /// too full for it.
    pub(super) async fn download(
        &self,
        relative: &str,
        limit: u64,
        watch: &DownloadWatch,
    ) -> Result<DownloadedObject, RemoteError> {
        let address = self.file_address(relative);
        let got = async {
            let key = self.file_key(relative)?;
            self.store.get(&key).await
        };
        let got = got.await.map_err(|error| remote_error(&address, &error))?;
        let version = version(&got.meta);
        let mut file = TemporaryFile::new(&address, limit)?;
        file.expect(got.meta.size)?;
        watch.expect(got.meta.size);

        let mut bytes = got.into_stream();
        loop {
            let next = bytes.try_next().await;
            let Some(bytes) = next.map_err(|error| remote_error(&address, &error))? else {
                break;
            };
            file.add(&bytes)?;
            watch.reach(file.len());
        }

        let len = file.len();
        Ok(DownloadedObject {
            file: file.finish()?,
            len,
            version,
        })
    }

    /// Downloads the first bytes of a file, up to `limit`.
    ///
    /// # Errors
    /// As [`StorePlace::download`].
    pub(super) async fn download_start(
        &self,
        relative: &str,
        limit: u64,
    ) -> Result<Vec<u8>, RemoteError> {
        let address = self.file_address(relative);
        let read = async {
            let options = GetOptions {
                range: Some(GetRange::Bounded(0..limit)),
                ..GetOptions::default()
            };
            let key = self.file_key(relative)?;
            let got: GetResult = self.store.get_opts(&key, options).await?;
            got.bytes().await
        };
        let read = read.await.map_err(|error| remote_error(&address, &error));
        read.map(|bytes| bytes.to_vec())
    }

    fn file_address(&self, relative: &str) -> String {
        if relative.is_empty() {
            self.address.clone()
        } else {
            format!("{}/{relative}", self.address)
        }
    }

    fn file_key(&self, relative: &str) -> Result<object_store::path::Path, Error> {
        if relative.is_empty() {
            Ok(object_store::path::Path::parse(&self.prefix)?)
        } else {
            self.key(relative)
        }
    }
}

/// Returns a number that changes whenever a file changes: a hash of its `ETag`, or of the time
/// of the last change if the store lacks it.
pub(super) fn version(meta: &ObjectMeta) -> u64 {
    // Some stores leave out the quotes in a listing, or the whole tag.
    let tag = meta.e_tag.as_deref().map(|tag| tag.trim_matches('"'));
    match tag.filter(|tag| !tag.is_empty()) {
        Some(tag) => XxHash3_64::oneshot(tag.as_bytes()),
        // A listing may have fractions of a second that the file itself does not have.
        None => XxHash3_64::oneshot(&meta.last_modified.timestamp().to_le_bytes()),
    }
}

/// Explains an error of a store.
pub(super) fn remote_error(address: &str, error: &Error) -> RemoteError {
    let (address, why) = (address.to_owned(), reason(error));
    let is_denied = ["401", "403"].iter().any(|status| why.starts_with(status));
    match error {
        Error::NotFound { .. } => RemoteError::Missing(address, why),
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => {
            RemoteError::Refused(address, why)
        }
        _ if is_denied => RemoteError::Refused(address, why),
        Error::Generic { .. } if !is_refused(&why) => RemoteError::Away(address, why),
        _ => RemoteError::Unusable(address, why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_shows_changes_alone() {
        let meta = |tag: Option<&str>, seconds: &str| ObjectMeta {
            location: "a".into(),
            last_modified: format!("2026-01-01T00:00:0{seconds}Z").parse().unwrap(),
            size: 1,
            e_tag: tag.map(str::to_owned),
            version: None,
        };

        let quoted = version(&meta(Some("\"x\""), "1"));
        assert_eq!(
            quoted,
            version(&meta(Some("x"), "2")),
            "only the tag counts"
        );
        assert_ne!(quoted, version(&meta(Some("y"), "1")));

        let dated = version(&meta(None, "1"));
        assert_eq!(dated, version(&meta(Some("\"\""), "1.25")), "in a listing");
        assert_ne!(dated, version(&meta(None, "2")));
    }
}
