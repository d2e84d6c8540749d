//! Draws a merge: keeps the native tiles that shards have drawn, and makes the outer tiles that
//! show several parts. No world is read.

use crate::publish::drawn::{PublishSettings, UnpublishedMap};
use crate::report::FailureKind;
use crate::report::progress::Progress;
use crate::request::layers::MapLayer;
use crate::request::plan::cost_ns;
use crate::run_state::Interruption;
use crate::runs::shards::merge_plan::{MergeMap, MergePlan};
use crate::runs::shards::part_list::Parts;
use crate::schedule::{self, Pin, Stop};
use crate::tiles::jobs::jobs_over;
use crate::tiles::map_tiles::{MapTiles, TilePlan, make_tiles};
use crate::tiles::tile_jobs::{NativeTiles, TileJobs};
use crate::tiles::tile_store::LocatedNative;
use crate::tiles::tile_worker::TileWorker;
use pixelmap_base::coord::RegionPos;
use pixelmap_map::store::{Output, PublishError};

/// Draws the tiles of a map that its parts do not contain.
pub(crate) fn draw<'a>(
    plan: &'a MergePlan<'_>,
    parts: &'a Parts,
    output: &Output,
    progress: &Progress,
    stop: &Stop,
) -> Result<UnpublishedMap<'a>, PublishError> {
    let MergePlan {
        map:
            MergeMap {
                number,
                agreement,
                map_layers,
                ..
            },
        order,
        settings,
        threads,
        ..
    } = plan;

    let dimensions = plan.dimensions();
    let cost = cost_ns(0);
    progress.expect(order.len() as u64, order.len() as u64 * cost);

    let tile_plan = TilePlan {
        dimensions: dimensions.clone(),
        map_layers: map_layers.clone(),
        keys: agreement.keys(),
        threads: *threads,
        is_staged: false,
        is_forced: false,
    };

    let jobs = jobs_over(&dimensions, order.iter().map(|&region| (region, cost)));
    let how = schedule::ScheduleSettings {
        threads: *threads,
        max_batch: schedule::DEFAULT_MAX_BATCH,
        pin: Pin::Auto,
    };

    let (made, results) = make_tiles(output, tile_plan, progress, stop, |tiles| {
        let source = PartTiles {
            tiles,
            is_preview: !parts.missing.is_empty(),
        };
        Ok::<_, PublishError>(schedule::run(
            &TileJobs::new(tiles, &source),
            jobs,
            &how,
            stop,
        ))
    })?;

    Ok(UnpublishedMap {
        dimensions,
        map_layers: map_layers.clone(),
        made,
        hidden: Some(&agreement.hidden),
        division: None,
        world_markers: parts.world_markers(*number),
        marker_warnings: Vec::new(),
        publishing: PublishSettings {
            page: &parts.agreement.page,
            worlds: &[],
            own_markers: &parts.agreement.own_markers,
            icons: &parts.agreement.icons,
            markers: &plan.markers,
            staged: None,
            max_removed: settings.max_removed,
            moment: &settings.moment,
        },
        account: parts.account(plan, results),
    })
}

/// Keeps the native tiles of parts.
struct PartTiles<'a> {
    tiles: &'a MapTiles<'a>,
    /// Whether parts are missing. Regions without records are left out then.
    is_preview: bool,
}

impl<'s> NativeTiles<'s> for PartTiles<'_> {
    type Worker = TileWorker<'s>;

    fn worker(&'s self) -> TileWorker<'s> {
        TileWorker::new(self.tiles.run)
    }

    fn make_region(
        &self,
        worker: &mut TileWorker<'s>,
        dimension: usize,
        region: RegionPos,
    ) -> Result<(), Interruption> {
        let MapTiles {
            run,
            map_layers,
            store,
            ..
        } = self.tiles;

        let mut layers = Vec::with_capacity(map_layers.layers().len());
        for map_layer in map_layers.in_dimension(dimension) {
            // The last record may belong to a tile that was never written, so look for the last one
            // with an existing tile.
            match store.find_native(map_layer, region, |_| true)? {
                Some(located) => layers.push(located),
                None => return self.leave_out(map_layer, region),
            }
        }

        let Some(LocatedNative {
            map_layer, record, ..
        }) = layers.first()
        else {
            return Ok(());
        };
        let Some(facts) = store.find_facts(dimension, region, record.sources)? else {
            return self.leave_out(*map_layer, region);
        };

        let markers = store.last_markers(dimension, region)?;
        if let Some(markers) = markers.filter(|markers| !markers.markers.markers.is_empty()) {
            store.leave_markers(dimension, region, markers.markers);
        }

        let tally = &mut worker.tally.job;
        self.tiles
            .leave_region(tally, dimension, region, facts.findings, &layers);
        run.progress.count_unchanged(cost_ns(0));

        Ok(())
    }
}

impl PartTiles<'_> {
    /// Leaves out a region whose tile or facts are not recorded. Only a preview may do that.
    fn leave_out(&self, map_layer: MapLayer, region: RegionPos) -> Result<(), Interruption> {
        if self.is_preview {
            return Ok(());
        }

        let path = self.tiles.map_layers.tile_path(map_layer, region.tile());
        let message = format!(
            "{path} has changed since its shard drew it: draw the shards again, and merge again"
        );
        Err(Interruption::new(FailureKind::Output, message))
    }
}
