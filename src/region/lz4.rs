//! The LZ4 block stream of lz4-java, which the game writes for `region-file-compression=lz4`.
//!
//! A sequence of blocks, each with a header of 21 bytes: `LZ4Block`, a token (method in the high four bits), then
//! little-endian compressed length, plain length and a checksum: XXH32 of the plain bytes with a fixed seed, cut to 28
//! bits. Source: lz4-java, `LZ4BlockOutputStream`.

use twox_hash::XxHash32;

use super::Fault;

const MAGIC: &[u8; 8] = b"LZ4Block";
const HEADER: usize = 21;
const METHOD_RAW: u8 = 0x10;
const METHOD_LZ4: u8 = 0x20;
const SEED: u32 = 0x9747_b28c;
/// lz4-java keeps 28 bits of the hash.
const CHECK_MASK: u32 = 0x0fff_ffff;
/// lz4-java's largest block: 1 << (10 + 15).
const MAX_BLOCK: usize = 1 << 25;

/// Inflates all blocks of `stream` to the end of `out`, which may grow to `limit` bytes. The last, empty block may be
/// missing: a stream that breaks off between blocks is what it is.
pub(super) fn inflate(mut stream: &[u8], out: &mut Vec<u8>, limit: usize) -> Result<(), Fault> {
    while !stream.is_empty() {
        let header = stream.first_chunk::<HEADER>().ok_or(Fault::Inflate("LZ4 block header cut off"))?;
        if &header[..8] != MAGIC {
            return Err(Fault::Inflate("no LZ4 block where one should start"));
        }
        let word = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
        let (packed_len, plain_len, check) = (word(9) as usize, word(13) as usize, word(17));
        if packed_len == 0 && plain_len == 0 {
            return Ok(());
        }
        if plain_len > MAX_BLOCK || packed_len > MAX_BLOCK {
            return Err(Fault::Inflate("impossible LZ4 block length"));
        }
        if out.len() + plain_len > limit {
            return Err(Fault::TooLarge);
        }
        let packed = stream.get(HEADER..HEADER + packed_len).ok_or(Fault::Inflate("LZ4 block cut off"))?;
        let start = out.len();
        match header[8] & 0xf0 {
            METHOD_RAW if packed_len == plain_len => out.extend_from_slice(packed),
            METHOD_LZ4 => {
                out.resize(start + plain_len, 0);
                let written = lz4_flex::block::decompress_into(packed, &mut out[start..]);
                if written.ok() != Some(plain_len) {
                    return Err(Fault::Inflate("LZ4 block does not unpack"));
                }
            }
            _ => return Err(Fault::Inflate("unknown LZ4 block method")),
        }
        if XxHash32::oneshot(SEED, &out[start..]) & CHECK_MASK != check & CHECK_MASK {
            return Err(Fault::Inflate("LZ4 block checksum differs"));
        }
        stream = &stream[HEADER + packed_len..];
    }
    Ok(())
}
