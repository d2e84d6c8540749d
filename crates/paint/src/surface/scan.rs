//! Walks down the columns of a chunk, layer by layer from the top, to the ground or the floor of
//! the water. Single cells are read only if a layer changes something, because comparing whole
//! layers is much faster.

use std::ops::RangeInclusive;

use crate::surface::columns::{Columns, NO_HEIGHT, Overlay, SavedFacts};
use crate::surface::highest::{all_highest, all_highest_under_ceiling};
use crate::surface::view::View;
use pixelmap_base::coord::{CHUNK_AREA, YRange};
use pixelmap_world::chunk::{Block, Chunk, Mask, Meta, Slice};
use pixelmap_world::names::{BiomeId, BlockId, Traits};

/// The largest number of overlays that are kept per column. More are not visible from above.
pub(super) const MAX_OVERLAYS: u8 = 4;
/// If fewer columns than this are left, single cells are read instead of whole layers.
const FEW: usize = 10;

/// The columns of a chunk on the way down. Arrays have one value per column, `[z][x]`.
struct Descent<'a> {
    out: &'a mut Columns,
    /// The columns inside the ceiling, before their first hollow.
    in_ceiling: Mask,
    /// The columns whose first block below the ceiling's bedrock is kept as ground.
    kept: Mask,
    /// The columns in air, or in transparent blocks.
    in_air: Mask,
    /// The columns in water whose floor is not reached. Columns in none of the three are finished.
    in_water: Mask,
    /// The columns that have as many overlays as are kept.
    full: Mask,
    /// The number of columns that are not finished.
    left: usize,
    /// The number of overlays that were kept for each column.
    overlays: [u8; CHUNK_AREA],
    /// The height of each column's lowest overlay.
    overlay_y: [i16; CHUNK_AREA],
    /// The water depth of each column in water, stored relative to `layers` so that one addition
    /// deepens all columns.
    depth: [i16; CHUNK_AREA],
    /// The number of layers passed so far.
    layers: i16,
    /// The block that ceilings are made of. It is not shown in a column that is solid from the
    /// ceiling down.
    ceiling: BlockId,
    /// The traits of all blocks met.
    met: Traits,
}

/// Walks down all columns of a chunk within `range` and writes the ends of the columns into `out`,
/// which must be empty. The search for a ceiling begins at the top of the range.
// It is not inlined, so that benches/instructions.sh can count it. It is called once per chunk, so
// this costs nothing.
#[inline(never)]
pub fn scan(chunk: &mut Chunk<'_>, view: View, range: YRange, out: &mut Columns) {
    // After this line the columns do not count as clear, even if the walk panics.
    out.saved = Some(SavedFacts::default());

    let met = match view {
        View::Highest => all_highest(chunk, range, out),
        View::HighestUnderCeiling => all_highest_under_ceiling(chunk, range, out),
        view => descend(chunk, view, range, out),
    };

    biomes(chunk, out);

    if view.shows_stored_blocks() {
        forget_default_biomes(chunk, out);
    }

    finish(chunk, met, out);
}

/// Replaces the biome plains by the stored biome, because plains was also filled in for biomes that
/// are not stored.
fn forget_default_biomes(chunk: &mut Chunk<'_>, out: &mut Columns) {
    for (column, (biome, &y)) in out.biome.iter_mut().zip(&out.top_y).enumerate() {
        if *biome == BiomeId::PLAINS {
            *biome = chunk.biome(column, i32::from(y));
        }
    }
}

/// Writes the facts about the whole chunk. `met` has the traits of all its visible blocks.
pub(super) fn finish(chunk: &mut Chunk<'_>, met: Traits, out: &mut Columns) {
    out.unknown = met.any(Traits::UNKNOWN) && any_unknown(chunk, out);
    let Meta {
        data_version,
        java_version,
        inhabited_ticks,
        found_changed,
        ..
    } = chunk.meta();
    out.saved = Some(SavedFacts {
        data_version: data_version.or(java_version),
        inhabited_ticks: inhabited_ticks.unwrap_or(0),
        found_changed,
    });
}

/// Returns whether the masks of a layer are enough to recognize a block as an overlay. In a section
/// of such blocks only, a cell that is neither unseen nor water nor ground is an overlay. Full
/// columns skip these overlays without reading each one, because glass from top to bottom of a
/// chunk is up to a million cells, and only the first few are visible.
pub(super) fn is_decided_by_layers(traits: Traits) -> bool {
    traits.is_unseen() || traits.is_dry_overlay() || traits.is_water() || traits.is_plain_ground()
}

/// Walks down to the ground or the floor of the water. Returns the traits of all blocks met.
fn descend(chunk: &mut Chunk<'_>, view: View, range: YRange, out: &mut Columns) -> Traits {
    let ceiling = chunk.name_cache().block(b"minecraft:bedrock", |_| None);

    let mut descent = Descent::new(view, ceiling, out);
    let top = range.max;
    let mut above = top + 1;
    for section in 0..chunk.sections() {
        let bottom = chunk.section_y(section);
        if bottom > top {
            continue;
        }

        // Sections that are not stored contain only air, so they are hollow.
        if range.min.max(bottom + 16) < above {
            descent.pass_hollow();
        }

        if bottom + 15 < range.min {
            break;
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

fn any_unknown(chunk: &mut Chunk<'_>, out: &Columns) -> bool {
    let overlays = out.overlays.iter().map(|overlay| overlay.id);

    // Neighbouring columns mostly end in the same block, so we look up its traits only if the block
    // changes.
    let mut last = BlockId::AIR;
    out.ground.iter().copied().chain(overlays).any(|id| {
        let new = id != last;
        last = id;
        new && chunk.name_cache().traits(id).any(Traits::UNKNOWN)
    })
}

fn biomes(chunk: &mut Chunk<'_>, out: &mut Columns) {
    if let Some(biomes) = chunk.biomes_by_column() {
        for ((slot, biome), &y) in out.biome.iter_mut().zip(biomes).zip(&out.top_y) {
            *slot = if y == NO_HEIGHT { BiomeId::NONE } else { biome };
        }
        return;
    }

    let highest = out
        .top_y
        .iter()
        .fold(NO_HEIGHT, |highest, &y| highest.max(y));

    // Subtracting 1 wraps `NO_HEIGHT` to the greatest number, so that columns without a height do
    // not count and a few wide steps compare all columns.
    let lowest = out
        .top_y
        .iter()
        .fold(i16::MAX, |lowest, &y| lowest.min(y.wrapping_sub(1)))
        .wrapping_add(1);

    if highest == NO_HEIGHT {
        return;
    }

    if let Some(biome) = chunk.only_biome(i32::from(lowest)..=i32::from(highest)) {
        for (slot, &y) in out.biome.iter_mut().zip(&out.top_y) {
            *slot = if y == NO_HEIGHT { BiomeId::NONE } else { biome };
        }
        return;
    }

    // Biomes are stored in cells of 4 by 4 by 4 blocks, which columns share. So each layer of cells
    // is read once.
    let lowest = i32::from(lowest) >> 2;

    let layers = ((i32::from(highest) >> 2) - lowest + 1) as usize;
    let mut cells = [[BiomeId::NONE; 16]; 32];
    let by_cell = chunk.has_biomes_by_cell() && layers <= cells.len();
    if by_cell {
        for (layer, cells) in cells[..layers].iter_mut().enumerate() {
            *cells = chunk.slice_biomes(lowest + layer as i32);
        }
    }

    for (column, (slot, &y)) in out.biome.iter_mut().zip(&out.top_y).enumerate() {
        if y == NO_HEIGHT {
            continue;
        }

        *slot = if by_cell {
            let layer = ((i32::from(y) >> 2) - lowest) as usize;
            cells[layer % cells.len()][column >> 6 << 2 | column >> 2 & 3]
        } else {
            chunk.biome_or_default(column, i32::from(y))
        };
    }
}

impl<'a> Descent<'a> {
    /// Begins the walk with all columns above everything.
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

    /// Passes the layers of a section at these heights, or stops when all columns are finished.
    fn section(&mut self, chunk: &mut Chunk<'_>, section: usize, heights: RangeInclusive<i32>) {
        let skips_overlays =
            !self.full.is_empty() && chunk.all_blocks(section, is_decided_by_layers);
        for y in heights.rev() {
            let at = (y & 15) as usize;
            let y = y as i16;
            self.layers += 1;

            let mut changing = self.in_ceiling.or(self.in_air).or(self.in_water);
            if self.left >= FEW {
                let Slice {
                    unseen,
                    water,
                    ground,
                } = chunk.slice(section, at, changing);
                self.dive(self.in_air.and(water), y);

                self.end_at_ground(chunk, section, at, self.in_air.and(ground), y);
                self.reach_floor(chunk, section, at, self.in_water.and(ground), y);
                changing = self
                    .in_ceiling
                    .without(self.kept)
                    .or(self.in_air)
                    .without(unseen);

                changing = changing.or(self.in_water.without(water));
                self.in_ceiling
                    .and(unseen)
                    .each(|column| self.open_ceiling(column));

                if skips_overlays {
                    changing = changing.without(self.full.and(self.in_air));
                }
            }

            if !changing.is_empty() {
                chunk.each(section, at, changing, |column, block| {
                    self.meet(column, y, block);
                });
            }

            if self.left == 0 {
                return;
            }
        }
    }

    /// Ends columns in air at plain ground. Most columns end like this, and it is the cheapest
    /// case.
    fn end_at_ground(
        &mut self,
        chunk: &mut Chunk<'_>,
        section: usize,
        layer: usize,
        columns: Mask,
        y: i16,
    ) {
        if columns.is_empty() {
            return;
        }

        self.in_air = self.in_air.without(columns);
        self.left -= columns.count() as usize;
        let Columns {
            ground, ground_y, ..
        } = &mut *self.out;

        let mut met = self.met;
        chunk.each(section, layer, columns, |column, Block { id, traits }| {
            met = met.with(traits);
            ground[column] = id;
            ground_y[column] = y;
        });
        self.met = met;
    }

    /// Ends columns in water at plain ground.
    fn reach_floor(
        &mut self,
        chunk: &mut Chunk<'_>,
        section: usize,
        layer: usize,
        columns: Mask,
        y: i16,
    ) {
        if columns.is_empty() {
            return;
        }

        self.in_water = self.in_water.without(columns);
        self.left -= columns.count() as usize;
        let Columns {
            ground,
            ground_y,
            depth,
            ..
        } = &mut *self.out;

        // The floor itself is not wet.
        let layers = self.layers - 1;

        let mut met = self.met;
        chunk.each(section, layer, columns, |column, Block { id, traits }| {
            met = met.with(traits);
            ground[column] = id;
            ground_y[column] = y;
            depth[column] = as_depth(self.depth[column] + layers);
        });
        self.met = met;
    }

    /// Moves columns from air to water.
    fn dive(&mut self, columns: Mask, y: i16) {
        self.in_air = self.in_air.without(columns);
        self.in_water = self.in_water.or(columns);

        if columns == Mask::ALL {
            // This happens at the surface of the sea.
            self.depth.fill(1 - self.layers);
            self.out.top_y.fill(y);
            return;
        }

        columns.each(|column| {
            self.depth[column] = 1 - self.layers;
            self.out.top_y[column] = y;
        });
    }

    /// Ends the ceiling of all columns, because the section is hollow.
    fn pass_hollow(&mut self) {
        self.in_ceiling.each(|column| self.open_ceiling(column));
    }

    /// Handles one block on the way down of a column that is not finished.
    #[inline]
    fn meet(&mut self, column: usize, y: i16, block: Block) {
        let Block { id, traits } = block;
        self.met = self.met.with(traits);

        if self.in_air.has(column) {
            if traits.is_plain_ground() {
                self.in_air.remove(column);
                self.finish_column(column, y, id);
            } else if !traits.is_unseen() {
                self.meet_in_air(column, y, block);
            }
        } else if self.in_water.has(column) {
            let unseen = traits.is_unseen();
            let water = traits.is_water();

            // `layers` counts this layer as wet, so a dry block is subtracted.
            self.depth[column] -= i16::from(unseen || !(water || traits.any(Traits::WET)));

            if !unseen && !water {
                self.in_water.remove(column);
                self.out.depth[column] = self.depth(column);
                self.finish_column(column, y, id);
            }
        } else if traits.is_unseen() {
            self.open_ceiling(column);
        } else if !self.kept.has(column) && id != self.ceiling && !traits.any(Traits::OVERLAY) {
            // The block is kept in case the column is solid down to the bottom.
            self.kept.insert(column);
            self.out.ground[column] = id;
            self.out.ground_y[column] = y;
        }
    }

    fn meet_in_air(&mut self, column: usize, y: i16, Block { id, traits }: Block) {
        if traits.is_water() {
            self.dive(Mask::only(column), y);
        } else if traits.is_dry_overlay() {
            self.overlay(column, y, id);
        } else {
            if traits.is_under_own_water() {
                self.out.top_y[column] = y;
                self.out.depth[column] = 1;
            }
            self.in_air.remove(column);
            self.finish_column(column, y, id);
        }
    }

    fn depth(&self, column: usize) -> u8 {
        as_depth(self.depth[column] + self.layers)
    }

    fn open_ceiling(&mut self, column: usize) {
        self.in_ceiling.remove(column);
        self.in_air.insert(column);
        self.out.ground[column] = BlockId::AIR;
        self.out.ground_y[column] = NO_HEIGHT;
    }

    fn overlay(&mut self, column: usize, y: i16, id: BlockId) {
        let order = self.overlays[column];
        if order < MAX_OVERLAYS {
            self.out.overlays.push(Overlay {
                column: column as u8,
                order,
                id,
            });
            self.overlays[column] += 1;
            self.overlay_y[column] = y;
        } else {
            self.full.insert(column);
        }
    }

    fn finish_column(&mut self, column: usize, y: i16, id: BlockId) {
        self.out.ground[column] = id;
        self.out.ground_y[column] = y;
        self.left -= 1;
    }

    /// Ends the columns that never reached ground. Returns the traits of all blocks met.
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

        // In a column without water the ground is the top.
        for (top, &ground) in self.out.top_y.iter_mut().zip(&self.out.ground_y) {
            *top = if *top == NO_HEIGHT { ground } else { *top };
        }

        self.met
    }

    /// Sorts the overlays by column, then from the top down. The counts per column and the order in
    /// a column determine the index of each overlay.
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
                let index = usize::from(starts[usize::from(overlays[at].column)])
                    + usize::from(overlays[at].order);
                if index == at {
                    break;
                }
                overlays.swap(at, index);
            }
        }
    }

    /// Makes the lowest overlay of a column its ground, for columns such as glass over the void.
    fn lowest_overlay_as_ground(&mut self, column: usize) {
        let order = self.overlays[column] - 1;
        let mut overlays = self.out.overlays.iter();
        let lowest = overlays
            .position(|overlay| usize::from(overlay.column) == column && overlay.order == order);
        if let Some(at) = lowest {
            let overlay = self.out.overlays.remove(at);
            self.finish_column(column, self.overlay_y[column], overlay.id);
        }
    }
}

fn as_depth(wet: i16) -> u8 {
    u8::try_from(wet).unwrap_or(u8::MAX)
}
