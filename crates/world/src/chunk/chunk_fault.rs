//! The reason why the chunk in a slot cannot be read.

use std::io;

use thiserror::Error;

use super::error::ChunkError;
use crate::bytes::Fault;

#[derive(Debug, Error)]
pub enum ChunkFault {
    /// The stored bytes cannot be read.
    #[error("{0}")]
    Unread(Fault),
    /// The bytes are not a chunk.
    #[error("{0}")]
    Unparsed(ChunkError),
}

impl ChunkFault {
    /// Returns the reason as one word, for reports.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Unread(fault) => fault.word(),
            Self::Unparsed(error) => error.word(),
        }
    }

    /// Returns whether the system failed to read the bytes.
    pub const fn is_of_system(&self) -> bool {
        matches!(self, Self::Unread(Fault::Unreadable { .. }))
    }

    /// Returns the system's error if a later attempt may succeed.
    pub fn retryable_error(&self) -> Option<io::Error> {
        match self {
            Self::Unread(fault) => fault.retryable_error(),
            Self::Unparsed(_) => None,
        }
    }
}
