//! Inflates deflate streams whose last bytes are missing.
//!
//! The game stops reading at the end of the NBT, so it never reads the end mark of the last block
//! and the checksum. Some programs write chunks without these bytes. libdeflate returns nothing for
//! such a stream, so this module inflates it as far as possible. That is slower, so it is used only
//! after libdeflate has failed. The caller decides whether the bytes are all that the chunk needs.

use flate2::{Decompress, FlushDecompress, Status};

// Bits of the flags of a gzip header (RFC 1952).
const HEADER_CHECK: u8 = 1 << 1;
const EXTRA: u8 = 1 << 2;
const NAME: u8 = 1 << 3;
const COMMENT: u8 = 1 << 4;
const RESERVED: u8 = 0b1110_0000;

/// Inflates `packed`, whose end is missing, into `plain`. Returns the number of plain bytes.
/// `None`: the stream is damaged in another way, or has more plain bytes than `plain` has room for.
pub(crate) fn inflate(packed: &[u8], is_gzip: bool, plain: &mut [u8]) -> Option<usize> {
    let body = if is_gzip {
        gzip_body(packed)?
    } else {
        zlib_body(packed)?
    };

    let mut stream = Decompress::new(false);
    loop {
        let (read, written) = (stream.total_in() as usize, stream.total_out() as usize);
        let status = stream
            .decompress(&body[read..], &mut plain[written..], FlushDecompress::None)
            .ok()?;
        let (now_read, now_written) = (stream.total_in() as usize, stream.total_out() as usize);
        if matches!(status, Status::StreamEnd) {
            let trailer = if is_gzip {
                gzip_trailer(&plain[..now_written])
            } else {
                zlib_trailer(&plain[..now_written])
            };

            // A partial checksum must match. A complete one cannot be right, because libdeflate has
            // refused the stream.
            let rest = &body[now_read..];
            return (rest.len() < trailer.len() && trailer.starts_with(rest))
                .then_some(now_written);
        }

        if (now_read, now_written) == (read, written) {
            return (read == body.len()).then_some(written);
        }
    }
}

/// Returns the deflate stream inside a zlib stream (RFC 1950).
fn zlib_body(packed: &[u8]) -> Option<&[u8]> {
    let (&[method, flags], body) = packed.split_first_chunk()?;
    let is_deflate = method & 15 == 8 && method >> 4 <= 7;
    let has_dictionary = flags & 1 << 5 != 0;
    let is_zlib =
        is_deflate && !has_dictionary && u16::from_be_bytes([method, flags]).is_multiple_of(31);
    is_zlib.then_some(body)
}

/// Returns the deflate stream inside a gzip stream.
fn gzip_body(packed: &[u8]) -> Option<&[u8]> {
    let (&[0x1f, 0x8b, 8, flags, ..], mut body) = packed.split_first_chunk::<10>()? else {
        return None;
    };
    if flags & RESERVED != 0 {
        return None;
    }

    if flags & EXTRA != 0 {
        let (len, extra) = body.split_first_chunk()?;
        body = extra.get(usize::from(u16::from_le_bytes(*len))..)?;
    }

    for _ in [NAME, COMMENT].into_iter().filter(|text| flags & text != 0) {
        let end = body.iter().position(|&byte| byte == 0)?;
        body = &body[end + 1..];
    }

    if flags & HEADER_CHECK != 0 {
        body.get(2..)
    } else {
        Some(body)
    }
}

/// Returns the checksum that ends the zlib stream of `plain`.
fn zlib_trailer(plain: &[u8]) -> Vec<u8> {
    libdeflater::adler32(plain).to_be_bytes().to_vec()
}

/// Returns the checksum and the length that end the gzip stream of `plain`.
fn gzip_trailer(plain: &[u8]) -> Vec<u8> {
    [
        libdeflater::crc32(plain).to_le_bytes(),
        (plain.len() as u32).to_le_bytes(),
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    const PLAIN: &[u8] = b"a plain text, which is a plain text and says so";

    fn zlib() -> Vec<u8> {
        let mut encoder =
            flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(PLAIN).unwrap();
        encoder.finish().unwrap()
    }

    fn gzip() -> Vec<u8> {
        let builder = flate2::GzBuilder::new()
            .filename("a")
            .comment("b")
            .extra(vec![1, 2, 3]);
        let mut encoder = builder.write(Vec::new(), flate2::Compression::default());
        encoder.write_all(PLAIN).unwrap();
        encoder.finish().unwrap()
    }

    fn inflate_to(packed: &[u8], is_gzip: bool, room: usize) -> Option<Vec<u8>> {
        let mut plain = vec![0; room];
        inflate(packed, is_gzip, &mut plain).map(|len| plain[..len].to_vec())
    }

    #[test]
    fn a_cut_stream_gives_its_plain_bytes() {
        for (packed, is_gzip, trailer) in [(zlib(), false, 4), (gzip(), true, 8)] {
            for cut in 1..=trailer {
                let plain = inflate_to(&packed[..packed.len() - cut], is_gzip, 100);
                assert_eq!(plain.as_deref(), Some(PLAIN), "{cut} bytes are missing");
            }
            let mut last = PLAIN.len();
            for len in (0..packed.len() - trailer).rev() {
                let plain = inflate_to(&packed[..len], is_gzip, 100).unwrap_or_default();
                assert!(plain.len() <= last && PLAIN.starts_with(&plain));
                last = plain.len();
            }
        }
    }

    #[test]
    fn a_wrong_checksum_is_not_a_cut() {
        for (mut packed, is_gzip) in [(zlib(), false), (gzip(), true)] {
            let end = packed.len();
            packed[end - 3] ^= 1;
            assert_eq!(inflate_to(&packed, is_gzip, 100), None);
            assert_eq!(
                inflate_to(&packed[..end - 1], is_gzip, 100),
                None,
                "the rest of it is wrong"
            );
        }
    }

    #[test]
    fn the_room_is_never_exceeded() {
        let packed = zlib();
        let cut = &packed[..packed.len() - 1];
        assert_eq!(inflate_to(cut, false, PLAIN.len()).as_deref(), Some(PLAIN));
        assert!(
            inflate_to(cut, false, PLAIN.len() - 1).is_none_or(|plain| plain.len() < PLAIN.len())
        );
    }

    #[test]
    fn other_headers_are_refused() {
        assert_eq!(inflate_to(&zlib(), true, 100), None);
        assert_eq!(inflate_to(&gzip(), false, 100), None);
        for len in 0..2 {
            assert_eq!(inflate_to(&zlib()[..len], false, 100), None);
        }
    }
}
