//! Measures how far pixels differ, and collects the pixels of a tile or picture that do.

use std::ops::Range;

use pixelmap_base::coord::Area;
use pixelmap_tile::{Pixel, Samples};

/// Returns the distance between two pixels: the largest channel difference for colours, and the
/// difference in value for numbers. For heights it is the difference in blocks, rounded up, and
/// `u16::MAX` if only one pixel has a height.
pub(super) fn distance(samples: Samples, a: Pixel, b: Pixel) -> u16 {
    match samples {
        Samples::Numbers => a.number().abs_diff(b.number()),
        Samples::Heights if [a, b].contains(&Pixel::CLEAR) => u16::MAX,
        Samples::Heights => a.height().abs_diff(b.height()).div_ceil(256) as u16,
        Samples::Colours => {
            let channels = a.rgba().into_iter().zip(b.rgba());
            u16::from(channels.map(|(a, b)| a.abs_diff(b)).max().unwrap_or(0))
        }
    }
}

/// The pixels found so far that differ.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spots {
    pub(super) count: u64,
    pub(super) largest: u16,
    /// The smallest rectangle around them, relative to the first pixel of the first row; empty if
    /// there are none.
    pub(super) rect: Area,
}

impl Default for Spots {
    fn default() -> Self {
        Self {
            count: 0,
            largest: 0,
            rect: Area {
                x0: 0,
                z0: 0,
                x1: 0,
                z1: 0,
            },
        }
    }
}

/// The settings of a comparison of pixels.
#[derive(Debug, Clone, Copy)]
pub(super) struct PixelTest {
    pub(super) samples: Samples,
    pub(super) tolerance: u16,
}

impl PixelTest {
    /// Compares the pixels `xs` of row `y`, and calls `each` with the x of each pixel that differs.
    pub(super) fn row(
        self,
        spots: &mut Spots,
        y: usize,
        xs: Range<usize>,
        [a, b]: [&[Pixel]; 2],
        mut each: impl FnMut(usize),
    ) {
        let first = xs.start;
        let a = &a[xs.clone()];
        let b = &b[xs];
        if a == b {
            return;
        }

        for (x, (&a, &b)) in (first..).zip(a.iter().zip(b)) {
            let far = if a == b {
                0
            } else {
                distance(self.samples, a, b)
            };

            if far > self.tolerance {
                let x = x as i32;
                let y = y as i32;
                spots.count += 1;
                spots.largest = spots.largest.max(far);
                spots.rect = spots.rect.union(Area {
                    x0: x,
                    z0: y,
                    x1: x + 1,
                    z1: y + 1,
                });
                each(x as usize);
            }
        }
    }
}

/// Counts the pixels `xs` of a row that are drawn on either side.
pub(super) fn count_drawn(xs: Range<usize>, [a, b]: [&[Pixel]; 2]) -> u64 {
    let both = a[xs.clone()].iter().zip(&b[xs]);
    both.filter(|(a, b)| **a != Pixel::CLEAR || **b != Pixel::CLEAR)
        .count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixel_distance_is_the_largest_channel_difference() {
        let far = |a, b| distance(Samples::Colours, Pixel::new(a), Pixel::new(b));
        assert_eq!(far([10, 20, 30, 255], [13, 15, 30, 255]), 5);
        assert_eq!(
            far([0, 0, 0, 0], [0, 0, 0, 255]),
            255,
            "black is not nothing"
        );

        let number = |a, b| {
            distance(
                Samples::Numbers,
                Pixel::from_number(a),
                Pixel::from_number(b),
            )
        };

        assert_eq!(
            [number(2112, 2112), number(2112, 2000), number(0, 2112)],
            [0, 112, 2112]
        );

        let height = |a, b| distance(Samples::Heights, a, b);
        let [low, high] = [-64, 320].map(Pixel::from_height);
        let [r, g, b, a] = low.rgba();
        assert_eq!(
            [height(low, high), height(low, Pixel::new([r, g, b + 2, a]))],
            [384, 1]
        );
        assert_eq!(height(Pixel::CLEAR, low), u16::MAX);
    }

    #[test]
    fn the_box_is_smallest_and_tolerance_counts() {
        let grey = |level| Pixel::from_rgb([level; 3]);
        let (a, mut b) = (vec![grey(100); 8], vec![grey(100); 8]);
        (b[2], b[5], b[7]) = (grey(101), grey(110), Pixel::CLEAR);

        let spots = |tolerance, xs| {
            let test = PixelTest {
                samples: Samples::Colours,
                tolerance,
            };
            let mut spots = Spots::default();
            let mut columns = Vec::new();
            test.row(&mut spots, 3, xs, [&a, &b], |x| columns.push(x));
            assert_eq!(columns.len() as u64, spots.count);

            (spots.count, spots.largest, spots.rect)
        };

        assert_eq!(
            spots(0, 0..7),
            (
                2,
                10,
                Area {
                    x0: 2,
                    z0: 3,
                    x1: 6,
                    z1: 4
                }
            )
        );

        assert_eq!(
            spots(1, 0..8),
            (
                2,
                255,
                Area {
                    x0: 5,
                    z0: 3,
                    x1: 8,
                    z1: 4
                }
            )
        );

        assert_eq!(spots(255, 0..8).0, 0);
        assert_eq!(
            [count_drawn(0..8, [&a, &b]), count_drawn(1..8, [&b, &b])],
            [8, 6]
        );
    }
}
