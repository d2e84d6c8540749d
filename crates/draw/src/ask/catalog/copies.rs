//! Finds the worlds of a catalog that are copies of each other.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::sketch::ChunkSketch;
use super::world_entry::WorldCopy;

/// The least share of equal chunks of two copies, in percent.
const LEAST_PERCENT: u8 = 50;
/// The most copies that an entry names.
const MAX_COPIES: usize = 20;
/// The most worlds that are compared because of one chunk. Many flat worlds share their chunks.
const MAX_SHARING: usize = 100;

/// Returns the copies of each world, given their paths and samples in the order of the paths.
pub fn find_copies(worlds: &[(&str, &ChunkSketch)]) -> Vec<Vec<WorldCopy>> {
    let mut by_hash: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (number, (_, sketch)) in worlds.iter().enumerate() {
        for hash in sketch.hashes() {
            by_hash.entry(hash).or_default().push(number);
        }
    }

    let copies = worlds.iter().enumerate().map(|(number, (_, sketch))| {
        let sharing: BTreeSet<usize> = sketch
            .hashes()
            .filter_map(|hash| by_hash.get(&hash))
            .flat_map(|numbers| numbers.iter().take(MAX_SHARING))
            .copied()
            .filter(|other| *other != number)
            .collect();

        let mut copies = Vec::new();
        for other in sharing {
            let (path, other) = worlds[other];
            let percent = sketch.equal_percent(other);
            if percent >= LEAST_PERCENT {
                copies.push(WorldCopy {
                    path: path.to_owned(),
                    percent,
                });
            }
        }

        copies.sort_by_key(|copy| Reverse(copy.percent));
        copies.truncate(MAX_COPIES);
        copies
    });
    copies.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pixelmap_base::coord::ChunkPos;

    #[test]
    fn worlds_with_most_chunks_in_common_are_copies() {
        let sketch = |hashes: &mut dyn Iterator<Item = u64>| {
            let mut sketch = ChunkSketch::default();
            for hash in hashes {
                sketch.add("overworld", ChunkPos { x: 0, z: 0 }, hash);
            }
            sketch
        };
        let a = &sketch(&mut (0..100));
        let b = &sketch(&mut (10..110));
        let c = &sketch(&mut (500..600));

        let copies = find_copies(&[("a", a), ("b", b), ("c", c)]);
        let copy = |path: &str, percent| WorldCopy {
            path: path.to_owned(),
            percent,
        };
        assert_eq!(copies, [vec![copy("b", 81)], vec![copy("a", 81)], vec![]]);
    }
}
