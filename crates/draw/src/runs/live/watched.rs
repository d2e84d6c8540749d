//! Runs the jobs of a live map: reports the end of each job, and makes sketches at the same time.

use std::thread::scope;

use crate::map::Map;
use crate::runs::live::live_map::Live;
use crate::runs::live::sketches::Sketches;
use crate::schedule::{self, Summary};
use crate::tiles::jobs::TileJob;
use crate::tiles::tile_jobs::TileJobs;

/// The most threads that sketch. More threads would only compete with the workers.
const MAX_SKETCHERS: usize = 4;

/// Draws a map for users who look at it. Runs its jobs, which have the same numbers in `live`.
pub(crate) fn draw(
    map: &Map<'_>,
    jobs: schedule::JobPlan<TileJob>,
    how: &schedule::ScheduleSettings,
    live: &Live,
) -> Summary {
    let threads = if how.threads == 0 {
        schedule::available_threads()
    } else {
        how.threads
    };

    let sketchers = threads.clamp(1, MAX_SKETCHERS);
    scope(|scope| {
        // The sketchers end no matter how the drawing ends.
        let _closing = SketchesGuard(&live.sketches);

        for _ in 0..sketchers {
            scope.spawn(|| live.sketches.work(map, |tile| live.is_open(tile)));
        }

        let jobs_of_map = TileJobs {
            tiles: map.tiles,
            source: map,
            on_end: &|job| live.tile_is_drawn(job.dimension as usize, job.tile),
        };

        schedule::run_urgent(&jobs_of_map, jobs, how, live.stop(), &live.urgent)
    })
}

/// Closes sketches when it is dropped.
struct SketchesGuard<'s>(&'s Sketches);

impl Drop for SketchesGuard<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}
