//! Caches the borders of regions, which neighbouring regions need: the biomes of the last four
//! columns, for tints that blend over the border, and their heights, for relief.
//!
//! A region's job adds each of its border chunks as soon as it has read it. A border chunk that a
//! neighbour had to decode earlier is kept whole, so that no chunk is decoded twice while it is in
//! the cache. Entries are groups of 2 by 2 regions. The least recently used group is dropped first,
//! and its chunks are decoded again if a region needs them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::surface::columns::{Columns, NO_HEIGHT};
use pixelmap_base::coord::{CHUNK_SIDE, REGION_CHUNKS, REGION_SIDE, RegionPos, Slot};
use pixelmap_base::mutex;
use pixelmap_base::recent::RecentValues;
use pixelmap_world::names::BiomeId;

/// The number of columns beyond a border that blended tints and relief need.
pub const REACH: usize = 4;

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
    /// All four sides, in the order in which a region keeps them.
    pub const ALL: [Self; 4] = [Self::North, Self::South, Self::West, Self::East];

    /// Returns the slots along this side, from west to east or from north to south.
    pub fn slots(self) -> impl Iterator<Item = Slot> {
        let last = REGION_CHUNKS - 1;
        (0..REGION_CHUNKS).map(move |along| match self {
            Self::North => Slot::at(along, 0),
            Self::South => Slot::at(along, last),
            Self::West => Slot::at(0, along),
            Self::East => Slot::at(last, along),
        })
    }

    /// Returns the column (`[z][x]`) of a chunk at a distance `along` the side and `away` from it.
    const fn column(self, along: usize, away: usize) -> usize {
        match self {
            Self::North => away * CHUNK_SIDE + along,
            Self::South => (CHUNK_SIDE - 1 - away) * CHUNK_SIDE + along,
            Self::West => along * CHUNK_SIDE + away,
            Self::East => along * CHUNK_SIDE + (CHUNK_SIDE - 1 - away),
        }
    }

    /// Returns the distance of a chunk along the side, in chunks.
    const fn offset_along(self, slot: Slot) -> usize {
        match self {
            Self::North | Self::South => slot.x(),
            Self::West | Self::East => slot.z(),
        }
    }

    /// Returns whether a slot is on this side.
    const fn has(self, slot: Slot) -> bool {
        let last = REGION_CHUNKS - 1;
        match self {
            Self::North => slot.z() == 0,
            Self::South => slot.z() == last,
            Self::West => slot.x() == 0,
            Self::East => slot.x() == last,
        }
    }
}

/// Heights along one side of a region, `[columns away from the border][along it]`.
#[derive(Debug, Clone)]
pub struct BorderHeights {
    /// Heights of the ground.
    pub ground_y: [[i16; REGION_SIDE]; REACH],
    /// Heights of the ground or of the water's surface.
    pub top_y: [[i16; REGION_SIDE]; REACH],
}

impl Default for BorderHeights {
    fn default() -> Self {
        Self {
            ground_y: [[NO_HEIGHT; REGION_SIDE]; REACH],
            top_y: [[NO_HEIGHT; REGION_SIDE]; REACH],
        }
    }
}

impl BorderHeights {
    /// Copies the heights of a chunk on the border.
    pub fn copy(&mut self, border: Border, slot: Slot, columns: &Columns) {
        let start = border.offset_along(slot) * CHUNK_SIDE;
        if columns.is_clear() {
            for heights in self.ground_y.iter_mut().chain(&mut self.top_y) {
                heights[start..][..CHUNK_SIDE].fill(NO_HEIGHT);
            }
            return;
        }

        for away in 0..REACH {
            let first = border.column(0, away);
            let step = border.column(1, away) - first;
            for (to, from) in [
                (&mut self.ground_y, &columns.ground_y),
                (&mut self.top_y, &columns.top_y),
            ] {
                let to = &mut to[away][start..][..CHUNK_SIDE];
                if step == 1 {
                    to.copy_from_slice(&from[first..][..CHUNK_SIDE]);
                } else {
                    to.iter_mut()
                        .zip(from[first..].iter().step_by(step))
                        .for_each(|(to, y)| *to = *y);
                }
            }
        }
    }
}

/// The columns along one side of a region that its neighbour needs.
#[derive(Debug, Clone)]
pub struct SideColumns {
    /// Biomes, `[columns away from the border][along it]`.
    pub biome: [[BiomeId; REGION_SIDE]; REACH],
    /// Heights, for relief.
    pub heights: BorderHeights,
    /// The hashes of the chunks along the border: see [`Columns::hash`].
    pub hashes: [u64; REGION_CHUNKS],
}

impl Default for SideColumns {
    fn default() -> Self {
        Self {
            biome: [[BiomeId::NONE; REGION_SIDE]; REACH],
            heights: BorderHeights::default(),
            hashes: [0; REGION_CHUNKS],
        }
    }
}

impl SideColumns {
    /// Copies the columns of a border chunk.
    pub fn copy(&mut self, border: Border, slot: Slot, columns: &Columns) {
        self.hashes[border.offset_along(slot)] = columns.hash;
        self.heights.copy(border, slot, columns);

        let start = border.offset_along(slot) * CHUNK_SIDE;
        if columns.is_clear() {
            self.biome
                .iter_mut()
                .for_each(|biomes| biomes[start..][..CHUNK_SIDE].fill(BiomeId::NONE));
            return;
        }

        for along in 0..CHUNK_SIDE {
            for away in 0..REACH {
                self.biome[away][start + along] = columns.biome[border.column(along, away)];
            }
        }
    }

    /// Copies one border chunk's part of `other`.
    fn copy_part(&mut self, border: Border, slot: Slot, other: &Self) {
        self.hashes[border.offset_along(slot)] = other.hashes[border.offset_along(slot)];
        let start = border.offset_along(slot) * CHUNK_SIDE;
        let part = start..start + CHUNK_SIDE;
        let heights = &mut self.heights;
        let others = &other.heights;
        for away in 0..REACH {
            self.biome[away][part.clone()].copy_from_slice(&other.biome[away][part.clone()]);
            heights.ground_y[away][part.clone()]
                .copy_from_slice(&others.ground_y[away][part.clone()]);
            heights.top_y[away][part.clone()].copy_from_slice(&others.top_y[away][part.clone()]);
        }
    }
}

#[derive(Debug, Clone, Default)]
pub struct RegionFrame {
    /// The neighbours' sides that touch the region, in the order of [`Border::ALL`]. So the first
    /// one is the southern side of the northern neighbour.
    pub sides: [SideColumns; 4],
    /// Biomes of the corners (north-west, north-east, south-west, south-east), `[z][x]` as on the
    /// map.
    pub corners: [[[BiomeId; REACH]; REACH]; 4],
    /// The hashes of the chunks in the corners: see [`Columns::hash`].
    pub corner_hashes: [u64; 4],
}

impl RegionFrame {
    pub fn clear(&mut self) {
        self.sides
            .iter_mut()
            .for_each(|side| *side = SideColumns::default());
        (self.corners, self.corner_hashes) = Default::default();
    }

    /// Sets the hash of an undrawn chunk of side `side`. The chunk touches the region with its
    /// `border`.
    pub fn set_side_hash(&mut self, side: usize, border: Border, slot: Slot, hash: u64) {
        self.sides[side].hashes[border.offset_along(slot)] = hash;
    }

    /// Sets the hash of the undrawn chunk in corner (`east`, `south`).
    pub fn set_corner_hash(&mut self, east: bool, south: bool, hash: u64) {
        self.corner_hashes[corner(east, south)] = hash;
    }

    /// Copies corner (`east`, `south`) from the chunk that touches the region there with its
    /// opposite corner.
    pub fn copy_corner(&mut self, east: bool, south: bool, columns: &Columns) {
        self.corner_hashes[corner(east, south)] = columns.hash;
        for (z, row) in self.corners[corner(east, south)].iter_mut().enumerate() {
            for (x, biome) in row.iter_mut().enumerate() {
                let x = if east { x } else { CHUNK_SIDE - REACH + x };
                let z = if south { z } else { CHUNK_SIDE - REACH + z };
                *biome = columns.biome[z * CHUNK_SIDE + x];
            }
        }
    }

    /// Copies one chunk of side `side` from the cached sides of the region there, which touches
    /// this one with its `border`.
    pub fn copy_cached_side(
        &mut self,
        side: usize,
        border: Border,
        slot: Slot,
        sides: &[SideColumns; 4],
    ) {
        self.sides[side].copy_part(border, slot, &sides[border as usize]);
    }

    /// Copies corner (`east`, `south`) from the cached sides of the region there.
    pub fn copy_cached_corner(&mut self, east: bool, south: bool, sides: &[SideColumns; 4]) {
        // The diagonal neighbour's side that is nearer to this region contains the corner, at the
        // end of the side that is nearer.
        let side = &sides[usize::from(!south)];
        self.corner_hashes[corner(east, south)] =
            side.hashes[if east { 0 } else { REGION_CHUNKS - 1 }];
        for (z, row) in self.corners[corner(east, south)].iter_mut().enumerate() {
            let away = if south { z } else { REACH - 1 - z };
            for (x, biome) in row.iter_mut().enumerate() {
                let along = if east { x } else { REGION_SIDE - REACH + x };
                *biome = side.biome[away][along];
            }
        }
    }
}

/// Returns the index of corner (`east`, `south`) in a frame.
const fn corner(east: bool, south: bool) -> usize {
    (south as usize) << 1 | east as usize
}

/// A border chunk that a neighbour decoded before its own region's turn: its columns, and the other
/// facts that its region needs. An error means that the chunk is not drawn, and contains the
/// chunk's hash (see [`Columns::hash`]).
pub type DecodedChunk<T> = Result<Box<(Columns, T)>, u64>;

/// Slots on the border of a region: one bit per slot of each side, in the order of [`Border::ALL`].
#[derive(Debug, Default)]
struct SideSlots([u32; 4]);

impl SideSlots {
    fn has(&self, slot: Slot) -> bool {
        let mut sides = Border::ALL.into_iter().zip(self.0);
        sides.any(|(border, slots)| border.has(slot) && slots >> border.offset_along(slot) & 1 != 0)
    }

    fn insert(&mut self, side: Border, slot: Slot) {
        self.0[side as usize] |= 1 << side.offset_along(slot);
    }
}

/// The part of one region's border that has been read so far.
#[derive(Debug)]
pub struct CachedBorder<T> {
    /// The four sides in the order of [`Border::ALL`], with the chunks that the region's own job
    /// has read so far.
    sides: Option<Box<[SideColumns; 4]>>,
    /// The chunks of each side that the region's own job has read, one bit per chunk.
    read: SideSlots,
    /// The slots of each side in which a neighbour found no chunk.
    empty: SideSlots,
    /// Chunks that neighbours decoded, each with the state that the file had at that time.
    decoded: HashMap<Slot, (u64, DecodedChunk<T>)>,
}

#[derive(Debug)]
pub enum CachedChunk<'a> {
    /// The region's own job has read the chunk. It is part of these sides, which are in the order
    /// of [`Border::ALL`].
    Read(&'a [SideColumns; 4]),
    /// A neighbour has decoded the chunk. An error is the hash of a chunk that is not drawn.
    Decoded(Result<&'a Columns, u64>),
    /// A neighbour found no chunk in the slot.
    Empty,
    Missing,
}

impl<T> Default for CachedBorder<T> {
    fn default() -> Self {
        Self {
            sides: None,
            read: SideSlots::default(),
            empty: SideSlots::default(),
            decoded: HashMap::new(),
        }
    }
}

impl<T> CachedBorder<T> {
    pub fn chunk(&self, slot: Slot) -> CachedChunk<'_> {
        match &self.sides {
            Some(sides) if self.read.has(slot) => CachedChunk::Read(sides),
            _ if self.empty.has(slot) => CachedChunk::Empty,
            _ => {
                let Some((_, decoded)) = self.decoded.get(&slot) else {
                    return CachedChunk::Missing;
                };
                CachedChunk::Decoded(
                    decoded
                        .as_ref()
                        .map(|decoded| &decoded.0)
                        .map_err(|&hash| hash),
                )
            }
        }
    }

    /// Notes the empty slots on the border, so that the file of a region with few chunks is not
    /// opened again for each of its neighbours.
    pub fn note_empty(&mut self, is_empty: impl Fn(Slot) -> bool) {
        for side in Border::ALL {
            side.slots()
                .filter(|&slot| is_empty(slot))
                .for_each(|slot| self.empty.insert(side, slot));
        }
    }

    /// Removes and returns a chunk that a neighbour decoded. Returns `None` if the chunk is
    /// missing, or if the file had another `state` when it was decoded.
    pub fn take(&mut self, slot: Slot, state: u64) -> Option<DecodedChunk<T>> {
        if self.decoded.is_empty() {
            return None;
        }
        self.decoded
            .remove(&slot)
            .filter(|(then, _)| *then == state)
            .map(|(_, decoded)| decoded)
    }

    /// Keeps a chunk that a neighbour decoded from a file in this `state`. Does nothing if the
    /// region's own job has read the chunk meanwhile.
    pub fn put(&mut self, slot: Slot, state: u64, decoded: DecodedChunk<T>) {
        if !self.read.has(slot) {
            self.decoded.insert(slot, (state, decoded));
        }
    }

    /// Adds a chunk that the region's own job has read, if it is on the border.
    pub fn add(&mut self, slot: Slot, columns: &Columns) {
        // New sides are clear.
        let is_there = columns.is_clear() && columns.hash == 0 && !self.read.has(slot);
        for (at, border) in Border::ALL
            .into_iter()
            .enumerate()
            .filter(|(_, border)| border.has(slot))
        {
            let sides = self.sides.get_or_insert_default();
            if !is_there {
                sides[at].copy(border, slot, columns);
            }
            self.read.insert(border, slot);
        }

        // We skip empty maps, because looking for a slot costs a hash even there.
        if !self.decoded.is_empty() {
            self.decoded.remove(&slot);
        }
    }
}

/// An entry of the cache is a group of 2 by 2 regions: each side has two to the power of this
/// number of regions. Larger groups would keep borders that no region needs any more, in the place
/// of others that a region still needs.
const GROUP_BITS: u32 = 1;
/// The number of groups per worker.
const GROUPS_A_WORKER: usize = 4;
/// The least number of groups. Around the origin, where most worlds are, they hold the borders of a
/// group of the plan until the groups next to it are drawn.
const MIN_GROUPS: usize = 12;

type RegionGroup<T> = [Mutex<CachedBorder<T>>; 1 << (2 * GROUP_BITS)];
/// The dimension, and the x and z of a group.
type GroupKey = (usize, i32, i32);

/// A cache of borders with a limited size, which the workers share.
#[derive(Debug)]
pub struct EdgeCache<T> {
    groups: Mutex<RecentValues<GroupKey, RegionGroup<T>>>,
}

/// The border of one region. While such a value exists, its group is dropped only if all other
/// groups are in use as well.
#[derive(Debug)]
pub struct RegionEdges<T> {
    group: Arc<RegionGroup<T>>,
    index: usize,
}

impl<T> RegionEdges<T> {
    pub fn lock(&self) -> MutexGuard<'_, CachedBorder<T>> {
        mutex::lock(&self.group[self.index])
    }
}

impl<T> EdgeCache<T> {
    /// Makes an empty cache for this number of workers.
    pub fn new(workers: usize) -> Self {
        let capacity = ((workers + 1) * GROUPS_A_WORKER).max(MIN_GROUPS);
        Self {
            groups: Mutex::new(RecentValues::new(capacity)),
        }
    }

    /// Returns the border of a region of dimension `dimension`. Adds an empty one if it is not in
    /// the cache.
    pub fn border(&self, dimension: usize, region: RegionPos) -> RegionEdges<T> {
        let ((x, z), index) = region.group(GROUP_BITS);
        RegionEdges {
            group: self.group((dimension, x, z)),
            index,
        }
    }

    fn group(&self, key: GroupKey) -> Arc<RegionGroup<T>> {
        let mut groups = mutex::lock(&self.groups);
        if let Some(group) = groups.get(&key) {
            return group;
        }

        let group: Arc<RegionGroup<T>> = Arc::default();
        let evicted = groups.put(key, group.clone());

        // The old group is dropped after unlocking, because a group can hold thousands of chunks'
        // columns and freeing them takes time.
        drop(groups);
        drop(evicted);

        group
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::columns::SavedFacts;

    fn chunk(seed: i16) -> Columns {
        let mut columns = Columns {
            saved: Some(SavedFacts::default()),
            ..Columns::default()
        };
        for (column, y) in columns.top_y.iter_mut().enumerate() {
            *y = seed + column as i16;
        }
        columns
    }

    #[test]
    fn a_side_runs_along_the_border() {
        let mut side = SideColumns::default();
        side.copy(Border::South, Slot::at(2, 31), &chunk(1000));

        for (away, heights) in side.heights.top_y.iter().enumerate() {
            let row = 1000 + 240 - 16 * away as i16;
            assert_eq!(
                heights[32..48],
                std::array::from_fn::<i16, 16, _>(|x| row + x as i16),
                "{away} columns away"
            );
        }

        side.copy(Border::East, Slot::at(31, 3), &chunk(0));
        assert_eq!(
            side.heights.top_y[0][48..64],
            std::array::from_fn::<i16, 16, _>(|z| z as i16 * 16 + 15)
        );
        assert_eq!(side.heights.top_y[0][64], NO_HEIGHT);
    }

    #[test]
    fn chunks_are_cached_as_soon_as_read() {
        let mut border = CachedBorder::<()>::default();
        let corner = Slot::at(31, 31);
        assert!(matches!(border.chunk(corner), CachedChunk::Missing));
        border.put(corner, 1, Err(7));
        assert!(matches!(border.chunk(corner), CachedChunk::Decoded(Err(7))));

        border.add(corner, &chunk(500));
        assert!(
            border.take(corner, 1).is_none(),
            "the decoded chunk is not kept beside it"
        );

        border.put(corner, 1, Err(7));
        let CachedChunk::Read(sides) = border.chunk(corner) else {
            panic!("{:?}", border.chunk(corner))
        };

        let mut frame = RegionFrame::default();
        frame.copy_cached_side(0, Border::South, corner, sides);
        assert_eq!(
            frame.sides[0].heights.top_y[0][496..],
            std::array::from_fn::<i16, 16, _>(|x| 500 + 240 + x as i16)
        );

        assert_eq!(
            frame.sides[0].heights.top_y[3][496..],
            std::array::from_fn::<i16, 16, _>(|x| 500 + 192 + x as i16)
        );

        assert_eq!(frame.sides[0].heights.top_y[0][495], NO_HEIGHT);
        assert!(
            matches!(border.chunk(Slot::at(31, 30)), CachedChunk::Missing),
            "its neighbour on the same side"
        );

        border.add(Slot::at(5, 5), &chunk(0));
        assert!(
            matches!(border.chunk(Slot::at(5, 5)), CachedChunk::Missing),
            "inside the region"
        );
    }

    #[test]
    fn decoded_chunks_outlast_a_row_of_regions() {
        let (cache, slot) = (EdgeCache::<()>::new(1), Slot::at(31, 31));
        let west = || cache.border(0, RegionPos { x: -1, z: 0 });
        west().lock().put(slot, 1, Err(7));

        // A worker draws ten regions towards the east, and each needs its neighbours to the north
        // and south.
        for (x, z) in (0..10).flat_map(|x| (-1..=1).map(move |z| (x, z))) {
            cache.border(0, RegionPos { x, z });
        }

        assert!(west().lock().take(slot, 1).is_some());
    }

    #[test]
    fn noted_slots_are_empty_until_read() {
        let mut border = CachedBorder::<()>::default();
        let [corner, other] = [Slot::at(31, 31), Slot::at(31, 30)];
        border.note_empty(|slot| slot != other);
        assert!(matches!(border.chunk(corner), CachedChunk::Empty));
        assert!(matches!(border.chunk(other), CachedChunk::Missing));
        border.add(corner, &chunk(500));
        let CachedChunk::Read(sides) = border.chunk(corner) else {
            panic!("{:?}", border.chunk(corner))
        };

        assert_eq!(
            sides[Border::South as usize].heights.top_y[0][511],
            500 + 255
        );
        border.add(corner, &Columns::default());
        let CachedChunk::Read(sides) = border.chunk(corner) else {
            panic!("{:?}", border.chunk(corner))
        };

        assert_eq!(
            sides[Border::South as usize].heights.top_y[0][511],
            NO_HEIGHT,
            "a chunk that has gone"
        );
    }

    #[test]
    fn chunks_of_a_changed_file_are_not_taken() {
        let (mut border, slot) = (CachedBorder::<()>::default(), Slot::at(31, 31));
        border.put(slot, 1, Err(7));
        assert!(border.take(slot, 2).is_none());
        border.put(slot, 2, Err(7));
        assert!(border.take(slot, 2).is_some());
    }

    #[test]
    fn a_missing_chunk_replaces_the_cached_one() {
        let slot = Slot::at(2, 31);
        let mut side = SideColumns::default();
        side.copy(Border::South, slot, &chunk(1000));
        let missing = Columns {
            hash: 7,
            ..Columns::default()
        };
        side.copy(Border::South, slot, &missing);

        let blank = SideColumns::default();
        assert_eq!(
            (side.biome, side.heights.ground_y),
            (blank.biome, blank.heights.ground_y)
        );
        assert_eq!(
            (side.heights.top_y, side.hashes[2]),
            (blank.heights.top_y, 7)
        );
    }
}
