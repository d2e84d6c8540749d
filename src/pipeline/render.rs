//! A render: what it is asked for, its jobs, and what its workers share.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::chunks::{ChunkReader, Reason, Sight};
use super::close;
use super::colours::{Chosen, ColourError, Colours};
use super::descriptors;
use super::known::{Known, Read};
use super::parents::Waiting;
use super::progress::Progress;
use super::scene::Scene;
use super::sheet::{Sheet, Sheets};
use crate::block::Names;
use crate::coord::{Area, NATIVE_ZOOM, Slot, TilePos, YRange};
use crate::layer::{Choices, Layer, Painter};
use crate::palette::Palette;
use crate::plan::{DimensionPlan, Place, Plan, PlanError, Request, plan};
use crate::publish::{Identity, Output, PublishError, TileRecord};
use crate::report::{Failure, Report, Tally};
use crate::schedule::{self, Pin, Stop, Summary, Work};
use crate::surface::EdgeCache;
use crate::tile::{Canvas, Encoder};
use crate::world::World;

/// Groups of the border cache that can meet at a region's corner, as they do at the origin, where most worlds lie: with
/// fewer entries a world of four regions would have chunks read twice.
const MEETING: usize = 4;
/// Reducing four tiles, encoding and writing one, in nanoseconds.
const PARENT_COST: u64 = 5_000_000;

/// What a render is asked for.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The output folder.
    pub output: PathBuf,
    /// Dimensions as the user named them; none: all there are.
    pub dimensions: Vec<String>,
    /// The layers to draw, each once.
    pub layers: Vec<Layer>,
    /// How they look.
    pub choices: Choices,
    /// The columns to draw; none: all.
    pub area: Option<Area>,
    /// The heights looked at.
    pub range: YRange,
    /// The colours.
    pub colours: Colours,
    /// Whether chunks are drawn that the game has not finished.
    pub unfinished: bool,
    /// The number of workers; 0: the CPUs this process may use.
    pub threads: usize,
    /// The most jobs a worker pulls at once.
    pub max_batch: usize,
    /// Where workers sit.
    pub pin: Pin,
    /// The most tiles that may be removed.
    pub max_removed: Limit,
    /// Whether to draw what is unchanged too.
    pub force: bool,
    /// How unchanged regions are told.
    pub check: Check,
}

/// How unchanged regions are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// By the stamps and the header of a file; by its content where these are not enough.
    Quick,
    /// By the content of every file.
    Content,
}

/// A number of things, or a share of those there are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    /// So many.
    Count(u64),
    /// So many of a hundred.
    Percent(f64),
}

impl Limit {
    /// Whether `count` of `total` is more than this.
    pub fn is_exceeded(self, count: u64, total: u64) -> bool {
        match self {
            Self::Count(limit) => count > limit,
            Self::Percent(percent) => count as f64 > percent / 100.0 * total as f64,
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => write!(f, "{count}"),
            Self::Percent(percent) => write!(f, "{percent}%"),
        }
    }
}

/// Why nothing was drawn.
#[derive(Debug)]
pub enum RenderError {
    /// The colours that were asked for cannot be had.
    Colours(ColourError),
    /// The request does not fit the world.
    Plan(PlanError),
    /// The output folder cannot be used.
    Output(PublishError),
    /// The run would remove too many tiles: how many of how many, and the limit.
    TooManyRemoved(u64, u64, Limit),
}

impl fmt::Display for RenderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Colours(error) => error.fmt(f),
            Self::Plan(error) => error.fmt(f),
            Self::Output(error) => error.fmt(f),
            Self::TooManyRemoved(count, total, limit) => write!(
                f,
                "{count} of the {total} tiles that this map had would be removed, more than {limit}, and nothing was \
                 removed: check that the world is all there, or allow it with --max-removed 100%"
            ),
        }
    }
}

impl std::error::Error for RenderError {}

impl RenderError {
    /// Whether the same call may succeed later.
    pub fn retryable(&self) -> bool {
        matches!(self, Self::Output(error) if error.retryable())
    }
}

/// A job: a tile of a dimension. A native one is drawn from its region, an outer one from its children. 16 bytes, as a
/// large world has many.
#[derive(Debug, Clone, Copy)]
pub(super) struct Job {
    /// The dimension's number in the plan.
    dimension: u32,
    tile: TilePos,
}

/// What the workers of a render share.
#[derive(Debug)]
pub(super) struct Render<'a> {
    pub(super) plan: &'a Plan,
    pub(super) settings: &'a Settings,
    pub(super) progress: &'a Progress,
    pub(super) output: &'a Output,
    pub(super) sheets: Sheets,
    /// By view, as [`Sheets::views`] counts them.
    pub(super) edges: Vec<EdgeCache>,
    pub(super) waiting: Waiting,
    pub(super) known: Known<'a>,
    palette: Arc<Palette>,
    names: Arc<Names>,
    stop: Stop,
    /// A region was begun and not drawn, since the run was to end.
    undone: AtomicBool,
    /// What stands on disk, by sheet.
    records: Vec<Mutex<BTreeMap<TilePos, TileRecord>>>,
    tally: Mutex<Tally>,
    failure: Mutex<Option<Failure>>,
}

/// One worker's buffers, made once.
#[derive(Debug)]
pub(super) struct Worker<'a> {
    render: &'a Mutex<Tally>,
    pub(super) reader: ChunkReader,
    /// What was read of the region at hand, and the slots of it that could not be.
    pub(super) read: Read,
    pub(super) bad: Vec<Slot>,
    /// By view.
    pub(super) scenes: Vec<Scene>,
    /// By layer.
    pub(super) painters: Vec<Painter>,
    pub(super) canvases: Vec<Canvas>,
    pub(super) encoder: Encoder,
    /// Of the job at hand, and of all before it.
    pub(super) tally: Tally,
    total: Tally,
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        // Also when a job panicked: what was counted before it stands.
        let mut render = self.render.lock().unwrap_or_else(PoisonError::into_inner);
        self.tally.stages = self.reader.clock.spent();
        render.add(std::mem::take(&mut self.total));
        render.add(std::mem::take(&mut self.tally));
    }
}

/// No job prefers a worker, though the schedule knows how: what regions ask of each other lies in a cache that all workers
/// share, and a batch is a piece of the plan's curve as it is, so a worker mostly draws neighbours. Giving each group of
/// 4 by 4 regions to one worker was measured: no faster, and more chunks read twice (3.3 % for 2.9 % with two threads).
impl<'a> Work for &'a Render<'_> {
    type Job = Job;
    type Worker = Worker<'a>;

    fn worker(&self, _: usize) -> Worker<'a> {
        let layers = self.sheets.layers();
        Worker {
            render: &self.tally,
            reader: ChunkReader::new(self.names.clone()).with_light(layers.iter().any(|layer| layer.is_lit())),
            scenes: (0..self.sheets.most_views()).map(|_| Scene::default()).collect(),
            painters: layers.iter().map(|&layer| Painter::new(layer, self.settings.choices, &self.palette)).collect(),
            canvases: layers.iter().map(|_| Canvas::default()).collect(),
            encoder: Encoder::default(),
            read: Read::default(),
            bad: Vec::new(),
            tally: Tally::default(),
            total: Tally::default(),
        }
    }

    fn run(&self, worker: &mut Worker<'a>, job: &Job) {
        worker.reader.clock.start();
        let dimension = job.dimension as usize;
        match job.tile.region() {
            Some(region) => self.draw_region(worker, dimension, region),
            None => self.draw_parent(worker, dimension, job.tile),
        }
        let tally = std::mem::take(&mut worker.tally);
        worker.total.add(tally);
    }

    fn panicked(&self, job: &Job, message: &str) {
        let message = format!("this is a defect of pixelmap, please report it: {message}");
        let dimension = job.dimension as usize;
        if let Some(region) = job.tile.region() {
            let mut worker = self.worker(0);
            worker.tally.regions_failed += 1;
            self.bad(&mut worker, dimension, region, None, Reason { word: "unreadable", message, io: None });
        } else {
            // The others go on: the run has failed, but what can be drawn is there for the next one.
            let path = &self.plan.dimensions[dimension].path;
            self.note_failure(defect(format!("tile {} of {path} could not be made: {message}", job.tile)));
        }
    }
}

impl Render<'_> {
    /// What is looked at in the chunks of a dimension.
    pub(super) fn sight(&self, dimension: usize) -> Sight<'_> {
        let Settings { range, unfinished, .. } = *self.settings;
        let ceiling_y = self.plan.dimensions[dimension].ceiling_y;
        Sight { views: self.sheets.views(dimension), range, ceiling_y, unfinished }
    }

    pub(super) fn records(&self, sheet: Sheet) -> MutexGuard<'_, BTreeMap<TilePos, TileRecord>> {
        self.records[self.sheets.number(sheet)].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the run is to end: what is begun is to be left as soon as that can be done in order.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.requested()
    }

    /// A region that was begun is not drawn, since the run is to end.
    pub(super) fn leave_undone(&self) {
        self.undone.store(true, Ordering::Relaxed);
    }

    /// Ends the run: what is begun ends by itself, and nothing is removed. The first failure is the one reported.
    pub(super) fn fail(&self, error: &PublishError) {
        self.fail_as(failure_of(error));
    }

    pub(super) fn fail_with(&self, kind: &'static str, message: String) {
        self.fail_as(Failure { kind, message, retryable: false });
    }

    fn fail_as(&self, failure: Failure) {
        self.note_failure(failure);
        self.stop.request();
    }

    fn note_failure(&self, failure: Failure) {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
    }
}

/// What the report says where the program is to blame.
fn defect(message: String) -> Failure {
    Failure { kind: "defect", message, retryable: false }
}

/// What the report says of jobs that nobody stopped and that were not run all the same.
fn not_run(summary: &Summary) -> Failure {
    let why = summary.warnings.join("; ");
    defect(format!("{} jobs were not run; this is a defect of pixelmap, please report it: {why}", summary.not_run))
}

/// What the report says of an output folder that could not be written.
pub(super) fn failure_of(error: &PublishError) -> Failure {
    Failure { kind: "output", message: error.to_string(), retryable: error.retryable() }
}

/// Draws a map of `world`.
///
/// What goes wrong while it is drawn is in the report; its outcome says how the run ended.
///
/// # Errors
/// Nothing was drawn: the colours cannot be had, the request does not fit the world, or the output folder cannot be used.
pub fn render(world: &World, settings: &Settings, progress: &Progress, stop: &Stop) -> Result<Report, RenderError> {
    render_by(world, settings, progress, stop, |render, jobs, how| schedule::run(&render, jobs, how, stop))
}

/// Draws a map of `world`, its jobs run by `run`.
fn render_by(
    world: &World,
    settings: &Settings,
    progress: &Progress,
    stop: &Stop,
    run: impl FnOnce(&Render<'_>, schedule::Plan<Job>, &schedule::Settings) -> Summary,
) -> Result<Report, RenderError> {
    let start = Instant::now();
    let wanted = if settings.threads == 0 { schedule::available_threads() } else { settings.threads };
    // More than there are regions would have nothing to begin with; what is kept for each worker is bounded by this.
    let wanted = wanted.min(world.dimensions.iter().map(|dimension| dimension.regions.len()).sum());
    let threads = descriptors::allow(wanted);
    let request = Request { dimensions: settings.dimensions.clone(), area: settings.area };
    let Chosen { palette, kinds, notes } = settings.colours.choose(world).map_err(RenderError::Colours)?;
    let plan = plan(world, &kinds, &request, threads).map_err(RenderError::Plan)?;
    let path = world.folder.canonicalize().unwrap_or_else(|_| world.folder.clone());
    let spawn = world.level.spawn.as_ref().map(|(_, spawn)| *spawn);
    let identity = Identity { name: world.name(), spawn, path };
    let output = Output::open(&settings.output, &identity, &world.folders).map_err(RenderError::Output)?;
    let sheets = Sheets::new(&plan, settings);
    close::check_removals(&output, &plan, &sheets, settings.max_removed)?;
    let palette = Arc::new(palette);
    let render = Render {
        plan: &plan,
        settings,
        progress,
        output: &output,
        edges: (0..sheets.most_views()).map(|_| EdgeCache::new((threads + 1).max(MEETING))).collect(),
        waiting: Waiting::new(threads),
        known: Known::open(&output, world, &plan, &sheets, settings, &palette),
        names: super::names(world, &palette),
        palette,
        stop: stop.clone(),
        undone: AtomicBool::new(false),
        records: sheets.all().map(|_| Mutex::default()).collect(),
        sheets,
        tally: Mutex::default(),
        failure: Mutex::default(),
    };
    let cost = plan.costs().fold(0_u64, u64::saturating_add);
    progress.expect(plan.order.len() as u64, cost);
    let how = schedule::Settings { threads, max_batch: settings.max_batch, pin: settings.pin };
    let mut summary = run(&render, jobs(&plan), &how);
    summary.warnings.extend(notes);
    // No more workers than regions would have been started.
    let wanted = wanted.min(plan.order.len());
    if threads < wanted {
        summary
            .warnings
            .push(format!("{threads} workers instead of {wanted}: more open files are not allowed (ulimit -n)"));
    }
    let Render { sheets, records, tally, failure, undone, known, .. } = render;
    let records = records.into_iter().map(|records| records.into_inner().unwrap_or_else(PoisonError::into_inner));
    let mut failure = failure.into_inner().unwrap_or_else(PoisonError::into_inner);
    if summary.not_run > 0 && !stop.requested() {
        failure.get_or_insert_with(|| not_run(&summary));
    }
    let drawn = close::Drawn {
        records: records.collect(),
        tally: tally.into_inner().unwrap_or_else(PoisonError::into_inner),
        failure,
        all_done: summary.not_run == 0 && !undone.into_inner(),
        summary,
        start,
    };
    let ended = close::Ended { world, plan: &plan, sheets: &sheets, settings, output: &output, stop };
    Ok(ended.close(known.journal, drawn))
}

/// One job a region, in the plan's order, and one a parent tile, which starts when its last child has ended.
fn jobs(plan: &Plan) -> schedule::Plan<Job> {
    let tiles = |DimensionPlan { pyramid, .. }: &DimensionPlan| -> usize {
        (pyramid.min_zoom()..=NATIVE_ZOOM).map(|zoom| pyramid.level(zoom).count()).sum()
    };
    let mut jobs = schedule::Plan::with_capacity(plan.dimensions.iter().map(tiles).sum());
    let mut native: Vec<BTreeMap<TilePos, schedule::NodeId>> = vec![BTreeMap::new(); plan.dimensions.len()];
    for (&Place { dimension, region }, cost) in plan.order.iter().zip(plan.costs()) {
        let tile = region.tile();
        native[dimension as usize].insert(tile, jobs.add(Job { dimension, tile }, cost));
    }
    for ((dimension, DimensionPlan { pyramid, .. }), mut level) in (0..).zip(&plan.dimensions).zip(native) {
        for zoom in (pyramid.min_zoom()..NATIVE_ZOOM).rev() {
            let parent = |tile| (tile, jobs.add(Job { dimension, tile }, PARENT_COST));
            let parents: BTreeMap<TilePos, schedule::NodeId> = pyramid.level(zoom).map(parent).collect();
            for (tile, &child) in &level {
                if let Some(&parent) = parents.get(&tile.parent()) {
                    jobs.set_parent(child, parent);
                }
            }
            level = parents;
        }
    }
    jobs
}

#[cfg(test)]
mod tests;
