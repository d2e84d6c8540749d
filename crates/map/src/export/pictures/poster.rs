//! The parts of a picture other than the map: a background with a hatching, a grid with its
//! coordinates, and below the map a title and a scale bar. They are painted over each row of pixels
//! when it is made, because most pictures are never in memory as a whole.

use crate::export::pictures::grid::Grid;
use pixelmap_base::letters::Text;
use pixelmap_tile::Pixel;

/// The lines of a hatching are this many pixels apart, along each side of the picture.
const HATCHING_STEP: u64 = 16;
/// The hatching of a picture without a background: a grey that is visible on white and on black.
const HATCHING: Pixel = Pixel::new([128, 128, 128, 64]);
/// The opacity of the lines of a hatching on a background, from 0 to 255.
const HATCHING_COVER: u8 = 36;
/// The opacity of the lines of a grid, from 0 to 255.
const GRID_COVER: u8 = 96;
/// The smallest distance between the lines of a grid, in pixels.
const GRID_STEP: f64 = 4.0;
/// The height of the coordinates along a grid, in pixels.
const SMALL: usize = 16;
/// The smallest and the largest height of a title's letters, and the number by which the picture's
/// width is divided to get that height.
const LETTERS: (usize, usize, usize) = (14, 256, 60);

/// The optional parts of a picture other than the map.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Poster {
    /// The colour behind transparent pixels of the map.
    pub background: Option<[u8; 3]>,
    /// Whether there is a hatching behind transparent pixels of the map.
    pub hatching: bool,
    /// The distance between grid lines, in blocks.
    pub grid: Option<u32>,
    pub title: Option<String>,
    /// Whether there is a scale bar below the map.
    pub scale_bar: bool,
}

impl Poster {
    /// Returns the height of the foot below a map of this width, in pixels.
    pub fn foot(&self, width: u32) -> u32 {
        if self.title.is_some() || self.scale_bar {
            2 * letters(width) as u32
        } else {
            0
        }
    }
}

/// Returns the height of a title's letters for a picture of this width.
fn letters(width: u32) -> usize {
    (width as usize / LETTERS.2).clamp(LETTERS.0, LETTERS.1)
}

/// A text and its position: the column and the row of pixels of its upper left corner.
#[derive(Debug)]
struct PlacedText {
    x: usize,
    y: u64,
    text: Text,
}

/// Everything that is painted over a picture, with its positions.
#[derive(Debug)]
pub(crate) struct PosterOverlay {
    background: Option<[u8; 3]>,
    hatching: bool,
    /// Width and height of the map in pixels, without the foot.
    sides: (usize, u64),
    /// The columns and the rows of pixels that are lines of the grid.
    lines: (Vec<usize>, Vec<u64>),
    /// The coordinates along the grid, white with a dark rim.
    marks: Vec<PlacedText>,
    /// The texts in the foot.
    words: Vec<PlacedText>,
    /// The columns of pixels that the scale bar occupies.
    bar: std::ops::Range<usize>,
}

impl PosterOverlay {
    pub(crate) fn new(poster: &Poster, grid: &Grid) -> Self {
        let mut overlay = Self {
            background: poster.background,
            hatching: poster.hatching,
            sides: (grid.width as usize, u64::from(grid.height)),
            lines: (Vec::new(), Vec::new()),
            marks: Vec::new(),
            words: Vec::new(),
            bar: 0..0,
        };

        if let Some(step) = poster.grid {
            let columns = grid_lines(grid.area.x0, grid.area.x1, grid.width, step.into());
            let rows = grid_lines(grid.area.z0, grid.area.z1, grid.height, step.into());
            overlay.marks = grid_marks(grid, &columns, &rows);
            overlay.lines.0 = columns.into_iter().map(|(_, x)| x as usize).collect();
            overlay.lines.1 = rows.into_iter().map(|(_, y)| u64::from(y)).collect();
        }

        overlay.write_foot(poster, grid);
        overlay
    }

    /// Places the title at the left and the scale bar at the right below the map.
    fn write_foot(&mut self, poster: &Poster, grid: &Grid) {
        let width = self.sides.0;
        let letters = letters(grid.width);

        let margin = letters / 2;
        let y = self.sides.1 + letters as u64 / 2;
        let mut end = width.saturating_sub(margin);
        if poster.scale_bar {
            let (blocks, pixels) = scale_bar(grid, width / 5);
            let unit = if blocks == 1 { "block" } else { "blocks" };
            let text = Text::new(
                &format!("{blocks} {unit}"),
                letters,
                end.saturating_sub(margin),
            );
            let x = end.saturating_sub(text.width);
            self.bar = x.saturating_sub(margin + pixels)..x.saturating_sub(margin);
            end = self.bar.start.saturating_sub(2 * margin);
            self.words.push(PlacedText { x, y, text });
        }

        if let Some(title) = &poster.title {
            let text = Text::new(title, letters, end.saturating_sub(margin));
            self.words.push(PlacedText { x: margin, y, text });
        }
    }

    /// Returns the number of rows of pixels, including the foot.
    #[cfg(test)]
    fn rows(&self) -> u64 {
        self.words
            .iter()
            .map(|word| word.y + word.text.height as u64 * 3 / 2)
            .max()
            .unwrap_or(self.sides.1)
    }

    /// Paints over row `y` of the picture.
    pub(crate) fn paint(&self, y: u64, row: &mut [Pixel]) {
        if y >= self.sides.1 {
            return self.paint_foot(y, row);
        }

        if self.background.is_some() || self.hatching {
            for (x, pixel) in row.iter_mut().enumerate() {
                *pixel = over(*pixel, self.paper(x as u64, y));
            }
        }

        if self.lines.1.binary_search(&y).is_ok() {
            for pixel in row.iter_mut() {
                *pixel = line_over(*pixel, GRID_COVER);
            }
        } else {
            for &x in &self.lines.0 {
                row[x] = line_over(row[x], GRID_COVER);
            }
        }

        for mark in &self.marks {
            paint_rim(mark, y, row);
        }

        for mark in &self.marks {
            paint_text(mark, y, row, [255; 3]);
        }
    }

    /// Returns the colour behind a pixel of the map. The lines of the hatching rise to the east.
    fn paper(&self, x: u64, y: u64) -> Pixel {
        let is_line = self.hatching && (x + y).is_multiple_of(HATCHING_STEP);
        match self.background.map(Pixel::from_rgb) {
            Some(background) if is_line => line_over(background, HATCHING_COVER),
            Some(background) => background,
            None if is_line => HATCHING,
            None => Pixel::CLEAR,
        }
    }

    fn paint_foot(&self, y: u64, row: &mut [Pixel]) {
        let paper = self.background.unwrap_or([255; 3]);
        let ink = if is_bright(paper) { [0; 3] } else { [255; 3] };
        row.fill(Pixel::from_rgb(paper));

        for word in &self.words {
            paint_text(word, y, row, ink);
        }

        // The scale bar is a horizontal bar with an upright at each end.
        let foot = letters(row.len() as u32) as u64;
        let at = y - self.sides.1;

        let thick = (foot / 8).max(1);
        let is_bar = (foot * 5 / 4..foot * 5 / 4 + thick).contains(&at);
        let is_end = (foot * 3 / 4..foot * 5 / 4).contains(&at);
        for x in self.bar.clone() {
            let from_end = (x - self.bar.start).min(self.bar.end - 1 - x);
            if is_bar || is_end && (from_end as u64) < thick {
                row[x] = Pixel::from_rgb(ink);
            }
        }
    }
}

/// Returns the lines of a grid along one side, each with its coordinate and its pixel: one line
/// every `step` blocks, or no lines if they would be too close to each other.
fn grid_lines(from: i32, to: i32, pixels: u32, step: i64) -> Vec<(i64, u32)> {
    let from = i64::from(from);
    let to = i64::from(to);
    let pixel_blocks = (to - from) as f64 / f64::from(pixels);
    if (step as f64) < GRID_STEP * pixel_blocks {
        return Vec::new();
    }

    let first = -(-from).div_euclid(step) * step;
    let lines = (first..to).step_by(step as usize);
    lines
        .map(|at| {
            (
                at,
                ((i128::from(at - from) * i128::from(pixels)) / i128::from(to - from)) as u32,
            )
        })
        .collect()
}

/// Returns the coordinates of a grid's lines at the north and the west edge. A coordinate is left
/// out if it would overlap the previous one.
fn grid_marks(grid: &Grid, columns: &[(i64, u32)], rows: &[(i64, u32)]) -> Vec<PlacedText> {
    let mut marks = Vec::new();
    let mut free = 0;
    for &(at, x) in columns {
        let text = Text::new(&at.to_string(), SMALL, usize::MAX);
        let start = x as usize + 4;
        if start >= free && start + text.width < grid.width as usize {
            free = start + text.width + SMALL;
            marks.push(PlacedText {
                x: start,
                y: 3,
                text,
            });
        }
    }

    let mut free = 2 * SMALL as u64;
    for &(at, y) in rows {
        let text = Text::new(&at.to_string(), SMALL, grid.width as usize);
        let start = u64::from(y) + 3;
        if start >= free && start + (SMALL as u64) < u64::from(grid.height) {
            free = start + 2 * SMALL as u64;
            marks.push(PlacedText {
                x: 4,
                y: start,
                text,
            });
        }
    }

    marks
}

/// Returns the length of a scale bar of at most `most` pixels, in blocks and in pixels. The length
/// in blocks is 1, 2 or 5 times a power of ten.
fn scale_bar(grid: &Grid, most: usize) -> (u64, usize) {
    let blocks = grid.pixel_blocks().0;
    let round = (0..9).flat_map(|power| [1, 2, 5].map(|n| n * 10_u64.pow(power)));
    let length = round
        .take_while(|&length| length as f64 <= most as f64 * blocks)
        .last()
        .unwrap_or(1);
    (length, ((length as f64 / blocks) as usize).max(1))
}

fn paint_text(text: &PlacedText, y: u64, row: &mut [Pixel], ink: [u8; 3]) {
    let Some(line) = y.checked_sub(text.y) else {
        return;
    };
    let cover = text.text.row(line as usize);
    for (pixel, &cover) in row.iter_mut().skip(text.x).zip(cover) {
        *pixel = blend(*pixel, ink, cover);
    }
}

/// Paints a dark rim of one pixel around a text, so that it is readable on land of any colour.
fn paint_rim(text: &PlacedText, y: u64, row: &mut [Pixel]) {
    for dy in 0..3 {
        let Some(line) = (y + dy).checked_sub(text.y + 1) else {
            continue;
        };
        for dx in 0..3 {
            let cover = text.text.row(line as usize);
            for (pixel, &cover) in row.iter_mut().skip(text.x + dx - 1).zip(cover) {
                *pixel = blend(*pixel, [0; 3], cover / 2);
            }
        }
    }
}

/// Paints a line over a pixel: translucent black on a bright pixel, translucent white on a dark
/// one.
fn line_over(pixel: Pixel, cover: u8) -> Pixel {
    let [red, green, blue, _] = pixel.rgba();
    blend(
        pixel,
        if is_bright([red, green, blue]) {
            [0; 3]
        } else {
            [255; 3]
        },
        cover,
    )
}

fn is_bright([red, green, blue]: [u8; 3]) -> bool {
    2 * u32::from(red) + 5 * u32::from(green) + u32::from(blue) > 8 * 110
}

/// Puts a pixel over another one.
fn over(pixel: Pixel, below: Pixel) -> Pixel {
    let [red, green, blue, alpha] = pixel.rgba();
    blend(below, [red, green, blue], alpha)
}

/// Paints a colour over a pixel with opacity `cover`, from 0 to 255.
fn blend(pixel: Pixel, colour: [u8; 3], cover: u8) -> Pixel {
    let [red, green, blue, alpha] = pixel.rgba();

    let cover = u32::from(cover);
    let below = u32::from(alpha) * (255 - cover) / 255;
    let all = cover + below;
    let mix = |old: u8, new: u8| {
        (u32::from(old) * below + u32::from(new) * cover + all / 2)
            .checked_div(all)
            .unwrap_or(0) as u8
    };

    Pixel::new([
        mix(red, colour[0]),
        mix(green, colour[1]),
        mix(blue, colour[2]),
        all as u8,
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::pictures::grid::{Scale, Size};
    use pixelmap_base::coord::Area;

    fn grid(side: i32) -> Grid {
        Grid::new(
            Area {
                x0: -20,
                z0: 0,
                x1: side - 20,
                z1: side,
            },
            Size::Scale(Scale::Times(1)),
            false,
        )
        .unwrap()
    }

    #[test]
    fn a_background_shows_where_the_map_is_transparent() {
        let poster = Poster {
            background: Some([10, 20, 30]),
            ..Poster::default()
        };
        let overlay = PosterOverlay::new(&poster, &grid(2));
        let mut row = [Pixel::CLEAR, Pixel::from_rgb([1, 2, 3])];
        overlay.paint(0, &mut row);

        assert_eq!(
            row,
            [Pixel::from_rgb([10, 20, 30]), Pixel::from_rgb([1, 2, 3])]
        );
        assert_eq!(
            over(
                Pixel::new([110, 120, 130, 51]),
                Pixel::from_rgb([10, 20, 30])
            ),
            Pixel::from_rgb([30, 40, 50])
        );
    }

    #[test]
    fn a_hatching_shows_only_behind_the_map() {
        let painted = |background, y| {
            let poster = Poster {
                background,
                hatching: true,
                ..Poster::default()
            };
            let land = Pixel::from_rgb([1, 2, 3]);
            let mut row = [Pixel::CLEAR; 40];
            row[15] = land;
            PosterOverlay::new(&poster, &grid(40)).paint(y, &mut row);
            assert_eq!(row[15], land);
            row
        };
        let lines_of = |row: [Pixel; 40]| -> Vec<usize> {
            (0..40).filter(|&x| x != 15 && row[x] != row[1]).collect()
        };

        assert_eq!(lines_of(painted(None, 0)), [0, 16, 32]);
        assert_eq!(lines_of(painted(None, 3)), [13, 29]);
        assert_eq!(painted(None, 0)[1], Pixel::CLEAR);

        let white = painted(Some([255; 3]), 0);
        assert_eq!(lines_of(white), [0, 16, 32]);
        assert_eq!(white[0], Pixel::from_rgb([219; 3]));
    }

    #[test]
    fn grid_lines_are_at_multiples_of_the_step() {
        let poster = Poster {
            grid: Some(16),
            ..Poster::default()
        };
        let overlay = PosterOverlay::new(&poster, &grid(40));
        assert_eq!(overlay.lines, (vec![4, 20, 36], vec![0, 16, 32]));

        let mut row = [Pixel::from_rgb([255; 3]); 40];
        overlay.paint(39, &mut row);
        let dark: Vec<usize> = (0..40)
            .filter(|&x| row[x] != Pixel::from_rgb([255; 3]))
            .collect();
        assert_eq!(dark, [4, 20, 36]);

        let fine = Poster {
            grid: Some(3),
            ..Poster::default()
        };
        assert_eq!(
            PosterOverlay::new(&fine, &grid(40)).lines,
            (vec![], vec![]),
            "too fine to be seen"
        );
    }

    #[test]
    fn title_and_bar_are_below_the_map() {
        let poster = Poster {
            title: Some("Home".to_owned()),
            scale_bar: true,
            ..Poster::default()
        };

        let grid = grid(600);
        let overlay = PosterOverlay::new(&poster, &grid);
        assert!(overlay.rows() <= u64::from(grid.height + poster.foot(grid.width)));
        assert_eq!(scale_bar(&grid, 120), (100, 100));
        assert_eq!(overlay.bar.len(), 100);

        let mut rows: Vec<[Pixel; 600]> = vec![[Pixel::CLEAR; 600]; poster.foot(600) as usize];
        for (y, row) in rows.iter_mut().enumerate() {
            overlay.paint(600 + y as u64, row);
        }

        let ink = |columns: std::ops::Range<usize>| {
            rows.iter()
                .flat_map(|row| &row[columns.clone()])
                .filter(|pixel| pixel.rgba()[0] < 128)
                .count()
        };

        assert!(ink(0..100) > 20, "title");
        assert!(ink(overlay.bar.clone()) >= 100, "bar");
        assert_eq!(ink(250..overlay.bar.start), 0, "between them");
        assert_eq!((Poster::default().foot(600), overlay.words.len()), (0, 2));
    }
}
