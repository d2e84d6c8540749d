//! Layer `day`: paints the map by daylight, in the colours that players know from the game.
//!
//! A pixel is the block's colour times the biome's tint, made brighter or darker by relief. Water
//! shows its floor through it, depending on depth; plants and glass hide the ground in proportion
//! to the share that they cover. Everything is computed in integers, so that all machines draw the
//! same pixels. This is look 1; its pixels do not change.

use crate::layers::colours::colour_cache::{Coat, ColourCache};
use crate::layers::colours::relief::{self, Relief};
use crate::layers::colours::tint::ChunkTints;
use crate::layers::colours::tone::{self, Rgb};
use crate::layers::renderer::LayerRenderer;
use crate::layers::row::ChunkRow;
use crate::palette::Tint;
use crate::surface::{Columns, NO_HEIGHT, Overlay};
use pixelmap_base::coord::{CHUNK_AREA, CHUNK_SIDE, TILE_SIDE};
use pixelmap_tile::Pixel;
use pixelmap_world::names::{BlockId, NameCache, Traits};

/// The appearance of water, by the number of wet blocks down to the floor. Each row has the
/// greatest depth for which it is used, how much of the floor the water hides, and the water's
/// brightness, both over 256.
const WATER: [(u8, u32, u32); 8] = [
    (1, 115, 256),
    (2, 141, 250),
    (3, 164, 238),
    (5, 184, 228),
    (8, 205, 214),
    (13, 223, 200),
    (21, 236, 188),
    (u8::MAX, 243, 174),
];

/// The row of [`WATER`] for each depth.
const WATER_LINE: [u8; 256] = {
    let mut lines = [0; 256];
    let mut depth = 0;
    let mut line = 0;
    while depth < lines.len() {
        if depth > WATER[line].0 as usize {
            line += 1;
        }
        lines[depth] = line as u8;
        depth += 1;
    }
    lines
};

#[derive(Debug)]
pub struct Day {
    paints: ColourCache,
    tints: ChunkTints,
    /// Colours that were computed before, because most columns look like an earlier one. Dry ground
    /// has a table of its own: its colours do not depend on a second colour, so its keys are
    /// smaller and more of them fit the innermost cache.
    dry: Box<[(u64, ColourPixel); SEEN_DRY]>,
    seen: Box<[(ColourKey, ColourPixel); SEEN]>,
}

/// How many colours each table holds, for dry ground and for everything else. Both are powers of
/// two.
const SEEN_DRY: usize = 1024;
const SEEN: usize = 512;

/// Everything that affects the colour of a column's end, or of a cover over it, in two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ColourKey {
    /// The block's id from bit 0, the part (see below) from bit 32, the step of relief from bit 36,
    /// the block's tint from bit 40.
    block: u64,
    /// The tint of the water over a floor, or the [below](ColourPixel::below) of a cover.
    other: u32,
}

/// The part in the key of dry ground. The part of a floor under water is its row in [`WATER`].
const GROUND: u8 = 8;
/// The part in the key of a cover: a transparent block, or one that is flat on the ground.
const COVER: u8 = 9;

impl ColourKey {
    const fn new(block: BlockId, part: u8, step: u8, tint: u32, other: u32) -> Self {
        let block =
            block.index() as u64 | (part as u64) << 32 | (step as u64) << 36 | (tint as u64) << 40;
        Self { block, other }
    }

    const fn place(self) -> usize {
        place(self.block ^ (self.other as u64) << 8) % SEEN
    }
}

/// Returns the index of a key in the table of dry ground.
const fn place(key: u64) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54) as usize % SEEN_DRY
}

/// The colour of a column so far, and the pixel that it makes if nothing covers it.
#[derive(Debug, Clone, Copy)]
struct ColourPixel {
    /// The packed colour that a cover is blended over. Relief is left out, so that a cover and the
    /// ground below it are shaded together, unless the colour is marked as [`SHADED`].
    below: u32,
    pixel: Pixel,
}

/// Marks a colour that has its relief already: the colour of water or lava, because relief changes
/// these less than the covers above them, or not at all.
const SHADED: u32 = 1 << 24;

impl ColourPixel {
    /// Makes the pixel of a colour and its shade. Covers will have the same relief.
    fn new(colour: Rgb, shade: Rgb) -> Self {
        Self {
            below: tone::pack_colour(colour),
            pixel: tone::shaded_pixel(colour, shade),
        }
    }

    /// Makes the pixel of a colour and its shade. Covers will have a relief of their own.
    fn shaded(colour: Rgb, shade: Rgb) -> Self {
        Self {
            below: tone::pack_colour(shade) | SHADED,
            ..Self::new(colour, shade)
        }
    }
}

impl Day {
    pub fn new(paints: ColourCache) -> Self {
        // Columns never have step 15 of relief, so this key matches none of them.
        let none = ColourKey::new(BlockId::AIR, COVER, 15, 0, 0);
        let empty = ColourPixel {
            below: 0,
            pixel: Pixel::CLEAR,
        };
        Self {
            paints,
            tints: ChunkTints::default(),
            dry: Box::new([(none.block, empty); SEEN_DRY]),
            seen: Box::new([(none, empty); SEEN]),
        }
    }

    /// Paints a row of chunks: see [`LayerRenderer::paint`].
    // It is not inlined, so that benches/instructions.sh can count it. It is called once per row of
    // chunks, so this costs nothing.
    #[inline(never)]
    pub fn draw(&mut self, row: &ChunkRow<'_>, name_cache: &mut NameCache, pixels: &mut [Pixel]) {
        for (chunk, columns) in row.chunks.iter().enumerate() {
            if !columns.is_empty() {
                self.tints.start(row.biomes, row.index, chunk);
                self.draw_chunk(
                    columns,
                    &Relief::new(row, chunk),
                    name_cache,
                    &mut pixels[chunk * CHUNK_SIDE..],
                );
            }
        }
    }

    /// Paints a chunk. `pixels` begins with the chunk's first pixel, and its rows are as wide as a
    /// tile.
    fn draw_chunk(
        &mut self,
        columns: &Columns,
        relief: &Relief,
        name_cache: &mut NameCache,
        pixels: &mut [Pixel],
    ) {
        let mut below = [0; CHUNK_AREA];
        for (z, pixels) in pixels.chunks_mut(TILE_SIDE).take(CHUNK_SIDE).enumerate() {
            for (x, pixel) in pixels[..CHUNK_SIDE].iter_mut().enumerate() {
                let column = z * CHUNK_SIDE + x;
                if columns.top_y[column] != NO_HEIGHT {
                    let shown = self.column_end(columns, relief, column, name_cache);
                    below[column] = shown.below;
                    *pixel = shown.pixel;
                }
            }
        }

        // In reverse order each column's lowest overlay comes first. The overlays have a loop of
        // their own so that columns without overlays cost nothing extra.
        for &Overlay { column, id, .. } in columns.overlays.iter().rev() {
            let column = usize::from(column);
            if columns.top_y[column] != NO_HEIGHT {
                let tint = self.tint(id, column, name_cache);
                let shown = self.recall(
                    ColourKey::new(id, COVER, relief.top[column], tint, below[column]),
                    id,
                );
                below[column] = shown.below;
                pixels[column / CHUNK_SIDE * TILE_SIDE + column % CHUNK_SIDE] = shown.pixel;
            }
        }
    }

    /// Returns the colour of the block at which a column ends: dry ground, or a floor under water.
    fn column_end(
        &mut self,
        columns: &Columns,
        relief: &Relief,
        column: usize,
        name_cache: &mut NameCache,
    ) -> ColourPixel {
        let block = columns.ground[column];
        let tint = self.tint(block, column, name_cache);
        if columns.depth[column] == 0 {
            let key = ColourKey::new(block, GROUND, relief.top[column], tint, 0);
            let (seen, shown) = self.dry[place(key.block)];
            return if seen == key.block {
                shown
            } else {
                self.learn_dry(key, block)
            };
        }

        let line = WATER_LINE[usize::from(columns.depth[column])];
        let water = self
            .tints
            .tint_at(Tint::Water, column, &mut self.paints, name_cache);
        self.recall(
            ColourKey::new(block, line, relief.ground[column], tint, water),
            block,
        )
    }

    fn tint(&mut self, block: BlockId, column: usize, name_cache: &mut NameCache) -> u32 {
        let tint = self.paints.coat(block, name_cache).tint;
        self.tints
            .tint_at(tint, column, &mut self.paints, name_cache)
    }

    /// Returns the colour of a floor under water, or of a cover. Computes it only if it is not
    /// remembered.
    fn recall(&mut self, key: ColourKey, block: BlockId) -> ColourPixel {
        let (seen, shown) = self.seen[key.place()];
        if seen == key {
            shown
        } else {
            self.learn_colour(key, block)
        }
    }

    /// Computes a colour and remembers it.
    #[cold]
    #[inline(never)]
    fn learn_colour(&mut self, key: ColourKey, block: BlockId) -> ColourPixel {
        let shown = self.colour(key, block);
        self.seen[key.place()] = (key, shown);
        shown
    }

    /// Computes a colour of dry ground and remembers it.
    #[cold]
    #[inline(never)]
    fn learn_dry(&mut self, key: ColourKey, block: BlockId) -> ColourPixel {
        let shown = self.colour(key, block);
        self.dry[place(key.block)] = (key.block, shown);
        shown
    }

    /// Computes the colour of a key. `block` is the block whose id the key contains.
    fn colour(&self, key: ColourKey, block: BlockId) -> ColourPixel {
        let part = key.block >> 32 & 15;
        let step = (key.block >> 36 & 15) as u8;
        let tint = key.block >> 40;

        let other = tone::unpack_colour(key.other);
        let coat = self.paints.learned_coat(block);
        let colour = coat.colour(tone::unpack_colour(tint as u32));
        match part as u8 {
            GROUND if coat.traits.any(Traits::LAVA) => ColourPixel::shaded(colour, colour),
            GROUND => ColourPixel::new(colour, slope_colour(colour, step)),
            COVER => {
                let over = |cover| tone::mix_colours(other, cover, coat.sixteenths, 16);
                if key.other & SHADED == 0 {
                    let colour = over(colour);
                    ColourPixel::new(colour, slope_colour(colour, step))
                } else {
                    ColourPixel::shaded(over(colour), over(slope_colour(colour, step)))
                }
            }
            line => {
                let Water {
                    colour: water,
                    share,
                } = Water::new(usize::from(line), other);
                if block == BlockId::AIR {
                    return ColourPixel::shaded(water, water);
                }

                let under_water = |floor| tone::mix_colours(floor, water, share, 256);
                ColourPixel::shaded(under_water(colour), under_water(floor_colour(colour, step)))
            }
        }
    }
}

/// Returns the colour of dry ground. Lava shines, so it is drawn without relief.
pub(crate) fn ground_colour(coat: &Coat, colour: Rgb, step: u8) -> Rgb {
    if coat.traits.any(Traits::LAVA) {
        colour
    } else {
        slope_colour(colour, step)
    }
}

/// Applies a step of relief to a colour.
pub(crate) fn slope_colour(colour: Rgb, step: u8) -> Rgb {
    tone::scale_colour(colour, relief::factor(step))
}

/// Returns the colour of the floor below water. It has half the relief of dry ground, because water
/// softens relief.
pub(crate) fn floor_colour(colour: Rgb, step: u8) -> Rgb {
    let factor = (256 + (relief::factor(step) as i32 - relief::LEVEL as i32) / 2) as u32;
    tone::scale_colour(colour, factor)
}

/// The greatest factor by which a weak tint of water is stretched, because the hue of a tint that is
/// nearly grey means nothing.
const STRETCH: u32 = 3;

/// Stretches a weak tint until its weakest channel has at most half of its strongest one. Also
/// returns how weak the tint was, from 0 (not at all) to 256 (grey).
fn strengthen(tint: Rgb) -> (Rgb, u32) {
    let channels = tint.map(u32::from);
    let low = channels.into_iter().fold(255, u32::min);
    let high = channels.into_iter().fold(0, u32::max);
    let (chroma, least) = (high - low, high / 2);
    if chroma >= least {
        return (tint, 0);
    }

    let stretched = channels.map(|channel| {
        let down = (high - channel) * STRETCH;
        (high - down.min((high - channel) * least / chroma.max(1))) as u8
    });
    (stretched, (least - chroma) * 256 / least)
}

/// The look of the water over a floor.
pub(crate) struct Water {
    pub(crate) colour: Rgb,
    /// How much of the floor the water hides, over 256.
    pub(crate) share: u32,
}

impl Water {
    /// Returns the look of water with this row of [`WATER`] and this tint. If the tint is weak, as
    /// in swamps, the water is murky: it hides more of the floor, and its colour is stronger.
    /// Otherwise shallow water would be greyer than the land around it.
    fn new(line: usize, tint: Rgb) -> Self {
        let (_, share, brightness) = WATER[line];
        let (tint, murk) = strengthen(tint);

        Self {
            colour: tone::scale_colour(tint, brightness),
            share: share + (((256 - share) * murk) >> 8),
        }
    }

    /// Returns the look of water with this depth (at least 1) and this tint.
    pub(crate) fn at_depth(depth: u8, tint: Rgb) -> Self {
        Self::new(usize::from(WATER_LINE[usize::from(depth)]), tint)
    }
}

impl LayerRenderer for Day {
    fn paint(&mut self, row: &ChunkRow<'_>, name_cache: &mut NameCache, pixels: &mut [Pixel]) {
        self.draw(row, name_cache, pixels);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layers::colours::relief::STEPS;
    use crate::palette::Palette;
    use pixelmap_tile::to_lattice;

    /// Blocks of the land, by the biome whose grass or foliage tints them; most have no tint.
    const LAND: [(&str, &str); 40] = [
        ("plains", "grass_block"),
        ("forest", "grass_block"),
        ("savanna", "grass_block"),
        ("swamp", "grass_block"),
        ("badlands", "grass_block"),
        ("jungle", "grass_block"),
        ("snowy_plains", "grass_block"),
        ("plains", "oak_leaves"),
        ("jungle", "jungle_leaves"),
        ("savanna", "acacia_leaves"),
        ("plains", "birch_leaves"),
        ("plains", "spruce_leaves"),
        ("plains", "cherry_leaves"),
        ("plains", "sand"),
        ("plains", "red_sand"),
        ("plains", "sandstone"),
        ("plains", "dirt"),
        ("plains", "podzol"),
        ("plains", "mycelium"),
        ("plains", "mud"),
        ("plains", "clay"),
        ("plains", "dirt_path"),
        ("plains", "gravel"),
        ("plains", "stone"),
        ("plains", "granite"),
        ("plains", "deepslate"),
        ("plains", "terracotta"),
        ("plains", "orange_terracotta"),
        ("plains", "blue_terracotta"),
        ("plains", "netherrack"),
        ("plains", "crimson_nylium"),
        ("plains", "warped_nylium"),
        ("plains", "end_stone"),
        ("plains", "snow_block"),
        ("plains", "packed_ice"),
        ("plains", "oak_planks"),
        ("plains", "oak_log"),
        ("plains", "bricks"),
        ("plains", "prismarine"),
        ("plains", "hay_block"),
    ];

    fn land_colours() -> Vec<Rgb> {
        let palette = Palette::builtin();
        let colour = |(biome, block): &(&str, &str)| {
            let tints = palette.tints(&format!("minecraft:{biome}")).unwrap();
            let paint = palette.paint(&format!("minecraft:{block}"), "");
            let tint = match paint.tint {
                Tint::Grass => tints.grass,
                Tint::Foliage => tints.foliage,
                _ => [255; 3],
            };
            tone::midtones(tone::tint_colour(paint.rgb, tint))
        };
        LAND.iter().map(colour).collect()
    }

    fn chroma([r, g, b]: Rgb) -> u8 {
        r.max(g).max(b) - r.min(g).min(b)
    }

    /// The hue in degrees.
    fn hue(rgb: Rgb) -> f64 {
        let [r, g, b] = rgb.map(f64::from);
        let chroma = f64::from(chroma(rgb));
        let strongest = rgb.into_iter().max();

        let sixth = if strongest == Some(rgb[0]) {
            (g - b) / chroma
        } else if strongest == Some(rgb[1]) {
            2.0 + (b - r) / chroma
        } else {
            4.0 + (r - g) / chroma
        };
        sixth * 60.0
    }

    fn quarters_of_brightness([r, g, b]: Rgb) -> i32 {
        i32::from(r) + 2 * i32::from(g) + i32::from(b)
    }

    fn pixel([r, g, b, _]: [u8; 4]) -> Rgb {
        [r, g, b]
    }

    #[test]
    fn shades_keep_hue_and_brightness() {
        for colour in land_colours() {
            let mut shown: Vec<Rgb> = Vec::new();
            for step in 0..STEPS as u8 {
                let exact = slope_colour(colour, step);
                let shade = pixel(tone::shaded_pixel(colour, exact).rgba());

                let moved = quarters_of_brightness(shade) - quarters_of_brightness(exact);
                assert!(moved.abs() <= 4 * 4, "{colour:?}: {exact:?} is {shade:?}");
                shown.push(shade);
            }

            // Outer zoom levels mix the shades, and are rounded again.
            for (one, other) in shown
                .clone()
                .into_iter()
                .zip(shown.clone().into_iter().skip(3))
            {
                shown.push(to_lattice(tone::mix_colours(one, other, 1, 2)));
            }

            shown.retain(|&rgb| chroma(rgb) > 12);
            for pair in shown.windows(2) {
                let apart = (hue(pair[0]) - hue(pair[1]) + 540.0).rem_euclid(360.0) - 180.0;
                assert!(apart.abs() <= 2.0, "{colour:?}: {pair:?}");
            }
        }
    }

    #[test]
    fn shallow_swamps_are_not_greyer_than_their_land() {
        let swamp = Palette::builtin().tints("minecraft:swamp").unwrap();
        let grass = tone::midtones(tone::tint_colour([0x93; 3], swamp.grass));
        let water = Water::at_depth(1, swamp.water);

        for floor in ["dirt", "stone", "clay", "sand"] {
            let floor = tone::midtones(
                Palette::builtin()
                    .paint(&format!("minecraft:{floor}"), "")
                    .rgb,
            );
            let shown = tone::mix_colours(floor, water.colour, water.share, 256);
            let land = slope_colour(grass, relief::LEVEL_STEP);
            assert!(chroma(shown) + 4 >= chroma(land), "{shown:?} and {land:?}");
        }

        let plains = Palette::builtin().tints("minecraft:plains").unwrap();
        assert_eq!(strengthen(plains.water), (plains.water, 0));
    }
}
