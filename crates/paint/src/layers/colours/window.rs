//! Describes the window over which a column's tint is blended, 9 by 9 columns, and computes the
//! mean of the colours in it.

use crate::layers::colours::tone;
use crate::surface::REACH;
use pixelmap_base::coord::CHUNK_SIDE;
use pixelmap_world::names::BiomeId;

/// The number of columns along one side of the patch from which a chunk's tints are made.
pub(crate) const PATCH: usize = CHUNK_SIDE + 2 * REACH;
/// The number of columns along one side of the window from which one column's tint is made.
pub(crate) const WINDOW: usize = 2 * REACH + 1;

/// The biomes of a chunk and of the columns around it, `[z][x]`.
pub(crate) type Patch = [[BiomeId; PATCH]; PATCH];

/// The reciprocal of each number of columns, as a factor over `1 << SHIFT`. Multiplying is faster
/// than dividing.
const SHARES: [u64; WINDOW * WINDOW + 1] = {
    let mut shares = [0; WINDOW * WINDOW + 1];
    let mut count = 1;
    while count < shares.len() {
        shares[count] = (1_u64 << SHIFT).div_ceil(count as u64);
        count += 1;
    }
    shares
};
/// Large enough to make the quotient of every sum of up to 81 bytes exact.
const SHIFT: u32 = 32;

/// Returns the mean of added-up lanes, packed. The mean of no colours is black, but a column with a
/// biome always has a colour.
pub(crate) fn mean(lanes: u64) -> u32 {
    let count = lanes >> 48;
    let share = SHARES[count as usize];
    let channel = |shift: u32| ((((lanes >> shift & 0xffff) + count / 2) * share) >> SHIFT) as u8;
    tone::pack_colour([channel(0), channel(16), channel(32)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_never_overflow() {
        let white = 255 | 255 << 16 | 255 << 32 | 1 << 48;
        assert_eq!(mean(white * 81), tone::pack_colour([255; 3]));
        assert_eq!(mean(0), 0);
    }

    #[test]
    fn every_mean_is_the_rounded_quotient() {
        for count in 1..=81_u64 {
            for sum in 0..=255 * count {
                assert_eq!(
                    u64::from(mean(count << 48 | sum)),
                    (sum + count / 2) / count
                );
            }
        }
    }
}
