//! The reasons why a chunk cannot be read.

use std::fmt;

use crate::world::nbt;

/// The reason why inflated bytes cannot be read as a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Error {
    Nbt(nbt::Error),
    /// An array or palette has a length or type that is impossible for its kind.
    Content(&'static str),
}

impl Error {
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

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nbt(error) => error.fmt(f),
            Self::Content(what) => write!(f, "{what}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<nbt::Error> for Error {
    fn from(error: nbt::Error) -> Self {
        Self::Nbt(error)
    }
}
