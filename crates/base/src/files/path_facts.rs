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
    /// A file in a remote folder.
    Remote {
        /// Length in bytes.
        len: u64,
        /// A number that changes whenever the file changes.
        version: u64,
    },
}

impl PathFacts {
    pub fn is_folder(&self) -> bool {
        match self {
            Self::Disk(metadata) => metadata.is_dir(),
            Self::Folder => true,
            Self::Packed { .. } | Self::Remote { .. } => false,
        }
    }

    /// Returns whether it is a regular file.
    pub fn is_file(&self) -> bool {
        match self {
            Self::Disk(metadata) => metadata.is_file(),
            Self::Folder => false,
            Self::Packed { .. } | Self::Remote { .. } => true,
        }
    }

    /// Returns the length in bytes.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Disk(metadata) => metadata.len(),
            Self::Folder => 0,
            Self::Packed { len, .. } | Self::Remote { len, .. } => *len,
        }
    }
}
