//! Stores the columns of a region for the zoom levels at which a block is larger than a pixel, and
//! paints the inner tiles from them.
//!
//! A pixel has the colour that its block has on the native tile, times the texel over the texture's
//! mean. So tints, relief, the depth of water and the night's tone are the same as on the native
//! tile, and the mean of a block's pixels is its native colour.

use std::sync::Arc;

use crate::layers::colours::tone::{self, Rgb};
use crate::layers::land::night::NightTone;
use crate::textures::{Picture, SIDE};
use pixelmap_base::coord::{Area, CHUNK_SIDE, NATIVE_ZOOM, RegionPos, TILE_SIDE, TilePos};
use pixelmap_tile::{Canvas, Pixel, to_lattice};

/// The light in which a layer shows textures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InnerTone {
    Day,
    Night,
}

/// Used instead of a picture's number for a block without a picture. The block is then drawn in its
/// colour.
pub(crate) const FLAT: u32 = u32::MAX;
/// Used instead of a level of light for a column without blocks.
const NOTHING: u8 = u8::MAX;
/// The brightness of the inside of a block, visible through the holes of leaves, over 256.
const IN_HOLES: u32 = 150;

/// The visible look of a block: its picture and its colour.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlockLook {
    /// The number of the block's picture, or `FLAT`.
    pub(crate) picture: u32,
    pub(crate) colour: Rgb,
    /// The biome's tint, for pictures that are only partly tinted.
    pub(crate) tint: Rgb,
}

/// The visible parts of a column.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShownColumn {
    pub(crate) ground: BlockLook,
    /// The colour of the water over the ground. `water_share` is how much of the ground the water
    /// hides, over 256, or 0 for a dry column.
    pub(crate) water: Rgb,
    pub(crate) water_share: u8,
    /// The level of light, or [`NOTHING`] in a column without blocks.
    pub(crate) light: u8,
    /// The number of covers. They are consecutive in the list of covers, from the lowest one up,
    /// and `first_cover` is the index of the lowest.
    pub(crate) covers: u8,
    pub(crate) first_cover: u32,
}

pub(crate) const EMPTY: ShownColumn = ShownColumn {
    ground: BlockLook {
        picture: FLAT,
        colour: [0; 3],
        tint: [0; 3],
    },
    water: [0; 3],
    water_share: 0,
    light: NOTHING,
    covers: 0,
    first_cover: 0,
};

#[derive(Debug, Clone, Copy)]
pub(crate) struct Cover {
    pub(crate) shown: BlockLook,
    /// How much of the block below is hidden by a cover without a picture, in sixteenths.
    pub(crate) sixteenths: u8,
}

/// The part of a region that is shown, in columns from the region's north-western corner. It
/// consists of whole chunks.
#[derive(Debug, Clone, Copy, Default)]
struct Window {
    x0: usize,
    z0: usize,
    x1: usize,
    z1: usize,
}

impl Window {
    /// Returns the chunks of a region that an area touches.
    fn new(region: RegionPos, area: Area) -> Self {
        let whole = region.area();
        let part = area.overlap(whole);
        if part.is_empty() {
            return Self::default();
        }

        let [x0, z0, x1, z1] = [
            part.x0 - whole.x0,
            part.z0 - whole.z0,
            part.x1 - whole.x0,
            part.z1 - whole.z0,
        ]
        .map(|at| at as usize);

        Self {
            x0: x0 / CHUNK_SIDE * CHUNK_SIDE,
            z0: z0 / CHUNK_SIDE * CHUNK_SIDE,
            x1: x1.next_multiple_of(CHUNK_SIDE),
            z1: z1.next_multiple_of(CHUNK_SIDE),
        }
    }

    const fn width(self) -> usize {
        self.x1 - self.x0
    }
}

/// The columns of a region, or of a part of it, from which its inner tiles are painted in one view.
#[derive(Debug, Default)]
pub struct ShownRegion {
    window: Window,
    /// The columns of the window, `[z][x]`. Empty until a region is begun.
    columns: Vec<ShownColumn>,
    covers: Vec<Cover>,
    pub(crate) pictures: PictureList,
}

/// The pictures of blocks. The number of a picture is its index.
#[derive(Debug, Clone, Default)]
pub(crate) struct PictureList {
    pub(crate) pictures: Vec<Arc<Picture>>,
    /// The number of the picture of water, or `FLAT`. `None` until the picture was looked up.
    pub(crate) water: Option<u32>,
}

impl ShownRegion {
    /// Begins a region without any columns. Only the chunks that `area` touches will be shown.
    pub(crate) fn start(&mut self, region: RegionPos, area: Area) {
        self.window = Window::new(region, area);
        self.columns.clear();
        self.columns.resize(
            self.window.width() * (self.window.z1 - self.window.z0),
            EMPTY,
        );
        self.covers.clear();
    }

    /// Returns the index of a column of the region, or `None` if the column is not shown.
    pub(crate) fn index(&self, x: usize, z: usize) -> Option<usize> {
        let Window { x0, z0, x1, z1 } = self.window;
        let is_shown = (x0..x1).contains(&x) && (z0..z1).contains(&z);
        is_shown.then(|| (z - z0) * self.window.width() + x - x0)
    }

    pub(crate) fn set(&mut self, index: usize, column: ShownColumn) {
        self.columns[index] = column;
    }

    /// Adds a cover on top of a column. All covers of a column must be added one after the other.
    pub(crate) fn cover(&mut self, index: usize, cover: Cover) {
        let column = &mut self.columns[index];
        if column.covers == 0 {
            column.first_cover = self.covers.len() as u32;
        }
        column.covers += 1;
        self.covers.push(cover);
    }

    /// Removes and returns the current region. The pictures are copied, so that the next region can
    /// use them.
    pub(crate) fn take(&mut self) -> Self {
        let pictures = self.pictures.clone();
        std::mem::replace(
            self,
            Self {
                pictures,
                ..Self::default()
            },
        )
    }

    /// Empties the columns outside an area.
    pub fn mask(&mut self, region: RegionPos, area: Area) {
        let whole = region.area();
        let inside = area.overlap(whole);
        let Window { x0, z0, .. } = self.window;

        for (z, row) in self
            .columns
            .chunks_exact_mut(self.window.width().max(1))
            .enumerate()
        {
            let row_z = whole.z0 + (z0 + z) as i32;
            let is_row_in = (inside.z0..inside.z1).contains(&row_z);
            for (x, column) in row.iter_mut().enumerate() {
                let column_x = whole.x0 + (x0 + x) as i32;
                if !is_row_in || !(inside.x0..inside.x1).contains(&column_x) {
                    *column = EMPTY;
                }
            }
        }
    }

    /// Paints an inner tile of the region onto a canvas. Columns that are not shown keep the
    /// canvas's pixels.
    pub fn paint(
        &self,
        tile: TilePos,
        tone: InnerTone,
        night: &mut NightTone,
        canvas: &mut Canvas,
    ) {
        let level = tile.zoom - NATIVE_ZOOM;
        let side = 1 << level;
        let blocks = TILE_SIDE / side;
        let [west, north] = [tile.x, tile.y].map(|at| at.rem_euclid(side as i32) as usize * blocks);
        let Window { x0, z0, x1, z1 } = self.window;

        let columns = west.max(x0)..(west + blocks).min(x1);
        let mut pixels = [Pixel::CLEAR; SIDE * SIDE];
        let pixels = &mut pixels[..side * side];
        for z in north.max(z0)..(north + blocks).min(z1) {
            if columns.is_empty() {
                return;
            }

            let row = &self.columns[(z - z0) * self.window.width()..][..self.window.width()];
            let row = &row[columns.start - x0..columns.end - x0];
            if row.iter().all(|column| column.light == NOTHING) {
                continue;
            }

            let y = (z - north) * side;
            let rows = &mut canvas.band_mut(y / CHUNK_SIDE)[y % CHUNK_SIDE * TILE_SIDE..];
            for (x, &column) in columns
                .clone()
                .zip(row)
                .filter(|(_, column)| column.light != NOTHING)
            {
                self.paint_column(column, level, pixels);

                if tone == InnerTone::Night {
                    for pixel in pixels.iter_mut() {
                        *pixel = night.pixel(*pixel, column.light);
                    }
                }

                for (y, pixels) in pixels.chunks_exact(side).enumerate() {
                    rows[y * TILE_SIDE + (x - west) * side..][..side].copy_from_slice(pixels);
                }
            }
        }
    }

    /// Paints the pixels of a column by day, `[z][x]`.
    fn paint_column(&self, column: ShownColumn, level: u8, pixels: &mut [Pixel]) {
        let mut colours = [[0; 3]; SIDE * SIDE];
        let colours = &mut colours[..pixels.len()];
        self.pictures.lay_ground(column.ground, level, colours);

        if column.water_share > 0 {
            self.pictures
                .lay_water(column.water, u32::from(column.water_share), level, colours);
        }

        let first = column.first_cover as usize;
        for &cover in &self.covers[first..first + usize::from(column.covers)] {
            self.pictures.lay_cover(cover, level, colours);
        }

        for (pixel, colour) in pixels.iter_mut().zip(colours) {
            *pixel = Pixel::from_rgb(to_lattice(*colour));
        }
    }
}

impl PictureList {
    fn known(&self, number: u32) -> Option<&Picture> {
        self.pictures.get(number as usize).map(|picture| &**picture)
    }

    fn lay_ground(&self, ground: BlockLook, level: u8, colours: &mut [Rgb]) {
        let Some(picture) = self.known(ground.picture) else {
            return colours.fill(ground.colour);
        };

        // The inside of the block is visible through the holes of its picture, and it is darker. So
        // we make the rest brighter, so that the mean colour does not change.
        let covered = u32::from(picture.coverage());
        let whole = covered * 256 + (255 - covered) * IN_HOLES;

        let bright = ground
            .colour
            .map(|channel| (u32::from(channel) * 255 * 256 / whole.max(1)).min(255) as u8);
        let hole = tone::scale_colour(bright, IN_HOLES);
        let factors = picture.factors(bright, ground.tint);
        for (colour, &texel) in colours.iter_mut().zip(picture.texels(level)) {
            *colour = match texel.alpha {
                255 => factors.colour(texel),
                alpha => tone::mix_colours(hole, factors.colour(texel), alpha.into(), 255),
            };
        }
    }

    fn lay_water(&self, water: Rgb, share: u32, level: u8, colours: &mut [Rgb]) {
        let Some(picture) = self.known(self.water.unwrap_or(FLAT)) else {
            for colour in colours {
                *colour = tone::mix_colours(*colour, water, share, 256);
            }
            return;
        };
        let factors = picture.factors(water, [255; 3]);
        for (colour, &texel) in colours.iter_mut().zip(picture.texels(level)) {
            *colour = tone::mix_colours(*colour, factors.colour(texel), share, 256);
        }
    }

    fn lay_cover(&self, Cover { shown, sixteenths }: Cover, level: u8, colours: &mut [Rgb]) {
        let Some(picture) = self.known(shown.picture) else {
            let share = u32::from(sixteenths);
            for colour in colours {
                *colour = tone::mix_colours(*colour, shown.colour, share, 16);
            }
            return;
        };

        let factors = picture.factors(shown.colour, shown.tint);
        for (colour, &texel) in colours.iter_mut().zip(picture.texels(level)) {
            *colour = match texel.alpha {
                0 => continue,
                255 => factors.colour(texel),
                alpha => tone::mix_colours(*colour, factors.colour(texel), alpha.into(), 255),
            };
        }
    }
}
