//! Draws text into pictures. The letters come from a font that was rendered beforehand in one size,
//! and are scaled.

use noto_sans_mono_bitmap::{
    FontWeight, RasterHeight, RasterizedChar, get_raster, get_raster_width,
};

const FONT: (FontWeight, RasterHeight) = (FontWeight::Bold, RasterHeight::Size32);
/// The height of the font's letters in pixels.
const FONT_HEIGHT: usize = 32;
/// Samples along each side of a pixel.
const SAMPLES: usize = 4;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// Pixels from west to east.
    pub width: usize,
    /// Pixels from north to south.
    pub height: usize,
    /// The opacity of the letters at each pixel, 0 to 255, `[y][x]`.
    cover: Vec<u8>,
}

/// Returns the width in pixels of a number of letters at this height.
fn width(letters: usize, height: usize) -> usize {
    letters * get_raster_width(FONT.0, FONT.1) * height / FONT_HEIGHT
}

fn raster(letter: char) -> Option<RasterizedChar> {
    get_raster(letter, FONT.0, FONT.1).or_else(|| get_raster('?', FONT.0, FONT.1))
}

/// Returns the position of a sample of a pixel in the font's size, in 256ths of a pixel. `height` is
/// the height of the drawn text.
fn font_position(pixel: usize, sample: usize, height: usize) -> usize {
    (2 * (pixel * SAMPLES + sample) + 1) * FONT_HEIGHT * 128 / (SAMPLES * height)
}

impl Text {
    /// Draws a text with a height in pixels. If it is wider than `max_width`, its end is replaced
    /// by three dots. Letters that the font lacks become question marks.
    pub fn new(text: &str, height: usize, max_width: usize) -> Self {
        let mut letters: Vec<RasterizedChar> = text.chars().filter_map(raster).collect();
        if width(letters.len(), height) > max_width {
            letters.truncate(
                (0..letters.len())
                    .rev()
                    .find(|&len| width(len + 3, height) <= max_width)
                    .unwrap_or(0),
            );
            letters.extend("...".chars().filter_map(raster));
        }

        let width = width(letters.len(), height).min(max_width);
        let mut cover = Vec::with_capacity(width * height);
        for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
            let samples = (0..SAMPLES * SAMPLES).map(|sample| {
                interpolate(
                    font_position(x, sample % SAMPLES, height),
                    font_position(y, sample / SAMPLES, height),
                    |x, y| font_cover(&letters, x, y),
                )
            });
            let mean = (samples.sum::<usize>() / (SAMPLES * SAMPLES)) as i64;

            // Raises the contrast so that the edges of enlarged letters stay sharp.
            let sharpened = (mean - 128) * (height / FONT_HEIGHT).max(1) as i64 + 128;
            cover.push(sharpened.clamp(0, 255) as u8);
        }

        Self {
            width,
            height,
            cover,
        }
    }

    /// Returns the opacity of the letters at each pixel of a row, 0 to 255; empty outside the text.
    pub fn row(&self, y: usize) -> &[u8] {
        self.cover
            .get(y * self.width..(y + 1) * self.width)
            .unwrap_or_default()
    }
}

/// Returns the opacity at a pixel of the whole line in the font's size; 0 outside the letters.
fn font_cover(letters: &[RasterizedChar], x: usize, y: usize) -> usize {
    let letter_width = get_raster_width(FONT.0, FONT.1);
    let cover = letters
        .get(x / letter_width)
        .and_then(|letter| letter.pixel(x % letter_width, y));
    usize::from(cover.unwrap_or(0))
}

/// Returns the value at a place in 256ths of a pixel, interpolated between the centres of the four
/// pixels around it.
fn interpolate(x: usize, y: usize, value: impl Fn(usize, usize) -> usize) -> usize {
    let x = x.saturating_sub(128);
    let y = y.saturating_sub(128);
    let east = x % 256;
    let south = y % 256;
    let row = |y: usize| value(x / 256, y) * (256 - east) + value(x / 256 + 1, y) * east;
    (row(y / 256) * (256 - south) + row(y / 256 + 1) * south) >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_have_equal_weight_at_every_height() {
        let share = |height: usize| {
            let text = Text::new("Hg", height, 10_000);
            assert_eq!((text.height, text.row(0).len()), (height, text.width));
            let covered: usize = (0..height)
                .flat_map(|y| text.row(y))
                .map(|&cover| usize::from(cover))
                .sum();
            covered * 1000 / (255 * text.width * height)
        };

        for height in [12, 64, 200] {
            assert!(
                share(height).abs_diff(share(32)) < 40,
                "{height}: {} of {}",
                share(height),
                share(32)
            );
        }

        assert!(
            Text::new(" ", 40, 100)
                .row(20)
                .iter()
                .all(|&cover| cover == 0)
        );
        assert!(Text::new("\u{4e16}", 32, 100) == Text::new("?", 32, 100));
    }

    #[test]
    fn a_long_text_ends_in_three_dots() {
        let whole = Text::new("The world of many", 16, 10_000);
        assert!(Text::new("The world of many", 16, whole.width) == whole);
        let short = Text::new("The world of many", 16, whole.width - 1);
        assert!(short == Text::new("The world of ...", 16, 10_000));
        assert!(Text::new("wide", 100, 10).width <= 10);
    }
}
