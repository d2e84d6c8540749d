//! The pixels of a tile while it is drawn.

use super::pixel::Pixel;
use pixelmap_base::coord::{Area, CHUNK_SIDE, TILE_SIDE};

pub(super) const TILE_PIXELS: usize = TILE_SIDE * TILE_SIDE;

pub(super) const BANDS: usize = TILE_SIDE / CHUNK_SIDE;
pub(super) const BAND_PIXELS: usize = CHUNK_SIDE * TILE_SIDE;

/// The pixels of one tile, `[y][x]`.
pub(super) type Pixels = Box<[Pixel]>;

/// Returns a transparent tile.
pub(super) fn clear_pixels() -> Pixels {
    vec![Pixel::CLEAR; TILE_PIXELS].into()
}

/// The pixels of a tile. A canvas remembers which of its bands (16 rows of pixels, one row of
/// chunks) were drawn on, so that a nearly empty tile costs little to clear, reduce and encode.
#[derive(Debug)]
pub struct Canvas {
    pixels: Pixels,
    /// One bit per band. All pixels of a band whose bit is 0 are [`Pixel::CLEAR`].
    drawn: u32,
}

impl Default for Canvas {
    fn default() -> Self {
        Self {
            pixels: clear_pixels(),
            drawn: 0,
        }
    }
}

impl From<Pixels> for Canvas {
    fn from(pixels: Pixels) -> Self {
        let bands = pixels.chunks_exact(BAND_PIXELS).enumerate();
        let drawn = bands
            .filter(|(_, band)| !is_clear(band))
            .fold(0, |drawn, (index, _)| drawn | 1 << index);
        Self { pixels, drawn }
    }
}

impl Canvas {
    /// Makes all pixels transparent.
    pub fn clear(&mut self) {
        for band in 0..BANDS {
            if self.is_drawn(band) {
                self.pixels[band * BAND_PIXELS..][..BAND_PIXELS].fill(Pixel::CLEAR);
            }
        }
        self.drawn = 0;
    }

    /// Returns whether all pixels are transparent.
    pub fn is_empty(&self) -> bool {
        self.bands().flatten().all(is_clear)
    }

    /// Returns a band for drawing, from 0 (north) to 31, and marks it as drawn on.
    pub fn band_mut(&mut self, band: usize) -> &mut [Pixel] {
        self.drawn |= 1 << band;
        &mut self.pixels[band * BAND_PIXELS..][..BAND_PIXELS]
    }

    /// Copies pixels of another canvas into the transparent pixels of this one. Returns whether a
    /// pixel has changed.
    pub fn put_below(&mut self, below: &Self) -> bool {
        let mut is_changed = false;
        for (band, pixels) in below.bands().enumerate() {
            let Some(pixels) = pixels.filter(|pixels| !is_clear(pixels)) else {
                continue;
            };

            for (to, from) in self.band_mut(band).iter_mut().zip(pixels) {
                if *to == Pixel::CLEAR {
                    *to = *from;
                    is_changed |= *from != Pixel::CLEAR;
                }
            }
        }

        is_changed
    }

    /// Copies one part of another canvas.
    pub fn copy_part(&mut self, from: &Self, part: Area) {
        let columns = part.x0 as usize..part.x1 as usize;
        for y in part.z0 as usize..part.z1 as usize {
            let row = &from.pixels[y * TILE_SIDE..][columns.clone()];
            self.band_mut(y / CHUNK_SIDE)[y % CHUNK_SIDE * TILE_SIDE..][columns.clone()]
                .copy_from_slice(row);
        }
    }

    /// Makes one part transparent.
    pub fn clear_part(&mut self, part: Area) {
        let columns = part.x0 as usize..part.x1 as usize;
        for y in part.z0 as usize..part.z1 as usize {
            if self.is_drawn(y / CHUNK_SIDE) {
                self.pixels[y * TILE_SIDE..][columns.clone()].fill(Pixel::CLEAR);
            }
        }
    }

    /// Returns whether one part has the same pixels as in another canvas.
    pub fn is_same_part(&self, other: &Self, part: Area) -> bool {
        let columns = part.x0 as usize..part.x1 as usize;
        (part.z0 as usize..part.z1 as usize).all(|y| {
            let row = y * TILE_SIDE;
            self.pixels[row..][columns.clone()] == other.pixels[row..][columns.clone()]
        })
    }

    /// Returns the rows of pixels in bands that were drawn on, each with its distance from the
    /// north edge.
    pub fn rows_mut(&mut self) -> impl Iterator<Item = (usize, &mut [Pixel])> {
        let drawn = self.drawn;
        let rows = self.pixels.chunks_exact_mut(TILE_SIDE).enumerate();
        rows.filter(move |(z, _)| drawn >> (z / CHUNK_SIDE) & 1 != 0)
    }

    /// Returns the smallest part of the tile, in pixels, that contains all visible pixels, rounded
    /// out to multiples of 16; empty if all pixels are transparent.
    pub fn drawn_bounds(&self) -> Area {
        // One entry per column of pixels, with the bits of all its pixels, so that vector
        // instructions can combine many columns at once.
        let mut columns = [0; TILE_SIDE];
        let mut bands = 0_u32;
        for (index, band) in self.bands().enumerate() {
            let Some(band) = band.filter(|band| !is_clear(band)) else {
                continue;
            };

            bands |= 1 << index;

            for row in band.chunks_exact(TILE_SIDE) {
                columns
                    .iter_mut()
                    .zip(row)
                    .for_each(|(column, pixel)| *column |= pixel.bits());
            }
        }

        let Some(west) = columns.iter().position(|&bits| bits != 0) else {
            return Area::default();
        };

        let east = columns.iter().rposition(|&bits| bits != 0).unwrap_or(west);
        let at = |band: usize| (band * CHUNK_SIDE) as i32;

        Area {
            x0: at(west / CHUNK_SIDE),
            z0: at(bands.trailing_zeros() as usize),
            x1: at(east / CHUNK_SIDE + 1),
            z1: at(BANDS - bands.leading_zeros() as usize),
        }
    }

    /// Returns all pixels, `[y][x]`.
    pub fn pixels(&self) -> &[Pixel] {
        &self.pixels
    }

    /// Returns the bands from north to south, with `None` for a band that was not drawn on.
    pub(super) fn bands(&self) -> impl Iterator<Item = Option<&[Pixel]>> {
        self.pixels
            .chunks_exact(BAND_PIXELS)
            .enumerate()
            .map(|(index, band)| self.is_drawn(index).then_some(band))
    }

    fn is_drawn(&self, band: usize) -> bool {
        self.drawn >> band & 1 != 0
    }
}

pub(super) fn is_clear(pixels: &[Pixel]) -> bool {
    pixels
        .chunks(64)
        .all(|pixels| pixels.iter().fold(0, |all, pixel| all | pixel.bits()) == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::{Encoder, pixel_hash};
    use crate::reduce::Quarter;

    const DOT: Pixel = Pixel::from_rgb([80; 3]);

    #[test]
    fn a_cleared_canvas_equals_a_new_one() {
        let mut canvas = Canvas::default();
        canvas.band_mut(31)[BAND_PIXELS - 1] = DOT;
        assert!(!canvas.is_empty());
        canvas.clear();
        assert!(canvas.is_empty() && canvas.pixels() == Canvas::default().pixels());
    }

    #[test]
    fn filled_regions_are_known_to_the_chunk() {
        let mut canvas = Canvas::default();
        canvas.band_mut(5);
        assert!(canvas.drawn_bounds().is_empty());
        canvas.band_mut(2)[9 * TILE_SIDE + 33] = DOT;

        assert_eq!(
            canvas.drawn_bounds(),
            Area {
                x0: 32,
                z0: 32,
                x1: 48,
                z1: 48
            }
        );

        canvas.band_mut(31)[BAND_PIXELS - 1] = DOT;
        assert_eq!(
            canvas.drawn_bounds(),
            Area {
                x0: 32,
                z0: 32,
                x1: 512,
                z1: 512
            }
        );
    }

    #[test]
    fn blank_bands_change_neither_file_nor_hash() {
        let mut canvas = Canvas::default();
        canvas.band_mut(0)[0] = DOT;
        canvas.band_mut(7)[1000] = DOT;
        let mut marked = Canvas::from(canvas.pixels.clone());
        assert_eq!(marked.drawn, canvas.drawn);

        for band in 0..BANDS {
            marked.band_mut(band);
        }

        let mut encoder = Encoder::default();
        assert_eq!(encoder.png(&marked).to_vec(), encoder.png(&canvas));
        assert_eq!(pixel_hash(&marked), pixel_hash(&canvas));
        assert!(
            Quarter::from_colours(&marked).bands().count()
                > Quarter::from_colours(&canvas).bands().count()
        );
    }
}
