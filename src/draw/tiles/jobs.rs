//! The jobs of a map: one a region, and one a parent tile.

use std::collections::BTreeMap;

use crate::base::coord::{NATIVE_ZOOM, TilePos};
use crate::draw::request::plan::{DimensionRegion, MapDimension, Plan};
use crate::schedule;

/// Reducing four tiles, encoding and writing one, in nanoseconds.
const PARENT_COST: u64 = 5_000_000;

/// A job: a tile of a dimension. A native one is drawn from its region, an outer one from its children. 16 bytes, as a
/// large world has many.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TileJob {
    /// The dimension's number in the plan.
    pub(crate) dimension: u32,
    pub(crate) tile: TilePos,
}

/// The jobs to draw the regions of a plan.
pub(crate) fn jobs(plan: &Plan) -> schedule::JobPlan<TileJob> {
    jobs_over(&plan.map_dimensions(), plan.order.iter().copied().zip(plan.costs()))
}

/// One job a region, in this order and with its cost, and one a parent tile, which starts when its last child has ended.
pub(crate) fn jobs_over(
    dimensions: &[MapDimension<'_>],
    regions: impl Iterator<Item = (DimensionRegion, u64)>,
) -> schedule::JobPlan<TileJob> {
    let count = |MapDimension { tiles, .. }: &MapDimension<'_>| -> usize {
        (tiles.min_zoom()..=NATIVE_ZOOM).map(|zoom| tiles.level(zoom).count()).sum()
    };
    let mut jobs = schedule::JobPlan::with_capacity(dimensions.iter().map(count).sum());
    let mut native: Vec<BTreeMap<TilePos, schedule::NodeId>> = vec![BTreeMap::new(); dimensions.len()];
    for (DimensionRegion { dimension, region }, cost) in regions {
        let tile = region.tile();
        native[dimension as usize].insert(tile, jobs.add(TileJob { dimension, tile }, cost));
    }
    for ((dimension, MapDimension { tiles, .. }), mut level) in (0..).zip(dimensions).zip(native) {
        for zoom in (tiles.min_zoom()..NATIVE_ZOOM).rev() {
            let parent = |tile| (tile, jobs.add(TileJob { dimension, tile }, PARENT_COST));
            let parents: BTreeMap<TilePos, schedule::NodeId> = tiles.level(zoom).map(parent).collect();
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
