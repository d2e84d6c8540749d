//! Layer `slime`: paints the chunks of the overworld in which slimes spawn. In Java Edition they
//! depend on the world's seed and the chunk's position, in Bedrock Edition on the position alone.
//! The layer is an overlay for other layers.

use std::fmt;

use crate::layers::legend::Legend;
use crate::layers::renderer::LayerRenderer;
use crate::layers::row::ChunkRow;
use pixelmap_base::coord::{CHUNK_SIDE, ChunkPos, Slot, TILE_SIDE};
use pixelmap_tile::Pixel;
use pixelmap_world::names::NameCache;

/// Half transparent, so that the layer below is visible. The colour is on the lattice, so that
/// outer tiles have the same colour.
const GREEN: Pixel = Pixel::new([40, 232, 40, 120]);

/// The bits of a seed that `java.util.Random` uses, and on which the slime chunks depend.
const RANDOM_BITS: u64 = (1 << 48) - 1;

/// The rule by which slimes spawn in a world.
#[derive(Clone, Copy)]
pub enum Slimes {
    /// Java Edition: depends on the chunk's position and on the seed, reduced to its used bits.
    Java(u64),
    /// Bedrock Edition: depends on the chunk's position alone.
    Bedrock,
}

impl fmt::Debug for Slimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Seeds are secret, so no log may contain one.
        f.write_str("Slimes(not shown)")
    }
}

impl Slimes {
    /// Returns the rule of Java Edition for a seed.
    pub const fn from_seed(seed: i64) -> Self {
        Self::Java(seed as u64 & RANDOM_BITS)
    }

    /// Returns whether slimes spawn in a chunk (below height 40 and in biomes that allow it).
    fn spawn_in(self, chunk: ChunkPos) -> bool {
        match self {
            Self::Java(seed) => Self::spawn_by_seed(seed, chunk),
            Self::Bedrock => Self::spawn_by_position(chunk),
        }
    }

    /// Source: the formula on the Minecraft Wiki, in Java's arithmetic: products of 32 bits, then
    /// sums of 64.
    const fn spawn_by_seed(seed: u64, ChunkPos { x, z }: ChunkPos) -> bool {
        let in_x =
            x.wrapping_mul(x).wrapping_mul(0x4c_1906) as i64 + x.wrapping_mul(0x5a_c0db) as i64;
        let in_z = z.wrapping_mul(z) as i64 * 0x43_07a7 + z.wrapping_mul(0x5_f24f) as i64;
        let seed = (seed as i64).wrapping_add(in_x).wrapping_add(in_z) ^ 0x3ad8_025f;
        is_ten_sided_zero(seed as u64)
    }

    /// Source: the formula on the Minecraft Wiki, which uses the first number of a Mersenne Twister
    /// (MT19937).
    fn spawn_by_position(ChunkPos { x, z }: ChunkPos) -> bool {
        first_number(x.wrapping_mul(0x1f1f_1f1f) as u32 ^ z as u32).is_multiple_of(10)
    }

    /// Returns a 16-bit hash of the seed, or 0 for Bedrock Edition, where the seed does not count.
    /// A changed seed changes the hash in all but one of 65,536 cases. The hash reveals no more
    /// about the seed than about thirty chunks of the picture do; with a longer hash, anyone could
    /// find the seed by trying all of them.
    pub fn mark(self) -> u16 {
        match self {
            Self::Java(seed) => twox_hash::XxHash3_64::oneshot(&seed.to_le_bytes()) as u16,
            Self::Bedrock => 0,
        }
    }
}

/// Returns whether `new java.util.Random(seed).nextInt(10)` is 0.
const fn is_ten_sided_zero(seed: u64) -> bool {
    const FACTOR: u64 = 0x5_deec_e66d;
    let mut state = (seed ^ FACTOR) & RANDOM_BITS;
    loop {
        state = (state.wrapping_mul(FACTOR) + 0xb) & RANDOM_BITS;
        let bits = (state >> 17) as i32;
        // Java does the same: otherwise the last few of the 31-bit numbers would favour some of the
        // ten results.
        if bits - bits % 10 <= i32::MAX - 9 {
            return bits % 10 == 0;
        }
    }
}

/// Returns the first number of a Mersenne Twister (MT19937) with this seed.
fn first_number(seed: u32) -> u32 {
    // The first number depends on only three of the state's 624 words (the first two and word 397),
    // so the others need not be kept.
    let next = |word: u32, index: u32| {
        (word ^ word >> 30)
            .wrapping_mul(0x6c07_8965)
            .wrapping_add(index)
    };

    let second = next(seed, 1);
    let middle = (2..=397).fold(second, next);

    let mixed = seed & 0x8000_0000 | second & 0x7fff_ffff;
    let mut word = middle
        ^ mixed >> 1
        ^ if mixed.is_multiple_of(2) {
            0
        } else {
            0x9908_b0df
        };
    word ^= word >> 11;

    word ^= word << 7 & 0x9d2c_5680;
    word ^= word << 15 & 0xefc6_0000;

    word ^ word >> 18
}

/// Returns the colour of a slime chunk, opaque because the panel shows it without the layer below.
pub(crate) fn legend() -> Vec<Legend> {
    let [r, g, b, _] = GREEN.rgba();
    vec![Legend {
        title: "Slimes",
        is_scale: false,
        entries: vec![(Pixel::from_rgb([r, g, b]), "slime chunk".to_owned())],
    }]
}

impl LayerRenderer for Option<Slimes> {
    /// Paints slime chunks, including chunks without blocks, because slime farms are built there.
    fn paint(&mut self, row: &ChunkRow<'_>, _: &mut NameCache, pixels: &mut [Pixel]) {
        let Some(slimes) = self else { return };
        for (chunk, columns) in row.chunks.iter().enumerate() {
            if columns.saved.is_none()
                || !slimes.spawn_in(row.region.chunk(Slot::at(chunk, row.index)))
            {
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
    fn biased_random_numbers_are_drawn_again() {
        // Seeds whose first number is one of the last eight, with the results of Java itself.
        assert!(is_ten_sided_zero(0xc8ed_b4e5_5401) && is_ten_sided_zero(0xa7ce_7ac1_8694));
        assert!(!is_ten_sided_zero(0xa4af_091a_ccc4));
    }

    #[test]
    fn the_first_number_is_that_of_the_twister() {
        // As C++'s std::mt19937 and Python's random.getrandbits return them.
        assert_eq!(
            [5489, 1, 0].map(first_number),
            [3_499_211_612, 1_791_095_845, 2_357_136_044]
        );
    }

    #[test]
    fn the_mark_ignores_unused_bits_of_the_seed() {
        let [all, used, one, two] =
            [-1, (1 << 48) - 1, 1, 2].map(|seed| Slimes::from_seed(seed).mark());
        assert_eq!(all, used);
        assert_ne!(one, two);
        assert_eq!(format!("{:?}", Slimes::from_seed(77)), "Slimes(not shown)");
    }
}
