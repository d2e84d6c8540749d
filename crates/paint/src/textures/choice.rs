//! The pictures of a block state. The game chooses one of its looks by the block's position, and we
//! choose the same one.

use std::sync::Arc;

use crate::textures::picture::Picture;

/// The pictures of all looks of a block state.
#[derive(Debug, Default)]
pub(crate) struct BlockTextures {
    /// Each picture is stored with the sum of its own weight and the weights of all earlier ones.
    pictures: Vec<(u32, Arc<Picture>)>,
}

impl BlockTextures {
    pub(super) fn add(&mut self, weight: u32, picture: Arc<Picture>) {
        self.pictures.push((self.total() + weight, picture));
    }

    fn total(&self) -> u32 {
        self.pictures.last().map_or(0, |(total, _)| *total)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pictures.is_empty()
    }

    /// Returns all pictures in their order.
    pub(crate) fn pictures(&self) -> impl Iterator<Item = &Arc<Picture>> {
        self.pictures.iter().map(|(_, picture)| picture)
    }

    /// Returns the index of the picture that the game shows at a block's position.
    pub(crate) fn chosen(&self, position: [i32; 3]) -> usize {
        if self.pictures.len() < 2 {
            return 0;
        }
        let at = random(position) % self.total();
        self.pictures.partition_point(|(total, _)| *total <= at)
    }
}

/// Returns the game's random number for a position, which depends on nothing else. It takes two
/// steps of Java's `Random`, seeded with a hash of the coordinates.
fn random([x, y, z]: [i32; 3]) -> u32 {
    const FACTOR: u64 = 0x5_DEEC_E66D;

    let hash = i64::from(x.wrapping_mul(3_129_871))
        ^ i64::from(z).wrapping_mul(116_129_781)
        ^ i64::from(y);
    let hash = hash
        .wrapping_mul(hash)
        .wrapping_mul(42_317_861)
        .wrapping_add(hash.wrapping_mul(11))
        >> 16;

    let mut seed = hash as u64 ^ FACTOR;
    for _ in 0..2 {
        seed = seed.wrapping_mul(FACTOR).wrapping_add(11);
    }

    // The state has 48 bits, and the upper 32 of them are the number.
    ((seed >> 16) as u32 as i32).unsigned_abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_look_is_as_frequent_as_its_weight() {
        let mut block = BlockTextures::default();
        for (weight, grey) in [(1, 10), (2, 20), (1, 30)] {
            block.add(weight, Arc::new(Picture::plain([grey; 3])));
        }

        let mut counts = [0; 3];
        for at in 0..40_000 {
            counts[block.chosen([at % 200 - 100, 64, at / 200 - 100])] += 1;
        }

        let near = |count: i32, wanted: i32| (count - wanted).abs() < wanted / 20;
        assert!(
            near(counts[0], 10_000) && near(counts[1], 20_000) && near(counts[2], 10_000),
            "{counts:?}"
        );
    }

    #[test]
    fn a_position_has_one_number_for_ever() {
        // Computed by a copy of the game's arithmetic in another language.
        let positions = [
            [0, 0, 0],
            [1, 64, 0],
            [0, 65, -1],
            [-29_999_999, -64, 29_999_999],
        ];
        assert_eq!(
            positions.map(random),
            [723_955_400, 141_620_212, 832_660_981, 1_418_326_097]
        );
    }
}
