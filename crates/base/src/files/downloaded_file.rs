//! Defines a file of a remote folder that was downloaded.

use std::fs::File;

/// A file that was downloaded. Its length and version may differ from the listing.
#[derive(Debug)]
pub struct DownloadedFile {
    pub file: File,
    /// Length in bytes.
    pub len: u64,
    /// A number that changes whenever the remote file changes.
    pub version: u64,
}
