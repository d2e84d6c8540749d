//! What is shown of a region at the zoom levels at which a block is more than a pixel, and its tiles there.
//!
//! A pixel has the colour of its block on the native tile, times the texel over the texture's mean: so tints, relief,
//! the depth of water and the night's tone are those of the native tile, and the pixels of a block have its native colour
//! as their mean.

use std::sync::Arc;

use super::night::NightTone;
use super::tone::{self, Rgb};
use crate::base::coord::{Area, CHUNK_SIDE, NATIVE_ZOOM, RegionPos, TILE_SIDE, TilePos};
use crate::paint::textures::{Picture, SIDE};
use crate::tile::{Canvas, Pixel, to_lattice};

/// The light in which a layer shows textures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InnerTone {
    Day,
    Night,
}

/// The number of no picture: the block is drawn in its colour.
pub(super) const FLAT: u32 = u32::MAX;
/// In the place of a level of light: the column holds no block.
const NOTHING: u8 = u8::MAX;
/// The brightness of what is seen through the holes of leaves, over 256.
const IN_HOLES: u32 = 150;

/// What is seen of a block: its picture, and its colour.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shown {
    /// The number of its picture.
    pub(super) picture: u32,
    pub(super) colour: Rgb,
    /// The biome's tint, for pictures of which only a part is tinted.
    pub(super) tint: Rgb,
}

/// What is seen of a column.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShownColumn {
    pub(super) ground: Shown,
    /// The water over the ground, and how much of it is hidden, over 256; 0: there is none.
    pub(super) water: Rgb,
    pub(super) water_share: u8,
    /// The level of light, or [`NOTHING`].
    pub(super) light: u8,
    /// What lies over it, from below: so many from this one on.
    pub(super) covers: u8,
    pub(super) first_cover: u32,
}

pub(super) const EMPTY: ShownColumn = ShownColumn {
    ground: Shown { picture: FLAT, colour: [0; 3], tint: [0; 3] },
    water: [0; 3],
    water_share: 0,
    light: NOTHING,
    covers: 0,
    first_cover: 0,
};

#[derive(Debug, Clone, Copy)]
pub(super) struct Cover {
    pub(super) shown: Shown,
    /// The share of what is below that it hides where it has no picture, in quarters.
    pub(super) quarters: u8,
}

/// The part of a region that is shown, in columns from its north-western corner; whole chunks.
#[derive(Debug, Clone, Copy, Default)]
struct Window {
    x0: usize,
    z0: usize,
    x1: usize,
    z1: usize,
}

impl Window {
    /// The chunks of a region that an area touches.
    fn new(region: RegionPos, area: Area) -> Self {
        let whole = region.area();
        let part = area.overlap(whole);
        if part.is_empty() {
            return Self::default();
        }
        let first = |at: i32, from: i32| (at - from) as usize / CHUNK_SIDE * CHUNK_SIDE;
        let end = |at: i32, from: i32| ((at - from) as usize).next_multiple_of(CHUNK_SIDE);
        Self {
            x0: first(part.x0, whole.x0),
            z0: first(part.z0, whole.z0),
            x1: end(part.x1, whole.x0),
            z1: end(part.z1, whole.z0),
        }
    }

    const fn width(self) -> usize {
        self.x1 - self.x0
    }
}

/// The columns of a region, or of a part of it, as its inner tiles show them in one view.
#[derive(Debug, Default)]
pub struct ShownRegion {
    window: Window,
    /// Those of the window, `[z][x]`; empty until a region is begun.
    columns: Vec<ShownColumn>,
    covers: Vec<Cover>,
    pub(super) pictures: PictureList,
}

/// The pictures of blocks, by number.
#[derive(Debug, Clone, Default)]
pub(super) struct PictureList {
    pub(super) pictures: Vec<Arc<Picture>>,
    /// The number of the picture of water, once that is known.
    pub(super) water: Option<u32>,
}

impl ShownRegion {
    /// Begins a region, of which nothing is known, and of which an area is shown.
    pub(super) fn start(&mut self, region: RegionPos, area: Area) {
        self.window = Window::new(region, area);
        self.columns.clear();
        self.columns.resize(self.window.width() * (self.window.z1 - self.window.z0), EMPTY);
        self.covers.clear();
    }

    /// The place of a column of the region; `None`: it is not shown.
    pub(super) fn place(&self, x: usize, z: usize) -> Option<usize> {
        let Window { x0, z0, x1, z1 } = self.window;
        let is_shown = (x0..x1).contains(&x) && (z0..z1).contains(&z);
        is_shown.then(|| (z - z0) * self.window.width() + x - x0)
    }

    pub(super) fn set(&mut self, place: usize, column: ShownColumn) {
        self.columns[place] = column;
    }

    /// Lays something over a column.
    pub(super) fn cover(&mut self, place: usize, cover: Cover) {
        let column = &mut self.columns[place];
        if column.covers == 0 {
            column.first_cover = self.covers.len() as u32;
        }
        column.covers += 1;
        self.covers.push(cover);
    }

    /// Takes the region that is known now, and leaves the pictures for the next one.
    pub(super) fn take(&mut self) -> Self {
        let pictures = self.pictures.clone();
        std::mem::replace(self, Self { pictures, ..Self::default() })
    }

    /// Empties the columns outside an area.
    pub fn mask(&mut self, region: RegionPos, area: Area) {
        let whole = region.area();
        let inside = area.overlap(whole);
        let Window { x0, z0, .. } = self.window;
        let is_in = |at: usize, from: i32, first: i32, end: i32| (first..end).contains(&(from + at as i32));
        for (z, row) in self.columns.chunks_exact_mut(self.window.width().max(1)).enumerate() {
            let is_row_in = is_in(z0 + z, whole.z0, inside.z0, inside.z1);
            for (x, column) in row.iter_mut().enumerate() {
                if !is_row_in || !is_in(x0 + x, whole.x0, inside.x0, inside.x1) {
                    *column = EMPTY;
                }
            }
        }
    }

    /// Paints what is shown of an inner tile of the region onto a canvas.
    pub fn paint(&self, tile: TilePos, tone: InnerTone, night: &mut NightTone, canvas: &mut Canvas) {
        let level = tile.zoom - NATIVE_ZOOM;
        let side = 1 << level;
        let blocks = TILE_SIDE / side;
        let first = |at: i32| at.rem_euclid(side as i32) as usize * blocks;
        let (west, north) = (first(tile.x), first(tile.y));
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
            for (x, &column) in columns.clone().zip(row).filter(|(_, column)| column.light != NOTHING) {
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
            self.pictures.lay_water(column.water, u32::from(column.water_share), level, colours);
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

    fn lay_ground(&self, ground: Shown, level: u8, colours: &mut [Rgb]) {
        let Some(picture) = self.known(ground.picture) else { return colours.fill(ground.colour) };
        // Through its holes the inside of the block is seen. As that is darker, the rest is brighter: the mean stays.
        let covered = u32::from(picture.coverage());
        let whole = covered * 256 + (255 - covered) * IN_HOLES;
        let bright = ground.colour.map(|channel| (u32::from(channel) * 255 * 256 / whole.max(1)).min(255) as u8);
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

    fn lay_cover(&self, Cover { shown, quarters }: Cover, level: u8, colours: &mut [Rgb]) {
        let Some(picture) = self.known(shown.picture) else {
            let share = u32::from(quarters);
            for colour in colours {
                *colour = tone::mix_colours(*colour, shown.colour, share, 4);
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
