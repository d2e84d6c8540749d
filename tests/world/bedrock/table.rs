//! Writes a table of a database: blocks of entries with shared prefixes, an index of separators, a
//! footer.

use std::io::Write;

use flate2::write::{DeflateEncoder, ZlibEncoder};

use super::{crc32c, snappy};

/// How blocks are compressed; the numbers are Mojang's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Compression {
    None = 0,
    Snappy = 1,
    Zlib = 2,
    Deflate = 4,
}

/// A version of a key. A deletion has no value.
#[derive(Debug, Clone)]
pub struct Entry {
    pub key: Vec<u8>,
    pub sequence: u64,
    pub value: Option<Vec<u8>>,
}

impl Entry {
    /// The key in the form of tables: its sequence number and kind follow it.
    pub fn internal_key(&self) -> Vec<u8> {
        internal_key(&self.key, self.sequence, u8::from(self.value.is_some()))
    }
}

fn internal_key(key: &[u8], sequence: u64, kind: u8) -> Vec<u8> {
    [key, &(sequence << 8 | u64::from(kind)).to_le_bytes()].concat()
}

/// A number in groups of seven bits, the least first.
pub fn varint(mut number: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while number >= 128 {
        out.push(number as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
    out
}

/// Every sixteenth key of a block is written whole.
const RESTART_INTERVAL: usize = 16;

/// Keys and values with shared prefixes.
fn block<'a>(entries: impl Iterator<Item = (&'a [u8], &'a [u8])>) -> Vec<u8> {
    let (mut out, mut restarts, mut last): (Vec<u8>, Vec<usize>, &[u8]) =
        (Vec::new(), Vec::new(), &[]);
    for (number, (key, value)) in entries.enumerate() {
        let mut shared = key.iter().zip(last).take_while(|(a, b)| a == b).count();
        if number % RESTART_INTERVAL == 0 {
            shared = 0;
            restarts.push(out.len());
        }

        for length in [shared, key.len() - shared, value.len()] {
            out.extend(varint(length as u64));
        }

        out.extend(&key[shared..]);
        out.extend(value);
        last = key;
    }

    if restarts.is_empty() {
        restarts.push(0);
    }

    for number in restarts.iter().copied().chain([restarts.len()]) {
        out.extend((number as u32).to_le_bytes());
    }

    out
}

/// Offset and length of a block on the disk, without its kind and checksum.
#[derive(Debug, Clone, Copy)]
pub struct Handle {
    pub offset: usize,
    pub length: usize,
}

impl Handle {
    fn bytes(self) -> Vec<u8> {
        [varint(self.offset as u64), varint(self.length as u64)].concat()
    }
}

/// The bytes of a table, and the positions of its blocks.
#[derive(Debug, Clone)]
pub struct Table {
    pub bytes: Vec<u8>,
    pub blocks: Vec<Handle>,
}

/// Appends a block in the form of the disk.
fn put_block(plain: &[u8], compression: Compression, out: &mut Vec<u8>) -> Handle {
    let level = flate2::Compression::new(9);
    let stored = match compression {
        Compression::None => plain.to_vec(),
        Compression::Snappy => snappy::compress(plain),
        Compression::Zlib => {
            let mut encoder = ZlibEncoder::new(Vec::new(), level);
            encoder.write_all(plain).unwrap();
            encoder.finish().unwrap()
        }
        Compression::Deflate => {
            let mut encoder = DeflateEncoder::new(Vec::new(), level);
            encoder.write_all(plain).unwrap();
            encoder.finish().unwrap()
        }
    };

    put_stored(stored, compression as u8, out)
}

/// Appends the stored bytes of a block with its kind and the right checksum.
pub fn put_stored(mut stored: Vec<u8>, kind: u8, out: &mut Vec<u8>) -> Handle {
    let handle = Handle {
        offset: out.len(),
        length: stored.len(),
    };
    stored.push(kind);
    let sum = crc32c::masked(&stored);
    out.extend(stored);
    out.extend(sum.to_le_bytes());
    handle
}

/// Writes a table of entries, which are in the order of their keys, the newest version of a key
/// first. A block ends when it has `block_size` plain bytes.
pub fn write(entries: &[Entry], compression: Compression, block_size: usize) -> Table {
    let pairs = entries.iter().map(|entry| {
        (
            entry.internal_key(),
            entry.value.clone().unwrap_or_default(),
        )
    });
    write_pairs(&pairs.collect::<Vec<_>>(), compression, block_size)
}

/// Writes a table like [`write`], from keys in any form, even an invalid one.
pub fn write_pairs(
    pairs: &[(Vec<u8>, Vec<u8>)],
    compression: Compression,
    block_size: usize,
) -> Table {
    let mut bytes = Vec::new();

    let mut separators = Vec::new();
    let mut blocks = Vec::new();
    let mut rest = pairs;
    while !rest.is_empty() {
        let mut size = 0;
        let fills = |(key, value): &(Vec<u8>, Vec<u8>)| {
            size += user_key(key).len() + value.len();
            size >= block_size
        };

        let count = rest
            .iter()
            .position(fills)
            .map_or(rest.len(), |last| last + 1);
        let (these, others) = rest.split_at(count);
        let plain = block(
            these
                .iter()
                .map(|(key, value)| (key.as_slice(), value.as_slice())),
        );
        let handle = put_block(&plain, compression, &mut bytes);

        separators.push(separator(
            &these[count - 1].0,
            others.first().map(|(key, _)| key.as_slice()),
        ));

        blocks.push(handle);
        rest = others;
    }

    let metaindex = put_block(&block(std::iter::empty()), compression, &mut bytes);
    let handles: Vec<Vec<u8>> = blocks
        .iter()
        .map(|handle: &Handle| handle.bytes())
        .collect();

    let plain = block(
        separators
            .iter()
            .map(Vec::as_slice)
            .zip(handles.iter().map(Vec::as_slice)),
    );

    let index = put_block(&plain, compression, &mut bytes);
    let mut footer = [metaindex.bytes(), index.bytes()].concat();
    footer.resize(40, 0);
    bytes.extend(footer);
    bytes.extend(0xdb47_7524_8b80_fb57_u64.to_le_bytes());

    Table { bytes, blocks }
}

/// A short key that is not below the last of a block, and below the first of the next one.
fn separator(last: &[u8], next: Option<&[u8]>) -> Vec<u8> {
    let own = user_key(last);
    let next = next.map(user_key);
    let place = match next {
        Some(next) => own.iter().zip(next).position(|(a, b)| a != b),
        None => own.iter().position(|byte| *byte != 255),
    };

    let Some(place) = place else {
        return last.to_vec();
    };

    let mut short = own[..=place].to_vec();
    if short[place] == 255 || next.is_some_and(|next| short[place] + 1 >= next[place]) {
        return last.to_vec();
    }

    short[place] += 1;
    internal_key(&short, (1 << 56) - 1, 1)
}

/// A key without its sequence number and kind, if it has them.
fn user_key(key: &[u8]) -> &[u8] {
    &key[..key.len().saturating_sub(8)]
}
