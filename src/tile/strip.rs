//! A picture in strips: rows of pixels deflated apart from all others, so that any worker can take any strip, and joined
//! to one stream (RFC 1950) all the same. How a picture is cut decides its bytes; who deflates what does not.

use flate2::{Compress, Compression, FlushCompress};

use super::Pixel;

/// Measured on tiles of four worlds: 0.93 of the bytes of level 1's next and half its time; higher levels take twice as
/// long for a tenth less.
const LEVEL: u32 = 4;
/// The largest prime below 2^16 (RFC 1950).
const ADLER_BASE: u32 = 65_521;
/// So many bytes can be summed up before the sums leave 32 bits (RFC 1950's sample code).
const ADLER_RUN: usize = 5552;

/// A strip of a picture, deflated up to a full flush: it ends on a byte, and what follows does not look back.
#[derive(Debug)]
pub struct Strip {
    /// Blocks of deflate, none of them the last one.
    pub deflated: Vec<u8>,
    /// The checksum of what was deflated.
    pub adler: Adler,
}

/// The checksum of a stream, and of how many bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Adler {
    sum: u32,
    len: u64,
}

impl Default for Adler {
    /// Of no bytes.
    fn default() -> Self {
        Self { sum: 1, len: 0 }
    }
}

impl Adler {
    /// Of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let (mut a, mut b) = (1_u32, 0_u32);
        for run in bytes.chunks(ADLER_RUN) {
            for &byte in run {
                a += u32::from(byte);
                b += a;
            }
            a %= ADLER_BASE;
            b %= ADLER_BASE;
        }
        Self { sum: b << 16 | a, len: bytes.len() as u64 }
    }

    /// Of these bytes and those after them.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        let base = u64::from(ADLER_BASE);
        let (a, b) = (u64::from(self.sum & 0xffff), u64::from(self.sum >> 16));
        let (next_a, next_b) = (u64::from(next.sum & 0xffff), u64::from(next.sum >> 16));
        // Each sum begins with a 1 that counts once; the first sum stands in the second once for every byte that follows.
        let sum_a = (a + next_a + base - 1) % base;
        let sum_b = (b + next_b + next.len % base * (a + base - 1)) % base;
        Self { sum: (sum_b << 16 | sum_a) as u32, len: self.len + next.len }
    }

    /// The sum as it stands at the end of a stream.
    pub const fn sum(self) -> u32 {
        self.sum
    }
}

/// One worker's buffers for strips.
#[derive(Debug)]
pub struct StripEncoder {
    compress: Compress,
    raw: Vec<u8>,
}

impl Default for StripEncoder {
    fn default() -> Self {
        Self { compress: Compress::new(Compression::new(LEVEL), false), raw: Vec::new() }
    }
}

impl StripEncoder {
    /// Begins a strip.
    pub fn start(&mut self) {
        self.compress.reset();
        self.raw.clear();
    }

    /// Begins a row, which has no filter.
    pub fn row(&mut self) {
        self.raw.push(0);
    }

    /// Adds pixels to the row, each `times` times.
    pub fn pixels(&mut self, pixels: &[Pixel], times: usize) {
        if times == 1 {
            self.raw.extend(pixels.iter().flat_map(|pixel| pixel.rgba()));
            return;
        }
        for pixel in pixels {
            for _ in 0..times {
                self.raw.extend_from_slice(&pixel.rgba());
            }
        }
    }

    /// Adds so many transparent pixels to the row.
    pub fn blank(&mut self, pixels: usize) {
        self.raw.resize(self.raw.len() + pixels * 4, 0);
    }

    /// Adds a row equal to the last one, which is so many pixels wide.
    pub fn again(&mut self, width: usize) {
        let start = self.raw.len() - (1 + width * 4);
        self.raw.extend_from_within(start..);
    }

    /// The strip.
    pub fn end(&mut self) -> Strip {
        let mut deflated = Vec::with_capacity(self.raw.len() / 16 + 1024);
        loop {
            let read = self.compress.total_in() as usize;
            // It never fails: the stream was not ended before.
            let _ = self.compress.compress_vec(&self.raw[read..], &mut deflated, FlushCompress::Full);
            // Room that is left says that the flush is complete.
            if self.compress.total_in() as usize == self.raw.len() && deflated.len() < deflated.capacity() {
                break;
            }
            deflated.reserve(deflated.capacity().max(4096));
        }
        Strip { deflated, adler: Adler::of(&self.raw) }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    fn noise(len: usize, mut seed: u32) -> Vec<u8> {
        let next = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 24) as u8
        };
        std::iter::repeat_with(next).take(len).collect()
    }

    #[test]
    fn checksums_of_parts_join_to_that_of_the_whole() {
        // Known from RFC 1950's own example of the sums.
        assert_eq!(Adler::of(b"Wikipedia").sum(), 0x11e6_0398);
        let mut bytes = noise(20_000, 1);
        bytes.resize(90_000, 255);
        for cut in [0, 1, 5551, 5552, 65_521, 89_999, 90_000] {
            let (left, right) = bytes.split_at(cut);
            assert_eq!(Adler::of(left).then(Adler::of(right)), Adler::of(&bytes), "cut at {cut}");
        }
    }

    #[test]
    fn strips_one_after_the_other_are_one_stream() {
        let mut encoder = StripEncoder::default();
        let (mut stream, mut raw, mut adler) = (vec![0x78, 0x01], Vec::new(), Adler::default());
        // The second does not shrink and needs more room than was guessed.
        for (rows, width, seed) in [(3, 40, 0), (64, 512, 7), (1, 9, 3)] {
            encoder.start();
            for row in 0..rows {
                let bytes = if seed == 0 { vec![9; width * 4] } else { noise(width * 4, seed + row) };
                let pixels = bytes.as_chunks().0.iter().map(|&rgba| Pixel::new(rgba)).collect::<Vec<_>>();
                encoder.row();
                encoder.pixels(&pixels, 1);
                raw.push(0);
                // One that is transparent has no colour.
                raw.extend(pixels.iter().flat_map(|pixel| pixel.rgba()));
            }
            let strip = encoder.end();
            stream.extend(&strip.deflated);
            adler = adler.then(strip.adler);
        }
        stream.extend([3, 0]);
        stream.extend(adler.sum().to_be_bytes());
        let mut back = Vec::new();
        flate2::read::ZlibDecoder::new(&*stream).read_to_end(&mut back).unwrap();
        assert!(back == raw);
    }

    #[test]
    fn pixels_are_repeated_along_and_down() {
        let mut encoder = StripEncoder::default();
        encoder.start();
        encoder.row();
        encoder.pixels(&[Pixel::opaque([1; 3]), Pixel::opaque([2; 3])], 2);
        encoder.blank(1);
        encoder.again(5);
        let row = [0, 1, 1, 1, 255, 1, 1, 1, 255, 2, 2, 2, 255, 2, 2, 2, 255, 0, 0, 0, 0];
        assert_eq!(encoder.raw, [row, row].concat());
    }
}
