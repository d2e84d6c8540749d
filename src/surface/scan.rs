//! The walk down the columns of a chunk, layer by layer from the top: a column that is settled is dropped.

use super::{Columns, NO_HEIGHT, Overlay, View};
use crate::block::{BiomeId, BlockId, Traits};
use crate::chunk::{Cells, Chunk, Layer, Lookup};
use crate::coord::{CHUNK_AREA, YRange};

/// The most overlays that are kept of a column: more are not told apart from above.
const MAX_OVERLAYS: u8 = 4;
/// A ceiling is looked for from here down: the roof of the nether ends at height 127.
const CEILING_Y: i32 = 127;
/// With fewer columns left than this, single cells are read instead of whole layers.
const FEW: usize = 10;

/// What wets a column without being its floor.
const WATERS: Traits = Traits::WATER.with(Traits::SUBMERGED);
const UNSEEN: Traits = Traits::NOTHING.with(Traits::HIDDEN);

/// What the walk is passing through in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Passing {
    /// The ceiling, before the first hollow.
    Ceiling,
    /// Air and what is seen through.
    Air,
    /// Water, whose floor is not reached.
    Water,
}

/// A column on the way down.
#[derive(Debug, Clone, Copy)]
struct Walk {
    passing: Passing,
    overlays: u8,
    /// Height of the lowest overlay.
    overlay_y: i16,
    /// Wet blocks so far, but for the layers of nothing but water that were passed since `whole_layers` was noted.
    depth: u32,
    whole_layers: u32,
}

/// The columns of a chunk on the way down.
struct Descent<'a> {
    out: &'a mut Columns,
    walks: [Walk; CHUNK_AREA],
    /// The columns that are not settled, the first `left` of them.
    open: [u8; CHUNK_AREA],
    left: usize,
    /// Which columns are settled: those that are not among the open ones.
    settled: [bool; CHUNK_AREA],
    /// How many of the open columns are still in the ceiling.
    ceilings: usize,
    /// How many of the open columns are not in water.
    dry: usize,
    /// Layers of nothing but water that all open columns passed at once.
    whole_layers: u32,
    /// What a ceiling is made of; not shown where a column is solid from there down.
    ceiling: BlockId,
}

/// Walks down all columns of a chunk within `range` and writes what is seen into `out`.
// Stays a function of its own, so that benches/instructions.sh can count it; called once a chunk.
#[inline(never)]
pub fn scan(chunk: &mut Chunk<'_>, view: View, range: YRange, out: &mut Columns) {
    out.clear();
    let passing = match view {
        View::Sky => Passing::Air,
        View::UnderCeiling => Passing::Ceiling,
    };
    let top = if view == View::UnderCeiling { range.max.min(CEILING_Y) } else { range.max };
    let ceiling = chunk.book().block(b"minecraft:bedrock", |_| None);
    let mut descent = Descent {
        out,
        walks: [Walk { passing, overlays: 0, overlay_y: NO_HEIGHT, depth: 0, whole_layers: 0 }; CHUNK_AREA],
        open: std::array::from_fn(|column| column as u8),
        left: CHUNK_AREA,
        settled: [false; CHUNK_AREA],
        ceilings: if view == View::UnderCeiling { CHUNK_AREA } else { 0 },
        dry: CHUNK_AREA,
        whole_layers: 0,
        ceiling,
    };
    let mut cells = Cells::default();
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
        if chunk.all_blocks(section, |traits| traits.any(UNSEEN)) {
            descent.pass_hollow();
            continue;
        }
        let unseen = chunk.usual(section, |traits| traits.any(UNSEEN));
        let water = chunk.usual(section, |traits| traits.any(WATERS));
        for y in (range.min.max(bottom)..=top.min(bottom + 15)).rev() {
            let layer = (y - bottom) as usize;
            if descent.left < FEW {
                descent.each_open(y as i16, |column| chunk.cell(section, layer, column));
            } else {
                // What the open columns pass without being changed by it one by one.
                let usual = match (descent.dry, descent.ceilings) {
                    (0, _) => water,
                    (_, 0) => unseen,
                    _ => None,
                };
                let (kind, lookup) = chunk.layer(section, layer, usual, &mut cells);
                descent.pass(kind, &cells, lookup, y as i16);
            }
            if descent.left == 0 {
                break;
            }
        }
        if descent.left == 0 {
            break;
        }
    }
    descent.finish();
    biomes(chunk, out);
    out.unknown = any_unknown(chunk, out);
}

fn any_unknown(chunk: &mut Chunk<'_>, out: &Columns) -> bool {
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
    let by_cell = chunk.has_biomes_by_cell();
    // The cell of 4 by 4 by 4 blocks that was asked for last, in each of the 16 stacks of cells.
    let mut last = [(i32::MIN, BiomeId::NONE); 16];
    for column in 0..CHUNK_AREA {
        let y = i32::from(out.top_y[column]);
        if out.top_y[column] == NO_HEIGHT {
            continue;
        }
        let (height, biome) = &mut last[column >> 6 << 2 | column >> 2 & 3];
        if !by_cell || *height != y >> 2 {
            (*height, *biome) = (y >> 2, chunk.biome_or_default(column, y));
        }
        out.biome[column] = *biome;
    }
}

impl Descent<'_> {
    /// Every open column passes something hollow.
    fn pass_hollow(&mut self) {
        for at in 0..self.left {
            let column = usize::from(self.open[at]);
            if self.walks[column].passing == Passing::Ceiling {
                self.open_ceiling(column);
            }
        }
    }

    /// A layer in which all cells are the same.
    fn uniform_layer(&mut self, id: BlockId, traits: Traits, y: i16) {
        if traits.any(UNSEEN) {
            self.pass_hollow();
        } else if traits.any(WATERS) && self.dry == 0 {
            self.whole_layers += 1;
        } else {
            self.each_open(y, |_| (id, traits));
        }
    }

    /// A layer as it was read.
    fn pass(&mut self, layer: Layer, cells: &Cells, lookup: Lookup<'_>, y: i16) {
        let of = |cell: u16| (lookup.ids[usize::from(cell)], lookup.traits[usize::from(cell)]);
        match layer {
            Layer::Uniform(cell) => {
                let (id, traits) = of(cell);
                self.uniform_layer(id, traits, y);
            }
            Layer::Unusual(count) => self.unusual(&cells.places[..count], cells, of, y),
            Layer::Mixed => self.each_open(y, |column| of(cells.indices[column])),
        }
    }

    /// The cells of a layer that are not the usual one: unseen, or water where all open columns are in water.
    fn unusual(&mut self, places: &[u8], cells: &Cells, of: impl Fn(u16) -> (BlockId, Traits), y: i16) {
        let mut settled = 0;
        // With no dry column left the usual cell is water, which the columns that are not visited have passed.
        let water = u32::from(self.dry == 0);
        self.whole_layers += water;
        for &place in places {
            let column = usize::from(place);
            if self.settled[column] {
                continue;
            }
            self.walks[column].whole_layers += water;
            let (id, traits) = of(cells.indices[column]);
            if self.meet(column, y, id, traits) {
                self.settled[column] = true;
                settled += 1;
            }
        }
        if settled > 0 {
            let mut kept = 0;
            for at in 0..self.left {
                let column = self.open[at];
                self.open[kept] = column;
                kept += usize::from(!self.settled[usize::from(column)]);
            }
            self.left = kept;
        }
    }

    /// A block of each open column.
    fn each_open(&mut self, y: i16, mut of: impl FnMut(usize) -> (BlockId, Traits)) {
        let mut kept = 0;
        for at in 0..self.left {
            let column = self.open[at];
            let (id, traits) = of(usize::from(column));
            if self.meet(usize::from(column), y, id, traits) {
                self.settled[usize::from(column)] = true;
            } else {
                self.open[kept] = column;
                kept += 1;
            }
        }
        self.left = kept;
    }

    /// One block on the way down; says whether it settles the column.
    fn meet(&mut self, column: usize, y: i16, id: BlockId, traits: Traits) -> bool {
        let walk = &mut self.walks[column];
        if traits.any(UNSEEN) {
            if walk.passing == Passing::Ceiling {
                self.open_ceiling(column);
            }
            return false;
        }
        match walk.passing {
            Passing::Ceiling => {
                // Kept in case the column is solid to the bottom.
                if self.out.ground_y[column] == NO_HEIGHT && id != self.ceiling && !traits.any(Traits::OVERLAY) {
                    (self.out.ground[column], self.out.ground_y[column]) = (id, y);
                }
                false
            }
            Passing::Air => {
                if traits.any(WATERS) {
                    walk.passing = Passing::Water;
                    (walk.depth, walk.whole_layers) = (1, self.whole_layers);
                    self.out.top_y[column] = y;
                    self.dry -= 1;
                    return false;
                }
                if traits.any(Traits::WET) {
                    (self.out.top_y[column], self.out.depth[column]) = (y, 1);
                } else if traits.any(Traits::OVERLAY) {
                    self.overlay(column, y, id);
                    return false;
                }
                self.dry -= 1;
                self.settle(column, y, id)
            }
            Passing::Water => {
                let water = traits.any(WATERS);
                if water || traits.any(Traits::WET) {
                    walk.depth += 1;
                }
                if water {
                    return false;
                }
                self.out.depth[column] = self.depth(column);
                self.settle(column, y, id)
            }
        }
    }

    fn depth(&self, column: usize) -> u8 {
        let walk = &self.walks[column];
        u8::try_from(walk.depth + self.whole_layers - walk.whole_layers).unwrap_or(u8::MAX)
    }

    fn open_ceiling(&mut self, column: usize) {
        self.walks[column].passing = Passing::Air;
        self.ceilings -= 1;
        (self.out.ground[column], self.out.ground_y[column]) = (BlockId::AIR, NO_HEIGHT);
    }

    fn overlay(&mut self, column: usize, y: i16, id: BlockId) {
        let walk = &mut self.walks[column];
        if walk.overlays < MAX_OVERLAYS {
            self.out.overlays.push(Overlay { column: column as u8, order: walk.overlays, id });
            walk.overlays += 1;
            walk.overlay_y = y;
        }
    }

    fn settle(&mut self, column: usize, y: i16, id: BlockId) -> bool {
        (self.out.ground[column], self.out.ground_y[column]) = (id, y);
        let top = &mut self.out.top_y[column];
        if *top == NO_HEIGHT {
            *top = y;
        }
        true
    }

    /// Ends the columns that never met ground.
    fn finish(mut self) {
        self.out.overlays.sort_unstable_by_key(|overlay| (overlay.column, overlay.order));
        for at in 0..self.left {
            let column = usize::from(self.open[at]);
            let walk = self.walks[column];
            match walk.passing {
                Passing::Ceiling => self.out.top_y[column] = self.out.ground_y[column],
                Passing::Water => {
                    let depth = self.depth(column);
                    self.out.depth[column] = depth;
                    self.out.ground_y[column] = self.out.top_y[column] - i16::from(depth);
                }
                Passing::Air if walk.overlays > 0 => self.lowest_overlay_as_ground(column, walk),
                Passing::Air => {}
            }
        }
    }

    /// Glass over the void is its own ground.
    fn lowest_overlay_as_ground(&mut self, column: usize, walk: Walk) {
        let lowest = |overlay: &Overlay| usize::from(overlay.column) == column && overlay.order == walk.overlays - 1;
        if let Some(at) = self.out.overlays.iter().position(lowest) {
            let overlay = self.out.overlays.remove(at);
            self.settle(column, walk.overlay_y, overlay.id);
        }
    }
}

/// The highest block of a column that does not count as nothing, and its height: what `query` answers.
pub fn highest(chunk: &mut Chunk<'_>, column: usize, range: YRange) -> Option<(i32, BlockId)> {
    for section in 0..chunk.sections() {
        let bottom = chunk.section_y(section);
        if bottom > range.max || bottom + 15 < range.min {
            continue;
        }
        if chunk.all_blocks(section, |traits| traits.any(Traits::NOTHING)) {
            continue;
        }
        for y in (range.min.max(bottom)..=range.max.min(bottom + 15)).rev() {
            let (id, traits) = chunk.cell(section, (y - bottom) as usize, column);
            if !traits.any(Traits::NOTHING) {
                return Some((y, id));
            }
        }
    }
    None
}
