//! Encodes a tile of colours as a file. A PNG has an exact palette if 256 colours are enough, with as few bits
//! per pixel as possible; otherwise it is RGB, or RGBA if a pixel is translucent. Filters are not used, because
//! they make map tiles larger.
//!
//! libdeflate compresses. Measured on tiles of twenty worlds: level 1 is the fastest for busy tiles, and a
//! palette tile then takes a tenth of the time of common encoders, and fewer bytes. Level 2 is the fastest if
//! neighbouring pixels are mostly equal, by up to a third. With both, fewer bits per pixel make smaller files. An
//! RGB tile at level 1 is as small as an RGBA tile at level 4, in less than half the time.
//!
//! The same pixels give the same bytes on every machine, for one version of libdeflate.

use std::hash::Hasher as _;
use std::ops::Range;
use std::sync::LazyLock;

use libdeflater::{CompressionLvl, Compressor};
use twox_hash::XxHash3_64;

use super::canvas::{BAND_PIXELS, BANDS, Canvas};
use super::colours::TilePalette;
use super::png::{SIGNATURE, begin_chunk, chunk, end_chunk};
use super::zero_runs::deflate_between;
use super::{Pixel, PixelSize, TILE_PIXELS, webp};
use crate::base::coord::{CHUNK_SIDE, TILE_SIDE};

/// The colour types of PNG.
pub(super) const GREY: u8 = 0;
const RGB: u8 = 2;
const PALETTE: u8 = 3;
const RGBA: u8 = 6;
/// The level of deflate for [`Encoder::stream`].
const STREAM_LEVEL: usize = 4;
/// A tile counts as mostly equal if fewer than one of this many pixels differs from the one before it.
const MOSTLY_EQUAL: usize = 16;
/// Blank bands at the ends are not given to libdeflate if there are at least this many together. With fewer of them,
/// finding the end of libdeflate's blocks costs as much time as the blank bands would.
const MIN_BLANK_BANDS: usize = 24;
/// Pixels of a row that are compared at once.
const GROUP: usize = 16;

/// One worker's buffers for encoding.
#[derive(Default)]
pub struct Encoder {
    /// One compressor per level, made for the first tile that needs it.
    deflates: [Option<Compressor>; 5],
    colours: TilePalette,
    /// The number of pixels that differ from the pixel before them in their row, as far as the tile was indexed.
    turns: usize,
    /// Rows of samples, each preceded by the byte for its filter.
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
    // Kept as a separate function so that benches/instructions.sh can count it; it is called only once per tile, as
    // is the hash.
    #[inline(never)]
    pub fn png(&mut self, tile: &Canvas) -> &[u8] {
        self.start();
        let bands = encoded_bands(tile);
        if self.index(tile, bands.clone()) {
            self.write_palette(bands);
        } else if tile.pixels().iter().all(|pixel| pixel.is_opaque() || *pixel == Pixel::CLEAR)
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
        self.raw.extend(tile.pixels().iter().flat_map(|pixel| pixel.rgba()));
        self.file.clear();
        // This cannot fail, because the vector grows and the format allows this size.
        let _ = webp::encode(&self.raw, PixelSize::TILE, &mut self.file);
        &self.file
    }

    /// Deflates bytes to a zlib stream (RFC 1950).
    pub fn stream(&mut self, bytes: &[u8]) -> Vec<u8> {
        let deflate = compressor(&mut self.deflates, STREAM_LEVEL);
        let mut stream = vec![0; deflate.zlib_compress_bound(bytes.len())];
        // This cannot fail, because the bound is libdeflate's own worst case.
        let len = deflate.zlib_compress(bytes, &mut stream).unwrap_or(0);
        stream.truncate(len);
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

    /// Encodes the samples of these bands, which are in `raw`, as PNG without alpha. The samples of all other bands are
    /// 0.
    pub(super) fn encode_raw(&mut self, colour_type: u8, bits: u8, level: usize, bands: Range<usize>) -> &[u8] {
        self.start();
        header(&mut self.file, colour_type, bits);
        self.write_data(level, bands);
        self.end()
    }

    /// Writes the palette index of each pixel of some bands into `raw`, in order of first appearance. The index of
    /// the other bands, which are blank, is 0. Returns whether 256 colours were enough.
    fn index(&mut self, tile: &Canvas, bands: Range<usize>) -> bool {
        self.colours.clear();
        self.turns = 0;
        self.raw.clear();
        if bands.len() < BANDS {
            self.colours.index(Pixel::CLEAR);
        }
        tile.bands().take(bands.end).skip(bands.start).all(|band| match band {
            Some(band) => band.chunks_exact(TILE_SIDE).all(|row| self.index_row(row)),
            None => self.index_clear_band(),
        })
    }

    fn index_row(&mut self, row: &[Pixel]) -> bool {
        let start = self.raw.len() + 1;
        self.raw.resize(start + TILE_SIDE, 0);
        self.turns += turns(row);
        let groups = self.raw[start..].as_chunks_mut::<GROUP>().0.iter_mut().zip(row.as_chunks::<GROUP>().0);
        for (to, from) in groups {
            // Seas and blank parts are equal over long distances, so whole groups of equal pixels are common.
            let is_level = from.iter().fold(0, |any, pixel| any | pixel.bits() ^ from[0].bits()) == 0;
            if is_level {
                let Some(index) = self.colours.index(from[0]) else { return false };
                to.fill(index);
                continue;
            }
            for (to, &pixel) in to.iter_mut().zip(from) {
                let Some(index) = self.colours.index(pixel) else { return false };
                *to = index;
            }
        }
        true
    }

    fn index_clear_band(&mut self) -> bool {
        let Some(index) = self.colours.index(Pixel::CLEAR) else { return false };
        for _ in 0..CHUNK_SIDE {
            self.raw.push(0);
            self.raw.resize(self.raw.len() + TILE_SIDE, index);
        }
        true
    }

    /// Packs the indices of these bands, and writes the palette and the indices of the tile.
    fn write_palette(&mut self, bands: Range<usize>) {
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
        let colours: Vec<u8> = self.colours.palette().iter().flat_map(|pixel| pixel.rgba()[..3].to_vec()).collect();
        chunk(&mut self.file, *b"PLTE", &colours);
        if let Some(last) = self.colours.palette().iter().rposition(|pixel| !pixel.is_opaque()) {
            let alphas: Vec<u8> = self.colours.palette()[..=last].iter().map(|pixel| pixel.rgba()[3]).collect();
            chunk(&mut self.file, *b"tRNS", &alphas);
        }
        let level = if self.turns < TILE_PIXELS / MOSTLY_EQUAL { 2 } else { 1 };
        self.write_data(level, bands);
    }

    /// Writes samples without alpha. Black is the transparent colour.
    fn write_rgb(&mut self, pixels: &[Pixel]) {
        header(&mut self.file, RGB, 8);
        if pixels.contains(&Pixel::CLEAR) {
            chunk(&mut self.file, *b"tRNS", &[0; 6]);
        }
        samples::<3>(&mut self.raw, pixels);
        self.write_data(1, 0..BANDS);
    }

    fn write_rgba(&mut self, pixels: &[Pixel]) {
        header(&mut self.file, RGBA, 8);
        samples::<4>(&mut self.raw, pixels);
        self.write_data(4, 0..BANDS);
    }

    /// Deflates the samples in `raw`, with zeros for all other bands than `bands`, straight into the file, which saves a
    /// buffer of their size.
    fn write_data(&mut self, level: usize, bands: Range<usize>) {
        let Self { deflates, raw, file: png, .. } = self;
        let deflate = compressor(deflates, level);
        let start = begin_chunk(png, *b"IDAT");
        if bands.len() < BANDS {
            let blank = [bands.start, BANDS - bands.end].map(|count| count * (raw.len() / bands.len()));
            if deflate_between(deflate, png, blank, raw).is_some() {
                end_chunk(png, start);
                return;
            }
            png.truncate(start + 8);
            raw.splice(..0, std::iter::repeat_n(0, blank[0]));
            raw.resize(raw.len() + blank[1], 0);
        }
        png.resize(start + 8 + deflate.zlib_compress_bound(raw.len()), 0);
        // This cannot fail, because the bound is libdeflate's own worst case.
        let len = deflate.zlib_compress(raw, &mut png[start + 8..]).unwrap_or(0);
        png.truncate(start + 8 + len);
        end_chunk(png, start);
    }
}

/// Returns the bands whose samples are encoded. If a tile is blank at its northern and southern ends, all samples there
/// are 0, and they are written without encoding each one. This is decided once per tile, so that full tiles cost no more.
pub(super) fn encoded_bands(tile: &Canvas) -> Range<usize> {
    let [north, south] = tile.blank_ends();
    if (MIN_BLANK_BANDS..BANDS).contains(&(north + south)) { north..BANDS - south } else { 0..BANDS }
}

fn compressor(deflates: &mut [Option<Compressor>], level: usize) -> &mut Compressor {
    deflates[level].get_or_insert_with(|| Compressor::new(CompressionLvl::new(level as i32).unwrap_or_default()))
}

/// Counts the pixels of a row that differ from the previous pixel. The first pixel is compared with a clear one.
fn turns(row: &[Pixel]) -> usize {
    let first = u32::from(row[0] != Pixel::CLEAR);
    (row.iter().zip(&row[1..]).fold(first, |turns, (one, next)| turns + u32::from(one != next))) as usize
}

fn header(png: &mut Vec<u8>, colour_type: u8, bits: u8) {
    let side = (TILE_SIDE as u32).to_be_bytes();
    let mut body = [0; 13];
    body[..4].copy_from_slice(&side);
    body[4..8].copy_from_slice(&side);
    (body[8], body[9]) = (bits, colour_type);
    chunk(png, *b"IHDR", &body);
}

/// Packs rows of one-byte indices, `N` per byte, with the first index in the highest bits.
fn pack<const N: usize>(raw: &mut Vec<u8>) {
    let mut indices = [0; TILE_SIDE];
    let rows = raw.len() / (1 + TILE_SIDE);
    for row in 0..rows {
        // This works in place, because writing never overtakes reading.
        indices.copy_from_slice(&raw[row * (1 + TILE_SIDE) + 1..][..TILE_SIDE]);
        let to = &mut raw[row * (1 + TILE_SIDE / N)..][..=TILE_SIDE / N];
        to[0] = 0;
        for (byte, group) in to[1..].iter_mut().zip(indices.chunks_exact(N)) {
            *byte = group.iter().fold(0, |byte, index| byte << (8 / N) | index);
        }
    }
    raw.truncate(rows * (1 + TILE_SIDE / N));
}

/// Writes the first `N` channels of each pixel, row by row. Each row is preceded by the byte for no filter.
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

/// The samples of a band that was not drawn on, for the pixels with the most bytes. Smaller pixels use a part of
/// it.
static BLANK: [u8; BAND_PIXELS * 4] = [0; BAND_PIXELS * 4];

/// Returns the XXH3-64 with seed 0 of a tile's samples, RGBA `[y][x]`, as in the manifest. It does not depend on
/// the encoding.
#[inline(never)]
pub fn pixel_hash(tile: &Canvas) -> u64 {
    hash(tile, Pixel::rgba)
}

/// The states of the hash after 0 to 31 blank bands of RGBA, because most nearly blank tiles start with some.
static AFTER_BLANK: LazyLock<Vec<XxHash3_64>> = LazyLock::new(|| {
    let next = |hasher: &XxHash3_64| {
        let mut hasher = hasher.clone();
        hasher.write(&BLANK);
        Some(hasher)
    };
    std::iter::successors(Some(XxHash3_64::with_seed(0)), next).take(BANDS).collect()
});

/// Returns the XXH3-64 with seed 0 of each pixel's `sample`, `[y][x]`. The samples of transparent pixels must be
/// 0.
pub(super) fn hash<const N: usize>(tile: &Canvas, sample: impl Fn(Pixel) -> [u8; N]) -> u64 {
    let blank = tile.bands().take_while(Option::is_none).count().min(BANDS - 1);
    // Blank bands with fewer bytes per pixel have the same bytes as fewer blank bands of RGBA.
    let known = blank * N / 4;
    let mut hasher = if known == 0 { XxHash3_64::with_seed(0) } else { AFTER_BLANK[known].clone() };
    hasher.write(&BLANK[..(blank * N - known * 4) * BAND_PIXELS]);
    let mut samples = [[0; N]; TILE_SIDE];
    for band in tile.bands().skip(blank) {
        let Some(band) = band else {
            hasher.write(&BLANK[..BAND_PIXELS * N]);
            continue;
        };
        for row in band.chunks_exact(TILE_SIDE) {
            for (to, &pixel) in samples.iter_mut().zip(row) {
                *to = sample(pixel);
            }
            hasher.write(samples.as_flattened());
        }
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tile::{decode, to_lattice};

    /// A tile with busy rectangles of 48 by 16 pixels in the given bands.
    fn sparse(bands: &[usize], colours: u32) -> Canvas {
        let mut tile = Canvas::default();
        for &band in bands {
            let mut seed = band as u32 + 1;
            for (at, pixel) in tile.band_mut(band).iter_mut().enumerate().filter(|(at, _)| at % TILE_SIDE / 48 == 4) {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223 + at as u32 % 2);
                let shade = (seed >> 16) % colours;
                *pixel = Pixel::from_rgb(to_lattice([(shade * 7) as u8, (shade % 16 * 15) as u8, 90]));
            }
        }
        tile
    }

    #[test]
    fn blank_bands_make_no_file_larger() {
        let mut encoder = Encoder::default();
        let mut smaller = 0;
        let places =
            [&[0][..], &[31], &[15], &[9, 10], &[0, 31], &[0, 9, 22], &[3, 30], &[0, 1, 2, 3, 5], &[9, 11, 13]];
        for (bands, colours) in places.into_iter().flat_map(|bands| [1, 3, 9, 17, 40, 200].map(|of| (bands, of))) {
            let tile = sparse(bands, colours);
            let file = encoder.png(&tile).to_vec();
            assert!(decode(&file).unwrap().pixels() == tile.pixels(), "{bands:?} {colours}");
            // All bands are given to libdeflate.
            encoder.start();
            assert!(encoder.index(&tile, 0..BANDS));
            encoder.write_palette(0..BANDS);
            let whole = encoder.end().len();
            assert!(file.len() <= whole, "{bands:?} {colours}: {} bytes, before {whole}", file.len());
            smaller += usize::from(file.len() < whole);
        }
        assert!(smaller >= 5, "runs were skipped {smaller} times");
    }

    #[test]
    fn the_hash_does_not_depend_on_blank_starts() {
        for bands in [&[][..], &[0], &[1], &[7, 8], &[31]] {
            let tile = sparse(bands, 40);
            let samples: Vec<u8> = tile.pixels().iter().flat_map(|pixel| pixel.rgba()).collect();
            assert_eq!(pixel_hash(&tile), XxHash3_64::oneshot(&samples));
            let pairs: Vec<u8> = tile.pixels().iter().flat_map(|pixel| pixel.number().to_be_bytes()).collect();
            assert_eq!(hash(&tile, |pixel| pixel.number().to_be_bytes()), XxHash3_64::oneshot(&pairs));
        }
    }
}
