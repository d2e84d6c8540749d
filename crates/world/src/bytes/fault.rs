//! The faults that make a chunk's bytes unreadable, for all kinds of stores.

use std::io;

use thiserror::Error;

use crate::bytes::defect::{Defect, FileDamage, StreamDamage};
use pixelmap_base::retry::retryable;

/// The most bytes that a chunk may inflate to.
pub const MAX_INFLATED: usize = 64 << 20;
/// The most bytes that the chunks of one region may inflate to; more is a bomb. Chunks on the
/// border are not counted, because neighbours read them in any order. So the file alone decides
/// which chunks are refused.
pub(crate) const MAX_REGION: u64 = 2 << 30;

/// The id of a compression that another program has added and named.
const CUSTOM_COMPRESSION: u8 = 127;

/// The reason why a chunk's bytes cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Fault {
    /// The record starts past the end of the file.
    #[error("its record starts past the end of the file")]
    OutOfFile,
    /// The record would overlap the header.
    #[error("its record would be inside the header")]
    InHeader,
    /// The record's length is zero or larger than the rest of the file.
    #[error("{}", describe_length(*.0))]
    BadLength(u32),
    /// The file ends in the first bytes of the record.
    #[error("the file ends in the first bytes of its record")]
    CutOff,
    /// The compression is unknown. A custom compression has a name.
    #[error("{}", describe_compression(*.0, .1))]
    Compression(u8, String),
    /// The chunk is stored in a `.mcc` file with this name, which does not exist.
    #[error("its bytes should be in {0}, which is not there")]
    MissingMcc(String),
    /// The path with this name is not a regular file. The second text describes it.
    #[error("its bytes should be in {0}, which is {1}")]
    NotMcc(String, &'static str),
    /// The compressed bytes are damaged.
    #[error("its compressed bytes are damaged ({0})")]
    Inflate(&'static str),
    /// The record changed between readings, because it is being written.
    #[error("it was being written while it was read: the next run reads it again")]
    Torn,
    /// The chunk inflates to more than the limit.
    #[error("it inflates to more than {} MiB", MAX_INFLATED >> 20)]
    TooLarge,
    /// The chunks of the region that were read earlier inflate to more than the limit.
    #[error("its region inflates to more than {} GiB", MAX_REGION >> 30)]
    RegionTooLarge,
    /// A damaged part of the database contains, or may contain, a part of the chunk.
    #[error("it is, or may be, in a damaged part of the database ({0})")]
    Database(Box<FileDamage>),
    /// The region is one stream, which is damaged in this chunk or before it.
    #[error("its region is damaged {0}")]
    Stream(Box<StreamDamage>),
    /// The file could not be read on this machine.
    #[error("the file cannot be read here: {message}")]
    Unreadable {
        message: String,
        /// Determines whether another attempt may succeed.
        kind: io::ErrorKind,
        /// The system's error number, for errors without a kind, such as too many open files.
        os: Option<i32>,
    },
}

impl Fault {
    /// Returns the reason as one word for reports.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::OutOfFile => "out_of_file",
            Self::InHeader => "in_header",
            Self::BadLength(_) | Self::CutOff => "bad_length",
            Self::Compression(..) => "compression",
            Self::MissingMcc(_) | Self::NotMcc(..) => "missing_mcc",
            Self::Inflate(_) => "inflate",
            Self::Torn => "torn",
            Self::TooLarge | Self::RegionTooLarge => "too_large",
            Self::Database(damage) => damage.defect.word(),
            Self::Stream(damage) => damage.defect.word(),
            Self::Unreadable { .. } => "unreadable",
        }
    }

    /// Returns the kind and the system's number of the error with which reading the file failed.
    /// `None`: the bytes were read, but are damaged.
    pub const fn io_error(&self) -> Option<(io::ErrorKind, Option<i32>)> {
        match self {
            Self::Unreadable { kind, os, .. } => Some((*kind, *os)),
            _ => None,
        }
    }

    /// Returns the system's error if a later attempt to read the file may succeed.
    pub fn retryable_error(&self) -> Option<io::Error> {
        let (kind, os) = self.io_error()?;
        Some(os.map_or_else(|| kind.into(), io::Error::from_raw_os_error)).filter(retryable)
    }
}

impl From<FileDamage> for Fault {
    fn from(damage: FileDamage) -> Self {
        let message = damage.to_string();
        match damage.defect {
            Defect::Unreadable { kind, os, .. } => Self::Unreadable { message, kind, os },
            _ => Self::Database(Box::new(damage)),
        }
    }
}

impl From<StreamDamage> for Fault {
    fn from(damage: StreamDamage) -> Self {
        let message = damage.to_string();
        match damage.defect {
            Defect::Unreadable { kind, os, .. } => Self::Unreadable { message, kind, os },
            _ => Self::Stream(Box::new(damage)),
        }
    }
}

impl From<Fault> for Defect {
    /// Keeps the reason why the bytes did not get a buffer.
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Unreadable { message, kind, os } => Self::Unreadable { message, kind, os },
            _ => Self::TooLarge,
        }
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Unreadable {
            message: error.to_string(),
            kind: error.kind(),
            os: error.raw_os_error(),
        }
    }
}

fn describe_length(len: u32) -> String {
    if len == 0 {
        "its record has length 0".to_owned()
    } else {
        format!("its record of {len} bytes runs past the end of the file")
    }
}

fn describe_compression(id: u8, name: &str) -> String {
    if id == CUSTOM_COMPRESSION {
        format!("custom compression {name:?} cannot be read")
    } else {
        format!("unknown compression {id}")
    }
}
