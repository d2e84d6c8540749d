//! The jobs of a map: one a region, and one a parent tile.

use std::collections::BTreeMap;

use crate::base::coord::{NATIVE_ZOOM, RegionPos, TilePos};
use crate::draw::painter::shared::{Painter, Worker, defect};
use crate::draw::plan::{DimensionPlan, Place, Plan};
use crate::schedule;

/// Reducing four tiles, encoding and writing one, in nanoseconds.
const PARENT_COST: u64 = 5_000_000;

/// A job: a tile of a dimension. A native one is drawn from its region, an outer one from its children. 16 bytes, as a
/// large world has many.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Job {
    /// The dimension's number in the plan.
    pub(crate) dimension: u32,
    pub(crate) tile: TilePos,
}

impl Job {
    /// Has a worker draw its region or its outer tile, of the dimension with this number in the plan.
    pub(crate) fn run<'w>(
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

    /// Counts a job that panicked as not done, or fails the run for it.
    pub(crate) fn panicked(self, painter: &Painter<'_>, message: &str) {
        let message = format!("this is a defect of pixelmap, please report it: {message}");
        let dimension = self.dimension as usize;
        if let Some(region) = self.tile.region() {
            painter.lose(dimension, region, message);
        } else {
            // The others go on: the run has failed, but what can be drawn is there for the next one.
            let path = &painter.plan.dimensions[dimension].path;
            painter.note_failure(defect(format!("tile {} of {path} could not be made: {message}", self.tile)));
        }
    }
}

/// One job a region, in the plan's order, and one a parent tile, which starts when its last child has ended.
pub(crate) fn jobs(plan: &Plan) -> schedule::Plan<Job> {
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
