//! Reads and writes the basic fields of all of LevelDB's files.
//!
//! Source: LevelDB, `util/coding.cc`.

/// Reads a varint of up to 64 bits: 7 bits per byte, lowest bits first. Returns `None` if the bytes
/// end too early or the number is too long.
pub(crate) fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }

    None
}

/// Appends a number in the form that [`number`] reads.
pub(crate) fn put_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Reads a number that counts bytes in memory.
pub(crate) fn length(bytes: &mut &[u8]) -> Option<usize> {
    number(bytes).and_then(|number| usize::try_from(number).ok())
}

/// Splits off `len` bytes.
pub(crate) fn take<'a>(bytes: &mut &'a [u8], len: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(len)?;
    *bytes = rest;
    Some(taken)
}

/// Reads bytes that are preceded by their length.
pub(crate) fn string<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let len = length(bytes)?;
    take(bytes, len)
}

/// Splits off `N` bytes.
pub(crate) fn array<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (array, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*array)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_have_seven_bits_per_byte() {
        for (bytes, expected) in [
            (&[0][..], Some(0)),
            (&[0x7f], Some(127)),
            (&[0x80, 1], Some(128)),
            (
                &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],
                Some(u64::MAX),
            ),
            (&[0x80], None),
            (&[], None),
            (&[0x80; 11], None),
        ] {
            assert_eq!(number(&mut &*bytes), expected, "{bytes:?}");
        }
    }

    #[test]
    fn strings_end_inside_the_bytes() {
        let mut bytes = &b"\x02abc"[..];
        assert_eq!((string(&mut bytes), bytes), (Some(&b"ab"[..]), &b"c"[..]));
        assert_eq!(string(&mut &b"\x03ab"[..]), None);
        assert_eq!(
            string(&mut &b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01ab"[..]),
            None
        );
    }
}
