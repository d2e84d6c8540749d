//! Computes the geometry of one picture: the area that it shows, its scale, and its size in pixels.
//! Pictures that are too large are refused here, before anything is drawn.

use std::fmt;
use std::ops::Range;

use thiserror::Error;

use crate::export::pictures::mean::PictureSide;
use pixelmap_base::coord::{Area, NATIVE_ZOOM, TILE_SIDE};
use pixelmap_base::words::{AREA, LAYER, OUTPUT, SCALE, SURE};

/// The most pixels along a side of a PNG (W3C PNG specification, 2^31 - 1).
const SIDE_LIMIT: u64 = (1 << 31) - 1;
/// Larger pictures, in pixels, are drawn only if the user confirms it.
const SURE_LIMIT: u64 = 4_000_000_000;
/// The largest enlargement in pixels per block, and the largest reduction in blocks per pixel.
const MAX_TIMES: u32 = 16;
const MAX_BELOW: u32 = 256;
/// The number of halvings between native tiles and zoom level 1, the outermost one.
const MOST_HALVINGS: u8 = NATIVE_ZOOM - 1;

/// Scale: N pixels per block along each side, or one pixel per N blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// The width of a block in pixels: 1, 2, 4, 8 or 16.
    Times(u32),
    /// The width of a pixel is 2 to the power of this number of blocks: 1 to 8 halvings.
    Halved(u32),
}

impl Scale {
    /// Parses a scale from `1/256` to `16`, also as a decimal such as `0.5`.
    pub fn parse(text: &str) -> Option<Self> {
        match text.split_once('/') {
            Some(("1", below)) => match power_of_two(below, MAX_BELOW)? {
                1 => Some(Self::Times(1)),
                below => Some(Self::Halved(below.ilog2())),
            },
            Some(_) => None,
            None if text.contains('.') => Self::parse_decimal(text),
            None => power_of_two(text, MAX_TIMES).map(Self::Times),
        }
    }

    /// Parses a scale with a decimal point. The decimals of all scales are exact in binary.
    fn parse_decimal(text: &str) -> Option<Self> {
        let smallest = text.parse::<f64>().ok()? * f64::from(MAX_BELOW);
        let is_whole = smallest.fract() == 0.0 && smallest <= f64::from(MAX_BELOW * MAX_TIMES);
        let count = if is_whole { smallest as u32 } else { 0 };
        if !count.is_power_of_two() {
            return None;
        }

        Some(match MAX_BELOW.checked_div(count) {
            Some(below @ 2..) => Self::Halved(below.ilog2()),
            _ => Self::Times(count / MAX_BELOW),
        })
    }

    /// Returns the pixels along a number of blocks, which must be a multiple of the width of a
    /// pixel.
    pub fn pixels(self, blocks: i64) -> u64 {
        match self {
            Self::Times(times) => blocks as u64 * u64::from(times),
            Self::Halved(halvings) => blocks as u64 >> halvings,
        }
    }

    /// Returns the width of a pixel in blocks.
    pub fn pixel_blocks(self) -> f64 {
        match self {
            Self::Times(times) => 1.0 / f64::from(times),
            Self::Halved(halvings) => f64::from(1_u32 << halvings),
        }
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Times(times) => write!(f, "{times}"),
            Self::Halved(halvings) => write!(f, "1/{}", 1_u32 << halvings),
        }
    }
}

/// The requested size of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// Pixels per block.
    Scale(Scale),
    /// Pixels from west to east.
    Width(u32),
    /// The largest picture with at most this width and height.
    Fit(u32, u32),
}

impl Default for Size {
    fn default() -> Self {
        Self::Scale(Scale::Times(1))
    }
}

/// Area, scale and size of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    /// The columns of blocks that the picture shows. If the size is a scale, they are a whole
    /// number of pixels along each side.
    pub area: Area,
    /// The scale of the zoom level from which the picture is made. `Halved(0)` means native tiles.
    pub scale: Scale,
    /// How many levels this zoom level is further in than the native one. It is 0 unless the
    /// picture is made from tiles with textures.
    pub inner_levels: u8,
    /// Whether each pixel is the mean of several pixels of that level, because no scale gives the
    /// requested width.
    pub is_mean: bool,
    /// Pixels from west to east.
    pub width: u32,
    /// Pixels from north to south.
    pub height: u32,
}

/// Why a picture cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PictureError {
    /// Its area contains no columns.
    #[error("nothing is drawn there: name another area with {AREA}")]
    Nothing,
    /// It is larger than a PNG can be: pixels along its sides.
    #[error(
        "{} by {} pixels are more than a PNG can have ({SIDE_LIMIT} per side): {}",
        .0,
        .1,
        smaller()
    )]
    TooLarge(u64, u64),
    /// It is larger than a WebP can be: pixels along its sides, and the limit of a side.
    #[error(
        "{} by {} pixels are more than a WebP can have ({} per side): make a PNG, with .png at the \
         end of {OUTPUT}, or {}",
        .0,
        .1,
        .2,
        smaller()
    )]
    TooLargeForWebp(u32, u32, u32),
    /// A frame of a time-lapse is longer than its format allows: pixels along its sides, and the
    /// limit of a side.
    #[error(
        "frames of {} by {} pixels are more than this format can have ({} per side): {}",
        .0,
        .1,
        .2,
        smaller()
    )]
    LongFrame(u32, u32, u32),
    /// A frame of a time-lapse has too many pixels: the pixels along its sides, and the limit in
    /// millions of pixels.
    #[error(
        "frames of {} by {} pixels are more than a time-lapse can have ({} megapixels): {}",
        .0,
        .1,
        .2,
        smaller()
    )]
    LargeFrame(u32, u32, u64),
    /// A time-lapse has more bytes than a WebP can have.
    #[error(
        "these frames need more than 4 GB, the limit of a WebP: name a folder with {OUTPUT}, or {}",
        smaller()
    )]
    LongAnimation,
    /// The regions of a GeoTIFF are too far from each other: pixels along its sides.
    #[error(
        "a GeoTIFF of {0} by {1} pixels would have too many tiles: name a smaller area with {AREA}"
    )]
    TooWideApart(u64, u64),
    /// The layer with this id contains numbers instead of colours.
    #[error(
        "layer {0} holds numbers instead of colours, so it has no picture: name another {LAYER}, or \
         a folder or a file that ends in .pmtiles with {OUTPUT}"
    )]
    Numbers(String),
    /// It is very large, and the user did not confirm it: pixels along its sides.
    #[error(
        "{} by {} pixels are {:.1} gigapixels: {}, or confirm with {SURE}",
        .0,
        .1,
        gigapixels([.0, .1]),
        smaller()
    )]
    Unsure(u64, u64),
}

/// Returns the remedy for a picture that is too large.
fn smaller() -> String {
    format!("name a smaller area with {AREA}, or a smaller scale with {SCALE} 1/8")
}

fn gigapixels([width, height]: [&u64; 2]) -> f64 {
    *width as f64 * *height as f64 / 1e9
}

impl Grid {
    /// Plans the picture of an area. If `size` is a scale, sides inside a pixel move outward to the
    /// edge of that pixel. `sure` permits pictures of any size that the format can hold.
    ///
    /// # Errors
    /// Fails if the picture has no pixels, or too many.
    pub fn new(area: Area, size: Size, sure: bool) -> Result<Self, PictureError> {
        if area.is_empty() {
            return Err(PictureError::Nothing);
        }

        let grid = match size {
            Size::Scale(scale) => Self::at_scale(area, scale)?,
            Size::Width(width) => Self::with_means(area, width, u32::MAX)?,
            Size::Fit(width, height) => Self::with_means(area, width, height)?,
        };

        let width = u64::from(grid.width);
        let height = u64::from(grid.height);
        if width * height > SURE_LIMIT && !sure {
            Err(PictureError::Unsure(width, height))
        } else {
            Ok(grid)
        }
    }

    fn at_scale(area: Area, scale: Scale) -> Result<Self, PictureError> {
        let blocks = if let Scale::Halved(halvings) = scale {
            1_i64 << halvings
        } else {
            1
        };

        let [x0, z0] = [area.x0, area.z0].map(|at| i64::from(at).div_euclid(blocks) * blocks);
        let [x1, z1] = [area.x1, area.z1].map(|at| -(-i64::from(at)).div_euclid(blocks) * blocks);
        let width = scale.pixels(x1 - x0);

        let height = scale.pixels(z1 - z0);
        let (Some(w), Some(h), Ok(x1), Ok(z1)) = (
            side(width),
            side(height),
            i32::try_from(x1),
            i32::try_from(z1),
        ) else {
            return Err(PictureError::TooLarge(width, height));
        };

        let area = Area {
            x0: x0 as i32,
            z0: z0 as i32,
            x1,
            z1,
        };

        Ok(Self {
            area,
            scale,
            inner_levels: 0,
            is_mean: false,
            width: w,
            height: h,
        })
    }

    /// Plans the largest picture within these sides that keeps the shape of the area. It is made
    /// from the outermost zoom level that has at least as many pixels, or from native tiles if none
    /// has.
    fn with_means(area: Area, width: u32, height: u32) -> Result<Self, PictureError> {
        let x = (i64::from(area.x1) - i64::from(area.x0)) as u128;
        let z = (i64::from(area.z1) - i64::from(area.z0)) as u128;
        let most_w = u128::from(width);
        let most_h = u128::from(height);

        let (width, height) = if most_w * z <= most_h * x {
            (most_w as u64, nearest_quotient(z * most_w, x))
        } else {
            (nearest_quotient(x * most_h, z), most_h as u64)
        };

        let (Some(w), Some(h)) = (side(width), side(height)) else {
            return Err(PictureError::TooLarge(width, height));
        };

        let blocks = (x / u128::from(w))
            .min(z / u128::from(h))
            .clamp(1, 1 << MOST_HALVINGS) as u32;
        let scale = Scale::Halved(blocks.ilog2());
        Ok(Self {
            area,
            scale,
            inner_levels: 0,
            is_mean: true,
            width: w,
            height: h,
        })
    }

    /// Makes the same picture from tiles with textures, using at most `levels` levels of them. Only
    /// a picture in which a block is several pixels wide can show textures; other pictures stay
    /// unchanged.
    pub(crate) fn with_textures(self, levels: u8) -> Self {
        let inner_levels = match self.scale {
            Scale::Times(times) => levels.min(times.ilog2() as u8),
            Scale::Halved(_) => 0,
        };
        Self {
            inner_levels,
            ..self
        }
    }

    /// Returns the zoom level whose pixels the picture shows, and by how much each pixel is
    /// enlarged along each side.
    pub(crate) fn zoom(&self) -> (u8, u32) {
        match self.scale {
            Scale::Times(times) => (NATIVE_ZOOM + self.inner_levels, times >> self.inner_levels),
            Scale::Halved(halvings) => (NATIVE_ZOOM - halvings as u8, 1),
        }
    }

    /// Returns the two sides of a picture whose pixels are means: its columns and its rows.
    pub(crate) fn sides(&self) -> (PictureSide, PictureSide) {
        let halvings = self.halvings();
        let side = |from, to, pixels| PictureSide {
            from,
            to,
            pixels,
            halvings,
        };
        (
            side(self.area.x0, self.area.x1, self.width),
            side(self.area.z0, self.area.z1, self.height),
        )
    }

    fn halvings(&self) -> u32 {
        if let Scale::Halved(halvings) = self.scale {
            halvings
        } else {
            0
        }
    }

    /// Returns the width and the height of a pixel in blocks.
    pub fn pixel_blocks(&self) -> (f64, f64) {
        let Area { x0, z0, x1, z1 } = self.area;
        let width = (f64::from(x1) - f64::from(x0)) / f64::from(self.width);
        let height = (f64::from(z1) - f64::from(z0)) / f64::from(self.height);
        (width, height)
    }

    /// Returns the pixels per block as text: a scale, or a decimal number.
    pub fn scale_text(&self) -> String {
        if self.is_mean {
            format!("{:.4}", 1.0 / self.pixel_blocks().0)
        } else {
            self.scale.to_string()
        }
    }

    /// Returns the range of pixels of the zoom level from which the picture is made: from west to
    /// east, and from north to south.
    pub fn pixels(&self) -> (Range<i64>, Range<i64>) {
        let (halvings, inner) = (self.halvings(), self.inner_levels);
        let range = |from: i32, to: i32| {
            let first = (i64::from(from) << inner) >> halvings;
            let last = ((i64::from(to) << inner) - 1) >> halvings;
            first..last + 1
        };
        (
            range(self.area.x0, self.area.x1),
            range(self.area.z0, self.area.z1),
        )
    }

    /// Returns the range of tiles of that level: from west to east, and from north to south.
    pub fn tiles(&self) -> (Range<i32>, Range<i32>) {
        let side = TILE_SIDE as i64;
        let (columns, rows) = self.pixels();
        let [columns, rows] = [columns, rows].map(|pixels| {
            pixels.start.div_euclid(side) as i32..(pixels.end - 1).div_euclid(side) as i32 + 1
        });

        (columns, rows)
    }
}

/// Parses a power of two that is at most `max`.
fn power_of_two(text: &str, max: u32) -> Option<u32> {
    let number = text.parse::<u32>().ok()?;
    (number.is_power_of_two() && number <= max).then_some(number)
}

/// Returns the whole number nearest to a quotient, and at least 1.
fn nearest_quotient(over: u128, under: u128) -> u64 {
    ((over * 2 + under) / (under * 2)).max(1) as u64
}

/// Returns a side of a picture, or `None` if a PNG cannot be that long.
fn side(pixels: u64) -> Option<u32> {
    if pixels > SIDE_LIMIT {
        return None;
    }

    u32::try_from(pixels).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_powers_of_two_within_limits() {
        for (text, scale) in [
            ("1", Scale::Times(1)),
            ("16", Scale::Times(16)),
            ("1/2", Scale::Halved(1)),
            ("1/256", Scale::Halved(8)),
        ] {
            assert_eq!(Scale::parse(text), Some(scale));
            assert_eq!(scale.to_string(), text);
        }

        assert_eq!(Scale::parse("0.5"), Some(Scale::Halved(1)));
        assert_eq!(Scale::parse("0.00390625"), Some(Scale::Halved(8)));
        assert_eq!(Scale::parse("2.0"), Some(Scale::Times(2)));

        for text in [
            "0", "3", "32", "1/512", "1/3", "2/4", "", "1/", "-1", "0.3", "-0.5", "0.0", "32.0",
            ".",
        ] {
            assert_eq!(Scale::parse(text), None, "{text}");
        }
    }

    #[test]
    fn area_sides_move_outward_to_whole_pixels() {
        let area = Area {
            x0: -3,
            z0: 5,
            x1: 9,
            z1: 16,
        };

        let grid = Grid::new(area, Size::Scale(Scale::Halved(3)), false).unwrap();
        assert_eq!(
            grid.area,
            Area {
                x0: -8,
                z0: 0,
                x1: 16,
                z1: 16
            }
        );
        assert_eq!((grid.width, grid.height), (3, 2));

        let grid = Grid::new(area, Size::Scale(Scale::Times(4)), false).unwrap();
        assert_eq!((grid.area, grid.width, grid.height), (area, 48, 44));
        assert_eq!(grid.tiles(), (-1..1, 0..1));
    }

    #[test]
    fn textures_appear_on_levels_that_have_them() {
        let area = Area {
            x0: -3,
            z0: 5,
            x1: 70,
            z1: 16,
        };

        let shown = |scale, levels| {
            let grid = Grid::new(area, Size::Scale(scale), false)
                .unwrap()
                .with_textures(levels);
            (grid.zoom(), grid.pixels(), grid.tiles(), grid.width)
        };

        assert_eq!(
            shown(Scale::Times(16), 4),
            ((21, 1), (-48..1120, 80..256), (-1..3, 0..1), 1168)
        );
        assert_eq!(
            shown(Scale::Times(16), 2),
            ((19, 4), (-12..280, 20..64), (-1..1, 0..1), 1168)
        );

        assert_eq!(
            shown(Scale::Times(2), 4),
            ((18, 1), (-6..140, 10..32), (-1..1, 0..1), 146)
        );
        assert_eq!(shown(Scale::Times(1), 4).0, (17, 1));
        assert_eq!(shown(Scale::Halved(1), 4).0, (16, 1));
    }

    #[test]
    fn oversized_pictures_are_refused_with_their_numbers() {
        let area = |side| Area {
            x0: 0,
            z0: 0,
            x1: side,
            z1: side,
        };

        assert_eq!(
            Grid::new(area(70_000), Size::Scale(Scale::Times(1)), false),
            Err(PictureError::Unsure(70_000, 70_000))
        );
        assert!(Grid::new(area(70_000), Size::Scale(Scale::Times(1)), true).is_ok());
        assert!(Grid::new(area(70_000), Size::Scale(Scale::Halved(1)), false).is_ok());

        let wide = Area {
            x0: i32::MIN,
            z0: 0,
            x1: i32::MAX,
            z1: 1,
        };

        assert_eq!(
            Grid::new(wide, Size::Scale(Scale::Times(1)), true),
            Err(PictureError::TooLarge((1 << 32) - 1, 1))
        );

        assert!(
            Grid::new(wide, Size::Scale(Scale::Halved(3)), true)
                .is_err_and(|error| error.to_string().contains("536870912"))
        );
        assert_eq!(
            Grid::new(area(0), Size::Scale(Scale::Times(1)), true),
            Err(PictureError::Nothing)
        );
    }

    #[test]
    fn a_width_or_a_box_is_met_exactly() {
        let area = Area {
            x0: -3000,
            z0: 16,
            x1: 1000,
            z1: 2016,
        };

        let sides = |size| {
            Grid::new(area, size, false)
                .map(|grid| (grid.width, grid.height, grid.scale))
                .unwrap()
        };

        assert_eq!(sides(Size::Width(1000)), (1000, 500, Scale::Halved(2)));
        assert_eq!(sides(Size::Width(999)), (999, 500, Scale::Halved(2)));
        assert_eq!(sides(Size::Width(1001)), (1001, 501, Scale::Halved(1)));
        assert_eq!(sides(Size::Width(9999)), (9999, 5000, Scale::Halved(0)));
        assert_eq!(sides(Size::Fit(1920, 1080)), (1920, 960, Scale::Halved(1)));
        assert_eq!(sides(Size::Fit(1920, 600)), (1200, 600, Scale::Halved(1)));
        assert_eq!(sides(Size::Width(1)), (1, 1, Scale::Halved(10)));

        let grid = Grid::new(area, Size::Width(3000), false).unwrap();
        assert_eq!(
            (grid.scale_text(), grid.pixels()),
            ("0.7500".to_owned(), (-3000..1000, 16..2016))
        );

        let line = Area {
            x0: 0,
            z0: 0,
            x1: 1,
            z1: 30_000_000,
        };

        assert!(matches!(
            Grid::new(line, Size::Width(300), true),
            Err(PictureError::TooLarge(..))
        ));
    }
}
