//! Reduction by two in both directions: a tile becomes a quarter of its parent.

use super::{Pixel, to_lattice};
use crate::coord::TILE_SIDE;

/// Pixels along one side of a quarter.
pub const QUARTER_SIDE: usize = TILE_SIDE / 2;

/// A quarter of a parent tile, `[y][x]`.
pub type Quarter = Box<[Pixel]>;

/// Halves a tile: each pixel is the mean of four, weighted by alpha (a transparent pixel has no colour to give), and
/// rounded to the lattice. The result depends on the published pixels alone.
// Stays a function of its own, so that benches/instructions.sh can count it; called once a tile.
#[inline(never)]
pub fn reduce(tile: &[Pixel]) -> Quarter {
    let mut quarter = Vec::with_capacity(QUARTER_SIDE * QUARTER_SIDE);
    for rows in tile.chunks_exact(2 * TILE_SIDE) {
        let (upper, lower) = rows.split_at(TILE_SIDE);
        let pairs = upper.chunks_exact(2).zip(lower.chunks_exact(2));
        quarter.extend(pairs.map(|(upper, lower)| mean([upper[0], upper[1], lower[0], lower[1]])));
    }
    quarter.into()
}

fn mean(four: [Pixel; 4]) -> Pixel {
    if four[0] == four[1] && four[0] == four[2] && four[0] == four[3] {
        // Level water and the open sea: nothing to average, but the lattice may still move a colour that it made.
        let [r, g, b, a] = four[0].rgba();
        return if a == 0 { Pixel::CLEAR } else { on_lattice([r, g, b], a) };
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
    fn each_quarter_pixel_is_made_of_its_own_four() {
        let mut tile = crate::tile::blank();
        tile[3 * TILE_SIDE + 5] = Pixel::opaque([80; 3]);
        let quarter = reduce(&tile);
        let drawn: Vec<usize> = (0..quarter.len()).filter(|&at| quarter[at] != Pixel::CLEAR).collect();
        assert_eq!(drawn, [QUARTER_SIDE + 2]);
    }
}
