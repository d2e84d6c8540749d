//! The records of earlier runs, by which a run finds what is unchanged.

use std::sync::atomic::AtomicU8;
use std::time::SystemTime;

use crate::publish::{Journal, LayerKey, Output, PublishError};

/// The states of a region file's stamp: not compared yet, the stamp of its record, or another one.
pub(crate) const NOT_ASKED: u8 = 0;
pub(crate) const SAME: u8 = 1;
pub(crate) const OTHER: u8 = 2;

/// The records of earlier runs.
#[derive(Debug)]
pub(crate) struct History<'a> {
    pub(crate) journal: Journal<'a>,
    /// When this run began, in nanoseconds since 1970.
    pub(crate) began: i64,
    /// The states of the stamps, by number of the record: a file is looked at once a run, by the worker that comes
    /// first.
    pub(crate) stamps: Box<[AtomicU8]>,
}

impl<'a> History<'a> {
    /// Reads the records of these map layers. To be called before any region file is read.
    ///
    /// # Errors
    /// They cannot be read.
    pub(crate) fn open(output: &'a Output, keys: Vec<LayerKey>) -> Result<Self, PublishError> {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let journal = Journal::open(output, keys)?;
        let stamps = (0..journal.len()).map(|_| AtomicU8::new(NOT_ASKED)).collect();
        Ok(Self { journal, began: i64::try_from(since.as_nanos()).unwrap_or_default(), stamps })
    }
}
