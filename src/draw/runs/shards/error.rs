//! The errors that prevent a merge.

use std::fmt;
use std::path::PathBuf;

use crate::base::words::{ALLOW_MISSING, RENDER, SHARD};
use crate::draw::request::error::RenderError;
use crate::draw::request::plan::Shard;
use crate::store::PublishError;

/// The reason why parts cannot be merged.
#[derive(Debug)]
pub enum MergeError {
    /// These folders do not contain a part.
    NoPart(PathBuf),
    /// A part was written by another version, or is damaged.
    Unknown(PathBuf),
    /// The parts have a layer that this version does not support.
    Newer,
    /// The parts lack the requested layer or dimension. The text lists the ones that they have.
    NoLayer(String),
    /// Two parts do not belong together, with the reason.
    Apart(PathBuf, PathBuf, &'static str),
    /// There are two parts of one shard.
    Twice(Shard, PathBuf, PathBuf),
    /// The shards that are missing or not complete, and the number of all shards.
    Missing(Vec<u32>, u32),
    /// The map cannot be made.
    Render(RenderError),
}

impl From<RenderError> for MergeError {
    fn from(error: RenderError) -> Self {
        Self::Render(error)
    }
}

impl From<PublishError> for MergeError {
    fn from(error: PublishError) -> Self {
        Self::Render(RenderError::Output(error))
    }
}

/// The most shard numbers in a message.
const MOST_NAMED: usize = 20;

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPart(folder) => write!(
                f,
                "{} does not contain a finished part of a map: draw the shards first with {RENDER} \
                 {SHARD}",
                folder.display()
            ),
            Self::Unknown(folder) => write!(
                f,
                "{} was drawn by another version of pixelmap, or is damaged: draw this shard again",
                folder.display()
            ),
            Self::Newer => f.write_str(
                "the parts have a layer that this version of pixelmap does not know: merge with \
                 the version that drew them",
            ),
            Self::NoLayer(have) => write!(f, "the parts have no such layer; they have {have}"),
            Self::Apart(first, other, reason) => write!(
                f,
                "{} and {} {reason}: draw one of them again, or remove it",
                first.display(),
                other.display()
            ),
            Self::Twice(shard, first, other) => {
                write!(
                    f,
                    "shard {shard} is there twice, in {} and {}: remove one of them",
                    first.display(),
                    other.display()
                )
            }
            Self::Missing(missing, count) => {
                let named: Vec<String> = missing
                    .iter()
                    .take(MOST_NAMED)
                    .map(u32::to_string)
                    .collect();

                let more = if missing.len() > MOST_NAMED {
                    format!(" and {} more", missing.len() - MOST_NAMED)
                } else {
                    String::new()
                };

                write!(
                    f,
                    "of {count} shards {} missing or unfinished: {}{more}; draw them, or merge the \
                     others with {ALLOW_MISSING}",
                    if missing.len() == 1 {
                        "one is"
                    } else {
                        "some are"
                    },
                    named.join(", ")
                )
            }
            Self::Render(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for MergeError {}
