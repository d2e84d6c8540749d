//! The records of earlier runs, by which a run finds what is unchanged.

use std::sync::OnceLock;
use std::time::SystemTime;

use crate::store::{Journal, LayerKey, Output, PublishError};

/// The records of earlier runs.
#[derive(Debug)]
pub(crate) struct History<'a> {
    pub(crate) journal: Journal<'a>,
    /// When this run began, in nanoseconds since 1970.
    pub(crate) began: i64,
    /// By number of the record, whether the region file still has its stamp: a file is looked at once a run, by the
    /// worker that comes first.
    pub(crate) stamps: Box<[OnceLock<bool>]>,
}

impl<'a> History<'a> {
    /// Reads the records of these map layers. To be called before any region file is read.
    ///
    /// # Errors
    /// They cannot be read.
    pub(crate) fn open(output: &'a Output, keys: Vec<LayerKey>) -> Result<Self, PublishError> {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let journal = Journal::open(output, keys)?;
        let stamps = (0..journal.count()).map(|_| OnceLock::new()).collect();
        Ok(Self { journal, began: i64::try_from(since.as_nanos()).unwrap_or_default(), stamps })
    }
}
