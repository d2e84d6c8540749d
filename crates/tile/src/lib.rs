//! Tiles: buffers of pixels, their reduction to the next zoom level further out, the set of tiles
//! at each level, and their encoding. This crate must never know Minecraft, and it opens no files.

#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests write files of their own")
)]

mod canvas;
mod checks;
mod colours;
mod decode;
mod deflate;
mod encode;
mod heights;
mod huffman;
mod lattice;
mod pixel;
mod pixel_size;
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
pub use lattice::{shade_to_lattice, to_lattice};
pub use pixel::Pixel;
pub use pixel_size::PixelSize;
pub use png::{png_end, png_start};
pub use reduce::Quarter;
pub use samples::Samples;
pub use strip::{Adler, Strip, StripEncoder, rgba_png};
pub use tile_set::TileSet;
pub use webp::{WEBP_SIDE_LIMIT, encode as encode_webp};
