//! The surroundings of a chunk in which something is hidden. Hidden blocks shade and tint the
//! columns next to them, so pixels of these columns may reveal hidden blocks.

use std::ops::RangeInclusive;

use super::hidden_places::HiddenPlaces;
use pixelmap_base::coord::{CHUNK_SIDE, REGION_CHUNKS, RegionPos, Slot, SlotSet};
use pixelmap_paint::surface::REACH;

/// The hidden chunks among a chunk and the eight around it, `[z][x]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HiddenNearby([[bool; 3]; 3]);

impl HiddenNearby {
    /// Returns the hidden chunks around a slot. `hidden` has the hidden slots of the slot's region
    /// and of the eight regions around it.
    pub(crate) fn new(hidden: &[SlotSet; 9], slot: Slot) -> Self {
        Self(std::array::from_fn(|dz| {
            std::array::from_fn(|dx| {
                // The position is counted from the north-western one of the nine regions.
                let x = slot.x() + REGION_CHUNKS + dx - 1;
                let z = slot.z() + REGION_CHUNKS + dz - 1;
                let slots = &hidden[z / REGION_CHUNKS * 3 + x / REGION_CHUNKS];
                slots.has(Slot::at(x % REGION_CHUNKS, z % REGION_CHUNKS))
            })
        }))
    }

    /// Returns whether any of the nine chunks is hidden.
    pub(crate) fn is_any(&self) -> bool {
        self.0.as_flattened().contains(&true)
    }

    /// Returns whether the chunk itself is hidden.
    pub(crate) fn is_here(&self) -> bool {
        self.0[1][1]
    }

    /// Returns whether the pixel of a column may depend on hidden blocks. The column is counted
    /// from the chunk's corner.
    pub(crate) fn reaches(&self, x: usize, z: usize) -> bool {
        chunks_within_reach(z).any(|dz| chunks_within_reach(x).any(|dx| self.0[dz][dx]))
    }
}

/// Returns which of three chunks along an axis are within reach of a column of the middle one.
fn chunks_within_reach(column: usize) -> RangeInclusive<usize> {
    usize::from(column >= REACH)..=1 + usize::from(column >= CHUNK_SIDE - REACH)
}

impl HiddenPlaces {
    /// Returns the hidden slots of a region and of the eight around it, from the north-western one
    /// to the south-eastern one.
    pub(crate) fn slots_around(&self, region: RegionPos) -> [SlotSet; 9] {
        std::array::from_fn(|index| {
            let (dx, dz) = (index % 3, index / 3);
            self.slots(region.offset(dx as i32 - 1, dz as i32 - 1))
        })
    }

    /// Returns the slots of a region whose pixels may depend on hidden blocks.
    pub(crate) fn reached_slots(&self, region: RegionPos) -> Vec<(Slot, HiddenNearby)> {
        let hidden = self.slots_around(region);
        if hidden.iter().all(SlotSet::is_empty) {
            return Vec::new();
        }

        Slot::all()
            .map(|slot| (slot, HiddenNearby::new(&hidden, slot)))
            .filter(|(_, nearby)| nearby.is_any())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_chunks_reach_the_nearest_columns() {
        let nearby = |[x, z]: [usize; 2]| {
            let mut hidden = [[false; 3]; 3];
            hidden[z][x] = true;
            HiddenNearby(hidden)
        };

        let (first, last) = (REACH, CHUNK_SIDE - REACH);
        let west = nearby([0, 1]);
        assert!(west.reaches(first - 1, 9) && !west.reaches(first, 9) && !west.reaches(15, 9));

        let south = nearby([1, 2]);
        assert!(!south.reaches(0, last - 1) && south.reaches(0, last) && !south.reaches(0, 0));

        let corner = nearby([2, 0]);
        assert!(corner.reaches(last, first - 1));
        assert!(!corner.reaches(last - 1, 0) && !corner.reaches(15, first));

        assert!(nearby([1, 1]).reaches(8, 8), "it is hidden itself");
    }

    #[test]
    fn hidden_chunks_reach_over_region_borders() {
        let hidden = HiddenPlaces::new(
            vec![pixelmap_base::coord::Area {
                x0: 0,
                z0: 0,
                x1: 16,
                z1: 16,
            }],
            Vec::new(),
        );
        let reached = |x, z| hidden.reached_slots(RegionPos { x, z });
        assert_eq!(reached(0, 0).len(), 4);
        assert_eq!(reached(-1, -1).len(), 1);
        assert_eq!(reached(-1, 0).len(), 2);
        assert!(reached(1, 0).is_empty());
    }
}
