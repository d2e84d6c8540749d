//! Text in a picture: letters of a font that is drawn beforehand in one size, enlarged or made smaller.

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, RasterizedChar, get_raster, get_raster_width};

const FONT: (FontWeight, RasterHeight) = (FontWeight::Bold, RasterHeight::Size32);
/// The height of a letter of the font.
const FONT_HEIGHT: usize = 32;
/// Places along each side of a pixel at which the font is looked at.
const LOOKS: usize = 4;

/// A line of text as it is drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Text {
    /// Pixels from west to east.
    pub width: usize,
    /// Pixels from north to south.
    pub height: usize,
    /// How much of each pixel it covers, of 255, `[y][x]`.
    cover: Vec<u8>,
}

/// The width of so many letters of a height.
fn width(letters: usize, height: usize) -> usize {
    letters * get_raster_width(FONT.0, FONT.1) * height / FONT_HEIGHT
}

impl Text {
    /// A text of a height, with an end cut off that makes it longer than `most` pixels. Letters that the font lacks are
    /// question marks.
    pub(crate) fn new(text: &str, height: usize, most: usize) -> Self {
        let raster = |letter: char| get_raster(letter, FONT.0, FONT.1).or_else(|| get_raster('?', FONT.0, FONT.1));
        let mut letters: Vec<RasterizedChar> = text.chars().filter_map(raster).collect();
        if width(letters.len(), height) > most {
            letters.truncate((0..letters.len()).rev().find(|&len| width(len + 3, height) <= most).unwrap_or(0));
            letters.extend("...".chars().filter_map(raster));
        }
        let (width, letter_width) = (width(letters.len(), height).min(most), get_raster_width(FONT.0, FONT.1));
        // Of the whole line of letters; 0 beside them.
        let of_font = |x: usize, y: usize| {
            let cover = letters.get(x / letter_width).and_then(|letter| letter.pixel(x % letter_width, y));
            usize::from(cover.unwrap_or(0))
        };
        let cover = |x: usize, y: usize| {
            let looks = (0..LOOKS * LOOKS).map(|look| {
                let at =
                    |pixel: usize, look: usize| (2 * (pixel * LOOKS + look) + 1) * FONT_HEIGHT * 128 / (LOOKS * height);
                mean_at(at(x, look % LOOKS), at(y, look / LOOKS), of_font)
            });
            // The edges of letters that are enlarged stay sharp.
            let mean = (looks.sum::<usize>() / (LOOKS * LOOKS)) as i64;
            ((mean - 128) * (height / FONT_HEIGHT).max(1) as i64 + 128).clamp(0, 255) as u8
        };
        let cover = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| cover(x, y)).collect();
        Self { width, height, cover }
    }

    /// A row of it: how much of each pixel it covers, of 255.
    pub(crate) fn row(&self, y: usize) -> &[u8] {
        self.cover.get(y * self.width..(y + 1) * self.width).unwrap_or_default()
    }
}

/// The value at a place in 256ths of a pixel, between the middles of the four pixels around it.
fn mean_at(x: usize, y: usize, of: impl Fn(usize, usize) -> usize) -> usize {
    let (x, y) = (x.saturating_sub(128), y.saturating_sub(128));
    let (east, south) = (x % 256, y % 256);
    let row = |y: usize| of(x / 256, y) * (256 - east) + of(x / 256 + 1, y) * east;
    (row(y / 256) * (256 - south) + row(y / 256 + 1) * south) >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_cover_as_much_at_every_height() {
        let share = |height: usize| {
            let text = Text::new("Hg", height, 10_000);
            assert_eq!((text.height, text.row(0).len()), (height, text.width));
            let covered: usize = (0..height).flat_map(|y| text.row(y)).map(|&cover| usize::from(cover)).sum();
            covered * 1000 / (255 * text.width * height)
        };
        for height in [12, 64, 200] {
            assert!(share(height).abs_diff(share(32)) < 40, "{height}: {} of {}", share(height), share(32));
        }
        assert!(Text::new(" ", 40, 100).row(20).iter().all(|&cover| cover == 0));
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
