//! Checks that all decoders share, and the conversion of decoded samples to a canvas.

use thiserror::Error;

use super::canvas::{Canvas, clear_pixels};
use super::pixel::Pixel;
use super::pixel_size::PixelSize;

/// Why a file is not a tile.
#[derive(Debug, Error)]
#[error("not a tile of this map: {0}")]
pub struct NotATile(pub(super) String);

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
