//! Collects the columns from which the inner tiles of a region are painted, while the region is
//! read. Inner tiles show textures, so each column needs the pictures of its blocks, their colours,
//! and the overlays. `shown_region` stores the columns and paints the tiles.

use std::sync::Arc;

use crate::layers::colours::colour_cache::ColourCache;
use crate::layers::colours::relief::Relief;
use crate::layers::colours::tint::ChunkTints;
use crate::layers::colours::tone::{self, Rgb};
use crate::layers::inner::shown_region::{
    BlockLook, Cover, EMPTY, FLAT, InnerTone, PictureList, ShownColumn, ShownRegion,
};
use crate::layers::land::day::{Water, floor_colour, ground_colour, slope_colour};
use crate::layers::land::night::NightTone;
use crate::layers::row::ChunkRow;
use crate::palette::{Palette, Tint};
use crate::surface::{Columns, NO_HEIGHT};
use crate::textures::{BlockTextures, Textures};
use pixelmap_base::coord::{Area, CHUNK_SIDE, RegionPos, TilePos};
use pixelmap_tile::Canvas;
use pixelmap_world::names::{BlockId, NameCache};

/// Collects the columns that inner tiles show of one region at a time, in one view.
#[derive(Debug)]
pub struct InnerColumns {
    paints: ColourCache,
    tints: ChunkTints,
    learned: LearnedPictures,
    region: ShownRegion,
    night: NightTone,
}

impl InnerColumns {
    pub fn new(palette: Arc<Palette>, textures: Arc<Textures>) -> Self {
        Self {
            paints: ColourCache::new(palette),
            tints: ChunkTints::default(),
            learned: LearnedPictures {
                textures,
                blocks: Vec::new(),
            },
            region: ShownRegion::default(),
            night: NightTone::default(),
        }
    }

    /// Begins a region without any columns. Only the chunks that `area` touches will be shown.
    pub fn start(&mut self, region: RegionPos, area: Area) {
        self.region.start(region, area);
    }

    /// Adds a row of chunks.
    pub fn add(&mut self, row: &ChunkRow<'_>, name_cache: &mut NameCache) {
        self.learned.learn_water(&mut self.region.pictures);

        for (number, chunk) in row
            .chunks
            .iter()
            .enumerate()
            .filter(|(_, chunk)| !chunk.is_empty())
        {
            let corner = ChunkCorner {
                region: row.region,
                x: number * CHUNK_SIDE,
                z: row.index * CHUNK_SIDE,
            };
            if self.region.index(corner.x, corner.z).is_none() {
                continue;
            }

            self.tints.start(row.biomes, row.index, number);
            let relief = Relief::new(row, number);
            self.add_ground(chunk, &relief, corner, name_cache);
            self.add_covers(chunk, &relief, corner, name_cache);
        }
    }

    fn add_ground(
        &mut self,
        chunk: &Columns,
        relief: &Relief,
        corner: ChunkCorner,
        name_cache: &mut NameCache,
    ) {
        for column in (0..chunk.ground.len()).filter(|&column| chunk.top_y[column] != NO_HEIGHT) {
            let (id, depth) = (chunk.ground[column], chunk.depth[column]);
            let position = corner.position(column, chunk.ground_y[column]);
            let picture = self.picture(id, position, name_cache);
            let tint = self.tint(id, column, name_cache);
            let coat = self.paints.learned_coat(id);
            let colour = coat.colour(tint);

            let mut shown = ShownColumn {
                light: chunk.light[column],
                ..EMPTY
            };
            shown.ground = BlockLook {
                picture,
                colour: ground_colour(coat, colour, relief.top[column]),
                tint,
            };

            if depth > 0 {
                shown.ground.colour = floor_colour(colour, relief.ground[column]);
                let tint = self
                    .tints
                    .tint_at(Tint::Water, column, &mut self.paints, name_cache);
                let water = Water::at_depth(depth, tone::unpack_colour(tint));
                (shown.water, shown.water_share) = (water.colour, water.share as u8);

                if id == BlockId::AIR {
                    // The whole column is drawn as water if the water does not end at a floor.
                    shown.ground = BlockLook {
                        picture: FLAT,
                        colour: water.colour,
                        tint: [0; 3],
                    };
                }
            }

            if let Some(index) = corner.index(column, &self.region) {
                self.region.set(index, shown);
            }
        }
    }

    fn add_covers(
        &mut self,
        chunk: &Columns,
        relief: &Relief,
        corner: ChunkCorner,
        name_cache: &mut NameCache,
    ) {
        // In reverse order each column's lowest overlay comes first.
        for overlay in chunk.overlays.iter().rev() {
            let column = usize::from(overlay.column);
            if chunk.top_y[column] == NO_HEIGHT {
                continue;
            }

            let position = corner.position(column, chunk.top_y[column].saturating_add(1));
            let picture = self.picture(overlay.id, position, name_cache);
            let tint = self.tint(overlay.id, column, name_cache);

            let coat = self.paints.learned_coat(overlay.id);
            let colour = slope_colour(coat.colour(tint), relief.top[column]);
            let sixteenths = coat.sixteenths as u8;
            if let Some(index) = corner.index(column, &self.region) {
                let shown = BlockLook {
                    picture,
                    colour,
                    tint,
                };
                self.region.cover(index, Cover { shown, sixteenths });
            }
        }
    }

    /// Returns the number of the picture of a block at a position.
    fn picture(&mut self, id: BlockId, position: [i32; 3], name_cache: &mut NameCache) -> u32 {
        let Self {
            learned,
            region,
            paints,
            ..
        } = self;
        learned.picture(
            &mut region.pictures,
            BlockAt { id, position },
            paints.palette(),
            name_cache,
        )
    }

    /// Returns the tint of a block in a column. Afterwards `learned_coat` works for the block.
    fn tint(&mut self, id: BlockId, column: usize, name_cache: &mut NameCache) -> Rgb {
        let tint = self.paints.coat(id, name_cache).tint;
        tone::unpack_colour(
            self.tints
                .tint_at(tint, column, &mut self.paints, name_cache),
        )
    }

    /// Empties the columns outside an area.
    pub fn mask(&mut self, region: RegionPos, area: Area) {
        self.region.mask(region, area);
    }

    /// Paints an inner tile of the region onto a cleared canvas.
    pub fn paint(&mut self, tile: TilePos, tone: InnerTone, canvas: &mut Canvas) {
        self.region.paint(tile, tone, &mut self.night, canvas);
    }

    /// Removes and returns the columns of the region, so that they can be painted without this
    /// collector.
    pub fn take(&mut self) -> ShownRegion {
        self.region.take()
    }
}

/// The north-western corner of a chunk in its region.
#[derive(Debug, Clone, Copy)]
struct ChunkCorner {
    region: RegionPos,
    x: usize,
    z: usize,
}

impl ChunkCorner {
    /// Returns the index of a column of the chunk among the shown columns, or `None` if the column
    /// is not shown.
    fn index(self, column: usize, shown: &ShownRegion) -> Option<usize> {
        shown.index(self.x + column % CHUNK_SIDE, self.z + column / CHUNK_SIDE)
    }

    /// Returns the position in the world of the block at height `y` in a column.
    fn position(self, column: usize, y: i16) -> [i32; 3] {
        let corner = self.region.corner();
        let x = corner.x + (self.x + column % CHUNK_SIDE) as i32;
        let z = corner.z + (self.z + column / CHUNK_SIDE) as i32;

        [x, y.into(), z]
    }
}

/// A block in the world.
#[derive(Debug, Clone, Copy)]
struct BlockAt {
    id: BlockId,
    position: [i32; 3],
}

/// The pictures of the blocks that were met so far.
#[derive(Debug)]
struct LearnedPictures {
    textures: Arc<Textures>,
    /// Indexed by block id. `None`: the block was not met yet.
    blocks: Vec<Option<LearnedBlock>>,
}

/// The pictures of a block (the game chooses one of them by position), and the number of the first
/// picture.
#[derive(Debug, Clone)]
struct LearnedBlock {
    /// `None` if the block is drawn in its colour, because a texture is missing.
    looks: Option<Arc<BlockTextures>>,
    first: u32,
}

impl LearnedPictures {
    fn picture(
        &mut self,
        list: &mut PictureList,
        BlockAt { id, position }: BlockAt,
        palette: &Palette,
        name_cache: &mut NameCache,
    ) -> u32 {
        if self.blocks.len() <= id.index() {
            self.blocks.resize(id.index() + 1, None);
        }

        let textures = &self.textures;
        let learned = self.blocks[id.index()].get_or_insert_with(|| {
            let (name, state) = name_cache.name_at(id.index());
            let looks = find(textures, &name, &state, palette);
            let first = list.pictures.len() as u32;
            list.pictures
                .extend(looks.iter().flat_map(|looks| looks.pictures()).cloned());
            LearnedBlock { looks, first }
        });

        learned
            .looks
            .as_ref()
            .map_or(FLAT, |looks| learned.first + looks.chosen(position) as u32)
    }

    /// Adds the picture of water to the list. Columns do not contain water as a block, so `picture`
    /// would never add it.
    fn learn_water(&self, list: &mut PictureList) {
        if list.water.is_some() {
            return;
        }
        list.water = Some(FLAT);
        if let Some(looks) = self.textures.block("minecraft:water", "") {
            list.pictures.extend(looks.pictures().take(1).cloned());
            list.water = Some(list.pictures.len() as u32 - 1);
        }
    }
}

/// Finds the pictures of a block by its name, or else by the name that the block has today.
fn find(
    textures: &Textures,
    name: &str,
    state: &str,
    palette: &Palette,
) -> Option<Arc<BlockTextures>> {
    textures.block(name, state).or_else(|| {
        let (name, implied) = palette.renamed(name)?;
        let parts = [implied, state].into_iter().filter(|part| !part.is_empty());
        textures.block(&name, &parts.collect::<Vec<_>>().join(","))
    })
}
