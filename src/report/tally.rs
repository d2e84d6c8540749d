//! What one worker counted.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{BadPlace, BadPlaces, ChunkCounts, Damage, MAX_LISTED, Stages};
use crate::coord::{ChunkPos, ColumnPos, RegionPos};

/// A block or biome that no table knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnknownBlock {
    /// Columns in which it is seen.
    pub columns: u64,
    /// Where it is seen first, x, y and z: the northernmost of its columns, and of those the westernmost.
    pub first: [i32; 3],
}

/// Finished chunks that show next to nothing although something is stored in them that is not understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotUnderstood {
    /// How many.
    pub chunks: u64,
    /// The position in chunks, x and z, of the northernmost of them, and of those the westernmost.
    pub first: [i32; 2],
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
    /// Unknown biomes by name.
    pub unknown_biomes: BTreeMap<String, UnknownBlock>,
    /// Whether there were more names than are listed.
    pub more_unknown: bool,
    /// Chunks that show next to nothing and hold what is not understood.
    pub not_understood: Option<NotUnderstood>,
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
    /// Unknown biomes by name, of as many.
    pub unknown_biomes: BTreeMap<String, UnknownBlock>,
    /// Whether there were more names than that.
    pub more_unknown: bool,
    /// Chunks that show next to nothing and hold what is not understood.
    pub not_understood: Option<NotUnderstood>,
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
        let seen = UnknownBlock { columns, first: [first.x, y, first.z] };
        self.more_unknown |= add_unknown(&mut self.unknown, Cow::Borrowed(name), seen);
    }

    /// Counts columns of an unknown biome, and the first of them with the height of what is seen there.
    pub fn unknown_biome(&mut self, name: &str, columns: u64, first: ColumnPos, y: i32) {
        let seen = UnknownBlock { columns, first: [first.x, y, first.z] };
        self.more_unknown |= add_unknown(&mut self.unknown_biomes, Cow::Borrowed(name), seen);
    }

    /// Counts a chunk that shows next to nothing and holds what is not understood.
    pub fn not_understood(&mut self, chunk: ChunkPos) {
        let one = NotUnderstood { chunks: 1, first: [chunk.x, chunk.z] };
        self.not_understood = add_not_understood(self.not_understood, Some(one));
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
        self.not_understood = add_not_understood(self.not_understood, other.not_understood);
        self.more_unknown |= other.more_unknown;
        for (ours, theirs) in [(&mut self.unknown, other.unknown), (&mut self.unknown_biomes, other.unknown_biomes)] {
            for (name, seen) in theirs {
                self.more_unknown |= add_unknown(ours, Cow::Owned(name), seen);
            }
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
            unknown_biomes: self.unknown_biomes.clone(),
            more_unknown: self.more_unknown,
            not_understood: self.not_understood,
            newer: self.newer,
            odd: self.odd.clone(),
        }
    }

    /// Counts a region of dimension `dimension` that is as it was.
    pub fn unchanged(&mut self, dimension: usize, region: RegionPos, findings: Findings) {
        let Findings { chunks, bad, unknown, unknown_biomes, more_unknown, not_understood, newer, odd } = findings;
        let (regions_unchanged, repeated) = (1, chunks.total());
        let counted = Self { chunks, regions_unchanged, repeated, unknown, unknown_biomes, ..Self::default() };
        self.add(Self { more_unknown, not_understood, newer, odd, ..counted });
        for damage in bad {
            self.bad.add(BadPlace { dimension: dimension as u32, region, damage });
        }
    }
}

/// Adds to a list of unknown names; says whether one was left out. A name that goes, because so many come before it, is
/// among those that go at the end, whoever else met it: what is listed is complete.
fn add_unknown(names: &mut BTreeMap<String, UnknownBlock>, name: Cow<'_, str>, seen: UnknownBlock) -> bool {
    if let Some(known) = names.get_mut(&*name) {
        known.add(seen);
        return false;
    }
    let full = names.len() >= MAX_LISTED;
    if full {
        if names.last_key_value().is_some_and(|(last, _)| **last < *name) {
            return true;
        }
        names.pop_last();
    }
    names.insert(name.into_owned(), seen);
    full
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

fn add_not_understood(a: Option<NotUnderstood>, b: Option<NotUnderstood>) -> Option<NotUnderstood> {
    match (a, b) {
        (Some(a), Some(b)) => {
            let place = |[x, z]: [i32; 2]| (z, x);
            let first = if place(b.first) < place(a.first) { b.first } else { a.first };
            Some(NotUnderstood { chunks: a.chunks + b.chunks, first })
        }
        (one, other) => one.or(other),
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
        one.unknown_biome("mod:heath", 1, ColumnPos { x: 0, z: 0 }, 70);
        one.not_understood(ChunkPos { x: 3, z: 3 });
        let mut two = Tally::default();
        two.unknown("mod:ore", 2, ColumnPos { x: 9, z: -4 }, 70);
        two.newer(7000);
        two.unknown_biome("mod:heath", 4, ColumnPos { x: -1, z: 0 }, 80);
        two.not_understood(ChunkPos { x: 9, z: 2 });
        let (mut forth, mut back) = (one.clone(), two.clone());
        forth.add(two);
        back.add(one);
        assert_eq!(forth.unknown, back.unknown);
        assert_eq!(forth.unknown["mod:ore"], UnknownBlock { columns: 5, first: [9, 70, -4] });
        assert_eq!(forth.unknown_biomes, back.unknown_biomes);
        assert_eq!(forth.unknown_biomes["mod:heath"], UnknownBlock { columns: 5, first: [-1, 80, 0] });
        assert_eq!(forth.not_understood, back.not_understood);
        assert_eq!(forth.not_understood, Some(NotUnderstood { chunks: 2, first: [9, 2] }));
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
