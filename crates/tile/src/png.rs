//! Writes the structure of a PNG: its signature, its chunks with length, kind and checksum, and the
//! start and the end of a picture that is written in strips.

use super::pixel_size::PixelSize;

pub(super) const SIGNATURE: [u8; 8] = [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n'];
/// Fields of the header: 8 bits per channel, RGBA, deflate, the standard filter method, not
/// interlaced.
const RGBA: [u8; 5] = [8, 6, 0, 0, 0];
/// An empty last block of deflate, in the fixed code.
const STREAM_END: [u8; 2] = [3, 0];

/// Returns the start of a PNG of this size. `texts` are pairs of a keyword and a line, in Latin-1.
/// The strips of the picture follow.
pub fn png_start(PixelSize { width, height }: PixelSize, texts: &[(&str, String)]) -> Vec<u8> {
    let mut png = SIGNATURE.to_vec();
    let mut form = Vec::from(width.to_be_bytes());
    form.extend(height.to_be_bytes());
    form.extend(RGBA);
    chunk(&mut png, *b"IHDR", &form);

    for (keyword, text) in texts {
        let latin = text
            .chars()
            .map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?'));
        chunk(
            &mut png,
            *b"tEXt",
            &keyword.bytes().chain([0]).chain(latin).collect::<Vec<_>>(),
        );
    }

    png
}

/// Returns the end of a PNG whose strips have this Adler-32 checksum together.
pub fn png_end(adler: u32) -> Vec<u8> {
    let mut png = Vec::new();
    chunk(
        &mut png,
        *b"IDAT",
        &[&STREAM_END[..], &adler.to_be_bytes()].concat(),
    );
    chunk(&mut png, *b"IEND", &[]);
    png
}

pub(super) fn chunk(png: &mut Vec<u8>, kind: [u8; 4], body: &[u8]) {
    let start = begin_chunk(png, kind);
    png.extend_from_slice(body);
    end_chunk(png, start);
}

/// Starts a chunk whose body is added afterwards. Returns its position.
pub(super) fn begin_chunk(png: &mut Vec<u8>, kind: [u8; 4]) -> usize {
    let start = png.len();
    png.extend_from_slice(&[0; 4]);
    png.extend_from_slice(&kind);
    start
}

/// Ends the chunk that starts at `start`: writes its length there, and adds its checksum. No tile
/// or strip can reach the format's limit of 2^31 - 1 bytes.
pub(super) fn end_chunk(png: &mut Vec<u8>, start: usize) {
    let len = (png.len() - start - 8) as u32;
    png[start..start + 4].copy_from_slice(&len.to_be_bytes());
    let check = crc32fast::hash(&png[start + 4..]);
    png.extend_from_slice(&check.to_be_bytes());
}
