//! The order in which regions are begun.
//!
//! Neighbours should be drawn close together, so that what they ask of each other is still at hand and parents are
//! finished early; and what is heaviest should not come last, when all others wait for it. So: groups of 8 by 8 regions,
//! the group with the heaviest region first, along a Hilbert curve inside; and of the last two regions a worker the
//! heaviest first, so that all workers end together (`benches/simulation.rs`: 1.04 of ideal at 128 workers and 2,500
//! regions, 1.08 without). Where a worker gets only a few regions the end is all that counts.

use std::collections::BTreeMap;

use crate::coord::RegionPos;
use crate::world::RegionEntry;

/// A group is 8 by 8 regions: those under one tile three levels out, so that few finished tiles wait for their parents.
const GROUP_BITS: u32 = 3;
/// With fewer regions a worker than this, the heaviest come first.
const FEW_A_WORKER: usize = 4;
/// So many regions a worker are taken from the end and begun heaviest first.
const LAST_A_WORKER: usize = 2;
/// Measured on regions of 1.21 worlds: about 45 µs for a chunk of 9 kB.
const NS_A_BYTE: u64 = 5;
/// What a tile costs however little is on it: encoding, reduction, writing.
const NS_A_TILE: u64 = 3_000_000;

/// What drawing a region file of this length is estimated to cost, in nanoseconds.
pub const fn cost_ns(bytes: u64) -> u64 {
    NS_A_TILE + bytes.saturating_mul(NS_A_BYTE)
}

/// The regions in the order in which `threads` workers should begin them.
pub fn order(entries: &[RegionEntry], threads: usize) -> Vec<RegionPos> {
    let heaviest_first = |entry: &RegionEntry| (std::cmp::Reverse(entry.bytes), entry.region);
    if entries.len() < threads.saturating_mul(FEW_A_WORKER) {
        let mut entries = entries.to_vec();
        entries.sort_unstable_by_key(heaviest_first);
        return entries.iter().map(|entry| entry.region).collect();
    }
    let mut groups: BTreeMap<(i32, i32), Vec<(u32, RegionEntry)>> = BTreeMap::new();
    for &entry in entries {
        let (group, place) = entry.region.group(GROUP_BITS);
        groups.entry(group).or_default().push((along_curve(place), entry));
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(group, members)| {
        let heaviest = members.iter().map(|(_, entry)| entry.bytes).max();
        (std::cmp::Reverse(heaviest), *group)
    });
    for (_, members) in &mut groups {
        members.sort_unstable_by_key(|&(place, _)| place);
    }
    let mut order: Vec<RegionEntry> =
        groups.into_iter().flat_map(|(_, members)| members).map(|(_, entry)| entry).collect();
    let last = order.len().saturating_sub(threads.saturating_mul(LAST_A_WORKER));
    order[last..].sort_by_key(heaviest_first);
    order.iter().map(|entry| entry.region).collect()
}

/// How far along the Hilbert curve of a group a place `[z][x]` lies.
fn along_curve(place: usize) -> u32 {
    let (mut x, mut z) = ((place & 7) as u32, (place >> 3) as u32);
    let mut distance = 0;
    for bit in (0..GROUP_BITS).rev() {
        let (right, down) = (x >> bit & 1, z >> bit & 1);
        distance += ((3 * right) ^ down) << (2 * bit);
        if down == 0 {
            if right == 1 {
                (x, z) = (7 - x, 7 - z);
            }
            (x, z) = (z, x);
        }
    }
    distance
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::RegionKind;

    fn entry(x: i32, z: i32, bytes: u64) -> RegionEntry {
        RegionEntry { region: RegionPos { x, z }, kind: RegionKind::Mca, bytes }
    }

    #[test]
    fn the_curve_visits_every_place_once_and_only_neighbours() {
        let mut places: Vec<usize> = (0..64).collect();
        places.sort_by_key(|&place| along_curve(place));
        for pair in places.windows(2) {
            let [(ax, az), (bx, bz)] = [(pair[0] & 7, pair[0] >> 3), (pair[1] & 7, pair[1] >> 3)];
            assert_eq!(ax.abs_diff(bx) + az.abs_diff(bz), 1);
        }
    }

    #[test]
    fn the_group_with_the_heaviest_region_comes_first_and_stays_together() {
        let mut entries: Vec<RegionEntry> = (0..64).map(|i| entry(i % 16, i / 16, 100)).collect();
        entries[40].bytes = 900;
        let order = order(&entries, 2);
        assert_eq!(order.len(), 64);
        let order = &order[..60];
        let groups: Vec<_> = order.iter().map(|region| region.group(GROUP_BITS).0).collect();
        assert_eq!(groups[0], entries[40].region.group(GROUP_BITS).0);
        let mut seen = groups.clone();
        seen.dedup();
        let mut unique = seen.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(seen.len(), unique.len(), "no group is left and come back to");
    }

    #[test]
    fn with_few_regions_the_heaviest_comes_first() {
        let entries = [entry(0, 0, 5), entry(1, 0, 9), entry(2, 0, 7)];
        let order = order(&entries, 2);
        assert_eq!(order.iter().map(|region| region.x).collect::<Vec<_>>(), [1, 2, 0]);
    }
}
