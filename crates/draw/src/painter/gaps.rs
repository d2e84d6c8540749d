//! Gaps are chunks that cannot be read. This module fills them with the pixels of an earlier run.

use crate::painter::shared::Painter;
use crate::request::hide::HiddenNearby;
use pixelmap_base::coord::{Area, RegionPos, Slot, TilePos};
use pixelmap_tile::Canvas;

/// A chunk that cannot be read. Pixels of an earlier run fill the gap, except in hidden columns and
/// near a hidden neighbour, because the hidden blocks may have shaded or tinted those pixels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChunkGap {
    pub(crate) slot: Slot,
    nearby: HiddenNearby,
}

impl Painter<'_> {
    /// Returns the gaps of a region whose `bad` chunks cannot be read.
    pub(crate) fn gaps(&self, region: RegionPos, bad: &[Slot]) -> Vec<ChunkGap> {
        if bad.is_empty() {
            return Vec::new();
        }

        let hidden = self.plan.hidden.slots_around(region);
        bad.iter()
            .map(|&slot| ChunkGap {
                slot,
                nearby: HiddenNearby::new(&hidden, slot),
            })
            .collect()
    }
}

/// Copies pixels from an earlier version of a native or inner tile to the places of its gaps.
pub(crate) fn fill_gaps(canvas: &mut Canvas, last: &Canvas, tile: TilePos, gaps: &[ChunkGap]) {
    for (gap, chunk) in gaps_on(tile, gaps) {
        let shown = chunk.overlap(tile.area());
        for z in shown.z0..shown.z1 {
            for x in shown.x0..shown.x1 {
                let is_reached = gap
                    .nearby
                    .reaches((x - chunk.x0) as usize, (z - chunk.z0) as usize);
                if !is_reached {
                    let column = Area {
                        x0: x,
                        z0: z,
                        x1: x + 1,
                        z1: z + 1,
                    };
                    canvas.copy_part(last, tile.pixels(column));
                }
            }
        }
    }
}

/// Returns the gaps of a region that a native or inner tile shows, each with the area of its chunk.
pub(crate) fn gaps_on(tile: TilePos, gaps: &[ChunkGap]) -> impl Iterator<Item = (&ChunkGap, Area)> {
    let region = tile.native().and_then(TilePos::region);
    let areas = gaps
        .iter()
        .filter_map(move |gap| Some((gap, region?.chunk(gap.slot).area())));
    areas.filter(move |(_, chunk)| !chunk.overlap(tile.area()).is_empty())
}
