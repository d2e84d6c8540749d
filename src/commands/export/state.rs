//! Exports one state of a map: the newest one, or a moment.

use std::fmt::Write as _;

use pixelmap_draw::PictureOptions;
use pixelmap_map::atlas::{FinishedLayer, FinishedMap};
use pixelmap_map::export::{
    self, ExportError, ExportLayer, FileTarget, GeoTiffPlan, PicturePlan, Pieces, Workers,
};
use pixelmap_map::store::no_page;

use super::lines::{dimension_ids, no_layer, warning_lines};
use crate::cli::{ExportArgs, ExportTarget};
use crate::commands::signals::Signals;
use crate::outcome::Ending;
use crate::summary::{count_text, escape_name, size};

/// An export in progress.
pub(super) struct Export<'a> {
    pub(super) args: &'a ExportArgs,
    pub(super) map: &'a FinishedMap,
    pub(super) signals: &'a Signals,
    pub(super) threads: usize,
    pub(super) pieces: Pieces,
}

impl Export<'_> {
    /// Exports one state of the map: the newest one, or the moment that the user named. Returns the
    /// summary, or `None` if a signal stopped it.
    pub(super) fn newest(&self, target: &ExportTarget) -> Result<Option<String>, Ending> {
        let layers = export::layers(
            self.map,
            &dimension_ids(self.args, self.map),
            &self.args.layer,
        )?;

        let text = match (target, layers.as_slice()) {
            (ExportTarget::Regions { by_layer }, layers) => self.regions(layers, *by_layer),
            (ExportTarget::Picture(options), [layer, ..]) => self.picture(*layer, options),
            (ExportTarget::Archive, [layer, ..]) => self.archive(*layer),
            (ExportTarget::GeoTiff, [layer, ..]) => self.geotiff(*layer),
            _ => return Err(no_layer()),
        };

        Ok(text?)
    }

    fn picture(
        &self,
        layer: FinishedLayer<'_>,
        options: &PictureOptions,
    ) -> Result<Option<String>, ExportError> {
        let Self { args, .. } = self;
        let layer = ExportLayer::open_for_picture(layer)?;
        let (picture, warnings) = PicturePlan::for_layer(&layer, args.area.area(), options)?;
        let picture = picture.with_textures(layer.inner_levels());

        let target = FileTarget::create(&args.output)?;
        let put = export::put_picture(
            &layer,
            &picture,
            target,
            &self.workers(&|| self.is_stopped()),
        )?;
        let Some(bytes) = put else { return Ok(None) };

        let mut text = warning_lines(&warnings);
        let pixels = picture.size();

        let scale = picture.grid().scale_text();
        let _ = writeln!(
            text,
            "{} by {} pixels, {scale} per block, {}",
            pixels.width,
            pixels.height,
            size(bytes)
        );

        Ok(Some(text))
    }

    fn archive(&self, layer: FinishedLayer<'_>) -> Result<Option<String>, ExportError> {
        let Self { args, .. } = self;
        let layer = ExportLayer::open(layer, &self.workers(&|| self.is_stopped()))?;
        let target = FileTarget::create(&args.output)?;
        let archived = export::put_archive(&layer, target, &self.workers(&|| self.is_stopped()))?;
        let Some(archived) = archived else {
            return Ok(None);
        };

        let mut text = String::new();
        if !archived.has_page {
            let _ = writeln!(text, "warning: {}", escape_name(&no_page(&args.output)));
        }

        let tiles = count_text(archived.tiles, "tile");
        let _ = writeln!(
            text,
            "{tiles}, {} of them different, {}",
            archived.contents,
            size(archived.bytes)
        );

        Ok(Some(text))
    }

    fn geotiff(&self, layer: FinishedLayer<'_>) -> Result<Option<String>, ExportError> {
        let Self { args, .. } = self;
        let layer = ExportLayer::open_for_picture(layer)?;
        let (plan, warnings) =
            GeoTiffPlan::new(&layer, args.area.area(), args.area.asks_for_all())?;

        let target = FileTarget::create(&args.output)?;
        let put = export::put_geotiff(&layer, &plan, target, &self.workers(&|| self.is_stopped()))?;
        let Some(counts) = put else { return Ok(None) };
        let mut text = warning_lines(&warnings);
        let (width, height) = plan.pixels();

        let overviews = count_text(plan.overviews() as u64, "level");
        let _ = writeln!(
            text,
            "{width} by {height} pixels, {overviews} further out, {}, {}",
            count_text(counts.tiles, "tile"),
            size(counts.bytes)
        );

        Ok(Some(text))
    }

    fn regions(
        &self,
        layers: &[FinishedLayer<'_>],
        by_layer: bool,
    ) -> Result<Option<String>, ExportError> {
        let Self { args, map, .. } = self;
        let layers: Vec<ExportLayer<'_>> = layers
            .iter()
            .map(|&layer| ExportLayer::open(layer, &self.workers(&|| self.is_stopped())))
            .collect::<Result<_, _>>()?;

        let folder = export::open_regions(&args.output, map, by_layer)?;
        let counts = export::put_regions(&folder, &layers, &self.workers(&|| self.is_stopped()))?;
        Ok(counts.map(|counts| {
            let pictures = count_text(counts.written, "picture");
            format!(
                "{pictures} written, {} unchanged, {} removed\n",
                counts.unchanged, counts.removed
            )
        }))
    }

    pub(super) fn workers<'w>(&'w self, is_stopped: &'w (dyn Fn() -> bool + Sync)) -> Workers<'w> {
        Workers {
            threads: self.threads,
            pieces: &self.pieces,
            is_stopped,
        }
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.signals.stop().is_requested()
    }
}
