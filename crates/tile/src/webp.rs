//! Encodes and decodes lossless WebP. Transparent pixels decode to zeros.

use std::io::{self, Cursor, Write};

use image_webp::{ColorType, EncodingError, WebPDecoder, WebPEncoder};

use super::canvas::Canvas;
use super::checks::{NotATile, canvas_from_samples, check};
use super::pixel::Pixel;
use super::pixel_size::PixelSize;

/// The maximum number of pixels per side that all readers of WebP accept.
pub const WEBP_SIDE_LIMIT: u32 = 16_383;
/// The first bytes of a file of the format.
const START: &[u8] = b"RIFF";

/// Writes a picture of this size, RGBA `[y][x]`. Needs memory for a second copy of `rgba` and for
/// the file.
///
/// # Errors
/// Fails if `out` fails, or if a side has more pixels than the format allows.
pub fn encode(
    rgba: &[u8],
    PixelSize { width, height }: PixelSize,
    out: &mut dyn Write,
) -> io::Result<()> {
    WebPEncoder::new(out)
        .encode(rgba, width, height, ColorType::Rgba8)
        .map_err(|error| match error {
            EncodingError::IoError(error) => error,
            other => io::Error::new(io::ErrorKind::InvalidInput, other),
        })
}

/// Returns whether a file is WebP, by its first bytes.
pub(super) fn is_webp(bytes: &[u8]) -> bool {
    bytes.starts_with(START)
}

/// Decodes a tile of colours.
pub(super) fn decode(bytes: &[u8]) -> Result<Canvas, NotATile> {
    let mut decoder = WebPDecoder::new(Cursor::new(bytes))?;
    check(
        decoder.dimensions().into(),
        decoder.has_alpha() && !decoder.is_lossy(),
    )?;
    let mut samples = vec![0; decoder.output_buffer_size().unwrap_or_default()];
    decoder.read_image(&mut samples)?;
    Ok(canvas_from_samples(&samples, Pixel::new))
}

impl From<image_webp::DecodingError> for NotATile {
    fn from(error: image_webp::DecodingError) -> Self {
        Self(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::clear_pixels;
    use crate::decode::decode as decode_any;
    use crate::encode::Encoder;

    fn canvas(pixel: impl Fn(usize) -> Pixel) -> Canvas {
        let mut tile = clear_pixels();
        tile.iter_mut()
            .enumerate()
            .for_each(|(at, to)| *to = pixel(at));
        tile.into()
    }

    #[test]
    fn a_webp_decodes_to_its_original_pixels() {
        let mut encoder = Encoder::default();

        let random = |at: usize| {
            (at as u32 ^ 0x5bd1)
                .wrapping_mul(0x9e37_79b1)
                .rotate_left(at as u32 % 31)
                .to_le_bytes()
        };

        let alike = |at: usize| {
            [
                (at / 9000) as u8,
                7,
                9,
                if at % 40_000 < 9000 { 0 } else { 255 },
            ]
        };

        for tile in [
            canvas(|_| Pixel::CLEAR),
            canvas(|at| Pixel::new(alike(at))),
            canvas(|at| Pixel::new(random(at))),
        ] {
            let webp = encoder.webp(&tile).to_vec();
            // Read without `Pixel`, which clears the colour of transparent pixels.
            let mut samples = vec![1; tile.pixels().len() * 4];
            WebPDecoder::new(Cursor::new(&webp))
                .unwrap()
                .read_image(&mut samples)
                .unwrap();

            assert!(
                samples
                    .as_chunks()
                    .0
                    .iter()
                    .zip(tile.pixels())
                    .all(|(found, pixel)| *found == pixel.rgba())
            );

            let decoded = decode_any(&webp).unwrap();
            assert!(decoded.pixels() == tile.pixels());
            assert_eq!(
                encoder.webp(&decoded),
                webp,
                "the same pixels, the same bytes"
            );
        }
    }

    #[test]
    fn cut_or_wrongly_sized_files_are_refused() {
        let tile = canvas(|at| Pixel::from_rgb([(at / 100) as u8, (at % 7) as u8, 3]));
        let webp = Encoder::default().webp(&tile).to_vec();
        for len in (0..webp.len()).step_by(97) {
            assert!(decode_any(&webp[..len]).is_err(), "{len}");
        }

        let mut small = Vec::new();
        encode(&[255; 16], (2, 2).into(), &mut small).unwrap();
        assert!(decode_any(&small).is_err_and(|error| error.to_string().contains("2 by 2")));
        assert!(encode(&vec![0; 4 * 16_385], (16_385, 1).into(), &mut small).is_err());
    }
}
