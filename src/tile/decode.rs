//! A published tile back to pixels.

use std::fmt;

use super::{Pixel, Pixels, blank};
use crate::coord::TILE_SIDE;

/// Why a file is no tile.
#[derive(Debug)]
pub struct NotATile(String);

impl fmt::Display for NotATile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a tile of this map: {}", self.0)
    }
}

impl std::error::Error for NotATile {}

/// Decodes a tile in PNG.
///
/// # Errors
/// The bytes are no PNG, or not one of a tile's size.
pub fn decode(png: &[u8]) -> Result<Pixels, NotATile> {
    let damaged = |error: png::DecodingError| NotATile(error.to_string());
    let mut decoder = png::Decoder::new(std::io::Cursor::new(png));
    decoder.set_transformations(png::Transformations::ALPHA | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().map_err(damaged)?;
    let (width, height) = reader.info().size();
    if (width, height) != (TILE_SIDE as u32, TILE_SIDE as u32) {
        return Err(NotATile(format!("it is {width} by {height} pixels")));
    }
    let mut samples = vec![0; reader.output_buffer_size().unwrap_or_default()];
    let frame = reader.next_frame(&mut samples).map_err(damaged)?;
    if frame.color_type != png::ColorType::Rgba {
        return Err(NotATile("it is grey".to_owned()));
    }
    let mut pixels = blank();
    for (pixel, rgba) in pixels.iter_mut().zip(samples.chunks_exact(4)) {
        *pixel = Pixel::new([rgba[0], rgba[1], rgba[2], rgba[3]]);
    }
    Ok(pixels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tile::Encoder;

    #[test]
    fn what_is_encoded_decodes_to_the_same_pixels() {
        let mut tile = blank();
        for (at, pixel) in tile.iter_mut().enumerate().skip(1000) {
            *pixel = Pixel::new([(at % 16) as u8, 7, 9, if at % 3 == 0 { 128 } else { 255 }]);
        }
        let mut encoder = Encoder::default();
        let few = encoder.png(&tile).to_vec();
        assert_eq!(few[25], 3, "32 colours and none fit a palette");
        assert!(decode(&few).unwrap() == tile);
        for (at, pixel) in tile.iter_mut().enumerate() {
            *pixel = Pixel::opaque([(at % 251) as u8, (at / 512) as u8, 3]);
        }
        let many = encoder.png(&tile).to_vec();
        assert_eq!(many[25], 6, "more than 256 colours");
        assert!(decode(&many).unwrap() == tile);
        assert_eq!(encoder.png(&decode(&few).unwrap()), few, "the same pixels, the same bytes");
    }

    #[test]
    fn a_full_palette_is_used_to_its_last_colour() {
        let mut tile = blank();
        for (at, pixel) in tile.iter_mut().enumerate() {
            *pixel = Pixel::opaque([(at % 256) as u8, 0, 0]);
        }
        let png = Encoder::default().png(&tile).to_vec();
        assert_eq!(png[25], 3);
        assert!(decode(&png).unwrap() == tile);
    }

    #[test]
    fn what_is_no_tile_is_refused() {
        assert!(decode(b"").is_err());
        let png = Encoder::default().png(&blank()).to_vec();
        for len in (0..png.len()).step_by(7) {
            assert!(decode(&png[..len]).is_err());
        }
    }
}
