//! What one worker counted.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{BadPlace, BadPlaces, ChunkCounts, Damage, MAX_LISTED, Remarks, Stages};
use crate::coord::RegionPos;

/// What there is to say of a region, whenever it was drawn: runs that find it unchanged repeat it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Findings {
    /// Its chunks.
    #[serde(skip)]
    pub chunks: ChunkCounts,
    /// What could not be read, in order.
    pub bad: Vec<Damage>,
    /// What there is to say of its chunks.
    #[serde(flatten)]
    pub remarks: Remarks,
}

/// What one worker counted.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// Chunks.
    pub chunks: ChunkCounts,
    /// Of the chunks read for a neighbour's border, those that their own region took over: they were read once.
    pub taken_over: u64,
    /// Region files drawn.
    pub regions_drawn: u64,
    /// Region files that are as they were.
    pub regions_unchanged: u64,
    /// The chunks in them, which were counted without being read.
    pub repeated: u64,
    /// Region files that could not be opened.
    pub regions_failed: u64,
    /// What could not be read; of more than are listed the first.
    pub bad: BadPlaces,
    /// What the system would not give when it was asked for beside another region.
    pub beside: BadPlaces,
    /// What there is to say of chunks.
    pub remarks: Remarks,
    /// Tiles written.
    pub tiles_written: u64,
    /// Tiles that were there already.
    pub tiles_unchanged: u64,
    /// Where the time went.
    pub stages: Stages,
}

impl Tally {
    /// Counts a place of a region of dimension `dimension` that could not be read.
    pub fn bad(&mut self, dimension: usize, region: RegionPos, damage: Damage) {
        if damage.slot().is_some() {
            self.chunks.bad += 1;
        }
        self.bad.add(BadPlace { dimension: dimension as u32, region, damage });
    }

    /// Adds what another worker counted.
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
        other.bad.into_iter().for_each(|place| self.bad.add(place));
        other.beside.into_iter().for_each(|place| self.beside.add(place));
        self.remarks.add(other.remarks);
    }

    /// Counts as bad what could not be read beside another region, unless its own region has told of it: one that is as it
    /// was is not read.
    pub fn add_beside(&mut self) {
        let key = |place: &BadPlace| (place.dimension, place.region, place.damage.slot());
        let told: BTreeSet<_> = self.bad.iter().map(key).collect();
        let mut beside = std::mem::take(&mut self.beside).into_sorted();
        beside.dedup_by_key(|place| key(place));
        beside.retain(|place| told.len() < MAX_LISTED && !told.contains(&key(place)));
        for BadPlace { dimension, region, damage } in beside {
            match damage.slot() {
                // It was counted as what it was when it was drawn.
                Some(_) => self.chunks.drawn = self.chunks.drawn.saturating_sub(1),
                None => self.regions_failed += 1,
            }
            self.bad(dimension as usize, region, damage);
        }
    }

    /// What this tally says of the one region that it counted.
    pub fn findings(&self) -> Findings {
        let mut bad: Vec<Damage> = self.bad.iter().map(|place| place.damage.clone()).collect();
        bad.sort_unstable();
        // What is hidden is nobody's business who reads it: it is counted anew by each run.
        Findings { chunks: ChunkCounts { edge: 0, hidden: 0, ..self.chunks }, bad, remarks: self.remarks.clone() }
    }

    /// Counts a region of dimension `dimension` that is as it was.
    pub fn unchanged(&mut self, dimension: usize, region: RegionPos, findings: Findings) {
        let Findings { chunks, bad, remarks } = findings;
        self.add(Self { chunks, regions_unchanged: 1, repeated: chunks.total(), remarks, ..Self::default() });
        for damage in bad {
            self.bad.add(BadPlace { dimension: dimension as u32, region, damage });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coord::{ColumnPos, Slot};
    use crate::report::MAX_LISTED;

    #[test]
    fn what_was_found_is_repeated_as_it_was() {
        let mut first = Tally::default();
        first.remarks.unknown("mod:ore", 3, ColumnPos { x: 5, z: 0 }, 60);
        first.remarks.newer(6000);
        first.remarks.odd("odd");
        let region = RegionPos { x: 0, z: 0 };
        first.bad(4, region, Damage::new(Some(Slot::at(1, 2)), "nbt", String::new()));
        first.bad(4, region, Damage::new(None, "unreadable", "gone".to_owned()));
        first.chunks.drawn = 7;
        (first.chunks.edge, first.chunks.hidden) = (3, 2);
        let mut again = Tally::default();
        again.unchanged(4, region, first.findings());
        assert_eq!(again.findings(), first.findings());
        assert_eq!(again.bad.into_sorted(), first.bad.into_sorted());
        assert_eq!((again.chunks.total(), again.repeated, again.regions_unchanged), (8, 8, 1));
        assert_eq!((again.chunks.edge, again.chunks.hidden), (0, 0), "they are counted anew");
    }

    #[test]
    fn what_could_not_be_read_beside_a_region_is_told_once() {
        let region = RegionPos { x: 1, z: 0 };
        let place = |slot: Option<Slot>| BadPlace {
            dimension: 0,
            region,
            damage: Damage::new(slot, "unreadable", "EIO".to_owned()),
        };
        let mut tally = Tally::default();
        tally.chunks.drawn = 5;
        tally.bad(0, region, Damage::new(Some(Slot::at(0, 3)), "unreadable", String::new()));
        let mut other = Tally::default();
        for slot in [Some(Slot::at(0, 3)), Some(Slot::at(0, 4)), Some(Slot::at(0, 4)), None] {
            other.beside.add(place(slot));
        }
        tally.add(other);
        tally.add_beside();
        assert_eq!((tally.chunks.drawn, tally.chunks.bad, tally.regions_failed), (4, 2, 1));
        let slots: Vec<_> = tally.bad.into_sorted().iter().map(|place| place.damage.slot()).collect();
        assert_eq!(slots, [None, Some(Slot::at(0, 3)), Some(Slot::at(0, 4))]);
    }

    /// What is listed where so many workers share the places and names with these numbers.
    fn shared(workers: u32) -> (Vec<BadPlace>, Tally) {
        let mut tallies = vec![Tally::default(); workers as usize];
        for number in (0..2 * MAX_LISTED as u32).rev() {
            // Each place once, in no order; each name by two workers.
            let mixed = number.wrapping_mul(7919) % (2 * MAX_LISTED as u32);
            let (region, slot) =
                (RegionPos { x: (mixed >> 10) as i32, z: 0 }, Slot::at(mixed as usize, mixed as usize >> 5));
            let worker = number % workers;
            tallies[worker as usize].bad(0, region, Damage::new(Some(slot), "nbt", format!("at byte {mixed}")));
            for worker in [worker, (worker + 1) % workers] {
                let at = ColumnPos { x: worker as i32, z: 0 };
                tallies[worker as usize].remarks.unknown(&format!("mod:{mixed:05}"), 1, at, 64);
            }
        }
        for tally in &tallies {
            assert!(tally.bad.iter().count() <= MAX_LISTED && tally.remarks.unknown.len() <= MAX_LISTED);
        }
        let mut run = Tally::default();
        for tally in tallies {
            run.add(tally);
        }
        (std::mem::take(&mut run.bad).into_sorted(), run)
    }

    #[test]
    fn of_too_many_the_same_are_listed_whatever_the_number_of_workers_and_all_are_counted() {
        let (alone, one) = shared(1);
        assert_eq!((alone.len(), one.remarks.unknown.len(), one.remarks.more_unknown), (MAX_LISTED, MAX_LISTED, true));
        let last = &alone[MAX_LISTED - 1];
        assert!(*last.damage.message == format!("at byte {}", MAX_LISTED - 1), "the first are listed, not {last:?}");
        for workers in [2, 5] {
            let (places, run) = shared(workers);
            assert!(places == alone, "{workers} workers list other places");
            assert_eq!(run.chunks.bad, 2 * MAX_LISTED as u64);
            let names = run.remarks.unknown.iter().map(|(name, seen)| (name, seen.columns));
            assert!(names.eq(one.remarks.unknown.iter().map(|(name, seen)| (name, seen.columns))), "{workers} workers");
            assert!(run.remarks.more_unknown);
        }
    }
}
