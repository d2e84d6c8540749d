//! Runs the jobs of a live map: reports the end of each job, and makes sketches at the same time.

use std::thread::scope;

use crate::draw::map::Map;
use crate::draw::painter::shared::PaintWorker;
use crate::draw::runs::live::Live;
use crate::draw::runs::live::sketches::Sketches;
use crate::draw::tiles::jobs::TileJob;
use crate::schedule::{self, Summary, Work};

/// The most threads that sketch. More threads would only compete with the workers.
const MAX_SKETCHERS: usize = 4;

/// A map that reports each drawn tile.
struct Watched<'w, 'a> {
    map: &'w Map<'a>,
    live: &'w Live,
}

impl<'w> Work for Watched<'w, '_> {
    type Job = TileJob;
    type Worker = PaintWorker<'w>;

    fn worker(&self, index: usize) -> PaintWorker<'w> {
        <&Map<'_> as Work>::worker(&self.map, index)
    }

    fn run(&self, worker: &mut PaintWorker<'w>, job: &TileJob) {
        <&Map<'_> as Work>::run(&self.map, worker, job);
        self.report_drawn(*job);
    }

    fn report_panic(&self, job: &TileJob, message: &str) {
        <&Map<'_> as Work>::report_panic(&self.map, job, message);
        self.report_drawn(*job);
    }
}

impl Watched<'_, '_> {
    fn report_drawn(&self, job: TileJob) {
        self.live.tile_is_drawn(job.dimension as usize, job.tile);
    }
}

/// Draws a map for users who look at it. Runs its jobs, which have the same numbers in `live`.
pub(crate) fn draw(
    map: &Map<'_>,
    jobs: schedule::JobPlan<TileJob>,
    how: &schedule::ScheduleSettings,
    live: &Live,
) -> Summary {
    let threads = if how.threads == 0 { schedule::available_threads() } else { how.threads };
    let sketchers = threads.clamp(1, MAX_SKETCHERS);
    scope(|scope| {
        // The sketchers end no matter how the drawing ends.
        let _closing = Closing(&live.sketches);
        for _ in 0..sketchers {
            scope.spawn(|| live.sketches.work(map, |tile| live.is_open(tile)));
        }
        schedule::run_urgent(&Watched { map, live }, jobs, how, live.stop(), &live.urgent)
    })
}

/// Closes sketches when it is dropped.
struct Closing<'s>(&'s Sketches);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}
