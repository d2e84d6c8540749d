//! Computes pictures of a width that no zoom level has. Each pixel is the mean of the area that it
//! covers, made from the pixels of the nearest level that has more of them. All arithmetic uses
//! whole numbers, so that every machine gives the same bytes.

use pixelmap_tile::{Pixel, Samples};

/// The sum of the weights of all source pixels that contribute to one pixel along one side.
const WHOLE: i128 = 1 << 16;

/// How much one pixel of a zoom level contributes to one pixel of the picture, along one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Share {
    /// The pixel of the picture.
    pub(crate) pixel: u32,
    /// The pixel of the zoom level, counted from the first one that the picture uses.
    pub(crate) source: u32,
    /// The share, as a part of [`WHOLE`].
    weight: u32,
}

/// A side of the picture: the columns of blocks `from..to`, shown in `pixels` pixels. The source is
/// the zoom level whose pixels are 2 to the power of `halvings` blocks wide.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PictureSide {
    pub(crate) from: i32,
    pub(crate) to: i32,
    pub(crate) pixels: u32,
    pub(crate) halvings: u32,
}

impl PictureSide {
    /// Returns the shares that make up a pixel.
    pub(crate) fn shares(self, pixel: u32) -> impl Iterator<Item = Share> {
        let from = i128::from(self.from);
        let pixels = i128::from(self.pixels);

        // The unit of length is chosen so that blocks and pixels are whole numbers of it: a block
        // has `pixels` units, and a pixel has as many units as the side has blocks.
        let len = i128::from(self.to) - from;
        let start = i128::from(pixel) * len;
        let first = from >> self.halvings;
        let edge = move |source: i128| (((first + source) << self.halvings) - from) * pixels;
        let source_of = move |at: i128| ((from + at.div_euclid(pixels)) >> self.halvings) - first;
        let part = move |at: i128| (at - start).clamp(0, len) * WHOLE / len;

        (source_of(start)..=source_of(start + len - 1)).map(move |source| {
            let weight = part(edge(source + 1)) - part(edge(source));
            Share {
                pixel,
                source: source as u32,
                weight: weight as u32,
            }
        })
    }

    /// Returns the shares of all pixels, in order.
    pub(crate) fn all_shares(self) -> Vec<Share> {
        (0..self.pixels)
            .flat_map(|pixel| self.shares(pixel))
            .collect()
    }
}

/// The sums of a row of pixels: red, green and blue weighted by alpha, and alpha itself.
#[derive(Debug, Default)]
pub(crate) struct Sums(Vec<[u64; 4]>);

impl Sums {
    /// Starts a row of this number of pixels.
    pub(crate) fn start(&mut self, pixels: usize) {
        self.0.clear();
        self.0.resize(pixels, [0; 4]);
    }

    /// Adds a row of the zoom level, which contributes the share `row` to this row.
    pub(crate) fn add(&mut self, source: &[Pixel], columns: &[Share], row: Share) {
        for column in columns {
            let [red, green, blue, alpha] = source[column.source as usize].rgba().map(u64::from);
            let weight = u64::from(column.weight) * u64::from(row.weight) * alpha;
            let sums = &mut self.0[column.pixel as usize];
            for (sum, value) in sums.iter_mut().zip([red, green, blue, 1]) {
                *sum += value * weight;
            }
        }
    }

    /// Returns the means. A height is never translucent: its mean is taken over the opaque pixels
    /// only.
    pub(crate) fn pixels(&self, samples: Samples) -> impl Iterator<Item = Pixel> {
        self.0.iter().map(move |&sums| {
            if samples == Samples::Heights {
                return Pixel::from_height_sums(sums);
            }

            let [red, green, blue, alpha] = sums;
            let all = (WHOLE * WHOLE) as u64;
            let colour = [red, green, blue]
                .map(|sum| (sum + alpha / 2).checked_div(alpha).unwrap_or(0) as u8);
            Pixel::new([
                colour[0],
                colour[1],
                colour[2],
                ((alpha + all / 2) / all) as u8,
            ])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixel_shares_add_up_and_keep_their_position() {
        for (from, to, pixels, halvings) in [
            (-7, 13, 3, 0),
            (-7, 13, 20, 0),
            (-7, 13, 41, 0),
            (i32::MIN, i32::MAX, 5, 16),
            (5, 6, 1, 8),
            (-3, 1000, 77, 3),
        ] {
            let side = PictureSide {
                from,
                to,
                pixels,
                halvings,
            };

            let shares = side.all_shares();
            let mut last = 0;
            for pixel in 0..pixels {
                let own: Vec<_> = shares.iter().filter(|share| share.pixel == pixel).collect();
                assert_eq!(
                    own.iter()
                        .map(|share| i128::from(share.weight))
                        .sum::<i128>(),
                    WHOLE,
                    "{side:?} {pixel}"
                );
                assert!(own[0].source >= last && own[0].source <= last + 1);
                last = own[own.len() - 1].source;
            }

            assert_eq!(
                i64::from(last),
                ((i64::from(to) - 1) >> halvings) - (i64::from(from) >> halvings)
            );
        }

        let side = PictureSide {
            from: 0,
            to: 3,
            pixels: 2,
            halvings: 0,
        };

        let weights: Vec<_> = side
            .all_shares()
            .iter()
            .map(|share| (share.source, share.weight))
            .collect();
        assert_eq!(
            weights,
            [(0, 43_690), (1, 21_846), (1, 21_845), (2, 43_691)]
        );
    }

    #[test]
    fn transparent_pixels_have_no_colour_in_means() {
        let columns = PictureSide {
            from: 0,
            to: 4,
            pixels: 2,
            halvings: 0,
        }
        .all_shares();

        let mut sums = Sums::default();
        sums.start(2);
        let source = [
            Pixel::from_rgb([200, 100, 0]),
            Pixel::CLEAR,
            Pixel::from_rgb([10; 3]),
            Pixel::from_rgb([20; 3]),
        ];

        let row = PictureSide {
            from: 0,
            to: 1,
            pixels: 1,
            halvings: 0,
        }
        .shares(0)
        .next()
        .unwrap();
        sums.add(&source, &columns, row);

        let pixels: Vec<_> = sums.pixels(Samples::Colours).collect();
        assert_eq!(
            pixels,
            [Pixel::new([200, 100, 0, 128]), Pixel::from_rgb([15; 3])]
        );
    }

    #[test]
    fn the_mean_of_heights_ignores_absent_ones() {
        let columns = PictureSide {
            from: 0,
            to: 6,
            pixels: 3,
            halvings: 0,
        }
        .all_shares();

        let mut sums = Sums::default();
        sums.start(3);

        let [low, high] = [-1, 256].map(Pixel::from_height);
        let source = [low, Pixel::CLEAR, low, high, Pixel::CLEAR, Pixel::CLEAR];
        sums.add(
            &source,
            &columns,
            PictureSide {
                from: 0,
                to: 1,
                pixels: 1,
                halvings: 0,
            }
            .shares(0)
            .next()
            .unwrap(),
        );

        let pixels: Vec<_> = sums.pixels(Samples::Heights).collect();
        assert_eq!((pixels[0], pixels[2]), (low, Pixel::CLEAR));
        assert_eq!(
            (pixels[1].height(), pixels[1].is_opaque()),
            (255 * 256 / 2, true)
        );
    }
}
