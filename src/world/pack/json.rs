//! Parses the JSON of packs as leniently as the game does.

use std::fmt;
use std::io::{BufReader, Read as _};

use serde::de::DeserializeOwned;
use serde_json::error::Category;

use super::{MAX_FILE, Pack, PackError};
use crate::base::edited_json::{MARK, without_mark};

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
    /// Reads a JSON file; `None`: the pack does not contain it. Only the values in `T` are kept, so
    /// that long and short files need the same memory.
    ///
    /// # Errors
    /// Fails if the file cannot be read, is longer than [`MAX_FILE`], or its JSON is damaged or has
    /// another form.
    pub fn read_json<T: DeserializeOwned>(&self, file: &str) -> Result<Option<T>, PackError> {
        let Some(mut source) = self.open_file(file, MAX_FILE)? else {
            return Ok(None);
        };

        let mut start = Vec::new();
        source
            .by_ref()
            .take(MARK.len() as u64)
            .read_to_end(&mut start)
            .map_err(|error| PackError::io(self.place(file), &error))?;

        let rest = BufReader::new(source);
        serde_json::from_reader(without_mark(&start).chain(rest))
            .map(Some)
            .map_err(|error| match error.classify() {
                Category::Io => PackError::io(self.place(file), &error.into()),
                _ => PackError::new(self.place(file), error),
            })
    }
}
