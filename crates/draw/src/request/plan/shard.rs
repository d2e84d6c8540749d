//! Shards are parts of a plan that separate runs draw, on one machine or on many.
//!
//! All regions are sorted into one row: dimension after dimension, each along a Hilbert curve over
//! all possible regions. The tiles of any zoom level are pieces of that curve. So a shard, which is
//! a piece of the row, contains most of the outer tiles above it. The cuts are chosen so that no
//! shard costs more than 3 % above the mean, or as little more as single regions allow. Within that
//! limit a cut is at the border of the largest possible tile. Every run makes the same cuts from
//! the same list of regions.

use std::collections::BTreeSet;
use std::fmt;
use std::hash::Hasher;
use std::str::FromStr;

use serde::Serialize;
use twox_hash::XxHash3_64;

use crate::request::plan::order::cost_ns;
use pixelmap_base::coord::{OUTER_ZOOM, RegionPos, along_hilbert};
use pixelmap_world::internal::RegionEntry;

/// How far a cut may be from its ideal place, as a fraction of the mean cost, so that it is at the
/// border of a large tile. A shard has two ends, so it is at most 3 % above the mean.
const SLACK: f64 = 0.015;
/// The number of bits of a region's position along each axis.
const REGION_BITS: u32 = 17;
const _: () = assert!(REGION_BITS == pixelmap_base::coord::NATIVE_ZOOM as u32 && OUTER_ZOOM == 1);

/// One of `count` parts of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    number: u32,
    count: u32,
}

impl Shard {
    /// The most parts that a plan can have.
    pub const MOST: u32 = 100_000;

    /// Returns the shard with this number, counted from 1, of `count`. Returns `None` if it does
    /// not exist.
    pub fn new(number: u32, count: u32) -> Option<Self> {
        ((1..=count).contains(&number) && count <= Self::MOST).then_some(Self { number, count })
    }

    /// Returns the shard's number, counted from 1.
    pub const fn number(self) -> u32 {
        self.number
    }

    /// Returns the number of shards.
    pub const fn count(self) -> u32 {
        self.count
    }

    /// Returns its name in paths, such as `3-of-16`.
    pub fn name(self) -> String {
        format!("{}-of-{}", self.number, self.count)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text
            .split_once('/')
            .and_then(|(number, count)| Some((number.parse().ok()?, count.parse().ok()?)));
        let shard = numbers.and_then(|(number, count)| Self::new(number, count));
        shard.ok_or_else(|| {
            format!("{text} is not a shard: give I/N with I from 1 to N, as in 3/16")
        })
    }
}

/// The regions of a plan in one row, and the cuts between shards.
#[derive(Debug)]
pub(crate) struct Division {
    row: Vec<(u32, RegionEntry)>,
    /// The index of the first region of each shard, followed by the number of regions.
    cuts: Vec<usize>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct ShardFigures {
    pub regions: u64,
    /// The bytes of the region files.
    pub bytes: u64,
    /// The estimated seconds that a worker needs for one layer. Use it to compare shards with each
    /// other.
    pub seconds: f64,
}

impl Division {
    /// Divides the regions of all dimensions among `count` shards.
    pub(crate) fn new(mut row: Vec<(u32, RegionEntry)>, count: u32) -> Self {
        row.sort_by_cached_key(|(dimension, entry)| (*dimension, curve_distance(entry.region)));

        let mut before = Vec::with_capacity(row.len() + 1);
        let mut sum = 0;
        for (_, entry) in &row {
            before.push(sum);
            sum += cost_ns(entry.bytes);
        }

        before.push(sum);
        let cuts = Cutter {
            row: &row,
            before,
            count: count as usize,
        }
        .cuts();

        Self { row, cuts }
    }

    /// Returns the regions of a shard.
    pub(crate) fn regions(&self, shard: Shard) -> &[(u32, RegionEntry)] {
        let at = shard.number as usize;
        &self.row[self.cuts[at - 1]..self.cuts[at]]
    }

    /// Returns a hash of all regions and cuts. If parts have the same hash, each region is in
    /// exactly one of them.
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut hasher = XxHash3_64::with_seed(0);
        for &cut in &self.cuts {
            hasher.write(&(cut as u64).to_le_bytes());
        }

        for (dimension, entry) in &self.row {
            hasher.write(&u64::from(*dimension).to_le_bytes());
            hasher.write(&curve_distance(entry.region).to_le_bytes());
        }

        hasher.finish()
    }

    /// Returns the figures of each shard.
    pub(crate) fn figures(&self) -> Vec<ShardFigures> {
        let mut figures = Vec::new();
        for cut in self.cuts.windows(2) {
            let bytes = self.row[cut[0]..cut[1]]
                .iter()
                .map(|(_, entry)| entry.bytes);
            let cost: u64 = bytes.clone().map(cost_ns).sum();
            figures.push(ShardFigures {
                regions: bytes.len() as u64,
                bytes: bytes.sum(),
                seconds: cost as f64 / 1e9,
            });
        }

        figures
    }

    /// Counts the sides that two regions share, and how many of them are between two shards, which
    /// both read that border.
    pub(crate) fn sides(&self) -> (u64, u64) {
        let (mut all, mut apart) = (0, 0);
        for (at, (dimension, entry)) in self.row.iter().enumerate() {
            for there in [entry.region.offset(1, 0), entry.region.offset(0, 1)] {
                if there.is_on_map()
                    && let Some(other) = self.position(*dimension, there)
                {
                    all += 1;
                    apart += u64::from(self.shard_of(at) != self.shard_of(other));
                }
            }
        }

        (all, apart)
    }

    /// Returns the number of the shard that has the region at this index of `row`.
    fn shard_of(&self, index: usize) -> usize {
        self.cuts.partition_point(|&cut| cut <= index)
    }

    /// Returns the index of a region in `row`, if the world has it.
    fn position(&self, dimension: u32, region: RegionPos) -> Option<usize> {
        let key = (dimension, curve_distance(region));
        self.row
            .binary_search_by_key(&key, |(dimension, entry)| {
                (*dimension, curve_distance(entry.region))
            })
            .ok()
    }
}

/// Returns the distance of a region along the curve.
fn curve_distance(region: RegionPos) -> u64 {
    // The regions of a map are around 0. Regions elsewhere do not have tiles and are never in the
    // row.
    let [x, z] = [region.x, region.z]
        .map(|at| (at.wrapping_add(1 << (REGION_BITS - 1)) as u32) & ((1 << REGION_BITS) - 1));
    along_hilbert(REGION_BITS, x, z)
}

struct Cutter<'a> {
    row: &'a [(u32, RegionEntry)],
    /// `before[i]` is the cost of all regions before index `i` of the row. The last entry is the
    /// total cost.
    before: Vec<u64>,
    count: usize,
}

impl Cutter<'_> {
    fn cuts(&self) -> Vec<usize> {
        let end = self.row.len();
        let mean = self.before[end] as f64 / self.count as f64;
        let limit = self.least_limit().max((mean * (1.0 + 2.0 * SLACK)) as u64);

        // The cuts must not be before these places, because the rest would be too expensive for the
        // remaining shards.
        let mut earliest = vec![end; self.count + 1];
        for number in (0..self.count).rev() {
            earliest[number] = self.before.partition_point(|&cost| {
                cost < self.before[earliest[number + 1]].saturating_sub(limit)
            });
        }

        let mut cuts = vec![0];
        for number in 1..self.count {
            let latest = self.reach(cuts[number - 1], limit);
            let position = mean * number as f64;

            let from = self.index_at(position - SLACK * mean).min(latest);
            let from = from.max(earliest[number]);
            let to = self.index_at(position + SLACK * mean).min(latest);

            let best = (from..to).max_by_key(|&cut| {
                (
                    self.level(cut),
                    u64::MAX - (self.before[cut] as f64 - position).abs() as u64,
                )
            });
            cuts.push(best.unwrap_or_else(|| {
                let nearest = self.index_at(position).min(latest);
                nearest.max(earliest[number]).max(cuts[number - 1])
            }));
        }

        cuts.push(end);
        cuts
    }

    /// Returns the first index of the row before which the regions cost at least `cost`.
    fn index_at(&self, cost: f64) -> usize {
        self.before
            .partition_point(|&before| (before as f64) < cost)
    }

    /// Returns the furthest end of a shard that begins at `from` and costs at most `limit`.
    fn reach(&self, from: usize, limit: u64) -> usize {
        self.before
            .partition_point(|&cost| cost <= self.before[from].saturating_add(limit))
            - 1
    }

    /// Returns the least possible cost of the most expensive shard.
    fn least_limit(&self) -> u64 {
        let all = self.before[self.row.len()];
        let dearest = self
            .before
            .windows(2)
            .map(|pair| pair[1] - pair[0])
            .max()
            .unwrap_or(0);

        let (mut low, mut high) = (dearest.max(all / self.count as u64), all);
        while low < high {
            let limit = low.midpoint(high);
            let is_enough =
                (0..self.count).fold(0, |from, _| self.reach(from, limit)) == self.row.len();
            if is_enough {
                high = limit;
            } else {
                low = limit + 1;
            }
        }

        low
    }

    /// Returns how many levels out the largest tiles are that end at this place of the row.
    fn level(&self, cut: usize) -> u32 {
        let (Some((before, last)), Some((after, first))) =
            (self.row.get(cut.wrapping_sub(1)), self.row.get(cut))
        else {
            return u32::MAX;
        };
        if before == after {
            (curve_distance(last.region) ^ curve_distance(first.region)).ilog2() / 2
        } else {
            u32::MAX
        }
    }
}

/// Returns the regions of one dimension.
pub(crate) fn dimension_regions(
    regions: &[(u32, RegionEntry)],
    dimension: u32,
) -> BTreeSet<RegionPos> {
    regions
        .iter()
        .filter(|(number, _)| *number == dimension)
        .map(|(_, entry)| entry.region)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pixelmap_tile::TileSet;

    /// Returns a round world that is `side` regions wide: heavy in the middle, and light and uneven
    /// at its rim.
    fn round(side: i32) -> Vec<(u32, RegionEntry)> {
        let regions = (-side / 2..side / 2)
            .flat_map(|z| (-side / 2..side / 2).map(move |x| RegionPos { x, z }));

        let entry = |region: RegionPos| {
            let far = i64::from(region.x).pow(2) + i64::from(region.z).pow(2);
            let full = 5_000_000
                - 4 * i64::from(region.x * 7_919 % 100_000 + region.z * 104_729 % 100_000).abs();
            let rim = i64::from(side * side) / 4 - far;
            let bytes = if rim < i64::from(side) {
                full / 8
            } else {
                full
            }
            .max(8_192) as u64;

            (rim > 0).then_some((0, RegionEntry::new(region, bytes)))
        };

        regions.filter_map(entry).collect()
    }

    fn shards(count: u32) -> impl Iterator<Item = Shard> {
        (1..=count).map(move |number| Shard { number, count })
    }

    #[test]
    fn every_region_is_in_exactly_one_shard() {
        let mut all = round(20);
        all.extend(round(9).into_iter().map(|(_, entry)| (1, entry)));

        for count in [1, 2, 7, 128, 1000] {
            let division = Division::new(all.clone(), count);
            let mut parts: Vec<_> = shards(count)
                .flat_map(|shard| division.regions(shard).to_vec())
                .collect();
            let mut other = all.clone();
            other.reverse();
            let again = Division::new(other, count);
            assert_eq!(
                (&again.cuts, again.fingerprint()),
                (&division.cuts, division.fingerprint())
            );

            let key = |(dimension, entry): &(u32, RegionEntry)| (*dimension, entry.region);
            parts.sort_by_key(key);
            all.sort_by_key(key);
            assert!(parts.iter().map(key).eq(all.iter().map(key)), "{count}");
        }

        let fewer = Division::new(all[1..].to_vec(), 7);
        assert_ne!(fewer.fingerprint(), Division::new(all, 7).fingerprint());
        assert_eq!(Division::new(Vec::new(), 3).figures().len(), 3);
    }

    #[test]
    fn no_shard_takes_much_longer_than_the_mean() {
        // About 2,500 regions among 128 shards; about 2,500 and 160 regions per shard; and only
        // about 7 per shard.
        for (side, count, most) in [
            (56, 128, 1.05),
            (160, 8, 1.031),
            (160, 128, 1.031),
            (12, 16, 1.15),
        ] {
            let figures = Division::new(round(side), count).figures();
            let seconds = || figures.iter().map(|shard| shard.seconds);
            let mean = seconds().sum::<f64>() / f64::from(count);
            let largest = seconds().fold(0.0, f64::max) / mean;
            assert!(largest <= most, "{side}, {count}: {largest}");
        }
    }

    #[test]
    fn most_outer_tiles_are_drawn_by_a_shard() {
        let all = round(160);
        let pyramid = TileSet::from_regions(all.iter().map(|(_, entry)| entry.region));
        let outer = |pyramid: &TileSet| {
            (pyramid.min_zoom()..17)
                .map(|zoom| pyramid.level(zoom).count())
                .sum::<usize>()
        };

        let division = Division::new(all, 16);
        let of_shard = |shard| {
            let mut own = pyramid.clone();
            own.keep_over(&dimension_regions(division.regions(shard), 0));
            outer(&own)
        };

        let drawn: usize = shards(16).map(of_shard).sum();
        assert!(
            drawn * 100 > outer(&pyramid) * 97,
            "{drawn} of {}",
            outer(&pyramid)
        );

        let (sides, apart) = division.sides();
        assert!(apart * 100 < sides * 5, "{apart} of {sides}");
    }
}
