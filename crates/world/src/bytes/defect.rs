//! The defects that a database file, or a block in it, can have.

use std::io;

use thiserror::Error;

use pixelmap_base::retry::retryable;

/// A part of a database that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{file}{}: {defect}", at_byte(*.offset))]
pub struct FileDamage {
    /// The file's name.
    pub file: String,
    /// The position in the file, in bytes from its start. `None`: the file as a whole.
    pub offset: Option<u64>,
    pub defect: Defect,
}

/// The place in the inflated bytes of a file from which on it cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("at byte {at} of its inflated bytes: {defect}")]
pub struct StreamDamage {
    /// The number of inflated bytes before it.
    pub at: u64,
    pub defect: Defect,
}

/// The reason why a part of a database or of a stream cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Defect {
    /// Another file names this one, but it does not exist.
    #[error("it is not there")]
    Missing,
    /// A Git LFS pointer is in its place.
    #[error("a pointer of Git LFS is in its place: fetch the file itself")]
    Pointer,
    /// The file is encrypted.
    #[error("it is encrypted")]
    Encrypted,
    /// The file is empty.
    #[error("it is empty")]
    Empty,
    /// The file does not begin or end like files of its kind.
    #[error("it is not a file of its kind")]
    Foreign,
    /// The bytes end too early.
    #[error("it is cut short")]
    CutShort,
    /// The bytes would be past the end of the file.
    #[error("it would be past the end of the file")]
    OutOfFile,
    /// The checksum of the bytes is wrong.
    #[error("its checksum is wrong")]
    Checksum,
    /// The compressed bytes are damaged.
    #[error("its compressed bytes are damaged")]
    Inflate,
    /// The compression is unknown.
    #[error("unknown compression {0}")]
    Compression(u8),
    /// The bytes inflate to more than the limit.
    #[error("it is larger than any that the game writes")]
    TooLarge,
    /// The bytes are complete, but their structure is invalid.
    #[error("its bytes are meaningless")]
    Structure,
    /// The key of an entry is too short, or of an unknown kind. All other entries can be read.
    #[error("an entry is left out, because its key is too short or of an unknown kind")]
    BadKey,
    /// The file could not be read on this machine.
    #[error("it cannot be read: {message}")]
    Unreadable {
        message: String,
        kind: io::ErrorKind,
        os: Option<i32>,
    },
}

impl Defect {
    /// Returns the reason as one word for reports.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::OutOfFile => "out_of_file",
            Self::CutShort => "bad_length",
            Self::Compression(_) => "compression",
            Self::Checksum | Self::Inflate => "inflate",
            Self::Empty | Self::Foreign | Self::Structure | Self::BadKey => "content",
            Self::TooLarge => "too_large",
            Self::Missing | Self::Pointer | Self::Encrypted | Self::Unreadable { .. } => {
                "unreadable"
            }
        }
    }

    /// Checks that a later reading would fail as well, so that the defect counts as damage of the
    /// world.
    ///
    /// # Errors
    /// Returns the error with which reading failed, if it may be temporary.
    pub(crate) fn check_lasts(&self) -> io::Result<()> {
        self.io_error().filter(retryable).map_or(Ok(()), Err)
    }

    /// Returns the error with which reading the file failed. `None`: the bytes were read, but are
    /// damaged.
    fn io_error(&self) -> Option<io::Error> {
        match self {
            Self::Unreadable { os: Some(os), .. } => Some(io::Error::from_raw_os_error(*os)),
            Self::Unreadable { message, kind, .. } => Some(io::Error::new(*kind, message.clone())),
            _ => None,
        }
    }
}

impl From<io::Error> for Defect {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing,
            kind => Self::Unreadable {
                message: error.to_string(),
                kind,
                os: error.raw_os_error(),
            },
        }
    }
}

impl FileDamage {
    /// Describes the defect and its position in the file.
    pub fn description(&self) -> String {
        match self.offset {
            Some(offset) => format!("at byte {offset}: {}", self.defect),
            None => self.defect.to_string(),
        }
    }
}

/// Describes a position in a file, to follow the file's name.
fn at_byte(offset: Option<u64>) -> String {
    offset.map_or_else(String::new, |offset| format!(" at byte {offset}"))
}
