//! The position in the inflated bytes of a region file.

use crate::bytes::{Defect, StreamDamage};
use crate::nbt::{Error, Reader};

pub(super) struct Bytes<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Bytes<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Describes a defect at the current position.
    pub(super) fn damage(&self, defect: Defect) -> StreamDamage {
        StreamDamage {
            at: self.at as u64,
            defect,
        }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], StreamDamage> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let array = rest
            .first_chunk()
            .ok_or_else(|| self.damage(Defect::CutShort))?;
        self.at += N;
        Ok(*array)
    }

    pub(super) fn byte(&mut self) -> Result<u8, StreamDamage> {
        self.array().map(|[byte]| byte)
    }

    pub(super) fn int(&mut self) -> Result<i32, StreamDamage> {
        self.array().map(i32::from_be_bytes)
    }

    /// Reads a string in the form of Java's streams, which is also the one of NBT.
    pub(super) fn text(&mut self) -> Result<&'a [u8], StreamDamage> {
        let len = usize::from(self.array().map(u16::from_be_bytes)?);
        let end = self.at + len;
        let text = self
            .bytes
            .get(self.at..end)
            .ok_or_else(|| self.damage(Defect::CutShort))?;
        self.at = end;
        Ok(text)
    }

    /// Reads a compound with its root, and returns its fields and their end.
    pub(super) fn compound(&mut self) -> Result<&'a [u8], StreamDamage> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let fields = fields(rest).map_err(|error| {
            self.damage(match error {
                Error::Truncated(_) => Defect::CutShort,
                _ => Defect::Structure,
            })
        })?;

        self.at += fields.end;
        Ok(&rest[fields])
    }
}

/// Returns where the fields of the root compound are.
fn fields(bytes: &[u8]) -> Result<std::ops::Range<usize>, Error> {
    let mut reader = Reader::root(bytes)?;
    let start = reader.position();
    while let Some((tag, _)) = reader.entry()? {
        reader.skip(tag)?;
    }
    Ok(start..reader.position())
}
