//! Draws a merge: keeps the native tiles that shards have drawn, and makes the outer tiles that show several parts.
//! No world is read.

use std::time::Instant;

use crate::base::coord::RegionPos;
use crate::draw::publish::account::JobResults;
use crate::draw::publish::drawn::{DrawnMap, Publishing};
use crate::draw::publish::removals::HiddenRegions;
use crate::draw::request::plan::cost_ns;
use crate::draw::runs::shards::merge_plan::MergePlan;
use crate::draw::runs::shards::part_list::Parts;
use crate::draw::tiles::jobs::{TileJob, jobs_over};
use crate::draw::tiles::map_tiles::MapTiles;
use crate::draw::tiles::pyramid::Pyramid;
use crate::draw::tiles::run_state::{RunState, Undone};
use crate::draw::tiles::tile_store::TileStore;
use crate::draw::tiles::tile_worker::TileWorker;
use crate::report::progress::Progress;
use crate::report::{FailureKind, Limit};
use crate::schedule::{self, Pin, Stop, Work};
use crate::store::{Output, PublishError};

/// Draws the tiles of a map that its parts do not contain.
pub(crate) fn draw<'a>(
    plan: &'a MergePlan,
    parts: &'a Parts,
    max_removed: Limit,
    output: &Output,
    progress: &Progress,
    stop: &Stop,
) -> Result<DrawnMap<'a>, PublishError> {
    let start = Instant::now();
    let MergePlan { number, agreement, map_layers, order, threads, .. } = plan;
    let dimensions = plan.dimensions();
    let cost = cost_ns(0);
    progress.expect(order.len() as u64, order.len() as u64 * cost);
    let run = RunState::new(progress, stop);
    let tiles = MapTiles {
        run: &run,
        map_layers: map_layers.clone(),
        store: TileStore::open(output, map_layers.clone(), agreement.keys(), output.has_history()?)?,
        pyramid: Pyramid::new(dimensions.iter().map(|dimension| dimension.tiles).collect(), *threads),
        is_forced: false,
    };
    let adopting = AdoptTiles { tiles: &tiles, is_preview: !parts.missing.is_empty() };
    let jobs = jobs_over(&dimensions, order.iter().map(|&place| (place, cost)));
    let settings =
        schedule::ScheduleSettings { threads: *threads, max_batch: schedule::DEFAULT_MAX_BATCH, pin: Pin::Auto };
    let summary = schedule::run(&adopting, jobs, &settings, stop);
    let made = tiles.store.end();
    let drawn = JobResults::new(run.end(), summary, stop, start);
    Ok(DrawnMap {
        dimensions,
        map_layers: map_layers.clone(),
        made,
        hidden: HiddenRegions { areas: Some(&agreement.hidden), ..HiddenRegions::default() },
        division: None,
        world_markers: parts.world_markers(*number),
        publishing: Publishing {
            page: &parts.agreement.page,
            worlds: &[],
            own_markers: &parts.agreement.own_markers,
            markers: &plan.markers,
            staged: None,
            max_removed,
            moment: &plan.moment,
        },
        account: parts.account(plan, drawn),
    })
}

/// Keeps the tiles of parts, and makes the tiles above them.
struct AdoptTiles<'m, 'a> {
    tiles: &'m MapTiles<'a>,
    /// Whether parts are missing. Regions without records are left out then.
    is_preview: bool,
}

impl<'m> Work for AdoptTiles<'m, '_> {
    type Job = TileJob;
    type Worker = TileWorker<'m>;

    fn worker(&self, _: usize) -> TileWorker<'m> {
        TileWorker::new(self.tiles.run)
    }

    fn run(&self, worker: &mut TileWorker<'m>, job: &TileJob) {
        worker.clock.start();
        let dimension = job.dimension as usize;
        let done = match job.tile.region() {
            Some(region) => self.adopt_region(worker, dimension, region),
            None => self.tiles.make_parent(worker.tile_buffers(), dimension, job.tile),
        };
        self.tiles.run.end_job(done);
        worker.tally.end_job();
    }

    fn report_panic(&self, job: &TileJob, message: &str) {
        let message = format!("this is a defect of pixelmap, please report it: {message}");
        self.tiles.lose_parent(job.dimension as usize, job.tile, &message);
    }
}

impl AdoptTiles<'_, '_> {
    /// Keeps the tiles of a region.
    fn adopt_region(&self, worker: &mut TileWorker<'_>, dimension: usize, region: RegionPos) -> Result<(), Undone> {
        let MapTiles { run, map_layers, store, .. } = self.tiles;
        let mut layers = Vec::with_capacity(map_layers.layers().len());
        for map_layer in map_layers.in_dimension(dimension) {
            // The last record may belong to a tile that was never written, so look for the last one with an existing
            // tile.
            match store.find_region(map_layer, region, |_| true)? {
                Some(located) => layers.push(located),
                None if self.is_preview => return Ok(()),
                None => {
                    let path = map_layers.tile_path(map_layer, region.tile());
                    let message =
                        format!("{path} has changed since its shard drew it: draw the shards again, and merge again");
                    return Err(Undone::new(FailureKind::Output, message));
                }
            }
        }
        let markers = store.last_markers(dimension, region)?;
        if let Some(markers) = markers.filter(|markers| !markers.markers.markers.is_empty()) {
            store.leave_markers(dimension, region, markers.markers);
        }
        self.tiles.leave_region(&mut worker.tally.job, dimension, region, layers);
        run.progress.count_unchanged(cost_ns(0));
        Ok(())
    }
}
