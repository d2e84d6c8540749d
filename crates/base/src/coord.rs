//! Positions of columns, chunks, regions and tiles, zoom levels and areas.
//!
//! This is the only place with the numbers 16, 32 and 512 and the shifts between them. Everything
//! is in blocks, chunks, regions or tiles, with x growing east and z growing south, as in the game.
//! Tiles are counted like regions: the tile (17, x, y) *is* region `r.x.y`, and each level further
//! out halves both numbers, rounding down.

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

pub const CHUNK_SIDE: usize = 16;
pub const CHUNK_AREA: usize = CHUNK_SIDE * CHUNK_SIDE;
pub const REGION_CHUNKS: usize = 32;
pub const REGION_SLOTS: usize = REGION_CHUNKS * REGION_CHUNKS;
pub const REGION_SIDE: usize = CHUNK_SIDE * REGION_CHUNKS;
/// The width of a tile in pixels. It equals the width of a region in blocks, because a region is
/// exactly one native tile.
pub const TILE_SIDE: usize = REGION_SIDE;
/// The zoom level at which one pixel is one block.
pub const NATIVE_ZOOM: u8 = 17;
/// The innermost zoom level, at which a block is 16 pixels wide.
pub const INNER_ZOOM: u8 = 21;
/// The outermost zoom level: the whole possible world in four tiles.
pub const OUTER_ZOOM: u8 = 1;
/// Regions beyond this distance from the origin are not drawn, because they do not fit into the
/// four tiles of level 1.
pub const REGION_LIMIT: i32 = 1 << (NATIVE_ZOOM - 1);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ColumnPos {
    /// Blocks east of the origin.
    pub x: i32,
    /// Blocks south of the origin.
    pub z: i32,
}

impl ColumnPos {
    pub const fn chunk(self) -> ChunkPos {
        ChunkPos {
            x: self.x >> 4,
            z: self.z >> 4,
        }
    }

    /// Returns the column's index inside its chunk, `[z][x]`, 0 to 255.
    pub const fn in_chunk(self) -> usize {
        ((self.z & 15) as usize) << 4 | (self.x & 15) as usize
    }
}

/// A chunk, 16 by 16 columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChunkPos {
    /// Chunks east of the origin.
    pub x: i32,
    /// Chunks south of the origin.
    pub z: i32,
}

impl ChunkPos {
    pub const fn region(self) -> RegionPos {
        RegionPos {
            x: self.x >> 5,
            z: self.z >> 5,
        }
    }

    pub const fn slot(self) -> Slot {
        Slot(((self.z & 31) << 5 | (self.x & 31)) as u16)
    }

    /// Returns the column at this chunk's north-west corner.
    pub const fn corner(self) -> ColumnPos {
        ColumnPos {
            x: self.x << 4,
            z: self.z << 4,
        }
    }

    pub const fn area(self) -> Area {
        let ColumnPos { x: x0, z: z0 } = self.corner();
        let side = CHUNK_SIDE as i32;
        Area {
            x0,
            z0,
            x1: x0.saturating_add(side),
            z1: z0.saturating_add(side),
        }
    }
}

impl fmt::Display for ChunkPos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.x, self.z)
    }
}

/// A chunk's place in a region file, `[z][x]`, 0 to 1023.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot(u16);

impl Slot {
    /// Returns the slot of chunk (`x`, `z`) inside its region. Both numbers are 0 to 31; higher
    /// bits are ignored.
    pub const fn at(x: usize, z: usize) -> Self {
        Self(((z & 31) << 5 | (x & 31)) as u16)
    }

    /// Returns every slot in file order: from north to south, and from west to east in each row.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..REGION_SLOTS as u16).map(Self)
    }

    /// Returns the slot's index, 0 to 1023.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the number of chunks east of the region's west edge, 0 to 31.
    pub const fn x(self) -> usize {
        (self.0 & 31) as usize
    }

    /// Returns the number of chunks south of the region's north edge, 0 to 31.
    pub const fn z(self) -> usize {
        (self.0 >> 5) as usize
    }

    /// Returns whether the chunk has a neighbour in another region.
    pub const fn is_on_border(self) -> bool {
        matches!(self.x(), 0 | 31) || matches!(self.z(), 0 | 31)
    }
}

/// A set of slots of a region, one bit per slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SlotSet([u32; REGION_CHUNKS]);

impl SlotSet {
    pub const NONE: Self = Self([0; REGION_CHUNKS]);
    pub const ALL: Self = Self([u32::MAX; REGION_CHUNKS]);

    pub const fn has(&self, slot: Slot) -> bool {
        self.0[slot.z()] >> slot.x() & 1 != 0
    }

    pub fn is_empty(&self) -> bool {
        self.0 == Self::NONE.0
    }

    pub fn is_full(&self) -> bool {
        self.0.iter().all(|&row| row == u32::MAX)
    }

    pub fn insert(&mut self, slot: Slot) {
        self.0[slot.z()] |= 1 << slot.x();
    }

    /// Returns the slots in file order.
    pub fn slots(&self) -> impl Iterator<Item = Slot> {
        Slot::all().filter(|&slot| self.has(slot))
    }

    /// Makes a set from rows of slots, from north to south, with the westernmost slot in the lowest
    /// bit.
    pub const fn from_rows(rows: [u32; REGION_CHUNKS]) -> Self {
        Self(rows)
    }

    /// Returns the rows of slots from north to south, with the westernmost slot in the lowest bit.
    pub const fn rows(&self) -> &[u32; REGION_CHUNKS] {
        &self.0
    }

    pub fn add(&mut self, other: &Self) {
        for (row, other) in self.0.iter_mut().zip(other.0) {
            *row |= other;
        }
    }

    pub fn remove(&mut self, other: &Self) {
        for (row, other) in self.0.iter_mut().zip(other.0) {
            *row &= !other;
        }
    }

    /// Adds the slots `from..=to` of a row. Slots outside the row are ignored.
    pub fn add_run(&mut self, row: usize, from: i64, to: i64) {
        let last = REGION_CHUNKS as i64 - 1;
        let from = from.max(0);
        let to = to.min(last);
        if from <= to {
            self.0[row] |= u32::MAX << from & u32::MAX >> (last - to);
        }
    }
}

impl FromIterator<Slot> for SlotSet {
    fn from_iter<I: IntoIterator<Item = Slot>>(slots: I) -> Self {
        let mut set = Self::NONE;
        for slot in slots {
            set.insert(slot);
        }
        set
    }
}

/// A region, 32 by 32 chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegionPos {
    /// Regions east of the origin.
    pub x: i32,
    /// Regions south of the origin.
    pub z: i32,
}

impl RegionPos {
    /// Returns whether this region has a tile on the map.
    pub const fn is_on_map(self) -> bool {
        -REGION_LIMIT <= self.x
            && self.x < REGION_LIMIT
            && -REGION_LIMIT <= self.z
            && self.z < REGION_LIMIT
    }

    /// Returns the chunk that is stored in `slot` of this region. The region must be on the map.
    pub const fn chunk(self, slot: Slot) -> ChunkPos {
        ChunkPos {
            x: self.x << 5 | slot.x() as i32,
            z: self.z << 5 | slot.z() as i32,
        }
    }

    /// Returns the chunk at this region's north-west corner. The region must be on the map.
    pub const fn first_chunk(self) -> ChunkPos {
        self.chunk(Slot(0))
    }

    /// Returns the column at this region's north-west corner. The region must be on the map.
    pub const fn corner(self) -> ColumnPos {
        self.first_chunk().corner()
    }

    /// Returns the region's columns. The region must be on the map.
    pub const fn area(self) -> Area {
        let ColumnPos { x, z } = self.corner();
        Area {
            x0: x,
            z0: z,
            x1: x + REGION_SIDE as i32,
            z1: z + REGION_SIDE as i32,
        }
    }

    /// Converts an area that is relative to this region's corner to absolute columns. The region
    /// must be on the map.
    pub const fn area_within(self, part: Area) -> Area {
        let ColumnPos { x, z } = self.corner();
        Area {
            x0: x + part.x0,
            z0: z + part.z0,
            x1: x + part.x1,
            z1: z + part.z1,
        }
    }

    /// Returns the region `dx` east and `dz` south of this one, saturating at the ends of the
    /// number range.
    pub const fn offset(self, dx: i32, dz: i32) -> Self {
        Self {
            x: self.x.saturating_add(dx),
            z: self.z.saturating_add(dz),
        }
    }

    /// Returns the square group of `2^bits` by `2^bits` regions to which this one belongs, and its
    /// index in the group, `[z][x]`. The tile `bits` levels further out shows one group, so drawing
    /// group by group finishes that tile early. The cache of borders also works best with these
    /// groups, because groups that were shifted against the order would be needed for longer.
    /// Measured with 196 regions in a square around the origin and one thread: 1.4 % of chunks are
    /// read twice.
    pub const fn group(self, bits: u32) -> ((i32, i32), usize) {
        let mask = (1 << bits) - 1;
        (
            (self.x >> bits, self.z >> bits),
            ((self.z & mask) << bits | self.x & mask) as usize,
        )
    }

    pub const fn tile(self) -> TilePos {
        TilePos {
            zoom: NATIVE_ZOOM,
            x: self.x,
            y: self.z,
        }
    }
}

impl fmt::Display for RegionPos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "r.{}.{}", self.x, self.z)
    }
}

/// A tile: its zoom level, then its position, counted like regions. Sorts as in the manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TilePos {
    /// Zoom level, [`OUTER_ZOOM`] to [`INNER_ZOOM`].
    pub zoom: u8,
    /// Tiles east of the origin.
    pub x: i32,
    /// Tiles south of the origin.
    pub y: i32,
}

impl TilePos {
    /// Returns the tile one level further out that shows this one as a quarter.
    pub const fn parent(self) -> Self {
        Self {
            zoom: self.zoom - 1,
            x: self.x >> 1,
            y: self.y >> 1,
        }
    }

    /// Returns the region of a native tile, or `None` for tiles of other levels.
    pub const fn region(self) -> Option<RegionPos> {
        if self.zoom == NATIVE_ZOOM {
            Some(RegionPos {
                x: self.x,
                z: self.y,
            })
        } else {
            None
        }
    }

    /// Returns which quarter of its parent this tile is, `[y][x]`, 0 to 3.
    pub const fn quarter(self) -> usize {
        ((self.y & 1) << 1 | (self.x & 1)) as usize
    }

    /// Returns the tile one level further in that is the given quarter of this one, `[y][x]`, 0 to
    /// 3.
    pub const fn child(self, quarter: usize) -> Self {
        Self {
            zoom: self.zoom + 1,
            x: self.x << 1 | (quarter & 1) as i32,
            y: self.y << 1 | (quarter >> 1 & 1) as i32,
        }
    }

    /// Returns the native tile that contains everything on this tile, or `None` if this tile shows
    /// more than one native tile.
    pub const fn native(self) -> Option<Self> {
        match self.zoom.checked_sub(NATIVE_ZOOM) {
            Some(inner) => Some(Self {
                zoom: NATIVE_ZOOM,
                x: self.x >> inner,
                y: self.y >> inner,
            }),
            None => None,
        }
    }

    /// Returns the tiles of a zoom level further in that together show this one.
    pub fn inner_tiles(self, zoom: u8) -> impl Iterator<Item = Self> {
        let levels = zoom - self.zoom;
        let columns = (self.x << levels)..((self.x + 1) << levels);
        let rows = (self.y << levels)..((self.y + 1) << levels);
        columns.flat_map(move |x| rows.clone().map(move |y| Self { zoom, x, y }))
    }

    pub fn area(self) -> Area {
        // A region has 2 to the power of 9 blocks along its side.
        let blocks = NATIVE_ZOOM + 9 - self.zoom;
        let [x0, z0, x1, z1] = [self.x, self.y, self.x + 1, self.y + 1].map(|tile| {
            (i64::from(tile) << blocks).clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
        });
        Area { x0, z0, x1, z1 }
    }

    /// Returns the pixels of the tile that show any column of an area. The area must overlap the
    /// tile's area.
    pub fn pixels(self, area: Area) -> Area {
        let whole = self.area();
        let Area { x0, z0, x1, z1 } = area.overlap(whole);

        Area {
            x0: self.first_pixel(x0, whole.x0),
            z0: self.first_pixel(z0, whole.z0),
            x1: self.end_pixel(x1, whole.x0),
            z1: self.end_pixel(z1, whole.z0),
        }
    }

    /// Returns the first pixel that shows the column `at`. The tile begins at column `from`.
    fn first_pixel(self, at: i32, from: i32) -> i32 {
        match self.zoom.checked_sub(NATIVE_ZOOM) {
            Some(inner) => (at - from) << inner,
            None => ((i64::from(at) - i64::from(from)) >> (NATIVE_ZOOM - self.zoom)) as i32,
        }
    }

    /// Returns the end of the pixels that show the columns before `at`.
    fn end_pixel(self, at: i32, from: i32) -> i32 {
        match self.zoom.checked_sub(NATIVE_ZOOM) {
            Some(inner) => (at - from) << inner,
            None => self.first_pixel(at - 1, from) + 1,
        }
    }

    /// Returns the columns that are at least partly shown by these pixels of the tile.
    pub fn columns(self, pixels: Area) -> Area {
        let whole = self.area();
        let Area { x0, z0, x1, z1 } = pixels;
        Area {
            x0: self.first_column(x0, whole.x0),
            z0: self.first_column(z0, whole.z0),
            x1: self.end_column(x1, whole.x0),
            z1: self.end_column(z1, whole.z0),
        }
    }

    /// Returns the first column that the pixel `at` shows. The tile begins at column `from`.
    fn first_column(self, at: i32, from: i32) -> i32 {
        match self.zoom.checked_sub(NATIVE_ZOOM) {
            Some(inner) => from + (at >> inner),
            None => from + (at << (NATIVE_ZOOM - self.zoom)),
        }
    }

    /// Returns the end of the columns that the pixels before `at` show.
    fn end_column(self, at: i32, from: i32) -> i32 {
        match self.zoom.checked_sub(NATIVE_ZOOM) {
            Some(_) => self.first_column(at - 1, from) + 1,
            None => self.first_column(at, from),
        }
    }
}

impl fmt::Display for TilePos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.zoom, self.x, self.y)
    }
}

/// Returns the distance of the position at `x`, `y` along the Hilbert curve over a square of `2^bits`
/// by `2^bits` positions. The curve starts in the north-western corner and ends in the north-eastern
/// one.
pub const fn along_hilbert(bits: u32, mut x: u32, mut y: u32) -> u64 {
    let mut distance = 0;
    let mut bit = bits;
    while bit > 0 {
        bit -= 1;
        let right = x >> bit & 1;
        let down = y >> bit & 1;
        distance += (((3 * right) ^ down) as u64) << (2 * bit);
        if down == 0 {
            // Higher bits of both numbers no longer count.
            (x, y) = if right == 1 { (!y, !x) } else { (y, x) };
        }
    }

    distance
}

/// Returns the position at a distance along the Hilbert curve, as [`along_hilbert`] measures it.
pub const fn at_hilbert(bits: u32, distance: u64) -> (u32, u32) {
    let mut x = 0;
    let mut y = 0;
    let mut bit = 0;
    while bit < bits {
        let quarter = (distance >> (2 * bit) & 3) as u32;

        let right = quarter >> 1;
        let down = quarter ^ (3 * right);
        let below = (1 << bit) - 1;
        if down == 0 {
            (x, y) = if right == 1 {
                (!y & below, !x & below)
            } else {
                (y, x)
            };
        }

        x |= right << bit;
        y |= down << bit;
        bit += 1;
    }

    (x, y)
}

/// A rectangle of columns, half-open: `x0 <= x < x1` and `z0 <= z < z1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Area {
    /// West edge, inside.
    pub x0: i32,
    /// North edge, inside.
    pub z0: i32,
    /// East edge, outside.
    pub x1: i32,
    /// South edge, outside.
    pub z1: i32,
}

/// Returns whether a range of columns contains a column of the region with this index along the
/// same axis.
fn meets_side(columns: Range<i32>, region: i32) -> bool {
    let side = REGION_SIDE as i64;
    let first = i64::from(region) * side;

    !columns.is_empty() && i64::from(columns.start) < first + side && first < i64::from(columns.end)
}

impl Area {
    /// Returns the rectangle between two corners, which may be in any order.
    pub fn from_corners(a: ColumnPos, b: ColumnPos) -> Self {
        Self {
            x0: a.x.min(b.x),
            z0: a.z.min(b.z),
            x1: a.x.max(b.x),
            z1: a.z.max(b.z),
        }
    }

    /// Returns the square `[x - radius, x + radius)` around a column, cut at the ends of the number
    /// range.
    pub fn from_centre(center: ColumnPos, radius: u32) -> Self {
        Self {
            x0: center.x.saturating_sub_unsigned(radius),
            z0: center.z.saturating_sub_unsigned(radius),
            x1: center.x.saturating_add_unsigned(radius),
            z1: center.z.saturating_add_unsigned(radius),
        }
    }

    pub const fn is_empty(self) -> bool {
        self.x0 >= self.x1 || self.z0 >= self.z1
    }

    pub const fn contains(self, column: ColumnPos) -> bool {
        self.x0 <= column.x && column.x < self.x1 && self.z0 <= column.z && column.z < self.z1
    }

    /// Returns whether the area contains a column of the region. The region may be outside the map.
    pub fn meets(self, region: RegionPos) -> bool {
        meets_side(self.x0..self.x1, region.x) && meets_side(self.z0..self.z1, region.z)
    }

    /// Returns whether the area contains a column of the chunk.
    pub fn meets_chunk(self, chunk: ChunkPos) -> bool {
        !self.overlap(chunk.area()).is_empty()
    }

    pub const fn covers(self, other: Self) -> bool {
        self.x0 <= other.x0 && other.x1 <= self.x1 && self.z0 <= other.z0 && other.z1 <= self.z1
    }

    /// Returns the columns inside both areas; may be empty.
    pub fn overlap(self, other: Self) -> Self {
        Self {
            x0: self.x0.max(other.x0),
            z0: self.z0.max(other.z0),
            x1: self.x1.min(other.x1),
            z1: self.z1.min(other.z1),
        }
    }

    /// Returns the number of regions that the area meets, and each of these regions, row by row.
    pub fn regions(self) -> (u64, impl Iterator<Item = RegionPos>) {
        const SIDE: i32 = REGION_SIDE as i32;
        let Self { x0, z0, x1, z1 } = self.grown_to_regions();
        let xs = x0.div_euclid(SIDE)..x1.div_euclid(SIDE);
        let zs = z0.div_euclid(SIDE)..z1.div_euclid(SIDE);
        (
            xs.len() as u64 * zs.len() as u64,
            zs.flat_map(move |z| xs.clone().map(move |x| RegionPos { x, z })),
        )
    }

    /// Grows the area outwards to whole regions.
    pub const fn grown_to_regions(self) -> Self {
        const SIDE: i32 = REGION_SIDE as i32;
        const fn round_up(at: i32) -> i32 {
            (at.saturating_sub(1).div_euclid(SIDE) * SIDE).saturating_add(SIDE)
        }
        Self {
            x0: self.x0.div_euclid(SIDE) * SIDE,
            z0: self.z0.div_euclid(SIDE) * SIDE,
            x1: round_up(self.x1),
            z1: round_up(self.z1),
        }
    }

    /// Parses an area from the text that its `Display` writes.
    pub fn parse(text: &str) -> Option<Self> {
        let numbers: Option<Vec<i32>> = text.split(',').map(|number| number.parse().ok()).collect();
        let [x0, z0, x1, z1] = numbers?.try_into().ok()?;
        Some(Self { x0, z0, x1, z1 })
    }

    /// Returns the smallest rectangle around both areas. An empty area adds nothing.
    pub fn union(self, other: Self) -> Self {
        if self.is_empty() {
            return other;
        }
        if other.is_empty() {
            return self;
        }

        Self {
            x0: self.x0.min(other.x0),
            z0: self.z0.min(other.z0),
            x1: self.x1.max(other.x1),
            z1: self.z1.max(other.z1),
        }
    }
}

impl fmt::Display for Area {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{},{},{}", self.x0, self.z0, self.x1, self.z1)
    }
}

/// An inclusive range of heights in blocks; blocks outside it count as air.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct YRange {
    pub min: i32,
    pub max: i32,
}

impl YRange {
    /// Every height that a world can store: section numbers are signed bytes.
    pub const ALL: Self = Self {
        min: -2048,
        max: 2047,
    };
}

/// The heights at which a dimension's ceiling can be: the heights of its top layer, in blocks. Both
/// are equal unless the world's packs made the land taller or lower and left the dimension's kind
/// unchanged, or the other way round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ceiling {
    /// The height at which the noise settings put the ceiling.
    pub noise_y: i32,
    /// The height up to which players can reach by the dimension's type.
    pub type_y: i32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_on_the_curve_follow_their_distance() {
        for bits in 0..6 {
            let side = 1 << bits;
            let positions = (0..side).flat_map(|y| (0..side).map(move |x| (x, y)));
            assert!(
                positions
                    .into_iter()
                    .all(|(x, y)| at_hilbert(bits, along_hilbert(bits, x, y)) == (x, y))
            );
        }
    }

    #[test]
    fn negative_positions_round_down() {
        let column = ColumnPos { x: -1, z: -513 };
        assert_eq!(column.chunk(), ChunkPos { x: -1, z: -33 });
        assert_eq!(column.chunk().region(), RegionPos { x: -1, z: -2 });
        assert_eq!(column.in_chunk(), 15 * 16 + 15);
        assert_eq!(column.chunk().slot(), Slot::at(31, 31));
    }

    #[test]
    fn a_slot_names_its_chunk() {
        let region = RegionPos { x: -2, z: 3 };
        for slot in Slot::all() {
            let chunk = region.chunk(slot);
            assert_eq!((chunk.region(), chunk.slot()), (region, slot));
        }
    }

    #[test]
    fn parents_and_children_agree() {
        for (x, y) in [(-3, 5), (0, 0), (-1, -1), (7, -8)] {
            let tile = TilePos { zoom: 17, x, y };
            assert_eq!(tile.parent().child(tile.quarter()), tile);
        }

        assert_eq!(
            TilePos {
                zoom: 1,
                x: -1,
                y: 0
            }
            .area(),
            Area {
                x0: -33_554_432,
                z0: 0,
                x1: 0,
                z1: 33_554_432
            }
        );
    }

    #[test]
    fn a_group_has_one_parent_tile() {
        for (x, z) in [(-9, 0), (-8, 7), (-1, -1), (0, 0), (3, 4), (7, 8), (8, -8)] {
            let region = RegionPos { x, z };
            let parents: Vec<TilePos> =
                std::iter::successors(Some(region.tile()), |tile| Some(tile.parent()))
                    .take(4)
                    .collect();

            for (bits, parent) in parents.iter().enumerate() {
                let ((group_x, group_z), slot) = region.group(bits as u32);
                assert_eq!((group_x, group_z), (parent.x, parent.y), "{region}");
                let (x, z) = (
                    group_x << bits | slot as i32 & ((1 << bits) - 1),
                    group_z << bits | slot as i32 >> bits,
                );
                assert_eq!(RegionPos { x, z }, region);
            }
        }
    }

    #[test]
    fn the_map_ends_with_level_one() {
        assert!(
            RegionPos {
                x: -65_536,
                z: 65_535
            }
            .is_on_map()
        );

        assert!(!RegionPos { x: 65_536, z: 0 }.is_on_map());
        assert!(
            !RegionPos {
                x: i32::MIN,
                z: i32::MAX
            }
            .is_on_map()
        );
    }
}
