//! Computes look 1 from its description, so that tests know the expected pixels. Tables and steps
//! follow the description, not the program. Numbers are rounded to the nearest, halves up.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use pixelmap_paint::palette::Palette;

use super::{CLEAR, NATIVE, Rgba, SIDE, Tile};

static PALETTE: LazyLock<Palette> = LazyLock::new(Palette::builtin);

/// Three channels, red first.
pub type Rgb = [u8; 3];

/// The factors of relief over 256, from the darkest.
pub const FACTORS: [u32; 15] = [
    154, 163, 173, 182, 192, 203, 214, 226, 231, 236, 239, 243, 246, 249, 252,
];
/// The factor of level ground.
pub const LEVEL: u32 = 226;

/// The pixel of level ground of a block that takes no tint.
pub fn level_block(block: &str) -> Rgba {
    shaded(plain(block), LEVEL)
}

/// The colour of a block that takes no tint, without relief.
pub fn plain(block: &str) -> Rgb {
    light(PALETTE.paint(block, "").rgb)
}

/// Returns whether a block is drawn like stone, except for its colour.
pub fn is_plain(block: &str) -> bool {
    let (paint, stone) = (
        PALETTE.paint(block, ""),
        PALETTE.paint("minecraft:stone", ""),
    );
    (paint.tint, paint.sixteenths, paint.traits) == (stone.tint, stone.sixteenths, stone.traits)
}

/// The colour of a block under a tint, without relief.
pub fn tinted(block: &str, tint: Rgb) -> Rgb {
    let own = PALETTE.paint(block, "").rgb;
    light(std::array::from_fn(|c| {
        ((u32::from(own[c]) * u32::from(tint[c]) + 127) / 255) as u8
    }))
}

/// The tint of grass in each of some biomes, and their mean.
pub fn mean_of_grass(biomes: &[&str]) -> Rgb {
    let count = biomes.len() as u32;
    std::array::from_fn(|c| {
        let sum: u32 = biomes
            .iter()
            .map(|biome| u32::from(PALETTE.tints(biome).unwrap().grass[c]))
            .sum();
        ((sum + count / 2) / count) as u8
    })
}

/// The pixel of level ground of this colour, without a tint.
pub fn level(rgb: Rgb) -> Rgba {
    shaded(light(rgb), LEVEL)
}

/// A colour with lighter midtones: the strongest channel goes along a curve, the others keep their
/// share of it.
fn light(rgb: Rgb) -> Rgb {
    let strongest = f64::from(rgb.into_iter().max().unwrap().max(1));
    let lighter = (255.0 * (1.0 - (1.0 - strongest / 255.0).powf(1.75))).round();
    rgb.map(|channel| (f64::from(channel) * lighter / strongest).round() as u8)
}

/// The factor of a column by the heights around it.
pub fn factor(height: impl Fn(i32, i32) -> Option<i32>, x: i32, z: i32) -> u32 {
    let rise = |dx: i32, dz: i32| {
        let at = |away: i32| height(x - dx * away, z - dz * away);
        let over = |one, other| {
            at(one)
                .zip(at(other))
                .map_or(0, |(y, other)| (y - other).clamp(-4, 4))
        };
        over(0, 2) + over(0, 3) + over(1, 4)
    };
    let both = rise(0, 1) + rise(1, 0);
    FACTORS[(both / 2 + 7).clamp(0, 14) as usize]
}

/// A colour times a factor over 256.
pub fn times(rgb: Rgb, factor: u32) -> Rgb {
    rgb.map(|channel| ((u32::from(channel) * factor + 128) / 256).min(255) as u8)
}

/// Water of this depth over a level floor, in a biome whose water has a strong tint.
pub fn water(floor: Rgb, biome: &str, depth: u32) -> Rgb {
    let (share, brightness) = match depth {
        1 => (115, 256),
        2 => (141, 250),
        3 => (164, 238),
        4 | 5 => (184, 228),
        6..=8 => (205, 214),
        9..=13 => (223, 200),
        14..=21 => (236, 188),
        _ => (243, 174),
    };

    let tint = times(PALETTE.tints(biome).unwrap().water, brightness);
    std::array::from_fn(|c| {
        ((u32::from(floor[c]) * (256 - share) + u32::from(tint[c]) * share + 128) / 256) as u8
    })
}

/// The strengths of colours on the lattice: chroma over brightness, in twelfths.
const STRENGTHS: [f64; 13] = [
    0.0, 2.0, 3.0, 5.0, 8.0, 11.0, 13.0, 16.0, 19.0, 23.0, 28.0, 35.0, 48.0,
];

/// The last step: brightness to the nearest 7.25, with the strength and the hue of the colour
/// before it was shaded.
fn lattice(colour: Rgb, shade: Rgb) -> Rgb {
    let brightness = |[r, g, b]: [f64; 3]| (r + 2.0 * g + b) / 4.0;
    let nearest = |value: f64| (value + 0.5).floor();

    let channels = colour.map(f64::from);
    let low = channels.into_iter().fold(255.0, f64::min);
    let high = channels.into_iter().fold(0.0, f64::max);
    let ratio = 12.0 * (high - low) / brightness(channels).max(0.25);
    let strength = STRENGTHS
        .windows(2)
        .filter(|pair| ratio > f64::midpoint(pair[0], pair[1]))
        .count();

    let parts = f64::from(1 << strength.min(3));
    let turns = channels.map(|channel| nearest(parts * (channel - low) / (high - low).max(1.0)));
    let level = nearest(brightness(shade.map(f64::from)) / 7.25) * 7.25;
    let mut size = nearest(STRENGTHS[strength] * level / (12.0 * parts));

    loop {
        let above = turns.map(|turn| turn * size);
        let grey = level - brightness(above);
        let rgb = above.map(|above| nearest(grey) + above);
        if grey >= 0.0 && rgb.iter().all(|channel| *channel <= 255.0) {
            return rgb.map(|channel| channel as u8);
        }
        size -= 1.0;
    }
}

/// An opaque pixel of this colour, whose shade is the colour itself.
pub fn pixel(rgb: Rgb) -> Rgba {
    shade_pixel(rgb, rgb)
}

/// The pixel of dry ground of this colour, with this factor of relief.
pub fn shaded(rgb: Rgb, factor: u32) -> Rgba {
    shade_pixel(rgb, times(rgb, factor))
}

fn shade_pixel(colour: Rgb, shade: Rgb) -> Rgba {
    let [r, g, b] = lattice(colour, shade);
    [r, g, b, 255]
}

/// A tile from the tiles one level in: the mean of four pixels weighted by their alpha, from 8
/// blocks per pixel on a third nearer to the pixel that differs most, then the lattice.
pub fn parent((zoom, x, y): Tile, tiles: &BTreeMap<Tile, Vec<Rgba>>) -> Vec<Rgba> {
    let mut pixels = vec![CLEAR; SIDE * SIDE];
    for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        let Some(child) = tiles.get(&(zoom + 1, 2 * x + dx, 2 * y + dy)) else {
            continue;
        };

        for (at, to) in (0..SIDE * SIDE / 4)
            .map(|at| (at % (SIDE / 2), at / (SIDE / 2)))
            .map(|(px, py)| {
                let corner = 2 * py * SIDE + 2 * px;
                (
                    [corner, corner + 1, corner + SIDE, corner + SIDE + 1],
                    (py + dy as usize * 256) * SIDE + px + dx as usize * 256,
                )
            })
        {
            let four = at.map(|place| child[place]);
            pixels[to] = mean(four, NATIVE - zoom >= 3);
        }
    }

    pixels
}

fn mean(four: [Rgba; 4], keeps_contrast: bool) -> Rgba {
    let alpha: u32 = four.iter().map(|pixel| u32::from(pixel[3])).sum();
    if alpha == 0 {
        return CLEAR;
    }

    let channel = |c: usize| {
        let sum: u32 = four
            .iter()
            .map(|pixel| u32::from(pixel[c]) * u32::from(pixel[3]))
            .sum();
        ((sum + alpha / 2) / alpha) as u8
    };

    let mut rgb = [channel(0), channel(1), channel(2)];
    if keeps_contrast && alpha == 4 * 255 {
        rgb = towards_outlier(rgb, four);
    }

    let [r, g, b, _] = pixel(rgb);
    [r, g, b, ((alpha + 2) / 4) as u8]
}

/// A mean of four opaque pixels, a third nearer to the pixel that differs most from it. If
/// several differ as much, the first counts.
fn towards_outlier(mean: Rgb, four: [Rgba; 4]) -> Rgb {
    let difference = |pixel: &Rgba| -> i32 {
        (0..3)
            .map(|c| (i32::from(pixel[c]) - i32::from(mean[c])).abs())
            .sum()
    };
    let outlier = four.iter().rev().max_by_key(|pixel| difference(pixel));
    let outlier = outlier.unwrap();

    std::array::from_fn(|c| {
        let mean = f64::from(mean[c]);
        (mean + (f64::from(outlier[c]) - mean) / 3.0).round() as u8
    })
}

/// Fails unless every outer tile is the reduction of its children, and exactly these tiles exist.
pub fn assert_pyramid(what: &str, tiles: &BTreeMap<Tile, Vec<Rgba>>) {
    let outermost = tiles.keys().map(|tile| tile.0).min().unwrap_or(NATIVE);
    for (tile, pixels) in tiles {
        assert!(
            pixels.iter().any(|pixel| *pixel != CLEAR),
            "{what}: {tile:?} shows nothing"
        );

        let bare = pixels
            .iter()
            .find(|pixel| pixel[3] == 0 && **pixel != CLEAR);
        assert!(
            bare.is_none(),
            "{what}: {tile:?} has a transparent pixel with a colour: {bare:?}"
        );

        if tile.0 > outermost {
            let above = (tile.0 - 1, tile.1.div_euclid(2), tile.2.div_euclid(2));
            assert!(
                tiles.contains_key(&above),
                "{what}: {above:?} is missing over {tile:?}"
            );
        }

        if tile.0 < NATIVE {
            let expected = parent(*tile, tiles);
            let wrong = expected
                .iter()
                .zip(pixels)
                .position(|(expected, found)| expected != found);
            assert_eq!(
                wrong, None,
                "{what}: a pixel of {tile:?} is not the mean of its four"
            );
        }
    }
}
