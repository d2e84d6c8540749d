//! Layer `biome`: paints each biome in a colour of its own.

use std::mem::take;
use std::sync::Arc;

use crate::layers::land::biome_colours::biome_colour;
use crate::layers::renderer::LayerRenderer;
use crate::layers::row::ChunkRow;
use crate::surface::NO_HEIGHT;
use pixelmap_base::coord::{CHUNK_AREA, CHUNK_SIDE, TILE_SIDE};
use pixelmap_tile::Pixel;
use pixelmap_world::names::{BiomeId, NameCache};

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
