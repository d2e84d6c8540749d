//! Writes worlds as before Beta 1.3: one file per chunk, and level.dat.

use super::chunk::ChunkSpec;
use super::files::Files;
use super::nbt::Tag;
use super::payload::gzip;

/// The path of a chunk's file below its dimension's folder.
pub fn path(x: i32, z: i32) -> String {
    format!(
        "{}/{}/c.{}.{}.dat",
        base36(x & 63),
        base36(z & 63),
        base36(x),
        base36(z)
    )
}

fn base36(number: i32) -> String {
    let (sign, rest) = if number < 0 {
        ("-", number.unsigned_abs())
    } else {
        ("", number as u32)
    };
    let digits = (0..6)
        .rev()
        .map(|place| char::from_digit(rest / 36_u32.pow(place) % 36, 36).unwrap());
    let digits: String = digits.collect();
    let digits = digits.trim_start_matches('0');
    format!("{sign}{}", if digits.is_empty() { "0" } else { digits })
}

/// The bytes of a chunk's file.
pub fn bytes(chunk: &ChunkSpec) -> Vec<u8> {
    gzip(&chunk.nbt().document())
}

/// Adds the files of chunks to a dimension's folder, which ends with `/` or is empty.
pub fn put_chunks(files: &mut Files, folder: &str, chunks: &[ChunkSpec]) {
    for chunk in chunks {
        files.put(&format!("{folder}{}", path(chunk.x, chunk.z)), bytes(chunk));
    }
}

/// level.dat, which has neither a name nor a version.
pub fn level_dat() -> Vec<u8> {
    let data = [
        ("RandomSeed", Tag::Long(1)),
        ("SpawnX", Tag::Int(8)),
        ("SpawnY", Tag::Int(66)),
        ("SpawnZ", Tag::Int(-8)),
        ("Time", Tag::Long(24_000)),
        ("LastPlayed", Tag::Long(1_293_427_642_000)),
        ("SizeOnDisk", Tag::Long(0)),
    ];
    gzip(&Tag::compound([("Data", Tag::compound(data))]).document())
}
