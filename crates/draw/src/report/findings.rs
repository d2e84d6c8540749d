//! Counts the findings in chunks: unknown names, chunks that are not understood, and warnings.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::report::bad_chunk::MAX_LISTED;
use crate::report::states::{StoredStates, are_alike, serialize_differing};
use pixelmap_base::coord::ChunkPos;

/// An unknown block or biome: it is in none of the tables.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnknownBlock {
    /// The number of columns that show it.
    pub columns: u64,
    /// The number of the first place's dimension in the plan. It is not stored, because the numbers
    /// of a later run may differ.
    #[serde(skip)]
    pub dimension: u32,
    /// The first place as x, y and z: in the northernmost column, and in the westernmost one of its
    /// row.
    pub first: [i32; 3],
    /// The states in which the block is stored, if they were read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub states: Option<StoredStates>,
}

/// An unknown block or biome in the report of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct UnknownName {
    /// The number of columns that show it, in all dimensions.
    pub columns: u64,
    /// The dimension of the first place: the first dimension that shows it.
    pub dimension: String,
    /// The first place in that dimension as x, y and z.
    pub first: [i32; 3],
    /// The states in which the block is stored. A report lists the properties by which they differ.
    #[serde(
        rename = "properties",
        serialize_with = "serialize_differing",
        skip_serializing_if = "are_alike"
    )]
    pub states: Option<StoredStates>,
}

/// Chunks that show almost nothing although they store something unknown, and newer chunks whose
/// status is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnclearChunks {
    pub chunks: u64,
    /// The position in chunks (x and z) of the northernmost chunk, and of the westernmost one in
    /// its row.
    pub first: [i32; 2],
}

/// Chunks of newer versions than this program supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewerChunks {
    pub chunks: u64,
    /// The newest version among them.
    pub data_version: i32,
}

/// The findings in the chunks of one or more regions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChunkFindings {
    /// Unknown blocks by name, limited to the first [`MAX_LISTED`] in the order of names.
    pub unknown: BTreeMap<String, UnknownBlock>,
    /// Unknown biomes by name, with the same limit.
    pub unknown_biomes: BTreeMap<String, UnknownBlock>,
    /// Whether there were more names than the limit.
    pub more_unknown: bool,
    /// Chunks that store blocks or their status in an unknown form.
    pub not_understood: Option<UnclearChunks>,
    /// Chunks whose form or status is unknown, so that they show almost nothing.
    #[serde(default, skip_serializing_if = "is_none")]
    pub unclear: u64,
    /// Chunks of newer versions than this program supports.
    pub newer: Option<NewerChunks>,
    /// Chunks that are hidden because players spent too little time in them.
    #[serde(default, skip_serializing_if = "is_none")]
    pub unvisited: u64,
    /// How often each warning occurred, by its text.
    #[serde(rename = "odd")]
    pub warnings: BTreeMap<Cow<'static, str>, u64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
fn is_none(count: &u64) -> bool {
    *count == 0
}

impl ChunkFindings {
    /// Counts the columns that show an unknown block.
    pub fn unknown(&mut self, name: &str, seen: UnknownBlock) {
        self.more_unknown |= add_unknown(&mut self.unknown, Cow::Borrowed(name), seen);
    }

    /// Adds a state in which a counted unknown block is stored.
    pub fn unknown_state(&mut self, name: &str, state: StoredStates) {
        if let Some(seen) = self.unknown.get_mut(name) {
            seen.states = join_options(seen.states.take(), Some(state), joined_states);
        }
    }

    /// Counts the columns of an unknown biome.
    pub fn unknown_biome(&mut self, name: &str, seen: UnknownBlock) {
        self.more_unknown |= add_unknown(&mut self.unknown_biomes, Cow::Borrowed(name), seen);
    }

    /// Returns the findings, which were stored without their dimension, as findings in dimension
    /// `dimension`.
    #[must_use]
    pub fn in_dimension(mut self, dimension: u32) -> Self {
        let unknown = self
            .unknown
            .values_mut()
            .chain(self.unknown_biomes.values_mut());
        for seen in unknown {
            seen.dimension = dimension;
        }

        self
    }

    /// Counts a chunk that stores blocks or its status in an unknown form.
    pub fn not_understood(&mut self, chunk: ChunkPos) {
        let one = UnclearChunks {
            chunks: 1,
            first: [chunk.x, chunk.z],
        };
        self.not_understood = add_not_understood(self.not_understood, Some(one));
    }

    /// Counts a chunk of a newer version than this program supports.
    pub fn count_newer(&mut self, data_version: i32) {
        self.newer = add_newer(
            self.newer,
            Some(NewerChunks {
                chunks: 1,
                data_version,
            }),
        );
    }

    /// The warning about a hidden chunk that does not store how long players were in it, in the
    /// form in which maps have recorded it.
    pub(crate) const UNKNOWN_TIME: &str =
        "a chunk that `min_inhabited` hides does not store how long players were in it";

    /// Counts a chunk in which players spent too little time. `is_stored` is whether the chunk
    /// stores that time.
    pub fn count_unvisited(&mut self, is_stored: bool) {
        self.unvisited += 1;
        if !is_stored {
            self.warn(Self::UNKNOWN_TIME);
        }
    }

    /// Counts a warning.
    pub fn warn(&mut self, what: &'static str) {
        self.warn_times(what, 1);
    }

    /// Counts a warning several times.
    pub fn warn_times(&mut self, what: &'static str, count: u64) {
        if count > 0 {
            *self.warnings.entry(Cow::Borrowed(what)).or_default() += count;
        }
    }

    /// Adds the findings in other chunks.
    pub fn add(&mut self, other: Self) {
        self.newer = add_newer(self.newer, other.newer);
        self.not_understood = add_not_understood(self.not_understood, other.not_understood);
        self.more_unknown |= other.more_unknown;

        for (ours, theirs) in [
            (&mut self.unknown, other.unknown),
            (&mut self.unknown_biomes, other.unknown_biomes),
        ] {
            for (name, seen) in theirs {
                self.more_unknown |= add_unknown(ours, Cow::Owned(name), seen);
            }
        }

        self.unclear += other.unclear;
        self.unvisited += other.unvisited;

        for (what, count) in other.warnings {
            *self.warnings.entry(what).or_default() += count;
        }
    }
}

/// Adds the columns of names in the report of a next map. The first place of the earlier map is
/// kept.
pub(crate) fn add_reported(
    ours: &mut BTreeMap<String, UnknownName>,
    theirs: BTreeMap<String, UnknownName>,
) {
    for (name, seen) in theirs {
        if let Some(known) = ours.get_mut(&name) {
            known.columns += seen.columns;
            known.states = join_options(known.states.take(), seen.states, joined_states);
        } else {
            ours.insert(name, seen);
        }
    }

    while ours.len() > MAX_LISTED {
        ours.pop_last();
    }
}

/// Adds a name to a list of unknown names, and returns whether a name was left out. If the list is
/// full, the last name in order is dropped. Every worker drops that name sooner or later, so the
/// counts of the listed names are complete.
pub(crate) fn add_unknown(
    names: &mut BTreeMap<String, UnknownBlock>,
    name: Cow<'_, str>,
    seen: UnknownBlock,
) -> bool {
    if let Some(known) = names.get_mut(&*name) {
        known.add(seen);
        return false;
    }

    let full = names.len() >= MAX_LISTED;
    if full {
        if names
            .last_key_value()
            .is_some_and(|(last, _)| **last < *name)
        {
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

        let position = |Self {
                            dimension,
                            first: [x, y, z],
                            ..
                        }: &Self| (*dimension, *z, *x, *y);

        if position(&other) < position(self) {
            (self.dimension, self.first) = (other.dimension, other.first);
        }

        self.states = join_options(self.states.take(), other.states, joined_states);
    }
}

fn joined_states(mut one: StoredStates, other: StoredStates) -> StoredStates {
    one.add(other);
    one
}

/// Joins two findings, or returns the only one.
fn join_options<T>(a: Option<T>, b: Option<T>, join: impl FnOnce(T, T) -> T) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(join(a, b)),
        (one, other) => one.or(other),
    }
}

pub(crate) fn add_not_understood(
    a: Option<UnclearChunks>,
    b: Option<UnclearChunks>,
) -> Option<UnclearChunks> {
    join_options(a, b, |a, b| UnclearChunks {
        chunks: a.chunks + b.chunks,
        first: std::cmp::min_by_key(a.first, b.first, |&[x, z]| (z, x)),
    })
}

pub(crate) fn add_newer(a: Option<NewerChunks>, b: Option<NewerChunks>) -> Option<NewerChunks> {
    join_options(a, b, |a, b| NewerChunks {
        chunks: a.chunks + b.chunks,
        data_version: a.data_version.max(b.data_version),
    })
}

/// Returns a warning together with how often it was met, if that was more than once.
pub(crate) fn times(count: u64, what: &str) -> String {
    if count == 1 {
        what.to_owned()
    } else {
        format!("{what} ({count} times)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_add_up_in_any_order() {
        let mut one = ChunkFindings::default();

        let seen = |columns, dimension, first| UnknownBlock {
            columns,
            dimension,
            first,
            states: None,
        };

        one.unknown("mod:ore", seen(3, 0, [5, 60, 0]));
        one.count_newer(6000);
        one.unknown_biome("mod:heath", seen(1, 0, [0, 70, 0]));
        one.not_understood(ChunkPos { x: 3, z: 3 });
        let mut two = ChunkFindings::default();
        two.unknown("mod:ore", seen(2, 0, [9, 70, -4]));
        two.count_newer(7000);
        two.unknown_biome("mod:heath", seen(4, 1, [-1, 80, 0]));
        two.not_understood(ChunkPos { x: 9, z: 2 });

        let (mut forth, mut back) = (one.clone(), two.clone());
        forth.add(two);
        back.add(one);

        assert_eq!(forth.unknown, back.unknown);
        assert_eq!(forth.unknown["mod:ore"], seen(5, 0, [9, 70, -4]));
        assert_eq!(forth.unknown_biomes, back.unknown_biomes);
        assert_eq!(
            forth.unknown_biomes["mod:heath"],
            seen(5, 0, [0, 70, 0]),
            "of the first dimension"
        );

        assert_eq!(forth.not_understood, back.not_understood);
        assert_eq!(
            forth.not_understood,
            Some(UnclearChunks {
                chunks: 2,
                first: [9, 2]
            })
        );

        assert_eq!(
            (forth.newer, back.newer),
            (
                Some(NewerChunks {
                    chunks: 2,
                    data_version: 7000
                }),
                forth.newer
            )
        );
    }

    #[test]
    fn a_full_list_of_names_is_complete() {
        let mut chunk_findings = ChunkFindings::default();
        for number in 0..MAX_LISTED {
            let seen = UnknownBlock {
                columns: 1,
                first: [0, 64, 0],
                ..UnknownBlock::default()
            };
            chunk_findings.unknown(&format!("mod:{number}"), seen);
        }

        assert!(!chunk_findings.more_unknown);
    }
}
