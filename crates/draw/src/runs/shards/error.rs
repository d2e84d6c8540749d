//! The errors that prevent a merge.

use std::path::PathBuf;

use thiserror::Error;

use crate::request::error::RenderError;
use crate::request::plan::Shard;
use pixelmap_base::words::{ALLOW_MISSING, RENDER, SHARD};
use pixelmap_map::store::PublishError;

/// The reason why parts cannot be merged.
#[derive(Debug, Error)]
pub enum MergeError {
    /// These folders do not contain a part.
    #[error(
        "{} does not contain a finished part of a map: draw the shards first with {RENDER} {SHARD}",
        .0.display()
    )]
    NoPart(PathBuf),
    /// A part was written by another version, or is damaged.
    #[error(
        "{} was drawn by another version of pixelmap, or is damaged: draw this shard again",
        .0.display()
    )]
    Unknown(PathBuf),
    /// The parts have a layer that this version does not support.
    #[error(
        "the parts have a layer that this version of pixelmap does not know: merge with the version \
         that drew them"
    )]
    Newer,
    /// The parts lack the requested layer or dimension. The text lists the ones that they have.
    #[error("the parts have no such layer; they have {0}")]
    NoLayer(String),
    /// Two parts do not belong together, with the reason.
    #[error("{} and {} {}: draw one of them again, or remove it", .0.display(), .1.display(), .2)]
    Apart(PathBuf, PathBuf, &'static str),
    /// There are two parts of one shard.
    #[error(
        "shard {} is there twice, in {} and {}: remove one of them",
        .0,
        .1.display(),
        .2.display()
    )]
    Twice(Shard, PathBuf, PathBuf),
    /// The shards that are missing or not complete, and the number of all shards.
    #[error(
        "of {} shards {} missing or unfinished: {}; draw them, or merge the others \
         with {ALLOW_MISSING}",
        .1,
        if .0.len() == 1 { "one is" } else { "some are" },
        numbers(.0)
    )]
    Missing(Vec<u32>, u32),
    /// The map cannot be made.
    #[error(transparent)]
    Render(#[from] RenderError),
}

impl From<PublishError> for MergeError {
    fn from(error: PublishError) -> Self {
        Self::Render(RenderError::Output(error))
    }
}

/// The most shard numbers in a message.
const MOST_NAMED: usize = 20;

/// Lists shard numbers for a message.
fn numbers(shards: &[u32]) -> String {
    let named: Vec<String> = shards.iter().take(MOST_NAMED).map(u32::to_string).collect();

    let mut text = named.join(", ");
    if shards.len() > MOST_NAMED {
        text += &format!(" and {} more", shards.len() - MOST_NAMED);
    }
    text
}
