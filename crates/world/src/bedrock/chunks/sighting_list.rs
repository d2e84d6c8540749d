//! Stores many sightings in few bytes, because a database may have millions of them and later runs
//! read them from a file.
//!
//! A list has one group per block: the block's number, its stored length, the number of its
//! sightings, and the sightings. All numbers have the form of [`fields::number`]. The sightings of
//! a block are in the order of their keys, and each is stored as the difference from the previous
//! one.

use super::block_ref::BlockRef;
use super::sighting::{KeyState, Sighting};
use crate::bedrock::leveldb::fields::{self, put_number};
use pixelmap_base::coord::ChunkPos;

/// Bits of the first byte of a sighting.
const HAS_BLOCKS: u8 = 1;
const HAS_TERRAIN: u8 = 2;

/// The sightings in the blocks of a table, in the order of the blocks.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct SightingList {
    bytes: Vec<u8>,
    count: usize,
}

/// Collects the sightings of one block until all of them are known.
#[derive(Debug)]
pub(crate) struct SightingGroup {
    bytes: Vec<u8>,
    count: usize,
    last: Sighting,
}

impl SightingGroup {
    pub(crate) fn new() -> Self {
        Self {
            bytes: Vec::new(),
            count: 0,
            last: NOTHING,
        }
    }

    /// Adds a sighting. It takes fewer bytes the more it resembles the previous one.
    pub(crate) fn add(&mut self, sighting: &Sighting) {
        let Self { bytes, last, .. } = self;
        let Sighting {
            dimension,
            chunk,
            newest,
            written,
            versions,
            has_blocks,
            has_terrain,
            ..
        } = *sighting;
        bytes.push((u8::from(has_blocks) * HAS_BLOCKS) | (u8::from(has_terrain) * HAS_TERRAIN));

        put_difference(bytes, last.dimension.into(), dimension.into());
        put_difference(bytes, last.chunk.x.into(), chunk.x.into());
        put_difference(bytes, last.chunk.z.into(), chunk.z.into());
        put_difference(bytes, last.newest as i64, newest as i64);
        put_number(bytes, newest.wrapping_sub(written));

        for version in versions {
            put_number(bytes, version.age(newest));
        }

        self.count += 1;
        self.last = *sighting;
    }

    /// Discards all added sightings.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.count = 0;
        self.last = NOTHING;
    }
}

impl SightingList {
    /// Makes a list from the result of [`SightingList::bytes`].
    pub(crate) fn from_bytes(bytes: Vec<u8>) -> Self {
        let mut list = Self { bytes, count: 0 };
        let mut count = 0;
        list.visit(0, |_| count += 1);
        list.count = count;
        list
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the number of sightings.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Adds the sightings of a block of `stored_len` bytes, and empties the group.
    pub(crate) fn add_group(&mut self, block: u32, stored_len: u32, group: &mut SightingGroup) {
        if group.count > 0 {
            for number in [u64::from(block), u64::from(stored_len), group.count as u64] {
                put_number(&mut self.bytes, number);
            }
            self.bytes.extend_from_slice(&group.bytes);
            self.count += group.count;
            group.clear();
        }
    }

    /// Appends a list of later blocks.
    pub(crate) fn append(&mut self, other: Self) {
        if self.count == 0 {
            *self = other;
        } else {
            self.bytes.extend_from_slice(&other.bytes);
            self.count += other.count;
        }
    }

    pub(crate) fn shrink(&mut self) {
        self.bytes.shrink_to_fit();
    }

    /// Calls `visit` with all sightings, as sightings in the table with this number.
    pub(crate) fn visit(&self, table: u32, mut visit: impl FnMut(Sighting)) {
        let mut rest = &*self.bytes;
        while let Some((block, stored_len, count)) = take_head(&mut rest) {
            let mut last = NOTHING;
            for _ in 0..count {
                let Some(next) = take_sighting(&mut rest, &last) else {
                    return;
                };

                last = next;
                visit(Sighting {
                    block: BlockRef { table, block },
                    bytes: stored_len / count,
                    ..next
                });
            }
        }
    }
}

/// The base for the differences of the first sighting of each block.
const NOTHING: Sighting = Sighting::new(BlockRef::LOGS, 0, ChunkPos { x: 0, z: 0 });

/// Reads the head of a group: the block's number, its stored length, and the number of its
/// sightings.
fn take_head(bytes: &mut &[u8]) -> Option<(u32, u32, u32)> {
    let [block, stored_len, count] = [
        fields::number(bytes)?,
        fields::number(bytes)?,
        fields::number(bytes)?,
    ];
    Some((block as u32, stored_len as u32, count as u32))
}

/// Reads the sighting that follows `last`. Its block and its bytes are not set; they depend on the
/// whole group.
fn take_sighting(bytes: &mut &[u8], last: &Sighting) -> Option<Sighting> {
    let [bits] = fields::array(bytes)?;
    let dimension = take_difference(bytes, last.dimension.into())? as i32;
    let x = take_difference(bytes, last.chunk.x.into())? as i32;
    let z = take_difference(bytes, last.chunk.z.into())? as i32;

    let newest = take_difference(bytes, last.newest as i64)? as u64;
    let written = newest.wrapping_sub(fields::number(bytes)?);
    let versions =
        [fields::number(bytes)?, fields::number(bytes)?].map(|age| KeyState::from_age(age, newest));
    Some(Sighting {
        newest,
        written,
        versions,
        has_blocks: bits & HAS_BLOCKS != 0,
        has_terrain: bits & HAS_TERRAIN != 0,
        ..Sighting::new(last.block, dimension, ChunkPos { x, z })
    })
}

/// Writes the difference from `from` to `to`, with its sign in the lowest bit, so that small
/// differences take few bytes.
fn put_difference(bytes: &mut Vec<u8>, from: i64, to: i64) {
    let difference = to.wrapping_sub(from);
    put_number(bytes, (difference << 1 ^ difference >> 63) as u64);
}

/// Reads the bytes that [`put_difference`] wrote, and returns `to`.
fn take_difference(bytes: &mut &[u8], from: i64) -> Option<i64> {
    let number = fields::number(bytes)?;
    Some(from.wrapping_add((number >> 1) as i64 ^ -((number & 1) as i64)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::tag;

    #[test]
    fn sightings_are_read_as_they_were_written() {
        let mut list = SightingList::default();
        let mut group = SightingGroup::new();
        let mut expected = Vec::new();
        for (block, chunks) in [
            (3, &[(-2, -1, i32::MIN), (0, i32::MAX, 5)][..]),
            (9, &[(0, 7, 8)]),
            (10, &[]),
        ] {
            for &(dimension, x, z) in chunks {
                let mut sighting =
                    Sighting::new(BlockRef { table: 7, block }, dimension, ChunkPos { x, z });
                sighting.add(tag::VERSION, KeyState::new((1 << 56) - 1, true));
                sighting.add(tag::LEGACY_VERSION, KeyState::new(5, false));
                sighting.add(tag::SECTION, KeyState::new(6, x > 0));
                sighting.bytes = 99 / chunks.len() as u32;
                group.add(&sighting);
                expected.push(format!("{sighting:?}"));
            }

            list.add_group(block, 99, &mut group);
        }

        let read = SightingList::from_bytes(list.bytes().to_vec());
        let mut found = Vec::new();
        read.visit(7, |sighting| found.push(format!("{sighting:?}")));
        assert_eq!((found, read.len()), (expected, 3));
    }

    #[test]
    fn a_repeated_chunk_takes_few_bytes() {
        let mut group = SightingGroup::new();
        for (x, sequence) in [(1000, 5_000_000), (1001, 5_000_003), (1257, 5_000_001)] {
            let mut sighting =
                Sighting::new(BlockRef { table: 0, block: 0 }, 0, ChunkPos { x, z: -70 });
            sighting.add(tag::SECTION, KeyState::new(sequence, true));
            sighting.add(tag::VERSION, KeyState::new(sequence + 1, true));
            group.add(&sighting);
        }

        assert!(group.bytes.len() < 40, "{}", group.bytes.len());
    }
}
