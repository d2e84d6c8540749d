//! The drawing of a merge: native tiles stay as shards have drawn them, and of the outer ones those are drawn that show
//! something of several parts. No world is read.

use std::time::Instant;

use crate::draw::error::RenderError;
use crate::draw::map::drawn::DrawnMap;
use crate::draw::map::jobs::Job;
use crate::draw::map::state::Map;
use crate::draw::painter::shared::{PlannedRegion, Worker};
use crate::draw::parts::merging::Merging;
use crate::draw::progress::Progress;
use crate::draw::report::FailureKind;
use crate::schedule::{self, Stop, Work};
use crate::store::Output;
use crate::world::World;

/// Draws what of a map is not drawn in its parts; `is_preview`: some are missing.
pub(crate) fn draw<'a>(
    map: &'a Merging,
    (world, output): (&'a World, &'a Output),
    is_preview: bool,
    progress: &'a Progress,
    stop: &Stop,
) -> Result<DrawnMap<'a>, RenderError> {
    let start = Instant::now();
    let Merging { settings, prepared, keys } = map;
    let map = Map::with_keys(world, (prepared, settings), keys.clone(), output, progress, stop)?;
    let run =
        |map: &Map<'_>, jobs, how: &schedule::Settings| schedule::run(&Taking { map, is_preview }, jobs, how, stop);
    Ok(DrawnMap::of(map, (settings, prepared), start, stop, run))
}

/// Takes the tiles of parts as they are, and draws those above them.
struct Taking<'m, 'a> {
    map: &'m Map<'a>,
    /// Parts are missing: tiles that no record tells of are left out.
    is_preview: bool,
}

impl<'m> Work for Taking<'m, '_> {
    type Job = Job;
    type Worker = Worker<'m>;

    fn worker(&self, _: usize) -> Worker<'m> {
        self.map.painter.worker()
    }

    fn run(&self, worker: &mut Worker<'m>, job: &Job) {
        let Self { map, is_preview } = *self;
        let region = |worker: &mut _, dimension, pos| {
            map.keep_region(worker, &map.painter.region(dimension, pos), is_preview);
        };
        let parent = |worker: &mut _, dimension, tile| map.draw_parent(worker, dimension, tile);
        job.run(worker, region, parent);
    }

    fn panicked(&self, job: &Job, message: &str) {
        job.panicked(&self.map.painter, message);
    }
}

impl Map<'_> {
    /// Leaves a region as it was drawn, without a look at the world.
    fn keep_region(&self, worker: &mut Worker<'_>, region: &PlannedRegion<'_>, is_preview: bool) {
        let mut records = Vec::with_capacity(self.painter.map_layers.layers().len());
        let tile = region.pos.tile();
        for map_layer in self.painter.map_layers.of(region.dimension) {
            // The last record may be of a tile that never took its place.
            let Some((record, place)) = self.last_located(map_layer, region.pos, |_| true) else {
                if is_preview {
                    return;
                }
                let path = self.painter.map_layers.tile_path(map_layer, tile);
                let message =
                    format!("{path} is not as its shard has drawn it: draw the shards again, and merge again");
                return self.painter.fail_with(FailureKind::Output, message);
            };
            records.push((map_layer, record, place));
        }
        self.keep_recorded_markers(region);
        self.leave_region(worker, region, records);
    }
}
