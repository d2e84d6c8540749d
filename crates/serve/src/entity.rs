//! A file that is about to be sent, with its kind, length, tag and time. The bytes of a short file
//! are read when it is opened; a long file stays open and is read while it is sent, so that it
//! takes little memory.

use std::fs::{File, Metadata};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use flate2::Compression;
use flate2::bufread;
use flate2::read::GzEncoder;
use hyper::body::Bytes;
use twox_hash::XxHash3_64;

use super::body::Body;
use pixelmap_map::atlas::FileKind;
use pixelmap_map::page;

/// The most bytes that are read in one piece. No tile is longer, not even a tile of noise (512 by
/// 512 pixels of 4 bytes).
pub(super) const WHOLE: u64 = (1 << 20) + (1 << 16);
/// The content security policy of a file that is not a page: it loads nothing. Styles are allowed
/// because drawings (SVG) may have them.
const NOTHING_LOADED: &str = "default-src 'none'; style-src 'unsafe-inline'";
/// The compression level of texts. It is moderate, because a first visit waits for the compression.
const LEVEL: Compression = Compression::new(5);

/// A file of a site.
#[derive(Debug)]
pub(super) struct Entity {
    content: EntityBytes,
    pub(super) kind: FileKind,
    pub(super) len: u64,
    /// Changes when the bytes change. For a short file it is the hash of the bytes, which the
    /// manifest also has for a tile; for a long file it is made from the length and the time.
    pub(super) tag: String,
    pub(super) modified: Option<SystemTime>,
}

#[derive(Debug)]
enum EntityBytes {
    Memory(Bytes),
    Disk(File),
}

impl Entity {
    /// Makes an entity of an opened file, and reads the file unless it is long. `path` names its
    /// kind.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn read(mut file: File, path: &Path) -> io::Result<Self> {
        let metadata = file.metadata()?;
        let kind = FileKind::from_path(path);
        let modified = metadata.modified().ok();
        if metadata.len() > WHOLE {
            let tag = tag_of_long(&metadata);
            return Ok(Self {
                content: EntityBytes::Disk(file),
                kind,
                len: metadata.len(),
                tag,
                modified,
            });
        }

        let bytes = read_bytes(&mut file, metadata.len())?;
        Ok(Self {
            modified,
            ..Self::from_bytes(bytes, kind)
        })
    }

    /// Makes an entity from bytes that are only in memory.
    pub(super) fn from_bytes(bytes: Bytes, kind: FileKind) -> Self {
        let len = bytes.len() as u64;
        let tag = format!("{:016x}", XxHash3_64::oneshot(&bytes));
        Self {
            content: EntityBytes::Memory(bytes),
            kind,
            len,
            tag,
            modified: None,
        }
    }

    /// Replaces the bytes of a file.
    ///
    /// # Errors
    /// The file is long, so its bytes are not in memory.
    pub(super) fn with_changes(self, change: impl FnOnce(&[u8]) -> Vec<u8>) -> io::Result<Self> {
        let EntityBytes::Memory(bytes) = self.content else {
            return Err(io::ErrorKind::FileTooLarge.into());
        };
        Ok(Self {
            modified: self.modified,
            ..Self::from_bytes(change(&bytes).into(), self.kind)
        })
    }

    /// Removes the time of the last change. The tag of a long file contains that time, so the tag
    /// is hashed.
    pub(super) fn without_time(self) -> Self {
        let tag = match self.content {
            EntityBytes::Memory(_) => self.tag,
            EntityBytes::Disk(_) => format!("{:016x}", XxHash3_64::oneshot(self.tag.as_bytes())),
        };
        Self {
            tag,
            modified: None,
            ..self
        }
    }

    /// Returns the content security policy of the file. A page declares its own policy, and a page
    /// of the owner may declare none. Any other file must load and run nothing when a browser opens
    /// it directly.
    pub(crate) fn content_policy(&self) -> Option<String> {
        match &self.content {
            _ if !self.kind.is_page() => Some(NOTHING_LOADED.to_owned()),
            EntityBytes::Memory(bytes) => page::content_policy(bytes),
            EntityBytes::Disk(_) => None,
        }
    }

    /// Returns a body with a part of the file.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn part(self, part: Range<u64>) -> io::Result<Body> {
        let len = part.end - part.start;
        match self.content {
            EntityBytes::Memory(bytes) => Ok(Body::Whole(
                bytes.slice(part.start as usize..part.end as usize),
            )),
            EntityBytes::Disk(mut file) => {
                file.seek(SeekFrom::Start(part.start))?;
                if len > WHOLE {
                    Ok(Body::pieces(file.take(len), Some(len)))
                } else {
                    read_bytes(&mut file, len).map(Body::Whole)
                }
            }
        }
    }

    /// Returns a body with the whole file in gzip form.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn gzip(self) -> io::Result<Body> {
        match self.content {
            EntityBytes::Memory(bytes) => {
                let mut packed = Vec::new();
                bufread::GzEncoder::new(&*bytes, LEVEL).read_to_end(&mut packed)?;
                Ok(Body::Whole(packed.into()))
            }
            EntityBytes::Disk(file) => Ok(Body::pieces(
                GzEncoder::new(file.take(self.len), LEVEL),
                None,
            )),
        }
    }
}

/// Reads `len` bytes. Fails if the file has become shorter since it was opened.
fn read_bytes(file: &mut File, len: u64) -> io::Result<Bytes> {
    let mut bytes = vec![0; len as usize];
    file.read_exact(&mut bytes)?;
    Ok(bytes.into())
}

/// Returns the tag of a long file, made from its length and time, because hashing it for each
/// request would take too long.
fn tag_of_long(metadata: &Metadata) -> String {
    let since = metadata
        .modified()
        .ok()
        .and_then(|time| time.duration_since(UNIX_EPOCH).ok())
        .unwrap_or_default();
    format!("{:x}-{:x}", metadata.len(), since.as_nanos())
}
