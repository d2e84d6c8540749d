//! The walk down the columns of a chunk, layer by layer from the top: a column that is settled is dropped.

use super::{Columns, NO_HEIGHT, Overlay, View};
use crate::block::{BiomeId, BlockId, Traits};
use crate::chunk::{Block, Cells, Chunk, Layer};
use crate::coord::{CHUNK_AREA, YRange};

/// The most overlays that are kept of a column: more are not told apart from above.
const MAX_OVERLAYS: u8 = 4;
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

/// The columns of a chunk on the way down. What belongs to one column stands in arrays of its own kind, `[z][x]`, which
/// are emptied in few wide steps.
struct Descent<'a> {
    out: &'a mut Columns,
    passing: [Passing; CHUNK_AREA],
    /// How many overlays were kept.
    overlays: [u8; CHUNK_AREA],
    /// Height of the lowest overlay.
    overlay_y: [i16; CHUNK_AREA],
    /// Wet blocks so far, less `whole_layers`.
    depth: [i16; CHUNK_AREA],
    /// Which columns are settled.
    settled: [bool; CHUNK_AREA],
    /// How many are not.
    left: usize,
    /// The columns that are not settled, the first `listed` of them, among others that were settled since.
    open: [u8; CHUNK_AREA],
    listed: usize,
    /// How many of the open columns are still in the ceiling.
    ceilings: usize,
    /// How many of the open columns are not in water.
    dry: usize,
    /// Layers of nothing but water that all open columns passed at once.
    whole_layers: i16,
    /// What a ceiling is made of; not shown where a column is solid from there down.
    ceiling: BlockId,
}

/// Walks down all columns of a chunk within `range` and writes what is seen into `out`, which is empty. A ceiling is
/// looked for from the top of the range down.
// Stays a function of its own, so that benches/instructions.sh can count it; called once a chunk.
#[inline(never)]
pub fn scan(chunk: &mut Chunk<'_>, view: View, range: YRange, out: &mut Columns) {
    let passing = match view {
        View::Sky => Passing::Air,
        View::UnderCeiling => Passing::Ceiling,
    };
    let top = range.max;
    let ceiling = chunk.book().block(b"minecraft:bedrock", |_| None);
    let mut descent = Descent {
        out,
        passing: [passing; CHUNK_AREA],
        overlays: [0; CHUNK_AREA],
        overlay_y: [NO_HEIGHT; CHUNK_AREA],
        depth: [0; CHUNK_AREA],
        settled: [false; CHUNK_AREA],
        left: CHUNK_AREA,
        open: std::array::from_fn(|column| column as u8),
        listed: CHUNK_AREA,
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
        let water = chunk.usual(section, |traits| traits.any(WATERS) && !traits.any(UNSEEN));
        for y in (range.min.max(bottom)..=top.min(bottom + 15)).rev() {
            let layer = (y - bottom) as usize;
            if descent.left < FEW {
                descent.each_open(y as i16, |column| chunk.cell(section, layer, column));
            } else {
                // What the open columns pass without being changed by it one by one.
                let usual = match (descent.dry, descent.ceilings) {
                    (0, _) => Some(water),
                    (_, 0) => Some(unseen),
                    _ => None,
                };
                let (kind, blocks) = chunk.layer(section, layer, usual, &mut cells);
                descent.pass(kind, &cells, blocks, y as i16);
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
    if let Some(biomes) = chunk.biomes_by_column() {
        for ((place, biome), &y) in out.biome.iter_mut().zip(biomes).zip(&out.top_y) {
            *place = if y == NO_HEIGHT { BiomeId::NONE } else { biome };
        }
        return;
    }
    let by_cell = chunk.has_biomes_by_cell();
    // The cell of 4 by 4 by 4 blocks that was asked for last, in each of the 16 stacks of cells.
    let mut last = [(i32::MIN, BiomeId::NONE); 16];
    for (at, (ys, biomes)) in out.top_y.chunks_exact(4).zip(out.biome.chunks_exact_mut(4)).enumerate() {
        let (height, biome) = &mut last[at >> 4 << 2 | at & 3];
        for (x, (&top, place)) in ys.iter().zip(biomes).enumerate() {
            if top == NO_HEIGHT {
                continue;
            }
            let y = i32::from(top);
            if !by_cell || *height != y >> 2 {
                (*height, *biome) = (y >> 2, chunk.biome_or_default(at * 4 + x, y));
            }
            *place = *biome;
        }
    }
}

impl Descent<'_> {
    /// Every open column passes something hollow.
    fn pass_hollow(&mut self) {
        if self.ceilings == 0 {
            return;
        }
        for at in 0..self.listed {
            let column = usize::from(self.open[at]);
            if !self.settled[column] && self.passing[column] == Passing::Ceiling {
                self.open_ceiling(column);
            }
        }
    }

    /// A layer in which all cells are the same.
    fn uniform_layer(&mut self, block: Block, y: i16) {
        let traits = block.traits;
        if traits.any(UNSEEN) {
            self.pass_hollow();
        } else if traits.any(WATERS) && self.dry == 0 {
            self.whole_layers += 1;
        } else {
            self.each_open(y, |_| block);
        }
    }

    /// A layer as it was read.
    fn pass(&mut self, layer: Layer, cells: &Cells, blocks: &[Block], y: i16) {
        match layer {
            Layer::Uniform(cell) => self.uniform_layer(blocks[usize::from(cell)], y),
            Layer::Unusual(count) => self.unusual(&cells.places[..count], cells, blocks, y),
            Layer::Mixed => self.each_open(y, |column| blocks[usize::from(cells.indices[column])]),
        }
    }

    /// The cells of a layer that are not the usual one: unseen, or water where all open columns are in water.
    fn unusual(&mut self, places: &[u8], cells: &Cells, blocks: &[Block], y: i16) {
        // With no dry column left the usual cell is water, which the columns that are not visited have passed.
        let water = i16::from(self.dry == 0);
        self.whole_layers += water;
        for &place in places {
            let column = usize::from(place);
            if self.settled[column] {
                continue;
            }
            self.depth[column] -= water;
            self.meet(column, y, blocks[usize::from(cells.indices[column])]);
        }
    }

    /// A block of each open column.
    fn each_open(&mut self, y: i16, mut of: impl FnMut(usize) -> Block) {
        self.drop_settled();
        let mut kept = 0;
        for at in 0..self.listed.min(CHUNK_AREA) {
            let open = self.open[at];
            let column = usize::from(open);
            let block = of(column);
            self.meet(column, y, block);
            self.open[kept % CHUNK_AREA] = open;
            kept += usize::from(!self.settled[column]);
        }
        (self.listed, self.left) = (kept, kept);
    }

    /// Leaves the settled columns out of the list of the open ones.
    fn drop_settled(&mut self) {
        if self.listed == self.left {
            return;
        }
        let mut kept = 0;
        for at in 0..self.listed.min(CHUNK_AREA) {
            let open = self.open[at];
            self.open[kept % CHUNK_AREA] = open;
            kept += usize::from(!self.settled[usize::from(open)]);
        }
        self.listed = kept;
    }

    /// One block on the way down of an open column.
    fn meet(&mut self, column: usize, y: i16, block: Block) {
        let Block { id, traits } = block;
        if traits.any(UNSEEN) {
            if self.passing[column] == Passing::Ceiling {
                self.open_ceiling(column);
            }
            return;
        }
        match self.passing[column] {
            Passing::Ceiling => {
                // Kept in case the column is solid to the bottom.
                if self.out.ground_y[column] == NO_HEIGHT && id != self.ceiling && !traits.any(Traits::OVERLAY) {
                    (self.out.ground[column], self.out.ground_y[column]) = (id, y);
                }
            }
            Passing::Air => {
                if traits.any(WATERS) {
                    self.passing[column] = Passing::Water;
                    self.depth[column] = 1 - self.whole_layers;
                    self.out.top_y[column] = y;
                    self.dry -= 1;
                    return;
                }
                if traits.any(Traits::WET) {
                    (self.out.top_y[column], self.out.depth[column]) = (y, 1);
                } else if traits.any(Traits::OVERLAY) {
                    self.overlay(column, y, id);
                    return;
                }
                self.dry -= 1;
                self.settle(column, y, id);
            }
            Passing::Water => {
                let water = traits.any(WATERS);
                if water || traits.any(Traits::WET) {
                    self.depth[column] += 1;
                }
                if !water {
                    self.out.depth[column] = self.depth(column);
                    self.settle(column, y, id);
                }
            }
        }
    }

    fn depth(&self, column: usize) -> u8 {
        u8::try_from(self.depth[column] + self.whole_layers).unwrap_or(u8::MAX)
    }

    fn open_ceiling(&mut self, column: usize) {
        self.passing[column] = Passing::Air;
        self.ceilings -= 1;
        (self.out.ground[column], self.out.ground_y[column]) = (BlockId::AIR, NO_HEIGHT);
    }

    fn overlay(&mut self, column: usize, y: i16, id: BlockId) {
        let order = self.overlays[column];
        if order < MAX_OVERLAYS {
            self.out.overlays.push(Overlay { column: column as u8, order, id });
            self.overlays[column] += 1;
            self.overlay_y[column] = y;
        }
    }

    fn settle(&mut self, column: usize, y: i16, id: BlockId) {
        (self.out.ground[column], self.out.ground_y[column]) = (id, y);
        self.settled[column] = true;
        self.left -= 1;
    }

    /// Ends the columns that never met ground.
    fn finish(mut self) {
        self.out.overlays.sort_unstable_by_key(|overlay| (overlay.column, overlay.order));
        for at in 0..self.listed {
            let column = usize::from(self.open[at]);
            if self.settled[column] {
                continue;
            }
            match self.passing[column] {
                Passing::Water => {
                    let depth = self.depth(column);
                    self.out.depth[column] = depth;
                    self.out.ground_y[column] = self.out.top_y[column] - i16::from(depth);
                }
                Passing::Air if self.overlays[column] > 0 => self.lowest_overlay_as_ground(column),
                Passing::Ceiling | Passing::Air => {}
            }
        }
        // Where there is no water the ground is the top.
        for (top, &ground) in self.out.top_y.iter_mut().zip(&self.out.ground_y) {
            *top = if *top == NO_HEIGHT { ground } else { *top };
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
            let Block { id, traits } = chunk.cell(section, (y - bottom) as usize, column);
            if !traits.any(Traits::NOTHING) {
                return Some((y, id));
            }
        }
    }
    None
}
