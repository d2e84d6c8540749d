//! Mode archive: the jobs of a map, whose tiles go into one file.
//!
//! An archive is made anew from its first region to its last. Of the one that stood there before only what it shows of
//! chunks that cannot be read stays.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use super::account::{Drawn, Published, report};
use super::close::{dimension_facts, hides_nothing, layer_facts};
use super::drawing::{Drawing, Worker, failure_of};
use super::kept::keep;
use super::legend::names_of;
use super::map::{Job, jobs};
use super::options::Beside;
use super::parents::Waiting;
use super::progress::Progress;
use super::regions::Painted;
use super::render::{Prepared, RenderError, doubts, prepare};
use super::settings::Settings;
use super::sheet::{Sheet, Sheets};
use crate::coord::{Area, RegionPos, TilePos};
use crate::layer::Layer;
use crate::export::Scale;
use crate::plan::Plan;
use crate::publish::{
    ArchiveFile, Archived, Bounds, EarlierArchive, LayerFacts, Manifest, MapFile, Metadata, put_page_beside,
};
use crate::report::{ArchiveFacts, Report, ShownNames, Stage};
use crate::schedule::{self, Stop, Work};
use crate::tile::{Canvas, Encoder};
use crate::world::World;

/// The one sheet of an archive.
const SHEET: Sheet = Sheet { dimension: 0, layer: 0 };

/// What the workers share to make an archive.
#[derive(Debug)]
struct Archive<'a> {
    drawing: Drawing<'a>,
    file: ArchiveFile,
    /// What it says of the options that it is drawn with.
    key: String,
    /// What stands in its place, if that was drawn with the same; opened when it is needed.
    earlier: OnceLock<Option<EarlierArchive>>,
    waiting: Waiting,
    /// The names of what is shown.
    shown: Mutex<ShownNames>,
}

impl<'a> Work for &'a Archive<'_> {
    type Job = Job;
    type Worker = Worker<'a>;

    fn worker(&self, _: usize) -> Worker<'a> {
        self.drawing.worker()
    }

    fn run(&self, worker: &mut Worker<'a>, job: &Job) {
        let region = |worker: &mut _, _, region| self.draw_region(worker, region);
        let parent = |worker: &mut _, _, tile| self.draw_parent(worker, tile);
        job.run(worker, region, parent);
    }

    fn panicked(&self, job: &Job, message: &str) {
        job.panicked(&self.drawing, message);
    }
}

impl Archive<'_> {
    fn draw_region(&self, worker: &mut Worker<'_>, region: RegionPos) {
        if let Painted::Undone = self.drawing.paint_region(worker, SHEET.dimension, region) {
            return;
        }
        let last = self.keep_pixels(worker, region);
        let names = self.drawing.names_on(worker, SHEET, &last);
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).add_all(&names);
        self.add(worker, region.tile());
        self.drawing.region_done(worker, SHEET.dimension, region);
    }

    /// Puts what the earlier archive showed where chunks of the region could not be read; gives the names of all that it
    /// showed.
    fn keep_pixels(&self, worker: &mut Worker<'_>, region: RegionPos) -> ShownNames {
        let gaps = self.drawing.gaps(worker, region);
        if gaps.is_empty() {
            return ShownNames::default();
        }
        let open = || EarlierArchive::open(&self.drawing.settings.output, &self.key);
        let Some(earlier) = self.earlier.get_or_init(open) else { return ShownNames::default() };
        let last = earlier.tile(region.tile());
        let last = last.and_then(|file| self.drawing.sheets.samples(SHEET).decode(&file).ok());
        let Some(last) = last else { return ShownNames::default() };
        keep(&mut worker.canvases[SHEET.layer], &last, &gaps);
        let layer = self.drawing.sheets.layer(SHEET);
        names_of(layer, earlier.facts().layers().flat_map(|facts| &facts.legend))
    }

    fn draw_parent(&self, worker: &mut Worker<'_>, tile: TilePos) {
        let read_back = |child| match self.file.read(child).transpose() {
            Some(read) => self.drawing.quarter(SHEET, &format!("tile {child}"), read).map(Some),
            None => Ok(None),
        };
        if self.waiting.compose(&mut worker.canvases[SHEET.layer], SHEET, tile, read_back).is_err() {
            return;
        }
        worker.reader.clock.ends(Stage::Reduce);
        self.add(worker, tile);
    }

    /// Adds the worker's canvas as a tile, unless nothing is on it, and keeps its quarter for the parent.
    fn add(&self, worker: &mut Worker<'_>, tile: TilePos) {
        let canvas = &worker.canvases[SHEET.layer];
        if canvas.is_empty() {
            return;
        }
        let file = self.drawing.sheets.encode(SHEET, &mut worker.encoder, canvas);
        worker.reader.clock.ends(Stage::Encode);
        if let Err(error) = self.file.add(tile, file) {
            return self.drawing.fail(&error);
        }
        worker.reader.clock.ends(Stage::Write);
        self.drawing.keep_quarter(&self.waiting, &mut worker.reader.clock, SHEET, tile, canvas);
    }
}

/// Draws an archive.
pub(super) fn draw_archive(
    world: &World,
    settings: &Settings,
    progress: &Progress,
    stop: &Stop,
) -> Result<Report, RenderError> {
    let start = Instant::now();
    let Prepared { wanted, threads, palette, notes, plan, slimes, identity, .. } = prepare(world, settings)?;
    let file = ArchiveFile::create(&settings.output, &world.folders).map_err(RenderError::Output)?;
    let palette = Arc::new(palette);
    let names = super::names(world, &palette);
    let sheets = Sheets::new(&plan, settings);
    let beside = Beside::of(world, settings, &palette, slimes);
    let key = beside.key_of_file(&sheets, SHEET, &plan, Scale::Times(1), &identity);
    let drawing = Drawing::new(&plan, settings, progress, (sheets, palette, names, slimes), stop, threads);
    let (waiting, earlier, shown) = (Waiting::new(threads), OnceLock::new(), Mutex::default());
    let archive = Archive { drawing, file, key, earlier, waiting, shown };
    let how = settings.schedule(threads);
    let mut summary = schedule::run(&&archive, jobs(&plan), &how, stop);
    summary.warnings.extend(doubts(notes, &plan, settings, (wanted, threads)));
    let Archive { drawing, file, key, shown, .. } = archive;
    let shown = shown.into_inner().unwrap_or_else(PoisonError::into_inner);
    let (sheets, left) = drawing.end();
    let mut drawn = Drawn::of(&plan, settings, left, summary, stop, start);
    let mut published = Published { empty: file.area().is_none(), ..Published::default() };
    if drawn.failure.is_none() && drawn.all_done {
        let metadata = metadata(world, &plan, &sheets, (file.area(), &shown), key);
        let done = file.finish(&metadata, &blank(&sheets), || stop.requested());
        match done.and_then(|done| done.map(|done| Ok((done, put_page_beside(&settings.output)?))).transpose()) {
            Ok(Some((Archived { bytes, tiles, contents }, has_page))) => {
                published.closed = true;
                published.archive = Some(ArchiveFacts { contents, bytes });
                drawn.tally.tiles_written = tiles;
                drawn.summary.warnings.extend((!has_page).then(|| no_page(&settings.output)));
            }
            Ok(None) => {}
            Err(error) => drawn.failure = Some(failure_of(&error)),
        }
    }
    drawn.summary.warnings.extend(hides_nothing(&plan, settings, &drawn.tally, published.closed));
    Ok(report(world, &plan, settings, drawn, published))
}

/// What the archive says of itself: the facts of a map with one layer, and no list of its tiles.
fn metadata(
    world: &World,
    plan: &Plan,
    sheets: &Sheets,
    (area, shown): (Option<Area>, &ShownNames),
    key: String,
) -> Metadata {
    let mut map = MapFile::new(world.name());
    let layer = sheets.layers().first().copied().unwrap_or(Layer::Day);
    if let Some(dimension) = plan.dimensions.first() {
        let facts = LayerFacts {
            path: String::new(),
            bounds: area.map(Bounds::from),
            // Without a list any tile may be there.
            tiles: area.is_none().then(BTreeMap::new),
            ..layer_facts(plan, sheets, SHEET, &Manifest::default(), shown)
        };
        map.dimensions.push(dimension_facts(world, dimension, vec![facts]));
    }
    let of = map.dimensions.first().map_or("", |dimension| dimension.name.as_str());
    Metadata {
        name: world.name(),
        description: format!("{of}, {}", layer.name()),
        kind: if layer.is_overlay() { "overlay" } else { "baselayer" },
        pixelmap_options: key,
        pixelmap: map,
    }
}

/// A tile with nothing on it.
fn blank(sheets: &Sheets) -> Vec<u8> {
    sheets.encode(SHEET, &mut Encoder::default(), &Canvas::default()).to_vec()
}

fn no_page(archive: &Path) -> String {
    let page = archive.with_extension("html");
    format!("{} is no page of pixelmap and was left as it is: the archive has no page beside it", page.display())
}
