//! Inflates the LZ4 block stream of lz4-java, which the game writes for
//! `region-file-compression=lz4`.
//!
//! The stream is a sequence of blocks. Each block has a header of 21 bytes: `LZ4Block`, a token
//! (method in the high four bits), then little-endian compressed length, plain length and a
//! checksum. The checksum is XXH32 of the plain bytes with a fixed seed, cut to 28 bits. Source:
//! lz4-java, `LZ4BlockOutputStream`.

use twox_hash::XxHash32;

use crate::bytes::fault::Fault;

const MAGIC: &[u8; 8] = b"LZ4Block";
const HEADER: usize = 21;
const METHOD_RAW: u8 = 0x10;
const METHOD_LZ4: u8 = 0x20;
const SEED: u32 = 0x9747_b28c;
/// lz4-java keeps 28 bits of the hash.
const CHECK_MASK: u32 = 0x0fff_ffff;
/// lz4-java's largest block: 1 << (10 + 15).
const MAX_BLOCK: usize = 1 << 25;

/// Faults of a stream that ends inside a block.
const HEADER_CUT: &str = "LZ4 block header cut off";
const BLOCK_CUT: &str = "LZ4 block cut off";

/// One block, and the stream after it.
struct Lz4Block<'a> {
    method: u8,
    packed: &'a [u8],
    plain_len: usize,
    check: u32,
    rest: &'a [u8],
}

/// Reads the first block of `stream`; `None` at its end. A stream that ends between blocks is
/// accepted, even if the last, empty block is missing.
fn read_block(stream: &[u8]) -> Result<Option<Lz4Block<'_>>, Fault> {
    if stream.is_empty() {
        return Ok(None);
    }

    let (header, rest) = stream
        .split_first_chunk::<HEADER>()
        .ok_or(Fault::Inflate(HEADER_CUT))?;
    if &header[..8] != MAGIC {
        return Err(Fault::Inflate("no LZ4 block where one should start"));
    }

    let packed_len = word(header, 9) as usize;
    let plain_len = word(header, 13) as usize;
    let check = word(header, 17);

    if packed_len == 0 && plain_len == 0 {
        return Ok(None);
    }
    if plain_len > MAX_BLOCK || packed_len > MAX_BLOCK {
        return Err(Fault::Inflate("impossible LZ4 block length"));
    }

    let (packed, rest) = rest
        .split_at_checked(packed_len)
        .ok_or(Fault::Inflate(BLOCK_CUT))?;
    Ok(Some(Lz4Block {
        method: header[8] & 0xf0,
        packed,
        plain_len,
        check,
        rest,
    }))
}

/// Returns the number in four bytes of a header.
#[inline]
fn word(header: &[u8; HEADER], at: usize) -> u32 {
    u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
}

/// Returns the number of plain bytes in all blocks of `stream`, from their headers.
pub(crate) fn plain_len(mut stream: &[u8]) -> Result<usize, Fault> {
    let mut len = 0_usize;
    while let Some(block) = read_block(stream)? {
        len = len.saturating_add(block.plain_len);
        stream = block.rest;
    }
    Ok(len)
}

/// Returns the length of the complete blocks, if `stream` ends inside the next one; `None`: it does
/// not end inside a block.
pub(crate) fn before_cut(stream: &[u8]) -> Option<usize> {
    let mut rest = stream;
    loop {
        match read_block(rest) {
            Ok(block) => rest = block?.rest,
            Err(Fault::Inflate(HEADER_CUT | BLOCK_CUT)) => return Some(stream.len() - rest.len()),
            Err(_) => return None,
        }
    }
}

/// Inflates all blocks of `stream` into `out`, whose length must be the result of [`plain_len`].
pub(crate) fn inflate(mut stream: &[u8], mut out: &mut [u8]) -> Result<(), Fault> {
    while let Some(Lz4Block {
        method,
        packed,
        plain_len,
        check,
        rest,
    }) = read_block(stream)?
    {
        let (plain, after) = out.split_at_mut_checked(plain_len).ok_or(Fault::TooLarge)?;
        match method {
            METHOD_RAW if packed.len() == plain_len => plain.copy_from_slice(packed),
            METHOD_LZ4 => {
                if lz4_flex::block::decompress_into(packed, plain).ok() != Some(plain_len) {
                    return Err(Fault::Inflate("LZ4 block cannot be unpacked"));
                }
            }
            _ => return Err(Fault::Inflate("unknown LZ4 block method")),
        }

        if XxHash32::oneshot(SEED, plain) & CHECK_MASK != check & CHECK_MASK {
            return Err(Fault::Inflate("LZ4 block checksum differs"));
        }

        stream = rest;
        out = after;
    }

    Ok(())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Returns a stream of blocks of 1 MiB, without the empty block at its end.
    pub(crate) fn stream(plain: &[u8]) -> Vec<u8> {
        let mut stream = Vec::new();
        for part in plain.chunks(1 << 20) {
            let packed = lz4_flex::block::compress(part);
            stream.extend_from_slice(MAGIC);
            stream.push(METHOD_LZ4 | 0xa);

            for word in [
                packed.len() as u32,
                part.len() as u32,
                XxHash32::oneshot(SEED, part) & CHECK_MASK,
            ] {
                stream.extend_from_slice(&word.to_le_bytes());
            }

            stream.extend_from_slice(&packed);
        }

        stream
    }

    #[test]
    fn the_plain_length_sums_all_blocks() {
        let plain = vec![9; (2 << 20) + 5];
        let mut stream = stream(&plain);
        assert_eq!(plain_len(&stream), Ok(plain.len()));

        let mut out = vec![0; plain.len()];
        inflate(&stream, &mut out).unwrap();
        assert_eq!(out, plain);
        assert_eq!(before_cut(&stream), None);
        stream.pop();
        assert_eq!(plain_len(&stream), Err(Fault::Inflate("LZ4 block cut off")));

        let whole = before_cut(&stream).unwrap();
        assert_eq!(
            plain_len(&stream[..whole]),
            Ok(2 << 20),
            "the last block is cut"
        );
    }

    #[test]
    fn plain_lengths_are_trusted_within_bounds() {
        let block = |method: u8, packed: &[u8], packed_len: usize, plain_len: usize| {
            let words = [packed_len, plain_len, 0].map(|word| (word as u32).to_le_bytes());
            [MAGIC, &[method][..], words.as_flattened(), packed].concat()
        };

        let impossible = Err(Fault::Inflate("impossible LZ4 block length"));
        assert_eq!(
            plain_len(&block(METHOD_RAW, &[], 0, MAX_BLOCK)),
            Ok(MAX_BLOCK)
        );

        assert_eq!(
            plain_len(&block(METHOD_RAW, &[], 0, MAX_BLOCK + 1)),
            impossible
        );
        assert_eq!(
            plain_len(&block(METHOD_RAW, &[0; 9], MAX_BLOCK + 1, 9)),
            impossible
        );

        // The blocks contain nothing, or less than their headers state.
        for (method, packed) in [
            (METHOD_LZ4, &[][..]),
            (METHOD_RAW, &[]),
            (METHOD_RAW, &[0; 4]),
        ] {
            assert!(inflate(&block(method, packed, packed.len(), 5), &mut [0; 5]).is_err());
        }
    }
}
