//! Reads the values of Bedrock Edition and the packed indices in them.

use crate::chunk::cells::CELLS;
use crate::chunk::error::ChunkError;
use std::ops::Range;

use crate::nbt::Span;

/// A position in the bytes of a chunk. Its bytes end where the value ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// Makes a cursor at the start of a value, or of a part of one.
    pub(crate) fn new(bytes: &'a [u8], value: Span) -> Self {
        let Range { start, end } = value.range();
        Self {
            bytes: bytes.get(..end).unwrap_or(bytes),
            at: start,
        }
    }

    pub(crate) const fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Returns the remaining bytes of the value.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    pub(crate) fn take(&mut self, len: usize) -> Result<Span, ChunkError> {
        if len > self.rest().len() {
            return Err(ChunkError::Content("a value ends too early"));
        }
        let span = Span::new(self.at, len);
        self.at += len;
        Ok(span)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ChunkError> {
        let array = self.rest().first_chunk().copied();
        self.take(N)?;
        Ok(array.unwrap_or([0; N]))
    }

    pub(crate) fn byte(&mut self) -> Result<u8, ChunkError> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    pub(crate) fn short(&mut self) -> Result<u16, ChunkError> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(crate) fn int(&mut self) -> Result<i32, ChunkError> {
        Ok(i32::from_le_bytes(self.array()?))
    }

    pub(crate) fn long(&mut self) -> Result<i64, ChunkError> {
        Ok(i64::from_le_bytes(self.array()?))
    }
}

/// The palette indices of a section's cells, `[x][z][y]`. The palette follows them. Each
/// little-endian word of 32 bits contains as many whole indices as fit, beginning with its lowest
/// bits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Storage {
    /// Bits per index. With 0 bits, all indices are 0.
    bits: u32,
    words: Span,
}

impl Storage {
    pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<Self, ChunkError> {
        // The lowest bit is set if the palette contains numbers.
        let bits = match cursor.byte()? >> 1 {
            bits @ (0..=6 | 8 | 16) => u32::from(bits),
            _ => return Err(ChunkError::FORM),
        };

        let words = if bits == 0 {
            0
        } else {
            CELLS.div_ceil(32 / bits as usize)
        };

        Ok(Self {
            bits,
            words: cursor.take(words * 4)?,
        })
    }

    /// Reads the number of entries of the palette.
    pub(crate) fn palette_len(self, cursor: &mut Cursor<'_>) -> Result<usize, ChunkError> {
        if self.is_uniform() {
            return Ok(1);
        }
        let len = cursor.int()?;
        usize::try_from(len)
            .ok()
            .filter(|len| (1..=CELLS).contains(len))
            .ok_or(ChunkError::Content("a palette has an impossible length"))
    }

    pub(crate) const fn is_uniform(self) -> bool {
        self.bits == 0
    }

    /// Returns the index of a cell, given its number `[x][z][y]`.
    pub(crate) fn index(self, bytes: &[u8], cell: usize) -> usize {
        if self.is_uniform() {
            return 0;
        }

        let in_word = 32 / self.bits as usize;
        let (words, _) = self.words.slice(bytes).as_chunks();
        let word = words
            .get(cell / in_word)
            .map_or(0, |word| u32::from_le_bytes(*word));

        (word >> (cell % in_word * self.bits as usize)) as usize & ((1 << self.bits) - 1)
    }

    /// Unpacks the indices of all cells.
    pub(crate) fn unpack(self, bytes: &[u8], cells: &mut [u16; CELLS]) {
        let words = self.words.slice(bytes);
        match self.bits {
            1 => unpack::<1, 32>(words, cells),
            2 => unpack::<2, 16>(words, cells),
            3 => unpack::<3, 10>(words, cells),
            4 => unpack::<4, 8>(words, cells),
            5 => unpack::<5, 6>(words, cells),
            6 => unpack::<6, 5>(words, cells),
            8 => unpack::<8, 4>(words, cells),
            16 => unpack::<16, 2>(words, cells),
            _ => cells.fill(0),
        }
    }
}

/// Unpacks words of `IN_WORD` indices each. The length is a constant so that the compiler unpacks a
/// word in a few wide steps.
fn unpack<const BITS: usize, const IN_WORD: usize>(words: &[u8], cells: &mut [u16; CELLS]) {
    let (words, _) = words.as_chunks();

    let (whole, rest) = cells.as_chunks_mut();
    for (cells, word) in whole.iter_mut().zip(words) {
        *cells = unpack_word::<BITS, IN_WORD>(*word);
    }

    if let Some(word) = words.get(whole.len()) {
        rest.copy_from_slice(&unpack_word::<BITS, IN_WORD>(*word)[..rest.len()]);
    }
}

#[inline]
fn unpack_word<const BITS: usize, const IN_WORD: usize>(word: [u8; 4]) -> [u16; IN_WORD] {
    let word = u32::from_le_bytes(word);
    std::array::from_fn(|at| (word >> (at * BITS)) as u16 & ((1_u32 << BITS) - 1) as u16)
}
