//! Layer `night`: paints the day map at night, in dim blue. The brighter the light from blocks, the
//! warmer the colours and the nearer they are to the colours of the day.

use crate::layers::colours::tone::{self, Rgb, mix_colours};
use crate::layers::land::day::Day;
use crate::layers::renderer::LayerRenderer;
use crate::layers::row::ChunkRow;
use pixelmap_base::coord::{CHUNK_SIDE, TILE_SIDE};
use pixelmap_tile::{Pixel, to_lattice};
use pixelmap_world::names::NameCache;

/// Moonlight: for each channel a factor over 256, and an amount that is added so that nothing is
/// black.
const MOON: [(u32, u8); 3] = [(84, 8), (104, 13), (162, 28)];
/// Lamplight: a factor over 256 for each channel. The factors make colours warm.
const LAMP: [u32; 3] = [264, 240, 196];
/// The share of lamplight at each level of light, over 256. The rest is moonlight.
const SHARES: [u32; 16] = [
    0, 12, 24, 38, 52, 68, 84, 100, 118, 136, 156, 176, 196, 216, 236, 256,
];

/// The number of pixels that are remembered, a power of two.
const SEEN: usize = 1024;

#[derive(Debug)]
pub(crate) struct Night {
    day: Day,
    /// The pixels of a row of chunks by day.
    by_day: Vec<Pixel>,
    tone: NightTone,
}

/// The tone of the night. It remembers pixels that were computed before.
#[derive(Debug)]
pub struct NightTone {
    /// Each entry has the pixel by day, the level of light, and the pixel at night.
    seen: Box<[(Pixel, u8, Pixel); SEEN]>,
}

impl Default for NightTone {
    fn default() -> Self {
        Self {
            seen: Box::new([(Pixel::CLEAR, 0, Pixel::CLEAR); SEEN]),
        }
    }
}

impl NightTone {
    /// Returns the pixel at night for a pixel by day and a level of light.
    pub(crate) fn pixel(&mut self, day: Pixel, light: u8) -> Pixel {
        let place = (day.bits() ^ u32::from(light) << 24).wrapping_mul(0x9e37_79b9) >> 22;
        let known = &mut self.seen[place as usize % SEEN];
        if (known.0, known.1) != (day, light) {
            *known = (day, light, at_night(day, light));
        }
        known.2
    }
}

impl Night {
    pub(crate) fn new(day: Day) -> Self {
        Self {
            day,
            by_day: vec![Pixel::CLEAR; TILE_SIDE * CHUNK_SIDE],
            tone: NightTone::default(),
        }
    }
}

impl LayerRenderer for Night {
    fn paint(&mut self, row: &ChunkRow<'_>, name_cache: &mut NameCache, pixels: &mut [Pixel]) {
        self.by_day.fill(Pixel::CLEAR);
        self.day.draw(row, name_cache, &mut self.by_day);

        let Self { by_day, tone, .. } = self;
        for (chunk, columns) in row
            .chunks
            .iter()
            .enumerate()
            .filter(|(_, columns)| !columns.is_empty())
        {
            for (z, light) in columns.light.chunks_exact(CHUNK_SIDE).enumerate() {
                let from = z * TILE_SIDE + chunk * CHUNK_SIDE;
                let day = &by_day[from..][..CHUNK_SIDE];
                let night = &mut pixels[from..][..CHUNK_SIDE];
                for ((night, &day), &light) in night.iter_mut().zip(day).zip(light) {
                    *night = tone.pixel(day, light);
                }
            }
        }
    }
}

/// Computes the pixel at night for a pixel by day and a level of light.
fn at_night(day: Pixel, light: u8) -> Pixel {
    let [r, g, b, alpha] = day.rgba();
    if alpha == 0 {
        return Pixel::CLEAR;
    }

    let dark = to_moonlight([r, g, b]);
    let lit: Rgb =
        std::array::from_fn(|c| ((u32::from([r, g, b][c]) * LAMP[c] + 128) >> 8).min(255) as u8);
    let share = SHARES[usize::from(light) % SHARES.len()];

    Pixel::from_rgb(to_lattice(mix_colours(dark, lit, share, 256)))
}

/// Returns a colour in moonlight, where colours are paler.
fn to_moonlight(rgb: Rgb) -> Rgb {
    let [r, g, b] = rgb.map(u32::from);
    let grey = ((r + 2 * g + b + 2) / 4) as u8;
    let pale = mix_colours(rgb, [grey; 3], 1, 2);
    std::array::from_fn(|c| {
        let (factor, least) = MOON[c];
        tone::scale_colour(pale, factor)[c].saturating_add(least)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lightness(pixel: Pixel) -> u32 {
        let [r, g, b, _] = pixel.rgba().map(u32::from);
        r + 2 * g + b
    }

    /// Grass, sand, deep water, snow, basalt, and black.
    const LAND: [Rgb; 6] = [
        [99, 124, 65],
        [221, 211, 165],
        [22, 48, 110],
        [248, 252, 252],
        [76, 74, 80],
        [0, 0, 0],
    ];

    #[test]
    fn land_at_night_is_dark_but_never_black() {
        for rgb in LAND {
            let night = at_night(Pixel::from_rgb(rgb), 0);
            let [r, _, b, alpha] = night.rgba();
            assert!(
                alpha == 255 && lightness(night) >= 4 * 8 && b > r,
                "{rgb:?} {night:?}"
            );
            assert!(
                rgb == [0; 3] || lightness(night) < lightness(Pixel::from_rgb(rgb)),
                "{rgb:?} {night:?}"
            );
        }

        assert_eq!(at_night(Pixel::CLEAR, 9), Pixel::CLEAR);
    }

    #[test]
    fn more_light_is_brighter_and_full_light_warm() {
        for rgb in LAND {
            let levels: Vec<u32> = (0..16)
                .map(|light| lightness(at_night(Pixel::from_rgb(rgb), light)))
                .collect();
            // The lattice rounds the four quarters of brightness to half a step of a channel.
            let rises = levels.windows(2).all(|pair| pair[1] + 4 > pair[0]);
            assert!(
                rgb == [0; 3] || rgb == LAND[2] || rises,
                "{rgb:?} {levels:?}"
            );
        }

        let [r, g, b, _] = at_night(Pixel::from_rgb([160; 3]), 15).rgba();
        assert!(r > g && g > b);
    }

    #[test]
    fn cached_pixels_equal_computed_ones() {
        let mut tone = NightTone::default();
        for at in 0..40_000_u32 {
            let (day, light) = (
                Pixel::from_rgb([(at / 7) as u8, at as u8, (at / 3) as u8]),
                (at % 16) as u8,
            );
            assert_eq!(tone.pixel(day, light), at_night(day, light));
        }
    }
}
