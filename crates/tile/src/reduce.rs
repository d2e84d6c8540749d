//! Reduction by two in both directions: four tiles become the quarters of their parent.

use super::canvas::{BANDS, Canvas};
use super::lattice::to_lattice;
use super::pixel::Pixel;
use pixelmap_base::coord::{CHUNK_SIDE, TILE_SIDE};

/// Pixels along one side of a quarter.
const QUARTER_SIDE: usize = TILE_SIDE / 2;
/// Rows of a quarter that are made from one band of the tile.
const BAND_HALF: usize = CHUNK_SIDE / 2;
/// Pixels of a quarter that are made from one band.
const HALF_PIXELS: usize = BAND_HALF * QUARTER_SIDE;
/// Pixels of a quarter that are made together, because usually all of their source pixels are
/// opaque, or all are clear.
const GROUP: usize = 16;

/// A quarter of a parent tile, made from the child's bands that were drawn on.
#[derive(Debug)]
pub struct Quarter {
    /// The numbers of the child's bands, in order.
    bands: Vec<u8>,
    /// [`BAND_HALF`] rows for each of them.
    pixels: Vec<Pixel>,
}

impl Quarter {
    /// Halves a tile of colours. Each pixel is the mean of four, weighted by alpha because a
    /// transparent pixel has no colour, and rounded to the lattice. The result depends only on the
    /// published pixels.
    // Kept as a separate function so that benches/instructions.sh can count it; it is called only
    // once per tile.
    #[inline(never)]
    pub fn from_colours(tile: &Canvas) -> Self {
        let mut rounded = RoundedMeans::default();
        Self::from_tile(tile, |upper, lower| {
            halve_rows(&mut rounded, upper, lower, opaque_mean)
        })
    }

    /// Halves a tile of colours like [`Self::from_colours`], but each pixel of four opaque ones has
    /// a third of the difference to the one that differs most from their mean. So roads and roofs
    /// do not vanish where a pixel shows many blocks.
    #[inline(never)]
    pub(super) fn from_far_colours(tile: &Canvas) -> Self {
        let mut rounded = RoundedMeans::default();
        Self::from_tile(tile, |upper, lower| {
            halve_rows(&mut rounded, upper, lower, contrasting_mean)
        })
    }

    /// Halves a tile. `halve` makes a row of pixels from two rows that are twice as wide.
    pub(super) fn from_tile(
        tile: &Canvas,
        mut halve: impl FnMut(&[Pixel; 2 * GROUP], &[Pixel; 2 * GROUP]) -> [Pixel; GROUP],
    ) -> Self {
        let drawn: Vec<(usize, &[Pixel])> = tile
            .bands()
            .enumerate()
            .filter_map(|(index, band)| Some((index, band?)))
            .collect();

        let bands = drawn.iter().map(|(index, _)| *index as u8).collect();
        let mut pixels = Vec::with_capacity(drawn.len() * HALF_PIXELS);

        for (_, band) in drawn {
            for rows in band.chunks_exact(2 * TILE_SIDE) {
                let (upper, lower) = rows.split_at(TILE_SIDE);
                for (upper, lower) in upper.as_chunks().0.iter().zip(lower.as_chunks().0) {
                    pixels.extend_from_slice(&halve(upper, lower));
                }
            }
        }

        Self { bands, pixels }
    }

    /// Returns the number of bands that the quarter contains, at most 32.
    pub fn band_count(&self) -> usize {
        self.bands.len()
    }

    /// Returns the numbers of the child's bands that were drawn on, with the pixels made from them.
    pub(super) fn bands(&self) -> impl Iterator<Item = (usize, &[Pixel])> {
        self.bands
            .iter()
            .map(|&index| usize::from(index))
            .zip(self.pixels.chunks_exact(HALF_PIXELS))
    }
}

impl Canvas {
    /// Puts a quarter at its index: 0 to 3 mean north-west, north-east, south-west, south-east.
    pub fn put(&mut self, index: usize, quarter: &Quarter) {
        let south = index >> 1;
        let east = index & 1;
        for (index, half) in quarter.bands() {
            // Two bands of the child become one here.
            let band = self.band_mut(south * BANDS / 2 + index / 2);
            let rows = &mut band[index % 2 * BAND_HALF * TILE_SIDE..];
            for (to, from) in rows
                .chunks_exact_mut(TILE_SIDE)
                .zip(half.chunks_exact(QUARTER_SIDE))
            {
                to[east * QUARTER_SIDE..][..QUARTER_SIDE].copy_from_slice(from);
            }
        }
    }
}

/// Lattice colours of the means of a tile. Most means occur many times, so they are remembered.
struct RoundedMeans {
    /// Each entry has a mean and its colour on the lattice.
    seen: Box<[(Pixel, Pixel)]>,
}

/// The number of means that are remembered, a power of two.
const SEEN: usize = 4096;

impl Default for RoundedMeans {
    fn default() -> Self {
        Self {
            seen: vec![(Pixel::CLEAR, Pixel::CLEAR); SEEN].into(),
        }
    }
}

impl RoundedMeans {
    fn pixel(&mut self, mean: Pixel) -> Pixel {
        let place = (mean.bits().wrapping_mul(0x9e37_79b1) >> 20) as usize % SEEN;
        let known = &mut self.seen[place];
        if known.0 != mean {
            *known = (mean, on_lattice(mean));
        }
        known.1
    }
}

#[cold]
#[inline(never)]
fn on_lattice(mean: Pixel) -> Pixel {
    let [r, g, b, a] = mean.rgba();
    let [r, g, b] = to_lattice([r, g, b]);
    Pixel::new([r, g, b, a])
}

fn halve_rows(
    rounded: &mut RoundedMeans,
    upper: &[Pixel; 2 * GROUP],
    lower: &[Pixel; 2 * GROUP],
    of_opaque: impl Fn([u32; 4]) -> Pixel,
) -> [Pixel; GROUP] {
    let (all, any) = upper
        .iter()
        .zip(lower)
        .fold((u32::MAX, 0), |(all, any), (upper, lower)| {
            (
                all & upper.bits() & lower.bits(),
                any | upper.bits() | lower.bits(),
            )
        });

    if all >> 24 == 255 {
        // Without a branch, so that the compiler can use vector instructions.
        let means: [Pixel; GROUP] =
            std::array::from_fn(|x| of_opaque(four(upper, lower, x).map(Pixel::bits)));
        means.map(|mean| rounded.pixel(mean))
    } else if any == 0 {
        [Pixel::CLEAR; GROUP]
    } else {
        std::array::from_fn(|x| rounded.pixel(mean(four(upper, lower, x), &of_opaque)))
    }
}

/// Returns the four pixels of two rows from which pixel `x` is made, row by row.
pub(super) fn four(upper: &[Pixel; 2 * GROUP], lower: &[Pixel; 2 * GROUP], x: usize) -> [Pixel; 4] {
    [
        upper[2 * x],
        upper[2 * x + 1],
        lower[2 * x],
        lower[2 * x + 1],
    ]
}

/// Returns the mean of four pixels. `of_opaque` makes it if all of them are opaque.
fn mean(four: [Pixel; 4], of_opaque: impl Fn([u32; 4]) -> Pixel) -> Pixel {
    if four.iter().all(|pixel| pixel.rgba()[3] == 255) {
        return of_opaque(four.map(Pixel::bits));
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

    let [r, g, b] = sums.map(|sum| ((sum + alphas / 2) / alphas) as u8);
    Pixel::new([r, g, b, ((alphas + 2) / 4) as u8])
}

/// Returns the mean of four opaque pixels. It adds two channels at a time, in lanes of 16 bits.
fn opaque_mean(four: [u32; 4]) -> Pixel {
    let lanes = |shift: u32| {
        (four
            .iter()
            .map(|bits| bits >> shift & 0x00ff_00ff)
            .sum::<u32>()
            + 0x0002_0002)
            >> 2
    };
    let [r, _, b, _] = lanes(0).to_le_bytes();
    let [g, ..] = lanes(8).to_le_bytes();
    Pixel::from_rgb([r, g, b])
}

/// Returns the mean of four opaque pixels, moved by a third towards the one that differs most from
/// it, which is the first of several.
fn contrasting_mean(four: [u32; 4]) -> Pixel {
    let mean = opaque_mean(four).rgba();

    let mut most = 0;
    let mut outlier = mean;
    for bits in four {
        let pixel = Pixel::from_bits(bits).rgba();
        let difference: u32 = (0..3)
            .map(|channel| u32::from(pixel[channel].abs_diff(mean[channel])))
            .sum();

        if difference > most {
            most = difference;
            outlier = pixel;
        }
    }

    Pixel::from_rgb(std::array::from_fn(|channel| {
        let difference = i32::from(outlier[channel]) - i32::from(mean[channel]);
        // Adding the sign rounds a third to the nearest number.
        let third = (difference + difference.signum()) / 3;
        (i32::from(mean[channel]) + third) as u8
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transparent_pixels_give_no_colour() {
        let red = Pixel::from_rgb([248, 0, 0]);
        let reduced = mean([red, Pixel::CLEAR, Pixel::CLEAR, Pixel::CLEAR], opaque_mean).rgba();
        assert_eq!(reduced[3], 64);
        assert_eq!(reduced[..3], [248, 0, 0]);
        assert_eq!(mean([Pixel::CLEAR; 4], opaque_mean), Pixel::CLEAR);
    }

    #[test]
    fn four_greys_give_their_mean() {
        let grey = |value| Pixel::from_rgb([value; 3]);
        assert_eq!(
            mean([grey(8), grey(16), grey(24), grey(16)], opaque_mean),
            grey(16)
        );
    }

    #[test]
    fn opaque_pixels_have_the_mean_weighted_by_alpha() {
        let mut seed = 1_u32;
        let mut byte = || {
            seed = seed.wrapping_mul(0x9e37_79b1).wrapping_add(0x7f4a_7c15);
            (seed >> 24) as u8
        };
        for _ in 0..10_000 {
            let four = [(); 4].map(|()| [byte(), byte(), byte()]);
            let sum = |c: usize| four.iter().map(|rgb| u32::from(rgb[c]) * 255).sum::<u32>();
            let rgb = [0, 1, 2].map(|c| ((sum(c) + 510) / 1020) as u8);
            assert_eq!(
                mean(four.map(Pixel::from_rgb), opaque_mean),
                Pixel::from_rgb(rgb)
            );
        }
    }

    #[test]
    fn far_out_a_road_keeps_half_its_contrast() {
        let water = Pixel::from_rgb([40, 80, 160]);
        let road = Pixel::from_rgb([136, 136, 136]);

        // The mean of four has a quarter of the difference, and the third of the rest makes a half.
        let half = Pixel::from_rgb([88, 108, 148]);
        for place in 0..4 {
            let mut four = [water; 4];
            four[place] = road;
            assert_eq!(mean(four, contrasting_mean), half);
        }

        assert_eq!(mean([water; 4], contrasting_mean), water);
        let shore = [water, water, water, Pixel::CLEAR];
        assert_eq!(mean(shore, contrasting_mean), mean(shore, opaque_mean));
    }

    #[test]
    fn each_quarter_pixel_comes_from_its_four() {
        let mut tile = Canvas::default();
        tile.band_mut(2)[3 * TILE_SIDE + 5] = Pixel::from_rgb([80; 3]);
        let quarter = Quarter::from_colours(&tile);
        assert_eq!(quarter.bands, [2], "the other bands are left out");
        let drawn: Vec<usize> = (0..HALF_PIXELS)
            .filter(|&at| quarter.pixels[at] != Pixel::CLEAR)
            .collect();
        assert_eq!(drawn, [QUARTER_SIDE + 2]);
    }

    #[test]
    fn each_quarter_has_its_position() {
        let mut child = Canvas::default();
        for band in 0..BANDS {
            child
                .band_mut(band)
                .fill(Pixel::from_rgb([(band * 8) as u8; 3]));
        }

        for index in 0..4 {
            let mut parent = Canvas::default();
            parent.put(index, &Quarter::from_colours(&child));

            for (at, &pixel) in parent.pixels().iter().enumerate() {
                let (x, y) = (at % TILE_SIDE, at / TILE_SIDE);
                let inside = x / QUARTER_SIDE == index & 1 && y / QUARTER_SIDE == index >> 1;

                let grey = (y % QUARTER_SIDE / BAND_HALF * 8) as u8;
                assert_eq!(
                    pixel,
                    if inside {
                        Pixel::from_rgb(to_lattice([grey; 3]))
                    } else {
                        Pixel::CLEAR
                    },
                    "{index} {x} {y}"
                );
            }
        }
    }
}
