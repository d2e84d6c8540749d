//! The defects that a database file, or a block in it, can have.

use std::fmt;
use std::io;

use crate::base::retry::retryable;

/// A place in a database that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDamage {
    /// The file's name.
    pub file: String,
    /// The position in the file, in bytes from its start. `None`: the file as a whole.
    pub offset: Option<u64>,
    pub defect: Defect,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Defect {
    /// Another file names this one, but it does not exist.
    Missing,
    /// A Git LFS pointer is in its place.
    Pointer,
    /// The file is encrypted.
    Encrypted,
    /// The file is empty.
    Empty,
    /// The file does not begin or end like files of its kind.
    Foreign,
    /// The bytes end too early.
    CutShort,
    /// The bytes would be past the end of the file.
    OutOfFile,
    /// The checksum of the bytes is wrong.
    Checksum,
    /// The compressed bytes are damaged.
    Inflate,
    /// The compression is unknown.
    Compression(u8),
    /// The bytes inflate to more than the limit.
    TooLarge,
    /// The bytes are complete, but their structure is invalid.
    Structure,
    /// The key of an entry is too short, or of an unknown kind. All other entries can be read.
    BadKey,
    /// The file could not be read on this machine.
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

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => write!(f, "it is not there"),
            Self::Pointer => write!(
                f,
                "a pointer of Git LFS is in its place: fetch the file itself"
            ),
            Self::Encrypted => write!(f, "it is encrypted"),
            Self::Empty => write!(f, "it is empty"),
            Self::Foreign => write!(f, "it is not a file of its kind"),
            Self::CutShort => write!(f, "it is cut short"),
            Self::OutOfFile => write!(f, "it would be past the end of the file"),
            Self::Checksum => write!(f, "its checksum is wrong"),
            Self::Inflate => write!(f, "its compressed bytes are damaged"),
            Self::Compression(id) => write!(f, "unknown compression {id}"),
            Self::TooLarge => write!(f, "it is larger than any that the game writes"),
            Self::Structure => write!(f, "its bytes are meaningless"),
            Self::BadKey => write!(
                f,
                "an entry is left out, because its key is too short or of an unknown kind"
            ),
            Self::Unreadable { message, .. } => write!(f, "it cannot be read: {message}"),
        }
    }
}

impl fmt::Display for FileDamage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let colon = if self.offset.is_some() { "" } else { ":" };
        write!(f, "{}{colon} {}", self.file, self.description())
    }
}

impl FileDamage {
    /// Describes the defect and its position in the file.
    pub fn description(&self) -> String {
        let defect = &self.defect;
        self.offset.map_or_else(
            || defect.to_string(),
            |offset| format!("at byte {offset}: {defect}"),
        )
    }
}

impl std::error::Error for FileDamage {}
