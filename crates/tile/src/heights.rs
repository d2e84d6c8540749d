//! Stores heights as colours, in the form that programs call Terrarium: a height in blocks is red ·
//! 256 + green + blue / 256 − 32768. Blue is even.
//!
//! Programs that draw terrain read every pixel as a height, and a transparent one as a pit of 32
//! km. So a published tile has no transparent pixels: pixels without data get a height interpolated
//! from their surroundings, and an odd blue to mark them.

use super::canvas::{Canvas, Pixels};
use super::pixel::Pixel;
use pixelmap_base::coord::TILE_SIDE;

/// The smallest step of a height, in units of blue. The last bit is 1 for pixels without data.
const STEP: u32 = 2;
/// One block, in units of blue.
const BLOCK: i32 = 256;
/// Height 0, in units of blue.
const ZERO: i32 = 32_768 * BLOCK;

impl Pixel {
    /// Makes the pixel of a height in whole blocks.
    pub const fn from_height(y: i16) -> Self {
        from_units((y as i32 * BLOCK + ZERO) as u32)
    }

    /// Makes the pixel of a mean of heights, rounded half up. The arguments are the weighted sums
    /// of red, green and blue, and the sum of the weights. If all weights are 0, the pixel is
    /// transparent.
    pub fn from_height_sums([red, green, blue, weights]: [u64; 4]) -> Self {
        let [red, green, blue, weights] = [red, green, blue, weights].map(u128::from);
        let sum = (red << 16) + (green << 8) + blue;
        let steps = (sum + weights).checked_div(weights * u128::from(STEP));
        steps.map_or(Self::CLEAR, |steps| from_units(steps as u32 * STEP))
    }

    /// Returns the height in 1/256 of a block.
    pub const fn height(self) -> i32 {
        units(self) as i32 - ZERO
    }
}

const fn from_units(units: u32) -> Pixel {
    let [_, r, g, b] = units.to_be_bytes();
    Pixel::from_rgb([r, g, b])
}

/// Returns the height in units of blue, counted from the lowest possible height, or 0 for a pixel
/// without data.
const fn units(pixel: Pixel) -> u32 {
    let [r, g, b, _] = pixel.rgba();
    u32::from_be_bytes([0, r, g, b])
}

/// Returns the mean of the heights among four pixels, rounded half up.
pub(super) fn mean(four: [Pixel; 4]) -> Pixel {
    let sum: u32 = four.into_iter().map(|pixel| units(pixel) / STEP).sum();
    let count = four.iter().filter(|&&pixel| pixel != Pixel::CLEAR).count() as u32;
    (sum + count / 2)
        .checked_div(count)
        .map_or(Pixel::CLEAR, |mean| from_units(mean * STEP))
}

/// Converts a pixel of a file to a pixel of a canvas: pixels that the file marks as having no data
/// become transparent.
pub(super) fn published(pixel: Pixel) -> Pixel {
    if units(pixel).is_multiple_of(STEP) {
        pixel
    } else {
        Pixel::CLEAR
    }
}

/// Returns the tile with all transparent pixels filled, as its file contains it, or `None` if no
/// pixel is transparent.
pub(super) fn filled(tile: &Canvas) -> Option<Canvas> {
    if !tile.pixels().contains(&Pixel::CLEAR) {
        return None;
    }

    let mut heights: Vec<u32> = tile.pixels().iter().map(|&pixel| units(pixel)).collect();
    for row in heights.chunks_exact_mut(TILE_SIDE) {
        for gap in gaps(row.iter().map(|&height| height != 0))
            .into_iter()
            .filter(|gap| !gap.is_all())
        {
            let (before, after) = gap.ends(|at| row[at]);
            gap.range()
                .for_each(|at| row[at] = gap.between(before, after, at));
        }
    }

    // Each row is now either complete or empty.
    for gap in gaps(heights.chunks_exact(TILE_SIDE).map(|row| row[0] != 0)) {
        for x in 0..TILE_SIDE {
            let (before, after) = gap.ends(|row| heights[row * TILE_SIDE + x]);
            gap.range()
                .for_each(|row| heights[row * TILE_SIDE + x] = gap.between(before, after, row));
        }
    }

    let pixels: Pixels = (heights.iter().zip(tile.pixels()))
        .map(|(&height, &pixel)| {
            if pixel == Pixel::CLEAR {
                from_units(height | 1)
            } else {
                pixel
            }
        })
        .collect();

    Some(pixels.into())
}

/// A range of a line whose heights are unknown.
struct LineGap {
    start: usize,
    end: usize,
    /// The length of the line.
    len: usize,
}

/// Returns the gaps of a line.
fn gaps(line: impl ExactSizeIterator<Item = bool>) -> Vec<LineGap> {
    let len = line.len();
    let mut gaps: Vec<LineGap> = Vec::new();
    for (at, _) in line.enumerate().filter(|(_, is_known)| !is_known) {
        match gaps.last_mut() {
            Some(gap) if gap.end == at => gap.end += 1,
            _ => gaps.push(LineGap {
                start: at,
                end: at + 1,
                len,
            }),
        }
    }

    gaps
}

impl LineGap {
    const fn range(&self) -> std::ops::Range<usize> {
        self.start..self.end
    }

    const fn is_all(&self) -> bool {
        self.end - self.start == self.len
    }

    /// Returns the known heights before and after the gap. If only one side is known, it counts for
    /// both; if neither is, both are height 0.
    fn ends(&self, known: impl Fn(usize) -> u32) -> (u32, u32) {
        let before = (self.start > 0).then(|| known(self.start - 1));
        let after = (self.end < self.len).then(|| known(self.end));
        let either = before.or(after).unwrap_or(ZERO as u32);
        (before.unwrap_or(either), after.unwrap_or(either))
    }

    /// Returns the height at a position on the straight line between two heights.
    fn between(&self, before: u32, after: u32, at: usize) -> u32 {
        let [steps, step] =
            [self.end - self.start + 1, at - self.start + 1].map(|count| count as i64);
        (i64::from(before) + (i64::from(after) - i64::from(before)) * step / steps) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::clear_pixels;
    use crate::decode::decode;

    fn tile(height: impl Fn(usize, usize) -> Option<i16>) -> Canvas {
        let mut pixels = clear_pixels();
        for (at, pixel) in pixels.iter_mut().enumerate() {
            *pixel =
                height(at % TILE_SIDE, at / TILE_SIDE).map_or(Pixel::CLEAR, Pixel::from_height);
        }
        pixels.into()
    }

    #[test]
    fn a_height_has_the_colour_that_programs_expect() {
        let rgba = |y| Pixel::from_height(y).rgba();
        assert_eq!(
            [rgba(0), rgba(-64), rgba(319)],
            [[128, 0, 0, 255], [127, 192, 0, 255], [129, 63, 0, 255]]
        );
        assert!((-2048..2048).all(|y| Pixel::from_height(y).height() == i32::from(y) * BLOCK));
    }

    #[test]
    fn heights_are_averaged_as_heights() {
        let mean = |four: [Option<i16>; 4]| {
            mean(four.map(|y| y.map_or(Pixel::CLEAR, Pixel::from_height))).rgba()
        };

        // Red differs, so that a mean of colours would be far off.
        assert_eq!(
            mean([Some(-1), Some(0), Some(0), Some(-1)]),
            [127, 255, 128, 255]
        );
        assert_eq!(mean([Some(64), None, None, None]), [128, 64, 0, 255]);

        // A third of a block is 42.67 of the 128 steps of a height.
        assert_eq!(
            mean([Some(64), Some(64), Some(65), None]),
            [128, 64, 86, 255]
        );
        assert_eq!(mean([None; 4]), [0; 4]);

        let [low, high] = [[128, 64, 0, 255], [128, 64, 2, 255]].map(Pixel::new);
        assert_eq!(
            super::mean([low, low, high, high]),
            high,
            "a half is rounded up"
        );
    }

    #[test]
    fn a_hole_is_not_a_pit() {
        let known = |x: usize, y: usize| {
            (100..200).contains(&x) && (y == 50 || y == 60) || (x, y) == (300, 50)
        };

        let height =
            |x: usize, y: usize| known(x, y).then_some(if x == 300 { 200 } else { y as i16 });
        let file = filled(&tile(height)).unwrap();
        let at = |x: usize, y: usize| file.pixels()[y * TILE_SIDE + x];

        for (index, pixel) in file.pixels().iter().enumerate() {
            let (x, y) = (index % TILE_SIDE, index / TILE_SIDE);
            assert_eq!(
                (pixel.is_opaque(), pixel.rgba()[2] % 2 == 0),
                (true, known(x, y)),
                "{x} {y}"
            );

            assert_eq!(
                published(*pixel),
                height(x, y).map_or(Pixel::CLEAR, Pixel::from_height),
                "{x} {y}"
            );
        }

        let blocks = |x, y| at(x, y).height() / BLOCK;
        assert_eq!(
            [blocks(0, 0), blocks(99, 50), blocks(511, 50)],
            [50, 50, 200],
            "what is nearest at the edges"
        );

        // There are 101 steps from x 199 to 300, and ten rows between the two heights.
        assert_eq!(
            [blocks(249, 50), blocks(299, 50)],
            [50 + 150 * 50 / 101, 50 + 150 * 100 / 101]
        );
        assert_eq!([blocks(150, 55), blocks(150, 511)], [55, 60]);
    }

    #[test]
    fn a_full_tile_is_stored_unchanged() {
        assert!(filled(&tile(|x, _| Some(x as i16))).is_none());
    }

    #[test]
    fn a_file_is_read_as_it_was_drawn() {
        use crate::encode::{Encoder, pixel_hash};
        use crate::samples::Samples;

        let drawn = tile(|x, y| (x * y % 7 > 2).then_some((x + y) as i16));
        let mut encoder = Encoder::default();
        let png = Samples::Heights.encode(&mut encoder, &drawn).to_vec();
        let webp = Samples::Heights.encode_webp(&mut encoder, &drawn).to_vec();
        for file in [&png, &webp] {
            assert!(Samples::Heights.decode(file).unwrap().pixels() == drawn.pixels());
            assert_eq!(
                Samples::Heights.hash(&drawn),
                pixel_hash(&decode(file).unwrap()),
                "the hash is of the file's pixels"
            );
        }
        let blank = Samples::Heights
            .encode(&mut encoder, &Canvas::default())
            .to_vec();
        assert!(
            decode(&blank)
                .unwrap()
                .pixels()
                .iter()
                .all(|pixel| pixel.rgba() == [128, 0, 1, 255])
        );
        assert!(Samples::Heights.decode(&blank).unwrap().is_empty());
    }
}
