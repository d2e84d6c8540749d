//! The jobs of a map: one per region, and one per parent tile.

use std::collections::BTreeMap;

use crate::request::plan::{DimensionRegion, MapDimension, Plan};
use crate::schedule;
use pixelmap_base::coord::{NATIVE_ZOOM, TilePos};

/// The cost of reducing four tiles and of encoding and writing the parent, in nanoseconds.
const PARENT_COST: u64 = 5_000_000;

/// One tile of a dimension to make. A native tile is drawn from its region, and an outer tile is
/// made from its children. The type has 16 bytes because a large world has many jobs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TileJob {
    /// The dimension's number in the plan.
    pub(crate) dimension: u32,
    pub(crate) tile: TilePos,
}

/// Returns the jobs that draw the regions of a plan.
pub(crate) fn jobs(plan: &Plan) -> schedule::JobPlan<TileJob> {
    jobs_over(
        &plan.map_dimensions(),
        plan.order.iter().copied().zip(plan.costs()),
    )
}

/// Returns the jobs of the regions of a plan, without the jobs of parent tiles.
pub(crate) fn region_jobs(plan: &Plan) -> schedule::JobPlan<TileJob> {
    let mut jobs = schedule::JobPlan::with_capacity(plan.order.len());
    for (&DimensionRegion { dimension, region }, cost) in plan.order.iter().zip(plan.costs()) {
        jobs.add(
            TileJob {
                dimension,
                tile: region.tile(),
            },
            cost,
        );
    }

    jobs
}

/// Adds one job per region, in this order and with these costs, and one per parent tile. A parent's
/// job starts when the jobs of all its children have ended.
pub(crate) fn jobs_over(
    dimensions: &[MapDimension<'_>],
    regions: impl Iterator<Item = (DimensionRegion, u64)>,
) -> schedule::JobPlan<TileJob> {
    let mut count = 0;
    for MapDimension { tiles, .. } in dimensions {
        for zoom in tiles.min_zoom()..=NATIVE_ZOOM {
            count += tiles.level(zoom).count();
        }
    }

    let mut jobs = schedule::JobPlan::with_capacity(count);
    let mut native: Vec<BTreeMap<TilePos, schedule::NodeId>> =
        vec![BTreeMap::new(); dimensions.len()];
    for (DimensionRegion { dimension, region }, cost) in regions {
        let tile = region.tile();
        native[dimension as usize].insert(tile, jobs.add(TileJob { dimension, tile }, cost));
    }

    for ((dimension, MapDimension { tiles, .. }), mut level) in (0..).zip(dimensions).zip(native) {
        for zoom in (tiles.min_zoom()..NATIVE_ZOOM).rev() {
            let mut parents = BTreeMap::new();
            for tile in tiles.level(zoom) {
                parents.insert(tile, jobs.add(TileJob { dimension, tile }, PARENT_COST));
            }

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
