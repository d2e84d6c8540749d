//! Writes an animated lossless WebP. Each frame contains only the rectangle in which it differs
//! from the previous frame. Unchanged pixels in this rectangle are transparent, so that the
//! previous frame stays visible there.
//!
//! Source: <https://developers.google.com/speed/webp/docs/riff_container>

use super::frames::{Frames, Rectangle, TimelapseFrame};
use super::pace::HeldPicture;
use crate::export::error::ExportError;
use crate::export::pictures::grid::PictureError;
use crate::store::NewFile;
use pixelmap_tile::{PixelSize, encode_webp};

/// Units of time per second.
const UNITS: f64 = 1000.0;
/// The bytes of a file with one picture before its chunk `VP8L`: `RIFF`, a length and `WEBP`.
const FILE_HEAD: usize = 12;
/// The bytes of a chunk before its content: its name and its length.
const CHUNK_HEAD: usize = 8;
/// Bits of the chunk `VP8X`: the file has an animation, and it has transparent pixels.
const ANIMATION: u8 = 1 << 1;
const ALPHA: u8 = 1 << 4;
/// Bit of a frame that replaces the previous pixels instead of blending over them.
const REPLACES: u8 = 1 << 1;
/// The longest duration of a frame, which has 24 bits.
const MOST_TIME: u32 = (1 << 24) - 1;

/// The encoded changed part of a frame.
struct ChangedPart {
    rectangle: Rectangle,
    is_whole: bool,
    /// The chunk `VP8L`.
    chunk: Vec<u8>,
}

/// Writes the animation.
///
/// # Errors
/// Fails if a frame cannot be made, if the file would be larger than the format allows, or if it
/// cannot be written.
pub(super) fn write(frames: &mut Frames<'_>, file: &mut NewFile) -> Result<(), ExportError> {
    let mut held = HeldPicture::new(frames.plan.pace(UNITS));
    let head = head(frames.plan.size());
    file.add(&head)?;

    let mut len = head.len() as u64;
    while let Some(frame) = frames.next()? {
        let Some(rectangle) = frame.changed() else {
            continue;
        };
        let part = encode(&frame, rectangle).map_err(|error| file.failed(error))?;
        if let Some((part, time)) = held.replace(frame.number, part) {
            len += put(&part, time, file)?;
        }
    }

    if let Some((part, time)) = held.end(frames.count) {
        len += put(&part, time, file)?;
    }

    let len = u32::try_from(len - CHUNK_HEAD as u64)
        .map_err(|_| ExportError::Picture(PictureError::LongAnimation))?;

    Ok(file.replace(4, &len.to_le_bytes())?)
}

/// Writes a frame, and returns its length in the file.
fn put(part: &ChangedPart, time: u32, file: &mut NewFile) -> Result<u64, ExportError> {
    let frame = part.frame(time);
    file.add(&frame)?;
    Ok(frame.len() as u64)
}

/// Returns the start of the file before its frames. The length in it is 0, and is filled in when
/// all frames are written.
fn head(PixelSize { width, height }: PixelSize) -> Vec<u8> {
    let [width, height] = [width, height].map(|side| (side - 1).to_le_bytes());
    let canvas = [
        [ANIMATION | ALPHA, 0, 0, 0],
        [width[0], width[1], width[2], height[0]],
        [height[1], height[2], 0, 0],
    ];
    let mut head = b"RIFF\0\0\0\0WEBP".to_vec();
    chunk(&mut head, *b"VP8X", &canvas.as_flattened()[..10]);

    // The zeros mean a transparent background and an endless loop.
    chunk(&mut head, *b"ANIM", &[0; 6]);

    head
}

/// Adds a chunk. The length of its content must be even, because no padding is added.
fn chunk(bytes: &mut Vec<u8>, name: [u8; 4], content: &[u8]) {
    bytes.extend(name);
    bytes.extend((content.len() as u32).to_le_bytes());
    bytes.extend(content);
}

/// Encodes a part of a frame. The part is extended so that it starts in an even column and row,
/// because the format stores half of these coordinates.
fn encode(frame: &TimelapseFrame<'_>, changed: Rectangle) -> std::io::Result<ChangedPart> {
    let Rectangle {
        x,
        y,
        width,
        height,
    } = changed;

    let rectangle = Rectangle {
        x: x & !1,
        y: y & !1,
        width: width + (x & 1),
        height: height + (y & 1),
    };

    let mut is_whole = true;
    let mut rgba = Vec::with_capacity(rectangle.width * rectangle.height * 4);
    for colour in frame.changes(rectangle) {
        is_whole &= colour.is_some();
        rgba.extend(colour.map_or([0; 4], |[red, green, blue]| [red, green, blue, 255]));
    }

    let mut chunk = Vec::new();
    encode_webp(
        &rgba,
        (rectangle.width as u32, rectangle.height as u32).into(),
        &mut chunk,
    )?;
    chunk.drain(..FILE_HEAD);

    Ok(ChangedPart {
        rectangle,
        is_whole,
        chunk,
    })
}

impl ChangedPart {
    /// Returns the chunk of the frame, which is shown for `time` units.
    fn frame(&self, time: u32) -> Vec<u8> {
        let Rectangle {
            x,
            y,
            width,
            height,
        } = self.rectangle;

        let mut content = Vec::with_capacity(self.chunk.len() + 16);
        for number in [
            x / 2,
            y / 2,
            width - 1,
            height - 1,
            time.min(MOST_TIME) as usize,
        ] {
            content.extend(&(number as u32).to_le_bytes()[..3]);
        }

        content.push(if self.is_whole { REPLACES } else { 0 });
        content.extend(&self.chunk);
        let mut frame = Vec::with_capacity(content.len() + CHUNK_HEAD);
        chunk(&mut frame, *b"ANMF", &content);

        frame
    }
}
