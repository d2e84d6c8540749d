//! Plans a time-lapse: the moments, the layer, and the settings and size of each frame.

use std::path::PathBuf;

use super::pace::Pace;
use crate::atlas::{FinishedLayer, FinishedMap, Format, MapFolder, Moment, Moments};
use crate::export::error::ExportError;
use crate::export::layer::ExportLayer;
use crate::export::pictures::grid::PictureError;
use crate::export::pictures::picture::{PictureOptions, PicturePlan};
use pixelmap_base::coord::Area;
use pixelmap_tile::{PixelSize, WEBP_SIDE_LIMIT};

/// The most pixels of a frame. Two frames are in memory, with 4 bytes per pixel.
const FRAME_PIXELS: u64 = 64_000_000;
/// The most pixels along a side of a GIF and of a PNG.
const GIF_SIDE_LIMIT: u32 = 65_535;
const PNG_SIDE_LIMIT: u32 = (1 << 31) - 1;

/// The form of a time-lapse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimelapseKind {
    Gif,
    /// Lossless.
    Webp,
    /// A folder with one PNG per frame.
    Frames,
}

/// The settings of a time-lapse.
#[derive(Debug, Clone, PartialEq)]
pub struct TimelapseOptions {
    pub kind: TimelapseKind,
    /// The settings of each frame. Without a named background it is black, because every pixel of a
    /// frame must hide the previous frame.
    pub picture: PictureOptions,
    /// Frames per second.
    pub rate: f64,
    /// Gives a frame to moments at which nothing changed, instead of leaving them out.
    pub holds_unchanged: bool,
}

/// Consecutive moments of a map in a folder, at least one.
#[derive(Debug)]
pub struct MomentRange {
    pub(super) root: PathBuf,
    pub(super) moments: Vec<Moment>,
}

impl MomentRange {
    /// Reads the moments of a map between `from` and `to`, which are named as in
    /// [`Moments::range`].
    ///
    /// # Errors
    /// Fails if the map is an archive, is itself named by a moment, or has no such moments.
    pub fn read(
        map: &FinishedMap,
        from: Option<&str>,
        to: Option<&str>,
    ) -> Result<Self, ExportError> {
        let FinishedMap::Folder(folder) = map else {
            return Err(ExportError::TimelapseOfArchive(map.path().to_owned()));
        };

        let root = folder.root().to_owned();
        if folder.moment_id().is_some() {
            return Err(ExportError::TimelapseOfMoment(root));
        }

        let moments = Moments::open(folder.folder())?.range(from, to)?.to_vec();
        Ok(Self { root, moments })
    }

    /// Opens the map at the last of these moments.
    ///
    /// # Errors
    /// Fails if the map cannot be read.
    pub fn last_map(&self) -> Result<FinishedMap, ExportError> {
        let last = self.moments.last().map_or(0, |moment| moment.id);
        Ok(FinishedMap::Folder(MapFolder::open_at(&self.root, last)?))
    }
}

/// A checked time-lapse, which can be made.
#[derive(Debug)]
pub struct TimelapsePlan<'m> {
    pub(super) range: &'m MomentRange,
    /// The layer at the last moment.
    pub(super) layer: FinishedLayer<'m>,
    pub(super) picture: PicturePlan,
    pub(super) options: TimelapseOptions,
}

impl<'m> TimelapsePlan<'m> {
    /// Plans a time-lapse of a layer: of an area, or of the area that a picture of the last moment
    /// shows. `layer` must belong to [`MomentRange::last_map`]. Returns warnings about the regions
    /// that are left out.
    ///
    /// # Errors
    /// As [`PicturePlan::for_layer`]. Also fails if a frame is larger than its format allows, or
    /// too large for memory.
    pub fn new(
        range: &'m MomentRange,
        layer: FinishedLayer<'m>,
        area: Option<Area>,
        options: TimelapseOptions,
    ) -> Result<(Self, Vec<String>), ExportError> {
        let mut picture = PictureOptions {
            format: Format::Png,
            sure: true,
            ..options.picture.clone()
        };
        picture.poster.background.get_or_insert_default();

        // Each frame gets a title of its own later, so an empty title reserves the room.
        picture.poster.title = Some(String::new());
        let (picture, warnings) =
            PicturePlan::for_layer(&ExportLayer::open_for_picture(layer)?, area, &picture)?;
        check_size(picture.size(), options.kind).map_err(ExportError::Picture)?;

        Ok((
            Self {
                range,
                layer,
                picture,
                options,
            },
            warnings,
        ))
    }

    /// Returns the size of each frame.
    pub fn size(&self) -> PixelSize {
        self.picture.size()
    }

    pub(super) fn pace(&self, units: f64) -> Pace {
        Pace {
            rate: self.options.rate,
            units,
        }
    }
}

fn check_size(
    PixelSize { width, height }: PixelSize,
    kind: TimelapseKind,
) -> Result<(), PictureError> {
    let limit = match kind {
        TimelapseKind::Gif => GIF_SIDE_LIMIT,
        TimelapseKind::Webp => WEBP_SIDE_LIMIT,
        TimelapseKind::Frames => PNG_SIDE_LIMIT,
    };

    if width.max(height) > limit {
        return Err(PictureError::LongFrame(width, height, limit));
    }

    if u64::from(width) * u64::from(height) > FRAME_PIXELS {
        return Err(PictureError::LargeFrame(
            width,
            height,
            FRAME_PIXELS / 1_000_000,
        ));
    }

    Ok(())
}
