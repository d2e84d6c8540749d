//! The frame of a PNG: its signature, and chunks with their length, kind and checksum. And how a picture that comes in
//! strips begins and ends.

use super::{Adler, PixelSize};

pub(super) const SIGNATURE: [u8; 8] = [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n'];
/// 8 bits per channel, RGBA, deflate, no filters but those that rows name, not interlaced.
const RGBA: [u8; 5] = [8, 6, 0, 0, 0];
/// An empty last block of deflate, in the fixed code.
const STREAM_END: [u8; 2] = [3, 0];

/// The beginning of a PNG of this size, with texts: a keyword and a line each, in Latin-1. Its strips
/// follow.
pub fn png_start(PixelSize { width, height }: PixelSize, texts: &[(&str, String)]) -> Vec<u8> {
    let mut png = SIGNATURE.to_vec();
    let mut form = Vec::from(width.to_be_bytes());
    form.extend(height.to_be_bytes());
    form.extend(RGBA);
    chunk(&mut png, *b"IHDR", &form);
    for (keyword, text) in texts {
        let latin = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?'));
        chunk(&mut png, *b"tEXt", &keyword.bytes().chain([0]).chain(latin).collect::<Vec<_>>());
    }
    png
}

/// The end of a PNG whose strips have this checksum.
pub fn png_end(adler: Adler) -> Vec<u8> {
    let mut png = Vec::new();
    chunk(&mut png, *b"IDAT", &[&STREAM_END[..], &adler.sum().to_be_bytes()].concat());
    chunk(&mut png, *b"IEND", &[]);
    png
}

pub(super) fn chunk(png: &mut Vec<u8>, kind: [u8; 4], body: &[u8]) {
    let start = begin_chunk(png, kind);
    png.extend_from_slice(body);
    end_chunk(png, start);
}

/// Begins a chunk whose body is added afterwards. Returns its start.
pub(super) fn begin_chunk(png: &mut Vec<u8>, kind: [u8; 4]) -> usize {
    let start = png.len();
    png.extend_from_slice(&[0; 4]);
    png.extend_from_slice(&kind);
    start
}

/// Ends the chunk that begins at `start`: writes its length there, and adds its checksum. The format's limit of 2^31 -
/// 1 bytes is far beyond a tile or a strip.
pub(super) fn end_chunk(png: &mut Vec<u8>, start: usize) {
    let len = (png.len() - start - 8) as u32;
    png[start..start + 4].copy_from_slice(&len.to_be_bytes());
    let check = crc32fast::hash(&png[start + 4..]);
    png.extend_from_slice(&check.to_be_bytes());
}
