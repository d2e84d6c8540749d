//! The buffers of workers that make tiles without painting regions. A merge and an import use them.

use crate::report::Clock;
use crate::run_state::{RunState, WorkerTally};
use crate::tiles::map_tiles::TileBuffers;
use crate::tiles::tile_jobs::JobWorker;
use pixelmap_tile::{Canvas, Encoder};

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
        Self {
            canvas: Canvas::default(),
            encoder: Encoder::default(),
            clock: Clock::default(),
            tally,
        }
    }
}

impl Drop for TileWorker<'_> {
    fn drop(&mut self) {
        self.tally.job.stages = self.clock.stages();
    }
}

impl JobWorker for TileWorker<'_> {
    fn clock(&mut self) -> &mut Clock {
        &mut self.clock
    }

    fn end_job(&mut self) {
        self.tally.end_job();
    }

    fn buffers(&mut self) -> TileBuffers<'_> {
        let Self {
            canvas,
            encoder,
            clock,
            tally,
        } = self;
        TileBuffers {
            canvas,
            encoder,
            clock,
            tally: &mut tally.job,
        }
    }
}
