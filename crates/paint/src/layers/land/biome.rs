//! Layer `biome`: paints each biome in a colour of its own, which depends on the biome's name
//! alone.

use std::mem::take;
use std::sync::Arc;

use crate::layers::colours::tone::Rgb;
use crate::layers::renderer::LayerRenderer;
use crate::layers::row::ChunkRow;
use crate::surface::NO_HEIGHT;
use pixelmap_base::coord::{CHUNK_AREA, CHUNK_SIDE, TILE_SIDE};
use pixelmap_tile::Pixel;
use pixelmap_world::names::{BiomeId, NameCache};

/// Words in a biome's name and the colours that they give it. The first word of this list that the
/// name contains decides.
const WORDS: [(&str, Rgb); 34] = [
    ("deep_frozen", [74, 96, 170]),
    ("frozen_ocean", [118, 150, 214]),
    ("deep_", [18, 34, 100]),
    ("warm_ocean", [30, 120, 190]),
    ("ocean", [32, 72, 160]),
    ("frozen_river", [150, 180, 240]),
    ("river", [60, 110, 220]),
    ("beach", [240, 222, 150]),
    ("ice", [180, 220, 230]),
    ("jagged", [214, 222, 236]),
    ("frozen", [190, 206, 232]),
    ("snowy", [232, 240, 246]),
    ("grove", [168, 204, 196]),
    ("mangrove", [62, 116, 70]),
    ("swamp", [84, 110, 62]),
    ("badlands", [206, 96, 42]),
    ("desert", [244, 190, 84]),
    ("savanna", [184, 172, 84]),
    ("jungle", [70, 142, 20]),
    ("dark_forest", [42, 72, 24]),
    ("birch", [96, 160, 100]),
    ("cherry", [240, 160, 200]),
    ("flower", [160, 196, 90]),
    ("taiga", [30, 104, 88]),
    ("crimson", [190, 20, 30]),
    ("warped", [30, 144, 130]),
    ("soul", [94, 70, 58]),
    ("basalt", [70, 64, 72]),
    ("nether", [140, 44, 40]),
    ("end", [190, 184, 120]),
    ("forest", [26, 110, 40]),
    ("plains", [140, 180, 90]),
    ("mushroom", [176, 60, 190]),
    ("cave", [110, 96, 80]),
];
/// How much a name may change each channel of its word's colour, up or down.
const SPREAD: i32 = 26;

#[derive(Debug, Default)]
pub(crate) struct Biomes {
    /// Colours, indexed by biome id. They are added when a biome with that id or a larger one is
    /// first painted.
    colours: Vec<Pixel>,
    /// Indexed by biome id: whether the biome was painted since the last call of `take_names`.
    painted: Vec<bool>,
}

impl LayerRenderer for Biomes {
    fn paint(&mut self, row: &ChunkRow<'_>, name_cache: &mut NameCache, pixels: &mut [Pixel]) {
        for (chunk, columns) in row
            .chunks
            .iter()
            .enumerate()
            .filter(|(_, columns)| !columns.is_empty())
        {
            for column in (0..CHUNK_AREA).filter(|&column| columns.top_y[column] != NO_HEIGHT) {
                let at = column / CHUNK_SIDE * TILE_SIDE + chunk * CHUNK_SIDE + column % CHUNK_SIDE;
                pixels[at] = self.colour(columns.biome[column], name_cache);
            }
        }
    }

    fn take_names(&mut self, name_cache: &mut NameCache) -> Vec<Arc<str>> {
        let painted = self
            .painted
            .iter_mut()
            .enumerate()
            .filter_map(|(id, painted)| take(painted).then_some(id));
        painted.map(|id| name_cache.biome_name_at(id)).collect()
    }
}

impl Biomes {
    fn colour(&mut self, biome: BiomeId, name_cache: &mut NameCache) -> Pixel {
        while self.colours.len() <= biome.index() {
            let name = name_cache.biome_name_at(self.colours.len());
            self.colours.push(biome_pixel(&name));
            self.painted.push(false);
        }
        self.painted[biome.index()] = true;
        self.colours[biome.index()]
    }
}

pub(crate) fn biome_pixel(name: &str) -> Pixel {
    Pixel::from_rgb(biome_colour(name))
}

fn biome_colour(name: &str) -> Rgb {
    let place = name.rsplit(':').next().unwrap_or(name);

    // We use FNV-1a because its result is the same on every machine and in every version of the
    // program.
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let part = |at: u32| (hash.rotate_right(at * 16) >> 24 & 0xffff) as i32;

    let known = WORDS.iter().find(|(word, _)| place.contains(word));
    let base = known.map_or_else(
        || std::array::from_fn(|c| (40 + part(c as u32) % 176) as u8),
        |(_, rgb)| *rgb,
    );

    std::array::from_fn(|c| {
        (i32::from(base[c]) + part(c as u32) % (2 * SPREAD + 1) - SPREAD).clamp(0, 255) as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_games_own_biomes_have_distinct_colours() {
        let table = include_str!("../../palette/biomes.tsv").lines();
        let own = table
            .filter_map(|line| line.split_once('\t'))
            .filter(|(_, colours)| !colours.starts_with('='));
        let names: Vec<_> = own
            .map(|(name, _)| format!("minecraft:{name}"))
            .filter(|name| !name.contains('#'))
            .collect();
        assert!(names.len() >= 60);

        for (at, one) in names.iter().enumerate() {
            for other in &names[..at] {
                let [a, b] = [biome_colour(one), biome_colour(other)];
                let apart: i32 = (0..3).map(|c| i32::from(a[c].abs_diff(b[c]))).sum();
                assert!(apart >= 8, "{one} {a:?} and {other} {b:?}");
            }
        }
    }

    #[test]
    fn names_have_the_same_colour_in_every_version() {
        assert_eq!(biome_colour("minecraft:plains"), [158, 196, 71]);
        assert_eq!(biome_colour("mod:a"), [57, 73, 188], "without a known word");
        assert_eq!(biome_colour("mod:cold_desert"), [241, 191, 68]);
    }
}
