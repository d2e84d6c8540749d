//! Reads packed index arrays: entries of a few bits in big-endian longs, least significant bits
//! first.
//!
//! Until 20w16a (DataVersion 2526) an entry may continue in the next long. From 20w17a on each long
//! contains as many whole entries as fit. The length of an array distinguishes the two layouts, and
//! the version decides only if both or neither fit.

use std::ops::RangeInclusive;

use crate::chunk::mask::Mask;
use pixelmap_base::coord::{CHUNK_AREA, CHUNK_SIDE};

/// The first DataVersion whose entries never continue in the next long (20w17a).
const FIRST_ALIGNED: i32 = 2529;
/// Wider entries cannot be indices into any palette that a chunk may have.
const MAX_BITS: u32 = 16;
/// The most bits per entry that are derived from an array's length alone, which is enough for all
/// cells of a section.
const MAX_FOUND_BITS: u32 = 12;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    /// Entries of this many bits, which may continue in the next long.
    Spanning(u32),
    /// Whole entries of this many bits in each long. The top bits of a long are unused.
    Aligned(u32),
}

/// Indexed by bits: the number of entries per long, and the factor that divides an index below 4096
/// by this number.
const IN_LONG: [(usize, u32); MAX_BITS as usize + 1] = {
    let mut in_long = [(64, 1 << (SHARE_BITS - 6)); MAX_BITS as usize + 1];
    let mut bits = 1;
    while bits <= MAX_BITS {
        let entries = 64 / bits;
        in_long[bits as usize] = (entries as usize, (1_u32 << SHARE_BITS).div_ceil(entries));
        bits += 1;
    }
    in_long
};
/// Bits of the factor's fraction, enough for an exact quotient for every index below 4096.
const SHARE_BITS: u32 = 19;

const fn aligned_len(entries: usize, bits: u32) -> usize {
    entries.div_ceil((64 / bits) as usize)
}

impl Packing {
    /// Finds the layout of `longs` longs with `entries` indices into a palette of `palette` names,
    /// each of at least `min_bits` bits. Returns `None` if no layout has this length.
    pub(crate) fn from_lengths(
        longs: usize,
        entries: usize,
        palette: usize,
        min_bits: u32,
        version: Option<i32>,
    ) -> Option<Self> {
        let needed = palette
            .max(2)
            .next_power_of_two()
            .trailing_zeros()
            .max(min_bits);

        if needed <= MAX_BITS {
            if longs == aligned_len(entries, needed) {
                return Some(Self::Aligned(needed));
            }
            if longs * 64 == entries * needed as usize {
                return Some(Self::Spanning(needed));
            }
        }

        // Some programs wrote more bits than the palette needs, so the width is derived from the
        // length. No program wrote fewer than `min_bits`, or more than any section needs. An array
        // that needs such a width was cut or contains something else.
        let widths = min_bits..=MAX_FOUND_BITS;
        if version.is_some_and(|version| version >= FIRST_ALIGNED) {
            Self::aligned(longs, entries, widths.clone())
                .or_else(|| Self::spanning(longs, entries, widths))
        } else {
            Self::spanning(longs, entries, widths.clone())
                .or_else(|| Self::aligned(longs, entries, widths))
        }
    }

    /// Returns the spanning layout that exactly fills the longs; `None`: its width is not one of
    /// `widths`.
    fn spanning(longs: usize, entries: usize, widths: RangeInclusive<u32>) -> Option<Self> {
        let bits = u32::try_from(longs * 64 / entries).ok()?;
        let is_filled = longs * 64 == bits as usize * entries;
        (is_filled && widths.contains(&bits)).then_some(Self::Spanning(bits))
    }

    /// Returns the aligned layout with the largest of the `widths` that needs this many longs.
    fn aligned(longs: usize, entries: usize, widths: RangeInclusive<u32>) -> Option<Self> {
        widths
            .rev()
            .find(|&bits| aligned_len(entries, bits) == longs)
            .map(Self::Aligned)
    }

    /// Returns the number of longs of this many entries.
    pub(crate) const fn longs(self, entries: usize) -> usize {
        match self {
            Self::Aligned(bits) => aligned_len(entries, bits),
            Self::Spanning(bits) => (entries * bits as usize).div_ceil(64),
        }
    }

    /// Returns whether this is the older layout. If both layouts are equal, the version decides.
    pub(crate) fn is_spanning(self, version: Option<i32>) -> bool {
        match self {
            Self::Spanning(_) => true,
            Self::Aligned(bits) => {
                64 % bits == 0 && version.is_none_or(|version| version < FIRST_ALIGNED)
            }
        }
    }

    /// Returns one entry of the stored bytes `longs`.
    #[inline]
    pub(crate) fn entry(self, longs: &[u8], index: usize) -> u16 {
        match self {
            Self::Aligned(bits) => {
                let (in_long, share) = IN_LONG[bits as usize];
                let at = ((index as u32 * share) >> SHARE_BITS) as usize;
                (long(longs, at) >> ((index - at * in_long) as u32 * bits)) as u16 & mask(bits)
            }
            Self::Spanning(bits) => {
                let bit = index * bits as usize;
                let shift = (bit % 64) as u32;
                let mut word = long(longs, bit / 64) >> shift;
                if shift + bits > 64 {
                    word |= long(longs, bit / 64 + 1) << (64 - shift);
                }
                word as u16 & mask(bits)
            }
        }
    }

    /// Returns the entry of one cell of slice `y` of a section.
    #[inline]
    pub(crate) fn cell(self, longs: &[u8], y: usize, column: usize) -> u16 {
        if self != Self::Aligned(4) {
            return self.entry(longs, y * CHUNK_AREA + column);
        }
        // Most sections have 4 bits, so that each long is a row.
        (long(longs, y * CHUNK_SIDE + column / CHUNK_SIDE) >> (column % CHUNK_SIDE * 4)) as u16 & 15
    }

    /// Visits the entries of some cells of slice `y` of a section, in order.
    #[inline]
    pub(crate) fn each(
        self,
        longs: &[u8],
        y: usize,
        cells: Mask,
        mut visit: impl FnMut(usize, u16),
    ) {
        if self != Self::Aligned(4) {
            return cells.each(|column| visit(column, self.entry(longs, y * CHUNK_AREA + column)));
        }

        for (row, mut columns) in cells.rows().into_iter().enumerate() {
            if columns != 0 {
                let long = long(longs, y * CHUNK_SIDE + row);
                while columns != 0 {
                    let x = columns.trailing_zeros() as usize % CHUNK_SIDE;
                    columns &= columns - 1;
                    visit(row * CHUNK_SIDE + x, (long >> (x * 4)) as u16 & 15);
                }
            }
        }
    }

    /// Returns the value of all 256 entries of slice `y`, if comparing whole longs shows that they
    /// are equal.
    #[inline]
    pub(crate) fn uniform(self, longs: &[u8], y: usize) -> Option<u16> {
        let start = y * CHUNK_AREA;

        let (bits, in_long) = match self {
            Self::Aligned(bits) => (bits, (64 / bits) as usize),
            // If entries continue in the next long, equal entries give equal longs only if they fit
            // evenly or are zero.
            Self::Spanning(bits) => (bits, (64 / bits).max(1) as usize),
        };

        let value = self.entry(longs, start);
        let (first, last) = match self {
            Self::Aligned(_) => (start / in_long, (start + CHUNK_AREA - 1) / in_long),
            Self::Spanning(_) if value != 0 && 64 % bits != 0 => return None,
            Self::Spanning(_) => (y * 4 * bits as usize, (y + 1) * 4 * bits as usize - 1),
        };

        let (stored, _) = longs.get(first * 8..(last + 1) * 8)?.as_chunks::<8>();
        let pattern = u64::from_ne_bytes(repeated(value, bits).to_be_bytes());

        // Without an early exit, so that it compiles to a few wide steps.
        let differing = stored.iter().fold(0, |differing, long| {
            differing | (u64::from_ne_bytes(*long) ^ pattern)
        });

        (differing == 0).then_some(value)
    }

    /// Unpacks the 256 entries of slice `y` of a section, and lowers entries above `limit` to it.
    /// Returns whether any entry is at least `limit`.
    pub(crate) fn slice(
        self,
        longs: &[u8],
        y: usize,
        limit: u16,
        cells: &mut [u16; CHUNK_AREA],
    ) -> bool {
        self.unpack(longs, y, cells);

        // The loop has no early exit, so that it compiles to a few wide steps.
        let highest = cells.iter().fold(0, |highest, &cell| cell.max(highest));
        if highest > limit {
            for cell in cells {
                *cell = limit.min(*cell);
            }
        }

        highest >= limit
    }

    fn unpack(self, longs: &[u8], y: usize, cells: &mut [u16; CHUNK_AREA]) {
        match self {
            Self::Aligned(bits) => {
                let in_long = (64 / bits) as usize;
                let start = y * CHUNK_AREA;
                let mut at = start / in_long;

                let mut left = in_long - start % in_long;
                let mut word = long(longs, at) >> ((start % in_long) as u32 * bits);
                let mut rest = cells.as_mut_slice();
                loop {
                    let (now, later) = rest.split_at_mut(left.min(rest.len()));
                    for cell in now {
                        *cell = word as u16 & mask(bits);
                        word >>= bits;
                    }

                    if later.is_empty() {
                        return;
                    }

                    rest = later;
                    at += 1;
                    left = in_long;
                    word = long(longs, at);
                }
            }
            Self::Spanning(bits) => {
                // A slice of 256 entries always begins at the start of a long.
                let mut at = y * 4 * bits as usize;
                let mut word = 0_u64;
                let mut left = 0_u32;
                for cell in cells {
                    let mut value = word;
                    if left < bits {
                        let next = long(longs, at);
                        at += 1;
                        value |= next << left;
                        let used = bits - left;
                        word = if used == 64 { 0 } else { next >> used };
                        left = 64 - used;
                    } else {
                        word >>= bits;
                        left -= bits;
                    }

                    *cell = value as u16 & mask(bits);
                }
            }
        }
    }
}

/// Returns a long whose entries are all `value`.
pub(crate) const fn repeated(value: u16, bits: u32) -> u64 {
    /// Indexed by bits: a long whose entries are all 1.
    const ONES: [u64; MAX_BITS as usize + 1] = {
        let mut ones = [0; MAX_BITS as usize + 1];
        let mut bits = 1;
        while bits <= MAX_BITS {
            let mut at = 0;
            while at < 64 / bits {
                ones[bits as usize] |= 1 << (at * bits);
                at += 1;
            }
            bits += 1;
        }

        ones
    };

    value as u64 * ONES[bits as usize]
}

const fn mask(bits: u32) -> u16 {
    ((1_u32 << bits) - 1) as u16
}

#[inline]
fn long(longs: &[u8], index: usize) -> u64 {
    longs
        .get(index * 8..)
        .and_then(|rest| rest.first_chunk::<8>())
        .map_or(0, |eight| u64::from_be_bytes(*eight))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pack(values: &[u16], packing: Packing) -> Vec<u8> {
        let mut longs = Vec::new();
        match packing {
            Packing::Aligned(bits) => {
                for group in values.chunks((64 / bits) as usize) {
                    let word = group
                        .iter()
                        .rev()
                        .fold(0_u64, |word, &value| word << bits | u64::from(value));
                    longs.extend(word.to_be_bytes());
                }
            }
            Packing::Spanning(bits) => {
                let bit =
                    |at: usize| u64::from(values[at / bits as usize] >> (at % bits as usize) & 1);
                for start in (0..values.len() * bits as usize).step_by(64) {
                    let word = (0..64).fold(0, |word, at| word | bit(start + at) << at);
                    longs.extend(word.to_be_bytes());
                }
            }
        }

        longs
    }

    #[test]
    fn packed_layers_and_entries_read_back() {
        for bits in 1..=13 {
            let values: Vec<u16> = (0..4096_u32)
                .map(|i| (i.wrapping_mul(40_503) >> 3) as u16 & mask(bits))
                .collect();
            for packing in [Packing::Aligned(bits), Packing::Spanning(bits)] {
                let longs = pack(&values, packing);
                let mut cells = [0; CHUNK_AREA];
                for y in 0..16 {
                    packing.slice(&longs, y, u16::MAX, &mut cells);
                    assert_eq!(
                        cells,
                        values[y * 256..(y + 1) * 256],
                        "{packing:?} slice {y}"
                    );
                }

                for (index, &value) in values.iter().enumerate() {
                    assert_eq!(
                        packing.entry(&longs, index),
                        value,
                        "{packing:?} entry {index}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_layer_is_uniform_if_all_entries_are() {
        for bits in 4..=9 {
            for packing in [Packing::Aligned(bits), Packing::Spanning(bits)] {
                for value in [0, 3, mask(bits)] {
                    let mut values = vec![value; 4096];
                    values[5 * 256 + 77] ^= 1;

                    let longs = pack(&values, packing);
                    for y in 0..16 {
                        let told = packing.uniform(&longs, y);
                        assert!(
                            told.is_none() || told == Some(value) && y != 5,
                            "{packing:?} {value} slice {y}"
                        );
                    }

                    let spans = matches!(packing, Packing::Spanning(bits) if 64 % bits != 0);
                    assert!(
                        spans && value != 0 || packing.uniform(&longs, 9).is_some(),
                        "{packing:?} {value}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_layout_follows_from_the_length() {
        let packing =
            |longs, palette, version| Packing::from_lengths(longs, 4096, palette, 4, version);
        assert_eq!(packing(256, 3, None), Some(Packing::Aligned(4)));
        assert_eq!(
            packing(320, 17, Some(3955)),
            Some(Packing::Spanning(5)),
            "whatever the version says"
        );

        assert_eq!(
            packing(342, 17, Some(1519)),
            Some(Packing::Aligned(5)),
            "whatever the version says"
        );

        assert_eq!(packing(586, 300, None), Some(Packing::Aligned(9)));
        assert_eq!(packing(576, 300, None), Some(Packing::Spanning(9)));
        assert_eq!(
            packing(820, 17, Some(2586)),
            Some(Packing::Aligned(12)),
            "more bits than needed"
        );

        assert_eq!(
            packing(448, 17, Some(1519)),
            Some(Packing::Spanning(7)),
            "more bits than needed"
        );

        assert_eq!(
            packing(256, 17, Some(1519)),
            Some(Packing::Spanning(4)),
            "a palette with more than is used of it"
        );

        assert_eq!(
            packing(1024, 5000, Some(2586)),
            Some(Packing::Aligned(13)),
            "a palette that needs them"
        );

        for version in [None, Some(1519), Some(2586), Some(3955)] {
            for longs in [64, 128, 192, 300, 832, 896, 960, 1024, 2048] {
                assert_eq!(
                    packing(longs, 3, version),
                    None,
                    "{longs} longs of 1, 2, 3, and 13 bits and more: {version:?}"
                );
            }
        }

        assert_eq!(packing(0, 17, None), None);
        assert_eq!(
            Packing::from_lengths(1, 64, 2, 1, Some(3955)),
            Some(Packing::Aligned(1))
        );
    }

    #[test]
    fn indices_past_the_palette_are_cut() {
        let longs = pack(&[15; 4096], Packing::Aligned(4));
        let mut cells = [0; CHUNK_AREA];
        assert!(Packing::Aligned(4).slice(&longs, 3, 7, &mut cells));
        assert_eq!(cells, [7; 256]);
        assert!(!Packing::Aligned(4).slice(
            &pack(&[6; 4096], Packing::Aligned(4)),
            3,
            7,
            &mut cells
        ));
    }

    #[test]
    fn a_short_array_reads_as_zero() {
        let mut cells = [9; CHUNK_AREA];
        Packing::Spanning(5).slice(&[], 15, 7, &mut cells);
        assert_eq!(cells, [0; 256]);
        assert_eq!(Packing::Aligned(5).entry(&[0; 7], 4000), 0);
    }
}
