//! Layer `slime`: the chunks of the overworld in which slimes come, worked out from the world's seed; to be laid over
//! another layer.

use std::fmt;

use super::row::Row;
use crate::coord::{CHUNK_SIDE, ChunkPos, Slot, TILE_SIDE};
use crate::tile::Pixel;

/// Lies over what is below it. On the lattice, so that its parents have it too.
const GREEN: Pixel = Pixel::new([40, 232, 40, 120]);

/// The bits of a seed that `java.util.Random` looks at, and those that decide where slimes come.
const RANDOM_BITS: u64 = (1 << 48) - 1;

/// Where slimes come.
#[derive(Clone, Copy)]
pub struct Slimes(u64);

impl fmt::Debug for Slimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A seed is shown nowhere.
        f.write_str("Slimes(not shown)")
    }
}

impl Slimes {
    /// In a world with this seed.
    pub const fn new(seed: i64) -> Self {
        Self(seed as u64 & RANDOM_BITS)
    }

    /// Whether they come in a chunk, in every biome that has any and below height 40.
    ///
    /// Source: the formula on the Minecraft Wiki, with Java's numbers: products of 32 bits, then sums of 64.
    pub const fn come_in(self, ChunkPos { x, z }: ChunkPos) -> bool {
        let in_x = x.wrapping_mul(x).wrapping_mul(0x4c_1906) as i64 + x.wrapping_mul(0x5a_c0db) as i64;
        let in_z = z.wrapping_mul(z) as i64 * 0x43_07a7 + z.wrapping_mul(0x5_f24f) as i64;
        let seed = (self.0 as i64).wrapping_add(in_x).wrapping_add(in_z) ^ 0x3ad8_025f;
        is_ten_sided_zero(seed as u64)
    }

    /// Of all that the seed decides of a picture, 16 bits: enough to see in all but one of 65,536 cases that a picture
    /// is of another seed. Whoever finds it is told no more than some thirty chunks of the picture tell, and so can
    /// leave out no more seeds; a key that tells all seeds apart would say which it is to whoever tries them all.
    pub fn mark(self) -> u16 {
        twox_hash::XxHash3_64::oneshot(&self.0.to_le_bytes()) as u16
    }
}

/// Whether `new java.util.Random(seed).nextInt(10)` is 0.
const fn is_ten_sided_zero(seed: u64) -> bool {
    const FACTOR: u64 = 0x5_deec_e66d;
    let mut state = (seed ^ FACTOR) & RANDOM_BITS;
    loop {
        state = (state.wrapping_mul(FACTOR) + 0xb) & RANDOM_BITS;
        let bits = (state >> 17) as i32;
        // Of the numbers of 31 bits the last few would favour some of the ten sides.
        if bits - bits % 10 <= i32::MAX - 9 {
            return bits % 10 == 0;
        }
    }
}

/// Paints the chunks in which slimes come, void or not: whoever builds there wants to know.
pub(super) fn draw(slimes: Slimes, row: &Row<'_>, pixels: &mut [Pixel]) {
    let come_in = |chunk| slimes.come_in(row.region.chunk(Slot::at(chunk, row.index)));
    let chunks = row.chunks.iter().enumerate().filter(|(_, columns)| columns.saved.is_some());
    for (chunk, _) in chunks.filter(|&(chunk, _)| come_in(chunk)) {
        for pixels in pixels.chunks_exact_mut(TILE_SIDE) {
            pixels[chunk * CHUNK_SIDE..][..CHUNK_SIDE].fill(GREEN);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_would_favour_a_side_are_drawn_again() {
        // Made so that the first number is one of the last eight; what Java itself says of them.
        assert!(is_ten_sided_zero(0xc8ed_b4e5_5401) && is_ten_sided_zero(0xa7ce_7ac1_8694));
        assert!(!is_ten_sided_zero(0xa4af_091a_ccc4));
    }

    #[test]
    fn what_the_picture_does_not_depend_on_is_not_in_the_mark() {
        let of = |seed: i64| Slimes::new(seed).mark();
        assert_eq!(of(-1), of((1 << 48) - 1));
        assert_ne!(of(1), of(2));
        assert_eq!(format!("{:?}", Slimes::new(77)), "Slimes(not shown)");
    }
}
