//! Reduction by two in both directions: a tile becomes a quarter of its parent.

use super::canvas::Canvas;
use super::{Pixel, to_lattice};
use crate::coord::{CHUNK_SIDE, TILE_SIDE};

/// Pixels along one side of a quarter.
pub(super) const QUARTER_SIDE: usize = TILE_SIDE / 2;
/// Rows of a quarter that a band of a tile becomes.
pub(super) const BAND_HALF: usize = CHUNK_SIDE / 2;
/// Pixels of a quarter that a band becomes.
const HALF_PIXELS: usize = BAND_HALF * QUARTER_SIDE;
/// Pixels of a quarter that are made together: mostly they are alike in whether anything is seen through.
const GROUP: usize = 16;

/// A quarter of a parent tile: what the bands that were drawn on become.
#[derive(Debug)]
pub struct Quarter {
    /// The bands of the child, in order.
    bands: Vec<u8>,
    /// [`BAND_HALF`] rows for each of them.
    pixels: Vec<Pixel>,
}

impl Quarter {
    /// Halves a tile of colours: each pixel is the mean of four, weighted by alpha (a transparent pixel has no colour to
    /// give), and rounded to the lattice. The result depends on the published pixels alone.
    // Stays a function of its own, so that benches/instructions.sh can count it; called once a tile.
    #[inline(never)]
    pub fn of(tile: &Canvas) -> Self {
        Self::by(tile, halved)
    }

    /// Halves a tile: `halve` makes half a row of two rows, a group at a time.
    pub(super) fn by(
        tile: &Canvas,
        halve: impl Fn(&[Pixel; 2 * GROUP], &[Pixel; 2 * GROUP]) -> [Pixel; GROUP],
    ) -> Self {
        let drawn = || tile.bands().enumerate().filter_map(|(index, band)| Some((index, band?)));
        let bands: Vec<u8> = drawn().map(|(index, _)| index as u8).collect();
        let mut pixels = Vec::with_capacity(bands.len() * HALF_PIXELS);
        for rows in drawn().flat_map(|(_, band)| band.chunks_exact(2 * TILE_SIDE)) {
            let (upper, lower) = rows.split_at(TILE_SIDE);
            let groups = upper.as_chunks().0.iter().zip(lower.as_chunks().0);
            groups.for_each(|(upper, lower)| pixels.extend_from_slice(&halve(upper, lower)));
        }
        Self { bands, pixels }
    }

    /// How many bands it holds, of 32.
    pub fn held(&self) -> usize {
        self.bands.len()
    }

    /// The child's bands that were drawn on, and what they become.
    pub(super) fn bands(&self) -> impl Iterator<Item = (usize, &[Pixel])> {
        self.bands.iter().map(|&index| usize::from(index)).zip(self.pixels.chunks_exact(HALF_PIXELS))
    }
}

/// Two rows of a group halved.
fn halved(upper: &[Pixel; 2 * GROUP], lower: &[Pixel; 2 * GROUP]) -> [Pixel; GROUP] {
    let (all, any) = upper.iter().zip(lower).fold((u32::MAX, 0), |(all, any), (upper, lower)| {
        (all & upper.bits() & lower.bits(), any | upper.bits() | lower.bits())
    });
    if all >> 24 == 255 {
        // Without a branch, so that it is done by vectors.
        std::array::from_fn(|x| opaque_mean(four(upper, lower, x).map(Pixel::bits)))
    } else if any == 0 {
        [Pixel::CLEAR; GROUP]
    } else {
        std::array::from_fn(|x| mean(four(upper, lower, x)))
    }
}

/// The four pixels of two rows of a group that become its pixel `x`, row by row.
pub(super) fn four(upper: &[Pixel; 2 * GROUP], lower: &[Pixel; 2 * GROUP], x: usize) -> [Pixel; 4] {
    [upper[2 * x], upper[2 * x + 1], lower[2 * x], lower[2 * x + 1]]
}

fn mean(four: [Pixel; 4]) -> Pixel {
    if four.iter().all(|pixel| pixel.rgba()[3] == 255) {
        return opaque_mean(four.map(Pixel::bits));
    }
    let mut sums = [0_u32; 3];
    let mut alphas = 0_u32;
    for pixel in four {
        let [r, g, b, a] = pixel.rgba().map(u32::from);
        for (sum, channel) in sums.iter_mut().zip([r, g, b]) {
            *sum += channel * a;
        }
        alphas += a;
    }
    if alphas == 0 {
        return Pixel::CLEAR;
    }
    let rgb = sums.map(|sum| ((sum + alphas / 2) / alphas) as u8);
    on_lattice(rgb, ((alphas + 2) / 4) as u8)
}

/// The mean of four opaque pixels: two channels at a time, in lanes of 16 bits.
fn opaque_mean(four: [u32; 4]) -> Pixel {
    let lanes = |shift: u32| (four.iter().map(|bits| bits >> shift & 0x00ff_00ff).sum::<u32>() + 0x0002_0002) >> 2;
    let ([r, _, b, _], [g, ..]) = (lanes(0).to_le_bytes(), lanes(8).to_le_bytes());
    on_lattice([r, g, b], 255)
}

fn on_lattice(rgb: [u8; 3], a: u8) -> Pixel {
    let [r, g, b] = to_lattice(rgb);
    Pixel::new([r, g, b, a])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transparent_pixels_have_no_colour_to_give() {
        let red = Pixel::opaque([248, 0, 0]);
        let reduced = mean([red, Pixel::CLEAR, Pixel::CLEAR, Pixel::CLEAR]).rgba();
        assert_eq!(reduced[3], 64);
        assert_eq!(reduced[..3], to_lattice([248, 0, 0]));
        assert_eq!(mean([Pixel::CLEAR; 4]), Pixel::CLEAR);
    }

    #[test]
    fn four_greys_give_their_mean() {
        let grey = |value| Pixel::opaque([value; 3]);
        assert_eq!(mean([grey(8), grey(16), grey(24), grey(16)]), grey(16));
    }

    #[test]
    fn opaque_pixels_have_the_mean_that_alpha_gives() {
        let mut seed = 1_u32;
        let mut byte = || {
            seed = seed.wrapping_mul(0x9e37_79b1).wrapping_add(0x7f4a_7c15);
            (seed >> 24) as u8
        };
        for _ in 0..10_000 {
            let four = [(); 4].map(|()| [byte(), byte(), byte()]);
            let sum = |c: usize| four.iter().map(|rgb| u32::from(rgb[c]) * 255).sum::<u32>();
            let rgb = [0, 1, 2].map(|c| ((sum(c) + 510) / 1020) as u8);
            assert_eq!(mean(four.map(Pixel::opaque)), on_lattice(rgb, 255));
        }
    }

    #[test]
    fn each_quarter_pixel_is_made_of_its_own_four() {
        let mut tile = Canvas::default();
        tile.band_mut(2)[3 * TILE_SIDE + 5] = Pixel::opaque([80; 3]);
        let quarter = Quarter::of(&tile);
        assert_eq!(quarter.bands, [2], "the other bands are left out");
        let drawn: Vec<usize> = (0..HALF_PIXELS).filter(|&at| quarter.pixels[at] != Pixel::CLEAR).collect();
        assert_eq!(drawn, [QUARTER_SIDE + 2]);
    }
}
