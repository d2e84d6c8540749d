//! What the workers of a render share to draw regions, whatever becomes of the pixels.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::chunks::{ChunkFilter, ChunkReader, Reason};
use super::progress::Progress;
use super::scene::Scene;
use super::settings::Settings;
use super::sheet::Sheets;
use super::unchanged::Read;
use crate::block::Names;
use crate::coord::{RegionPos, Slot};
use crate::layer::{Layer, Painter, Slimes};
use crate::palette::Palette;
use crate::plan::{Plan, cost_ns};
use crate::publish::PublishError;
use crate::report::{Failure, Tally};
use crate::schedule::Stop;
use crate::surface::EdgeCache;
use crate::tile::{Canvas, Encoder};

/// Groups of the border cache that can meet at a region's corner, as they do at the origin, where most worlds lie: with
/// fewer entries a world of four regions would have chunks read twice.
const MEETING: usize = 4;

/// The game counts the time that players are in a chunk in ticks.
const TICKS_A_SECOND: u64 = 20;

/// What the workers of a render share to draw regions.
#[derive(Debug)]
pub(super) struct Drawing<'a> {
    pub(super) plan: &'a Plan,
    pub(super) settings: &'a Settings,
    pub(super) progress: &'a Progress,
    pub(super) sheets: Sheets,
    /// By view, as [`Sheets::views`] counts them.
    pub(super) edges: Vec<EdgeCache>,
    palette: Arc<Palette>,
    names: Arc<Names>,
    slimes: Option<Slimes>,
    stop: Stop,
    /// A region was begun and not drawn, since the run was to end.
    undone: AtomicBool,
    tally: Mutex<Tally>,
    failure: Mutex<Option<Failure>>,
}

/// One worker's buffers, made once.
#[derive(Debug)]
pub(super) struct Worker<'a> {
    run: &'a Mutex<Tally>,
    pub(super) reader: ChunkReader,
    /// What was read of the region at hand, and the slots of it that could not be.
    pub(super) read: Read,
    pub(super) bad: Vec<Slot>,
    /// By view.
    pub(super) scenes: Vec<Scene>,
    /// By layer.
    pub(super) painters: Vec<Box<dyn Painter>>,
    pub(super) canvases: Vec<Canvas>,
    pub(super) encoder: Encoder,
    /// Of the job at hand, and of all before it.
    pub(super) tally: Tally,
    total: Tally,
}

impl Worker<'_> {
    /// A job has ended: what is counted from now on is the next one's.
    pub(super) fn job_ended(&mut self) {
        let tally = std::mem::take(&mut self.tally);
        self.total.add(tally);
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        // Also when a job panicked: what was counted before it stands.
        let mut run = self.run.lock().unwrap_or_else(PoisonError::into_inner);
        self.tally.stages = self.reader.clock.spent();
        run.add(std::mem::take(&mut self.total));
        run.add(std::mem::take(&mut self.tally));
    }
}

/// What a drawing leaves behind when its workers have ended.
#[derive(Debug)]
pub(super) struct Left {
    pub(super) tally: Tally,
    pub(super) failure: Option<Failure>,
    /// Whether a region was begun and not drawn.
    pub(super) undone: bool,
}

impl<'a> Drawing<'a> {
    /// Of the regions of a plan, which `progress` is told of, with the borders that so many workers need.
    pub(super) fn new(
        plan: &'a Plan,
        settings: &'a Settings,
        progress: &'a Progress,
        (sheets, palette, names, slimes): (Sheets, Arc<Palette>, Arc<Names>, Option<Slimes>),
        stop: &Stop,
        threads: usize,
    ) -> Self {
        progress.expect(plan.order.len() as u64, plan.costs().fold(0, u64::saturating_add));
        Self {
            plan,
            settings,
            progress,
            edges: (0..sheets.most_views()).map(|_| EdgeCache::new((threads + 1).max(MEETING))).collect(),
            sheets,
            palette,
            names,
            slimes,
            stop: stop.clone(),
            undone: AtomicBool::new(false),
            tally: Mutex::default(),
            failure: Mutex::default(),
        }
    }

    /// A worker's buffers.
    pub(super) fn worker(&self) -> Worker<'_> {
        let layers = self.sheets.layers();
        let painter = |layer: &Layer| layer.painter(self.settings.choices, &self.palette, self.slimes);
        Worker {
            run: &self.tally,
            reader: ChunkReader::until(self.names.clone(), &self.stop)
                .with_light(layers.iter().any(|layer| layer.is_lit())),
            scenes: (0..self.sheets.most_views()).map(|_| Scene::default()).collect(),
            painters: layers.iter().map(painter).collect(),
            canvases: layers.iter().map(|_| Canvas::default()).collect(),
            encoder: Encoder::default(),
            read: Read::default(),
            bad: Vec::new(),
            tally: Tally::default(),
            total: Tally::default(),
        }
    }

    /// What is left when all workers have ended.
    pub(super) fn end(self) -> (Sheets, Left) {
        let left = Left {
            tally: self.tally.into_inner().unwrap_or_else(PoisonError::into_inner),
            failure: self.failure.into_inner().unwrap_or_else(PoisonError::into_inner),
            undone: self.undone.into_inner(),
        };
        (self.sheets, left)
    }

    /// What drawing a region is estimated to cost, in nanoseconds.
    pub(super) fn cost(&self, dimension: usize, region: RegionPos) -> u64 {
        cost_ns(self.plan.dimensions[dimension].files.get(&region).map_or(0, |entry| entry.bytes))
    }

    /// A region is done: what the worker counted of it is shown as progress.
    pub(super) fn region_done(&self, worker: &Worker<'_>, dimension: usize, region: RegionPos) {
        let chunks = worker.tally.chunks;
        self.progress.region(self.cost(dimension, region), chunks.total(), chunks.bad);
    }

    /// A region whose job panicked.
    pub(super) fn lose(&self, dimension: usize, region: RegionPos, message: String) {
        let mut worker = self.worker();
        worker.tally.regions_failed += 1;
        self.bad(&mut worker, dimension, region, None, &Reason::Panicked(message));
    }

    /// Which chunks of a dimension are drawn, and which part of them.
    pub(super) fn chunk_filter(&self, dimension: usize) -> ChunkFilter<'_> {
        let Settings { range, unfinished, min_inhabited, .. } = *self.settings;
        let ceiling_y = self.plan.dimensions[dimension].ceiling_y;
        let min_ticks = u64::from(min_inhabited) * TICKS_A_SECOND;
        ChunkFilter { views: self.sheets.views(dimension), range, ceiling_y, unfinished, min_ticks }
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

    pub(super) fn fail_as(&self, failure: Failure) {
        self.note_failure(failure);
        self.stop.request();
    }

    pub(super) fn note_failure(&self, failure: Failure) {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
    }
}

/// What the report says where the program is to blame.
pub(super) fn defect(message: String) -> Failure {
    Failure { kind: "defect", message, retryable: false }
}

/// What the report says of an output folder that could not be written.
pub(super) fn failure_of(error: &PublishError) -> Failure {
    Failure { kind: "output", message: error.to_string(), retryable: error.retryable() }
}
