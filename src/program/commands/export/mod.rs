//! `pixelmap export`: turns a drawn map into a picture, an archive, a GeoTIFF or a folder of
//! pictures.

#[cfg(feature = "object-store")]
mod bucket;
mod lines;
mod map_mod;
mod timelapse;

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::time::Duration;

use pixelmap::atlas::{FinishedLayer, FinishedMap};
use pixelmap::export::{
    self, ExportError, ExportLayer, FileTarget, GeoTiffPlan, PictureOptions, PicturePlan, Pieces,
    TimelapseKind, Workers,
};
use pixelmap::store::{check_file, no_page};

use super::signals::Signals;
use super::threads;
use crate::cli::{ExportArgs, ExportTarget, path_to_open};
use crate::outcome::{Ending, OK, USAGE};
use crate::progress;
use crate::summary::{count_text, escape_name, human_count, size};
use lines::{dimension_ids, no_layer, warning_lines};

/// Makes the requested output from a map. Returns the exit code.
pub(super) fn run(args: &ExportArgs) -> Result<u8, Ending> {
    let target = args.target().map_err(|error| Ending::new(USAGE, error))?;
    let map = export::open_map(&args.map)?;
    #[cfg(feature = "object-store")]
    if let ExportTarget::Bucket(address) = &target {
        return bucket::put(args, &map, address);
    }

    check_output(args, &target, &map)?;
    let signals = Signals::install();
    let export = Export {
        args,
        map: &map,
        signals: &signals,
        threads: threads(args.threads),
        pieces: Pieces::default(),
    };

    let is_stopped = || export.is_stopped();
    let text = progress::show_pieces(&export.pieces, args.quiet, piece_amount, || match &target {
        ExportTarget::Timelapse(options) => {
            timelapse::make(args, &map, options, &export.workers(&is_stopped))
        }
        ExportTarget::Journeymap(options) => {
            map_mod::fill_journeymap(args, &map, options, &export.workers(&is_stopped))
        }
        ExportTarget::Squaremap => {
            map_mod::make_squaremap(args, &map, &export.workers(&is_stopped))
        }
        target => export.newest(target),
    })?;

    let Some(text) = text else {
        return Err(Ending::new(
            signals.code(),
            "interrupted: run the same command again",
        ));
    };

    if !args.quiet {
        let text = format!(
            "{text}open {}\n",
            escape_name(&path_to_open(&target, &args.output).display().to_string())
        );
        let _ = io::stderr().write_all(text.as_bytes());
    }

    Ok(OK)
}

/// Returns the text about finished pieces.
fn piece_amount(done: u64, all: u64, _: Duration) -> String {
    format!("{} of {}", human_count(done), human_count(all))
}

/// Fails if the output would overwrite the map, or is a folder or a device although it must become
/// a file.
fn check_output(
    args: &ExportArgs,
    target: &ExportTarget,
    map: &FinishedMap,
) -> Result<(), ExportError> {
    let is_folder = match target {
        ExportTarget::Regions { .. } | ExportTarget::Journeymap(_) | ExportTarget::Squaremap => {
            true
        }
        ExportTarget::Timelapse(options) => options.kind == TimelapseKind::Frames,
        _ => false,
    };

    export::check_outside(map, &args.output, is_folder)?;

    if !is_folder {
        check_file(&args.output)?;
        if *target == ExportTarget::Archive {
            export::check_outside(map, &path_to_open(target, &args.output), false)?;
        }
    }

    Ok(())
}

/// An export in progress.
struct Export<'a> {
    args: &'a ExportArgs,
    map: &'a FinishedMap,
    signals: &'a Signals,
    threads: usize,
    pieces: Pieces,
}

impl Export<'_> {
    /// Exports one state of the map: the newest one, or the moment that the user named. Returns the
    /// summary, or `None` if a signal stopped it.
    fn newest(&self, target: &ExportTarget) -> Result<Option<String>, Ending> {
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
        let (picture, warnings) = PicturePlan::for_layer(&layer, args.place.area(), options)?;
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
            GeoTiffPlan::new(&layer, args.place.area(), args.place.asks_for_all())?;

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

    fn workers<'w>(&'w self, is_stopped: &'w (dyn Fn() -> bool + Sync)) -> Workers<'w> {
        Workers {
            threads: self.threads,
            pieces: &self.pieces,
            is_stopped,
        }
    }

    fn is_stopped(&self) -> bool {
        self.signals.stop().is_requested()
    }
}
