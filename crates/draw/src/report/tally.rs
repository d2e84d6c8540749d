//! The counts of one worker.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::report::bad::{Damage, DamageList, RegionDamage};
use crate::report::bad_chunk::MAX_LISTED;
use crate::report::counts::ChunkCounts;
use crate::report::findings::ChunkFindings;
use crate::report::stages::Stages;
use pixelmap_base::coord::RegionPos;

/// The findings in a region. A run that finds the region unchanged repeats them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Findings {
    /// The counts of its chunks.
    #[serde(skip)]
    pub chunks: ChunkCounts,
    /// The places that could not be read, in order.
    pub bad: Vec<Damage>,
    /// The findings in its chunks.
    #[serde(flatten)]
    pub chunk_findings: ChunkFindings,
}

/// The counts of one worker.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    pub chunks: ChunkCounts,
    /// Border chunks that a neighbour decoded early and their own region reused, so they were read
    /// only once.
    pub taken_over: u64,
    /// Region files drawn.
    pub regions_drawn: u64,
    /// Region files that are unchanged.
    pub regions_unchanged: u64,
    /// The chunks of unchanged regions, which are counted without being read.
    pub repeated: u64,
    /// Region files that could not be opened.
    pub regions_failed: u64,
    /// Places that could not be read, limited to the first ones that are listed.
    pub bad: DamageList,
    /// Places that could not be read for the border of another region.
    pub unread_borders: DamageList,
    /// The findings in chunks.
    pub chunk_findings: ChunkFindings,
    /// Chunks that store no light although a layer needs it. They are not findings of a region,
    /// because runs without such a layer do not look for light.
    pub unlit: u64,
    pub tiles_written: u64,
    /// Tiles that already existed with the same bytes.
    pub tiles_unchanged: u64,
    /// The time spent in each stage.
    pub stages: Stages,
    /// The chunks of each dimension. The key is the dimension's number in the plan.
    pub dimensions: BTreeMap<u32, DimensionCounts>,
}

/// The chunks of a dimension, which decide whether the dimension as a whole is odd.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DimensionCounts {
    /// Chunks with something to see.
    pub drawn: u64,
    /// Chunks that could be read, and whose form and status are known.
    pub understood: u64,
    /// Chunks that could be read, but whose form or status is unknown.
    pub unclear: u64,
}

impl Tally {
    /// Counts the chunks of a region of dimension `dimension`, to judge the whole dimension later.
    pub fn count_region(&mut self, dimension: usize, findings: &Findings) {
        let ChunkCounts {
            drawn,
            empty,
            unfinished,
            ..
        } = findings.chunks;

        let unclear = findings.chunk_findings.unclear;
        let understood = (drawn + empty + unfinished).saturating_sub(unclear);

        self.dimensions
            .entry(dimension as u32)
            .or_default()
            .add(DimensionCounts {
                drawn,
                understood,
                unclear,
            });
    }

    /// Counts a place that could not be read in a region of dimension `dimension`.
    pub fn count_bad(&mut self, dimension: usize, region: RegionPos, damage: Damage) {
        if damage.slot().is_some() {
            self.chunks.bad += 1;
        }
        self.bad.add(RegionDamage {
            dimension: dimension as u32,
            region,
            damage,
        });
    }

    /// Adds the counts of another worker.
    pub fn add(&mut self, other: Self) {
        self.chunks.add(other.chunks);
        self.taken_over += other.taken_over;
        self.regions_drawn += other.regions_drawn;
        self.regions_unchanged += other.regions_unchanged;
        self.repeated += other.repeated;
        self.regions_failed += other.regions_failed;
        self.tiles_written += other.tiles_written;

        self.tiles_unchanged += other.tiles_unchanged;
        self.stages.add(&other.stages);
        for damaged in other.bad {
            self.bad.add(damaged);
        }
        for damaged in other.unread_borders {
            self.unread_borders.add(damaged);
        }
        self.chunk_findings.add(other.chunk_findings);
        self.unlit += other.unlit;

        for (dimension, counts) in other.dimensions {
            self.dimensions.entry(dimension).or_default().add(counts);
        }
    }

    /// Counts the places that could not be read for another region's border as bad, unless their
    /// own region has already counted them. An unchanged region has not, because its chunks are not
    /// read.
    pub fn add_unread_borders(&mut self) {
        let key =
            |damaged: &RegionDamage| (damaged.dimension, damaged.region, damaged.damage.slot());
        let counted: BTreeSet<_> = self.bad.iter().map(key).collect();
        let mut unread = std::mem::take(&mut self.unread_borders).into_sorted();
        unread.dedup_by_key(|damaged| key(damaged));
        unread.retain(|damaged| counted.len() < MAX_LISTED && !counted.contains(&key(damaged)));

        for RegionDamage {
            dimension,
            region,
            damage,
        } in unread
        {
            match damage.slot() {
                // The chunk was counted as drawn when its region was drawn.
                Some(_) => self.chunks.drawn = self.chunks.drawn.saturating_sub(1),
                None => self.regions_failed += 1,
            }
            self.count_bad(dimension as usize, region, damage);
        }
    }

    /// Returns the findings in the one region that this tally counted.
    pub fn findings(&self) -> Findings {
        let mut bad: Vec<Damage> = self
            .bad
            .iter()
            .map(|damaged| damaged.damage.clone())
            .collect();
        bad.sort_unstable();

        // Hidden chunks are not recorded, because the state folder may be public. Each run counts
        // them again.
        Findings {
            chunks: ChunkCounts {
                edge: 0,
                hidden: 0,
                ..self.chunks
            },
            bad,
            chunk_findings: self.chunk_findings.clone(),
        }
    }

    /// Counts an unchanged region of dimension `dimension`.
    pub fn count_unchanged(&mut self, dimension: usize, region: RegionPos, findings: Findings) {
        self.count_region(dimension, &findings);
        let Findings {
            chunks,
            bad,
            chunk_findings,
        } = findings;
        self.chunks.add(chunks);

        self.regions_unchanged += 1;
        self.repeated += chunks.total();
        self.chunk_findings
            .add(chunk_findings.in_dimension(dimension as u32));

        for damage in bad {
            self.bad.add(RegionDamage {
                dimension: dimension as u32,
                region,
                damage,
            });
        }
    }
}

impl DimensionCounts {
    const fn add(&mut self, other: Self) {
        self.drawn += other.drawn;
        self.understood += other.understood;
        self.unclear += other.unclear;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::bad_chunk::MAX_LISTED;
    use crate::report::findings::UnknownBlock;
    use pixelmap_base::coord::Slot;

    #[test]
    fn findings_are_repeated_as_they_were() {
        let mut first = Tally::default();
        first.chunk_findings.unknown(
            "mod:ore",
            UnknownBlock {
                columns: 3,
                dimension: 4,
                first: [5, 60, 0],
                states: None,
            },
        );

        first.chunk_findings.count_newer(6000);
        first.chunk_findings.warn("odd");
        let region = RegionPos { x: 0, z: 0 };
        first.count_bad(
            4,
            region,
            Damage::new(Some(Slot::at(1, 2)), "nbt", String::new()),
        );

        first.count_bad(
            4,
            region,
            Damage::new(None, "unreadable", "gone".to_owned()),
        );

        first.chunks.drawn = 7;
        (first.chunks.edge, first.chunks.hidden) = (3, 2);
        let mut again = Tally::default();
        again.count_unchanged(4, region, first.findings());
        assert_eq!(again.findings(), first.findings());

        let stored = serde_json::to_string(&first.findings()).unwrap();
        let mut stored = serde_json::from_str::<Findings>(&stored).unwrap();
        stored.chunks = first.findings().chunks;
        let mut later = Tally::default();
        later.count_unchanged(4, region, stored);

        assert_eq!(
            later.findings(),
            first.findings(),
            "the dimension is not stored"
        );

        assert_eq!(again.bad.into_sorted(), first.bad.into_sorted());
        assert_eq!(
            (
                again.chunks.total(),
                again.repeated,
                again.regions_unchanged
            ),
            (8, 8, 1)
        );

        assert_eq!(
            (again.chunks.edge, again.chunks.hidden),
            (0, 0),
            "they are counted again"
        );
    }

    #[test]
    fn unreadable_neighbours_count_once() {
        let region = RegionPos { x: 1, z: 0 };
        let damaged = |slot: Option<Slot>| RegionDamage {
            dimension: 0,
            region,
            damage: Damage::new(slot, "unreadable", "EIO".to_owned()),
        };

        let mut tally = Tally::default();
        tally.chunks.drawn = 5;
        tally.count_bad(
            0,
            region,
            Damage::new(Some(Slot::at(0, 3)), "unreadable", String::new()),
        );

        let mut other = Tally::default();
        for slot in [
            Some(Slot::at(0, 3)),
            Some(Slot::at(0, 4)),
            Some(Slot::at(0, 4)),
            None,
        ] {
            other.unread_borders.add(damaged(slot));
        }

        tally.add(other);
        tally.add_unread_borders();
        assert_eq!(
            (tally.chunks.drawn, tally.chunks.bad, tally.regions_failed),
            (4, 2, 1)
        );

        let slots: Vec<_> = tally
            .bad
            .into_sorted()
            .iter()
            .map(|damaged| damaged.damage.slot())
            .collect();
        assert_eq!(slots, [None, Some(Slot::at(0, 3)), Some(Slot::at(0, 4))]);
    }

    /// Returns the listed places and the sum of the tallies if this many workers share the same
    /// places and names.
    fn share_among(workers: u32) -> (Vec<RegionDamage>, Tally) {
        let mut tallies = vec![Tally::default(); workers as usize];
        for number in (0..2 * MAX_LISTED as u32).rev() {
            // Each place occurs once, in mixed order, and each name is found by two workers.
            let mixed = number.wrapping_mul(7919) % (2 * MAX_LISTED as u32);
            let (region, slot) = (
                RegionPos {
                    x: (mixed >> 10) as i32,
                    z: 0,
                },
                Slot::at(mixed as usize, mixed as usize >> 5),
            );

            let worker = number % workers;
            tallies[worker as usize].count_bad(
                0,
                region,
                Damage::new(Some(slot), "nbt", format!("at byte {mixed}")),
            );

            for worker in [worker, (worker + 1) % workers] {
                let seen = UnknownBlock {
                    columns: 1,
                    first: [worker as i32, 64, 0],
                    ..UnknownBlock::default()
                };
                tallies[worker as usize]
                    .chunk_findings
                    .unknown(&format!("mod:{mixed:05}"), seen);
            }
        }

        for tally in &tallies {
            assert!(
                tally.bad.iter().count() <= MAX_LISTED
                    && tally.chunk_findings.unknown.len() <= MAX_LISTED
            );
        }

        let mut run = Tally::default();
        for tally in tallies {
            run.add(tally);
        }

        (std::mem::take(&mut run.bad).into_sorted(), run)
    }

    #[test]
    fn excess_findings_are_cut_alike_by_any_workers() {
        let (alone, one) = share_among(1);
        assert_eq!(
            (
                alone.len(),
                one.chunk_findings.unknown.len(),
                one.chunk_findings.more_unknown
            ),
            (MAX_LISTED, MAX_LISTED, true)
        );

        let last = &alone[MAX_LISTED - 1];
        assert!(
            *last.damage.message == format!("at byte {}", MAX_LISTED - 1),
            "the first are listed, not {last:?}"
        );

        for workers in [2, 5] {
            let (damaged, run) = share_among(workers);
            assert!(damaged == alone, "{workers} workers list other damage");
            assert_eq!(run.chunks.bad, 2 * MAX_LISTED as u64);

            let names = run
                .chunk_findings
                .unknown
                .iter()
                .map(|(name, seen)| (name, seen.columns));

            assert!(
                names.eq(one
                    .chunk_findings
                    .unknown
                    .iter()
                    .map(|(name, seen)| (name, seen.columns))),
                "{workers} workers"
            );
            assert!(run.chunk_findings.more_unknown);
        }
    }
}
