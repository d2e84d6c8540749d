//! Layer `slime`: the chunks of the overworld in which slimes spawn, computed from the world's seed. It is made to lie
//! over another layer.

use std::fmt;

use super::painter::LayerPainter;
use super::row::ChunkRow;
use crate::base::coord::{CHUNK_SIDE, ChunkPos, Slot, TILE_SIDE};
use crate::tile::Pixel;
use crate::world::names::NameCache;

/// Half transparent, for the layer below. On the lattice, so that outer tiles have the same colour.
const GREEN: Pixel = Pixel::new([40, 232, 40, 120]);

/// The bits of a seed that `java.util.Random` uses, and on which the slime chunks depend.
const RANDOM_BITS: u64 = (1 << 48) - 1;

#[derive(Clone, Copy)]
pub struct Slimes(u64);

impl fmt::Debug for Slimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Seeds are secret: no log may show one.
        f.write_str("Slimes(not shown)")
    }
}

impl Slimes {
    pub const fn new(seed: i64) -> Self {
        Self(seed as u64 & RANDOM_BITS)
    }

    /// Returns whether slimes spawn in a chunk, below height 40 and in biomes that allow it.
    ///
    /// Source: the formula on the Minecraft Wiki, with Java's numbers: products of 32 bits, then sums of 64.
    const fn spawn_in(self, ChunkPos { x, z }: ChunkPos) -> bool {
        let in_x = x.wrapping_mul(x).wrapping_mul(0x4c_1906) as i64 + x.wrapping_mul(0x5a_c0db) as i64;
        let in_z = z.wrapping_mul(z) as i64 * 0x43_07a7 + z.wrapping_mul(0x5_f24f) as i64;
        let seed = (self.0 as i64).wrapping_add(in_x).wrapping_add(in_z) ^ 0x3ad8_025f;
        is_ten_sided_zero(seed as u64)
    }

    /// A hash of the seed, of 16 bits: it shows for all but one of 65,536 pictures that they have another seed. It
    /// reveals no more about the seed than some thirty chunks of the picture do. A longer hash would give the seed to
    /// anyone who tries all of them.
    pub fn mark(self) -> u16 {
        twox_hash::XxHash3_64::oneshot(&self.0.to_le_bytes()) as u16
    }
}

/// Returns whether `new java.util.Random(seed).nextInt(10)` is 0.
const fn is_ten_sided_zero(seed: u64) -> bool {
    const FACTOR: u64 = 0x5_deec_e66d;
    let mut state = (seed ^ FACTOR) & RANDOM_BITS;
    loop {
        state = (state.wrapping_mul(FACTOR) + 0xb) & RANDOM_BITS;
        let bits = (state >> 17) as i32;
        // As in Java: the last few of the numbers of 31 bits would favour some of the ten results.
        if bits - bits % 10 <= i32::MAX - 9 {
            return bits % 10 == 0;
        }
    }
}

impl LayerPainter for Option<Slimes> {
    /// Paints slime chunks without blocks, too: slime farms are built there.
    fn paint(&mut self, row: &ChunkRow<'_>, _: &mut NameCache, pixels: &mut [Pixel]) {
        let Some(slimes) = self else { return };
        for (chunk, columns) in row.chunks.iter().enumerate() {
            if columns.saved.is_none() || !slimes.spawn_in(row.region.chunk(Slot::at(chunk, row.index))) {
                continue;
            }
            for pixels in pixels.chunks_exact_mut(TILE_SIDE) {
                pixels[chunk * CHUNK_SIDE..][..CHUNK_SIDE].fill(GREEN);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_favour_a_result_are_drawn_again() {
        // Seeds whose first number is one of the last eight, with the results of Java itself.
        assert!(is_ten_sided_zero(0xc8ed_b4e5_5401) && is_ten_sided_zero(0xa7ce_7ac1_8694));
        assert!(!is_ten_sided_zero(0xa4af_091a_ccc4));
    }

    #[test]
    fn the_mark_ignores_unused_bits_of_the_seed() {
        let of = |seed: i64| Slimes::new(seed).mark();
        assert_eq!(of(-1), of((1 << 48) - 1));
        assert_ne!(of(1), of(2));
        assert_eq!(format!("{:?}", Slimes::new(77)), "Slimes(not shown)");
    }
}
