//! Layer `height`: paints hypsometric tints, from blue depths over green lowlands and brown hills
//! to white peaks, with relief and optional contour lines.

use crate::layers::colours::relief;
use crate::layers::colours::tone::{Rgb, colour_at, scale_colour, shaded_pixel};
use crate::layers::legend::{Legend, scale};
use crate::layers::renderer::LayerRenderer;
use crate::layers::row::ChunkRow;
use crate::surface::{Columns, NO_HEIGHT, REACH};
use pixelmap_base::coord::{CHUNK_AREA, CHUNK_SIDE, TILE_SIDE};
use pixelmap_tile::Pixel;
use pixelmap_world::names::NameCache;

/// The colours of land at some heights, in blocks. The colours in between are mixed.
const LAND: [(i16, Rgb); 9] = [
    (-64, [38, 70, 60]),
    (20, [60, 110, 74]),
    (62, [94, 158, 92]),
    (80, [168, 190, 110]),
    (105, [214, 196, 128]),
    (140, [178, 132, 88]),
    (180, [140, 104, 88]),
    (220, [196, 188, 186]),
    (320, [255, 255, 255]),
];
/// The colours of water at some depths, in blocks. The colours in between are mixed.
const WATER: [(i16, Rgb); 4] = [
    (1, [140, 192, 220]),
    (12, [84, 148, 200]),
    (40, [40, 92, 160]),
    (120, [16, 44, 96]),
];
/// The brightness of a contour line, over 256.
const LINE: u32 = 150;

// Heights beyond the ends of the scale have the colours of the ends.
const LOWEST: i16 = LAND[0].0;
const HIGHEST: i16 = LAND[LAND.len() - 1].0;

/// The pixels of all heights and depths, computed once.
#[derive(Debug)]
struct Shades {
    /// Pixels of land, indexed by the height above [`LOWEST`], then by the step of relief.
    land: Vec<[Pixel; relief::STEPS]>,
    water: Vec<Pixel>,
}

impl Shades {
    /// Computes the pixels. `factor`, over 256, darkens all of them.
    fn new(factor: u32) -> Self {
        let mut land = Vec::new();
        for y in LOWEST..=HIGHEST {
            let colour = colour_at(&LAND, y);
            land.push(std::array::from_fn(|step| {
                let shade = scale_colour(colour, relief::factor(step as u8));
                shaded_pixel(colour, scale_colour(shade, factor))
            }));
        }

        let mut water = Vec::new();
        for depth in 0..=u8::MAX {
            let colour = colour_at(&WATER, i16::from(depth));
            water.push(shaded_pixel(colour, scale_colour(colour, factor)));
        }

        Self { land, water }
    }

    fn pixel(&self, y: i16, depth: u8, step: u8) -> Pixel {
        match depth {
            0 => self.land[(y.clamp(LOWEST, HIGHEST) - LOWEST) as usize][usize::from(step)],
            depth => self.water[usize::from(depth)],
        }
    }
}

/// Returns the colours of heights from the peaks down and of depths from the surface down, as
/// painted on level land.
pub(crate) fn legend() -> Vec<Legend> {
    let shades = Shades::new(256);
    vec![
        scale(
            "Land, height in blocks",
            LAND.iter().rev().map(|&(y, _)| y),
            |y| shades.pixel(y, 0, relief::LEVEL_STEP),
        ),
        scale(
            "Water, depth in blocks",
            WATER.iter().map(|&(depth, _)| depth),
            |depth| {
                shades.pixel(
                    0,
                    u8::try_from(depth).unwrap_or(u8::MAX),
                    relief::LEVEL_STEP,
                )
            },
        ),
    ]
}

#[derive(Debug)]
pub(crate) struct HeightRenderer {
    /// Blocks between two contour lines, or 0 for none.
    contours: u16,
    plain: Shades,
    /// The pixels of columns on a contour line, which are darker.
    line: Shades,
}

impl HeightRenderer {
    /// Makes a painter with `contours` blocks between two contour lines, or without lines if it is
    /// 0.
    pub(crate) fn new(contours: u16) -> Self {
        Self {
            contours,
            plain: Shades::new(256),
            line: Shades::new(LINE),
        }
    }

    fn paint_chunk(
        &self,
        row: &ChunkRow<'_>,
        chunk: usize,
        columns: &Columns,
        pixels: &mut [Pixel],
    ) {
        let steps = relief::tops(row, chunk);

        let lines = if self.contours == 0 {
            [false; CHUNK_AREA]
        } else {
            self.lines(row, chunk)
        };

        for column in (0..CHUNK_AREA).filter(|&column| columns.top_y[column] != NO_HEIGHT) {
            let shades = if lines[column] {
                &self.line
            } else {
                &self.plain
            };
            let pixel = shades.pixel(columns.top_y[column], columns.depth[column], steps[column]);
            pixels[column / CHUNK_SIDE * TILE_SIDE + column % CHUNK_SIDE] = pixel;
        }
    }

    /// Returns the columns on a contour line: the columns whose contour step differs from the step
    /// of the column to the north or west.
    fn lines(&self, row: &ChunkRow<'_>, chunk: usize) -> [bool; CHUNK_AREA] {
        let heights = row.top_heights(chunk);
        std::array::from_fn(|column| {
            let x = REACH + column % CHUNK_SIDE;
            let z = REACH + column / CHUNK_SIDE;
            let y = heights[z][x];
            self.is_between(y, heights[z - 1][x]) || self.is_between(y, heights[z][x - 1])
        })
    }

    fn is_between(&self, y: i16, other: i16) -> bool {
        let step = i32::from(self.contours);
        step > 0
            && other != NO_HEIGHT
            && i32::from(y).div_euclid(step) != i32::from(other).div_euclid(step)
    }
}

impl LayerRenderer for HeightRenderer {
    fn paint(&mut self, row: &ChunkRow<'_>, _: &mut NameCache, pixels: &mut [Pixel]) {
        for (chunk, columns) in row.chunks.iter().enumerate() {
            if !columns.is_empty() {
                self.paint_chunk(row, chunk, columns, &mut pixels[chunk * CHUNK_SIDE..]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_between_scale_steps_are_mixed() {
        let scale = [(0, [0, 0, 0]), (10, [100, 200, 50]), (20, [100, 0, 50])];
        assert_eq!(
            [
                colour_at(&scale, -5),
                colour_at(&scale, 5),
                colour_at(&scale, 10)
            ],
            [[0; 3], [50, 100, 25], [100, 200, 50]]
        );

        assert_eq!(
            [colour_at(&scale, 15), colour_at(&scale, 99)],
            [[100, 100, 50], [100, 0, 50]]
        );
        assert_eq!(colour_at(&LAND, i16::MIN + 1), LAND[0].1);
        assert_eq!(colour_at(&LAND, i16::MAX), LAND[8].1);
    }

    #[test]
    fn contour_lines_run_between_steps_not_along_void() {
        let lines = HeightRenderer::new(10);
        assert!(lines.is_between(70, 69) && lines.is_between(-1, 0) && !lines.is_between(69, 60));
        assert!(!lines.is_between(70, NO_HEIGHT));
        assert!(!HeightRenderer::new(0).is_between(70, 10));
    }
}
