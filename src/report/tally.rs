//! What one worker counted.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::{Deserialize, Serialize};

use super::{BadChunk, ChunkCounts, MAX_LISTED, Stages};
use crate::coord::{ChunkPos, ColumnPos};

/// The most names of unknown blocks, and of unknown biomes, that are listed.
const MAX_NAMES: usize = 65_536;

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
    /// What could not be read.
    pub bad: Vec<BadChunk>,
    /// Unknown blocks by name.
    pub unknown: BTreeMap<String, UnknownBlock>,
    /// Unknown biomes by name.
    pub unknown_biomes: BTreeMap<String, UnknownBlock>,
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
    /// What could not be read, with the dimension's place in the plan.
    pub bad: Vec<(usize, BadChunk)>,
    /// Unknown blocks by name.
    pub unknown: BTreeMap<String, UnknownBlock>,
    /// Unknown biomes by name.
    pub unknown_biomes: BTreeMap<String, UnknownBlock>,
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
        add_unknown(&mut self.unknown, name, columns, [first.x, y, first.z]);
    }

    /// Counts columns of an unknown biome, and the first of them with the height of what is seen there.
    pub fn unknown_biome(&mut self, name: &str, columns: u64, first: ColumnPos, y: i32) {
        add_unknown(&mut self.unknown_biomes, name, columns, [first.x, y, first.z]);
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
        self.bad.extend(other.bad);
        self.not_understood = add_not_understood(self.not_understood, other.not_understood);
        for (ours, theirs) in [(&mut self.unknown, other.unknown), (&mut self.unknown_biomes, other.unknown_biomes)] {
            for (name, seen) in theirs {
                match ours.entry(name) {
                    Entry::Occupied(mut known) => known.get_mut().add(seen),
                    Entry::Vacant(place) => drop(place.insert(seen)),
                }
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
            unknown_biomes: self.unknown_biomes.clone(),
            not_understood: self.not_understood,
            newer: self.newer,
            odd: self.odd.clone(),
        }
    }

    /// Counts a region of dimension `dimension` that is as it was.
    pub fn unchanged(&mut self, dimension: usize, findings: Findings) {
        let Findings { chunks, bad, unknown, unknown_biomes, not_understood, newer, odd } = findings;
        let room = MAX_LISTED.saturating_sub(self.bad.len());
        let bad = bad.into_iter().take(room).map(|bad| (dimension, bad)).collect();
        let (regions_unchanged, repeated) = (1, chunks.total());
        let counted = Self { chunks, regions_unchanged, repeated, bad, ..Self::default() };
        self.add(Self { unknown, unknown_biomes, not_understood, newer, odd, ..counted });
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

fn add_unknown(names: &mut BTreeMap<String, UnknownBlock>, name: &str, columns: u64, first: [i32; 3]) {
    let seen = UnknownBlock { columns, first };
    if let Some(known) = names.get_mut(name) {
        known.add(seen);
    } else if names.len() < MAX_NAMES {
        names.insert(name.to_owned(), seen);
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
}
