//! Reads packed arrays: nibbles, and entries of some bits in longs.

use super::Reason;

/// Nibble of a cell; the even index is low.
pub fn nibble(bytes: &[u8], index: usize) -> u32 {
    u32::from(bytes[index / 2] >> (index % 2 * 4) & 15)
}

/// 4,096 indices into a palette of `entries` entries.
///
/// The length decides the packing. If it is neither the spanning nor the aligned length for the
/// palette, the version decides the packing and the length decides the number of bits.
pub fn indices(
    longs: &[i64],
    entries: usize,
    data_version: Option<i64>,
) -> Result<Vec<usize>, Reason> {
    let bits = (usize::BITS - entries.saturating_sub(1).leading_zeros()).max(4) as usize;
    let length = longs.len();
    if length == aligned_length(4096, bits) {
        return Ok(aligned(longs, 4096, bits));
    }
    if length == 64 * bits {
        return Ok(spanning(longs, bits));
    }

    let found = if data_version.unwrap_or(0) >= 2529 {
        let bits = (4..=12)
            .rev()
            .find(|bits| aligned_length(4096, *bits) == length);
        bits.map(|bits| aligned(longs, 4096, bits))
    } else {
        (length.is_multiple_of(64) && (4..=12).contains(&(length / 64)))
            .then(|| spanning(longs, length / 64))
    };

    found.ok_or(Reason::Content)
}

/// The number of longs for `count` aligned entries.
pub const fn aligned_length(count: usize, bits: usize) -> usize {
    count.div_ceil(64 / bits)
}

/// Returns `count` entries. No entry crosses a long.
pub fn aligned(longs: &[i64], count: usize, bits: usize) -> Vec<usize> {
    let per_long = 64 / bits;
    (0..count)
        .map(|index| {
            low(
                longs[index / per_long] as u64 >> (index % per_long * bits),
                bits,
            )
        })
        .collect()
}

/// 4,096 entries one after the other, bit by bit where they cross.
fn spanning(longs: &[i64], bits: usize) -> Vec<usize> {
    let bit = |at: usize| longs[at / 64] as u64 >> (at % 64) & 1;
    (0..4096)
        .map(|index| {
            (0..bits)
                .map(|at| (bit(index * bits + at) as usize) << at)
                .sum()
        })
        .collect()
}

const fn low(value: u64, bits: usize) -> usize {
    (if bits == 64 {
        value
    } else {
        value & ((1 << bits) - 1)
    }) as usize
}
