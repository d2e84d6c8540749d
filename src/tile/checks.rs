//! Checks that all decoders share, and the conversion of decoded samples to a canvas.

use std::fmt;

use super::{Canvas, Pixel, PixelSize, clear_pixels};

/// Why a file is not a tile.
#[derive(Debug)]
pub struct NotATile(pub(super) String);

impl fmt::Display for NotATile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a tile of this map: {}", self.0)
    }
}

impl std::error::Error for NotATile {}

/// Checks that a picture has a tile's size and samples of the expected kind.
pub(super) fn check(size: PixelSize, is_expected_kind: bool) -> Result<(), NotATile> {
    if size != PixelSize::TILE {
        return Err(NotATile(format!(
            "it is {} by {} pixels",
            size.width, size.height
        )));
    }

    if is_expected_kind {
        Ok(())
    } else {
        Err(NotATile("its samples are of another kind".to_owned()))
    }
}

/// Makes a canvas from samples with `N` bytes per pixel, `[y][x]`.
pub(super) fn canvas_from_samples<const N: usize>(
    samples: &[u8],
    pixel: impl Fn([u8; N]) -> Pixel,
) -> Canvas {
    let mut pixels = clear_pixels();
    for (to, sample) in pixels.iter_mut().zip(samples.as_chunks::<N>().0) {
        *to = pixel(*sample);
    }
    pixels.into()
}
