//! Writes a folder with the frames of a time-lapse, `frame-00001.png` and so on, for programs that
//! make videos. All frames are published in one commit, so the folder never mixes two time-lapses.

use std::path::Path;

use rayon::iter::{IndexedParallelIterator as _, ParallelIterator as _};
use rayon::slice::ParallelSlice as _;

use super::frames::{Frames, TimelapseFrame};
use super::plan::TimelapsePlan;
use crate::atlas::{Content, FinishedMap, FrameList};
use crate::export::error::ExportError;
use crate::export::pictures::picture::picture_texts;
use crate::export::source::world;
use crate::store::{Commit, Output, PublishError, Put, WantedNaming};
use pixelmap_tile::{Adler, Pixel, Strip, StripEncoder, png_end, png_start};

/// The rows of pixels that a worker deflates at once.
const STRIP_ROWS: usize = 64;

/// Opens and locks a folder for the frames of a map, and creates it if it does not exist.
///
/// # Errors
/// Fails if the folder is not ours, holds something else, shows another world, is in use by another
/// run, is inside the world, or cannot be created.
pub fn open_frames(path: &Path, map: &FinishedMap) -> Result<Output, PublishError> {
    Output::open_for(
        Content::Frames,
        WantedNaming::default(),
        path,
        &world(map)?,
        &[],
    )
}

/// The staged frames of a time-lapse.
pub(super) struct StagedFrames {
    list: FrameList,
    /// The names of the frames that the folder does not already have.
    new: Vec<String>,
    /// Bytes of all frames.
    pub(super) bytes: u64,
}

/// Makes and stages all frames.
///
/// # Errors
/// Fails if a frame cannot be made, or if a file cannot be written.
pub(super) fn stage(frames: &mut Frames<'_>, output: &Output) -> Result<StagedFrames, ExportError> {
    let TimelapsePlan { layer, .. } = frames.plan;
    let list = FrameList {
        name: layer.map.facts().name.clone(),
        dimension: layer.dimension.id.clone(),
        layer: layer.facts.id.clone(),
        frames: Vec::new(),
    };

    let mut staged = StagedFrames {
        list,
        new: Vec::new(),
        bytes: 0,
    };

    let texts = picture_texts(
        &layer.dimension.id,
        &layer.facts.id,
        frames.plan.picture.grid(),
    );

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
    /// Publishes the frames, and removes the surplus frames of an earlier, longer time-lapse.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub(super) fn commit(&self, output: &Output) -> Result<(), ExportError> {
        let earlier = FrameList::read(output.folder())
            .map_err(|error| PublishError::Io(output.root().join(FrameList::FILE), error))?;
        let mut commit = Commit::new(output);
        self.new
            .iter()
            .try_for_each(|name| commit.put_staged(name))?;
        commit.put(FrameList::FILE, self.list.json().as_bytes())?;

        for number in self.list.frames.len()..earlier.unwrap_or_default().frames.len() {
            commit.remove(&FrameList::file_name(number + 1))?;
        }

        Ok(commit.carry_out()?)
    }
}

/// Encodes a frame as PNG in the caller's thread pool.
fn png(frame: &TimelapseFrame<'_>, texts: &[(&'static str, String)]) -> Vec<u8> {
    let row = frame.size.width as usize * 4;
    let strips = frame.pixels.par_chunks(row * STRIP_ROWS).enumerate();
    let strips = strips.map_init(StripEncoder::png, |encoder, (number, rows)| {
        encoder.start(number == 0);

        for row in rows.chunks_exact(row) {
            let pixels: Vec<Pixel> = row
                .as_chunks()
                .0
                .iter()
                .map(|&rgba| Pixel::new(rgba))
                .collect();
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

    png.extend(png_end(adler.sum()));
    png
}
