//! What neighbouring regions ask of each other: the biomes of the last four columns at a border, for tints that blend
//! over it, and the heights of the last one, for relief.
//!
//! A region that was drawn leaves its four sides here. Border chunks that a neighbour had to decode before their own
//! region's turn are kept whole, so that no chunk is decoded twice as long as it stays in the cache. Entries are groups
//! of 4 by 4 regions; the least recently used one goes first, and what is gone is decoded again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Columns, NO_HEIGHT};
use crate::block::BiomeId;
use crate::chunk::Meta;
use crate::coord::{CHUNK_SIDE, REGION_SIDE, RegionPos, Slot};

/// Columns beyond a border that a blended tint reaches.
pub const REACH: usize = 4;

/// A side of a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Border {
    /// Towards smaller z.
    North,
    /// Towards larger z.
    South,
    /// Towards smaller x.
    West,
    /// Towards larger x.
    East,
}

impl Border {
    /// All four, in the order in which a region keeps them.
    pub const ALL: [Self; 4] = [Self::North, Self::South, Self::West, Self::East];

    /// The slots along this side, west to east or north to south.
    pub fn slots(self) -> impl Iterator<Item = Slot> {
        (0..32).map(move |along| match self {
            Self::North => Slot::at(along, 0),
            Self::South => Slot::at(along, 31),
            Self::West => Slot::at(0, along),
            Self::East => Slot::at(31, along),
        })
    }

    /// The column `[z][x]` of a chunk that is `along` the side and `away` from it.
    const fn column(self, along: usize, away: usize) -> usize {
        match self {
            Self::North => away * CHUNK_SIDE + along,
            Self::South => (CHUNK_SIDE - 1 - away) * CHUNK_SIDE + along,
            Self::West => along * CHUNK_SIDE + away,
            Self::East => along * CHUNK_SIDE + (CHUNK_SIDE - 1 - away),
        }
    }

    /// How far along the side a chunk begins, in columns.
    const fn along(self, slot: Slot) -> usize {
        match self {
            Self::North | Self::South => slot.x() * CHUNK_SIDE,
            Self::West | Self::East => slot.z() * CHUNK_SIDE,
        }
    }
}

/// What the columns along one side of a region are for its neighbour.
#[derive(Debug, Clone)]
pub struct Side {
    /// Biomes, `[columns away from the border][along it]`.
    pub biome: [[BiomeId; REGION_SIDE]; REACH],
    /// Heights of the ground in the last column.
    pub ground_y: [i16; REGION_SIDE],
    /// Heights of ground or water in the last column.
    pub top_y: [i16; REGION_SIDE],
}

impl Default for Side {
    fn default() -> Self {
        Self {
            biome: [[BiomeId::NONE; REGION_SIDE]; REACH],
            ground_y: [NO_HEIGHT; REGION_SIDE],
            top_y: [NO_HEIGHT; REGION_SIDE],
        }
    }
}

impl Side {
    /// Takes what a border chunk's columns are for the neighbour.
    pub fn take(&mut self, border: Border, slot: Slot, columns: &Columns) {
        let start = border.along(slot);
        for along in 0..CHUNK_SIDE {
            let last = border.column(along, 0);
            self.ground_y[start + along] = columns.ground_y[last];
            self.top_y[start + along] = columns.top_y[last];
            for away in 0..REACH {
                self.biome[away][start + along] = columns.biome[border.column(along, away)];
            }
        }
    }
}

/// What surrounds a region.
#[derive(Debug, Clone, Default)]
pub struct Frame {
    /// The neighbours' sides that touch the region, in the order of [`Border::ALL`]: the first is the southern side of
    /// the northern neighbour.
    pub sides: [Side; 4],
    /// Biomes of the corners (north-west, north-east, south-west, south-east), `[z][x]` as they lie on the map.
    pub corners: [[[BiomeId; REACH]; REACH]; 4],
}

impl Frame {
    /// Empties the frame.
    pub fn clear(&mut self) {
        self.sides.iter_mut().for_each(|side| *side = Side::default());
        self.corners = Default::default();
    }

    /// Takes corner (`east`, `south`) from the chunk that touches the region there with its opposite corner.
    pub fn take_corner(&mut self, east: bool, south: bool, columns: &Columns) {
        let corner = &mut self.corners[usize::from(south) << 1 | usize::from(east)];
        for (z, row) in corner.iter_mut().enumerate() {
            for (x, biome) in row.iter_mut().enumerate() {
                let x = if east { x } else { CHUNK_SIDE - REACH + x };
                let z = if south { z } else { CHUNK_SIDE - REACH + z };
                *biome = columns.biome[z * CHUNK_SIDE + x];
            }
        }
    }

    /// Takes corner (`east`, `south`) from the kept sides of the region there.
    pub fn take_corner_of(&mut self, east: bool, south: bool, sides: &[Side; 4]) {
        // The region there touches this one with its side towards it, at that side's near end.
        let side = &sides[usize::from(!south)];
        let corner = &mut self.corners[usize::from(south) << 1 | usize::from(east)];
        for (z, row) in corner.iter_mut().enumerate() {
            let away = if south { z } else { REACH - 1 - z };
            for (x, biome) in row.iter_mut().enumerate() {
                let along = if east { x } else { REGION_SIDE - REACH + x };
                *biome = side.biome[away][along];
            }
        }
    }
}

/// What is kept of one region.
#[derive(Debug, Default)]
pub struct Kept {
    /// Its four sides in the order of [`Border::ALL`], once it was drawn.
    pub sides: Option<Box<[Side; 4]>>,
    /// Border chunks that were decoded before the region's turn; `None`: nothing is to be seen of the chunk.
    pub ahead: HashMap<Slot, Option<Box<(Columns, Meta)>>>,
}

/// An entry of the cache is a group of 4 by 4 regions.
const GROUP_BITS: u32 = 2;

type Group = [Mutex<Kept>; 1 << (2 * GROUP_BITS)];
type Key = (usize, i32, i32);

#[derive(Default)]
struct Entries {
    used: u64,
    groups: Vec<(Key, u64, Arc<Group>)>,
}

/// A bounded cache of borders, shared by the workers.
pub struct EdgeCache {
    capacity: usize,
    entries: Mutex<Entries>,
}

impl std::fmt::Debug for EdgeCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EdgeCache").field("capacity", &self.capacity).finish_non_exhaustive()
    }
}

impl EdgeCache {
    /// A cache of `capacity` groups of regions.
    pub fn new(capacity: usize) -> Self {
        Self { capacity: capacity.max(1), entries: Mutex::default() }
    }

    /// Looks at, or changes, what is kept of a region of dimension `dimension`.
    pub fn with<T>(&self, dimension: usize, region: RegionPos, look: impl FnOnce(&mut Kept) -> T) -> T {
        let ((x, z), index) = region.group(GROUP_BITS);
        let group = self.group((dimension, x, z));
        let mut kept = group[index].lock().unwrap_or_else(PoisonError::into_inner);
        look(&mut kept)
    }

    /// Marks the group of a region as used, so that others go before it.
    pub fn touch(&self, dimension: usize, region: RegionPos) {
        let ((x, z), _) = region.group(GROUP_BITS);
        self.group((dimension, x, z));
    }

    fn group(&self, key: Key) -> Arc<Group> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.used += 1;
        let now = entries.used;
        if let Some(entry) = entries.groups.iter_mut().find(|entry| entry.0 == key) {
            entry.1 = now;
            return entry.2.clone();
        }
        if entries.groups.len() >= self.capacity {
            let oldest = entries.groups.iter().enumerate().min_by_key(|(_, entry)| entry.1).map(|(at, _)| at);
            if let Some(oldest) = oldest {
                entries.groups.swap_remove(oldest);
            }
        }
        let group = Arc::new(Group::default());
        entries.groups.push((key, now, group.clone()));
        group
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(seed: i16) -> Columns {
        let mut columns = Columns::default();
        for (column, y) in columns.top_y.iter_mut().enumerate() {
            *y = seed + column as i16;
        }
        columns
    }

    #[test]
    fn a_side_runs_along_the_border() {
        let mut side = Side::default();
        side.take(Border::South, Slot::at(2, 31), &chunk(1000));
        assert_eq!(side.top_y[32..48], std::array::from_fn::<i16, 16, _>(|x| 1000 + 240 + x as i16));
        side.take(Border::East, Slot::at(31, 3), &chunk(0));
        assert_eq!(side.top_y[48..64], std::array::from_fn::<i16, 16, _>(|z| z as i16 * 16 + 15));
        assert_eq!(side.top_y[64], NO_HEIGHT);
    }

    #[test]
    fn the_least_recently_used_group_goes_first() {
        let cache = EdgeCache::new(2);
        let region = |x| RegionPos { x, z: 0 };
        let mark = |x| cache.with(0, region(x), |kept| kept.sides = Some(Box::default()));
        let marked = |x| cache.with(0, region(x), |kept| kept.sides.is_some());
        mark(0);
        mark(4);
        assert!(marked(0) && marked(4) && marked(0));
        mark(8);
        assert!(marked(0), "used last");
        assert!(!marked(4), "used before that");
        assert!(!cache.with(1, region(0), |kept| kept.sides.is_some()), "another dimension");
    }
}
