//! Encodes the pixels of a GeoTIFF's tiles: colours, or heights in blocks.

use libdeflater::{CompressionLvl, Compressor};

use crate::atlas::{Format, Numbers, TileRecord};
use crate::export::error::ExportError;
use crate::export::layer::ExportLayer;
use pixelmap_base::coord::{TILE_SIDE, TilePos};
use pixelmap_tile::{Canvas, Pixel, Samples};

/// The height that marks a pixel without data.
pub(super) const NO_HEIGHT: i16 = i16::MIN;
/// The deflate level, which is the default of most programs.
const LEVEL: i32 = 6;
/// The most bytes by which deflate may enlarge a tile that it cannot compress.
const DEFLATE_MARGIN: u64 = 1 << 10;

/// How the pixels of tiles are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TileForm {
    /// RGBA as WebP, in the bytes of the map's tile.
    Webp,
    /// RGBA, deflated.
    Colours,
    /// Deflated heights in blocks, from tiles of numbers. This offset is added to each number.
    Numbers(i32),
    /// Deflated heights in blocks, from tiles of heights in 1/256 block.
    Heights,
}

impl TileForm {
    pub(super) fn from_layer(layer: &ExportLayer<'_>) -> Self {
        let facts = layer.finished.facts;
        match layer.samples() {
            Samples::Colours if facts.format == Format::Webp => Self::Webp,
            Samples::Colours => Self::Colours,
            Samples::Numbers => {
                Self::Numbers(facts.numbers.map_or(0, |Numbers { offset, .. }| offset))
            }
            Samples::Heights => Self::Heights,
        }
    }

    /// Returns whether pixels are heights instead of colours.
    pub(super) const fn is_height(self) -> bool {
        matches!(self, Self::Numbers(_) | Self::Heights)
    }

    /// Returns the most bytes that a tile of the map can have in this form.
    pub(super) fn most_bytes(self, tile: TileRecord) -> u64 {
        match self {
            Self::Webp => tile.bytes.into(),
            _ => (TILE_SIDE * TILE_SIDE * self.pixel_bytes()) as u64 + DEFLATE_MARGIN,
        }
    }

    const fn pixel_bytes(self) -> usize {
        if self.is_height() { 2 } else { 4 }
    }

    /// Returns the bytes of a tile that the map has.
    ///
    /// # Errors
    /// Fails if the tile differs from its record in the manifest.
    pub(super) fn bytes(
        self,
        layer: &ExportLayer<'_>,
        tile: TilePos,
        record: TileRecord,
    ) -> Result<Vec<u8>, ExportError> {
        if self == Self::Webp {
            return Ok(layer.finished.file(tile, record)?);
        }

        Ok(deflate(
            &self.samples(&layer.finished.canvas(tile, record)?),
        ))
    }

    /// Returns the pixels `[y][x]` as differences from their left neighbours (predictor 2),
    /// little-endian.
    fn samples(self, canvas: &Canvas) -> Vec<u8> {
        let mut samples = Vec::with_capacity(TILE_SIDE * TILE_SIDE * self.pixel_bytes());
        for row in canvas.pixels().chunks_exact(TILE_SIDE) {
            if self.is_height() {
                let mut left = 0;
                for &pixel in row {
                    let height = self.height(pixel);
                    samples.extend(height.wrapping_sub(left).to_le_bytes());
                    left = height;
                }
            } else {
                let mut left = [0; 4];
                for pixel in row {
                    let colour = pixel.rgba();
                    samples.extend((0..4).map(|at| u8::wrapping_sub(colour[at], left[at])));
                    left = colour;
                }
            }
        }

        samples
    }

    fn height(self, pixel: Pixel) -> i16 {
        match self {
            _ if pixel == Pixel::CLEAR => NO_HEIGHT,
            Self::Numbers(offset) => (i32::from(pixel.number()) + offset) as i16,
            // Rounds half up.
            _ => ((pixel.height() + 128) >> 8) as i16,
        }
    }
}

fn deflate(samples: &[u8]) -> Vec<u8> {
    let mut compressor = Compressor::new(CompressionLvl::new(LEVEL).unwrap_or_default());
    let mut deflated = vec![0; compressor.zlib_compress_bound(samples.len())];
    // The buffer has the length of the bound, so this cannot fail.
    let len = compressor
        .zlib_compress(samples, &mut deflated)
        .unwrap_or_default();
    deflated.truncate(len);
    deflated
}
