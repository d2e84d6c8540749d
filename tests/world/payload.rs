//! Compresses the NBT of a chunk in all ways that region files have: gzip, zlib, none, and LZ4 in
//! the game's block stream. Its callers write headers and sectors.

use std::hash::Hasher;
use std::io::Write;

use flate2::write::{GzEncoder, ZlibEncoder};
use flate2::{Compression, GzBuilder};

/// A chunk's payload in gzip, without a time or a name in its header.
pub fn gzip(raw: &[u8]) -> Vec<u8> {
    let mut encoder: GzEncoder<Vec<u8>> = GzBuilder::new()
        .mtime(0)
        .write(Vec::new(), Compression::new(6));
    encoder.write_all(raw).unwrap();
    encoder.finish().unwrap()
}

/// A chunk's payload in zlib, the usual kind.
pub fn zlib(raw: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(9));
    encoder.write_all(raw).unwrap();
    encoder.finish().unwrap()
}

/// A zlib stream that ends before the end mark of its last block. It contains all of `raw` but no
/// checksum.
pub fn zlib_open(raw: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(9));
    encoder.write_all(raw).unwrap();
    encoder.flush().unwrap();
    encoder.get_ref().clone()
}

/// `packed` without its last bytes.
pub fn without_end(mut packed: Vec<u8>, bytes: usize) -> Vec<u8> {
    packed.truncate(packed.len() - bytes);
    packed
}

/// One block of the game's LZ4 stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Block {
    /// Compressed.
    Lz4,
    /// Stored without compression.
    Raw,
}

/// lz4-java's block stream of `raw`: blocks of `size` bytes, whose kinds alternate, then the empty
/// block if `ended`.
pub fn lz4(raw: &[u8], size: usize, kinds: &[Block], ended: bool) -> Vec<u8> {
    let mut out = Vec::new();
    for (number, part) in raw.chunks(size).enumerate() {
        let kind = kinds[number % kinds.len()];
        let stored = match kind {
            Block::Lz4 => lz4_flex::block::compress(part),
            Block::Raw => part.to_vec(),
        };
        lz4_header(kind, &stored, part, &mut out);
        out.extend(&stored);
    }

    if ended {
        lz4_header(Block::Raw, &[], &[], &mut out);
    }

    out
}

/// Magic, token, both lengths and the checksum, little-endian.
fn lz4_header(kind: Block, stored: &[u8], plain: &[u8], out: &mut Vec<u8>) {
    // The low nibble is log2 of the stream's block size less ten; 6 stands for the usual 64 KiB.
    let token = match kind {
        Block::Raw => 0x16,
        Block::Lz4 => 0x26,
    };

    out.extend(b"LZ4Block");
    out.push(token);
    out.extend(u32::try_from(stored.len()).unwrap().to_le_bytes());
    out.extend(u32::try_from(plain.len()).unwrap().to_le_bytes());

    let checksum = if plain.is_empty() {
        0
    } else {
        lz4_checksum(plain)
    };

    out.extend(checksum.to_le_bytes());
}

/// xxHash32 of the plain bytes without its top four bits, which is the checksum of lz4-java.
fn lz4_checksum(plain: &[u8]) -> u32 {
    let mut hash = twox_hash::XxHash32::with_seed(0x9747_b28c);
    hash.write(plain);
    hash.finish() as u32 & 0x0fff_ffff
}
