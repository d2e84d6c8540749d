//! Parses the JSON of packs as leniently as the game does.

use std::fmt;

use serde::de::DeserializeOwned;

use super::{Pack, PackError};
use crate::base::edited_json::without_mark;

/// Parses the JSON of a file. A byte order mark before it is skipped, because the game skips it as
/// well.
///
/// # Errors
/// Fails if the JSON is damaged or has another form. The error names `place`.
pub fn parse_json<T: DeserializeOwned>(
    place: impl fmt::Display,
    bytes: &[u8],
) -> Result<T, PackError> {
    serde_json::from_slice(without_mark(bytes)).map_err(|error| PackError::new(place, error))
}

impl Pack {
    /// Reads a JSON file of at most `limit` bytes; `None`: the pack does not contain it.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or its JSON is damaged or has another form.
    pub fn read_json<T: DeserializeOwned>(
        &self,
        file: &str,
        limit: u64,
    ) -> Result<Option<T>, PackError> {
        let bytes = self.read(file, limit)?;
        bytes
            .map(|bytes| parse_json(format!("{}, {file}", self.path().display()), &bytes))
            .transpose()
    }
}
