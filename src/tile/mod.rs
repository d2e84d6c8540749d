//! Tiles: buffers of pixels, their reduction to the next zoom level further out, the set of tiles
//! at each level, and their encoding. This module is independent of the game and of files.

mod canvas;
mod checks;
mod colours;
mod decode;
mod deflate;
mod encode;
mod heights;
mod huffman;
mod pixel;
mod png;
mod reduce;
mod runs;
mod samples;
mod sparse_hash;
mod strip;
mod tile_set;
mod webp;

pub use canvas::Canvas;
pub use checks::NotATile;
pub use decode::{decode, decode_picture};
pub use encode::{Encoder, pixel_hash};
pub use pixel::{Pixel, to_lattice};
pub use png::{png_end, png_start};
pub use reduce::Quarter;
pub use samples::Samples;
pub use strip::{Adler, Strip, StripEncoder, rgba_png};
pub use tile_set::TileSet;
pub use webp::{WEBP_SIDE_LIMIT, encode as encode_webp};

use crate::base::coord::TILE_SIDE;

const TILE_PIXELS: usize = TILE_SIDE * TILE_SIDE;

/// The size of a picture in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PixelSize {
    pub width: u32,
    pub height: u32,
}

impl PixelSize {
    const TILE: Self = Self {
        width: TILE_SIDE as u32,
        height: TILE_SIDE as u32,
    };
}

impl From<(u32, u32)> for PixelSize {
    fn from((width, height): (u32, u32)) -> Self {
        Self { width, height }
    }
}

/// The pixels of one tile, `[y][x]`.
type Pixels = Box<[Pixel]>;

/// Returns a transparent tile.
fn clear_pixels() -> Pixels {
    vec![Pixel::CLEAR; TILE_PIXELS].into()
}
