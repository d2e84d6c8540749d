//! Converts NBT of Bedrock Edition into NBT of Java Edition, for readers that support only the
//! latter. The two differ only in the byte order of numbers and lengths.

use super::nbt::{Error, MAX_DEPTH};

const END: u8 = 0;

/// Converts the little-endian root compound at the start of `bytes` in place. Returns its length.
///
/// # Errors
/// Fails if the bytes are not NBT. A part of them has been converted by then.
pub(crate) fn turn(bytes: &mut [u8]) -> Result<usize, Error> {
    let mut flip = Flip { bytes, at: 0 };
    if flip.byte()? != 10 {
        return Err(Error::Root);
    }
    flip.string()?;
    flip.payload(10, 0)?;
    Ok(flip.at)
}

struct Flip<'a> {
    bytes: &'a mut [u8],
    at: usize,
}

impl Flip<'_> {
    fn take(&mut self, len: usize) -> Result<&mut [u8], Error> {
        let start = self.at;
        self.at = start
            .checked_add(len)
            .ok_or(Error::Truncated(start as u32))?;
        self.bytes
            .get_mut(start..self.at)
            .ok_or(Error::Truncated(start as u32))
    }

    fn byte(&mut self) -> Result<u8, Error> {
        Ok(self.take(1)?[0])
    }

    /// Reverses the bytes of `count` numbers of `width` bytes.
    fn numbers(&mut self, count: usize, width: usize) -> Result<(), Error> {
        let numbers = self.take(count.saturating_mul(width))?;
        numbers.chunks_exact_mut(width).for_each(<[u8]>::reverse);
        Ok(())
    }

    fn len(&mut self) -> Result<usize, Error> {
        let at = self.at;
        self.numbers(1, 4)?;
        let len = self.bytes[at..at + 4]
            .iter()
            .fold(0, |len, &byte| len << 8 | i64::from(byte));
        i32::try_from(len)
            .map(|len| len as usize)
            .or(Err(Error::Length(at as u32)))
    }

    fn string(&mut self) -> Result<(), Error> {
        let at = self.at;
        self.numbers(1, 2)?;
        let len = u16::from_be_bytes([self.bytes[at], self.bytes[at + 1]]);
        self.take(usize::from(len)).map(drop)
    }

    fn payload(&mut self, tag: u8, depth: usize) -> Result<(), Error> {
        let at = self.at as u32;
        match tag {
            1..=6 => self.numbers(1, [1, 2, 4, 8, 4, 8][usize::from(tag) - 1]),
            7 | 11 | 12 => {
                let len = self.len()?;
                self.numbers(
                    len,
                    if tag == 7 {
                        1
                    } else {
                        4 * usize::from(tag - 10)
                    },
                )
            }
            8 => self.string(),
            9 | 10 if depth >= MAX_DEPTH => Err(Error::Depth(at)),
            9 => {
                let tag = self.byte()?;
                let len = self.len()?;
                if tag == END && len > 0 {
                    return Err(Error::Length(at));
                }
                (0..len).try_for_each(|_| self.payload(tag, depth + 1))
            }
            10 => loop {
                match self.byte()? {
                    END => return Ok(()),
                    tag => {
                        self.string()?;
                        self.payload(tag, depth + 1)?;
                    }
                }
            },
            _ => Err(Error::Tag(tag, at)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tag_is_converted_to_big_endian() {
        let little = [
            &[10, 0, 0][..],
            b"\x01\x01\0a\x05",
            b"\x02\x01\0b\x01\x02",
            b"\x03\x01\0c\x01\x02\x03\x04",
            b"\x04\x01\0d\x01\x02\x03\x04\x05\x06\x07\x08",
            b"\x07\x01\0e\x02\0\0\0\x01\x02",
            b"\x08\x01\0f\x02\0hi",
            b"\x09\x01\0g\x02\x02\0\0\0\x01\x02\x03\x04",
            b"\x0a\x01\0h\x0b\x01\0i\x01\0\0\0\x01\x02\x03\x04\0",
            b"\x0c\x01\0j\x01\0\0\0\x01\x02\x03\x04\x05\x06\x07\x08\0",
            b"rest",
        ]
        .concat();

        let big = [
            &[10, 0, 0][..],
            b"\x01\0\x01a\x05",
            b"\x02\0\x01b\x02\x01",
            b"\x03\0\x01c\x04\x03\x02\x01",
            b"\x04\0\x01d\x08\x07\x06\x05\x04\x03\x02\x01",
            b"\x07\0\x01e\0\0\0\x02\x01\x02",
            b"\x08\0\x01f\0\x02hi",
            b"\x09\0\x01g\x02\0\0\0\x02\x02\x01\x04\x03",
            b"\x0a\0\x01h\x0b\0\x01i\0\0\0\x01\x04\x03\x02\x01\0",
            b"\x0c\0\x01j\0\0\0\x01\x08\x07\x06\x05\x04\x03\x02\x01\0",
            b"rest",
        ]
        .concat();

        let mut turned = little.clone();
        assert_eq!(turn(&mut turned), Ok(little.len() - 4));
        assert_eq!(turned, big);

        for end in 0..little.len() - 4 {
            assert!(turn(&mut little[..end].to_vec()).is_err(), "cut at {end}");
        }
    }

    #[test]
    fn impossible_lengths_and_depths_are_errors() {
        for bytes in [
            &b"\x0a\0\0\x07\0\0\xff\xff\xff\xff"[..],
            b"\x0a\0\0\x09\0\0\0\x01\0\0\0",
            b"\x0a\0\0\x63\0\0",
        ] {
            assert!(turn(&mut bytes.to_vec()).is_err());
        }

        let deep = [&[10, 0, 0, 9, 0, 0][..], &[9, 1, 0, 0, 0].repeat(100_000)].concat();
        assert!(matches!(turn(&mut deep.clone()), Err(Error::Depth(_))));

        // A list that claims a billion compounds must fail as soon as its bytes end.
        assert!(turn(&mut b"\x0a\0\0\x09\0\0\x0a\xff\xff\xff\x3f".to_vec()).is_err());
    }
}
