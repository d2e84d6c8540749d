//! Decodes published tiles.

use super::canvas::Canvas;
use super::checks::{NotATile, canvas_from_samples, check};
use super::pixel::Pixel;
use super::webp;

/// Converts samples of any depth and palettes to one byte per channel, and adds an alpha channel.
const EIGHT_BITS_AND_ALPHA: png::Transformations =
    png::Transformations::ALPHA.union(png::Transformations::STRIP_16);

/// Decodes a tile of colours. Its first bytes show whether it is PNG or WebP.
///
/// # Errors
/// Fails if the bytes are neither, or if the picture is grey or does not have a tile's size.
pub fn decode(file: &[u8]) -> Result<Canvas, NotATile> {
    if webp::is_webp(file) {
        return webp::decode(file);
    }
    let form = (png::ColorType::Rgba, png::BitDepth::Eight);
    decode_as(file, EIGHT_BITS_AND_ALPHA, form, |[r, g, b, a]| {
        Pixel::new([r, g, b, a])
    })
}

/// Decodes a picture of a tile's size that another program made. Unlike a tile of a map it may be
/// grey, because programs that optimise pictures store them that way.
///
/// # Errors
/// Fails if the bytes are neither PNG nor WebP, or if the picture does not have a tile's size.
pub fn decode_picture(file: &[u8]) -> Result<Canvas, NotATile> {
    // The kind of samples is in the header, which is the first chunk of a PNG.
    if webp::is_webp(file) || !matches!(file.get(25), Some(0 | 4)) {
        return decode(file);
    }
    let form = (png::ColorType::GrayscaleAlpha, png::BitDepth::Eight);
    decode_as(file, EIGHT_BITS_AND_ALPHA, form, |[grey, a]| {
        Pixel::new([grey, grey, grey, a])
    })
}

/// Decodes a PNG whose samples, after `transformations`, are of `form`, with `N` bytes per pixel.
pub(super) fn decode_as<const N: usize>(
    png: &[u8],
    transformations: png::Transformations,
    form: (png::ColorType, png::BitDepth),
    pixel: impl Fn([u8; N]) -> Pixel,
) -> Result<Canvas, NotATile> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(png));
    decoder.set_transformations(transformations);
    let mut reader = decoder.read_info()?;
    check(
        reader.info().size().into(),
        reader.output_color_type() == form,
    )?;

    let mut samples = vec![0; reader.output_buffer_size().unwrap_or_default()];
    reader.next_frame(&mut samples)?;

    Ok(canvas_from_samples(&samples, pixel))
}

impl From<png::DecodingError> for NotATile {
    fn from(error: png::DecodingError) -> Self {
        Self(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::clear_pixels;
    use crate::encode::Encoder;

    fn canvas(pixel: impl Fn(usize) -> Pixel) -> Canvas {
        let mut tile = clear_pixels();
        tile.iter_mut()
            .enumerate()
            .for_each(|(at, to)| *to = pixel(at));
        tile.into()
    }

    /// The file's colour type, after checking that it decodes to the same pixels.
    fn colour_type(tile: &Canvas) -> u8 {
        let mut encoder = Encoder::default();
        let png = encoder.png(tile).to_vec();
        let decoded = decode(&png).unwrap();
        assert!(decoded.pixels() == tile.pixels());
        assert_eq!(
            encoder.png(&decoded),
            png,
            "the same pixels, the same bytes"
        );
        png[25]
    }

    #[test]
    fn a_png_decodes_to_its_original_pixels() {
        let alpha = |at: usize| if at.is_multiple_of(3) { 128 } else { 255 };
        let few =
            |at: usize| Pixel::new([(at % 16) as u8, 7, 9, if at < 9000 { 0 } else { alpha(at) }]);
        assert_eq!(
            colour_type(&canvas(few)),
            3,
            "32 colours and none fit a palette"
        );

        let many = |at: usize| [(at % 251) as u8, (at / 512) as u8, 3];
        assert_eq!(
            colour_type(&canvas(|at| Pixel::from_rgb(many(at)))),
            2,
            "all opaque"
        );

        let hole = |at: usize| {
            if at < 9000 {
                Pixel::CLEAR
            } else {
                Pixel::from_rgb(many(at))
            }
        };

        assert_eq!(
            colour_type(&canvas(hole)),
            2,
            "black stands for what is transparent"
        );

        let black = |at: usize| {
            if at == 9000 {
                Pixel::from_rgb([0; 3])
            } else {
                hole(at)
            }
        };

        assert_eq!(colour_type(&canvas(black)), 6, "black is on it");

        let [r, g, b] = many(7);
        let faint = |at: usize| {
            if at == 7 {
                Pixel::new([r, g, b, 254])
            } else {
                Pixel::from_rgb(many(at))
            }
        };

        assert_eq!(colour_type(&canvas(faint)), 6, "seen through");
    }

    #[test]
    fn few_colours_need_few_bits_per_pixel() {
        let mut encoder = Encoder::default();
        for (colours, bits) in [
            (1, 1),
            (2, 1),
            (3, 2),
            (4, 2),
            (5, 4),
            (16, 4),
            (17, 8),
            (256, 8),
        ] {
            // Every pixel differs from the one before it; mostly equal.
            for step in [1, 100] {
                let tile = canvas(|at| Pixel::from_rgb([(at / step % colours) as u8, 9, 9]));
                assert_eq!(colour_type(&tile), 3);
                assert_eq!(encoder.png(&tile)[24], bits, "{colours} colours");
            }
        }
    }

    #[test]
    fn all_colours_of_a_full_palette_work() {
        assert_eq!(
            colour_type(&canvas(|at| Pixel::from_rgb([(at % 256) as u8, 0, 0]))),
            3
        );
    }

    #[test]
    fn a_grey_picture_of_any_depth_is_read() {
        for (colour, depth, bytes, expected) in [
            (
                png::ColorType::Grayscale,
                png::BitDepth::One,
                512 * 64,
                [255, 255, 255, 255],
            ),
            (
                png::ColorType::Grayscale,
                png::BitDepth::Eight,
                512 * 512,
                [255, 255, 255, 255],
            ),
            (
                png::ColorType::GrayscaleAlpha,
                png::BitDepth::Eight,
                512 * 512 * 2,
                [255, 255, 255, 255],
            ),
            (
                png::ColorType::Grayscale,
                png::BitDepth::Sixteen,
                512 * 512 * 2,
                [255, 255, 255, 255],
            ),
        ] {
            let mut file = Vec::new();
            let mut encoder = png::Encoder::new(&mut file, 512, 512);
            encoder.set_color(colour);
            encoder.set_depth(depth);
            encoder
                .write_header()
                .unwrap()
                .write_image_data(&vec![255; bytes])
                .unwrap();

            assert_eq!(
                decode_picture(&file).unwrap().pixels()[7],
                Pixel::new(expected)
            );
            assert!(decode(&file).is_err(), "no tile of a map is grey");
        }
    }

    #[test]
    fn a_png_cut_short_is_refused() {
        assert!(decode(b"").is_err());
        let png = Encoder::default().png(&Canvas::default()).to_vec();
        for len in (0..png.len()).step_by(7) {
            assert!(decode(&png[..len]).is_err());
        }
    }
}
