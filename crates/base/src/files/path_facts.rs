//! Defines the facts about a file or folder that are available without reading it.

use std::fs::Metadata;

/// The facts about a file or folder that are available without reading it. Links are followed.
#[derive(Debug)]
pub enum PathFacts {
    /// The metadata that the system returns.
    Disk(Box<Metadata>),
    Folder,
    /// A file in an archive. In a tar, only files that are needed have a CRC-32, and others 0.
    Packed {
        /// Inflated length in bytes.
        len: u64,
        /// CRC-32 of the inflated bytes.
        crc: u32,
    },
}

impl PathFacts {
    pub fn is_folder(&self) -> bool {
        match self {
            Self::Disk(metadata) => metadata.is_dir(),
            Self::Folder => true,
            Self::Packed { .. } => false,
        }
    }

    /// Returns whether it is a regular file.
    pub fn is_file(&self) -> bool {
        match self {
            Self::Disk(metadata) => metadata.is_file(),
            Self::Folder => false,
            Self::Packed { .. } => true,
        }
    }

    /// Returns the length in bytes.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Disk(metadata) => metadata.len(),
            Self::Folder => 0,
            Self::Packed { len, .. } => *len,
        }
    }
}
