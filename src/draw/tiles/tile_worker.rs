//! Jobs that make tiles without painting regions, and the buffers of their workers. A merge and an import use them.

use crate::base::coord::RegionPos;
use crate::draw::run_state::{RunState, Undone, WorkerTally};
use crate::draw::tiles::jobs::TileJob;
use crate::draw::tiles::map_tiles::{MapTiles, TileBuffers};
use crate::report::Clock;
use crate::schedule::Work;
use crate::tile::{Canvas, Encoder};

#[derive(Debug)]
pub(crate) struct TileWorker<'a> {
    pub(crate) canvas: Canvas,
    encoder: Encoder,
    pub(crate) clock: Clock,
    pub(crate) tally: WorkerTally<'a>,
}

impl<'a> TileWorker<'a> {
    pub(crate) fn new(run: &'a RunState<'a>) -> Self {
        let tally = WorkerTally::new(run);
        Self { canvas: Canvas::default(), encoder: Encoder::default(), clock: Clock::default(), tally }
    }

    /// Borrows the buffers for making a tile of the canvas.
    pub(crate) fn tile_buffers(&mut self) -> TileBuffers<'_> {
        let Self { canvas, encoder, clock, tally } = self;
        TileBuffers { canvas, encoder, clock, tally: &mut tally.job }
    }
}

impl Drop for TileWorker<'_> {
    fn drop(&mut self) {
        self.tally.job.stages = self.clock.stages();
    }
}

/// The source of the native tiles of a map whose regions are not painted.
pub(crate) trait NativeTiles: Sync {
    /// Makes or keeps the tiles of a region in all layers.
    fn make_region(&self, worker: &mut TileWorker<'_>, dimension: usize, region: RegionPos) -> Result<(), Undone>;
}

/// The jobs of a map whose native tiles come from `source`.
pub(crate) struct TileJobs<'m, 'a, S> {
    pub(crate) tiles: &'m MapTiles<'a>,
    pub(crate) source: S,
}

impl<'m, S: NativeTiles> Work for TileJobs<'m, '_, S> {
    type Job = TileJob;
    type Worker = TileWorker<'m>;

    fn worker(&self, _: usize) -> TileWorker<'m> {
        TileWorker::new(self.tiles.run)
    }

    fn run(&self, worker: &mut TileWorker<'m>, job: &TileJob) {
        worker.clock.start();
        let dimension = job.dimension as usize;
        let done = match job.tile.region() {
            Some(region) => self.source.make_region(worker, dimension, region),
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
