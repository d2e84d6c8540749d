//! Inflates Snappy. The game does not use it, but other programs may compress blocks with it.
//!
//! The length of the plain bytes (a varint) precedes a list of elements. Each element is either
//! literal bytes or a copy of earlier bytes. Source: Snappy, `format_description.txt`.

use super::fields;

/// Returns the number of plain bytes, or `None` if it is malformed.
pub(super) fn plain_len(mut packed: &[u8]) -> Option<usize> {
    fields::length(&mut packed)
}

/// Fills `plain`, whose length must be `plain_len`. Returns `None` if the bytes are damaged.
pub(super) fn inflate(mut packed: &[u8], plain: &mut [u8]) -> Option<()> {
    fields::length(&mut packed)?;

    let mut done = 0;
    while !packed.is_empty() {
        let [tag] = fields::array(&mut packed)?;
        let len = usize::from(tag >> 2);
        done += match tag & 3 {
            0 => {
                let len = literal_len(len, &mut packed)?;
                plain
                    .get_mut(done..)?
                    .get_mut(..len)?
                    .copy_from_slice(fields::take(&mut packed, len)?);
                len
            }
            1 => {
                let [low] = fields::array(&mut packed)?;
                copy(
                    plain,
                    done,
                    usize::from(tag >> 5) << 8 | usize::from(low),
                    4 + (len & 7),
                )?
            }
            2 => copy(
                plain,
                done,
                usize::from(u16::from_le_bytes(fields::array(&mut packed)?)),
                1 + len,
            )?,
            _ => copy(
                plain,
                done,
                u32::from_le_bytes(fields::array(&mut packed)?) as usize,
                1 + len,
            )?,
        };
    }

    (done == plain.len()).then_some(())
}

/// Returns the length of a literal. Lengths above 60 follow the tag in 1 to 4 bytes.
fn literal_len(len: usize, packed: &mut &[u8]) -> Option<usize> {
    let bytes = len.saturating_sub(59);
    let mut long = [0; 4];
    long[..bytes].copy_from_slice(fields::take(packed, bytes)?);
    let len = if bytes == 0 {
        len
    } else {
        u32::from_le_bytes(long) as usize
    };
    len.checked_add(1)
}

/// Copies `len` bytes that begin `back` bytes before `done`, and returns `len`. The two ranges may
/// overlap, which repeats the bytes.
fn copy(plain: &mut [u8], done: usize, back: usize, len: usize) -> Option<usize> {
    let from = done.checked_sub(back).filter(|_| back > 0)?;
    if done.checked_add(len)? > plain.len() {
        return None;
    }
    (0..len).for_each(|at| plain[done + at] = plain[from + at]);
    Some(len)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inflated(packed: &[u8]) -> Option<Vec<u8>> {
        let mut plain = vec![0; plain_len(packed)?];
        inflate(packed, &mut plain)?;
        Some(plain)
    }

    #[test]
    fn every_snappy_element_is_inflated() {
        // A literal, then copies with offsets of 11, 16 and 32 bits.
        assert_eq!(inflated(b"\x03\x08abc").unwrap(), b"abc");
        assert_eq!(inflated(b"\x0b\x08abc\x11\x03").unwrap(), b"abcabcabcab");
        assert_eq!(inflated(b"\x06\x08abc\x0a\x03\0").unwrap(), b"abcabc");
        assert_eq!(inflated(b"\x06\x08abc\x0b\x03\0\0\0").unwrap(), b"abcabc");
        assert_eq!(inflated(b"\x05\0a\x0e\x01\0").unwrap(), b"aaaaa");
        let long = [&b"\x46\xf0\x45"[..], &[7; 70]].concat();
        assert_eq!(inflated(&long).unwrap(), [7; 70]);
        assert_eq!(inflated(b"\0").unwrap(), b"");
    }

    #[test]
    fn damaged_snappy_is_refused() {
        for packed in [
            &b""[..],
            b"\x03\x08ab",
            b"\x02\x08abc",
            b"\x04\x08abc",
            b"\x06\x08abc\x0a\x04\0",
            b"\x06\x08abc\x0a\0\0",
            b"\x05\x08abc\x0a\x03\0",
            b"\x03\xf0",
            b"\x05\xfc\xff\xff\xff\xffabcd",
        ] {
            assert_eq!(inflated(packed), None, "{packed:?}");
        }
    }
}
