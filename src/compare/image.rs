//! A picture in memory, to look at: put together of others, enlarged, and written as PNG.

use std::io::Read as _;
use std::path::Path;

use crate::base::disk::open_file;

/// A colour: red, green, blue, and how opaque.
pub(super) type Rgba = [u8; 4];

/// The keyword and the text by which a picture of differences is known again.
const SOFTWARE: (&str, &str) = ("Software", "pixelmap diff");

#[derive(Debug)]
pub(super) struct Image {
    pub(super) width: u32,
    pub(super) height: u32,
    /// `[y][x]`.
    pixels: Vec<Rgba>,
}

impl Image {
    /// Makes an image of the colour at each x and y.
    pub(super) fn new(width: u32, height: u32, colour: impl Fn(u32, u32) -> Rgba) -> Self {
        let colour = &colour;
        let pixels = (0..height).flat_map(|y| (0..width).map(move |x| colour(x, y))).collect();
        Self { width, height, pixels }
    }

    /// The pixel at x and y; `None`: it lies outside.
    pub(super) fn pixel_mut(&mut self, x: u32, y: u32) -> Option<&mut Rgba> {
        let at = y as usize * self.width as usize + x as usize;
        self.pixels.get_mut(at).filter(|_| x < self.width)
    }

    /// The image with each pixel as a square of `times` pixels.
    pub(super) fn enlarged(&self, times: u32) -> Self {
        let width = self.width as usize;
        Self::new(self.width * times, self.height * times, |x, y| {
            self.pixels[(y / times) as usize * width + (x / times) as usize]
        })
    }

    /// Puts another image into this one, its first pixel at x and y. It has room there.
    pub(super) fn put(&mut self, other: &Self, x: u32, y: u32) {
        let (width, start) = (self.width as usize, y as usize * self.width as usize + x as usize);
        let rows = self.pixels[start..].chunks_mut(width).zip(other.pixels.chunks(other.width as usize));
        rows.for_each(|(to, from)| to[..from.len()].copy_from_slice(from));
    }

    /// The image as PNG, with texts of a keyword and a line.
    pub(super) fn png(&self, texts: &[(&str, String)]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width, self.height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        let software = (SOFTWARE.0, SOFTWARE.1.to_owned());
        for (keyword, text) in std::iter::once(&software).chain(texts) {
            // This program's keywords and texts are short enough and Latin-1.
            let _ = encoder.add_text_chunk((*keyword).to_owned(), text.clone());
        }
        // Writing into memory does not fail.
        let _ = encoder.write_header().and_then(|mut writer| writer.write_image_data(self.pixels.as_flattened()));
        bytes
    }
}

/// Returns whether a file is a picture of differences, which may be removed.
pub fn is_shown(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = open_file(path).and_then(|file| file.take(256).read_to_end(&mut head));
    let mark = [SOFTWARE.0.as_bytes(), &[0], SOFTWARE.1.as_bytes()].concat();
    read.is_ok() && head.windows(mark.len()).any(|at| at == mark)
}
