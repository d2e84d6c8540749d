//! Renders in which a job panics, which no world should be able to bring about.

use std::path::Path;

use super::*;
use crate::coord::{RegionPos, TILE_SIDE};
use crate::report::Outcome;
use crate::tile::{Pixel, decode};

/// Runs a render's jobs, but panics on the chosen ones.
struct Panicking<'a>(&'a Render<'a>, fn(&Job) -> bool);

impl<'a> Work for Panicking<'a> {
    type Job = Job;
    type Worker = Worker<'a>;

    fn worker(&self, index: usize) -> Worker<'a> {
        Work::worker(&self.0, index)
    }

    fn run(&self, worker: &mut Worker<'a>, job: &Job) {
        if self.1(job) {
            worker.canvases[0].band_mut(3).fill(Pixel::opaque([1, 2, 3]));
            panic!("on purpose");
        }
        Work::run(&self.0, worker, job);
    }

    fn panicked(&self, job: &Job, message: &str) {
        Work::panicked(&self.0, job, message);
    }
}

/// The four regions of the demo world, and one of them again beside them, so that there is an outer zoom level.
fn regions(folder: &Path) {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/demo/region");
    std::fs::create_dir_all(folder).unwrap();
    for (from, to) in [("-1.-1", "-1.-1"), ("0.-1", "0.-1"), ("-1.0", "-1.0"), ("0.0", "0.0"), ("-1.0", "1.0")] {
        std::fs::copy(demo.join(format!("r.{from}.mca")), folder.join(format!("r.{to}.mca"))).unwrap();
    }
}

/// Draws the regions in `place` with two workers into `output`; the chosen jobs panic.
fn draw(place: &Path, output: &Path, chosen: fn(&Job) -> bool) -> Report {
    regions(&place.join("region"));
    let world = World::open(&place.join("region")).unwrap();
    let settings = Settings {
        output: output.to_owned(),
        dimensions: Vec::new(),
        layers: vec![Layer::Day],
        choices: Choices::default(),
        area: None,
        range: YRange::ALL,
        colours: Colours::default(),
        unfinished: false,
        threads: 2,
        max_batch: schedule::DEFAULT_MAX_BATCH,
        pin: Pin::None,
        max_removed: Limit::Percent(50.0),
        force: false,
        check: Check::Quick,
    };
    let (progress, stop) = (Progress::default(), Stop::new());
    let run = |render: &Render<'_>, jobs, how: &schedule::Settings| {
        schedule::run(&Panicking(render, chosen), jobs, how, &stop)
    };
    render_by(&world, &settings, &progress, &stop, run).unwrap()
}

fn pixels(folder: &Path, tile: TilePos) -> Option<Vec<Pixel>> {
    let file = std::fs::read(folder.join(format!("overworld/day/{tile}.png"))).ok()?;
    Some(decode(&file).unwrap().pixels().to_vec())
}

const LOST: RegionPos = RegionPos { x: 0, z: 0 };

fn is_lost(job: &Job) -> bool {
    job.tile == LOST.tile()
}

#[test]
fn a_region_whose_job_panics_is_named_and_all_others_are_drawn_up_to_the_outermost_level() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, lost) = (folder.path().join("whole"), folder.path().join("lost"));
    let before = draw(folder.path(), &whole, |_| false);
    assert_eq!((before.outcome, before.gaps()), (Outcome::Complete, 0));
    let report = draw(folder.path(), &lost, is_lost);
    assert_eq!((report.outcome, report.regions.failed, report.gaps()), (Outcome::Gaps, 1, 1));
    assert_eq!((report.regions.drawn, before.regions.drawn), (4, 5));
    let [bad] = &report.bad_chunks[..] else { panic!("{:?}", report.bad_chunks) };
    assert_eq!((bad.region.as_str(), bad.chunk, &*bad.reason), ("r.0.0.mca", None, "unreadable"));
    assert!(bad.message.contains("on purpose") && bad.message.contains("report"), "{}", bad.message);
    assert!(pixels(&lost, LOST.tile()).is_none(), "nothing half drawn is published");
    for (x, z) in [(-1, -1), (0, -1), (-1, 0), (1, 0)] {
        let tile = RegionPos { x, z }.tile();
        assert!(pixels(&whole, tile).is_some() && pixels(&lost, tile) == pixels(&whole, tile), "{tile}");
    }
    // The parent of the lost tile holds its other child, and nothing in the lost one's place.
    let parent = LOST.tile().parent();
    let halves = [whole, lost.clone()].map(|map| {
        let pixels = pixels(&map, parent).unwrap();
        let half = TILE_SIDE / 2;
        let (west, east): (Vec<_>, Vec<_>) = pixels.chunks(TILE_SIDE).map(|row| row.split_at(half)).unzip();
        (west.concat(), east.concat())
    });
    let shows = |half: &[Pixel]| half.iter().any(|&pixel| pixel != Pixel::CLEAR);
    assert!(shows(&halves[0].0) && !shows(&halves[1].0));
    assert!(shows(&halves[0].1) && halves[1].1 == halves[0].1);
    assert!(lost.join("map.json").exists() && lost.join("overworld/day/tiles.tsv").exists());
}

#[test]
fn a_parent_whose_job_panics_fails_the_run_and_the_map_that_was_there_stays() {
    let folder = tempfile::tempdir().unwrap();
    let map = folder.path().join("map");
    draw(folder.path(), &map, |_| false);
    let manifest = std::fs::read(map.join("overworld/day/tiles.tsv")).unwrap();
    let report = draw(folder.path(), &map, |job| job.tile.region().is_none());
    assert_eq!(report.outcome, Outcome::Failed);
    assert!(report.error.unwrap().message.contains("on purpose"));
    assert_eq!(std::fs::read(map.join("overworld/day/tiles.tsv")).unwrap(), manifest);
}
