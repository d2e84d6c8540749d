//! Writes an animated GIF. Each frame has a palette of its own, and contains only the rectangle in
//! which it differs from the previous frame. Unchanged pixels in this rectangle are transparent, so
//! that they keep their colours.

use std::io;

use gif::{DisposalMethod, Encoder, EncodingError, Frame as Image, Repeat};

use super::colours::FramePalette;
use super::frames::{Frames, Rectangle, TimelapseFrame};
use super::pace::HeldPicture;
use crate::export::error::ExportError;
use crate::store::NewFile;
use pixelmap_tile::PixelSize;

/// Units of time per second.
const UNITS: f64 = 100.0;

/// Writes the animation.
///
/// # Errors
/// Fails if a frame cannot be made, or if the file cannot be written.
pub(super) fn write(frames: &mut Frames<'_>, file: &mut NewFile) -> Result<(), ExportError> {
    let mut held = HeldPicture::new(frames.plan.pace(UNITS));

    let PixelSize { width, height } = frames.plan.size();
    let begun = Encoder::new(Vec::new(), width as u16, height as u16, &[]);
    let mut gif = begun
        .and_then(|mut gif| gif.set_repeat(Repeat::Infinite).map(|()| gif))
        .map_err(failed(file))?;
    while let Some(frame) = frames.next()? {
        let Some(part) = frame.changed() else {
            continue;
        };
        if let Some((image, time)) = held.replace(frame.number, image(&frame, part)) {
            put(&mut gif, image, time, file)?;
        }
    }

    if let Some((image, time)) = held.end(frames.count) {
        put(&mut gif, image, time, file)?;
    }

    let end = gif.into_inner().map_err(failed(file))?;
    Ok(file.add(&end)?)
}

/// Compresses the changed part of a frame.
fn image(frame: &TimelapseFrame<'_>, part: Rectangle) -> Image<'static> {
    let palette = FramePalette::new(frame.changes(part).flatten());
    let mut image = Image {
        left: part.x as u16,
        top: part.y as u16,
        width: part.width as u16,
        height: part.height as u16,
        dispose: DisposalMethod::Keep,
        transparent: Some(palette.transparent()),
        buffer: frame
            .changes(part)
            .map(|colour| palette.index(colour))
            .collect(),
        palette: Some(palette.rgb),
        ..Image::default()
    };

    image.make_lzw_pre_encoded();
    image
}

fn put(
    gif: &mut Encoder<Vec<u8>>,
    image: Image<'static>,
    time: u32,
    file: &mut NewFile,
) -> Result<(), ExportError> {
    let image = Image {
        delay: u16::try_from(time).unwrap_or(u16::MAX),
        ..image
    };

    gif.write_lzw_pre_encoded_frame(&image)
        .map_err(failed(file))?;
    let bytes = std::mem::take(gif.get_mut());
    Ok(file.add(&bytes)?)
}

/// Returns a function that turns an encoding error into an error of this file.
fn failed(file: &NewFile) -> impl Fn(EncodingError) -> ExportError {
    |error| {
        file.failed(match error {
            EncodingError::Io(error) => error,
            other => io::Error::other(other),
        })
        .into()
    }
}
