//! The walk to the first hollow: past what stands on the land, through the first solid block below, down to the floor of
//! the topmost hollow under it.
//!
//! A hollow is two cells or more, one above the other, that are air or water: room for a player. Trees and ice are no
//! roof over one, glass neither; houses are, and so are bridges and overhangs. A flooded cave is a hollow, and its water
//! is seen as that of a lake is; a ravine or a shaft that is open to the sky is the land itself.

use std::ops::RangeInclusive;

use super::scan::{MAX_OVERLAYS, finish};
use super::{Columns, NO_HEIGHT, Overlay, View};
use crate::block::{BlockId, Traits};
use crate::chunk::{Block, Chunk, Layer, Mask};
use crate::coord::{CHUNK_AREA, YRange};

/// The columns of a chunk on the way down. Each that is not settled is in one of the masks.
struct Search<'a> {
    out: &'a mut Columns,
    /// In the ceiling that closes the dimension.
    ceiling: Mask,
    /// Above the land.
    above: Mask,
    /// In rock, or what else lies between the land and the hollow.
    rock: Mask,
    /// One cell below rock that may be the first of a hollow.
    gap: Mask,
    /// Those of `gap` whose cell is water.
    wet_gap: Mask,
    /// In the air of a hollow.
    air: Mask,
    /// In the water of a hollow.
    water: Mask,
    /// How many columns are not settled.
    left: usize,
    /// How many overlays were kept.
    overlays: [u8; CHUNK_AREA],
    /// Height of the water's surface in the hollow.
    water_y: [i16; CHUNK_AREA],
    /// Wet blocks so far.
    depth: [u8; CHUNK_AREA],
    /// The highest layer that was looked at.
    highest: Option<i16>,
    /// Traits of what was met.
    met: Traits,
}

/// Walks down all columns of a chunk within `range` to their first hollow and writes its floor into `out`, which is empty:
/// see [`View::Hollow`]. A column without a hollow has no ground; its `top_y` is that of the land.
pub(super) fn scan(chunk: &mut Chunk<'_>, view: View, range: YRange, out: &mut Columns) {
    let mut search = Search::new(view, out);
    let mut above = range.max + 1;
    for section in 0..chunk.sections() {
        let bottom = chunk.section_y(section);
        if bottom > range.max || bottom + 15 < range.min {
            continue;
        }
        if bottom + 16 < above {
            search.pass_air();
        }
        above = bottom;
        if chunk.all_blocks(section, Traits::is_unseen) {
            search.pass_air();
            continue;
        }
        search.section(chunk, section, range.min.max(bottom)..=range.max.min(bottom + 15));
        if search.left == 0 {
            break;
        }
    }
    let met = search.end();
    finish(chunk, met, out);
}

impl<'a> Search<'a> {
    fn new(view: View, out: &'a mut Columns) -> Self {
        let (ceiling, above) =
            if view == View::HollowUnderCeiling { (Mask::ALL, Mask::NONE) } else { (Mask::NONE, Mask::ALL) };
        Self {
            out,
            ceiling,
            above,
            rock: Mask::NONE,
            gap: Mask::NONE,
            wet_gap: Mask::NONE,
            air: Mask::NONE,
            water: Mask::NONE,
            left: CHUNK_AREA,
            overlays: [0; CHUNK_AREA],
            water_y: [NO_HEIGHT; CHUNK_AREA],
            depth: [0; CHUNK_AREA],
            highest: None,
            met: Traits::GROUND,
        }
    }

    /// Layers of nothing but air.
    fn pass_air(&mut self) {
        self.above = self.above.or(self.ceiling);
        self.ceiling = Mask::NONE;
        self.air = self.air.or(self.rock).or(self.gap);
        (self.rock, self.gap) = (Mask::NONE, Mask::NONE);
    }

    /// The layers of a section at these heights, until all columns are settled.
    fn section(&mut self, chunk: &mut Chunk<'_>, section: usize, heights: RangeInclusive<i32>) {
        let passed = chunk.passed(section);
        for y in heights.rev() {
            let layer = (y & 15) as usize;
            let y = y as i16;
            self.highest.get_or_insert(y);
            let Layer { unseen, water } = chunk.layer(section, layer, passed.as_ref());
            let open = unseen.or(water);
            // What changes a column is looked at before any column goes on.
            let (land, floors) = (self.above.without(open), self.air.or(self.water).without(open));
            chunk.each(section, layer, land.or(floors), |column, block| self.meet(column, y, block));
            self.sink(water);
            self.fall(self.air.and(water), y);
            self.open_gaps(open, water, y);
            let opening = self.rock.and(open);
            self.rock = self.rock.without(opening);
            self.gap = opening;
            self.wet_gap = opening.and(water);
            self.above = self.above.or(self.ceiling.and(unseen));
            self.ceiling = self.ceiling.without(unseen);
            if self.left == 0 {
                return;
            }
        }
    }

    /// One block that is neither air nor water: of the land, or in a hollow.
    fn meet(&mut self, column: usize, y: i16, Block { id, traits }: Block) {
        self.met = self.met.with(traits);
        if self.above.has(column) {
            if traits.is_terrain() {
                self.above.remove(column);
                self.rock.insert(column);
                self.out.top_y[column] = y;
            }
        } else if self.air.has(column) {
            if traits.any(Traits::OVERLAY) && !traits.any(Traits::WET) {
                self.overlay(column, id);
            } else {
                self.air.remove(column);
                let is_wet = traits.any(Traits::WET);
                self.settle(column, y, id, y, u8::from(is_wet));
            }
        } else {
            self.water.remove(column);
            let depth = self.depth[column].saturating_add(u8::from(traits.any(Traits::WET)));
            self.settle(column, y, id, self.water_y[column], depth);
        }
    }

    /// Columns in water go on through it.
    fn sink(&mut self, water: Mask) {
        self.water.and(water).each(|column| self.depth[column] = self.depth[column].saturating_add(1));
    }

    /// Columns in the air of a hollow come to its water.
    fn fall(&mut self, columns: Mask, y: i16) {
        self.air = self.air.without(columns);
        self.water = self.water.or(columns);
        columns.each(|column| (self.water_y[column], self.depth[column]) = (y, 1));
    }

    /// Gaps that are two cells high are hollows; the others were none.
    fn open_gaps(&mut self, open: Mask, water: Mask, y: i16) {
        if self.gap.is_empty() {
            return;
        }
        let (opened, closed) = (self.gap.and(open), self.gap.without(open));
        self.rock = self.rock.or(closed);
        self.air = self.air.or(opened);
        self.fall(opened.and(water), y);
        opened.and(water).and(self.wet_gap).each(|column| (self.water_y[column], self.depth[column]) = (y + 1, 2));
    }

    fn overlay(&mut self, column: usize, id: BlockId) {
        let order = self.overlays[column];
        if order < MAX_OVERLAYS {
            self.out.overlays.push(Overlay { column: column as u8, order, id });
            self.overlays[column] += 1;
        }
    }

    fn settle(&mut self, column: usize, y: i16, id: BlockId, top_y: i16, depth: u8) {
        (self.out.ground[column], self.out.ground_y[column]) = (id, y);
        (self.out.top_y[column], self.out.depth[column]) = (top_y, depth);
        self.left -= 1;
    }

    /// Ends the columns that never came to a floor; gives the traits of what was met.
    fn end(self) -> Traits {
        let out = self.out;
        if let Some(highest) = self.highest {
            // Solid from the ceiling down.
            self.ceiling.each(|column| out.top_y[column] = highest);
        }
        let ground_y = &out.ground_y;
        out.overlays.retain(|overlay| ground_y[usize::from(overlay.column)] != NO_HEIGHT);
        out.overlays.sort_unstable_by_key(|overlay| (overlay.column, overlay.order));
        self.met
    }
}
