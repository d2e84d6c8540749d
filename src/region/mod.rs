//! Region files: the header, one chunk's record, and its inflated bytes.
//!
//! A region file (`r.X.Z.mca`, or `.mcr` before 1.2) is 8 KiB of header and then records in sectors of 4 KiB. Its
//! coordinates come from its name; a chunk's place is its slot in the header. Faults cost at most the chunk they are
//! in. Knows no NBT and no threads.

mod file;
mod header;
mod inflate;
mod lz4;

pub use file::RegionFile;
pub use header::{Header, Location};
pub use inflate::{Inflater, MAX_INFLATED};

use std::fmt;

/// Why a chunk's bytes could not be had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The record starts or ends past the end of the file.
    OutOfFile,
    /// The record would lie in the header.
    InHeader,
    /// The record's length is zero or larger than what is left of the file.
    BadLength(u32),
    /// The file ends in the first bytes of the record.
    CutOff,
    /// A compression this program does not know, or a custom one with its name.
    Compression(u8, String),
    /// The chunk is stored in a `.mcc` file that is not there.
    MissingMcc(String),
    /// The compressed bytes are damaged.
    Inflate(&'static str),
    /// The chunk inflates to more than the bound.
    TooLarge,
    /// The file could not be read here.
    Unreadable(String),
}

impl Fault {
    /// The reason in one word, as reports name it.
    pub const fn reason(&self) -> &'static str {
        match self {
            Self::OutOfFile => "out_of_file",
            Self::InHeader => "in_header",
            Self::BadLength(_) | Self::CutOff => "bad_length",
            Self::Compression(..) => "compression",
            Self::MissingMcc(_) => "missing_mcc",
            Self::Inflate(_) => "inflate",
            Self::TooLarge => "too_large",
            Self::Unreadable(_) => "unreadable",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfFile => write!(f, "its record starts past the end of the file"),
            Self::InHeader => write!(f, "its record would lie inside the header"),
            Self::BadLength(0) => write!(f, "its record has length 0"),
            Self::BadLength(len) => write!(f, "its record of {len} bytes runs past the end of the file"),
            Self::CutOff => write!(f, "the file ends in the first bytes of its record"),
            Self::Compression(127, name) => write!(f, "custom compression {name:?} cannot be read"),
            Self::Compression(id, _) => write!(f, "unknown compression {id}"),
            Self::MissingMcc(name) => write!(f, "its bytes should be in {name}, which is not there"),
            Self::Inflate(what) => write!(f, "its compressed bytes are damaged ({what})"),
            Self::TooLarge => write!(f, "it inflates to more than {} MiB", MAX_INFLATED >> 20),
            Self::Unreadable(error) => write!(f, "the file cannot be read here: {error}"),
        }
    }
}

impl std::error::Error for Fault {}
