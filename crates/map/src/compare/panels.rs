//! Draws pictures of the differences: before, after, and after with the differences marked.
//!
//! The size of these pictures is limited, so larger areas are drawn from tiles of outer zoom
//! levels.

use std::io::Read as _;
use std::path::Path;

use image::{Rgba, RgbaImage, imageops};

use super::columns::Inside;
use super::difference::Difference;
use super::maps::{Half, canvas, pairs};
use super::picture::{self, PictureFile};
use super::pixels::distance;
use super::request::CompareRequest;
use super::side::{Side, Sides};
use super::trouble::Trouble;
use crate::atlas::FinishedLayer;
use pixelmap_base::coord::{Area, NATIVE_ZOOM, TILE_SIDE};
use pixelmap_base::disk::open_file;
use pixelmap_base::letters::Text;
use pixelmap_tile::{Pixel, Samples};

/// The number of columns that are shown around the differences.
const AROUND: i32 = 16;
/// The number of pixels between two panels.
const GAP: u32 = 8;
/// The height of the line with a panel's name, and of its letters.
const NAME_HEIGHT: u32 = 20;
const LETTERS: usize = 14;
/// The maximum factor by which a small area is enlarged.
const MAX_TIMES: u32 = 8;
const BACKGROUND: Rgba<u8> = Rgba([32, 32, 32, 255]);
/// The colour of the line around changed pixels that may be too small to see.
const OUTLINE: Rgba<u8> = Rgba([255, 224, 64, 255]);

/// The maximum side of a panel in pixels, for a single picture.
pub const LARGE: u32 = 1024;
/// The maximum side of a panel in pixels, for one of several pictures on a page.
pub const MEDIUM: u32 = 512;
/// The maximum side of a panel in pixels, for one of several pictures in a text.
pub const SMALL: u32 = 256;

/// The pixels that a panel shows: every `1 << shrink`-th pixel of `rect` in both directions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cut {
    pub(super) rect: Area,
    pub(super) shrink: u8,
}

impl Cut {
    pub(super) fn new(rect: Area, limit: u32) -> Self {
        let longest = length(rect.x0, rect.x1).max(length(rect.z0, rect.z1));
        let shrink = (0..32)
            .find(|shrink| longest.div_ceil(1 << shrink) <= u64::from(limit))
            .unwrap_or(32);
        Self { rect, shrink }
    }

    pub(super) fn width(&self) -> u32 {
        length(self.rect.x0, self.rect.x1).div_ceil(1 << self.shrink) as u32
    }

    pub(super) fn height(&self) -> u32 {
        length(self.rect.z0, self.rect.z1).div_ceil(1 << self.shrink) as u32
    }

    /// Returns the x and z of the pixel with this index in the panel.
    fn position(&self, at: usize) -> (i32, i32) {
        let width = self.width() as usize;
        (
            self.coordinate(self.rect.x0, at % width),
            self.coordinate(self.rect.z0, at / width),
        )
    }

    /// Returns the index of the pixel that shows the coordinate `at`, along a side that begins at
    /// `from`. It may be outside the panel.
    fn pixel(&self, at: i32, from: i32) -> i64 {
        (i64::from(at) - i64::from(from)) >> self.shrink
    }

    /// Returns the coordinate of the pixel with this index along a side that begins at `from`.
    fn coordinate(&self, from: i32, at: usize) -> i32 {
        (i64::from(from) + ((at as i64) << self.shrink)) as i32
    }

    /// Returns the index and coordinate of each pixel along a side that begins at `from`, if the
    /// coordinate is in `within`.
    fn coordinates(
        &self,
        count: u32,
        from: i32,
        within: std::ops::Range<i32>,
    ) -> impl Iterator<Item = (usize, i32)> {
        let shrink = self.shrink;
        let coordinates = (0..count).map(move |at| {
            (
                at as usize,
                (i64::from(from) + (i64::from(at) << shrink)) as i32,
            )
        });

        coordinates.filter(move |(_, coordinate)| within.contains(coordinate))
    }
}

struct Panel {
    cut: Cut,
    pixels: Vec<Pixel>,
}

impl Panel {
    fn new(cut: Cut) -> Self {
        Self {
            cut,
            pixels: vec![Pixel::CLEAR; cut.width() as usize * cut.height() as usize],
        }
    }

    /// Draws the panel of one side, empty if that side does not have the layer.
    fn from_half(half: &Half<'_>, cut: Cut) -> Result<Self, Trouble> {
        match half {
            Half::Layer(layer) => Self::from_layer(layer, cut),
            Half::Manifest(path) => Err(Trouble::NeedsPixels((*path).to_owned())),
            Half::Nothing => Ok(Self::new(cut)),
        }
    }

    fn from_layer(layer: &FinishedLayer<'_>, cut: Cut) -> Result<Self, Trouble> {
        let mut panel = Self::new(cut);
        let tiles = layer.manifest()?.tiles;

        // Uses the zoom level that matches the size of the panel's pixels, so that only as many
        // tiles are opened as the panel has room for. If the map does not reach that far out, its
        // outermost level has few tiles anyway.
        let outermost = tiles.keys().next().map_or(NATIVE_ZOOM, |tile| tile.zoom);
        let zoom = (NATIVE_ZOOM - cut.shrink.min(NATIVE_ZOOM - 1)).max(outermost);
        for (tile, record) in tiles {
            let whole = tile.area();
            if tile.zoom != zoom || whole.overlap(cut.rect).is_empty() {
                continue;
            }

            let canvas = canvas(*layer, tile, record)?;
            let shrink = NATIVE_ZOOM - zoom;

            for (y, z) in cut.coordinates(cut.height(), cut.rect.z0, whole.z0..whole.z1) {
                let south = (z - whole.z0) as usize >> shrink;
                let row = &canvas.pixels()[south * TILE_SIDE..][..TILE_SIDE];

                for (to, x) in cut.coordinates(cut.width(), cut.rect.x0, whole.x0..whole.x1) {
                    let east = (x - whole.x0) as usize >> shrink;
                    panel.pixels[y * cut.width() as usize + to] = row[east];
                }
            }
        }

        Ok(panel)
    }

    fn from_picture(picture: &PictureFile, cut: Cut) -> Result<Self, Trouble> {
        let mut panel = Self::new(cut);
        let rect = cut.rect;

        let width = cut.width() as usize;
        picture.each_row(rect.z0 as usize..rect.z1 as usize, |y, row| {
            let along = y - rect.z0 as usize;
            if along.is_multiple_of(1 << cut.shrink) {
                let to = &mut panel.pixels[(along >> cut.shrink) * width..][..width];
                let from = row[rect.x0 as usize..rect.x1 as usize]
                    .iter()
                    .step_by(1 << cut.shrink);
                to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
            }
        })?;

        Ok(panel)
    }

    fn image(&self, colour: impl Fn(usize, Pixel) -> [u8; 4]) -> RgbaImage {
        RgbaImage::from_fn(self.cut.width(), self.cut.height(), |x, y| {
            let at = (y * self.cut.width() + x) as usize;
            Rgba(colour(at, self.pixels[at]))
        })
    }
}

/// The colour of a pixel where nothing is drawn. It is visible on white and on dark pages, and does
/// not look like a block.
const NOTHING: [u8; 4] = [64, 60, 68, 255];

/// Returns a visible colour for a pixel. Heights become greys that distinguish the range where
/// players live.
fn colour(samples: Samples, pixel: Pixel) -> [u8; 4] {
    match samples {
        _ if pixel == Pixel::CLEAR => NOTHING,
        Samples::Colours => pixel.rgba(),
        // In the layer `height16`, 2048 is height 0.
        Samples::Numbers => grey(i32::from(pixel.number()) - 2048),
        Samples::Heights => grey(pixel.height() / 256),
    }
}

/// Returns the grey of a height. The 384 heights from -64 to 319 are spread over all greys; heights
/// outside are black or white.
fn grey(y: i32) -> [u8; 4] {
    let grey = ((y + 64).clamp(0, 383) * 255 / 383) as u8;
    [grey, grey, grey, 255]
}

/// The pictures of a layer: before, after, and after with the differences marked.
#[derive(Debug)]
pub struct Panels {
    before: RgbaImage,
    after: RgbaImage,
    marked: RgbaImage,
    limit: u32,
}

/// A part of the differences to show: a layer, or one of its changed tiles.
#[derive(Debug, Clone, Copy)]
pub struct DifferencePart {
    pub layer: usize,
    /// The index of the tile in the layer's changed tiles, or `None` for all of them.
    pub changed: Option<usize>,
}

/// Draws a part of the differences. `limit` is [`LARGE`], [`MEDIUM`] or [`SMALL`].
///
/// # Errors
/// Fails if a tile or picture cannot be read, or if one side is a manifest.
pub fn show_part(
    Sides { a, b }: Sides<'_>,
    request: &CompareRequest,
    difference: &Difference,
    DifferencePart { layer, changed }: DifferencePart,
    limit: u32,
) -> Result<Panels, Trouble> {
    let layer_difference = &difference.layers[layer];
    let rect = match changed {
        None => layer_difference.rect(),
        Some(changed) => layer_difference
            .changed
            .get(changed)
            .map(|changed| changed.rect),
    };

    let rect = rect.unwrap_or(Area {
        x0: 0,
        z0: 0,
        x1: 1,
        z1: 1,
    });

    let around = Area {
        x0: rect.x0.saturating_sub(AROUND),
        z0: rect.z0.saturating_sub(AROUND),
        x1: rect.x1.saturating_add(AROUND),
        z1: rect.z1.saturating_add(AROUND),
    };

    let (before, after, samples, inside) = if let (Side::Picture(a), Side::Picture(b)) = (a, b) {
        let cut = Cut::new(around.overlap(b.full_area()), limit);
        let inside = picture::compared_pixels(a, b, request);
        (
            Panel::from_picture(a, cut)?,
            Panel::from_picture(b, cut)?,
            b.samples,
            inside,
        )
    } else {
        let layers = pairs(a, b, request)?[layer];
        let cut = Cut::new(around, limit);
        let inside = Inside::new(
            request.area.unwrap_or(around),
            request.ignore.iter().copied(),
        );

        (
            Panel::from_half(&layers.a, cut)?,
            Panel::from_half(&layers.b, cut)?,
            layers.samples(),
            inside,
        )
    };

    let mut marked = after.image(|at, pixel| {
        let (x, z) = after.cut.position(at);
        let far = distance(samples, before.pixels[at], pixel);
        let is_compared = inside.as_ref().is_some_and(|inside| inside.contains(x, z));
        if far > request.tolerance && is_compared {
            changed_colour(far)
        } else {
            dim_pixel(colour(samples, pixel))
        }
    });

    if after.cut.shrink > 0 {
        layer_difference
            .changed
            .iter()
            .for_each(|changed| outline(&mut marked, after.cut, changed.rect));
    }

    Ok(Panels {
        before: before.image(|_, pixel| colour(samples, pixel)),
        after: after.image(|_, pixel| colour(samples, pixel)),
        marked,
        limit,
    })
}

impl Panels {
    /// Returns the three pictures side by side with their names, as one PNG.
    pub fn side_by_side(self) -> Vec<u8> {
        encode_png(
            &side_by_side(
                &[
                    (&self.before, "before"),
                    (&self.after, "after"),
                    (&self.marked, "difference"),
                ],
                self.limit,
            ),
            &[],
        )
    }

    /// Returns the three pictures as separate PNG files.
    pub fn into_pngs(self) -> [Vec<u8>; 3] {
        [self.before, self.after, self.marked]
            .map(|image| encode_png(&enlarge(&image, self.limit), &[]))
    }
}

/// Returns a red that is brighter for larger differences.
fn changed_colour(far: u16) -> [u8; 4] {
    [128 + (far.min(254) / 2) as u8, 0, 0, 255]
}

fn dim_pixel([r, g, b, a]: [u8; 4]) -> [u8; 4] {
    let grey = ((u32::from(r) + 2 * u32::from(g) + u32::from(b)) / 8) as u8;
    if [r, g, b, a] == NOTHING {
        NOTHING
    } else {
        [grey, grey, grey, 255]
    }
}

/// Returns the distance between two coordinates.
fn length(from: i32, to: i32) -> u64 {
    (i64::from(to) - i64::from(from)).unsigned_abs()
}

/// Draws a line around a rectangle, two pixels away from it.
fn outline(image: &mut RgbaImage, cut: Cut, rect: Area) {
    let x0 = cut.pixel(rect.x0, cut.rect.x0) - 2;
    let x1 = cut.pixel(rect.x1 - 1, cut.rect.x0) + 2;
    let y0 = cut.pixel(rect.z0, cut.rect.z0) - 2;
    let y1 = cut.pixel(rect.z1 - 1, cut.rect.z0) + 2;

    for x in x0..=x1 {
        outline_dot(image, x, y0);
        outline_dot(image, x, y1);
    }

    for y in y0..=y1 {
        outline_dot(image, x0, y);
        outline_dot(image, x1, y);
    }
}

/// Draws a pixel of an outline, if it is inside the image.
fn outline_dot(image: &mut RgbaImage, x: i64, y: i64) {
    if let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y))
        && let Some(pixel) = image.get_pixel_mut_checked(x, y)
    {
        *pixel = OUTLINE;
    }
}

/// Enlarges a small image so that each pixel becomes a square.
fn enlarge(image: &RgbaImage, limit: u32) -> RgbaImage {
    let (width, height) = image.dimensions();
    let times = (limit / 2 / width.max(height).max(1)).clamp(1, MAX_TIMES);
    imageops::resize(
        image,
        width * times,
        height * times,
        imageops::FilterType::Nearest,
    )
}

/// Puts images of the same size next to each other, each with its name above it.
fn side_by_side(panels: &[(&RgbaImage, &str)], limit: u32) -> RgbaImage {
    let large: Vec<RgbaImage> = panels
        .iter()
        .map(|(image, _)| enlarge(image, limit))
        .collect();
    let (width, height) = large.first().map_or((1, 1), RgbaImage::dimensions);

    let count = panels.len() as u32;
    let mut all = RgbaImage::from_pixel(
        (width + GAP) * count - GAP,
        NAME_HEIGHT + height,
        BACKGROUND,
    );

    for (number, (panel, (_, name))) in (0_u32..).zip(large.iter().zip(panels)) {
        let x = number * (width + GAP);
        imageops::replace(&mut all, panel, i64::from(x), i64::from(NAME_HEIGHT));
        write_name(&mut all, name, x, width);
    }

    all
}

/// Returns the white of a letter over paper. `cover` is the opacity of the letter.
fn lighten(paper: u8, cover: u8) -> u8 {
    paper + ((255 - u32::from(paper)) * u32::from(cover) / 255) as u8
}

fn write_name(image: &mut RgbaImage, name: &str, x0: u32, width: u32) {
    let text = Text::new(name, LETTERS, width as usize);
    for y in 0..text.height {
        for (x, &cover) in text.row(y).iter().enumerate() {
            let x = x0 + x as u32;
            let y = (NAME_HEIGHT - LETTERS as u32) / 2 + y as u32;
            let grey = BACKGROUND.0.map(|paper| lighten(paper, cover));

            image.put_pixel(x, y, Rgba(grey));
        }
    }
}

/// The keyword and the text by which `is_shown` recognises a picture of differences.
const SOFTWARE: (&str, &str) = ("Software", "pixelmap diff");

/// Returns whether a file is a picture of differences from an earlier run, which may be removed.
pub fn is_shown(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = open_file(path).and_then(|file| file.take(256).read_to_end(&mut head));
    let mark = [SOFTWARE.0.as_bytes(), &[0], SOFTWARE.1.as_bytes()].concat();
    read.is_ok() && head.windows(mark.len()).any(|at| at == mark)
}

/// Encodes a picture as PNG, with texts as pairs of keyword and line.
pub(super) fn encode_png(image: &RgbaImage, texts: &[(&str, String)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, image.width(), image.height());
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);

    let software = (SOFTWARE.0, SOFTWARE.1.to_owned());
    for (keyword, text) in std::iter::once(&software).chain(texts) {
        // Cannot fail, because our keywords and texts are short enough and Latin-1.
        let _ = encoder.add_text_chunk((*keyword).to_owned(), text.clone());
    }

    // Cannot fail, because the PNG is written to memory.
    let _ = encoder
        .write_header()
        .and_then(|mut writer| writer.write_image_data(image));

    bytes
}
