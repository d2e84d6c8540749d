//! Makes the frames of a time-lapse, one after the other. The modules for the formats decide how
//! much of each frame they store.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::plan::TimelapsePlan;
use crate::atlas::{FinishedMap, MapFolder, Moment};
use crate::export::error::ExportError;
use crate::export::layer::ExportLayer;
use crate::export::pictures::grid::PictureError;
use crate::export::workers::Workers;
use pixelmap_base::coord::TilePos;
use pixelmap_tile::PixelSize;

/// Bytes of a pixel.
const RGBA: usize = 4;

/// The counts of a finished time-lapse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimelapseCounts {
    pub frames: u64,
    /// Moments without a frame, because nothing changed.
    pub left_out: u64,
    /// The length of the file, or of all frames together, in bytes.
    pub bytes: u64,
}

/// Makes the frames of the remaining moments.
pub(super) struct Frames<'a> {
    pub(super) plan: &'a TimelapsePlan<'a>,
    pub(super) workers: &'a Workers<'a>,
    moments: std::slice::Iter<'a, Moment>,
    /// The tiles from which the last frame was made, with the hashes of their pixels.
    tiles: BTreeMap<TilePos, u64>,
    /// The last frame; empty before the first one.
    pixels: Vec<u8>,
    pub(super) count: u64,
    left_out: u64,
}

/// One frame. All of its pixels are opaque.
pub(super) struct TimelapseFrame<'f> {
    /// Its number, counted from 0.
    pub(super) number: u64,
    pub(super) moment: &'f Moment,
    pub(super) size: PixelSize,
    /// RGBA `[y][x]`.
    pub(super) pixels: &'f [u8],
    /// The pixels of the previous frame; empty for the first frame.
    before: Vec<u8>,
}

/// A rectangle of pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rectangle {
    pub(super) x: usize,
    pub(super) y: usize,
    pub(super) width: usize,
    pub(super) height: usize,
}

impl<'a> Frames<'a> {
    pub(super) fn new(plan: &'a TimelapsePlan<'a>, workers: &'a Workers<'a>) -> Self {
        let moments = plan.range.moments.iter();
        workers.pieces.expect(moments.len() as u64);
        Self {
            plan,
            workers,
            moments,
            tiles: BTreeMap::new(),
            pixels: Vec::new(),
            count: 0,
            left_out: 0,
        }
    }

    /// Makes the next frame. Returns `None` if there are no more frames, or if the export was
    /// stopped.
    ///
    /// # Errors
    /// Fails if a moment cannot be read, or if a tile differs from its record in the manifest.
    pub(super) fn next(&mut self) -> Result<Option<TimelapseFrame<'_>>, ExportError> {
        let picture = &self.plan.picture;
        while let Some(moment) = self.moments.next() {
            self.workers.pieces.end(1);

            let map = FinishedMap::Folder(MapFolder::open_at(&self.plan.range.root, moment.id)?);
            let map = match self.changed_map(&self.layer(&map)?)? {
                _ if (self.workers.is_stopped)() => return Ok(None),
                Some(map) => map,
                None if self.plan.options.holds_unchanged => self.map().to_vec(),
                None => {
                    self.left_out += 1;
                    continue;
                }
            };

            let before = std::mem::replace(&mut self.pixels, map);
            self.pixels
                .extend(picture.foot_pixels(self.caption(moment)));

            self.count += 1;
            let (number, size, pixels) = (self.count - 1, picture.size(), &self.pixels);
            return Ok(Some(TimelapseFrame {
                number,
                moment,
                size,
                pixels,
                before,
            }));
        }

        Ok(None)
    }

    /// Returns the layer of an earlier map, without tiles if that map did not show it.
    fn layer<'m>(&self, map: &'m FinishedMap) -> Result<ExportLayer<'m>, ExportError>
    where
        'a: 'm,
    {
        match map.layers().find(|layer| layer.is_same(&self.plan.layer)) {
            Some(layer) => ExportLayer::open_for_picture(layer),
            None => Ok(ExportLayer {
                finished: self.plan.layer,
                tiles: Cow::Owned(BTreeMap::new()),
            }),
        }
    }

    /// Returns the pixels of the map if they differ from the last frame. Before the first frame,
    /// the map counts as empty. Also returns `None` if the export was stopped.
    fn changed_map(&mut self, layer: &ExportLayer<'_>) -> Result<Option<Vec<u8>>, ExportError> {
        let grid = self.plan.picture.grid();
        let tiles = layer.sources(grid.zoom().0, grid.area);
        let is_first = self.pixels.is_empty();

        // If unchanged moments have frames, the first moment has one even if it shows nothing.
        if tiles == self.tiles && !(is_first && self.plan.options.holds_unchanged) {
            return Ok(None);
        }

        self.tiles = tiles;
        let pixels = self.plan.picture.map_pixels(layer, self.workers)?;

        Ok(pixels.filter(|pixels| is_first || *pixels != self.map()))
    }

    /// Returns the part of the last frame that is the map.
    fn map(&self) -> &[u8] {
        let grid = self.plan.picture.grid();
        &self.pixels[..grid.width as usize * grid.height as usize * RGBA]
    }

    /// Returns the text below a frame: the title, the time of the moment, and its label.
    fn caption(&self, moment: &Moment) -> String {
        let time = moment.time_text();
        let minute = time.get(..16).unwrap_or(&time).replace('T', " ");
        let texts = [
            self.plan.options.picture.poster.title.clone(),
            Some(minute),
            moment.label.clone(),
        ];
        texts
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" \u{b7} ")
    }

    /// Returns the counts of all frames once they are made, or `None` if the export was stopped.
    /// The bytes are not counted here.
    ///
    /// # Errors
    /// Fails if there is no frame.
    pub(super) fn end(&self) -> Result<Option<TimelapseCounts>, ExportError> {
        if (self.workers.is_stopped)() {
            return Ok(None);
        }
        if self.count == 0 {
            return Err(ExportError::Picture(PictureError::Nothing));
        }

        Ok(Some(TimelapseCounts {
            frames: self.count,
            left_out: self.left_out,
            bytes: 0,
        }))
    }
}

impl TimelapseFrame<'_> {
    /// Returns the rectangle around all pixels that differ from the previous frame, or `None` if
    /// all are equal. The first frame has changed as a whole.
    pub(super) fn changed(&self) -> Option<Rectangle> {
        let width = self.size.width as usize;
        let height = self.size.height as usize;
        if self.before.is_empty() {
            return Some(Rectangle {
                x: 0,
                y: 0,
                width,
                height,
            });
        }

        let rows = || {
            self.pixels
                .chunks_exact(width * RGBA)
                .zip(self.before.chunks_exact(width * RGBA))
        };

        let differ = |(now, before): (&[u8], &[u8])| now != before;

        let top = rows().position(differ)?;
        let bottom = rows().rposition(differ)?;
        let (mut left, mut right) = (width, 0);
        for (now, before) in rows().skip(top).take(bottom + 1 - top) {
            let pixels = || {
                now.as_chunks::<RGBA>()
                    .0
                    .iter()
                    .zip(before.as_chunks::<RGBA>().0)
            };

            left = left.min(
                pixels()
                    .position(|(now, before)| now != before)
                    .unwrap_or(width),
            );

            right = right.max(
                pixels()
                    .rposition(|(now, before)| now != before)
                    .unwrap_or(0),
            );
        }

        Some(Rectangle {
            x: left,
            y: top,
            width: right + 1 - left,
            height: bottom + 1 - top,
        })
    }

    /// Returns the colours in a rectangle, row by row, with `None` for pixels that are equal in the
    /// previous frame.
    pub(super) fn changes(&self, part: Rectangle) -> impl Iterator<Item = Option<[u8; 3]>> {
        let pixels = self.pixels.as_chunks::<RGBA>().0;
        let before = self.before.as_chunks::<RGBA>().0;
        let width = self.size.width as usize;
        let indices = (part.y..part.y + part.height)
            .flat_map(move |y| y * width + part.x..y * width + part.x + part.width);
        indices.map(move |at| {
            let [red, green, blue, _] = pixels[at];
            (before.get(at) != Some(&pixels[at])).then_some([red, green, blue])
        })
    }
}
