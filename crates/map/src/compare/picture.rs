//! Compares two pictures. PNG files are read row by row, because a picture may be larger than the
//! memory.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::ops::Range;
use std::path::{Path, PathBuf};

use image_webp::WebPDecoder;

use super::columns::Inside;
use super::difference::{Change, ChangedImage, DifferenceCounts, LayerDifference, numbers};
use super::pixels::{self, PixelTest, Spots};
use super::request::CompareRequest;
use super::trouble::Trouble;
use pixelmap_base::coord::Area;
use pixelmap_base::disk::open_file;
use pixelmap_tile::{Pixel, PixelSize, Samples};

/// A picture, and the facts stored in it if it is a PNG.
#[derive(Debug)]
pub struct PictureFile {
    path: PathBuf,
    size: PixelSize,
    pub(super) samples: Samples,
    /// The texts with the keywords of `TEXTS`, in that order.
    texts: [Option<String>; 4],
}

/// The keywords of the facts that a render stores in a picture: the dimension, the layer, its
/// columns and its scale.
const TEXTS: [&str; 4] = ["Dimension", "Layer", "Area", "Scale"];

/// The columns that the pixels of a picture show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PictureFrame {
    /// The first column that the picture shows.
    x0: i32,
    z0: i32,
    /// Pixels per block, and blocks per pixel. At least one of them is 1.
    times: i64,
    blocks: i64,
}

impl PictureFrame {
    /// Parses the texts of a picture. Returns `None` if they are invalid.
    fn parse(area: &str, scale: &str) -> Option<Self> {
        let Area { x0, z0, .. } = Area::parse(area)?;

        let (times, blocks) = match scale.split_once('/') {
            None => (scale.parse().ok()?, 1),
            Some((times, blocks)) => (times.parse().ok()?, blocks.parse().ok()?),
        };

        let sound =
            (1..=64).contains(&times) && (1..=64).contains(&blocks) && (times == 1 || blocks == 1);
        sound.then_some(Self {
            x0,
            z0,
            times,
            blocks,
        })
    }

    /// Returns the columns that these pixels show, at least partly.
    pub(super) fn columns(&self, pixels: Area) -> Area {
        Area {
            x0: self.first_column(self.x0, pixels.x0),
            z0: self.first_column(self.z0, pixels.z0),
            x1: self.end_column(self.x0, pixels.x1),
            z1: self.end_column(self.z0, pixels.z1),
        }
    }

    /// Returns the pixels that show any of these columns.
    fn pixels(&self, columns: Area) -> Area {
        Area {
            x0: self.first_pixel(columns.x0, self.x0),
            z0: self.first_pixel(columns.z0, self.z0),
            x1: self.end_pixel(columns.x1, self.x0),
            z1: self.end_pixel(columns.z1, self.z0),
        }
    }

    /// Returns the first column that the pixel `at` shows. The side begins at column `from`.
    fn first_column(&self, from: i32, at: i32) -> i32 {
        let away = (i64::from(at) * self.blocks).div_euclid(self.times);
        clamp_to_i32(i64::from(from) + away)
    }

    /// Returns the end of the columns before the pixel `at`, rounded up.
    fn end_column(&self, from: i32, at: i32) -> i32 {
        let away = -(-i64::from(at) * self.blocks).div_euclid(self.times);
        clamp_to_i32(i64::from(from) + away)
    }

    /// Returns the first pixel that shows the column `at`. The side begins at column `from`.
    fn first_pixel(&self, at: i32, from: i32) -> i32 {
        let away = (i64::from(at) - i64::from(from)) * self.times;
        clamp_to_i32(away.div_euclid(self.blocks))
    }

    /// Returns the end of the pixels before the column `at`, rounded up.
    fn end_pixel(&self, at: i32, from: i32) -> i32 {
        let away = (i64::from(at) - i64::from(from)) * self.times;
        clamp_to_i32(-(-away).div_euclid(self.blocks))
    }
}

/// Limits a coordinate to the range of `i32`.
fn clamp_to_i32(at: i64) -> i32 {
    at.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}

/// The maximum length of the decoded samples of a WebP, because it is decoded as a whole: a fixed
/// number of bytes, plus a number for each byte of the file. Pictures of maps have fewer than a
/// hundred bytes of samples for each byte of the file.
const MAX_SAMPLES: u64 = 64 << 20;
const SAMPLES_PER_BYTE: u64 = 4096;

/// Reads the rows of a picture one after the other.
struct Rows {
    path: PathBuf,
    reader: PictureReader,
    samples: Samples,
    row: Vec<Pixel>,
    size: PixelSize,
    /// The number of rows that are not read yet.
    left: u32,
}

enum PictureReader {
    Png(Box<png::Reader<BufReader<File>>>),
    /// The decoder and all samples. Everything is decoded when the first row is read.
    Webp(Box<WebPDecoder<BufReader<File>>>, Vec<u8>),
}

impl Rows {
    fn open(path: &Path) -> Result<Self, Trouble> {
        let mut file = BufReader::new(open_file(path).map_err(Trouble::io(path))?);
        if file
            .fill_buf()
            .map_err(Trouble::io(path))?
            .starts_with(b"RIFF")
        {
            let decoder = WebPDecoder::new(file)
                .map_err(|error| Trouble::Picture(path.to_owned(), error.to_string()))?;
            let size: PixelSize = decoder.dimensions().into();
            let len = path.metadata().map_err(Trouble::io(path))?.len();
            if decoder.output_buffer_size().unwrap_or_default() as u64
                > MAX_SAMPLES + SAMPLES_PER_BYTE * len
            {
                let reason = format!(
                    "its {len} bytes are too few for {} by {} pixels: save it as PNG, which is \
                     read row by row",
                    size.width, size.height
                );
                return Err(Trouble::Picture(path.to_owned(), reason));
            }

            let reader = PictureReader::Webp(Box::new(decoder), Vec::new());
            return Ok(Self::new(path, reader, Samples::Colours, size));
        }

        let failed =
            |error: png::DecodingError| Trouble::Picture(path.to_owned(), error.to_string());
        let mut options = png::DecodeOptions::default();
        options.set_ignore_adler32(false);

        let mut decoder = png::Decoder::new_with_options(file, options);
        let head = decoder.read_header_info().map_err(failed)?;
        if head.interlaced {
            return Err(Trouble::Picture(
                path.to_owned(),
                "it is interlaced: save it without interlacing".to_owned(),
            ));
        }

        let is_numbers = (head.color_type, head.bit_depth)
            == (png::ColorType::Grayscale, png::BitDepth::Sixteen);
        let samples = if is_numbers {
            Samples::Numbers
        } else {
            Samples::Colours
        };

        if samples == Samples::Colours {
            decoder
                .set_transformations(png::Transformations::ALPHA | png::Transformations::STRIP_16);
        }

        let reader = decoder.read_info().map_err(failed)?;
        let size = reader.info().size().into();
        Ok(Self::new(
            path,
            PictureReader::Png(Box::new(reader)),
            samples,
            size,
        ))
    }

    fn new(path: &Path, reader: PictureReader, samples: Samples, size: PixelSize) -> Self {
        Self {
            path: path.to_owned(),
            reader,
            samples,
            row: Vec::new(),
            size,
            left: size.height,
        }
    }

    fn next(&mut self) -> Result<&[Pixel], Trouble> {
        self.row.clear();

        let read = match &mut self.reader {
            PictureReader::Png(reader) => {
                next_of_png(reader, self.samples, self.left == 1, &mut self.row)
            }
            PictureReader::Webp(decoder, rgba) => {
                next_of_webp(decoder, rgba, self.size, self.left, &mut self.row)
            }
        };

        read.map_err(|error| Trouble::Picture(self.path.clone(), error))?;
        self.left = self.left.saturating_sub(1);

        if self.row.len() == self.size.width as usize {
            Ok(&self.row)
        } else {
            Err(Trouble::Picture(
                self.path.clone(),
                "a row is incomplete".to_owned(),
            ))
        }
    }
}

/// Adds the pixels of the next row of a PNG to `to`.
fn next_of_png(
    reader: &mut png::Reader<BufReader<File>>,
    samples: Samples,
    is_last: bool,
    to: &mut Vec<Pixel>,
) -> Result<(), String> {
    let (form, _) = reader.output_color_type();
    let row = reader.next_row().map_err(|error| error.to_string())?;
    let bytes = row.as_ref().map_or(&[][..], |row| row.data());
    match (samples, form) {
        (Samples::Numbers, _) => {
            to.extend(
                bytes
                    .as_chunks()
                    .0
                    .iter()
                    .map(|bytes| Pixel::from_number(u16::from_be_bytes(*bytes))),
            );
        }
        (_, png::ColorType::GrayscaleAlpha) => {
            to.extend(
                bytes
                    .as_chunks()
                    .0
                    .iter()
                    .map(|&[grey, alpha]| Pixel::new([grey, grey, grey, alpha])),
            );
        }
        _ => to.extend(bytes.as_chunks().0.iter().map(|rgba| Pixel::new(*rgba))),
    }

    if is_last {
        // Reads to the end of the file, because the checksums follow the last row.
        reader.finish().map_err(|error| error.to_string())?;
    }

    Ok(())
}

/// Adds the pixels of the next row of a WebP to `to`: the first of the last `left` rows.
fn next_of_webp(
    decoder: &mut WebPDecoder<BufReader<File>>,
    bytes: &mut Vec<u8>,
    size: PixelSize,
    left: u32,
    to: &mut Vec<Pixel>,
) -> Result<(), String> {
    if bytes.is_empty() {
        bytes.resize(decoder.output_buffer_size().unwrap_or_default(), 0);
        decoder
            .read_image(bytes)
            .map_err(|error| error.to_string())?;
    }

    let channels = if decoder.has_alpha() { 4 } else { 3 };
    let len = size.width as usize * channels;
    let row = (size.height - left) as usize;
    let samples = bytes.get(row * len..(row + 1) * len).unwrap_or_default();

    if decoder.has_alpha() {
        to.extend(samples.as_chunks().0.iter().map(|rgba| Pixel::new(*rgba)));
    } else {
        to.extend(
            samples
                .as_chunks()
                .0
                .iter()
                .map(|rgb| Pixel::from_rgb(*rgb)),
        );
    }

    Ok(())
}

impl PictureFile {
    /// Opens a picture and reads the facts stored in it.
    ///
    /// # Errors
    /// Fails if the picture cannot be read.
    pub(super) fn open(path: &Path) -> Result<Self, Trouble> {
        let rows = Rows::open(path)?;
        let texts = match &rows.reader {
            PictureReader::Png(reader) => &reader.info().uncompressed_latin1_text[..],
            PictureReader::Webp(..) => &[],
        };

        let text = |keyword: &str| {
            let text = texts.iter().find(|text| text.keyword == keyword);
            text.map(|text| text.text.clone())
        };

        Ok(Self {
            path: path.to_owned(),
            size: rows.size,
            samples: rows.samples,
            texts: TEXTS.map(text),
        })
    }

    pub(super) const fn size(&self) -> PixelSize {
        self.size
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn frame(&self) -> Option<PictureFrame> {
        let [_, _, area, scale] = &self.texts;
        PictureFrame::parse(area.as_ref()?, scale.as_ref()?)
    }

    pub(super) fn full_area(&self) -> Area {
        Area {
            x0: 0,
            z0: 0,
            x1: i32::try_from(self.size.width).unwrap_or(i32::MAX),
            z1: i32::try_from(self.size.height).unwrap_or(i32::MAX),
        }
    }

    /// Calls `row` with each of the rows `ys`.
    pub(super) fn each_row(
        &self,
        ys: Range<usize>,
        mut row: impl FnMut(usize, &[Pixel]),
    ) -> Result<(), Trouble> {
        let mut rows = Rows::open(&self.path)?;
        for y in 0..ys.end {
            let pixels = rows.next()?;
            if y >= ys.start {
                row(y, pixels);
            }
        }

        Ok(())
    }
}

/// Fails unless two pictures show the same columns in the same way.
fn check_alike(a: &PictureFile, b: &PictureFile) -> Result<(), Trouble> {
    let [size_a, size_b] =
        [a.size, b.size].map(|PixelSize { width, height }| format!("{width} by {height}"));
    check_equal("sizes", size_a, size_b)?;

    let [kind_a, kind_b] = [a, b].map(|picture| format!("{:?}", picture.samples).to_lowercase());
    check_equal("kinds of pixels", kind_a, kind_b)?;

    let names = ["dimensions", "layers", "areas", "scales"];
    for (name, texts) in names.into_iter().zip(a.texts.iter().zip(&b.texts)) {
        // Compares only facts that both pictures have, because a program that saved a picture again
        // may have dropped them.
        if let (Some(a), Some(b)) = texts {
            check_equal(name, a.clone(), b.clone())?;
        }
    }

    Ok(())
}

/// Fails with the name of a fact if it differs.
fn check_equal(fact: &'static str, a: String, b: String) -> Result<(), Trouble> {
    if a == b {
        Ok(())
    } else {
        Err(Trouble::Differ(fact, a, b))
    }
}

/// Returns the pixels of two pictures that are compared, or `None` if there are none.
pub(super) fn compared_pixels(
    a: &PictureFile,
    b: &PictureFile,
    request: &CompareRequest,
) -> Option<Inside> {
    let frame = b.frame().or_else(|| a.frame());
    let pixels = |area: Area| frame.map_or(area, |frame| frame.pixels(area));
    let rect = request
        .area
        .map_or(b.full_area(), |area| pixels(area).overlap(b.full_area()));
    Inside::new(rect, request.ignore.iter().copied().map(pixels))
}

/// Calls `row` for each compared range of pixels, with the number of its row, the range, and the
/// row in both pictures.
pub(super) fn each_row(
    a: &PictureFile,
    b: &PictureFile,
    inside: &Inside,
    mut row: impl FnMut(usize, Range<usize>, [&[Pixel]; 2]),
) -> Result<(), Trouble> {
    let mut rows_a = Rows::open(&a.path)?;
    let mut rows_b = Rows::open(&b.path)?;
    for y in 0..inside.rect.z1 {
        let rows = [rows_a.next()?, rows_b.next()?];
        if y >= inside.rect.z0 {
            inside.runs(y, |xs| row(y as usize, xs, rows));
        }
    }

    Ok(())
}

/// Finds the differences between two pictures.
pub(super) fn differences(
    a: &PictureFile,
    b: &PictureFile,
    request: &CompareRequest,
) -> Result<LayerDifference, Trouble> {
    check_alike(a, b)?;
    let test = PixelTest {
        samples: b.samples,
        tolerance: request.tolerance,
    };

    let mut spots = Spots::default();
    let mut drawn = 0;
    if let Some(inside) = compared_pixels(a, b, request) {
        each_row(a, b, &inside, |y, xs, rows| {
            drawn += pixels::count_drawn(xs.clone(), rows);
            test.row(&mut spots, y, xs, rows, |_| {});
        })?;
    }

    let differs = spots.count > 0;
    let frame = b.frame().or_else(|| a.frame());
    let columns = frame.map_or(spots.rect, |frame| frame.columns(spots.rect));

    let changed = ChangedImage {
        tile: None,
        change: Change::Changed,
        bounds: numbers(columns),
        pixels: Some(spots.count),
        largest: Some(spots.largest),
        rect: spots.rect,
        pair: None,
    };

    let text = |index: usize| b.texts[index].clone().or_else(|| a.texts[index].clone());

    Ok(LayerDifference {
        dimension: text(0),
        layer: text(1),
        change: differs.then_some(Change::Changed),
        tiles: DifferenceCounts {
            same: u64::from(!differs),
            changed: u64::from(differs),
            ..DifferenceCounts::default()
        },
        pixels_changed: Some(spots.count),
        pixels_drawn: Some(drawn),
        percent: None,
        bounds: differs.then(|| numbers(columns)),
        changed: if differs { vec![changed] } else { Vec::new() },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn webp_too_short_for_its_size_is_refused() {
        let mut webp = Vec::new();
        pixelmap_tile::encode_webp(&[255; 16], (2, 2).into(), &mut webp).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.webp");
        std::fs::write(&path, &webp).unwrap();
        assert!(Rows::open(&path).is_ok());

        // Bytes 21 to 24 contain width - 1 and height - 1 with 14 bits each, after the signature of
        // the only chunk.
        assert_eq!(&webp[12..16], b"VP8L");
        webp[21..25].copy_from_slice(&(0x3ffe_u32 | 0x3ffe << 14 | 1 << 28).to_le_bytes());
        std::fs::write(&path, &webp).unwrap();
        let Err(refused) = Rows::open(&path) else {
            panic!("it was opened")
        };

        assert!(
            refused
                .to_string()
                .contains("too few for 16383 by 16383 pixels"),
            "{refused}"
        );
    }

    #[test]
    fn frames_convert_pixels_to_blocks_and_back() {
        let pixels = Area {
            x0: 3,
            z0: 4,
            x1: 5,
            z1: 9,
        };

        let frame = PictureFrame::parse("-512,0,512,512", "1/8").unwrap();
        assert_eq!(
            frame.columns(pixels),
            Area {
                x0: -488,
                z0: 32,
                x1: -472,
                z1: 72
            }
        );

        assert_eq!(frame.pixels(frame.columns(pixels)), pixels);
        assert_eq!(
            frame.pixels(Area {
                x0: -487,
                z0: 33,
                x1: -473,
                z1: 65
            }),
            pixels
        );

        let frame = PictureFrame::parse("-10,20,10,40", "4").unwrap();
        assert_eq!(
            frame.columns(pixels),
            Area {
                x0: -10,
                z0: 21,
                x1: -8,
                z1: 23
            }
        );

        assert_eq!(
            frame.pixels(Area {
                x0: -9,
                z0: 21,
                x1: -8,
                z1: 22
            }),
            Area {
                x0: 4,
                z0: 4,
                x1: 8,
                z1: 8
            }
        );

        for (area, scale) in [
            ("1,2,3", "1"),
            ("1,2,3,4", "2/3"),
            ("1,2,3,4", "0"),
            ("1,2,3,4", "1/0"),
            ("", ""),
        ] {
            assert_eq!(PictureFrame::parse(area, scale), None, "{area} {scale}");
        }
    }
}
