//! Checks that the lists that a page loads stay short even after hundreds of moments.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::atlas::manifest::TileRecord;
use pixelmap_base::coord::{RegionPos, TilePos};

/// The maximum length of a list in bytes.
const MOST: usize = 200_000;
const MOMENTS: u32 = 500;

#[test]
fn the_list_of_500_moments_is_short() {
    let label = "The flood, as the players of the east wing call it".to_owned();
    let moment = |id| Moment {
        id,
        time: 1_800_000_000 + i64::from(id) * 86_400,
        label: Some(label.clone()),
        tiles: 99_999,
        bytes: 99_999_999,
    };

    let moments = Moments {
        moments: (1..=MOMENTS).map(moment).collect(),
    };
    assert!(
        moments.script().len() < MOST / 2,
        "{}",
        moments.script().len()
    );
}

/// Each night changes four of the 196 regions around the world's origin, and the tiles above them.
#[test]
fn lists_of_earlier_tiles_stay_short() {
    let mut pieces: BTreeMap<PastPlace, Past<TilePos>> = BTreeMap::new();
    let record = TileRecord {
        bytes: 123_456,
        file: u64::MAX,
        pixels: u64::MAX,
    };

    let mut number = 0_i32;
    for moment in 1..=MOMENTS {
        let mut changed = BTreeSet::new();
        for _ in 0..4 {
            number = (number + 83) % 196;
            let mut tile = RegionPos {
                x: number % 14 - 7,
                z: number / 14 - 7,
            }
            .tile();

            while tile.zoom >= 11 {
                changed.insert(tile);
                tile = tile.parent();
            }
        }

        for tile in changed {
            let past = pieces
                .entry(PastPlace::for_tile("overworld/day", tile))
                .or_insert(Past(BTreeMap::new()));
            assert!(past.add(tile, moment, Some(record)));
        }
    }

    let lengths: Vec<usize> = pieces
        .iter()
        .map(|(place, past)| past.script(place).len())
        .collect();
    assert!(
        pieces.len() == 5 && lengths.iter().all(|&bytes| bytes < MOST),
        "{lengths:?}"
    );
}
