//! Merges the parts that shards have drawn to one map: native tiles stay as they were drawn, and of the outer ones those
//! are drawn that show something of several parts. No world is read.

use std::path::PathBuf;
use std::time::Instant;

use crate::pipeline::error::RenderError;
use crate::pipeline::map::drawn::DrawnMap;
use crate::pipeline::map::finish;
use crate::pipeline::map::jobs::Job;
use crate::pipeline::map::removals::check_removals;
use crate::pipeline::map::state::Map;
use crate::pipeline::paint::shared::{Region, Worker};
use crate::pipeline::parts::adopt::adopt;
use crate::pipeline::parts::error::MergeError;
use crate::pipeline::parts::found::Parts;
use crate::pipeline::parts::merging::Merging;
use crate::pipeline::progress::Progress;
use crate::publish::{Content, Identity, Output, PublishError};
use crate::record::region_of;
use crate::report::{FailureKind, Limit, Report};
use crate::schedule::{self, Stop, Work};
use crate::world::World;

/// What is to be merged.
#[derive(Debug, Clone)]
pub struct MergeSettings {
    /// The folder of the map.
    pub output: PathBuf,
    /// The folders that shards were drawn into; none: the output itself.
    pub parts: Vec<PathBuf>,
    /// Merges what is there where parts are missing.
    pub allow_missing: bool,
    /// The most tiles that may be removed.
    pub max_removed: Limit,
    /// The number of workers; 0: the CPUs this process may use.
    pub threads: usize,
}

/// A map that was merged.
#[derive(Debug)]
pub struct Merged {
    /// By map.
    pub reports: Vec<Report>,
    /// The shards that are missing.
    pub missing: Vec<u32>,
    /// The folder, which this run holds.
    pub output: Output,
}

/// Merges parts. `on_open` is called when the folder is held, before anything of the map is changed.
///
/// # Errors
/// Nothing is changed: parts are missing or do not belong together, or the folder cannot be used.
pub fn merge(
    asked: &MergeSettings,
    on_open: impl FnOnce(&Output) -> Result<(), PublishError>,
    progress: &Progress,
    stop: &Stop,
) -> Result<Merged, MergeError> {
    let own = [asked.output.clone()];
    let folders: &[PathBuf] = if asked.parts.is_empty() { &own } else { &asked.parts };
    let parts = Parts::find(folders, asked.allow_missing)?;
    let world = parts.same.world();
    let identity =
        Identity { name: world.name(), spawn: parts.same.spawn.as_ref().map(|(_, at)| *at), path: PathBuf::new() };
    let output = Output::open_for(Content::Map, parts.same.naming().into(), &asked.output, &identity, &[])?;
    on_open(&output)?;
    let mut maps = parts
        .same
        .maps
        .iter()
        .map(|map| Merging::of(&parts.same, map, (&world, &identity), asked.threads))
        .collect::<Result<Vec<_>, _>>()?;
    for map in &mut maps {
        (map.settings.output, map.settings.max_removed) = (asked.output.clone(), asked.max_removed);
    }
    let regions = adopt(&output, &maps, &parts.all, !parts.missing.is_empty())?;
    for (map, regions) in maps.iter_mut().zip(regions) {
        map.set_regions(regions);
    }
    for Merging { settings, prepared, .. } in &maps {
        check_removals(&output, prepared, settings)?;
    }
    let mut drawn = Vec::new();
    for (number, of) in maps.iter().enumerate() {
        let mut map = draw(of, &world, &output, progress, stop)?;
        map.of_world = parts.of_world(number);
        let is_whole = map.is_whole();
        drawn.push(map);
        if !is_whole {
            break;
        }
    }
    let mut reports = finish::publish(&world, &output, drawn, stop);
    for (number, report) in reports.iter_mut().enumerate() {
        parts.complete(number, report);
    }
    Ok(Merged { reports, missing: parts.missing, output })
}

/// Draws what of a map is not drawn in its parts.
fn draw<'a>(
    map: &'a Merging,
    world: &'a World,
    output: &'a Output,
    progress: &'a Progress,
    stop: &Stop,
) -> Result<DrawnMap<'a>, RenderError> {
    let start = Instant::now();
    let Merging { settings, prepared, keys } = map;
    let map = Map::with_keys(world, (prepared, settings), keys.clone(), output, progress, stop)?;
    let run = |map: &Map<'_>, jobs, how: &schedule::Settings| schedule::run(&Taking { map }, jobs, how, stop);
    Ok(DrawnMap::of(map, (settings, prepared), start, stop, run))
}

/// Takes the tiles of parts as they are, and draws those above them.
struct Taking<'m, 'a> {
    map: &'m Map<'a>,
}

impl<'m> Work for Taking<'m, '_> {
    type Job = Job;
    type Worker = Worker<'m>;

    fn worker(&self, _: usize) -> Worker<'m> {
        self.map.drawing.worker()
    }

    fn run(&self, worker: &mut Worker<'m>, job: &Job) {
        let map = self.map;
        let region = |worker: &mut _, dimension, pos| map.take_region(worker, &map.drawing.region(dimension, pos));
        let parent = |worker: &mut _, dimension, tile| map.draw_parent(worker, dimension, tile);
        job.run(worker, region, parent);
    }

    fn panicked(&self, job: &Job, message: &str) {
        job.panicked(&self.map.drawing, message);
    }
}

impl Map<'_> {
    /// Leaves a region as it was drawn, without a look at the world.
    fn take_region(&self, worker: &mut Worker<'_>, region: &Region<'_>) {
        let mut records = Vec::with_capacity(self.drawing.map_layers.layers().len());
        let tile = region.pos.tile();
        for map_layer in self.drawing.map_layers.of(region.dimension) {
            let found = self.recorded(map_layer, tile).and_then(|recorded| {
                let record = region_of(&recorded.says)?;
                let stands = self.stands(map_layer, tile, record.tile, &recorded)?;
                Some((map_layer, record, stands))
            });
            let Some(found) = found else {
                let path = self.drawing.map_layers.tile_path(map_layer, tile);
                let message = format!(
                    "{path} is not as its shard has drawn it: draw that shard again with --force, and merge again"
                );
                return self.drawing.fail_with(FailureKind::Output, message);
            };
            records.push(found);
        }
        self.take_markers(region);
        self.leave_region(worker, region, records);
    }
}
