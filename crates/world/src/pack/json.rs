//! Parses the JSON of packs as leniently as the game does.

use std::fmt;

use serde::de::DeserializeOwned;

use crate::pack::error::PackError;
use pixelmap_base::edited_json::without_mark;

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
