//! The rectangles and polygons that are hidden, and the chunks that they touch.

use serde::{Deserialize, Serialize};

use super::polygon::Polygon;
use pixelmap_base::coord::{Area, CHUNK_SIDE, REGION_CHUNKS, REGION_SIDE, RegionPos, SlotSet};

/// Everything that is hidden.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct HiddenPlaces {
    areas: Vec<Area>,
    polygons: Vec<Polygon>,
}

impl HiddenPlaces {
    /// Hides these rectangles and polygons, which may overlap.
    pub fn new(areas: Vec<Area>, polygons: Vec<Polygon>) -> Self {
        Self { areas, polygons }
    }

    /// Returns whether nothing is hidden.
    pub fn is_empty(&self) -> bool {
        self.areas.is_empty() && self.polygons.is_empty()
    }

    /// Returns whether something is hidden in the regions that an area touches.
    pub fn meets(&self, area: Area) -> bool {
        let (_, mut regions) = area.regions();
        !self.is_empty() && regions.any(|region| !self.slots(region).is_empty())
    }

    /// Returns the hidden slots of a region. The time grows with the edges of the polygons around
    /// the region.
    pub fn slots(&self, region: RegionPos) -> SlotSet {
        let mut slots = SlotSet::NONE;
        for area in &self.areas {
            add_area(&mut slots, *area, region);
        }
        for polygon in &self.polygons {
            polygon.add(&mut slots, region);
        }
        slots
    }
}

fn add_area(slots: &mut SlotSet, area: Area, region: RegionPos) {
    let west = chunk_from(region.x, area.x0.into());
    let east = chunk_from(region.x, i64::from(area.x1) - 1);
    let north = chunk_from(region.z, area.z0.into());
    let south = chunk_from(region.z, i64::from(area.z1) - 1);

    for row in north.max(0)..=south.min(REGION_CHUNKS as i64 - 1) {
        slots.add_run(row as usize, west, east);
    }
}

/// Returns the chunk of a column along one axis, counted from the first chunk of a region.
fn chunk_from(region: i32, column: i64) -> i64 {
    (column - i64::from(region) * REGION_SIDE as i64).div_euclid(CHUNK_SIDE as i64)
}
