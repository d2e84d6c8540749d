//! Decodes textures: turns a PNG, or a TGA of Bedrock Edition, into the pixels of its first frame.

use std::io::Cursor;

use image::ImageDecoder as _;
use image::codecs::tga::TgaDecoder;

/// The widest texture that is read. It is twice as wide as the finest of common packs.
const MAX_WIDTH: u32 = 1024;

/// The highest texture that is read: 64 frames of the widest one.
const MAX_HEIGHT: u32 = 1 << 16;

/// The limit, in bytes, of a texture's pixels, and of the memory that the decoder may use in
/// addition to them.
const MAX_BYTES: usize = 64 << 20;

/// The pixels of one texture, `[y][x]`, in straight RGBA.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Texture {
    width: u32,
    height: u32,
    pixels: Vec<[u8; 4]>,
}

impl Texture {
    /// Decodes a PNG of any colour type.
    ///
    /// # Errors
    /// Fails with a sentence if the bytes are damaged or the picture is too large.
    pub(super) fn from_png(bytes: &[u8]) -> Result<Self, String> {
        let limits = png::Limits { bytes: MAX_BYTES };
        let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
        decoder.set_transformations(
            png::Transformations::normalize_to_color8() | png::Transformations::ALPHA,
        );

        let mut reader = decoder.read_info().map_err(|error| error.to_string())?;
        let width = reader.info().width;
        let height = reader.info().height;
        let size = reader
            .output_buffer_size()
            .filter(|size| *size <= MAX_BYTES);

        let fits = width <= MAX_WIDTH && height <= MAX_HEIGHT;
        let (true, Some(size)) = (fits, size) else {
            return Err(format!(
                "{width} x {height} pixels are more than the texture of a block may have"
            ));
        };

        let mut buffer = vec![0; size];
        let info = reader
            .next_frame(&mut buffer)
            .map_err(|error| error.to_string())?;
        let pixels = match info.color_type {
            png::ColorType::Rgba => buffer
                .chunks_exact(4)
                .map(|p| [p[0], p[1], p[2], p[3]])
                .collect(),
            png::ColorType::GrayscaleAlpha => buffer
                .chunks_exact(2)
                .map(|p| [p[0], p[0], p[0], p[1]])
                .collect(),
            other => return Err(format!("the colour type {other:?} was not expanded")),
        };

        Ok(Self {
            width,
            height,
            pixels,
        })
    }

    /// Decodes a TGA of any colour type.
    ///
    /// # Errors
    /// Fails as [`Texture::from_png`] does.
    pub(super) fn from_tga(bytes: &[u8]) -> Result<Self, String> {
        let decoder = TgaDecoder::new(Cursor::new(bytes)).map_err(|error| error.to_string())?;
        let (width, height) = decoder.dimensions();
        if width > MAX_WIDTH || height > MAX_HEIGHT || decoder.total_bytes() > MAX_BYTES as u64 {
            return Err(format!(
                "{width} x {height} pixels are more than the texture of a block may have"
            ));
        }

        let picture =
            image::DynamicImage::from_decoder(decoder).map_err(|error| error.to_string())?;
        Ok(Self {
            width,
            height,
            pixels: picture.to_rgba8().pixels().map(|pixel| pixel.0).collect(),
        })
    }

    /// Returns the first frame. Animated textures are strips of square frames, one below the other.
    pub(super) fn first_frame(mut self) -> Self {
        if self.height > self.width && self.width > 0 && self.height.is_multiple_of(self.width) {
            self.height = self.width;
            self.pixels.truncate((self.width * self.width) as usize);
        }
        self
    }

    /// Halves the texture until it is at most `most` pixels wide. Pixels are averaged, weighted by
    /// alpha. A texture with an odd side is not halved.
    pub(crate) fn reduced(mut self, most: u32) -> Self {
        while self.width > most && self.width.is_multiple_of(2) && self.height.is_multiple_of(2) {
            let (width, height) = (self.width / 2, self.height / 2);
            let mut pixels = Vec::with_capacity((width * height) as usize);

            for y in 0..height {
                for x in 0..width {
                    let corners = [(0, 0), (1, 0), (0, 1), (1, 1)];
                    pixels.push(mean(corners.map(|(east, south)| {
                        self.pixel(2 * x + east, 2 * y + south).unwrap_or_default()
                    })));
                }
            }

            self = Self {
                width,
                height,
                pixels,
            };
        }

        self
    }

    pub(crate) fn width(&self) -> u32 {
        self.width
    }

    /// Returns the pixel at a share of the width and of the height. Shares outside 0..1 return the
    /// edge.
    pub(crate) fn at(&self, u: f32, v: f32) -> [u8; 4] {
        let row = pixel_at_share(v, self.height);
        let column = pixel_at_share(u, self.width);
        let index = row * self.width + column;
        self.pixels.get(index as usize).copied().unwrap_or_default()
    }

    /// Returns the bytes of memory that the pixels need.
    pub(crate) const fn bytes(&self) -> usize {
        self.pixels.len() * 4
    }

    /// Returns all pixels.
    pub(super) fn pixels(&self) -> impl Iterator<Item = [u8; 4]> {
        self.pixels.iter().copied()
    }

    /// Returns the pixel in column `x` of row `y`, or `None` if it is outside.
    pub(super) fn pixel(&self, x: u32, y: u32) -> Option<[u8; 4]> {
        if x < self.width {
            self.pixels.get((y * self.width + x) as usize).copied()
        } else {
            None
        }
    }
}

/// Returns the index of the pixel at a share of a side.
fn pixel_at_share(share: f32, side: u32) -> u32 {
    ((share * side as f32).floor().max(0.0) as u32).min(side.saturating_sub(1))
}

/// Returns the mean of four pixels, weighted by alpha.
fn mean(pixels: [[u8; 4]; 4]) -> [u8; 4] {
    let alphas: u32 = pixels.iter().map(|pixel| u32::from(pixel[3])).sum();
    if alphas == 0 {
        return [0; 4];
    }

    let channel = |c: usize| -> u8 {
        let sum: u32 = pixels
            .iter()
            .map(|pixel| u32::from(pixel[c]) * u32::from(pixel[3]))
            .sum();
        ((sum + alphas / 2) / alphas) as u8
    };

    [channel(0), channel(1), channel(2), ((alphas + 2) / 4) as u8]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fine_textures_are_reduced_by_alpha_weighted_means() {
        let pixel = |at: u32| {
            if at.is_multiple_of(2) {
                [10 * at as u8, 100, 0, 255]
            } else {
                [255, 255, 255, 0]
            }
        };

        let texture = Texture {
            width: 4,
            height: 2,
            pixels: (0..8).map(pixel).collect(),
        };

        let reduced = texture.clone().reduced(2);
        assert_eq!(
            reduced,
            Texture {
                width: 2,
                height: 1,
                pixels: vec![[20, 100, 0, 128], [40, 100, 0, 128]]
            }
        );

        assert_eq!(texture.clone().reduced(4), texture);
        assert_eq!(
            reduced.clone().reduced(1),
            reduced,
            "an odd height is not halved"
        );
    }
}
