//! Gaps are chunks that cannot be read. This module fills them with the pixels of an earlier run.

use crate::base::coord::{
    Area, CHUNK_SIDE, REGION_CHUNKS, RegionPos, Slot, SlotSet, TILE_SIDE, TilePos,
};
use crate::draw::painter::shared::Painter;
use crate::paint::surface::REACH;
use crate::tile::Canvas;

/// A chunk that cannot be read. Pixels of an earlier run fill the gap, except in hidden columns and
/// near a hidden neighbour, because the hidden blocks may have shaded or tinted those pixels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gap {
    pub(crate) slot: Slot,
    /// Marks the hidden chunks among this chunk and the eight around it, `[z][x]`.
    near: [[bool; 3]; 3],
}

impl Gap {
    /// Returns whether a column may keep its earlier pixel. The column is counted from the chunk's
    /// corner.
    fn may_show(&self, x: usize, z: usize) -> bool {
        let chunks =
            |at: usize| usize::from(at >= REACH)..=1 + usize::from(at >= CHUNK_SIDE - REACH);
        !chunks(z).any(|dz| chunks(x).any(|dx| self.near[dz][dx]))
    }
}

impl Painter<'_> {
    /// Returns the gaps of a region whose `bad` chunks cannot be read.
    pub(crate) fn gaps(&self, region: RegionPos, bad: &[Slot]) -> Vec<Gap> {
        if bad.is_empty() {
            return Vec::new();
        }

        let hidden = self.hidden_around(region);
        bad.iter()
            .map(|&slot| Gap {
                slot,
                near: hidden_nearby(&hidden, slot),
            })
            .collect()
    }
}

/// Copies pixels from an earlier version of a native or inner tile to the places of its gaps.
pub(crate) fn fill_gaps(canvas: &mut Canvas, last: &Canvas, tile: TilePos, gaps: &[Gap]) {
    for (gap, chunk) in gaps_on(tile, gaps) {
        let shown = chunk.overlap(tile.area());
        for z in shown.z0..shown.z1 {
            for x in shown.x0..shown.x1 {
                if gap.may_show((x - chunk.x0) as usize, (z - chunk.z0) as usize) {
                    copy(
                        canvas,
                        last,
                        tile.pixels(Area {
                            x0: x,
                            z0: z,
                            x1: x + 1,
                            z1: z + 1,
                        }),
                    );
                }
            }
        }
    }
}

/// Returns the gaps of a region that a native or inner tile shows, each with the area of its chunk.
pub(crate) fn gaps_on(tile: TilePos, gaps: &[Gap]) -> impl Iterator<Item = (&Gap, Area)> {
    let region = tile.native().and_then(TilePos::region);
    let areas = gaps
        .iter()
        .filter_map(move |gap| Some((gap, region?.chunk(gap.slot).area())));
    areas.filter(move |(_, chunk)| !chunk.overlap(tile.area()).is_empty())
}

/// Copies the pixels of one part of a tile.
fn copy(canvas: &mut Canvas, from: &Canvas, part: Area) {
    let columns = part.x0 as usize..part.x1 as usize;
    for z in part.z0 as usize..part.z1 as usize {
        let row = &from.pixels()[z * TILE_SIDE..][columns.clone()];
        canvas.band_mut(z / CHUNK_SIDE)[z % CHUNK_SIDE * TILE_SIDE..][columns.clone()]
            .copy_from_slice(row);
    }
}

/// Marks the hidden chunks among a chunk and the eight around it, `[z][x]`. `hidden` has the hidden
/// slots of the chunk's region and of the eight regions around it.
fn hidden_nearby(hidden: &[SlotSet; 9], slot: Slot) -> [[bool; 3]; 3] {
    // Positions are counted from the north-western one of the nine regions.
    let place = |along: usize, offset: usize| (along + REGION_CHUNKS + offset - 1) / REGION_CHUNKS;
    let within = |along: usize, offset: usize| (along + REGION_CHUNKS + offset - 1) % REGION_CHUNKS;
    std::array::from_fn(|dz| {
        std::array::from_fn(|dx| {
            let region = &hidden[place(slot.z(), dz) * 3 + place(slot.x(), dx)];
            region.has(Slot::at(within(slot.x(), dx), within(slot.z(), dz)))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_near_hidden_chunks_are_not_shown() {
        let slot = Slot::at(1, 1);
        let gap = |hidden: [usize; 2]| {
            let mut near = [[false; 3]; 3];
            near[hidden[1]][hidden[0]] = true;
            Gap { slot, near }
        };

        let (first, last) = (REACH, CHUNK_SIDE - REACH);
        let one = |gap: Gap, x: usize, z: usize| gap.may_show(x, z);
        let west = gap([0, 1]);
        assert!(!one(west, first - 1, 9) && one(west, first, 9) && one(west, 15, 9));

        let south = gap([1, 2]);
        assert!(one(south, 0, last - 1) && !one(south, 0, last) && one(south, 0, 0));

        let corner = gap([2, 0]);
        assert!(
            !one(corner, last, first - 1) && one(corner, last - 1, 0) && one(corner, 15, first)
        );
        assert!(!one(gap([1, 1]), 8, 8), "it is hidden itself");
    }
}
