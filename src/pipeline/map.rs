//! Mode map: a job a region, which draws and publishes its tile, and a job a parent tile.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::drawing::{Drawing, Worker, defect};
use super::hiding::Emptied;
use super::parents::Waiting;
use super::regions::Painted;
use super::sheet::Sheet;
use super::unchanged::{History, record_of};
use crate::coord::{NATIVE_ZOOM, RegionPos, TilePos};
use crate::plan::{DimensionPlan, Place, Plan};
use crate::publish::{Manifest, Output, PublishError, TileRecord};
use crate::record::Source;
use crate::report::ShownNames;
use crate::schedule::{self, Work};

/// Reducing four tiles, encoding and writing one, in nanoseconds.
const PARENT_COST: u64 = 5_000_000;

/// A job: a tile of a dimension. A native one is drawn from its region, an outer one from its children. 16 bytes, as a
/// large world has many.
#[derive(Debug, Clone, Copy)]
pub(super) struct Job {
    /// The dimension's number in the plan.
    pub(super) dimension: u32,
    pub(super) tile: TilePos,
}

impl Job {
    /// Has a worker draw its region or its outer tile, of the dimension with this number in the plan.
    pub(super) fn run<'w>(
        self,
        worker: &mut Worker<'w>,
        region: impl FnOnce(&mut Worker<'w>, usize, RegionPos),
        parent: impl FnOnce(&mut Worker<'w>, usize, TilePos),
    ) {
        worker.reader.clock.start();
        match self.tile.region() {
            Some(at) => region(worker, self.dimension as usize, at),
            None => parent(worker, self.dimension as usize, self.tile),
        }
        worker.job_ended();
    }

    /// Notes that it could not be done.
    pub(super) fn panicked(self, drawing: &Drawing<'_>, message: &str) {
        let message = format!("this is a defect of pixelmap, please report it: {message}");
        let dimension = self.dimension as usize;
        if let Some(region) = self.tile.region() {
            drawing.lose(dimension, region, message);
        } else {
            // The others go on: the run has failed, but what can be drawn is there for the next one.
            let path = &drawing.plan.dimensions[dimension].path;
            drawing.note_failure(defect(format!("tile {} of {path} could not be made: {message}", self.tile)));
        }
    }
}

/// The staged tiles of a sheet.
pub(super) type StagedTiles = BTreeSet<TilePos>;

/// What the workers share to make a map.
#[derive(Debug)]
pub(super) struct Map<'a> {
    pub(super) drawing: Drawing<'a>,
    pub(super) output: &'a Output,
    pub(super) waiting: Waiting,
    pub(super) history: History<'a>,
    /// What stands on disk, by sheet.
    pub(super) records: Vec<Mutex<BTreeMap<TilePos, TileRecord>>>,
    /// By sheet.
    pub(super) staged: Vec<Mutex<StagedTiles>>,
    pub(super) emptied: Mutex<Emptied>,
    /// The names of what is shown, by sheet.
    pub(super) shown: Vec<Mutex<ShownNames>>,
}

/// No job prefers a worker, though the schedule knows how: what regions ask of each other lies in a cache that all workers
/// share, and a batch is a piece of the plan's curve as it is, so a worker mostly draws neighbours. Giving each group of
/// 4 by 4 regions to one worker was measured: no faster, and more chunks read twice (3.3 % for 2.9 % with two threads).
impl<'a> Work for &'a Map<'_> {
    type Job = Job;
    type Worker = Worker<'a>;

    fn worker(&self, _: usize) -> Worker<'a> {
        self.drawing.worker()
    }

    fn run(&self, worker: &mut Worker<'a>, job: &Job) {
        let region = |worker: &mut _, dimension, region| self.draw_region(worker, dimension, region);
        let parent = |worker: &mut _, dimension, tile| self.draw_parent(worker, dimension, tile);
        job.run(worker, region, parent);
    }

    fn panicked(&self, job: &Job, message: &str) {
        job.panicked(&self.drawing, message);
    }
}

/// What the jobs of a map have left.
#[derive(Debug)]
pub(super) struct Made {
    /// By sheet.
    pub(super) manifests: Vec<Manifest>,
    /// Those of them that are staged, by sheet.
    pub(super) staged: Vec<StagedTiles>,
    /// The names of what is shown, by sheet.
    pub(super) shown: Vec<ShownNames>,
    pub(super) emptied: Emptied,
}

impl<'a> Map<'a> {
    pub(super) fn new(drawing: Drawing<'a>, output: &'a Output, history: History<'a>, threads: usize) -> Self {
        let records = drawing.sheets.all().map(|_| Mutex::default()).collect();
        let staged = drawing.sheets.all().map(|_| Mutex::default()).collect();
        let shown = drawing.sheets.all().map(|_| Mutex::default()).collect();
        let (waiting, emptied) = (Waiting::new(threads), Mutex::default());
        Self { drawing, output, waiting, history, records, staged, emptied, shown }
    }

    /// Ends when no worker is left: with whether all tiles have reached the disk.
    pub(super) fn end(self) -> (Drawing<'a>, Made, Result<(), PublishError>) {
        fn inner<T>(mutex: Mutex<T>) -> T {
            mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
        }
        let made = Made {
            manifests: self.records.into_iter().map(|tiles| Manifest { tiles: inner(tiles) }).collect(),
            staged: self.staged.into_iter().map(inner).collect(),
            shown: self.shown.into_iter().map(inner).collect(),
            emptied: inner(self.emptied),
        };
        (self.drawing, made, self.history.journal.sync())
    }
}

impl Map<'_> {
    pub(super) fn records(&self, sheet: Sheet) -> MutexGuard<'_, BTreeMap<TilePos, TileRecord>> {
        self.records[self.drawing.sheets.number(sheet)].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Draws a region and publishes its tile, unless it is unchanged. A run that is to end leaves it undrawn.
    // Stays a function of its own, so that benches/instructions.sh can count it; called once a region.
    #[inline(never)]
    pub(super) fn draw_region(&self, worker: &mut Worker<'_>, dimension: usize, region: RegionPos) {
        if self.leave_unchanged(worker, dimension, region) {
            return;
        }
        let source = match self.drawing.paint_region(worker, dimension, region) {
            Painted::From(file) => self.source(worker, region, &file),
            Painted::Unopened => Source::unstable(),
            Painted::Undone => return,
        };
        let mut record = record_of(worker, source);
        let mut is_everywhere = true;
        for sheet in self.drawing.sheets.of(dimension) {
            if self.keep_pixels(worker, sheet, region).is_err() {
                return;
            }
            record.shown = self.names_on(worker, sheet, region);
            self.show(sheet, &record.shown);
            let announce = |tile| self.announce_region(sheet, region, &record, tile);
            match self.publish(worker, sheet, sheet.layer, region.tile(), announce) {
                Ok((tile, stands)) => {
                    record.tile = tile;
                    self.note_region(sheet, region, &record, stands);
                }
                Err(error) => return self.drawing.fail(&error),
            }
            is_everywhere &= record.tile.is_some();
        }
        self.note_hidden(worker, dimension, region, is_everywhere);
        self.drawing.region_done(worker, dimension, region);
    }
}

impl Map<'_> {
    /// Notes a region that has no tile in some layer and of which something is hidden.
    pub(super) fn note_hidden(&self, worker: &Worker<'_>, dimension: usize, region: RegionPos, is_everywhere: bool) {
        if worker.tally.chunks.hidden > 0 && !is_everywhere {
            self.emptied.lock().unwrap_or_else(PoisonError::into_inner).insert((dimension, region));
        }
    }
}

/// One job a region, in the plan's order, and one a parent tile, which starts when its last child has ended.
pub(super) fn jobs(plan: &Plan) -> schedule::Plan<Job> {
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
