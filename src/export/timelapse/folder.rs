//! A folder with the frames of a time-lapse, `frame-00001.png` and so on, for programs that make videos. They take their
//! places in one commit.

use std::path::Path;

use rayon::iter::{IndexedParallelIterator as _, ParallelIterator as _};
use rayon::slice::ParallelSlice as _;

use super::TimelapsePlan;
use super::frames::{Frame, Frames};
use crate::atlas::{Content, FinishedMap, FrameList};
use crate::export::{ExportError, picture_texts, world};
use crate::store::{Commit, Output, PublishError, Put, WantedNaming};
use crate::tile::{Adler, Pixel, Strip, StripEncoder, png_end, png_start};

/// Rows of pixels that a worker deflates at once.
const STRIP_ROWS: usize = 64;

/// Takes hold of a folder for the frames of a map, making it if it is not there.
///
/// # Errors
/// The folder is not ours, holds something else or shows another world, another run holds it, it lies in the world, or
/// it cannot be made.
pub fn open_frames(path: &Path, map: &FinishedMap) -> Result<Output, PublishError> {
    Output::open_for(Content::Frames, WantedNaming::default(), path, &world(map)?, &[])
}

/// Frames that are staged.
pub(super) struct StagedFrames {
    list: FrameList,
    /// The names of those that are not in their places already.
    new: Vec<String>,
    /// Bytes of all frames.
    pub(super) bytes: u64,
}

/// Stages all frames.
///
/// # Errors
/// A frame cannot be made, or a file cannot be written.
pub(super) fn stage(frames: &mut Frames<'_>, output: &Output) -> Result<StagedFrames, ExportError> {
    let TimelapsePlan { layer, .. } = frames.plan;
    let list = FrameList {
        name: layer.map.facts().name.clone(),
        dimension: layer.dimension.id.clone(),
        layer: layer.facts.id.clone(),
        frames: Vec::new(),
    };
    let mut staged = StagedFrames { list, new: Vec::new(), bytes: 0 };
    let texts = picture_texts(&layer.dimension.id, &layer.facts.id, frames.plan.picture.grid());
    while let Some(frame) = frames.next()? {
        let png = png(&frame, &texts);
        let name = staged.list.add(frame.moment);
        if output.stage(name, &png, |_| Ok(()))? == Put::Written {
            staged.new.push(name.to_owned());
        }
        staged.bytes += png.len() as u64;
    }
    Ok(staged)
}

impl StagedFrames {
    /// Puts the frames in their places, and removes those of earlier time-lapses that are more.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(super) fn commit(&self, output: &Output) -> Result<(), ExportError> {
        let earlier = FrameList::read(output.root())
            .map_err(|error| PublishError::Io(output.root().join(FrameList::FILE), error))?;
        let mut commit = Commit::new(output)?;
        self.new.iter().try_for_each(|name| commit.put_staged(name))?;
        commit.put(FrameList::FILE, self.list.json().as_bytes())?;
        for number in self.list.frames.len()..earlier.unwrap_or_default().frames.len() {
            commit.remove(&FrameList::file_name(number + 1))?;
        }
        Ok(commit.carry_out()?)
    }
}

/// Encodes a frame, in the threads that this is called in.
fn png(frame: &Frame<'_>, texts: &[(&'static str, String)]) -> Vec<u8> {
    let row = frame.size.width as usize * 4;
    let strips = frame.pixels.par_chunks(row * STRIP_ROWS).enumerate();
    let strips = strips.map_init(StripEncoder::png, |encoder, (number, rows)| {
        encoder.start(number == 0);
        for row in rows.chunks_exact(row) {
            let pixels: Vec<Pixel> = row.as_chunks().0.iter().map(|&rgba| Pixel::new(rgba)).collect();
            encoder.row(&pixels);
        }
        encoder.end()
    });
    let mut adler = Adler::default();
    let mut png = png_start(frame.size, texts);
    for strip in strips.collect::<Vec<Strip>>() {
        adler = adler.followed_by(strip.adler);
        png.extend(strip.bytes);
    }
    png.extend(png_end(adler));
    png
}
