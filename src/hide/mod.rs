//! The parts of a world that must not be shown: rectangles and polygons of columns, as the chunks of each region that
//! they touch.
//!
//! Hiding goes by whole chunks, generously: a chunk is hidden if any part of any of its columns lies in a rectangle or
//! polygon. A chunk that lies wholly in a polygon's hole is not hidden. Nothing is kept by chunk or region: the hidden
//! slots of a region are worked out each time they are asked for. Knows no files and nothing of what is in a chunk.

mod geojson;
mod polygon;

pub use geojson::{GeoJsonError, MAX_CORNERS, polygons};
pub use polygon::{Corner, Polygon};

use crate::coord::{Area, CHUNK_SIDE, REGION_CHUNKS, REGION_SIDE, RegionPos, Slot};

/// The slots of a region that are hidden, a bit a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct HiddenSlots([u32; REGION_CHUNKS]);

impl HiddenSlots {
    /// No slot.
    pub const NONE: Self = Self([0; REGION_CHUNKS]);

    /// Returns whether the chunk in `slot` is hidden.
    pub const fn has(&self, slot: Slot) -> bool {
        self.0[slot.z()] >> slot.x() & 1 != 0
    }

    /// Returns whether nothing is hidden.
    pub fn is_empty(&self) -> bool {
        self.0 == Self::NONE.0
    }

    /// Returns whether all is hidden.
    pub fn is_full(&self) -> bool {
        self.0.iter().all(|&row| row == u32::MAX)
    }

    /// Iterates over the hidden slots in file order.
    pub fn slots(&self) -> impl Iterator<Item = Slot> {
        Slot::all().filter(|&slot| self.has(slot))
    }

    /// The rows of slots from north to south, the westernmost slot in the lowest bit.
    pub const fn rows(&self) -> &[u32; REGION_CHUNKS] {
        &self.0
    }

    fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(row, other)| *row |= other);
    }

    fn remove(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(row, other)| *row &= !other);
    }

    /// Adds the slots `from..=to` of a row, as far as they are slots.
    fn add_run(&mut self, row: usize, from: i64, to: i64) {
        let last = REGION_CHUNKS as i64 - 1;
        let (from, to) = (from.max(0), to.min(last));
        if from <= to {
            self.0[row] |= u32::MAX << from & u32::MAX >> (last - to);
        }
    }
}

/// All that is hidden.
#[derive(Debug, Default)]
pub struct Hidden {
    areas: Vec<Area>,
    polygons: Vec<Polygon>,
}

impl Hidden {
    /// Takes rectangles and polygons, which may overlap.
    pub fn new(areas: Vec<Area>, polygons: Vec<Polygon>) -> Self {
        Self { areas, polygons }
    }

    /// Returns whether nothing is hidden.
    pub fn is_empty(&self) -> bool {
        self.areas.is_empty() && self.polygons.is_empty()
    }

    /// Returns the slots of a region that are hidden. Takes time by the edges of the polygons around the region.
    pub fn slots(&self, region: RegionPos) -> HiddenSlots {
        let mut slots = HiddenSlots::NONE;
        for area in &self.areas {
            add_area(&mut slots, *area, region);
        }
        for polygon in &self.polygons {
            polygon.add(&mut slots, region);
        }
        slots
    }
}

fn add_area(slots: &mut HiddenSlots, area: Area, region: RegionPos) {
    // The chunks from that of the first column to that of the last one, counted from the region's corner.
    let run = |from: i32, to: i32, region: i32| {
        let corner = i64::from(region) * REGION_SIDE as i64;
        let chunk = |column: i64| (column - corner).div_euclid(CHUNK_SIDE as i64);
        (chunk(i64::from(from)), chunk(i64::from(to) - 1))
    };
    let ((west, east), (north, south)) = (run(area.x0, area.x1, region.x), run(area.z0, area.z1, region.z));
    for row in north.max(0)..=south.min(REGION_CHUNKS as i64 - 1) {
        slots.add_run(row as usize, west, east);
    }
}

#[cfg(test)]
mod tests;
