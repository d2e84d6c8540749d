//! The jobs of a map: one a region, and one a parent tile.

use std::collections::BTreeMap;

use crate::base::coord::{NATIVE_ZOOM, TilePos};
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
