//! A tile to PNG bytes: with an exact palette where 256 colours are enough, else as RGBA. No filters: they hurt map
//! tiles. The deflate is libdeflate's, at level 1 for palettes and 4 for RGBA (measured: a palette tile costs a tenth of
//! what common encoders take, and fewer bytes).
//!
//! The same pixels give the same bytes, on every machine, for one version of the deflate.

use libdeflater::{CompressionLvl, Compressor};

use super::{Pixel, TILE_PIXELS};
use crate::coord::TILE_SIDE;

const SIGNATURE: [u8; 8] = [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n'];
/// Slots of the table that finds a colour's index: a power of two, at most a quarter full.
const SLOTS: usize = 1024;
const NO_SLOT: u16 = u16::MAX;

/// One worker's buffers for encoding.
pub struct Encoder {
    palette_deflate: Compressor,
    /// Made when the first tile of more than 256 colours comes: most maps have none.
    rgba_deflate: Option<Compressor>,
    slots: Box<[u16; SLOTS]>,
    palette: Vec<Pixel>,
    raw: Vec<u8>,
    packed: Vec<u8>,
    png: Vec<u8>,
}

impl std::fmt::Debug for Encoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Encoder").finish_non_exhaustive()
    }
}

fn level(level: i32) -> CompressionLvl {
    CompressionLvl::new(level).unwrap_or_default()
}

impl Default for Encoder {
    fn default() -> Self {
        Self {
            palette_deflate: Compressor::new(level(1)),
            rgba_deflate: None,
            slots: Box::new([NO_SLOT; SLOTS]),
            palette: Vec::with_capacity(256),
            raw: Vec::new(),
            packed: Vec::new(),
            png: Vec::new(),
        }
    }
}

impl Encoder {
    /// Encodes the pixels of a tile.
    // Stays a function of its own, so that benches/instructions.sh can count it; called once a tile, as the hash is.
    #[inline(never)]
    pub fn png(&mut self, pixels: &[Pixel]) -> &[u8] {
        debug_assert_eq!(pixels.len(), TILE_PIXELS);
        self.png.clear();
        self.png.extend_from_slice(&SIGNATURE);
        if self.index(pixels) {
            self.with_palette();
        } else {
            self.with_rgba(pixels);
        }
        chunk(&mut self.png, *b"IEND", &[]);
        &self.png
    }

    /// Writes the palette index of each pixel into `raw`, in order of first appearance; says whether 256 were enough.
    fn index(&mut self, pixels: &[Pixel]) -> bool {
        self.slots.fill(NO_SLOT);
        self.palette.clear();
        self.raw.clear();
        let (mut last, mut last_index) = (Pixel::CLEAR, None);
        for row in pixels.chunks_exact(TILE_SIDE) {
            self.raw.push(0);
            for &pixel in row {
                let index = match last_index {
                    Some(index) if pixel == last => index,
                    _ => match self.palette_index(pixel) {
                        Some(index) => index,
                        None => return false,
                    },
                };
                (last, last_index) = (pixel, Some(index));
                self.raw.push(index);
            }
        }
        true
    }

    fn palette_index(&mut self, pixel: Pixel) -> Option<u8> {
        let mut slot = (pixel.bits().wrapping_mul(0x9e37_79b1) >> 22) as usize;
        loop {
            match self.slots[slot] {
                NO_SLOT if self.palette.len() == 256 => return None,
                NO_SLOT => {
                    self.slots[slot] = self.palette.len() as u16;
                    self.palette.push(pixel);
                    return Some((self.palette.len() - 1) as u8);
                }
                index if self.palette[usize::from(index)] == pixel => return Some(index as u8),
                _ => slot = (slot + 1) % SLOTS,
            }
        }
    }

    fn with_palette(&mut self) {
        header(&mut self.png, 3);
        let colours: Vec<u8> = self.palette.iter().flat_map(|pixel| pixel.rgba()[..3].to_vec()).collect();
        chunk(&mut self.png, *b"PLTE", &colours);
        if let Some(last) = self.palette.iter().rposition(|pixel| pixel.rgba()[3] != 255) {
            let alphas: Vec<u8> = self.palette[..=last].iter().map(|pixel| pixel.rgba()[3]).collect();
            chunk(&mut self.png, *b"tRNS", &alphas);
        }
        data(&mut self.png, &mut self.palette_deflate, &self.raw, &mut self.packed);
    }

    fn with_rgba(&mut self, pixels: &[Pixel]) {
        header(&mut self.png, 6);
        self.raw.clear();
        for row in pixels.chunks_exact(TILE_SIDE) {
            self.raw.push(0);
            self.raw.extend(row.iter().flat_map(|pixel| pixel.rgba()));
        }
        let deflate = self.rgba_deflate.get_or_insert_with(|| Compressor::new(level(4)));
        data(&mut self.png, deflate, &self.raw, &mut self.packed);
    }
}

fn header(png: &mut Vec<u8>, colour_type: u8) {
    let side = (TILE_SIDE as u32).to_be_bytes();
    let mut body = [0; 13];
    body[..4].copy_from_slice(&side);
    body[4..8].copy_from_slice(&side);
    (body[8], body[9]) = (8, colour_type);
    chunk(png, *b"IHDR", &body);
}

fn data(png: &mut Vec<u8>, deflate: &mut Compressor, raw: &[u8], packed: &mut Vec<u8>) {
    packed.resize(deflate.zlib_compress_bound(raw.len()), 0);
    // The bound is what libdeflate itself gives for its worst case, so there is always room.
    let len = deflate.zlib_compress(raw, packed).unwrap_or(0);
    chunk(png, *b"IDAT", &packed[..len]);
}

fn chunk(png: &mut Vec<u8>, kind: [u8; 4], body: &[u8]) {
    png.extend_from_slice(&(body.len() as u32).to_be_bytes());
    let start = png.len();
    png.extend_from_slice(&kind);
    png.extend_from_slice(body);
    let check = crc32fast::hash(&png[start..]);
    png.extend_from_slice(&check.to_be_bytes());
}

/// XXH3-64 with seed 0 of a tile's samples, RGBA `[y][x]`, as the manifest names them. It does not change with the
/// encoding.
#[inline(never)]
pub fn pixel_hash(pixels: &[Pixel]) -> u64 {
    let mut hasher = twox_hash::XxHash3_64::with_seed(0);
    let mut samples = [0; TILE_SIDE * 4];
    for row in pixels.chunks(TILE_SIDE) {
        for (sample, pixel) in samples.chunks_exact_mut(4).zip(row) {
            sample.copy_from_slice(&pixel.rgba());
        }
        std::hash::Hasher::write(&mut hasher, &samples[..row.len() * 4]);
    }
    std::hash::Hasher::finish(&hasher)
}
