//! What one worker counted.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{BadPlace, BadPlaces, ChunkCounts, Damage, MAX_LISTED, Stages};
use crate::coord::{ColumnPos, RegionPos};

/// A block that no table knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnknownBlock {
    /// Columns in which it is seen.
    pub columns: u64,
    /// Where it is seen first, x, y and z: the northernmost of its columns, and of those the westernmost.
    pub first: [i32; 3],
}

/// Chunks newer than this program knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Newer {
    /// How many.
    pub chunks: u64,
    /// The newest version among them.
    pub data_version: i32,
}

/// What there is to say of a region, whenever it was drawn: runs that find it unchanged repeat it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Findings {
    /// Its chunks.
    #[serde(skip)]
    pub chunks: ChunkCounts,
    /// What could not be read, in order.
    pub bad: Vec<Damage>,
    /// Unknown blocks by name.
    pub unknown: BTreeMap<String, UnknownBlock>,
    /// Whether there were more names than are listed.
    pub more_unknown: bool,
    /// Chunks newer than this program knows.
    pub newer: Option<Newer>,
    /// How often something odd was met that cost nothing, by what it is.
    pub odd: BTreeMap<Cow<'static, str>, u64>,
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
    /// Unknown blocks by name; of more than [`MAX_LISTED`] the first in the order of names.
    pub unknown: BTreeMap<String, UnknownBlock>,
    /// Whether there were more names than that.
    pub more_unknown: bool,
    /// Chunks newer than this program knows.
    pub newer: Option<Newer>,
    /// How often something odd was met that cost nothing, by what it is.
    pub odd: BTreeMap<Cow<'static, str>, u64>,
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

    /// Counts columns in which an unknown block is seen, and the first of them with its height.
    pub fn unknown(&mut self, name: &str, columns: u64, first: ColumnPos, y: i32) {
        self.add_unknown(Cow::Borrowed(name), UnknownBlock { columns, first: [first.x, y, first.z] });
    }

    /// A name that goes, because so many come before it, is among those that go at the end, whoever else met it: what is
    /// listed is complete.
    fn add_unknown(&mut self, name: Cow<'_, str>, seen: UnknownBlock) {
        if let Some(known) = self.unknown.get_mut(&*name) {
            return known.add(seen);
        }
        if self.unknown.len() >= MAX_LISTED {
            self.more_unknown = true;
            if self.unknown.last_key_value().is_some_and(|(last, _)| **last < *name) {
                return;
            }
            self.unknown.pop_last();
        }
        self.unknown.insert(name.into_owned(), seen);
    }

    /// Counts a chunk newer than this program knows.
    pub fn newer(&mut self, data_version: i32) {
        self.newer = add_newer(self.newer, Some(Newer { chunks: 1, data_version }));
    }

    /// Counts something odd.
    pub fn odd(&mut self, what: &'static str) {
        *self.odd.entry(Cow::Borrowed(what)).or_default() += 1;
    }

    /// Adds what another worker counted.
    pub fn add(&mut self, other: Self) {
        let (to, from) = (&mut self.chunks, other.chunks);
        to.drawn += from.drawn;
        to.empty += from.empty;
        to.unfinished += from.unfinished;
        to.bad += from.bad;
        to.edge += from.edge;
        self.taken_over += other.taken_over;
        self.regions_drawn += other.regions_drawn;
        self.regions_unchanged += other.regions_unchanged;
        self.repeated += other.repeated;
        self.regions_failed += other.regions_failed;
        self.tiles_written += other.tiles_written;
        self.tiles_unchanged += other.tiles_unchanged;
        self.stages.add(&other.stages);
        self.newer = add_newer(self.newer, other.newer);
        other.bad.into_iter().for_each(|place| self.bad.add(place));
        self.more_unknown |= other.more_unknown;
        for (name, seen) in other.unknown {
            self.add_unknown(Cow::Owned(name), seen);
        }
        for (what, count) in other.odd {
            *self.odd.entry(what).or_default() += count;
        }
    }

    /// What this tally says of the one region that it counted.
    pub fn findings(&self) -> Findings {
        let mut bad: Vec<Damage> = self.bad.iter().map(|place| place.damage.clone()).collect();
        bad.sort_unstable();
        Findings {
            chunks: ChunkCounts { edge: 0, ..self.chunks },
            bad,
            unknown: self.unknown.clone(),
            more_unknown: self.more_unknown,
            newer: self.newer,
            odd: self.odd.clone(),
        }
    }

    /// Counts a region of dimension `dimension` that is as it was.
    pub fn unchanged(&mut self, dimension: usize, region: RegionPos, findings: Findings) {
        let Findings { chunks, bad, unknown, more_unknown, newer, odd } = findings;
        let (regions_unchanged, repeated) = (1, chunks.total());
        self.add(Self { chunks, regions_unchanged, repeated, unknown, more_unknown, newer, odd, ..Self::default() });
        for damage in bad {
            self.bad.add(BadPlace { dimension: dimension as u32, region, damage });
        }
    }
}

impl UnknownBlock {
    fn add(&mut self, other: Self) {
        self.columns += other.columns;
        let place = |[x, y, z]: [i32; 3]| (z, x, y);
        if place(other.first) < place(self.first) {
            self.first = other.first;
        }
    }
}

fn add_newer(a: Option<Newer>, b: Option<Newer>) -> Option<Newer> {
    match (a, b) {
        (Some(a), Some(b)) => {
            Some(Newer { chunks: a.chunks + b.chunks, data_version: a.data_version.max(b.data_version) })
        }
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coord::Slot;

    #[test]
    fn what_was_found_is_repeated_as_it_was() {
        let mut first = Tally::default();
        first.unknown("mod:ore", 3, ColumnPos { x: 5, z: 0 }, 60);
        first.newer(6000);
        first.odd("odd");
        let region = RegionPos { x: 0, z: 0 };
        first.bad(4, region, Damage::new(Some(Slot::at(1, 2)), "nbt", String::new()));
        first.bad(4, region, Damage::new(None, "unreadable", "gone".to_owned()));
        first.chunks.drawn = 7;
        first.chunks.edge = 3;
        let mut again = Tally::default();
        again.unchanged(4, region, first.findings());
        assert_eq!(again.findings(), first.findings());
        assert_eq!(again.bad.into_sorted(), first.bad.into_sorted());
        assert_eq!((again.chunks.total(), again.chunks.edge, again.repeated, again.regions_unchanged), (8, 0, 8, 1));
    }

    #[test]
    fn tallies_add_up_whatever_their_order() {
        let mut one = Tally::default();
        one.unknown("mod:ore", 3, ColumnPos { x: 5, z: 0 }, 60);
        one.newer(6000);
        let mut two = Tally::default();
        two.unknown("mod:ore", 2, ColumnPos { x: 9, z: -4 }, 70);
        two.newer(7000);
        let (mut forth, mut back) = (one.clone(), two.clone());
        forth.add(two);
        back.add(one);
        assert_eq!(forth.unknown, back.unknown);
        assert_eq!(forth.unknown["mod:ore"], UnknownBlock { columns: 5, first: [9, 70, -4] });
        assert_eq!((forth.newer, back.newer), (Some(Newer { chunks: 2, data_version: 7000 }), forth.newer));
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
                tallies[worker as usize].unknown(&format!("mod:{mixed:05}"), 1, at, 64);
            }
        }
        for tally in &tallies {
            assert!(tally.bad.iter().count() <= MAX_LISTED && tally.unknown.len() <= MAX_LISTED);
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
        assert_eq!((alone.len(), one.unknown.len(), one.more_unknown), (MAX_LISTED, MAX_LISTED, true));
        let last = &alone[MAX_LISTED - 1];
        assert!(*last.damage.message == format!("at byte {}", MAX_LISTED - 1), "the first are listed, not {last:?}");
        for workers in [2, 5] {
            let (places, run) = shared(workers);
            assert!(places == alone, "{workers} workers list other places");
            assert_eq!(run.chunks.bad, 2 * MAX_LISTED as u64);
            let names = run.unknown.iter().map(|(name, seen)| (name, seen.columns));
            assert!(names.eq(one.unknown.iter().map(|(name, seen)| (name, seen.columns))), "{workers} workers");
            assert!(run.more_unknown);
        }
    }

    #[test]
    fn as_many_names_as_can_be_listed_are_all() {
        let mut tally = Tally::default();
        for number in 0..MAX_LISTED {
            tally.unknown(&format!("mod:{number}"), 1, ColumnPos { x: 0, z: 0 }, 64);
        }
        assert!(!tally.more_unknown);
    }
}
