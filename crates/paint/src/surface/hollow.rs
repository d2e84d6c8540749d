//! Walks below the land: from the visible ground, past trees, down to the floor of the topmost
//! hollow. The layer of caves shows these floors.
//!
//! A hollow is two or more cells of air or water, one above the other, so that a player has room.
//! Houses, bridges and overhangs are roofs over a hollow; trees, ice and glass are not. A flooded
//! cave is a hollow, and its water is drawn like a lake's. A ravine or a shaft that is open to the
//! sky is part of the land.

use std::ops::RangeInclusive;

use crate::surface::columns::{Columns, NO_HEIGHT, Overlay, SavedFacts};
use crate::surface::scan::{MAX_OVERLAYS, finish, is_decided_by_layers};
use pixelmap_base::coord::{CHUNK_AREA, YRange};
use pixelmap_world::chunk::{Block, Chunk, Mask, Slice};
use pixelmap_world::names::{BlockId, Traits};

const LAYERS: i32 = 16;
/// With this many columns or more, whole layers are read instead of single cells.
const MANY: u32 = 16;

/// Walks down the columns of a chunk to the floor of the first hollow within `range`, and writes
/// the floors into `out`, which must be empty. The walk begins at the ground in `land`, which has
/// the same chunk seen from the sky or from under a ceiling. A column without a hollow gets no
/// ground, and the height of the land as `top_y`. Biomes are not written, because floors have no
/// tint.
pub fn hollows(chunk: &mut Chunk<'_>, land: &Columns, range: YRange, out: &mut Columns) {
    // Every walk sets this first, so that the columns do not count as clear: see
    // `Columns::is_clear`.
    out.saved = Some(SavedFacts::default());
    find_land(chunk, land, range, out);

    let mut order = Order::new(&out.top_y);
    let mut search = HollowSearch::new(out);
    let mut above = i32::MAX;
    for section in 0..chunk.sections() {
        let bottom = chunk.section_y(section);
        let heights = range.min.max(bottom)..=range.max.min(bottom + LAYERS - 1);
        if heights.is_empty() {
            continue;
        }

        if bottom + LAYERS < above {
            order.each_above(above - 1, |column| search.rock.insert(column));
            search.pass_air(above);
        }

        above = bottom;

        if search.is_idle() && order.highest().is_none_or(|y| y <= bottom) {
            if order.highest().is_none() {
                break;
            }
            continue;
        }

        if chunk.all_blocks(section, Traits::is_unseen) {
            order.each_above(bottom + LAYERS - 1, |column| search.rock.insert(column));
            search.pass_air(bottom + LAYERS);
            continue;
        }

        search.section(chunk, section, heights, &mut order);
    }

    let met = search.end();
    finish(chunk, met, out);
}

/// Writes the heights of the land as `top_y`: the height of the visible ground, or, below a tree,
/// of the terrain under it.
fn find_land(chunk: &mut Chunk<'_>, land: &Columns, range: YRange, out: &mut Columns) {
    let mut trees = Mask::NONE;
    let mut highest = NO_HEIGHT;

    // Neighbouring columns mostly end in the same block, so we look up its traits only if the block
    // changes.
    let mut last = BlockId::AIR;
    let mut is_terrain = false;
    for (column, (&ground, &y)) in land.ground.iter().zip(&land.ground_y).enumerate() {
        if y == NO_HEIGHT || ground == BlockId::AIR {
            continue;
        }

        if ground != last {
            last = ground;
            is_terrain = chunk.name_cache().traits(ground).is_terrain();
        }

        if is_terrain {
            out.top_y[column] = y;
        } else {
            trees.insert(column);
            highest = highest.max(y);
        }
    }

    for section in 0..chunk.sections() {
        let bottom = chunk.section_y(section);
        if trees.is_empty() || bottom + LAYERS - 1 < range.min {
            return;
        }
        if bottom >= i32::from(highest) || chunk.all_blocks(section, |traits| !traits.is_terrain())
        {
            continue;
        }

        trees.each(|column| {
            let from = (i32::from(land.ground_y[column]) - 1 - bottom).min(LAYERS - 1);
            let Ok(from) = usize::try_from(from) else {
                return;
            };

            let mut terrain_y = None;
            chunk.visit_down(section, column, from, |layer, block| {
                terrain_y = block.traits.is_terrain().then_some(bottom + layer as i32);
                terrain_y.is_some()
            });

            if let Some(y) = terrain_y {
                trees.remove(column);
                out.top_y[column] = if y < range.min { NO_HEIGHT } else { y as i16 };
            }
        });
    }
}

/// The columns of a chunk, sorted by the height of their land, the highest first.
struct Order {
    columns: [u8; CHUNK_AREA],
    heights: [i16; CHUNK_AREA],
    /// The number of columns whose walk has begun.
    begun: usize,
}

impl Order {
    fn new(heights: &[i16; CHUNK_AREA]) -> Self {
        let mut columns = std::array::from_fn(|column| column as u8);
        columns.sort_unstable_by_key(|&column| std::cmp::Reverse(heights[usize::from(column)]));
        Self {
            columns,
            heights: *heights,
            begun: 0,
        }
    }

    /// Returns the highest land among the columns that have not begun.
    fn highest(&self) -> Option<i32> {
        let column = usize::from(*self.columns.get(self.begun)?);
        (self.heights[column] != NO_HEIGHT).then(|| i32::from(self.heights[column]))
    }

    /// Begins the columns whose land is above `y`.
    fn each_above(&mut self, y: i32, mut begin: impl FnMut(usize)) {
        while self.highest().is_some_and(|highest| highest > y) {
            begin(usize::from(self.columns[self.begun]));
            self.begun += 1;
        }
    }
}

/// The part of a column's hollow that is known so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hollow {
    /// One open cell below rock, perhaps the first of a hollow. `true` if it is water.
    Gap(bool),
    Air,
    /// The water of a hollow, with the height of the water's surface.
    Water(i16),
}

impl Hollow {
    /// Returns the state of a column that leaves rock. `here` and `above` are its layers at `y` and
    /// one higher; its cell at `y` is open.
    fn from_cells(column: usize, here: Slice, above: Slice, y: i16) -> Self {
        match (above.open().has(column), here.water.has(column)) {
            (false, is_water) => Self::Gap(is_water),
            (true, _) if above.water.has(column) => Self::Water(y + 1),
            (true, true) => Self::Water(y),
            (true, false) => Self::Air,
        }
    }
}

/// Columns in hollows that pass a section layer by layer, sorted by the layers that change them.
/// Most layers change no column, so their cells need not be read.
#[derive(Default)]
struct CalmColumns {
    /// All columns of the set. It is empty or has many columns.
    columns: Mask,
    air: Mask,
    water: Mask,
    /// Columns that already have as many overlays as are kept.
    full: Mask,
    /// Whether [`is_decided_by_layers`] holds for the section.
    is_decided: bool,
}

impl CalmColumns {
    /// Sorts a column by its state.
    fn put(&mut self, column: usize, hollow: Hollow, overlays: u8) {
        for (mask, is_in) in [
            (&mut self.air, hollow == Hollow::Air),
            (&mut self.water, matches!(hollow, Hollow::Water(_))),
            (&mut self.full, overlays >= MAX_OVERLAYS),
        ] {
            mask.remove(column);
            if is_in {
                mask.insert(column);
            }
        }
    }

    /// Returns the columns for which a layer changes nothing.
    fn unaffected_columns(
        &self,
        Slice {
            unseen,
            water,
            ground,
        }: Slice,
    ) -> Mask {
        let seen_through = if self.is_decided {
            self.full.without(water).without(ground)
        } else {
            Mask::NONE
        };

        self.air
            .and(unseen.or(seen_through))
            .or(self.water.and(unseen.or(water)))
    }
}

/// The columns of a chunk on the way down below the land.
struct HollowSearch<'a> {
    out: &'a mut Columns,
    /// Columns that are between the land and the hollow, in rock or anything else.
    rock: Mask,
    /// Columns that reached the end of a section in a hollow, or in a cell that may be the first of
    /// one.
    open: Mask,
    hollows: [Hollow; CHUNK_AREA],
    /// The number of overlays that were kept for each column.
    overlays: [u8; CHUNK_AREA],
    /// The traits of all floors and overlays met.
    met: Traits,
}

impl<'a> HollowSearch<'a> {
    const fn new(out: &'a mut Columns) -> Self {
        Self {
            out,
            rock: Mask::NONE,
            open: Mask::NONE,
            hollows: [Hollow::Air; CHUNK_AREA],
            overlays: [0; CHUNK_AREA],
            met: Traits::GROUND,
        }
    }

    fn is_idle(&self) -> bool {
        self.rock.or(self.open).is_empty()
    }

    /// Passes layers below `y` that contain nothing but air.
    fn pass_air(&mut self, y: i32) {
        let hollows = &mut self.hollows;
        self.open.each(|column| match hollows[column] {
            Hollow::Gap(true) => hollows[column] = Hollow::Water(y as i16),
            Hollow::Gap(false) => hollows[column] = Hollow::Air,
            Hollow::Air | Hollow::Water(_) => {}
        });
        self.rock.each(|column| hollows[column] = Hollow::Air);
        self.open = self.open.or(self.rock);
        self.rock = Mask::NONE;
    }

    /// Passes the layers of a section at these heights.
    fn section(
        &mut self,
        chunk: &mut Chunk<'_>,
        section: usize,
        heights: RangeInclusive<i32>,
        order: &mut Order,
    ) {
        let lowest = *heights.start();
        let highest = *heights.end();
        let mut calm = CalmColumns {
            is_decided: chunk.all_blocks(section, is_decided_by_layers),
            ..CalmColumns::default()
        };
        let open = std::mem::replace(&mut self.open, Mask::NONE);
        self.enter(chunk, section, open, highest..=lowest, &mut calm);

        for y in heights.rev() {
            self.pass_layer(chunk, section, y..=lowest, &mut calm);
            order.each_above(y, |column| self.rock.insert(column));

            // A hollow has at least two cells, one above the other, and one of any two is at an
            // even height. So odd heights need not be checked.
            if y & 1 != 0 || self.rock.is_empty() {
                continue;
            }

            let here = chunk.slice(section, (y & 15) as usize, self.rock);
            let open = here.open().and(self.rock);
            if open.is_empty() {
                continue;
            }

            let above = chunk.slice(section, (y & 15) as usize + 1, open);
            open.each(|column| {
                self.hollows[column] = Hollow::from_cells(column, here, above, y as i16);
            });
            let open =
                open.without(self.pass_gaps(chunk, section, open.without(above.open()), y, lowest));
            self.rock = self.rock.without(open);
            self.enter(chunk, section, open, y - 1..=lowest, &mut calm);
        }

        self.open = self.open.or(calm.columns);
    }

    /// Handles `gaps`: columns whose cell at the even height `y` is open, but whose cell above is
    /// not. Returns the columns that the caller must not treat as hollows. These are the columns
    /// with rock one cell lower, because one cell is too low for a hollow, and the columns whose
    /// section ends here. The latter are moved to `open`, because the gap may be the first cell of
    /// a hollow.
    fn pass_gaps(
        &mut self,
        chunk: &mut Chunk<'_>,
        section: usize,
        gaps: Mask,
        y: i32,
        lowest: i32,
    ) -> Mask {
        if gaps.is_empty() {
            return gaps;
        }
        if y > lowest {
            return gaps.without(chunk.slice(section, (y & 15) as usize - 1, gaps).open());
        }

        self.rock = self.rock.without(gaps);
        self.open = self.open.or(gaps);

        gaps
    }

    /// Continues columns in hollows at the first of these heights: layer by layer if they are many,
    /// otherwise one by one.
    fn enter(
        &mut self,
        chunk: &mut Chunk<'_>,
        section: usize,
        columns: Mask,
        heights: RangeInclusive<i32>,
        calm: &mut CalmColumns,
    ) {
        if calm.columns.or(columns).count() >= MANY {
            calm.columns = calm.columns.or(columns);
            columns.each(|column| calm.put(column, self.hollows[column], self.overlays[column]));
        } else {
            columns.each(|column| self.walk(chunk, section, column, heights.clone()));
        }
    }

    /// Passes the first of these heights. Single cells are read only for columns that the layer
    /// changes. If fewer than `MANY` columns remain, they walk on one by one.
    fn pass_layer(
        &mut self,
        chunk: &mut Chunk<'_>,
        section: usize,
        heights: RangeInclusive<i32>,
        calm: &mut CalmColumns,
    ) {
        if calm.columns.is_empty() {
            return;
        }

        let (y, lowest) = heights.into_inner();
        let at = (y & 15) as usize;
        let changing =
            calm.columns
                .without(calm.unaffected_columns(chunk.slice(section, at, calm.columns)));
        if changing.is_empty() {
            return;
        }

        chunk.each(section, at, changing, |column, block| {
            if self.meet(column, y as i16, block) {
                calm.columns.remove(column);
            }
            calm.put(column, self.hollows[column], self.overlays[column]);
        });

        if calm.columns.count() < MANY {
            let few = std::mem::replace(&mut calm.columns, Mask::NONE);
            few.each(|column| self.walk(chunk, section, column, y - 1..=lowest));
        }
    }

    /// Walks down a column in its hollow, until its floor or the end of these heights. `heights`
    /// begins with the highest.
    fn walk(
        &mut self,
        chunk: &mut Chunk<'_>,
        section: usize,
        column: usize,
        heights: RangeInclusive<i32>,
    ) {
        let (from, lowest) = heights.into_inner();
        let bottom = from & !15;
        let ended = lowest <= from
            && chunk.visit_down(section, column, (from & 15) as usize, |layer, block| {
                let y = bottom + layer as i32;
                y < lowest || self.meet(column, y as i16, block)
            });

        if !ended {
            self.open.insert(column);
        }
    }

    /// Handles one cell in a hollow, or after a cell that may be the first of one. Returns whether
    /// the hollow has ended.
    #[inline]
    fn meet(&mut self, column: usize, y: i16, Block { id, traits }: Block) -> bool {
        match self.hollows[column] {
            Hollow::Gap(_) if !is_open(traits) => {
                self.rock.insert(column);
                return true;
            }
            Hollow::Gap(true) => self.hollows[column] = Hollow::Water(y + 1),
            _ if traits.is_unseen() => {
                if let Hollow::Gap(_) = self.hollows[column] {
                    self.hollows[column] = Hollow::Air;
                }
            }
            Hollow::Water(_) if traits.is_water() => {}
            Hollow::Water(surface_y) => {
                return self.finish_column(column, y, id, traits, surface_y);
            }
            _ if traits.is_water() => self.hollows[column] = Hollow::Water(y),
            _ if traits.any(Traits::OVERLAY) && !traits.any(Traits::WET) => {
                self.overlay(column, id, traits);
            }
            _ => return self.finish_column(column, y, id, traits, y),
        }

        false
    }

    fn overlay(&mut self, column: usize, id: BlockId, traits: Traits) {
        self.met = self.met.with(traits);
        let order = self.overlays[column];
        if order < MAX_OVERLAYS {
            self.out.overlays.push(Overlay {
                column: column as u8,
                order,
                id,
            });
            self.overlays[column] += 1;
        }
    }

    /// Ends a column at its floor.
    fn finish_column(
        &mut self,
        column: usize,
        y: i16,
        id: BlockId,
        traits: Traits,
        top_y: i16,
    ) -> bool {
        self.met = self.met.with(traits);
        self.out.ground[column] = id;
        self.out.ground_y[column] = y;
        self.out.top_y[column] = top_y;
        let is_own_cell_wet = if top_y == y {
            traits.is_under_own_water()
        } else {
            traits.any(Traits::WET)
        };
        let wet = i32::from(top_y) - i32::from(y) + i32::from(is_own_cell_wet);
        self.out.depth[column] = u8::try_from(wet).unwrap_or(u8::MAX);

        true
    }

    /// Sorts the overlays. Returns the traits of all floors and overlays met.
    fn end(self) -> Traits {
        let out = self.out;
        let ground_y = &out.ground_y;

        // A column above the void ends without a floor, so it is not a hollow and its overlays are
        // dropped.
        out.overlays
            .retain(|overlay| ground_y[usize::from(overlay.column)] != NO_HEIGHT);
        out.overlays
            .sort_unstable_by_key(|overlay| (overlay.column, overlay.order));

        self.met
    }
}

/// Returns whether a player can stand or swim in a block.
const fn is_open(traits: Traits) -> bool {
    traits.is_unseen() || traits.is_water()
}
