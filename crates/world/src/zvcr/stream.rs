//! The inflated bytes of a file, which are read once, in their order and within a bound.

use std::io::{self, Read};

use crate::bytes::{Defect, StreamDamage};

/// The most bytes that a file may inflate to. The largest file with one state per chunk has about
/// 200 MB.
pub(super) const MAX_INFLATED: u64 = 1 << 30;
/// The number of bytes that are inflated at once.
const PIECE: usize = 64 << 10;

pub(super) struct Stream<R> {
    inflated: R,
    piece: Box<[u8]>,
    /// The bytes of the piece that are not yet read.
    start: usize,
    end: usize,
    /// The number of inflated bytes before the piece.
    before: u64,
}

impl<R: Read> Stream<R> {
    pub(super) fn new(inflated: R) -> Self {
        Self {
            inflated,
            piece: vec![0; PIECE].into(),
            start: 0,
            end: 0,
            before: 0,
        }
    }

    /// Returns the number of bytes read so far.
    pub(super) fn position(&self) -> u64 {
        self.before + self.start as u64
    }

    /// Describes a defect at the current position.
    pub(super) fn damage(&self, defect: Defect) -> StreamDamage {
        StreamDamage {
            at: self.position(),
            defect,
        }
    }

    /// Inflates the next piece.
    fn refill(&mut self) -> Result<(), StreamDamage> {
        self.before += self.end as u64;
        (self.start, self.end) = (0, 0);
        if self.before > MAX_INFLATED {
            return Err(self.damage(Defect::TooLarge));
        }

        match self.inflated.read(&mut self.piece) {
            Ok(0) => Err(self.damage(Defect::CutShort)),
            Ok(read) => {
                self.end = read;
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            // The file ends before the stream does.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                Err(self.damage(Defect::CutShort))
            }
            Err(error)
                if error.kind() == io::ErrorKind::Other && error.raw_os_error().is_none() =>
            {
                Err(self.damage(Defect::Inflate))
            }
            Err(error) => Err(self.damage(Defect::from(error))),
        }
    }

    /// Passes the next `len` bytes to `visit`, in one piece or in several.
    pub(super) fn visit(
        &mut self,
        mut len: u64,
        mut visit: impl FnMut(&[u8]),
    ) -> Result<(), StreamDamage> {
        while len > 0 {
            if self.start == self.end {
                self.refill()?;
            }

            let part = (self.end - self.start).min(usize::try_from(len).unwrap_or(usize::MAX));
            visit(&self.piece[self.start..self.start + part]);
            self.start += part;
            len -= part as u64;
        }

        Ok(())
    }

    pub(super) fn skip(&mut self, len: u64) -> Result<(), StreamDamage> {
        self.visit(len, |_| {})
    }

    /// Appends the next `len` bytes to `out`.
    pub(super) fn append(&mut self, len: u64, out: &mut Vec<u8>) -> Result<(), StreamDamage> {
        self.visit(len, |part| out.extend_from_slice(part))
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], StreamDamage> {
        if let Some(bytes) = self.piece[self.start..self.end].first_chunk() {
            self.start += N;
            return Ok(*bytes);
        }

        let mut bytes = [0; N];
        let mut filled = 0;
        self.visit(N as u64, |part| {
            bytes[filled..][..part.len()].copy_from_slice(part);
            filled += part.len();
        })?;
        Ok(bytes)
    }

    pub(super) fn byte(&mut self) -> Result<u8, StreamDamage> {
        Ok(self.array::<1>()?[0])
    }

    pub(super) fn short(&mut self) -> Result<u16, StreamDamage> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn int(&mut self) -> Result<u32, StreamDamage> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn long(&mut self) -> Result<u64, StreamDamage> {
        self.array().map(u64::from_le_bytes)
    }

    /// Reads a number of things. Fails if there are more than any program writes, because the
    /// number is then damaged.
    pub(super) fn count(&mut self, most: u64) -> Result<u64, StreamDamage> {
        let damage = self.damage(Defect::Structure);
        let count = self.long()?;
        if count > most { Err(damage) } else { Ok(count) }
    }

    /// Reads a byte that decides between known alternatives.
    ///
    /// # Errors
    /// Fails if the alternative is not known.
    pub(super) fn choice<T>(
        &mut self,
        choose: impl FnOnce(u8) -> Option<T>,
    ) -> Result<T, StreamDamage> {
        let damage = self.damage(Defect::Structure);
        choose(self.byte()?).ok_or(damage)
    }
}
