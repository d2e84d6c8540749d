//! The reasons why a chunk cannot be read.

use thiserror::Error;

use crate::nbt;

/// The reason why inflated bytes cannot be read as a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ChunkError {
    #[error(transparent)]
    Nbt(#[from] nbt::Error),
    /// An array or palette has a length or type that is impossible for its kind.
    #[error("{0}")]
    Content(&'static str),
}

impl ChunkError {
    /// The blocks have a known name but an unknown type.
    pub(crate) const FORM: Self = Self::Content(
        "its blocks are stored in an unknown form: the chunk is damaged, or of a newer version",
    );

    /// Returns the reason in one word, for reports.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Nbt(_) => "nbt",
            Self::Content(_) => "content",
        }
    }
}
