//! Reads the parts of the files of a database: numbers, checksums, blocks, framed records.

use std::io::Read;

/// A limit that no block reaches.
const MOST_PLAIN: u64 = 64 << 20;

/// Reads from the front of some bytes.
#[derive(Debug, Clone, Copy)]
pub struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub fn byte(&mut self) -> Option<u8> {
        Some(self.take(1)?[0])
    }

    pub fn u16(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes(self.take(2)?.try_into().ok()?))
    }

    pub fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    pub fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    /// A number in groups of seven bits, the least first.
    pub fn varint(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Some(number);
            }
        }

        None
    }

    /// A length and as many bytes.
    pub fn text(&mut self) -> Option<&'a [u8]> {
        let length = self.varint()?;
        self.take(usize::try_from(length).ok()?)
    }
}

/// Returns whether a masked CRC-32C belongs to these bytes.
fn has_checksum(bytes: &[u8], masked: u32) -> bool {
    masked_checksum(bytes) == masked
}

/// Returns the CRC-32C of some bytes as a database stores it.
pub fn masked_checksum(bytes: &[u8]) -> u32 {
    const POLYNOMIAL: u32 = 0x82f6_3b78;

    let shift = |sum: u32, _| (sum >> 1) ^ (POLYNOMIAL * (sum & 1));
    let table: Vec<u32> = (0..256).map(|byte| (0..8).fold(byte, shift)).collect();
    let sum = !bytes.iter().fold(u32::MAX, |sum, byte| {
        (sum >> 8) ^ table[(sum as u8 ^ byte) as usize]
    });

    sum.rotate_right(15).wrapping_add(0xa282_ead8)
}

/// Offset and length of a block.
pub fn handle(bytes: &mut Bytes<'_>) -> Option<(usize, usize)> {
    Some((
        usize::try_from(bytes.varint()?).ok()?,
        usize::try_from(bytes.varint()?).ok()?,
    ))
}

/// The plain bytes of a block of a table.
pub fn block(file: &[u8], (offset, length): (usize, usize)) -> Option<Vec<u8>> {
    let mut rest = Bytes(file.get(offset..)?);
    let stored = rest.take(length)?;
    let kind = rest.byte()?;

    if !has_checksum(&file[offset..=offset + length], rest.u32()?) {
        return None;
    }

    match kind {
        0 => Some(stored.to_vec()),
        1 => snappy(stored),
        2 => drain(flate2::read::ZlibDecoder::new(stored)),
        4 => drain(flate2::read::DeflateDecoder::new(stored)),
        _ => None,
    }
}

fn drain(reader: impl Read) -> Option<Vec<u8>> {
    let mut plain = Vec::new();
    reader.take(MOST_PLAIN).read_to_end(&mut plain).ok()?;
    Some(plain)
}

fn snappy(stored: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Bytes(stored);
    let length = bytes.varint().filter(|length| *length <= MOST_PLAIN)? as usize;

    let mut plain = Vec::new();
    while !bytes.0.is_empty() {
        let tag = bytes.byte()?;
        let (kind, upper) = (tag & 3, usize::from(tag >> 2));

        let number = |bytes: &[u8]| {
            bytes
                .iter()
                .rev()
                .fold(0, |number, byte| number << 8 | usize::from(*byte))
        };

        if kind == 0 {
            let less = if upper < 60 {
                upper
            } else {
                number(bytes.take(upper - 59)?)
            };
            plain.extend(bytes.take(less.checked_add(1)?)?);
            continue;
        }

        let (count, back) = match kind {
            1 => (
                4 + (upper & 7),
                upper >> 3 << 8 | usize::from(bytes.byte()?),
            ),
            2 => (1 + upper, number(bytes.take(2)?)),
            _ => (1 + upper, number(bytes.take(4)?)),
        };

        if back == 0 {
            return None;
        }
        let from = plain.len().checked_sub(back)?;

        // A copy may overlap the bytes that it writes.
        for at in 0..count {
            plain.push(plain[from + at]);
        }
    }

    (plain.len() == length).then_some(plain)
}

/// The keys and values of a block.
pub fn entries(plain: &[u8]) -> Option<Vec<(Vec<u8>, Vec<u8>)>> {
    let restarts = u32::from_le_bytes(*plain.last_chunk()?) as usize;

    let length = plain.len().checked_sub(4 + 4 * restarts)?;
    let mut bytes = Bytes(&plain[..length]);
    let (mut entries, mut key) = (Vec::new(), Vec::new());
    while !bytes.0.is_empty() {
        let [shared, own, value] =
            [bytes.varint()?, bytes.varint()?, bytes.varint()?].map(|length| length as usize);
        if shared > key.len() {
            return None;
        }
        key.truncate(shared);
        key.extend(bytes.take(own)?);
        entries.push((key.clone(), bytes.take(value)?.to_vec()));
    }

    Some(entries)
}

/// Returns the whole records of a log or a manifest, and whether all are whole, except one that the
/// end of the file cuts. After damage it continues with the next frame of 32 KiB.
pub fn records(file: &[u8]) -> (Vec<Vec<u8>>, bool) {
    let (mut records, mut record, mut is_sound) = (Vec::new(), None, true);
    for frame in file.chunks(FRAME) {
        let mut rest = Bytes(frame);
        while rest.0.len() >= 7 {
            let piece = rest.0;
            let (sum, length, kind) = (
                rest.u32().unwrap(),
                usize::from(rest.u16().unwrap()),
                rest.byte().unwrap(),
            );
            if kind == 0 && length == 0 {
                break;
            }

            let part = rest.take(length);
            if part.is_none() && frame.len() < FRAME {
                break;
            }
            let Some(part) = part else {
                (record, is_sound) = (None, false);
                break;
            };
            if !has_checksum(&piece[6..7 + length], sum) {
                (record, is_sound) = (None, false);
                break;
            }

            let before = match (kind, record.take()) {
                (1 | 2, None) => Some(Vec::new()),
                (3 | 4, Some(before)) => Some(before),
                (kind, _) => {
                    is_sound = false;
                    (kind < 3).then(Vec::new)
                }
            };

            let whole = before.map(|before| [before, part.to_vec()].concat());
            match kind {
                1 | 4 => records.extend(whole),
                _ => record = whole,
            }
        }
    }

    (records, is_sound)
}

/// Frames begin at every multiple of this.
const FRAME: usize = 32 << 10;
