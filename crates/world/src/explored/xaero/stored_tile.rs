//! The columns of a chunk exactly as a region file stores them, so that a file can be written again
//! without losing anything.

use crate::explored::columns::{Column, Overlay, Tile};
use crate::explored::xaero::overlays::{StoredOverlay, place};
use pixelmap_base::coord::CHUNK_SIDE;

/// A column.
#[derive(Debug, Clone, Copy)]
pub(super) struct StoredPixel {
    /// A number in the list of states.
    pub(super) state: u32,
    pub(super) y: i16,
    /// The height of the highest block that was seen.
    pub(super) top: i16,
    /// The number of its overlays, which follow the ones of earlier pixels.
    pub(super) overlays: u8,
    pub(super) biome: Option<u16>,
    /// The light above its block.
    pub(super) light: u8,
    pub(super) is_cave: bool,
}

/// The heights of the cave that a chunk shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CaveRange {
    pub(super) start: i32,
    pub(super) depth: u8,
}

impl CaveRange {
    /// The range of a chunk that shows the surface.
    pub(super) const SURFACE: Self = Self {
        start: i32::MAX,
        depth: 32,
    };
}

/// The columns of a chunk.
#[derive(Debug, Clone)]
pub(super) struct StoredTile {
    /// The columns of the western edge first, from north to south.
    pub(super) pixels: Vec<StoredPixel>,
    /// The overlays of all pixels, the highest of each pixel first.
    pub(super) overlays: Vec<StoredOverlay>,
    /// The version of the rules by which the mod chose the blocks.
    pub(super) rules: u8,
    pub(super) cave: CaveRange,
}

impl StoredTile {
    /// Returns the tile with other numbers, by the numbers that it has now.
    pub(super) fn renumbered(&self, states: &[u32], biomes: &[Option<u16>]) -> Self {
        let mut tile = self.clone();
        for pixel in &mut tile.pixels {
            pixel.state = states[pixel.state as usize];
            pixel.biome = pixel.biome.and_then(|biome| biomes[usize::from(biome)]);
        }

        for overlay in &mut tile.overlays {
            overlay.state = states[overlay.state as usize];
        }

        tile
    }

    /// Converts the columns to the form that all map mods share.
    pub(super) fn columns(self) -> Tile {
        let mut tile = Tile::new();
        let mut next = 0;
        for (index, pixel) in self.pixels.iter().enumerate() {
            let column = index % CHUNK_SIDE * CHUNK_SIDE + index / CHUNK_SIDE;
            let overlays = &self.overlays[next..next + usize::from(pixel.overlays)];
            next += overlays.len();
            tile.columns[column] = pixel.column(overlays, column, &mut tile.overlays);
        }

        tile.overlays.sort_by_key(|overlay| overlay.column);
        tile
    }
}

impl StoredPixel {
    /// Converts the pixel, and adds its overlays to the ones of its chunk.
    fn column(
        self,
        stored: &[StoredOverlay],
        column: usize,
        overlays: &mut Vec<Overlay>,
    ) -> Column {
        let y = i32::from(self.y);
        let mut highest = y;
        for (overlay, heights) in stored.iter().zip(place(y, self.top.into(), stored)) {
            highest = highest.max((*heights.end()).into());
            overlays.push(Overlay {
                column: column as u8,
                state: overlay.state,
                heights,
            });
        }

        // The light of an overlay is above it, and the light of a pixel loses one for each block of
        // water on the way up.
        let own = i32::from(self.light) - (highest - y);
        let over = stored.first().map_or(0, |overlay| overlay.light);
        Column {
            state: self.state,
            y: self.y,
            biome: self.biome,
            light: over.max(u8::try_from(own).unwrap_or(0)),
        }
    }
}
