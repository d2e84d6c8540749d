//! Deflates the samples of tiles. Two libraries share the work, because each is faster for its kind of tile.
//!
//! `libdeflate` compresses busy tiles. We measured its levels on tiles of twenty worlds: level 1 is the fastest, and a
//! tile with a palette takes a tenth of the time of common encoders and fewer bytes. An RGB tile at level 1 is as small
//! as an RGBA tile at level 4, in less than half the time.
//!
//! `zlib-rs` compresses tiles in which neighbouring pixels are mostly equal: seas, and tiles with few chunks. It skips
//! long runs, which libdeflate enters into its tables byte by byte. On 1,360 such tiles of forty worlds, its level 5
//! takes a fifth of the time of libdeflate's level 2 if fewer than one in 1,000 pixels differs from the one before it,
//! and two thirds of the time if fewer than one in 16 does. The files are 6 and 1 % smaller.

use libdeflater::{CompressionLvl, Compressor};
use zlib_rs::{Deflate, DeflateConfig, DeflateFlush};

/// The level of `zlib-rs` for samples that are mostly equal. Level 4 is a little faster, and 4 % larger.
const EVEN_LEVEL: i32 = 5;
/// The largest window and the largest table of symbols, so that a tile is one block.
const EVEN_WINDOW_BITS: i32 = 15;
const EVEN_MEMORY_LEVEL: i32 = 9;

/// How samples are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    /// A level of libdeflate, at most 4.
    Level(usize),
    /// For samples that mostly equal the ones before them.
    Even,
}

/// One worker's compressors, each made for the first tile that needs it.
#[derive(Default)]
pub(super) struct Deflaters {
    levels: [Option<Compressor>; 5],
    even: Option<Deflate>,
}

impl Deflaters {
    /// Appends a stream as in RFC 1950.
    pub(super) fn append(&mut self, method: Method, samples: &[u8], to: &mut Vec<u8>) {
        let start = to.len();
        let len = match method {
            Method::Level(level) => {
                let deflate = self.levels[level].get_or_insert_with(|| compressor(level));
                to.resize(start + deflate.zlib_compress_bound(samples.len()), 0);
                // It never fails: the bound is libdeflate's own worst case.
                deflate.zlib_compress(samples, &mut to[start..]).unwrap_or(0)
            }
            Method::Even => {
                let deflate = self.even.get_or_insert_with(even_compressor);
                to.resize(start + worst_case(samples.len()), 0);
                deflate.reset();
                // It never fails, because it has all samples and room for its worst case.
                let _ = deflate.compress(samples, &mut to[start..], DeflateFlush::Finish);
                deflate.total_out() as usize
            }
        };
        to.truncate(start + len);
    }
}

fn compressor(level: usize) -> Compressor {
    Compressor::new(CompressionLvl::new(level as i32).unwrap_or_default())
}

fn even_compressor() -> Deflate {
    Deflate::new_with_config(DeflateConfig {
        level: EVEN_LEVEL,
        window_bits: EVEN_WINDOW_BITS,
        mem_level: EVEN_MEMORY_LEVEL,
        ..DeflateConfig::default()
    })
}

/// Returns zlib's bound for a stream of this many bytes: blocks with the fixed code, in which a byte takes 9 bits.
fn worst_case(samples: usize) -> usize {
    samples + samples / 8 + samples / 64 + 64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_methods_keep_even_and_busy_samples() {
        let busy: Vec<u8> = (0..300_000_u32).map(|at| (at.wrapping_mul(0x9e37_79b1) >> 23) as u8).collect();
        let mut deflaters = Deflaters::default();
        for samples in [&busy[..], &[7; 300_000], &[0; 1], &[]] {
            for method in [Method::Even, Method::Level(1), Method::Level(4), Method::Even] {
                let mut stream = vec![9; 3];
                deflaters.append(method, samples, &mut stream);
                let mut inflated = vec![1; samples.len()];
                let inflater = &mut libdeflater::Decompressor::new();
                assert_eq!(inflater.zlib_decompress(&stream[3..], &mut inflated), Ok(samples.len()), "{method:?}");
                assert!(inflated == samples && stream[..3] == [9; 3], "{method:?}");
            }
        }
    }
}
