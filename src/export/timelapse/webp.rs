//! An animated WebP without loss. Each frame has only the rectangle in which it differs from the frame before; in it,
//! what does not differ is transparent, and shows what is there.
//!
//! Source: <https://developers.google.com/speed/webp/docs/riff_container>

use super::frames::{Frame, Frames, Rectangle};
use super::pace::HeldPicture;
use crate::export::{ExportError, PictureError};
use crate::store::PartialFile;
use crate::tile::{PixelSize, encode_webp};

/// Units of time a second.
const UNITS: f64 = 1000.0;
/// Bytes of a file of one picture before its chunk `VP8L`: `RIFF`, a length and `WEBP`.
const FILE_HEAD: usize = 12;
/// Bytes of a chunk before its content: its name and its length.
const CHUNK_HEAD: usize = 8;
/// Bits of the chunk `VP8X`: there is an animation, and there are transparent pixels.
const ANIMATION: u8 = 1 << 1;
const ALPHA: u8 = 1 << 4;
/// Bit of a frame: it replaces what is there, also where it is transparent.
const REPLACES: u8 = 1 << 1;
/// The largest time of a frame, in 24 bits.
const MOST_TIME: u32 = (1 << 24) - 1;

/// A part of a frame that is encoded.
struct Part {
    place: Rectangle,
    is_whole: bool,
    /// The chunk `VP8L`.
    chunk: Vec<u8>,
}

/// Writes the animation.
///
/// # Errors
/// A frame cannot be made, the file would be larger than the format allows, or it cannot be written.
pub(super) fn write(frames: &mut Frames<'_>, file: &mut PartialFile) -> Result<(), ExportError> {
    let mut held = HeldPicture::new(frames.plan.pace(UNITS));
    let head = head(frames.plan.size());
    file.add(&head)?;
    let mut len = head.len() as u64;
    while let Some(frame) = frames.next()? {
        let Some(place) = frame.changed() else { continue };
        let part = encode(&frame, place).map_err(|error| file.failed(error))?;
        if let Some((part, time)) = held.replace(frame.number, part) {
            len += put(&part, time, file)?;
        }
    }
    if let Some((part, time)) = held.end(frames.count) {
        len += put(&part, time, file)?;
    }
    let len = u32::try_from(len - CHUNK_HEAD as u64).map_err(|_| ExportError::Picture(PictureError::LongAnimation))?;
    Ok(file.replace(4, &len.to_le_bytes())?)
}

/// Writes a frame, and returns its length in the file.
fn put(part: &Part, time: u32, file: &mut PartialFile) -> Result<u64, ExportError> {
    let frame = part.frame(time);
    file.add(&frame)?;
    Ok(frame.len() as u64)
}

/// The file before its frames, with no length.
fn head(PixelSize { width, height }: PixelSize) -> Vec<u8> {
    let [width, height] = [width, height].map(|side| (side - 1).to_le_bytes());
    let canvas =
        [[ANIMATION | ALPHA, 0, 0, 0], [width[0], width[1], width[2], height[0]], [height[1], height[2], 0, 0]];
    let mut head = b"RIFF\0\0\0\0WEBP".to_vec();
    chunk(&mut head, *b"VP8X", &canvas.as_flattened()[..10]);
    // A background that is transparent, and shown again and again without end.
    chunk(&mut head, *b"ANIM", &[0; 6]);
    head
}

/// Adds a chunk whose content is even.
fn chunk(bytes: &mut Vec<u8>, name: [u8; 4], content: &[u8]) {
    bytes.extend(name);
    bytes.extend((content.len() as u32).to_le_bytes());
    bytes.extend(content);
}

/// Encodes a part of a frame, which begins in an even column and row, as the format wants it.
fn encode(frame: &Frame<'_>, changed: Rectangle) -> std::io::Result<Part> {
    let Rectangle { x, y, width, height } = changed;
    let place = Rectangle { x: x & !1, y: y & !1, width: width + (x & 1), height: height + (y & 1) };
    let mut is_whole = true;
    let mut rgba = Vec::with_capacity(place.width * place.height * 4);
    for colour in frame.changes(place) {
        is_whole &= colour.is_some();
        rgba.extend(colour.map_or([0; 4], |[red, green, blue]| [red, green, blue, 255]));
    }
    let mut chunk = Vec::new();
    encode_webp(&rgba, (place.width as u32, place.height as u32).into(), &mut chunk)?;
    chunk.drain(..FILE_HEAD);
    Ok(Part { place, is_whole, chunk })
}

impl Part {
    /// The chunk of the frame, which is shown for so long.
    fn frame(&self, time: u32) -> Vec<u8> {
        let Rectangle { x, y, width, height } = self.place;
        let mut content = Vec::with_capacity(self.chunk.len() + 16);
        for number in [x / 2, y / 2, width - 1, height - 1, time.min(MOST_TIME) as usize] {
            content.extend(&(number as u32).to_le_bytes()[..3]);
        }
        content.push(if self.is_whole { REPLACES } else { 0 });
        content.extend(&self.chunk);
        let mut frame = Vec::with_capacity(content.len() + CHUNK_HEAD);
        chunk(&mut frame, *b"ANMF", &content);
        frame
    }
}
