//! Compresses with Snappy, with copies of every kind if four bytes repeat.

use std::collections::HashMap;

/// A whole Snappy block.
pub fn compress(plain: &[u8]) -> Vec<u8> {
    let mut out = super::table::varint(plain.len() as u64);
    let mut known: HashMap<[u8; 4], usize> = HashMap::new();
    let (mut at, mut literal) = (0, 0);
    while let Some(four) = plain.get(at..at + 4) {
        let four: [u8; 4] = four.try_into().unwrap();
        let Some(from) = known.insert(four, at) else {
            at += 1;
            continue;
        };

        let same = plain[at..]
            .iter()
            .zip(&plain[from..])
            .take_while(|(a, b)| a == b)
            .count();
        let length = same.min(64);
        put_literal(&plain[literal..at], &mut out);
        put_copy(at - from, length, &mut out);
        at += length;
        literal = at;
    }

    put_literal(&plain[literal..], &mut out);
    out
}

fn put_literal(bytes: &[u8], out: &mut Vec<u8>) {
    // Short pieces, so that the forms with one and with two bytes of length occur.
    for piece in bytes.chunks(300) {
        let less = piece.len() - 1;
        match less {
            0..60 => out.push((less << 2) as u8),
            60..256 => out.extend([60 << 2, less as u8]),
            _ => out.extend([61 << 2, less as u8, (less >> 8) as u8]),
        }
        out.extend(piece);
    }
}

fn put_copy(offset: usize, length: usize, out: &mut Vec<u8>) {
    match (offset, length) {
        (..2048, 4..12) => out.extend([
            1 | (length as u8 - 4) << 2 | (offset >> 8 << 5) as u8,
            offset as u8,
        ]),
        (..65536, _) => out.extend([
            2 | (length as u8 - 1) << 2,
            offset as u8,
            (offset >> 8) as u8,
        ]),
        _ => {
            out.push(3 | (length as u8 - 1) << 2);
            out.extend((offset as u32).to_le_bytes());
        }
    }
}
