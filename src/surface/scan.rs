//! The walk down the columns of a chunk, layer by layer from the top: only cells that change something are looked at.

use std::ops::RangeInclusive;

use super::highest::all_highest;
use super::{Columns, NO_HEIGHT, Overlay, Saved, View};
use crate::block::{BiomeId, BlockId, Traits};
use crate::chunk::{Block, Chunk, Mask, Meta, Slice};
use crate::coord::{CHUNK_AREA, YRange};

/// The most overlays that are kept of a column: more are not told apart from above.
pub(super) const MAX_OVERLAYS: u8 = 4;
/// With fewer columns left than this, single cells are read instead of whole layers.
const FEW: usize = 10;

/// The columns of a chunk on the way down. What belongs to one column stands in arrays of its own kind, `[z][x]`.
struct Descent<'a> {
    out: &'a mut Columns,
    /// The columns that pass the ceiling, before their first hollow.
    in_ceiling: Mask,
    /// Those of which the first block below the ceiling's bedrock is kept.
    kept: Mask,
    /// The columns that pass air and what is seen through.
    in_air: Mask,
    /// The columns that pass water, whose floor is not reached. Columns in none of the three are settled.
    in_water: Mask,
    /// The columns of which no more overlays are kept.
    full: Mask,
    /// How many columns are not settled.
    left: usize,
    /// How many overlays were kept.
    overlays: [u8; CHUNK_AREA],
    /// Height of the lowest overlay.
    overlay_y: [i16; CHUNK_AREA],
    /// Wet blocks of the columns in water, less `layers`.
    depth: [i16; CHUNK_AREA],
    /// Layers so far.
    layers: i16,
    /// What a ceiling is made of; not shown where a column is solid from there down.
    ceiling: BlockId,
    /// Traits of what was met.
    met: Traits,
}

/// Walks down all columns of a chunk within `range` and writes what is seen into `out`, which is empty. A ceiling is
/// looked for from the top of the range down.
// Stays a function of its own, so that benches/instructions.sh can count it; called once a chunk.
#[inline(never)]
pub fn scan(chunk: &mut Chunk<'_>, view: View, range: YRange, out: &mut Columns) {
    let met = if view == View::Highest { all_highest(chunk, range, out) } else { descend(chunk, view, range, out) };
    biomes(chunk, out);
    out.unknown = met.any(Traits::UNKNOWN) && any_unknown(chunk, out);
    let Meta { data_version, inhabited_ticks, .. } = chunk.meta();
    out.saved = Some(Saved { data_version, inhabited_ticks: inhabited_ticks.unwrap_or(0) });
}

/// Walks down to what is seen; gives the traits of what was met.
fn descend(chunk: &mut Chunk<'_>, view: View, range: YRange, out: &mut Columns) -> Traits {
    let ceiling = chunk.book().block(b"minecraft:bedrock", |_| None);
    let mut descent = Descent::new(view, ceiling, out);
    let top = range.max;
    let mut above = top + 1;
    for section in 0..chunk.sections() {
        let bottom = chunk.section_y(section);
        if bottom > top || bottom + 15 < range.min {
            continue;
        }
        if bottom + 16 < above {
            descent.pass_hollow();
        }
        above = bottom;
        if chunk.all_blocks(section, Traits::is_unseen) {
            descent.pass_hollow();
            continue;
        }
        descent.section(chunk, section, range.min.max(bottom)..=top.min(bottom + 15));
        if descent.left == 0 {
            break;
        }
    }
    descent.finish()
}

pub(super) fn any_unknown(chunk: &mut Chunk<'_>, out: &Columns) -> bool {
    let overlays = out.overlays.iter().map(|overlay| overlay.id);
    // Neighbouring columns mostly end in the same block.
    let mut last = BlockId::AIR;
    out.ground.iter().copied().chain(overlays).any(|id| {
        let new = id != last;
        last = id;
        new && chunk.book().traits(id).any(Traits::UNKNOWN)
    })
}

fn biomes(chunk: &mut Chunk<'_>, out: &mut Columns) {
    if let Some(biomes) = chunk.biomes_by_column() {
        for ((place, biome), &y) in out.biome.iter_mut().zip(biomes).zip(&out.top_y) {
            *place = if y == NO_HEIGHT { BiomeId::NONE } else { biome };
        }
        return;
    }
    let highest = out.top_y.iter().fold(NO_HEIGHT, |highest, &y| highest.max(y));
    // One less is the greatest number where there is no height, so that all are compared in a few wide steps.
    let lowest = out.top_y.iter().fold(i16::MAX, |lowest, &y| lowest.min(y.wrapping_sub(1))).wrapping_add(1);
    if highest == NO_HEIGHT {
        return;
    }
    if let Some(biome) = chunk.only_biome(i32::from(lowest)..=i32::from(highest)) {
        for (place, &y) in out.biome.iter_mut().zip(&out.top_y) {
            *place = if y == NO_HEIGHT { BiomeId::NONE } else { biome };
        }
        return;
    }
    // Columns share the cells of 4 by 4 by 4 blocks in which biomes are stored: each layer of them is read once.
    let (lowest, layers) =
        (i32::from(lowest) >> 2, ((i32::from(highest) >> 2) - (i32::from(lowest) >> 2) + 1) as usize);
    let mut cells = [[BiomeId::NONE; 16]; 32];
    let by_cell = chunk.has_biomes_by_cell() && layers <= cells.len();
    if by_cell {
        for (layer, cells) in cells[..layers].iter_mut().enumerate() {
            *cells = chunk.biomes_of_slice(lowest + layer as i32);
        }
    }
    for (column, (place, &y)) in out.biome.iter_mut().zip(&out.top_y).enumerate() {
        if y == NO_HEIGHT {
            continue;
        }
        *place = if by_cell {
            let layer = ((i32::from(y) >> 2) - lowest) as usize;
            cells[layer % cells.len()][column >> 6 << 2 | column >> 2 & 3]
        } else {
            chunk.biome_or_default(column, i32::from(y))
        };
    }
}

impl<'a> Descent<'a> {
    /// All columns above everything.
    fn new(view: View, ceiling: BlockId, out: &'a mut Columns) -> Self {
        let (in_ceiling, in_air) = match view {
            View::UnderCeiling => (Mask::ALL, Mask::NONE),
            _ => (Mask::NONE, Mask::ALL),
        };
        Self {
            out,
            in_ceiling,
            kept: Mask::NONE,
            in_air,
            in_water: Mask::NONE,
            full: Mask::NONE,
            left: CHUNK_AREA,
            overlays: [0; CHUNK_AREA],
            overlay_y: [NO_HEIGHT; CHUNK_AREA],
            depth: [0; CHUNK_AREA],
            layers: 0,
            ceiling,
            met: Traits::GROUND,
        }
    }

    /// The layers of a section at these heights, until all columns are settled.
    fn section(&mut self, chunk: &mut Chunk<'_>, section: usize, heights: RangeInclusive<i32>) {
        // Glass from top to bottom is a million cells, of which the first few are seen. A layer tells all else that may
        // stand in the way: what it does not name in such a section is glass.
        let is_told = |traits: Traits| {
            traits.is_unseen() || traits.is_dry_overlay() || traits.is_water() || traits.is_plain_ground()
        };
        let is_passed = !self.full.is_empty() && chunk.all_blocks(section, is_told);
        for y in heights.rev() {
            let (at, y) = ((y & 15) as usize, y as i16);
            self.layers += 1;
            let mut changing = self.in_ceiling.or(self.in_air).or(self.in_water);
            if self.left >= FEW {
                let Slice { unseen, water, ground } = chunk.slice(section, at, changing);
                self.dive(self.in_air.and(water), y);
                self.land(chunk, section, at, self.in_air.and(ground), y);
                self.reach_floor(chunk, section, at, self.in_water.and(ground), y);
                changing = self.in_ceiling.without(self.kept).or(self.in_air).without(unseen);
                changing = changing.or(self.in_water.without(water));
                self.in_ceiling.and(unseen).each(|column| self.open_ceiling(column));
                if is_passed {
                    changing = changing.without(self.full.and(self.in_air));
                }
            }
            if !changing.is_empty() {
                chunk.each(section, at, changing, |column, block| self.meet(column, y, block));
            }
            if self.left == 0 {
                return;
            }
        }
    }

    /// Columns that pass air end at plain ground, as most do: nothing is asked of it.
    fn land(&mut self, chunk: &mut Chunk<'_>, section: usize, layer: usize, columns: Mask, y: i16) {
        if columns.is_empty() {
            return;
        }
        self.in_air = self.in_air.without(columns);
        let Columns { ground, ground_y, .. } = &mut *self.out;
        chunk.each(section, layer, columns, |column, Block { id, traits }| {
            self.met = self.met.with(traits);
            self.left -= 1;
            (ground[column], ground_y[column]) = (id, y);
        });
    }

    /// Columns that pass water end at plain ground.
    fn reach_floor(&mut self, chunk: &mut Chunk<'_>, section: usize, layer: usize, columns: Mask, y: i16) {
        if columns.is_empty() {
            return;
        }
        self.in_water = self.in_water.without(columns);
        let Columns { ground, ground_y, depth, .. } = &mut *self.out;
        // This layer does not count.
        let layers = self.layers - 1;
        chunk.each(section, layer, columns, |column, Block { id, traits }| {
            self.met = self.met.with(traits);
            self.left -= 1;
            (ground[column], ground_y[column]) = (id, y);
            depth[column] = as_depth(self.depth[column] + layers);
        });
    }

    /// Columns that pass air come to water.
    fn dive(&mut self, columns: Mask, y: i16) {
        self.in_air = self.in_air.without(columns);
        self.in_water = self.in_water.or(columns);
        if columns == Mask::ALL {
            // The sea.
            self.depth.fill(1 - self.layers);
            self.out.top_y.fill(y);
            return;
        }
        columns.each(|column| {
            self.depth[column] = 1 - self.layers;
            self.out.top_y[column] = y;
        });
    }

    /// Every open column passes something hollow.
    fn pass_hollow(&mut self) {
        self.in_ceiling.each(|column| self.open_ceiling(column));
    }

    /// One block on the way down of an open column.
    #[inline]
    fn meet(&mut self, column: usize, y: i16, block: Block) {
        let Block { id, traits } = block;
        self.met = self.met.with(traits);
        if self.in_air.has(column) {
            if traits.is_plain_ground() {
                self.in_air.remove(column);
                self.settle(column, y, id);
            } else if !traits.is_unseen() {
                self.meet_in_air(column, y, block);
            }
        } else if self.in_water.has(column) {
            let (unseen, water) = (traits.is_unseen(), traits.is_water());
            // What the layer counted for it is taken back where it is not wet.
            self.depth[column] -= i16::from(unseen || !(water || traits.any(Traits::WET)));
            if !unseen && !water {
                self.in_water.remove(column);
                self.out.depth[column] = self.depth(column);
                self.settle(column, y, id);
            }
        } else if traits.is_unseen() {
            self.open_ceiling(column);
        } else if !self.kept.has(column) && id != self.ceiling && !traits.any(Traits::OVERLAY) {
            // In case the column is solid to the bottom.
            self.kept.insert(column);
            (self.out.ground[column], self.out.ground_y[column]) = (id, y);
        }
    }

    fn meet_in_air(&mut self, column: usize, y: i16, Block { id, traits }: Block) {
        if traits.is_water() {
            self.dive(Mask::only(column), y);
        } else if traits.is_dry_overlay() {
            self.overlay(column, y, id);
        } else {
            if traits.any(Traits::WET) {
                (self.out.top_y[column], self.out.depth[column]) = (y, 1);
            }
            self.in_air.remove(column);
            self.settle(column, y, id);
        }
    }

    fn depth(&self, column: usize) -> u8 {
        as_depth(self.depth[column] + self.layers)
    }

    fn open_ceiling(&mut self, column: usize) {
        self.in_ceiling.remove(column);
        self.in_air.insert(column);
        (self.out.ground[column], self.out.ground_y[column]) = (BlockId::AIR, NO_HEIGHT);
    }

    fn overlay(&mut self, column: usize, y: i16, id: BlockId) {
        let order = self.overlays[column];
        if order < MAX_OVERLAYS {
            self.out.overlays.push(Overlay { column: column as u8, order, id });
            self.overlays[column] += 1;
            self.overlay_y[column] = y;
        } else {
            self.full.insert(column);
        }
    }

    fn settle(&mut self, column: usize, y: i16, id: BlockId) {
        (self.out.ground[column], self.out.ground_y[column]) = (id, y);
        self.left -= 1;
    }

    /// Ends the columns that never met ground; gives the traits of what was met.
    fn finish(mut self) -> Traits {
        self.sort_overlays();
        self.in_water.each(|column| {
            let depth = self.depth(column);
            self.out.depth[column] = depth;
            self.out.ground_y[column] = self.out.top_y[column] - i16::from(depth);
        });
        self.in_air.each(|column| {
            if self.overlays[column] > 0 {
                self.lowest_overlay_as_ground(column);
            }
        });
        // Where there is no water the ground is the top.
        for (top, &ground) in self.out.top_y.iter_mut().zip(&self.out.ground_y) {
            *top = if *top == NO_HEIGHT { ground } else { *top };
        }
        self.met
    }

    /// Puts the overlays in order: by column, then from the top down. How many there are says where each belongs.
    fn sort_overlays(&mut self) {
        let overlays = &mut self.out.overlays;
        if overlays.is_empty() {
            return;
        }
        let mut start = 0;
        let starts = self.overlays.map(|count| {
            start += usize::from(count);
            (start - usize::from(count)) as u16
        });
        for at in 0..overlays.len() {
            loop {
                let place = usize::from(starts[usize::from(overlays[at].column)]) + usize::from(overlays[at].order);
                if place == at {
                    break;
                }
                overlays.swap(at, place);
            }
        }
    }

    /// Glass over the void is its own ground.
    fn lowest_overlay_as_ground(&mut self, column: usize) {
        let order = self.overlays[column] - 1;
        let lowest = |overlay: &Overlay| usize::from(overlay.column) == column && overlay.order == order;
        if let Some(at) = self.out.overlays.iter().position(lowest) {
            let overlay = self.out.overlays.remove(at);
            self.settle(column, self.overlay_y[column], overlay.id);
        }
    }
}

fn as_depth(wet: i16) -> u8 {
    u8::try_from(wet).unwrap_or(u8::MAX)
}
