//! Encodes tiles of colours. A PNG has an exact palette if 256 colours are enough, with the fewest
//! bits per pixel that the palette needs. Otherwise it is RGB, or RGBA if a pixel is half
//! transparent. Filters are not used, because they make map tiles larger.
//!
//! `deflate` compresses the data. Fewer bits per pixel always make smaller files.
//!
//! The same pixels give the same bytes on every machine, for one version of libdeflate.

use std::hash::Hasher as _;

use super::canvas::{BANDS, Canvas, TILE_PIXELS, is_clear};
use super::colours::TilePalette;
use super::deflate::{Deflaters, Method};
use super::pixel::Pixel;
use super::pixel_size::PixelSize;
use super::png::{SIGNATURE, begin_chunk, chunk, end_chunk};
use super::sparse_hash::{BLOCK, SparseHasher};
use super::webp;
use pixelmap_base::coord::{CHUNK_SIDE, TILE_SIDE};

/// The colour types of PNG.
pub(super) const GREY: u8 = 0;
const RGB: u8 = 2;
const PALETTE: u8 = 3;
const RGBA: u8 = 6;
/// The method for tiles without a palette. We measured the tiles of twenty worlds: level 1 makes them
/// 13 % larger, and a run takes 1 to 3 % less time with it. Level 4 makes them 3 % smaller and takes
/// a quarter longer than level 2.
const COLOURFUL: Method = Method::Level(2);
/// The method for [`Encoder::stream`].
const STREAM: Method = Method::Level(4);
/// A tile consists of runs if fewer than one of this many pixels differs from the one before it. We
/// measured 1,360 tiles of forty worlds with fewer than one in 16: [`Method::Runs`] takes an eighth
/// of the time of libdeflate's level 2 for one in 4,000, a quarter for one in 256, and two thirds
/// for one in 64. Its files are 3 to 10 % smaller.
const RUNS: usize = 64;
/// A tile counts as mostly equal if fewer than one of this many pixels differs from the one before
/// it.
const MOSTLY_EQUAL: usize = 16;
/// Pixels of a row that are compared together.
const GROUP: usize = 16;

/// One worker's buffers for encoding.
#[derive(Default)]
pub struct Encoder {
    deflaters: Deflaters,
    colours: TilePalette,
    /// The number of pixels that differ from the pixel before them in their row, as far as the tile
    /// was indexed.
    turns: usize,
    /// Rows of samples, each after the byte that names its filter.
    pub(super) raw: Vec<u8>,
    /// The encoded tile.
    file: Vec<u8>,
}

impl std::fmt::Debug for Encoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Encoder").finish_non_exhaustive()
    }
}

impl Encoder {
    // Kept as a separate function so that benches/instructions.sh can count it; it is called only
    // once per tile.
    #[inline(never)]
    pub fn png(&mut self, tile: &Canvas) -> &[u8] {
        self.start();

        if self.index(tile) {
            self.write_palette();
        } else if tile
            .pixels()
            .iter()
            .all(|pixel| pixel.is_opaque() || *pixel == Pixel::CLEAR)
            && !tile.pixels().contains(&Pixel::from_rgb([0; 3]))
        {
            self.write_rgb(tile.pixels());
        } else {
            self.write_rgba(tile.pixels());
        }

        self.end()
    }

    /// Encodes a tile as lossless WebP.
    pub fn webp(&mut self, tile: &Canvas) -> &[u8] {
        self.raw.clear();
        self.raw
            .extend(tile.pixels().iter().flat_map(|pixel| pixel.rgba()));
        self.file.clear();
        // It never fails, because the vector grows and the format allows this size.
        let _ = webp::encode(&self.raw, PixelSize::TILE, &mut self.file);
        &self.file
    }

    /// Deflates bytes to a stream as in RFC 1950.
    pub fn stream(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut stream = Vec::new();
        self.deflaters.append(STREAM, bytes, &mut stream);
        stream
    }

    fn start(&mut self) {
        self.file.clear();
        self.file.extend_from_slice(&SIGNATURE);
    }

    fn end(&mut self) -> &[u8] {
        chunk(&mut self.file, *b"IEND", &[]);
        &self.file
    }

    /// Encodes the samples in `raw` as PNG without alpha.
    pub(super) fn encode_raw(&mut self, colour_type: u8, bits: u8, method: Method) -> &[u8] {
        self.start();
        header(&mut self.file, colour_type, bits);
        self.write_data(method);
        self.end()
    }

    /// Writes the palette index of each pixel into `raw`; colours are numbered in order of first
    /// appearance. If bands are blank, clear pixels have the index 0, like the byte of the filter,
    /// so that these bands are one run. Returns false if the tile has more than 256 colours.
    fn index(&mut self, tile: &Canvas) -> bool {
        self.colours.clear();
        self.turns = 0;
        self.raw.clear();

        if tile.bands().any(|band| band.is_none_or(is_clear)) {
            self.colours.index(Pixel::CLEAR);
        }

        tile.bands().all(|band| match band {
            Some(band) => band.chunks_exact(TILE_SIDE).all(|row| self.index_row(row)),
            None => self.index_clear_band(),
        })
    }

    fn index_row(&mut self, row: &[Pixel]) -> bool {
        let start = self.raw.len() + 1;
        self.raw.resize(start + TILE_SIDE, 0);
        self.turns += count_turns(row);
        let groups = self.raw[start..]
            .as_chunks_mut::<GROUP>()
            .0
            .iter_mut()
            .zip(row.as_chunks::<GROUP>().0);

        for (to, from) in groups {
            // Seas and blank parts are equal over long distances.
            let is_level = from
                .iter()
                .fold(0, |any, pixel| any | pixel.bits() ^ from[0].bits())
                == 0;

            if is_level {
                let Some(index) = self.colours.index(from[0]) else {
                    return false;
                };
                to.fill(index);
                continue;
            }

            for (to, &pixel) in to.iter_mut().zip(from) {
                let Some(index) = self.colours.index(pixel) else {
                    return false;
                };
                *to = index;
            }
        }

        true
    }

    fn index_clear_band(&mut self) -> bool {
        let Some(index) = self.colours.index(Pixel::CLEAR) else {
            return false;
        };
        for _ in 0..CHUNK_SIDE {
            self.raw.push(0);
            self.raw.resize(self.raw.len() + TILE_SIDE, index);
        }
        true
    }

    fn write_palette(&mut self) {
        let bits = match self.colours.palette().len() {
            ..=2 => 1,
            3..=4 => 2,
            5..=16 => 4,
            _ => 8,
        };

        match bits {
            1 => pack::<8>(&mut self.raw),
            2 => pack::<4>(&mut self.raw),
            4 => pack::<2>(&mut self.raw),
            _ => {}
        }

        header(&mut self.file, PALETTE, bits);
        let colours: Vec<u8> = self
            .colours
            .palette()
            .iter()
            .flat_map(|pixel| pixel.rgba()[..3].to_vec())
            .collect();
        chunk(&mut self.file, *b"PLTE", &colours);

        if let Some(last) = self
            .colours
            .palette()
            .iter()
            .rposition(|pixel| !pixel.is_opaque())
        {
            let alphas: Vec<u8> = self.colours.palette()[..=last]
                .iter()
                .map(|pixel| pixel.rgba()[3])
                .collect();
            chunk(&mut self.file, *b"tRNS", &alphas);
        }

        self.write_data(method(self.turns, Method::Level(1)));
    }

    /// Writes samples without alpha. Black is marked as the transparent colour, so no opaque pixel
    /// may be black.
    fn write_rgb(&mut self, pixels: &[Pixel]) {
        header(&mut self.file, RGB, 8);
        if pixels.contains(&Pixel::CLEAR) {
            chunk(&mut self.file, *b"tRNS", &[0; 6]);
        }
        samples::<3>(&mut self.raw, pixels);
        self.write_data(COLOURFUL);
    }

    fn write_rgba(&mut self, pixels: &[Pixel]) {
        header(&mut self.file, RGBA, 8);
        samples::<4>(&mut self.raw, pixels);
        self.write_data(Method::Level(4));
    }

    /// Deflates `raw` directly into the file, which saves a buffer of this size.
    fn write_data(&mut self, method: Method) {
        let start = begin_chunk(&mut self.file, *b"IDAT");
        self.deflaters.append(method, &self.raw, &mut self.file);
        end_chunk(&mut self.file, start);
    }
}

/// Returns the method for a tile in which this many pixels differ from the pixel before them:
/// `busy` unless they are few.
pub(super) fn method(turns: usize, busy: Method) -> Method {
    if turns < TILE_PIXELS / RUNS {
        Method::Runs
    } else if turns < TILE_PIXELS / MOSTLY_EQUAL {
        Method::Level(2)
    } else {
        busy
    }
}

/// Counts the pixels of a row that differ from the previous one. The first pixel is compared with a
/// clear one.
pub(super) fn count_turns(row: &[Pixel]) -> usize {
    let first = u32::from(row[0] != Pixel::CLEAR);
    (row.iter()
        .zip(&row[1..])
        .fold(first, |turns, (one, next)| turns + u32::from(one != next))) as usize
}

fn header(png: &mut Vec<u8>, colour_type: u8, bits: u8) {
    let side = (TILE_SIDE as u32).to_be_bytes();
    let mut body = [0; 13];
    body[..4].copy_from_slice(&side);
    body[4..8].copy_from_slice(&side);
    (body[8], body[9]) = (bits, colour_type);
    chunk(png, *b"IHDR", &body);
}

/// Packs rows of one-byte indices, `N` per byte, the first in the highest bits.
fn pack<const N: usize>(raw: &mut Vec<u8>) {
    let mut indices = [0; TILE_SIDE];
    for row in 0..TILE_SIDE {
        // Works in place, because writing never overtakes reading.
        indices.copy_from_slice(&raw[row * (1 + TILE_SIDE) + 1..][..TILE_SIDE]);
        let to = &mut raw[row * (1 + TILE_SIDE / N)..][..=TILE_SIDE / N];
        to[0] = 0;
        for (byte, group) in to[1..].iter_mut().zip(indices.chunks_exact(N)) {
            *byte = group.iter().fold(0, |byte, index| byte << (8 / N) | index);
        }
    }

    raw.truncate(TILE_SIDE * (1 + TILE_SIDE / N));
}

/// Writes the first `N` channels of each pixel, row by row, each row after the byte for no filter.
fn samples<const N: usize>(raw: &mut Vec<u8>, pixels: &[Pixel]) {
    raw.clear();
    for row in pixels.chunks_exact(TILE_SIDE) {
        let start = raw.len();
        raw.resize(start + 1 + TILE_SIDE * N, 0);
        for (to, pixel) in raw[start + 1..].chunks_exact_mut(N).zip(row) {
            to.copy_from_slice(&pixel.rgba()[..N]);
        }
    }
}

/// The samples of a row that was not drawn on. Kinds with fewer than four bytes per sample use a
/// part of it.
static BLANK: [u8; TILE_SIDE * 4] = [0; TILE_SIDE * 4];
/// A tile with at most this many drawn bands counts as sparse. A sparse hash saves four fifths of
/// the time of a blank band, but takes three times as long for a drawn one.
const SPARSE: usize = BANDS / 4;

/// Returns the XXH3-64 with seed 0 of a tile's samples, RGBA `[y][x]`, as in the manifest. It does
/// not depend on the encoding.
#[inline(never)]
pub fn pixel_hash(tile: &Canvas) -> u64 {
    hash(tile, Pixel::rgba)
}

/// Returns the XXH3-64 with seed 0 of the `sample` of each pixel, `[y][x]`. The sample of a
/// transparent pixel must be 0.
pub(super) fn hash<const N: usize>(tile: &Canvas, sample: impl Fn(Pixel) -> [u8; N]) -> u64 {
    if tile.bands().flatten().count() <= SPARSE {
        let mut hasher = SparseHasher::new(TILE_PIXELS * N / BLOCK);
        each_row(tile, sample, |row| match row {
            Some(row) => row.as_chunks().0.iter().for_each(|block| hasher.add(block)),
            None => hasher.add_zeros(TILE_SIDE * N / BLOCK),
        });
        return hasher.finish();
    }

    let mut hasher = twox_hash::XxHash3_64::with_seed(0);
    each_row(tile, sample, |row| {
        hasher.write(row.unwrap_or(&BLANK[..TILE_SIDE * N]));
    });
    hasher.finish()
}

/// Calls `visit` with the samples of each row, or with `None` for a row of a band that was not
/// drawn on.
fn each_row<const N: usize>(
    tile: &Canvas,
    sample: impl Fn(Pixel) -> [u8; N],
    mut visit: impl FnMut(Option<&[u8]>),
) {
    let mut samples = [[0; N]; TILE_SIDE];
    for band in tile.bands() {
        let Some(band) = band else {
            (0..CHUNK_SIDE).for_each(|_| visit(None));
            continue;
        };

        for row in band.chunks_exact(TILE_SIDE) {
            for (to, &pixel) in samples.iter_mut().zip(row) {
                *to = sample(pixel);
            }
            visit(Some(samples.as_flattened()));
        }
    }
}
