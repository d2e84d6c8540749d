//! A chunk or a region file that could not be read, as the report lists it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// The most bad chunks and the most unknown blocks that are listed. All others are only counted.
/// Each worker keeps as many until the end, because the first ones of the whole run are only known
/// then. This takes 3 MB if everything is damaged.
pub const MAX_LISTED: usize = 10_000;

/// A chunk or a region file that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BadChunk {
    pub dimension: String,
    /// The name of the region file, or of the folder if its files cannot be listed.
    pub region: String,
    /// The chunk's position in chunks, or `None` for the whole region file.
    pub chunk: Option<[i32; 2]>,
    /// The reason as one word.
    pub reason: Cow<'static, str>,
    /// The reason as a sentence.
    pub message: Box<str>,
}
