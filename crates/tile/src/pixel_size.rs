//! The size of a picture.

use pixelmap_base::coord::TILE_SIDE;

/// The size of a picture in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PixelSize {
    pub width: u32,
    pub height: u32,
}

impl PixelSize {
    pub(super) const TILE: Self = Self {
        width: TILE_SIDE as u32,
        height: TILE_SIDE as u32,
    };
}

impl From<(u32, u32)> for PixelSize {
    fn from((width, height): (u32, u32)) -> Self {
        Self { width, height }
    }
}
