//! Reads a region file, or files of single chunks, down to the inflated bytes of one chunk.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::hash::Hasher;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::{Reason, tree};

/// The maximum size of an inflated chunk.
const MOST: u64 = 64 << 20;

/// A region file in memory, or the files of a region's chunks.
#[derive(Debug)]
pub struct Region {
    /// The files of single chunks, as before Beta 1.3.
    own: BTreeMap<(i32, i32), PathBuf>,
    bytes: Vec<u8>,
    folder: PathBuf,
    x: i32,
    z: i32,
}

impl Region {
    /// Reads a whole file.
    pub fn read(path: &Path, x: i32, z: i32) -> Result<Self, Reason> {
        let bytes = fs::read(path).map_err(|_| Reason::Unreadable)?;
        Ok(Self {
            own: BTreeMap::new(),
            bytes,
            folder: path.parent().unwrap().to_owned(),
            x,
            z,
        })
    }

    /// A region whose chunks have these files.
    pub fn of_chunk_files(own: BTreeMap<(i32, i32), PathBuf>, x: i32, z: i32) -> Self {
        Self {
            own,
            bytes: Vec::new(),
            folder: PathBuf::new(),
            x,
            z,
        }
    }

    /// The slots in use, as chunk positions in the world.
    pub fn used(&self) -> Vec<(i32, i32)> {
        let all = (0..1024).map(|slot| (self.x * 32 + slot % 32, self.z * 32 + slot / 32));
        all.filter(|(x, z)| self.location(*x, *z).is_some() || self.own.contains_key(&(*x, *z)))
            .collect()
    }

    /// First sector, if the slot is in use; bytes that a short header lacks are zero.
    fn location(&self, x: i32, z: i32) -> Option<usize> {
        let at = ((x & 31) + (z & 31) * 32) as usize * 4;
        let byte = |index: usize| usize::from(self.bytes.get(at + index).copied().unwrap_or(0));
        let sector = byte(0) << 16 | byte(1) << 8 | byte(2);
        (sector != 0 && byte(3) != 0).then_some(sector)
    }

    /// The plain bytes of a chunk.
    pub fn payload(&self, x: i32, z: i32) -> Result<Option<Vec<u8>>, Reason> {
        if let Some(path) = self.own.get(&(x, z)) {
            return inflate(1, &fs::read(path).map_err(|_| Reason::Unreadable)?).map(Some);
        }
        let Some(sector) = self.location(x, z) else {
            return Ok(None);
        };
        if sector < 2 {
            return Err(Reason::InHeader);
        }

        let rest = self
            .bytes
            .get(sector * 4096..)
            .filter(|rest| !rest.is_empty())
            .ok_or(Reason::OutOfFile)?;
        let head = rest.get(..5).ok_or(Reason::BadLength)?;
        let length = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
        if length == 0 || length > rest.len() - 4 {
            return Err(Reason::BadLength);
        }
        if head[4] & 128 == 0 {
            return inflate(head[4], &rest[5..4 + length]).map(Some);
        }

        let path = self.folder.join(format!("c.{x}.{z}.mcc"));
        let kind = head[4] & 127;
        if !(1..=4).contains(&kind) {
            return Err(Reason::Compression);
        }

        let mut file = File::open(path).map_err(|_| Reason::MissingMcc)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)
            .map_err(|_| Reason::Unreadable)?;

        inflate(kind, &bytes).map(Some)
    }
}

/// Inflates a payload. A payload that ends too early counts if its NBT is complete, because the
/// game stops reading there.
fn inflate(kind: u8, bytes: &[u8]) -> Result<Vec<u8>, Reason> {
    let whole = inflate_whole(kind, bytes);
    if whole != Err(Reason::Inflate) {
        return whole;
    }

    let early = match kind {
        1 => gzip_header(bytes).and_then(|header| {
            inflate_early(&bytes[header..], |plain| {
                let mut crc = flate2::Crc::new();
                crc.update(plain);
                [crc.sum().to_le_bytes(), crc.amount().to_le_bytes()].concat()
            })
        }),
        2 => zlib_body(bytes)
            .and_then(|body| inflate_early(body, |plain| adler32(plain).to_be_bytes().to_vec())),
        4 => lz4(bytes, true),
        _ => None,
    };

    early
        .filter(|plain| tree::read(plain).is_ok())
        .ok_or(Reason::Inflate)
}

/// The readable part of a deflate stream without its end. The existing bytes of `trailer` must be
/// right.
fn inflate_early(body: &[u8], trailer: impl Fn(&[u8]) -> Vec<u8>) -> Option<Vec<u8>> {
    let mut stream = flate2::Decompress::new(false);
    let mut plain = Vec::new();
    loop {
        plain.reserve(1 << 16);
        let before = (stream.total_in(), stream.total_out());
        let rest = &body[before.0 as usize..];
        let status = stream
            .decompress_vec(rest, &mut plain, flate2::FlushDecompress::None)
            .ok()?;
        let rest = &body[stream.total_in() as usize..];

        if plain.len() as u64 > MOST {
            return None;
        }
        if status == flate2::Status::StreamEnd {
            let trailer = trailer(&plain);
            return (rest.len() < trailer.len() && trailer.starts_with(rest)).then_some(plain);
        }
        if (stream.total_in(), stream.total_out()) == before {
            return rest.is_empty().then_some(plain);
        }
    }
}

/// The bytes after a zlib header, which must name deflate and no dictionary.
fn zlib_body(bytes: &[u8]) -> Option<&[u8]> {
    let header = u16::from_be_bytes([*bytes.first()?, *bytes.get(1)?]);
    (header & 0x8f20 == 0x0800 && header % 31 == 0).then(|| &bytes[2..])
}

/// The length of a gzip header: ten bytes, then extra data, a name, a comment and a checksum, if
/// its flags name them.
fn gzip_header(bytes: &[u8]) -> Option<usize> {
    let flags = *bytes.get(3)?;
    let mut len = 10;
    if flags & 4 != 0 {
        len += 2 + usize::from(u16::from_le_bytes([*bytes.get(10)?, *bytes.get(11)?]));
    }

    for _ in (0..2).filter(|text| flags & 8 << text != 0) {
        len += bytes.get(len..)?.iter().position(|byte| *byte == 0)? + 1;
    }

    if flags & 2 != 0 {
        len += 2;
    }

    (bytes.starts_with(b"\x1f\x8b\x08") && flags & 0xe0 == 0 && len <= bytes.len()).then_some(len)
}

fn adler32(bytes: &[u8]) -> u32 {
    let (a, b) = bytes.iter().fold((1, 0), |(a, b), byte| {
        let a = (a + u32::from(*byte)) % 65_521;
        (a, (a + b) % 65_521)
    });
    b << 16 | a
}

fn inflate_whole(kind: u8, bytes: &[u8]) -> Result<Vec<u8>, Reason> {
    match kind {
        1 => gunzip(bytes),
        2 => drain(flate2::read::ZlibDecoder::new(bytes)),
        3 => drain(bytes),
        4 => lz4(bytes, false).ok_or(Reason::Inflate),
        _ => Err(Reason::Compression),
    }
}

/// Inflates all members of a gzip stream. Bytes after the last member are ignored if they are too
/// short or do not begin like a member.
fn gunzip(mut bytes: &[u8]) -> Result<Vec<u8>, Reason> {
    let mut plain = Vec::new();
    loop {
        let mut member = flate2::bufread::GzDecoder::new(bytes);
        plain.extend(drain(&mut member)?);
        if plain.len() as u64 > MOST {
            return Err(Reason::TooLarge);
        }
        bytes = member.into_inner();
        if bytes.len() < 20 || !bytes.starts_with(b"\x1f\x8b\x08") {
            return Ok(plain);
        }
    }
}

fn drain(reader: impl Read) -> Result<Vec<u8>, Reason> {
    let mut plain = Vec::new();
    reader
        .take(MOST + 1)
        .read_to_end(&mut plain)
        .map_err(|_| Reason::Inflate)?;
    if plain.len() as u64 > MOST {
        Err(Reason::TooLarge)
    } else {
        Ok(plain)
    }
}

/// lz4-java's stream of blocks. It may end without the empty block. A block that does not match its
/// checksum is damage. So is a cut block, unless the stream may end early.
fn lz4(mut bytes: &[u8], may_end_early: bool) -> Option<Vec<u8>> {
    let mut plain = Vec::new();
    while !bytes.is_empty() {
        let Some((header, rest)) = bytes.split_at_checked(21) else {
            return may_end_early.then_some(plain);
        };

        let word = |at: usize| Some(u32::from_le_bytes(header[at..at + 4].try_into().ok()?));
        let (stored, whole, checksum) = (word(9)? as usize, word(13)? as usize, word(17)?);

        if &header[..8] != b"LZ4Block" {
            return None;
        }
        if stored == 0 && whole == 0 {
            break;
        }
        if stored > 1 << 25 || whole > 1 << 25 {
            return None;
        }
        let Some((block, rest)) = rest.split_at_checked(stored) else {
            return may_end_early.then_some(plain);
        };
        if whole as u64 + plain.len() as u64 > MOST {
            return None;
        }

        let block = match header[8] >> 4 {
            1 if stored == whole => block.to_vec(),
            2 => lz4_flex::block::decompress(block, whole)
                .ok()
                .filter(|block| block.len() == whole)?,
            _ => return None,
        };

        let mut hash = twox_hash::XxHash32::with_seed(0x9747_b28c);
        hash.write(&block);

        if hash.finish() as u32 & 0x0fff_ffff != checksum {
            return None;
        }

        plain.extend(block);
        bytes = rest;
    }

    Some(plain)
}
