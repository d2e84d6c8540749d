//! Walks over the headers of a tar: names and lengths of its files, in the forms of all programs
//! (the first form, POSIX with PAX, GNU).
//!
//! The crate `tar` parses headers and PAX records. The walk is our own, because the walk of the
//! crate reads names of any length into memory.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek as _};

use tar::{EntryType, Header, PaxExtensions};

/// Length of a header, and of the units in which contents are stored.
pub(super) const BLOCK: usize = 512;
/// The most bytes of a long name or of PAX records before a header.
const MAX_RECORDS: u64 = 1 << 20;
/// The place of the checksum in a header.
const CHECKSUM: std::ops::Range<usize> = 148..156;

/// The bytes of a tar, from its start.
pub(super) enum TarBytes {
    /// A file that is not compressed, and its length.
    Plain(BufReader<File>, u64),
    Inflated(Box<dyn Read>),
}

impl TarBytes {
    /// Passes over some bytes.
    fn skip(&mut self, count: u64) -> io::Result<()> {
        match self {
            Self::Plain(file, len) => {
                let end = file.stream_position()?.checked_add(count);
                if end.is_none_or(|end| end > *len) {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                file.seek_relative(i64::try_from(count).map_err(io::Error::other)?)
            }
            Self::Inflated(bytes) => {
                let skipped = io::copy(&mut bytes.take(count), &mut io::sink())?;
                if skipped < count {
                    Err(io::ErrorKind::UnexpectedEof.into())
                } else {
                    Ok(())
                }
            }
        }
    }
}

impl Read for TarBytes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(file, _) => file.read(buffer),
            Self::Inflated(bytes) => bytes.read(buffer),
        }
    }
}

/// The kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryKind {
    File,
    Folder,
    /// A file with holes that are not stored.
    Sparse,
    /// Another name of a file.
    HardLink,
    /// A symbolic link, a device or a pipe.
    Other,
}

#[derive(Debug)]
pub(super) struct TarEntry {
    pub(super) name: String,
    pub(super) kind: EntryKind,
    /// The number of bytes that follow the header.
    pub(super) len: u64,
}

/// Reads the entries of a tar one after another. Reading it returns the contents of the last entry.
pub(super) struct TarReader {
    bytes: TarBytes,
    /// The number of bytes before the next unread byte.
    position: u64,
    /// The unread bytes of the last entry, and the bytes after it up to a whole block.
    left: u64,
    padding: u64,
}

impl TarReader {
    pub(super) fn new(bytes: TarBytes) -> Self {
        Self {
            bytes,
            position: 0,
            left: 0,
            padding: 0,
        }
    }

    /// Returns the number of bytes before the next unread byte.
    pub(super) fn position(&self) -> u64 {
        self.position
    }

    /// Goes to the next entry; `None` at the end. A tar may end without the usual empty blocks.
    ///
    /// # Errors
    /// Fails if the bytes cannot be read, are damaged, or end within an entry.
    pub(super) fn next_entry(&mut self) -> io::Result<Option<TarEntry>> {
        let mut long_name = None;
        let mut pax = PaxFacts::default();

        loop {
            self.skip_rest()?;
            let Some(block) = self.block()? else {
                return Ok(None);
            };
            let header = header(&block).ok_or_else(damaged)?;
            let len = header.entry_size()?;
            self.expect(len)?;

            let kind = match header.entry_type() {
                EntryType::GNULongName => {
                    let name = self.records()?;
                    let end = name.iter().position(|byte| *byte == 0);
                    long_name = Some(name[..end.unwrap_or(name.len())].to_owned());
                    continue;
                }
                EntryType::XHeader => {
                    pax = PaxFacts::parse(&self.records()?);
                    continue;
                }
                EntryType::GNULongLink | EntryType::XGlobalHeader => continue,
                EntryType::GNUSparse => EntryKind::Sparse,
                EntryType::Regular | EntryType::Continuous if pax.is_sparse => EntryKind::Sparse,
                EntryType::Regular | EntryType::Continuous => EntryKind::File,
                EntryType::Directory => EntryKind::Folder,
                EntryType::Link => EntryKind::HardLink,
                _ => EntryKind::Other,
            };

            // Some programs write a length into the headers of entries without contents.
            let len = match kind {
                EntryKind::Folder | EntryKind::Other => 0,
                _ => pax.len.unwrap_or(len),
            };
            self.expect(len)?;

            let name = pax
                .name
                .or(long_name)
                .unwrap_or_else(|| header.path_bytes().into_owned());
            return Ok(Some(TarEntry {
                name: String::from_utf8_lossy(&name).into_owned(),
                kind,
                len,
            }));
        }
    }

    /// Passes over the unread bytes of the last entry.
    fn skip_rest(&mut self) -> io::Result<()> {
        let rest = self.left.saturating_add(self.padding);
        self.bytes.skip(rest)?;
        self.position = self.position.saturating_add(rest);
        (self.left, self.padding) = (0, 0);
        Ok(())
    }

    /// Sets the length of the contents that follow.
    fn expect(&mut self, len: u64) -> io::Result<()> {
        let whole = len
            .checked_next_multiple_of(BLOCK as u64)
            .ok_or_else(damaged)?;
        self.left = len;
        self.padding = whole - len;
        Ok(())
    }

    /// Reads a block; `None`: the tar ends here.
    fn block(&mut self) -> io::Result<Option<[u8; BLOCK]>> {
        let mut block = [0; BLOCK];
        let mut read = 0;
        while read < BLOCK {
            match self.bytes.read(&mut block[read..])? {
                0 if read == 0 => return Ok(None),
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                more => read += more,
            }
        }

        self.position += BLOCK as u64;
        let is_end = block.iter().all(|byte| *byte == 0);
        Ok((!is_end).then_some(block))
    }

    /// Reads the contents of an entry that describes the next one.
    fn records(&mut self) -> io::Result<Vec<u8>> {
        if self.left > MAX_RECORDS {
            return Err(damaged());
        }

        let mut records = Vec::new();
        self.read_to_end(&mut records)?;
        if self.left > 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(records)
    }

    /// Reads the bytes after the end. Only then does a decoder check its checksum.
    ///
    /// # Errors
    /// Fails if these bytes cannot be read.
    pub(super) fn check_rest(mut self) -> io::Result<()> {
        if let TarBytes::Inflated(bytes) = &mut self.bytes {
            io::copy(bytes, &mut io::sink())?;
        }
        Ok(())
    }
}

impl Read for TarReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let limit = usize::try_from(self.left).map_or(buffer.len(), |left| left.min(buffer.len()));
        // Some decoders fail if they are asked for no bytes.
        if limit == 0 {
            return Ok(0);
        }

        let read = self.bytes.read(&mut buffer[..limit])?;
        self.left -= read as u64;
        self.position += read as u64;
        Ok(read)
    }
}

/// The PAX records that matter for the next entry.
#[derive(Default)]
struct PaxFacts {
    name: Option<Vec<u8>>,
    len: Option<u64>,
    is_sparse: bool,
}

impl PaxFacts {
    fn parse(records: &[u8]) -> Self {
        let mut facts = Self::default();
        for record in PaxExtensions::new(records).flatten() {
            let value = record.value_bytes();
            match record.key_bytes() {
                b"path" => facts.name = Some(value.to_owned()),
                b"size" => facts.len = number(value),
                key if key.starts_with(b"GNU.sparse.") => facts.is_sparse = true,
                _ => {}
            }
        }
        facts
    }
}

/// Parses a number in decimal digits.
fn number(digits: &[u8]) -> Option<u64> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Returns a block as a header; `None`: its checksum is wrong.
fn header(block: &[u8; BLOCK]) -> Option<&Header> {
    let header = Header::from_byte_slice(block);
    let values = block.iter().enumerate().map(|(index, byte)| {
        if CHECKSUM.contains(&index) {
            u32::from(b' ')
        } else {
            u32::from(*byte)
        }
    });

    let sum: u32 = values.sum();
    if header.cksum().ok() == Some(sum) {
        Some(header)
    } else {
        None
    }
}

/// Returns whether a tar begins with these bytes.
pub(super) fn is_start(start: &[u8]) -> bool {
    let block = start.get(..BLOCK).and_then(|start| start.try_into().ok());
    block.is_some_and(|block| header(block).is_some())
}

fn damaged() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        "no header of a tar where one should be",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: u64 = 9 << 30;

    fn header_of(kind: EntryType, len: u64) -> Vec<u8> {
        let mut header = Header::new_gnu();
        header.set_path("a").unwrap();
        header.set_entry_type(kind);
        header.set_size(len);
        header.set_cksum();
        header.as_bytes().to_vec()
    }

    fn first(tar: Vec<u8>) -> io::Result<Option<TarEntry>> {
        TarReader::new(TarBytes::Inflated(Box::new(io::Cursor::new(tar)))).next_entry()
    }

    #[test]
    fn lengths_of_more_than_eight_gib_are_read() {
        let entry = first(header_of(EntryType::Regular, LONG)).unwrap();
        assert_eq!(entry.unwrap().len, LONG);

        let record = format!("19 size={LONG}\n");
        assert_eq!(record.len(), 19);
        let mut tar = header_of(EntryType::XHeader, record.len() as u64);
        tar.extend(record.bytes());
        tar.resize(2 * BLOCK, 0);
        tar.extend(header_of(EntryType::Regular, 0));
        assert_eq!(first(tar).unwrap().unwrap().len, LONG);
    }

    #[test]
    fn blocks_with_a_wrong_checksum_are_refused() {
        let mut block = header_of(EntryType::Regular, 0);
        assert!(is_start(&block));
        block[0] ^= 1;
        assert!(!is_start(&block) && first(block).is_err());
        assert!(first(vec![0; BLOCK]).unwrap().is_none());
    }
}
