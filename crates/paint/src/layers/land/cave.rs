//! Layer `cave`: paints the floor of the topmost hollow under the land, in a hue by the floor's
//! height: violet and blue deep down, green near sea level, yellow and red in the mountains. Land
//! without a hollow is very dim.
//!
//! The hue shows the floor's own height, not its depth below the land. So a level floor has one
//! colour, and the hills above it do not show through. Grass and water have the colours of plains
//! in every biome.

use std::sync::Arc;

use crate::layers::colours::colour_cache::ColourCache;
use crate::layers::colours::relief;
use crate::layers::colours::tone::{Rgb, colour_at, mix_colours, scale_colour, shaded_pixel};
use crate::layers::legend::{Legend, scale};
use crate::layers::renderer::LayerRenderer;
use crate::layers::row::ChunkRow;
use crate::palette::{Palette, Tint};
use crate::surface::{Columns, NO_HEIGHT, Overlay};
use pixelmap_base::coord::{CHUNK_SIDE, TILE_SIDE};
use pixelmap_tile::{Pixel, to_lattice};
use pixelmap_world::names::{BlockId, NameCache, Traits};

/// The hues of floors at some heights, in blocks. The hues of heights in between are mixed.
const HUES: [(i16, Rgb); 8] = [
    (-64, [112, 64, 190]),
    (-32, [72, 88, 216]),
    (0, [44, 140, 214]),
    (32, [40, 178, 150]),
    (64, [124, 194, 70]),
    (96, [226, 196, 72]),
    (144, [236, 140, 60]),
    (224, [226, 72, 110]),
];
const LOWEST: i16 = HUES[0].0;
const HIGHEST: i16 = HUES[HUES.len() - 1].0;
/// The colour of level land without a hollow.
const LAND: Rgb = [34, 34, 40];
/// Lava at any height: stronger than every hue of a floor, so that it is recognized at once.
const LAVA: Rgb = [236, 60, 12];
/// How much of the floor's own colour remains in the mixture with the hue, over 256.
const OWN: u32 = 88;
/// How much water hides its floor, over 256, by depth in blocks. Depths above 7 count as 7.
const WATER: [u32; 8] = [0, 150, 176, 196, 210, 220, 228, 236];
/// A tint that leaves every colour unchanged. It is used for blocks without a tint, and for all
/// blocks if the palette lacks tints for plains.
const NO_TINT: Rgb = [255; 3];

/// The number of floors that are remembered, a power of two.
const SEEN: usize = 2048;
/// The key of an entry that is not filled yet.
const NO_KEY: u64 = u64::MAX;

/// The colour of stone, the most common floor.
const STONE: Rgb = [128; 3];

/// Returns the colours of heights, as painted on level stone, and the colours of lava and of land
/// without a hollow.
pub(crate) fn legend() -> Vec<Legend> {
    vec![
        scale(
            "Floor of the hollow, height in blocks",
            HUES.iter().rev().map(|&(y, _)| y),
            |y| {
                let floor = with_hue(STONE, colour_at(&HUES, y));
                relief_pixel(floor, relief::LEVEL_STEP)
            },
        ),
        Legend {
            title: "Without a height",
            is_scale: false,
            entries: vec![
                (lava_pixel(), "lava".to_owned()),
                (
                    land_pixel(relief::LEVEL_STEP),
                    "land without a hollow".to_owned(),
                ),
            ],
        },
    ]
}

fn land_pixel(step: u8) -> Pixel {
    relief_pixel(LAND, step)
}

/// Returns the pixel of a colour at a step of relief.
fn relief_pixel(colour: Rgb, step: u8) -> Pixel {
    shaded_pixel(colour, scale_colour(colour, relief::factor(step)))
}

fn lava_pixel() -> Pixel {
    Pixel::from_rgb(to_lattice(LAVA))
}

#[derive(Debug)]
pub(crate) struct Caves {
    paints: ColourCache,
    /// The colours of plains: grass, foliage, dry foliage, water.
    tints: [Rgb; 4],
    /// Hues, indexed by the height above [`LOWEST`].
    hues: Vec<Rgb>,
    /// The pixels of land without a hollow, indexed by the step of relief.
    land: [Pixel; relief::STEPS],
    /// Pixels of earlier floors, each with a key that contains everything that affects the pixel.
    seen: Box<[(u64, Pixel)]>,
}

impl Caves {
    pub(crate) fn new(palette: &Arc<Palette>) -> Self {
        let plains = palette.tints("minecraft:plains");
        Self {
            paints: ColourCache::new(palette.clone()),
            tints: plains.map_or([NO_TINT; 4], |tints| {
                [tints.grass, tints.foliage, tints.dry_foliage, tints.water]
            }),
            hues: (LOWEST..=HIGHEST).map(|y| colour_at(&HUES, y)).collect(),
            land: std::array::from_fn(|step| land_pixel(step as u8)),
            seen: vec![(NO_KEY, Pixel::CLEAR); SEEN].into(),
        }
    }
}

impl LayerRenderer for Caves {
    fn paint(&mut self, row: &ChunkRow<'_>, name_cache: &mut NameCache, pixels: &mut [Pixel]) {
        for (chunk, columns) in row
            .chunks
            .iter()
            .enumerate()
            .filter(|(_, columns)| !columns.is_empty())
        {
            let steps = relief::tops(row, chunk);
            let mut overlays = columns.overlays.as_slice();
            for (column, &step) in steps.iter().enumerate() {
                let place =
                    column / CHUNK_SIDE * TILE_SIDE + chunk * CHUNK_SIDE + column % CHUNK_SIDE;
                if columns.ground_y[column] != NO_HEIGHT {
                    let covers = overlays
                        .iter()
                        .take_while(|over| usize::from(over.column) == column)
                        .count();
                    pixels[place] =
                        self.floor(columns, column, step, &overlays[..covers], name_cache);
                    overlays = &overlays[covers..];
                } else if columns.top_y[column] != NO_HEIGHT {
                    pixels[place] = self.land[usize::from(step)];
                }
            }
        }
    }
}

impl Caves {
    /// Returns the pixel of a floor, including the overlays on the floor.
    fn floor(
        &mut self,
        columns: &Columns,
        column: usize,
        step: u8,
        over: &[Overlay],
        name_cache: &mut NameCache,
    ) -> Pixel {
        let block = columns.ground[column];
        let y = columns.top_y[column].clamp(LOWEST, HIGHEST);
        let depth = columns.depth[column].min(WATER.len() as u8 - 1);
        if !over.is_empty() {
            return self.compute_floor(block, depth, y, step, over, name_cache);
        }

        let height = (y - LOWEST) as u64;
        let key =
            block.index() as u64 | height << 32 | u64::from(step) << 48 | u64::from(depth) << 52;
        let place = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as usize % SEEN;
        if self.seen[place].0 != key {
            self.seen[place] = (
                key,
                self.compute_floor(block, depth, y, step, over, name_cache),
            );
        }

        self.seen[place].1
    }

    #[inline(never)]
    fn compute_floor(
        &mut self,
        block: BlockId,
        depth: u8,
        y: i16,
        step: u8,
        over: &[Overlay],
        name_cache: &mut NameCache,
    ) -> Pixel {
        let (floor, _, traits) = self.block_colour(block, name_cache);
        if traits.any(Traits::LAVA) && depth == 0 && over.is_empty() {
            return lava_pixel();
        }

        let water = self.tints[3];
        let floor = if depth > 0 && block == BlockId::AIR {
            water
        } else {
            floor
        };

        let floor = mix_colours(floor, water, WATER[usize::from(depth)], 256);
        let colour = over.iter().rev().fold(floor, |below, overlay| {
            let (colour, sixteenths, _) = self.block_colour(overlay.id, name_cache);
            mix_colours(below, colour, sixteenths, 16)
        });
        let colour = with_hue(colour, self.hues[(y - LOWEST) as usize]);

        relief_pixel(colour, step)
    }

    /// Returns a block's colour, the sixteenths of the block below that it hides, and its traits.
    fn block_colour(&mut self, block: BlockId, name_cache: &mut NameCache) -> (Rgb, u32, Traits) {
        let coat = self.paints.coat(block, name_cache);
        let tint = match coat.tint {
            Tint::None => NO_TINT,
            Tint::Grass => self.tints[0],
            Tint::Foliage => self.tints[1],
            Tint::DryFoliage => self.tints[2],
            Tint::Water => self.tints[3],
        };
        (coat.colour(tint), coat.sixteenths, coat.traits)
    }
}

/// Gives a floor's colour the hue of its height.
fn with_hue(floor: Rgb, hue: Rgb) -> Rgb {
    let [r, g, b] = floor.map(u32::from);
    let lightness = (r + 2 * g + b) / 4;
    mix_colours(scale_colour(hue, 104 + lightness), floor, OWN, 256)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floors_of_different_height_have_distinct_hues() {
        let at = |y: i16| with_hue([120; 3], colour_at(&HUES, y));

        let heights = [-60, -30, 0, 30, 60, 90, 130, 200];
        for pair in heights.windows(2) {
            let [a, b] = [at(pair[0]), at(pair[1])];
            let apart: u32 = (0..3).map(|c| u32::from(a[c].abs_diff(b[c]))).sum();
            assert!(apart > 40, "{pair:?}: {a:?} and {b:?}");
        }

        let lightness = |[r, g, b]: Rgb| u32::from(r) + 2 * u32::from(g) + u32::from(b);

        for y in LOWEST..=HIGHEST {
            assert!(
                lightness(at(y)) > 2 * lightness(LAND),
                "no floor is as dim as land without a hollow: {y}"
            );
        }
    }

    #[test]
    fn lava_differs_from_all_height_colours() {
        for y in LOWEST..=HIGHEST {
            for floor in [0, STONE[0], 255] {
                let hued = with_hue([floor; 3], colour_at(&HUES, y));
                let apart: u32 = (0..3).map(|c| u32::from(LAVA[c].abs_diff(hued[c]))).sum();
                assert!(apart > 120, "height {y}: {hued:?}");
            }
        }
    }
}
