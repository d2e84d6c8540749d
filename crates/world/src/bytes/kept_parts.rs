//! A worker's cache of parts of the inflated blocks of a database. Chunks share blocks, so a block
//! that was inflated for one chunk also has bytes of the chunks that the worker reads next. Only
//! these parts are cached, because whole blocks would need many times the memory.

use std::collections::BTreeMap;

use pixelmap_base::coord::{RegionPos, Slot};

/// The most bytes that the cached parts may use. A row of a full region needs 4.4 MB. With half as
/// many, a dense world inflates each block 1.65 times to draw it instead of 1.15 times.
const MAX_BYTES: usize = 5 << 20;
/// The most regions whose parts are cached. Finding a region searches all of them.
const MAX_REGIONS: usize = 64;
/// The most bytes that a part uses in addition to its own bytes.
const OVERHEAD: usize = 96;
/// A longer buffer is not reused. Only one of a hundred of the game's blocks has more than 172 KiB.
const MAX_BUFFER: usize = 256 << 10;

/// A region of a dimension of an open database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DatabaseRegion {
    /// The database's number in this process.
    pub(crate) database: u64,
    pub(crate) dimension: i32,
    pub(crate) region: RegionPos,
}

/// Identifies a part of a block: its bytes of one chunk of a region. Sorted in the order in which
/// the region's chunks are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PartKey {
    pub(crate) slot: Slot,
    /// The index of the table among the tables of the database.
    pub(crate) table: u32,
    /// The index of the block in the table.
    pub(crate) block: u32,
}

#[derive(Debug, Default)]
pub(crate) struct KeptParts {
    /// The regions in the order in which their parts are evicted. The current region, which is
    /// being read, is last.
    regions: Vec<RegionParts>,
    /// Bytes of all parts together, including their overhead.
    bytes: usize,
    /// A reusable buffer for the next block.
    spare: Vec<u8>,
}

#[derive(Debug)]
struct RegionParts {
    region: DatabaseRegion,
    parts: BTreeMap<PartKey, Box<[u8]>>,
}

impl KeptParts {
    /// Removes and returns a cached part, and makes its region the current one.
    pub(crate) fn take(&mut self, region: DatabaseRegion, key: PartKey) -> Option<Box<[u8]>> {
        if self.regions.last().is_none_or(|last| last.region != region) {
            let current = match self.index(region) {
                Some(index) => self.regions.remove(index),
                None => RegionParts {
                    region,
                    parts: BTreeMap::new(),
                },
            };

            self.regions.retain(|kept| !kept.parts.is_empty());
            self.regions.push(current);
        }

        let part = self.regions.last_mut()?.parts.remove(&key)?;
        self.bytes -= part.len() + OVERHEAD;
        Some(part)
    }

    /// Caches a part if there is room, and makes room if necessary: evicts parts of the regions
    /// before its own, and then parts of its own region that will be read later. A new region is
    /// inserted directly before the current one. The part has `len` bytes, and is copied only if it
    /// is cached.
    pub(crate) fn keep(
        &mut self,
        region: DatabaseRegion,
        key: PartKey,
        len: usize,
        copy: impl FnOnce() -> Box<[u8]>,
    ) {
        let len = len + OVERHEAD;
        if len > MAX_BYTES {
            return;
        }

        let index = self.index(region).unwrap_or_else(|| self.insert(region));
        let before = self.regions[index].parts.remove(&key);
        self.bytes -= before.map_or(0, |before| before.len() + OVERHEAD);

        for kept in &mut self.regions[..=index] {
            while self.bytes + len > MAX_BYTES {
                let Some(last) = kept
                    .parts
                    .last_entry()
                    .filter(|last| kept.region != region || *last.key() > key)
                else {
                    break;
                };
                self.bytes -= last.remove().len() + OVERHEAD;
            }
        }

        if self.bytes + len <= MAX_BYTES {
            self.bytes += len;
            self.regions[index].parts.insert(key, copy());
        }
    }

    fn index(&self, region: DatabaseRegion) -> Option<usize> {
        self.regions.iter().position(|kept| kept.region == region)
    }

    /// Inserts a region directly before the current one. If there are too many regions, evicts the
    /// first.
    fn insert(&mut self, region: DatabaseRegion) -> usize {
        if self.regions.len() == MAX_REGIONS {
            let first = self.regions.remove(0);
            self.bytes -= first
                .parts
                .values()
                .map(|part| part.len() + OVERHEAD)
                .sum::<usize>();
        }

        let index = self.regions.len().saturating_sub(1);
        self.regions.insert(
            index,
            RegionParts {
                region,
                parts: BTreeMap::new(),
            },
        );
        index
    }

    /// Stores a block's buffer for reuse by the next block.
    pub(crate) fn give_back(&mut self, buffer: Vec<u8>) {
        if buffer.capacity() <= MAX_BUFFER && buffer.capacity() > self.spare.capacity() {
            self.spare = buffer;
        }
    }

    /// Returns a buffer of at least `room` bytes.
    pub(crate) fn buffer(&mut self, room: usize) -> Vec<u8> {
        let mut buffer = std::mem::take(&mut self.spare);
        if buffer.len() < room {
            if buffer.capacity() < room {
                buffer = Vec::new();
                buffer.reserve_exact(room);
            }
            buffer.resize(room, 0);
        }

        buffer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEN: usize = MAX_BYTES / 8 - OVERHEAD;

    fn key(row: usize) -> PartKey {
        PartKey {
            slot: Slot::at(0, row),
            table: 0,
            block: 0,
        }
    }

    fn region(x: i32) -> DatabaseRegion {
        DatabaseRegion {
            database: 0,
            dimension: 0,
            region: RegionPos { x, z: 0 },
        }
    }

    /// Caches one part for each of `rows` of a region. The cache has room for eight parts.
    fn keep(kept: &mut KeptParts, x: i32, rows: impl IntoIterator<Item = usize>) {
        for row in rows {
            kept.keep(region(x), key(row), LEN, || vec![1; LEN].into());
            let parts: usize = kept.regions.iter().map(|kept| kept.parts.len()).sum();
            assert!(kept.bytes <= MAX_BYTES && kept.bytes == parts * (LEN + OVERHEAD));
        }
    }

    /// Returns a cache whose current region is 0, after parts of its `rows` were added.
    fn kept(rows: impl IntoIterator<Item = usize>) -> KeptParts {
        let mut kept = KeptParts::default();
        assert!(kept.take(region(0), key(0)).is_none());
        keep(&mut kept, 0, rows);
        kept
    }

    fn rows(kept: &KeptParts, x: i32) -> Vec<usize> {
        let index = kept.index(region(x));
        index.map_or_else(Vec::new, |index| {
            kept.regions[index]
                .parts
                .keys()
                .map(|key| key.slot.z())
                .collect()
        })
    }

    #[test]
    fn parts_needed_last_are_given_up_first() {
        assert_eq!(rows(&kept(0..10), 0), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(rows(&kept((0..10).rev()), 0), [0, 1, 2, 3, 4, 5, 6, 7]);
        // A part that exceeds the limit of the whole cache evicts nothing.
        let mut full = kept(1..9);
        full.keep(region(0), key(9), MAX_BYTES, || {
            unreachable!("it is not copied")
        });
        assert_eq!(rows(&full, 0), [1, 2, 3, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn a_part_is_taken_once() {
        let mut kept = kept(0..8);
        assert!(
            kept.take(region(0), key(3))
                .is_some_and(|part| part.len() == LEN)
        );
        assert!(kept.take(region(0), key(3)).is_none());
        keep(&mut kept, 0, [9, 9]);
        assert_eq!(rows(&kept, 0), [0, 1, 2, 4, 5, 6, 7, 9]);
    }

    #[test]
    fn parts_of_the_current_region_replace_others() {
        let mut kept = kept(0..2);
        keep(&mut kept, 1, 0..4);
        keep(&mut kept, 2, 0..3);
        assert_eq!(
            (rows(&kept, 0), rows(&kept, 1), rows(&kept, 2)),
            (vec![0, 1], vec![0, 1, 2], vec![0, 1, 2])
        );

        // Region 1 was added first and is evicted first. Region 2 evicts nothing of the current
        // region.
        keep(&mut kept, 0, 2..4);
        assert_eq!(
            (rows(&kept, 0), rows(&kept, 1), rows(&kept, 2)),
            (vec![0, 1, 2, 3], vec![0], vec![0, 1, 2])
        );

        keep(&mut kept, 2, 3..9);
        assert_eq!(
            (rows(&kept, 0), rows(&kept, 1), rows(&kept, 2)),
            (vec![0, 1, 2, 3], vec![], vec![0, 1, 2, 3])
        );
        keep(&mut kept, 0, 4..10);
        assert_eq!((rows(&kept, 0), rows(&kept, 2)), ((0..8).collect(), vec![]));
    }

    #[test]
    fn the_current_region_is_given_up_last() {
        let mut kept = kept(0..4);
        keep(&mut kept, 1, 0..4);

        // Region 1 becomes the current one, so region 0 is evicted before it.
        assert!(kept.take(region(1), key(0)).is_some());
        keep(&mut kept, 1, 4..8);
        assert_eq!(
            (rows(&kept, 0), rows(&kept, 1)),
            (vec![0], vec![1, 2, 3, 4, 5, 6, 7])
        );

        // A region at the same position in another database is a different region.
        let other = DatabaseRegion {
            database: 1,
            ..region(1)
        };
        assert!(kept.take(other, key(1)).is_none() && kept.take(region(1), key(1)).is_some());
    }

    #[test]
    fn few_regions_are_kept() {
        let mut kept = kept([]);
        for x in 1..=100 {
            kept.keep(region(x), key(0), 9, || [1; 9].into());
            assert!(kept.regions.len() <= MAX_REGIONS);
        }
        assert_eq!(kept.bytes, (MAX_REGIONS - 1) * (9 + OVERHEAD));
        assert!(rows(&kept, 37).is_empty() && rows(&kept, 38) == [0]);
    }

    #[test]
    fn buffers_are_used_again() {
        let mut kept = KeptParts::default();
        let mut plain = kept.buffer(MAX_BUFFER);
        assert_eq!(plain.len(), MAX_BUFFER);
        plain.truncate(9);
        let index = plain.as_ptr();
        kept.give_back(plain);
        let again = kept.buffer(MAX_BUFFER);
        assert_eq!((again.as_ptr(), again.len()), (index, MAX_BUFFER));

        // A long buffer is not stored.
        kept.give_back(vec![0; MAX_BUFFER + 1]);
        assert!(kept.spare.is_empty());
    }
}
