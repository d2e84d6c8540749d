//! Canvases to tiles in their places: a job a region, which draws and publishes its tile, and a job a parent tile.

pub(super) mod drawn;
pub(super) mod finish;
pub(super) mod jobs;
pub(super) mod keyed;
mod legend;
mod marker_files;
mod markers;
pub(super) mod of_world;
mod parents;
mod preserved;
mod preview;
pub(super) mod removals;
pub(super) mod state;
pub(super) mod tile_store;
mod tiles;
mod unchanged;
mod waiting;

use self::jobs::Job;
use self::state::Map;
use crate::base::coord::{Area, RegionPos};
use crate::draw::painter::region::PaintedRegion;
use crate::draw::painter::shared::{PlannedRegion, Worker};
use crate::draw::record::{RegionRecord, Source};
use crate::draw::report::ShownNames;
use crate::schedule::Work;

/// No job prefers a worker, though the schedule knows how: what regions ask of each other lies in a cache that all
/// workers share, and a batch is a piece of the plan's curve as it is, so a worker mostly draws neighbours. Giving each
/// group of 4 by 4 regions to one worker was measured: no faster, and more chunks read twice (3.3 % for 2.9 % with two
/// threads).
impl<'a> Work for &'a Map<'_> {
    type Job = Job;
    type Worker = Worker<'a>;

    fn worker(&self, _: usize) -> Worker<'a> {
        self.painter.worker()
    }

    fn run(&self, worker: &mut Worker<'a>, job: &Job) {
        let region = |worker: &mut _, dimension, pos: RegionPos| {
            self.draw_region(worker, &self.painter.region(dimension, pos));
        };
        let parent = |worker: &mut _, dimension, tile| self.draw_parent(worker, dimension, tile);
        job.run(worker, region, parent);
    }

    fn panicked(&self, job: &Job, message: &str) {
        job.panicked(&self.painter, message);
    }
}

impl Map<'_> {
    /// Draws a region and publishes its tile, unless it is unchanged. A run that is to end leaves it undrawn.
    // Stays a function of its own, so that benches/instructions.sh can count it; called once a region.
    #[inline(never)]
    fn draw_region(&self, worker: &mut Worker<'_>, region: &PlannedRegion<'_>) {
        if self.painter.map_layers.layers().is_empty() {
            return self.remake_markers(worker, region);
        }
        if let Some(content) = self.leave_unchanged(worker, region) {
            return self.leave_markers(worker, region, content);
        }
        let Some(painted) = self.painter.paint_region(worker, region) else { return };
        let PaintedRegion { file, hashes, around, gaps, findings, markers } = painted;
        let source = file.map_or_else(Source::unstable, |file| self.source(region, &hashes, &file));
        self.put_markers(worker, region, source.hashes.content, markers, &gaps);
        let mut record = RegionRecord {
            source,
            around,
            tile: None,
            filled: Area::default(),
            findings,
            shown: ShownNames::default(),
        };
        let mut is_everywhere = true;
        for map_layer in self.painter.map_layers.of(region.dimension) {
            if self.keep_pixels(&mut worker.canvases[map_layer.layer], map_layer, region.pos, &gaps).is_err() {
                return;
            }
            record.shown = self.names_on(worker, map_layer, region.pos, !gaps.is_empty());
            self.show(map_layer, &record.shown);
            record.filled = worker.canvases[map_layer.layer].filled();
            let note = |tile| self.tiles.record_region(map_layer, region.pos, &RegionRecord { tile, ..record.clone() });
            match self.publish(worker, map_layer, map_layer.layer, region.pos.tile(), note) {
                Ok(true) => self.tiles.made(map_layer).fill(region.pos, record.filled),
                Ok(false) => is_everywhere = false,
                Err(error) => return self.painter.fail(&error),
            }
        }
        self.note_hidden(worker, region, is_everywhere);
        self.painter.region_done(worker, region);
    }
}
