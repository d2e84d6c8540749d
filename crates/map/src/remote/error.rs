//! Why a file that is not on this machine cannot be read.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use pixelmap_base::denied::describe_write;
use pixelmap_base::retry::retryable;

/// Why a file cannot be read. Addresses in it never contain the name of a user, a password or a
/// query, because a query may be a signature.
#[derive(Debug, Error)]
pub enum RemoteError {
    /// The address is wrong, or the settings of a store in the environment are.
    #[error("{0}")]
    Address(String),
    /// The server answers that nothing is at this address.
    #[error("{0}: nothing is there ({1}): check the address")]
    Missing(String, String),
    /// The server refuses access: the address, and its answer.
    #[error(
        "{0}: access is refused ({1}): check the credentials: the keys in the environment for a \
         bucket, the user and password or the signature in the address for a web server"
    )]
    Refused(String, String),
    /// The server cannot be reached, or cannot serve the request now: the address, and the reason.
    #[error("{0}: the server cannot be reached ({1}): run the same command again later")]
    Away(String, String),
    /// The answer cannot be used: the address, and the reason.
    #[error("{0}: {1}")]
    Unusable(String, String),
    /// The file does not fit on the disk of this machine: the address, and the reason.
    #[error("{0}: {1}")]
    NoRoom(String, String),
    /// A temporary file cannot be written in a folder.
    #[error("{}", not_stored(.0, .1, .2))]
    Disk(String, PathBuf, io::Error),
    /// The run was stopped.
    #[error("{0}: the download was interrupted")]
    Interrupted(String),
}

impl RemoteError {
    /// Returns the error of writing a temporary file.
    pub(super) fn disk(address: &str, error: io::Error) -> Self {
        Self::Disk(address.to_owned(), std::env::temp_dir(), error)
    }

    /// Returns the message without the address at its start.
    fn without_address(&self) -> String {
        let text = self.to_string();
        let (Self::Address(address)
        | Self::Missing(address, _)
        | Self::Refused(address, _)
        | Self::Away(address, _)
        | Self::Unusable(address, _)
        | Self::NoRoom(address, _)
        | Self::Disk(address, ..)
        | Self::Interrupted(address)) = self;
        let rest = text.strip_prefix(address).unwrap_or(&text);
        rest.trim_start_matches([':', ' ']).to_owned()
    }

    /// Returns whether the same call may succeed later.
    pub fn retryable(&self) -> bool {
        match self {
            Self::Away(..) | Self::NoRoom(..) | Self::Interrupted(_) => true,
            Self::Disk(_, _, error) => retryable(error),
            Self::Address(_) | Self::Missing(..) | Self::Refused(..) | Self::Unusable(..) => false,
        }
    }
}

/// Returns the message for a download that cannot be stored in a folder.
fn not_stored(address: &str, folder: &Path, error: &io::Error) -> String {
    format!(
        "{address}: it is downloaded to {} (TMPDIR sets another folder), and there: {}",
        folder.display(),
        describe_write(folder, error)
    )
}

impl From<RemoteError> for io::Error {
    /// Keeps whether the same call may succeed later. The address is left out, because readers of
    /// files name the path of a file themselves.
    fn from(error: RemoteError) -> Self {
        let kind = match &error {
            RemoteError::Missing(..) => io::ErrorKind::NotFound,
            RemoteError::Refused(..) => io::ErrorKind::PermissionDenied,
            RemoteError::NoRoom(..) => io::ErrorKind::StorageFull,
            RemoteError::Disk(_, _, error) if retryable(error) => io::ErrorKind::StorageFull,
            error if error.retryable() => io::ErrorKind::HostUnreachable,
            _ => io::ErrorKind::Other,
        };
        Self::new(kind, error.without_address())
    }
}
