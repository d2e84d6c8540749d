//! The files of a map that are not in its folder, because the map is in a bucket. A run draws such
//! a map into a folder that holds only the files that it needs or changes.

use std::fmt;
use std::io;
use std::sync::Arc;

use super::history::FileRecord;

/// Files of a map that are published in another place than its folder.
///
/// A file in the folder always replaces the one elsewhere. Paths are relative to the map's folder.
pub trait FilesElsewhere: fmt::Debug + Send + Sync {
    /// Returns the length and hash of a file, or `None` if it does not exist.
    ///
    /// # Errors
    /// Fails if the place cannot be read.
    fn find(&self, relative: &str) -> io::Result<Option<FileRecord>>;

    /// Returns the bytes of a file, or `None` if it does not exist.
    ///
    /// # Errors
    /// Fails if the place cannot be read.
    fn read(&self, relative: &str) -> io::Result<Option<Vec<u8>>>;

    /// Returns the names of the files in a folder of the owner.
    fn names(&self, folder: &str) -> Vec<String>;

    /// Notes that a commit publishes this file, even if its bytes are the same as before.
    fn note_put(&self, relative: &str);

    /// Notes that a commit removes this file, so that it no longer counts as published.
    fn note_removed(&self, relative: &str);
}

/// The files elsewhere, shared by all workers of a run.
pub type Elsewhere = Arc<dyn FilesElsewhere>;
