//! The pixels of a tile while it is drawn.

use super::reduce::{BAND_HALF, QUARTER_SIDE, Quarter};
use super::{Pixel, Pixels, blank};
use crate::coord::{CHUNK_SIDE, TILE_SIDE};

/// Bands of a tile.
pub(super) const BANDS: usize = TILE_SIDE / CHUNK_SIDE;
/// Pixels of a band.
pub(super) const BAND_PIXELS: usize = CHUNK_SIDE * TILE_SIDE;

/// The pixels of a tile, and which of its bands (the rows of pixels of a row of chunks) were drawn on: a nearly empty
/// tile then costs little more than what is on it.
#[derive(Debug)]
pub struct Canvas {
    pixels: Pixels,
    /// A bit a band; what stands in the others is [`Pixel::CLEAR`].
    drawn: u32,
}

impl Default for Canvas {
    fn default() -> Self {
        Self { pixels: blank(), drawn: 0 }
    }
}

impl From<Pixels> for Canvas {
    /// A canvas of the pixels of a whole tile.
    fn from(pixels: Pixels) -> Self {
        let bands = pixels.chunks_exact(BAND_PIXELS).enumerate();
        let drawn = bands.filter(|(_, band)| !is_clear(band)).fold(0, |drawn, (index, _)| drawn | 1 << index);
        Self { pixels, drawn }
    }
}

impl Canvas {
    /// Takes everything off it.
    pub fn clear(&mut self) {
        for band in 0..BANDS {
            if self.is_drawn(band) {
                self.pixels[band * BAND_PIXELS..][..BAND_PIXELS].fill(Pixel::CLEAR);
            }
        }
        self.drawn = 0;
    }

    /// Whether all pixels are transparent.
    pub fn is_empty(&self) -> bool {
        self.bands().flatten().all(is_clear)
    }

    /// A band to draw on, from 0 (north) to 31.
    pub fn band_mut(&mut self, band: usize) -> &mut [Pixel] {
        self.drawn |= 1 << band;
        &mut self.pixels[band * BAND_PIXELS..][..BAND_PIXELS]
    }

    /// The rows of pixels that may have something on them, with their distance from the north edge.
    pub fn rows_mut(&mut self) -> impl Iterator<Item = (usize, &mut [Pixel])> {
        let drawn = self.drawn;
        let rows = self.pixels.chunks_exact_mut(TILE_SIDE).enumerate();
        rows.filter(move |(z, _)| drawn >> (z / CHUNK_SIDE) & 1 != 0)
    }

    /// All pixels, `[y][x]`.
    pub fn pixels(&self) -> &[Pixel] {
        &self.pixels
    }

    /// The bands from north to south; `None`: nothing is on it.
    pub(super) fn bands(&self) -> impl Iterator<Item = Option<&[Pixel]>> {
        self.pixels.chunks_exact(BAND_PIXELS).enumerate().map(|(index, band)| self.is_drawn(index).then_some(band))
    }

    /// Lays a quarter at its place: 0 to 3, north-west, north-east, south-west, south-east.
    pub fn put(&mut self, place: usize, quarter: &Quarter) {
        let (south, east) = (place >> 1, place & 1);
        for (index, half) in quarter.bands() {
            // Two bands of the child are one here.
            let band = self.band_mut(south * BANDS / 2 + index / 2);
            let rows = &mut band[index % 2 * BAND_HALF * TILE_SIDE..];
            for (to, from) in rows.chunks_exact_mut(TILE_SIDE).zip(half.chunks_exact(QUARTER_SIDE)) {
                to[east * QUARTER_SIDE..][..QUARTER_SIDE].copy_from_slice(from);
            }
        }
    }

    fn is_drawn(&self, band: usize) -> bool {
        self.drawn >> band & 1 != 0
    }
}

fn is_clear(pixels: &[Pixel]) -> bool {
    pixels.chunks(64).all(|pixels| pixels.iter().fold(0, |all, pixel| all | pixel.bits()) == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tile::{Encoder, pixel_hash};

    const DOT: Pixel = Pixel::opaque([80; 3]);

    #[test]
    fn a_cleared_canvas_is_as_new() {
        let mut canvas = Canvas::default();
        canvas.band_mut(31)[BAND_PIXELS - 1] = DOT;
        assert!(!canvas.is_empty());
        canvas.clear();
        assert!(canvas.is_empty() && canvas.pixels() == Canvas::default().pixels());
    }

    #[test]
    fn what_was_marked_and_left_blank_changes_neither_file_nor_hash() {
        let mut canvas = Canvas::default();
        canvas.band_mut(7)[1000] = DOT;
        let mut marked = Canvas::from(canvas.pixels.clone());
        assert_eq!(marked.drawn, canvas.drawn);
        for band in 0..BANDS {
            marked.band_mut(band);
        }
        let mut encoder = Encoder::default();
        assert_eq!(encoder.png(&marked).to_vec(), encoder.png(&canvas));
        assert_eq!(pixel_hash(&marked), pixel_hash(&canvas));
        assert!(Quarter::of(&marked).bands().count() > Quarter::of(&canvas).bands().count());
    }

    #[test]
    fn each_quarter_has_its_place() {
        let mut child = Canvas::default();
        for (y, row) in child.pixels.chunks_exact_mut(TILE_SIDE).enumerate() {
            row.fill(Pixel::opaque([(y / CHUNK_SIDE * 8) as u8; 3]));
        }
        let child = Canvas::from(child.pixels);
        for place in 0..4 {
            let mut parent = Canvas::default();
            parent.put(place, &Quarter::of(&child));
            for (at, &pixel) in parent.pixels().iter().enumerate() {
                let (x, y) = (at % TILE_SIDE, at / TILE_SIDE);
                let inside = x / QUARTER_SIDE == place & 1 && y / QUARTER_SIDE == place >> 1;
                let grey = (y % QUARTER_SIDE / BAND_HALF * 8) as u8;
                assert_eq!(pixel, if inside { Pixel::opaque([grey; 3]) } else { Pixel::CLEAR }, "{place} {x} {y}");
            }
        }
    }
}
