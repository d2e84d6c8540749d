//! Holds one worker's colours: the colour table's entries for the block and biome ids that the
//! worker has met. Looking up an id is much faster than looking up a name in the colour table.

use std::sync::Arc;

use crate::layers::colours::tone::{self, Rgb};
use crate::palette::{Palette, Tint};
use pixelmap_world::names::{BiomeId, BlockId, NameCache, Traits};

/// The brightness of leaves, over 256. Crowns are darker so that they differ from the ground
/// between them.
const LEAVES: u32 = 216;
/// The number one in the lane of counts. Lanes have 16 bits each: red, green, blue, and a count.
const COUNT_LANE: u64 = 1 << 48;

/// Classes of tints: grass, foliage, dry foliage, water.
pub(crate) const CLASSES: usize = 4;

/// The look of a block in the day map, before relief.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Coat {
    /// The colour from the colour table. For blocks without a tint it is already lightened.
    rgb: Rgb,
    /// How much of the block below it hides, in sixteenths, 1 to 16.
    pub(crate) sixteenths: u32,
    pub(crate) tint: Tint,
    pub(crate) traits: Traits,
}

impl Coat {
    /// Returns the colour with the biome's `tint`, without relief.
    #[inline]
    pub(crate) fn colour(&self, tint: Rgb) -> Rgb {
        if self.tint == Tint::None {
            self.rgb
        } else {
            self.finish(tone::tint_colour(self.rgb, tint))
        }
    }

    fn finish(&self, rgb: Rgb) -> Rgb {
        let light = tone::midtones(rgb);
        if self.traits.any(Traits::LEAVES) {
            tone::scale_colour(light, LEAVES)
        } else {
            light
        }
    }
}

/// One worker's colours of blocks and biomes. They are added when a block or biome is first met.
#[derive(Debug)]
pub struct ColourCache {
    palette: Arc<Palette>,
    coats: Vec<Coat>,
    /// For each class of tints: the colours of all biomes, as lanes that can be added up.
    tints: [Vec<u64>; CLASSES],
}

impl ColourCache {
    pub fn new(palette: Arc<Palette>) -> Self {
        Self {
            palette,
            coats: Vec::new(),
            tints: Default::default(),
        }
    }

    pub(crate) fn coat(&mut self, id: BlockId, name_cache: &mut NameCache) -> &Coat {
        if self.coats.len() <= id.index() {
            self.learn_block(id, name_cache);
        }
        &self.coats[id.index()]
    }

    pub(crate) const fn palette(&self) -> &Arc<Palette> {
        &self.palette
    }

    /// Returns the look of a block. `coat` must have been called for the block before.
    pub(crate) fn learned_coat(&self, id: BlockId) -> &Coat {
        &self.coats[id.index()]
    }

    #[cold]
    fn learn_block(&mut self, id: BlockId, name_cache: &mut NameCache) {
        while self.coats.len() <= id.index() {
            let (name, state) = name_cache.name_at(self.coats.len());
            let paint = self.palette.paint(&name, &state);
            let mut coat = Coat {
                rgb: paint.rgb,
                sixteenths: u32::from(paint.sixteenths),
                tint: paint.tint,
                traits: paint.traits,
            };

            if coat.tint == Tint::None {
                coat.rgb = coat.finish(coat.rgb);
            }

            self.coats.push(coat);
        }
    }

    /// Returns the colours of all biomes up to `last` for a class of tints, as lanes of 16 bits
    /// each: red, green, blue, and the number one. The lanes of the id for no biome are zero.
    pub(crate) fn lanes(
        &mut self,
        class: usize,
        last: BiomeId,
        name_cache: &mut NameCache,
    ) -> &[u64] {
        for index in self.tints[0].len()..=last.index() {
            let lanes = if index == 0 {
                [0; CLASSES]
            } else {
                self.biome_lanes(&name_cache.biome_name_at(index))
            };
            for (tints, lane) in self.tints.iter_mut().zip(lanes) {
                tints.push(lane);
            }
        }

        &self.tints[class]
    }

    fn biome_lanes(&self, name: &str) -> [u64; CLASSES] {
        // An unknown biome has the colours of plains, as in the game without its data pack.
        let known = self
            .palette
            .tints(name)
            .or_else(|| self.palette.tints("minecraft:plains"));
        let Some(tints) = known else {
            return [COUNT_LANE; CLASSES];
        };
        [tints.grass, tints.foliage, tints.dry_foliage, tints.water]
            .map(|[r, g, b]| u64::from(r) | u64::from(g) << 16 | u64::from(b) << 32 | COUNT_LANE)
    }
}
