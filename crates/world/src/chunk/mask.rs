//! Provides sets of the columns of a chunk.

use pixelmap_base::coord::{CHUNK_AREA, CHUNK_SIDE};

/// Columns per word.
const WORD: usize = 64;

/// A set of the columns of a chunk, or of the cells of one slice, `[z][x]`, one bit each.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Mask([u64; CHUNK_AREA / WORD]);

impl Mask {
    pub const NONE: Self = Self([0; CHUNK_AREA / WORD]);
    pub const ALL: Self = Self([u64::MAX; CHUNK_AREA / WORD]);

    /// Makes a set of words whose lowest bits come first.
    #[inline]
    pub(super) const fn from_words(words: [u64; CHUNK_AREA / WORD]) -> Self {
        Self(words)
    }

    /// Returns the set as words, beginning with the lowest bit of the first word.
    #[inline]
    pub(super) const fn words(self) -> [u64; CHUNK_AREA / WORD] {
        self.0
    }

    /// Makes a set of rows along x whose lowest bits come first.
    #[inline]
    pub(super) fn from_rows(rows: [u16; CHUNK_SIDE]) -> Self {
        let (rows, _) = rows.as_chunks::<4>();
        Self(std::array::from_fn(|word| {
            (0..4).fold(0, |bits, row| {
                bits | u64::from(rows[word][row]) << (row * 16)
            })
        }))
    }

    /// Returns the set as rows along x. The lowest bit of a row is its first column.
    #[inline]
    pub(super) fn rows(self) -> [u16; CHUNK_SIDE] {
        std::array::from_fn(|row| (self.0[row / 4] >> (row % 4 * 16)) as u16)
    }

    /// Returns the set as bytes, beginning with the lowest bit of the first byte.
    #[inline]
    pub(super) fn bytes(self) -> [u8; CHUNK_AREA / 8] {
        std::array::from_fn(|byte| self.0[byte / 8].to_le_bytes()[byte % 8])
    }

    /// Makes a set of bytes whose lowest bits come first.
    #[inline]
    pub(super) fn from_bytes(bytes: [u8; CHUNK_AREA / 8]) -> Self {
        let (words, _) = bytes.as_chunks::<8>();
        Self(std::array::from_fn(|word| u64::from_le_bytes(words[word])))
    }

    #[inline]
    pub const fn only(column: usize) -> Self {
        let mut mask = Self::NONE;
        mask.insert(column);
        mask
    }

    #[inline]
    pub(super) const fn all_or_none(all: bool) -> Self {
        if all { Self::ALL } else { Self::NONE }
    }

    /// Returns the columns for which `is_in` is true.
    #[inline]
    pub fn from_fn(is_in: impl Fn(usize) -> bool) -> Self {
        Self(std::array::from_fn(|word| {
            (0..WORD).fold(0, |bits, bit| {
                bits | u64::from(is_in(word * WORD + bit)) << bit
            })
        }))
    }

    #[inline]
    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }

    /// Returns the first column in it, or the number of columns if it is empty.
    #[inline]
    pub fn first(self) -> usize {
        let word = self.0.iter().position(|&word| word != 0);
        word.map_or(CHUNK_AREA, |at| {
            at * WORD + self.0[at].trailing_zeros() as usize
        })
    }

    #[inline]
    pub fn count(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    #[inline]
    pub const fn has(self, column: usize) -> bool {
        self.0[column / WORD] >> (column % WORD) & 1 != 0
    }

    #[inline]
    pub const fn insert(&mut self, column: usize) {
        self.0[column / WORD] |= 1 << (column % WORD);
    }

    #[inline]
    pub const fn remove(&mut self, column: usize) {
        self.0[column / WORD] &= !(1 << (column % WORD));
    }

    /// Returns the columns in either set.
    #[must_use]
    #[inline]
    pub fn or(self, other: Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }

    /// Returns the columns in both sets.
    #[must_use]
    #[inline]
    pub fn and(self, other: Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }

    /// Returns the columns that are not in `other`.
    #[must_use]
    #[inline]
    pub fn without(self, other: Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] & !other.0[word]))
    }

    /// Visits the columns in order.
    #[inline]
    pub fn each(self, mut visit: impl FnMut(usize)) {
        for (index, mut word) in self.0.into_iter().enumerate() {
            while word != 0 {
                // Because of the remainder, the compiler can prove that the column is within the
                // chunk.
                visit((index * WORD + word.trailing_zeros() as usize) % CHUNK_AREA);
                word &= word - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_visited_in_order_once_each() {
        let every_third = Mask::from_fn(|column| column % 3 == 0);
        let mut mask = every_third
            .or(Mask::from_fn(|column| column < 5))
            .without(Mask::from_fn(|column| column == 9));
        mask.insert(64);
        mask.remove(255);
        let mut seen = Vec::new();
        mask.each(|column| seen.push(column));

        let is_in = |&column: &usize| {
            (column % 3 == 0 || column < 5 || column == 64) && ![9, 255].contains(&column)
        };

        assert_eq!(mask.count() as usize, seen.len());
        assert_eq!(seen, (0..CHUNK_AREA).filter(is_in).collect::<Vec<_>>());
        assert!((0..CHUNK_AREA).all(|column| mask.has(column) == seen.contains(&column)));
        assert_eq!(Mask::ALL.and(every_third), every_third);
        assert!(Mask::NONE.is_empty() && !every_third.is_empty());
        assert_eq!(
            (Mask::from_rows(mask.rows()), Mask::from_bytes(mask.bytes())),
            (mask, mask)
        );

        assert_eq!(
            (mask.rows()[0] & 31, mask.rows()[4] & 1, mask.bytes()[8] & 1),
            (31, 1, 1)
        );
    }
}
