//! Tiles: buffers of pixels, their reduction to the next zoom level out, which tiles exist, and their encoding.
//!
//! Knows nothing of the game.

mod decode;
mod encode;
mod pixel;
mod pyramid;
mod reduce;

pub use decode::{NotATile, decode};
pub use encode::{Encoder, pixel_hash};
pub use pixel::{Pixel, to_lattice};
pub use pyramid::Pyramid;
pub use reduce::{QUARTER_SIDE, Quarter, reduce};

use crate::coord::TILE_SIDE;

/// Pixels of a tile.
pub const TILE_PIXELS: usize = TILE_SIDE * TILE_SIDE;

/// The pixels of one tile, `[y][x]`.
pub type Pixels = Box<[Pixel]>;

/// An empty tile.
pub fn blank() -> Pixels {
    vec![Pixel::CLEAR; TILE_PIXELS].into()
}
