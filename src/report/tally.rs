//! What one worker counted.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::{Deserialize, Serialize};

use super::{BadChunk, ChunkCounts, MAX_LISTED, Stages};
use crate::coord::ColumnPos;

/// The most names of unknown blocks that are listed.
const MAX_NAMES: usize = 65_536;

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
    /// What could not be read.
    pub bad: Vec<BadChunk>,
    /// Unknown blocks by name.
    pub unknown: BTreeMap<String, UnknownBlock>,
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
    /// What could not be read, with the dimension's place in the plan.
    pub bad: Vec<(usize, BadChunk)>,
    /// Unknown blocks by name.
    pub unknown: BTreeMap<String, UnknownBlock>,
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
    /// Counts a place that could not be read.
    pub fn bad(&mut self, dimension: usize, bad: BadChunk) {
        if bad.chunk.is_some() {
            self.chunks.bad += 1;
        }
        if self.bad.len() < MAX_LISTED {
            self.bad.push((dimension, bad));
        }
    }

    /// Counts columns in which an unknown block is seen, and the first of them with its height.
    pub fn unknown(&mut self, name: &str, columns: u64, first: ColumnPos, y: i32) {
        let seen = UnknownBlock { columns, first: [first.x, y, first.z] };
        if let Some(known) = self.unknown.get_mut(name) {
            known.add(seen);
        } else if self.unknown.len() < MAX_NAMES {
            self.unknown.insert(name.to_owned(), seen);
        }
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
        self.bad.extend(other.bad);
        for (name, seen) in other.unknown {
            match self.unknown.entry(name) {
                Entry::Occupied(mut known) => known.get_mut().add(seen),
                Entry::Vacant(place) => drop(place.insert(seen)),
            }
        }
        for (what, count) in other.odd {
            *self.odd.entry(what).or_default() += count;
        }
    }

    /// What this tally says of the one region that it counted.
    pub fn findings(&self) -> Findings {
        Findings {
            chunks: ChunkCounts { edge: 0, ..self.chunks },
            bad: self.bad.iter().map(|(_, bad)| bad.clone()).collect(),
            unknown: self.unknown.clone(),
            newer: self.newer,
            odd: self.odd.clone(),
        }
    }

    /// Counts a region of dimension `dimension` that is as it was.
    pub fn unchanged(&mut self, dimension: usize, findings: Findings) {
        let Findings { chunks, bad, unknown, newer, odd } = findings;
        let room = MAX_LISTED.saturating_sub(self.bad.len());
        let bad = bad.into_iter().take(room).map(|bad| (dimension, bad)).collect();
        let (regions_unchanged, repeated) = (1, chunks.total());
        self.add(Self { chunks, regions_unchanged, repeated, bad, unknown, newer, odd, ..Self::default() });
    }

    /// What could not be read, in the order of dimensions, regions and chunks: the same whatever worker met it.
    pub fn bad_in_order(&mut self) -> Vec<BadChunk> {
        self.bad.sort();
        self.bad.truncate(MAX_LISTED);
        self.bad.drain(..).map(|(_, bad)| bad).collect()
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

    #[test]
    fn what_was_found_is_repeated_as_it_was() {
        let mut first = Tally::default();
        first.unknown("mod:ore", 3, ColumnPos { x: 5, z: 0 }, 60);
        first.newer(6000);
        first.odd("odd");
        let (dimension, region) = ("overworld".to_owned(), "r.0.0.mca".to_owned());
        let reason = "nbt".into();
        first.bad(4, BadChunk { dimension, region, chunk: Some([1, 2]), reason, message: String::new() });
        first.chunks.drawn = 7;
        first.chunks.edge = 3;
        let mut again = Tally::default();
        again.unchanged(4, first.findings());
        assert_eq!((again.findings(), &again.bad), (first.findings(), &first.bad));
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
}
