//! The parts of a map that are on a screen, and the jobs of their regions.

use super::tile_state::OpenTileJobs;
use super::tile_state::open_job;
use crate::schedule::NodeId;
use pixelmap_base::coord::{Area, RegionPos, TilePos};

/// A part of a map that is on a screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Viewport {
    /// The dimension's number in the facts.
    pub dimension: usize,
    /// The visible columns.
    pub area: Area,
}

/// The jobs of the regions in a viewport that are not drawn yet.
#[derive(Debug, Clone)]
pub struct ViewJobs {
    pub(super) dimension: usize,
    /// The most urgent last, from where drawn ones are removed.
    pub(super) jobs: Vec<(TilePos, NodeId)>,
}

impl ViewJobs {
    /// The jobs that are still to be done, the most urgent first.
    pub(super) fn open_jobs(&mut self, tiles: &OpenTileJobs) -> impl Iterator<Item = NodeId> {
        let dimension = self.dimension;
        while self
            .jobs
            .pop_if(|(tile, _)| open_job(tiles, dimension, *tile).is_none())
            .is_some()
        {}

        self.jobs
            .iter()
            .rev()
            .filter(move |(tile, _)| open_job(tiles, dimension, *tile).is_some())
            .map(|(_, job)| *job)
    }
}

/// The distance of a job from the middle of a viewport, its position, and the job. Jobs are sorted
/// in this order.
type ViewJob = (i64, (i32, i32), NodeId);

/// Returns the jobs of the regions in a viewport that are not drawn yet. A viewport may have more
/// regions than the map.
pub(super) fn open_jobs(viewport: &Viewport, tiles: &OpenTileJobs) -> Vec<ViewJob> {
    let (count, regions) = viewport.area.regions();
    let mut jobs = Vec::new();
    if count > tiles.len() as u64 {
        for (&(dimension, tile), &job) in tiles {
            if dimension == viewport.dimension
                && let Some(job) = job
                && let Some(region) = tile.region()
                && viewport.area.meets(region)
            {
                jobs.push(view_job(viewport.area, region, job));
            }
        }
    } else {
        for region in regions {
            if let Some(job) = open_job(tiles, viewport.dimension, region.tile()) {
                jobs.push(view_job(viewport.area, region, job));
            }
        }
    }

    jobs
}

fn view_job(area: Area, region: RegionPos, job: NodeId) -> ViewJob {
    (squared_distance(area, region), (region.z, region.x), job)
}

/// Returns the square of twice the distance between the middles of an area and a region.
pub(super) fn squared_distance(area: Area, region: RegionPos) -> i64 {
    let other = region.area();
    let x = doubled_distance([area.x0, area.x1], [other.x0, other.x1]);
    let z = doubled_distance([area.z0, area.z1], [other.z0, other.z1]);
    x * x + z * z
}

/// Returns twice the distance between the middles of two ranges, limited so that its square does
/// not overflow.
fn doubled_distance([a0, a1]: [i32; 2], [b0, b1]: [i32; 2]) -> i64 {
    (i64::from(a0) + i64::from(a1) - i64::from(b0) - i64::from(b1)).clamp(-(1 << 30), 1 << 30)
}
