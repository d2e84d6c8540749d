//! Runs the jobs of a map, wherever its native tiles come from: regions that are painted, parts of
//! shards, pictures of map mods, or regions that a dry run only counts.

use crate::report::Clock;
use crate::run_state::Interruption;
use crate::schedule::Work;
use crate::tiles::jobs::TileJob;
use crate::tiles::map_tiles::{MapTiles, TileBuffers};
use pixelmap_base::coord::RegionPos;

/// The source of a map's native tiles. `'s` is the time in which its workers use it.
pub(crate) trait NativeTiles<'s>: Sync {
    type Worker: JobWorker;

    fn worker(&'s self) -> Self::Worker;

    /// Makes or keeps the tiles of a region in all layers.
    fn make_region(
        &self,
        worker: &mut Self::Worker,
        dimension: usize,
        region: RegionPos,
    ) -> Result<(), Interruption>;

    /// Called after [`NativeTiles::make_region`] has panicked.
    fn lose_region(
        &self,
        tiles: &MapTiles<'_>,
        dimension: usize,
        region: RegionPos,
        message: String,
    ) {
        tiles.lose(dimension, region.tile(), &message);
    }
}

/// The buffers of a worker, as far as all jobs need them.
pub(crate) trait JobWorker {
    fn clock(&mut self) -> &mut Clock;

    /// Adds the counts of the current job to the finished ones.
    fn end_job(&mut self);

    /// Borrows the buffers for making an outer tile.
    fn buffers(&mut self) -> TileBuffers<'_>;
}

/// The jobs of a map whose native tiles come from `source`.
pub(crate) struct TileJobs<'s, S> {
    pub(crate) tiles: &'s MapTiles<'s>,
    pub(crate) source: &'s S,
    /// Called after each job.
    pub(crate) on_end: &'s (dyn Fn(TileJob) + Sync),
}

impl<'s, S> TileJobs<'s, S> {
    pub(crate) fn new(tiles: &'s MapTiles<'s>, source: &'s S) -> Self {
        Self {
            tiles,
            source,
            on_end: &|_| {},
        }
    }
}

/// No region is tied to a worker. Regions share the data of their borders in a cache that all
/// workers use, and a batch is a piece of the plan's curve, so a worker mostly draws neighbouring
/// regions anyway. We measured one worker per group of 4 by 4 regions: it was not faster, and more
/// chunks were read twice (3.3 % instead of 2.9 % with two threads).
impl<'s, S: NativeTiles<'s>> Work for TileJobs<'s, S> {
    type Job = TileJob;
    type Worker = S::Worker;

    fn worker(&self, _: usize) -> S::Worker {
        self.source.worker()
    }

    fn run(&self, worker: &mut S::Worker, job: &TileJob) {
        worker.clock().start();

        let dimension = job.dimension as usize;
        let done = match job.tile.region() {
            Some(region) => self.source.make_region(worker, dimension, region),
            // A run that only makes markers draws nothing, so its workers lack the canvas that an
            // outer tile needs.
            None if self.tiles.map_layers.layers().is_empty() => Ok(()),
            None => self
                .tiles
                .make_parent(worker.buffers(), dimension, job.tile),
        };

        self.tiles.run.end_job(done);
        worker.end_job();
        (self.on_end)(*job);
    }

    fn report_panic(&self, job: &TileJob, message: &str) {
        let message = format!("this is a defect of pixelmap, please report it: {message}");
        let dimension = job.dimension as usize;
        match job.tile.region() {
            Some(region) => self
                .source
                .lose_region(self.tiles, dimension, region, message),
            None => self.tiles.lose(dimension, job.tile, &message),
        }

        (self.on_end)(*job);
    }
}
