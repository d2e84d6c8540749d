//! Encodes a picture in strips. Strips are rows of pixels that workers deflate independently, and
//! that the caller then joins to one stream (RFC 1950). The bytes of the picture depend on where it
//! is cut, but not on the workers.

use flate2::{Compress, Compression, FlushCompress};

use super::pixel::Pixel;
use super::pixel_size::PixelSize;
use super::png::{begin_chunk, end_chunk, png_end, png_start};

/// The level of deflate. Measured on tiles of four worlds, it makes 0.93 of the bytes of level 2 in
/// half the time. Higher levels take twice as long and save a tenth of the bytes.
const LEVEL: u32 = 4;
/// The largest prime below 2^16 (RFC 1950).
const ADLER_BASE: u32 = 65_521;
/// The number of bytes that can be added before the sums exceed 32 bits (from the sample code of
/// RFC 1950).
const ADLER_RUN: usize = 5552;

/// The first bytes of a stream of RFC 1950.
const STREAM_START: [u8; 2] = [0x78, 0x01];

#[derive(Debug)]
pub struct Strip {
    /// Either a chunk of PNG, or plain pixels, RGBA `[y][x]`. The chunk contains blocks of deflate
    /// up to a full flush, but no last block. So it ends on a byte boundary, and the next strip
    /// never refers to its bytes.
    pub bytes: Vec<u8>,
    /// The checksum of the bytes before they were deflated.
    pub adler: Adler,
}

/// The Adler-32 checksum of a part of a stream, with the length of the part, so that checksums can
/// be joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Adler {
    sum: u32,
    len: u64,
}

impl Default for Adler {
    /// Returns the checksum of an empty part.
    fn default() -> Self {
        Self { sum: 1, len: 0 }
    }
}

impl Adler {
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let mut a = 1_u32;
        let mut b = 0_u32;
        for run in bytes.chunks(ADLER_RUN) {
            for &byte in run {
                a += u32::from(byte);
                b += a;
            }
            a %= ADLER_BASE;
            b %= ADLER_BASE;
        }

        Self {
            sum: b << 16 | a,
            len: bytes.len() as u64,
        }
    }

    /// Returns the checksum of this part followed by `next`.
    #[must_use]
    pub fn followed_by(self, next: Self) -> Self {
        let base = u64::from(ADLER_BASE);
        let a = u64::from(self.sum & 0xffff);
        let b = u64::from(self.sum >> 16);
        let next_a = u64::from(next.sum & 0xffff);
        let next_b = u64::from(next.sum >> 16);

        // Both first sums begin with a 1, but it counts only once. The second sum adds the first
        // one again for every following byte.
        let sum_a = (a + next_a + base - 1) % base;
        let sum_b = (b + next_b + next.len % base * (a + base - 1)) % base;
        Self {
            sum: (sum_b << 16 | sum_a) as u32,
            len: self.len + next.len,
        }
    }

    /// Returns the number that ends a stream.
    pub const fn sum(self) -> u32 {
        self.sum
    }
}

/// One worker's buffers for strips.
#[derive(Debug)]
pub struct StripEncoder {
    /// `None` if strips are plain pixels.
    compress: Option<Compress>,
    raw: Vec<u8>,
    is_first: bool,
}

impl StripEncoder {
    /// Makes an encoder whose strips are chunks of PNG.
    pub fn png() -> Self {
        Self {
            compress: Some(Compress::new(Compression::new(LEVEL), false)),
            raw: Vec::new(),
            is_first: false,
        }
    }

    /// Makes an encoder whose strips are plain pixels.
    pub fn new_uncompressed() -> Self {
        Self {
            compress: None,
            raw: Vec::new(),
            is_first: false,
        }
    }

    /// Begins a strip. `is_first` means that it is the first strip of the picture.
    pub fn start(&mut self, is_first: bool) {
        if let Some(compress) = &mut self.compress {
            compress.reset();
        }
        self.raw.clear();
        self.is_first = is_first;
    }

    /// Adds a row of pixels. In a PNG, the byte for "no filter" precedes it.
    pub fn row(&mut self, pixels: &[Pixel]) {
        self.raw.extend(self.compress.is_some().then_some(0));
        self.raw
            .extend(pixels.iter().flat_map(|pixel| pixel.rgba()));
    }

    pub fn end(&mut self) -> Strip {
        let Self {
            compress: Some(compress),
            raw,
            is_first,
        } = self
        else {
            return Strip {
                bytes: std::mem::take(&mut self.raw),
                adler: Adler::default(),
            };
        };

        let mut bytes = Vec::with_capacity(raw.len() / 16 + 1024);
        let start = begin_chunk(&mut bytes, *b"IDAT");

        if *is_first {
            bytes.extend(STREAM_START);
        }

        loop {
            let read = compress.total_in() as usize;
            // It never fails, because the stream was not ended before.
            let _ = compress.compress_vec(&raw[read..], &mut bytes, FlushCompress::Full);
            // The flush is complete only if the buffer is not full.
            if compress.total_in() as usize == raw.len() && bytes.len() < bytes.capacity() {
                break;
            }
            bytes.reserve(bytes.capacity().max(4096));
        }

        end_chunk(&mut bytes, start);

        Strip {
            bytes,
            adler: Adler::from_bytes(raw),
        }
    }
}

/// Encodes pixels `[y][x]` as a whole PNG of this width.
pub fn rgba_png(width: usize, pixels: &[Pixel]) -> Vec<u8> {
    let mut encoder = StripEncoder::png();
    encoder.start(true);
    pixels.chunks_exact(width).for_each(|row| encoder.row(row));
    let strip = encoder.end();
    let size = PixelSize {
        width: width as u32,
        height: (pixels.len() / width) as u32,
    };

    [
        png_start(size, &[]),
        strip.bytes,
        png_end(strip.adler.sum()),
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise_bytes(len: usize, mut seed: u32) -> Vec<u8> {
        let next = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 24) as u8
        };
        std::iter::repeat_with(next).take(len).collect()
    }

    #[test]
    fn checksums_of_parts_join_to_the_whole() {
        // Known from RFC 1950's own example of the sums.
        assert_eq!(Adler::from_bytes(b"Wikipedia").sum(), 0x11e6_0398);
        let mut bytes = noise_bytes(20_000, 1);
        bytes.resize(90_000, 255);
        for cut in [0, 1, 5551, 5552, 65_521, 89_999, 90_000] {
            let (left, right) = bytes.split_at(cut);
            assert_eq!(
                Adler::from_bytes(left).followed_by(Adler::from_bytes(right)),
                Adler::from_bytes(&bytes),
                "cut at {cut}"
            );
        }
    }

    #[test]
    fn joined_strips_make_one_picture() {
        let mut encoder = StripEncoder::png();
        let (mut plain, mut all) = (StripEncoder::new_uncompressed(), Vec::new());
        let mut png = png_start(
            (40, 68).into(),
            &[("Area", "0,0,40,\u{e9}\u{142}".to_owned())],
        );
        let (mut rgba, mut adler) = (Vec::new(), Adler::default());

        // The second does not shrink and needs more room than was guessed.
        for (rows, seed) in [(3, 0), (64, 7), (1, 3)] {
            encoder.start(rgba.is_empty());
            plain.start(rgba.is_empty());

            for row in 0..rows {
                let bytes = if seed == 0 {
                    vec![9; 160]
                } else {
                    noise_bytes(160, seed + row)
                };

                let pixels = bytes
                    .as_chunks()
                    .0
                    .iter()
                    .map(|&rgba| Pixel::new(rgba))
                    .collect::<Vec<_>>();

                for encoder in [&mut encoder, &mut plain] {
                    encoder.row(&pixels);
                }

                // One that is transparent has no colour.
                rgba.extend(pixels.iter().flat_map(|pixel| pixel.rgba()));
            }

            let strip = encoder.end();
            png.extend(&strip.bytes);
            adler = adler.followed_by(strip.adler);
            all.extend(plain.end().bytes);
        }

        png.extend(png_end(adler.sum()));
        let mut reader = png::Decoder::new(std::io::Cursor::new(png))
            .read_info()
            .unwrap();
        assert_eq!(
            reader.info().uncompressed_latin1_text[0].text,
            "0,0,40,\u{e9}?"
        );

        let mut back = vec![0; rgba.len()];
        reader.next_frame(&mut back).unwrap();
        reader.finish().unwrap();
        assert!(back == rgba && all == rgba);
    }
}
