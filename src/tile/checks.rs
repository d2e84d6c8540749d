//! Checks that decoders share, and the pixels that samples stand for.

use std::fmt;

use super::{Canvas, Pixel, blank};
use crate::base::coord::TILE_SIDE;

/// The reason why a file is no tile.
#[derive(Debug)]
pub struct NotATile(pub(super) String);

impl fmt::Display for NotATile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a tile of this map: {}", self.0)
    }
}

impl std::error::Error for NotATile {}

/// Checks that a picture has a tile's size and samples of the expected kind.
pub(super) fn check((width, height): (u32, u32), is_of_kind: bool) -> Result<(), NotATile> {
    if (width, height) != (TILE_SIDE as u32, TILE_SIDE as u32) {
        return Err(NotATile(format!("it is {width} by {height} pixels")));
    }
    if is_of_kind { Ok(()) } else { Err(NotATile("its samples are of another kind".to_owned())) }
}

/// The pixels that samples stand for, `N` bytes each, `[y][x]`.
pub(super) fn canvas_of<const N: usize>(samples: &[u8], pixel: impl Fn([u8; N]) -> Pixel) -> Canvas {
    let mut pixels = blank();
    for (to, sample) in pixels.iter_mut().zip(samples.as_chunks::<N>().0) {
        *to = pixel(*sample);
    }
    pixels.into()
}
