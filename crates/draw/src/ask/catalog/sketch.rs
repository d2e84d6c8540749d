//! A sample of a world's chunks, from which the share of chunks that two worlds have in common is
//! estimated.
//!
//! The sample consists of the chunks with the lowest hashes. So two copies of a world have the same
//! sample, whatever their size, and the samples of two worlds overlap as much as the worlds do.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_64;

use pixelmap_base::coord::ChunkPos;
use pixelmap_world::internal::ChunkHash;

/// The most hashes of a sample. The estimate is off by about 4 percent.
const MAX_HASHES: usize = 128;

/// The lowest hashes of a world's chunks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChunkSketch(BTreeSet<u64>);

impl ChunkSketch {
    /// Adds a chunk. Its place counts as well, because flat chunks of Bedrock Edition are equal.
    pub(super) fn add(&mut self, dimension: &str, position: ChunkPos, hash: ChunkHash) {
        let place = [position.x, position.z].map(i32::to_le_bytes);
        let bytes = [
            &hash.to_le_bytes(),
            place.as_flattened(),
            dimension.as_bytes(),
        ];
        self.0.insert(XxHash3_64::oneshot(&bytes.concat()));
        if self.0.len() > MAX_HASHES {
            self.0.pop_last();
        }
    }

    pub(super) fn hashes(&self) -> impl Iterator<Item = u64> + '_ {
        self.0.iter().copied()
    }

    /// Estimates the share of equal chunks among the chunks of both worlds, in percent.
    pub(super) fn equal_percent(&self, other: &Self) -> u8 {
        let lowest = self.0.union(&other.0).take(MAX_HASHES);
        let (mut all, mut equal) = (0, 0);
        for hash in lowest {
            all += 1;
            if self.0.contains(hash) && other.0.contains(hash) {
                equal += 1;
            }
        }
        (equal * 100_usize).checked_div(all).unwrap_or_default() as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sketch(chunks: std::ops::Range<u64>) -> ChunkSketch {
        let mut sketch = ChunkSketch::default();
        for chunk in chunks {
            sketch.add("overworld", ChunkPos { x: 0, z: 0 }, chunk);
        }
        sketch
    }

    #[test]
    fn the_share_of_equal_chunks_is_estimated() {
        let world = sketch(0..10_000);
        assert_eq!(world.equal_percent(&sketch(0..10_000)), 100);
        assert_eq!(world.equal_percent(&sketch(10_000..20_000)), 0);
        let half = world.equal_percent(&sketch(0..5_000));
        assert!((38..=62).contains(&half), "{half}");
        assert_eq!(world.0.len(), MAX_HASHES);
        assert_eq!(sketch(0..0).equal_percent(&sketch(0..0)), 0);
    }
}
