//! Layer `cave`: the floor of the topmost hollow under the land, in a hue that tells how high it lies, violet and blue
//! in the deep, green about the level of the sea, yellow and red in the mountains. Land without a hollow is very dim.
//!
//! The height of the floor itself is shown and not how far it lies below the land: so a level floor has one colour, and
//! the hills above it do not show through.

use super::day::Day;
use super::relief;
use super::row::Row;
use super::tone::{Rgb, along, mixed, scaled};
use crate::block::Book;
use crate::coord::{CHUNK_AREA, CHUNK_SIDE, TILE_SIDE};
use crate::surface::{Columns, NO_HEIGHT};
use crate::tile::{Pixel, to_lattice};

/// The hue of a floor at a height in blocks; between two of them it is mixed.
const HUES: [(i16, Rgb); 8] = [
    (-64, [112, 64, 190]),
    (-32, [72, 88, 216]),
    (0, [44, 140, 214]),
    (32, [40, 178, 150]),
    (64, [124, 194, 70]),
    (96, [226, 196, 72]),
    (144, [236, 140, 60]),
    (224, [226, 92, 84]),
];
/// Land without a hollow, level.
const LAND: Rgb = [34, 34, 40];
/// How much of the floor's own colour is left, over 256.
const OWN: u32 = 88;

/// Draws caves.
#[derive(Debug)]
pub struct Caves {
    /// The floors by daylight are drawn first.
    day: Day,
    /// By height from that of the first of [`HUES`].
    hues: Vec<Rgb>,
}

impl Caves {
    /// A painter over one of the day map.
    pub(super) fn new(day: Day) -> Self {
        let [(lowest, _), .., (highest, _)] = HUES;
        Self { day, hues: (lowest..=highest).map(|y| along(&HUES, y)).collect() }
    }

    pub(super) fn draw(&mut self, row: &Row<'_>, book: &mut Book, pixels: &mut [Pixel]) {
        self.day.draw(row, book, pixels);
        for (chunk, columns) in row.chunks.iter().enumerate().filter(|(_, columns)| !columns.is_empty()) {
            let land = relief::tops(row, chunk);
            for column in (0..CHUNK_AREA).filter(|&column| columns.top_y[column] != NO_HEIGHT) {
                let pixel = &mut pixels[column / CHUNK_SIDE * TILE_SIDE + chunk * CHUNK_SIDE + column % CHUNK_SIDE];
                *pixel = self.pixel(*pixel, columns, column, land[column]);
            }
        }
    }

    /// The pixel of a column: of its floor by day, or of land in this step of relief.
    fn pixel(&self, by_day: Pixel, columns: &Columns, column: usize, step: u8) -> Pixel {
        if columns.ground_y[column] == NO_HEIGHT {
            return Pixel::opaque(to_lattice(scaled(LAND, relief::factor(step))));
        }
        let [r, g, b, _] = by_day.rgba();
        let place = (columns.top_y[column].saturating_sub(HUES[0].0).max(0) as usize).min(self.hues.len() - 1);
        Pixel::opaque(to_lattice(hued([r, g, b], self.hues[place])))
    }
}

/// A floor's colour in the hue of its height.
fn hued(floor: Rgb, hue: Rgb) -> Rgb {
    let [r, g, b] = floor.map(u32::from);
    let lightness = (r + 2 * g + b) / 4;
    mixed(scaled(hue, 96 + lightness), floor, OWN, 256)
}
