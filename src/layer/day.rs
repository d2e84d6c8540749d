//! Layer `day`: the map by daylight, what someone who knows the game recognises at once.
//!
//! Colour times tint, relief in seven steps, water that shows its floor by depth, plants and glass by what they cover.
//! All in integers. This is look 1; its pixels do not change.

use super::paints::Paints;
use super::relief;
use super::row::Row;
use super::tint::ChunkTints;
use super::tone::{self, Rgb};
use crate::block::{BlockId, Book, Traits};
use crate::coord::{CHUNK_AREA, CHUNK_SIDE, REGION_CHUNKS, TILE_SIDE};
use crate::palette::Tint;
use crate::surface::{NO_HEIGHT, Overlay};
use crate::tile::{Pixel, to_lattice};

/// Water by the number of wet blocks down to the floor: up to this depth, how much of it is water and how bright that
/// is, both over 256.
const WATER: [(u8, u32, u32); 8] = [
    (1, 115, 243),
    (2, 141, 236),
    (3, 164, 225),
    (5, 184, 215),
    (8, 205, 202),
    (13, 223, 189),
    (21, 236, 177),
    (u8::MAX, 243, 164),
];

/// Draws the day map.
#[derive(Debug)]
pub struct Day {
    paints: Paints,
    tints: ChunkTints,
    /// Pixels of the chunk at hand whose tints do not depend on the column, by [`Look::place`].
    alike: Box<[Option<(Look, Pixel)>; ALIKE]>,
}

/// Looks of a chunk that are remembered; a power of two.
const ALIKE: usize = 64;

/// The heights that a column's relief needs: its own, and those of its neighbours to the north and west.
#[derive(Clone, Copy)]
struct Slope {
    own: i16,
    north: i16,
    west: i16,
}

impl Slope {
    fn factor(self) -> u32 {
        relief::factor(self.own, self.north, self.west)
    }
}

/// Everything that decides a column's colour, but for its tints and what covers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Look {
    ground: BlockId,
    depth: u8,
    /// Factors of relief at the top and at the floor of the water.
    top: u32,
    floor: u32,
}

impl Look {
    /// Where it is remembered.
    fn place(self) -> usize {
        let factors = self.top ^ self.floor.rotate_left(5);
        let mixed = (self.ground.index() as u32).wrapping_mul(31) ^ factors ^ u32::from(self.depth) << 3;
        (mixed.wrapping_mul(0x9e37_79b1) >> 26) as usize % ALIKE
    }
}

impl Day {
    /// A painter with the colours of `paints`.
    pub fn new(paints: Paints) -> Self {
        Self { paints, tints: ChunkTints::default(), alike: Box::new([None; ALIKE]) }
    }

    /// Draws a row of chunks into `pixels`, 16 rows of a tile. Columns in which nothing stands are left as they are.
    // Stays a function of its own, so that benches/instructions.sh can count it; called once a row of chunks.
    #[inline(never)]
    pub fn draw(&mut self, row: &Row<'_>, book: &mut Book, pixels: &mut [Pixel]) {
        for chunk in 0..REGION_CHUNKS {
            let columns = &row.chunks[chunk];
            if columns.is_empty() {
                continue;
            }
            self.tints.start(row.biomes, row.index, chunk);
            let (west_ground_y, west_top_y) = row.west(chunk);
            let mut overlays = columns.overlays.as_slice();
            self.alike.fill(None);
            for column in 0..CHUNK_AREA {
                let (x, z) = (column % CHUNK_SIDE, column / CHUNK_SIDE);
                let count = overlays.iter().take_while(|overlay| usize::from(overlay.column) == column).count();
                let (over, rest) = overlays.split_at(count);
                overlays = rest;
                if columns.top_y[column] == NO_HEIGHT {
                    continue;
                }
                let slope = |heights: &[i16; CHUNK_AREA], north: &[i16], west: &[i16; CHUNK_SIDE]| Slope {
                    own: heights[column],
                    north: if z == 0 { north[chunk * CHUNK_SIDE + x] } else { heights[column - CHUNK_SIDE] },
                    west: if x == 0 { west[z] } else { heights[column - 1] },
                };
                let top = slope(&columns.top_y, row.north_top_y, &west_top_y).factor();
                let (ground, depth) = (columns.ground[column], columns.depth[column]);
                let floor = match depth {
                    0 => relief::LEVEL,
                    _ => slope(&columns.ground_y, row.north_ground_y, &west_ground_y).factor(),
                };
                let look = Look { ground, depth, top, floor };
                let pixel = if over.is_empty() {
                    self.pixel(look, column, book)
                } else {
                    let colour = self.column(look, column, book);
                    Pixel::opaque(to_lattice(self.overlays(colour, over, column, top, book)))
                };
                pixels[z * TILE_SIDE + chunk * CHUNK_SIDE + x] = pixel;
            }
        }
    }

    fn colour(&mut self, id: BlockId, column: usize, book: &mut Book) -> Rgb {
        let coat = *self.paints.coat(id, book);
        coat.colour(self.tints.at(coat.tint, column, &mut self.paints, book))
    }

    /// The pixel of a column that nothing covers. Most columns of a chunk look like another one of it.
    fn pixel(&mut self, look: Look, column: usize, book: &mut Book) -> Pixel {
        let place = look.place();
        if let Some((alike, pixel)) = self.alike[place]
            && alike == look
        {
            return pixel;
        }
        let pixel = Pixel::opaque(to_lattice(self.column(look, column, book)));
        let tint = self.paints.coat(look.ground, book).tint;
        if self.tints.is_level(tint) && (look.depth == 0 || self.tints.is_level(Tint::Water)) {
            self.alike[place] = Some((look, pixel));
        }
        pixel
    }

    /// The colour of a column but for what covers it.
    fn column(&mut self, look: Look, column: usize, book: &mut Book) -> Rgb {
        if look.depth > 0 {
            return self.water(look, column, book);
        }
        let colour = self.colour(look.ground, column, book);
        let lava = self.paints.coat(look.ground, book).traits.any(Traits::LAVA);
        if lava { colour } else { tone::scaled(colour, look.top) }
    }

    fn water(&mut self, look: Look, column: usize, book: &mut Book) -> Rgb {
        let step = WATER.iter().find(|step| look.depth <= step.0).unwrap_or(&WATER[7]);
        let &(_, share, brightness) = step;
        let tint = tone::midtones(self.tints.at(Tint::Water, column, &mut self.paints, book));
        let water = tone::scaled(tint, brightness);
        if look.ground == BlockId::AIR {
            return water;
        }
        // Half the relief of dry ground: water softens it.
        let factor = (256 + (look.floor as i32 - relief::LEVEL as i32) / 2) as u32;
        let floor = tone::scaled(self.colour(look.ground, column, book), factor);
        tone::mixed(floor, water, share, 256)
    }

    /// Lays what covers a column over it, the lowest first.
    fn overlays(&mut self, mut colour: Rgb, over: &[Overlay], column: usize, factor: u32, book: &mut Book) -> Rgb {
        for overlay in over.iter().rev() {
            let quarters = self.paints.coat(overlay.id, book).quarters;
            let top = tone::scaled(self.colour(overlay.id, column, book), factor);
            colour = tone::mixed(colour, top, quarters, 4);
        }
        colour
    }
}
