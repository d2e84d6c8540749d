//! Tests renders during which something happens that a world alone cannot cause: a job panics, or a
//! chunk keeps changing.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::painter::shared::PaintWorker;
use crate::report::{Limit, Outcome};
use crate::request::reserved::RESERVED_NAMES;
use crate::request::settings::RunSettings;
use crate::runs::open_world::open_world_early;
use crate::runs::run::*;
use crate::schedule::{Pin, Work};
use pixelmap_base::coord::{CHUNK_SIDE, RegionPos, Slot, TILE_SIDE, TilePos};
use pixelmap_tile::{Pixel, decode};
use pixelmap_world::internal::WorldRequest;

/// Runs a render's jobs, but panics on the chosen ones.
struct PanickingMap<'a>(TileJobs<'a, Map<'a>>, fn(&TileJob) -> bool);

impl<'a> Work for PanickingMap<'a> {
    type Job = TileJob;
    type Worker = PaintWorker<'a>;

    fn worker(&self, index: usize) -> PaintWorker<'a> {
        Work::worker(&self.0, index)
    }

    fn run(&self, worker: &mut PaintWorker<'a>, job: &TileJob) {
        if self.1(job) {
            worker.canvases[0]
                .band_mut(3)
                .fill(Pixel::from_rgb([1, 2, 3]));
            panic!("on purpose");
        }
        Work::run(&self.0, worker, job);
    }

    fn report_panic(&self, job: &TileJob, message: &str) {
        Work::report_panic(&self.0, job, message);
    }
}

/// Copies the four regions of the demo world, and one of them again next to them, so that there is
/// an outer zoom level.
fn regions(folder: &Path) {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/demo/region");
    std::fs::create_dir_all(folder).unwrap();

    for (from, to) in [
        ("-1.-1", "-1.-1"),
        ("0.-1", "0.-1"),
        ("-1.0", "-1.0"),
        ("0.0", "0.0"),
        ("-1.0", "1.0"),
    ] {
        std::fs::copy(
            demo.join(format!("r.{from}.mca")),
            folder.join(format!("r.{to}.mca")),
        )
        .unwrap();
    }
}

/// Draws the regions in `place` with two workers into `output`. The chosen jobs panic.
fn draw(place: &Path, output: &Path, chosen: fn(&TileJob) -> bool) -> Report {
    regions(&place.join("region"));
    let stop = Stop::new();
    let run = |map: &Map<'_>, jobs, how: &schedule::ScheduleSettings| {
        schedule::run(
            &PanickingMap(TileJobs::new(map.tiles, map), chosen),
            jobs,
            how,
            &stop,
        )
    };
    draw_by(place, output, &stop, run)
}

/// Draws the existing world in `place`.
fn draw_by(
    place: &Path,
    output: &Path,
    stop: &Stop,
    run: impl FnOnce(&Map<'_>, schedule::JobPlan<TileJob>, &schedule::ScheduleSettings) -> Summary,
) -> Report {
    let world = World::open(&place.join("region"), RESERVED_NAMES).unwrap();
    let mut settings = Settings::new(crate::Mode::Map, output.to_owned());
    settings.run = RunSettings {
        threads: 2,
        pin: Pin::None,
        max_removed: Limit::Percent(100.0),
        ..RunSettings::default()
    };

    let maps = [settings];
    let folder = Run::open(&world, &maps).unwrap();
    let drawn = folder.draw_by(0, &Progress::default(), stop, run).unwrap();

    folder.publish(vec![drawn], stop).remove(0)
}

fn pixels(folder: &Path, tile: TilePos) -> Option<Vec<Pixel>> {
    let file = std::fs::read(folder.join(format!("overworld/day/{tile}.png"))).ok()?;
    Some(decode(&file).unwrap().pixels().to_vec())
}

const LOST: RegionPos = RegionPos { x: 0, z: 0 };

fn is_lost(job: &TileJob) -> bool {
    job.tile == LOST.tile()
}

#[test]
fn a_panicking_region_job_spares_all_other_regions() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, lost) = (folder.path().join("whole"), folder.path().join("lost"));
    let before = draw(folder.path(), &whole, |_| false);
    assert_eq!((before.outcome, before.gaps()), (Outcome::Complete, 0));

    let report = draw(folder.path(), &lost, is_lost);
    assert_eq!(
        (report.outcome, report.regions.failed, report.gaps()),
        (Outcome::Gaps, 1, 1)
    );
    assert_eq!((report.regions.drawn, before.regions.drawn), (4, 5));

    let [bad] = &report.bad_chunks[..] else {
        panic!("{:?}", report.bad_chunks)
    };

    assert_eq!(
        (bad.region.as_str(), bad.chunk, &*bad.reason),
        ("r.0.0.mca", None, "unreadable")
    );

    assert!(
        bad.message.contains("on purpose") && bad.message.contains("report"),
        "{}",
        bad.message
    );
    assert!(
        pixels(&lost, LOST.tile()).is_none(),
        "nothing half drawn is published"
    );

    for (x, z) in [(-1, -1), (0, -1), (-1, 0), (1, 0)] {
        let tile = RegionPos { x, z }.tile();
        assert!(
            pixels(&whole, tile).is_some() && pixels(&lost, tile) == pixels(&whole, tile),
            "{tile}"
        );
    }

    // The parent of the lost tile shows its other child, and is clear at the lost one's place.
    let parent = LOST.tile().parent();
    let halves = [whole, lost.clone()].map(|map| {
        let pixels = pixels(&map, parent).unwrap();
        let half = TILE_SIDE / 2;
        let (west, east): (Vec<_>, Vec<_>) = pixels
            .chunks(TILE_SIDE)
            .map(|row| row.split_at(half))
            .unzip();
        (west.concat(), east.concat())
    });

    let shows = |half: &[Pixel]| half.iter().any(|&pixel| pixel != Pixel::CLEAR);
    assert!(shows(&halves[0].0) && !shows(&halves[1].0));
    assert!(shows(&halves[0].1) && halves[1].1 == halves[0].1);
    assert!(lost.join("map.json").exists() && lost.join("overworld/day/tiles.tsv").exists());
}

#[test]
fn a_panicking_parent_job_fails_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let (map, fresh) = (folder.path().join("map"), folder.path().join("fresh"));
    draw(folder.path(), &map, |_| false);
    let manifest = std::fs::read(map.join("overworld/day/tiles.tsv")).unwrap();
    let is_parent = |job: &TileJob| job.tile.region().is_none();

    let assert_failed = |report: &Report| {
        assert_eq!(report.outcome, Outcome::Failed);
        let error = report.error.as_ref().unwrap();
        assert!(
            error.kind == crate::report::FailureKind::Defect
                && error.message.contains("on purpose"),
            "{error:?}"
        );
        assert_eq!(report.tiles.removed, 0);
    };

    assert_failed(&draw(folder.path(), &map, is_parent));
    assert_eq!(
        std::fs::read(map.join("overworld/day/tiles.tsv")).unwrap(),
        manifest,
        "the map that was there stays"
    );

    // Parents are drawn before regions that are not begun. A run that ended with the first parent
    // would not draw those regions.
    let report = draw(folder.path(), &fresh, is_parent);
    assert_failed(&report);
    assert_eq!(report.regions.drawn, 5);

    for (x, z) in [(-1, -1), (0, -1), (-1, 0), (0, 0), (1, 0)] {
        assert!(
            pixels(&fresh, RegionPos { x, z }.tile()).is_some(),
            "{x} {z}"
        );
    }

    assert!(!fresh.join("map.json").exists() && !fresh.join("overworld/day/tiles.tsv").exists());
}

#[test]
fn skipped_jobs_without_a_stop_are_a_defect() {
    let folder = tempfile::tempdir().unwrap();
    regions(&folder.path().join("region"));
    let map = folder.path().join("map");

    let no_worker =
        |_: &Map<'_>, jobs: schedule::JobPlan<TileJob>, _: &schedule::ScheduleSettings| {
            let warnings = vec!["worker 0 could not be set up: on purpose".to_owned()];
            Summary {
                not_run: jobs.all().count(),
                warnings,
                ..Summary::default()
            }
        };

    let report = draw_by(folder.path(), &map, &Stop::new(), no_worker);
    assert_eq!(report.outcome, Outcome::Failed);

    let error = report.error.unwrap();
    assert!(
        error.kind == crate::report::FailureKind::Defect && error.message.contains("on purpose"),
        "{error:?}"
    );

    let stop = Stop::new();
    stop.request();
    let report = draw_by(folder.path(), &map, &stop, no_worker);
    assert!(
        report.outcome == Outcome::Interrupted && report.error.is_none(),
        "{report:?}"
    );
}

#[test]
fn run_stopped_before_removal_keeps_tiles_and_manifest() {
    let folder = tempfile::tempdir().unwrap();
    let map = folder.path().join("map");
    draw(folder.path(), &map, |_| false);
    let gone = RegionPos { x: 1, z: 0 };
    std::fs::remove_file(folder.path().join("region").join(format!("{gone}.mca"))).unwrap();

    let facts = || {
        ["overworld/day/tiles.tsv", "map.json"].map(|path| std::fs::read(map.join(path)).unwrap())
    };

    let before = facts();

    let draw_until = |stop_at_end: bool| {
        let stop = Stop::new();
        draw_by(folder.path(), &map, &stop, |render, jobs, how| {
            let summary = schedule::run(&TileJobs::new(render.tiles, render), jobs, how, &stop);
            if stop_at_end {
                stop.request();
            }
            summary
        })
    };

    let report = draw_until(true);
    assert_eq!(
        (report.outcome, report.tiles.removed),
        (Outcome::Interrupted, 0)
    );
    assert!(pixels(&map, gone.tile()).is_some() && facts() == before);

    let report = draw_until(false);
    assert_eq!(report.outcome, Outcome::Complete);
    assert!(report.tiles.removed > 0 && pixels(&map, gone.tile()).is_none() && facts() != before);
}

#[test]
fn the_report_has_the_number_of_workers() {
    let folder = tempfile::tempdir().unwrap();
    regions(&folder.path().join("region"));

    let stop = Stop::new();
    let report = draw_by(
        folder.path(),
        &folder.path().join("map"),
        &stop,
        |render, jobs, how| {
            schedule::run(
                &TileJobs::new(render.tiles, render),
                jobs,
                &schedule::ScheduleSettings {
                    threads: 40,
                    ..how.clone()
                },
                &stop,
            )
        },
    );
    assert_eq!((report.threads, report.workers.len()), (5, 5));
}

/// A chunk of region 0, 0 that is not on its border, so no other region reads it.
const TORN: Slot = Slot::at(5, 5);

/// Writes bytes into that chunk that it never had before.
fn write_into_chunk(path: &Path) {
    static WRITTEN: AtomicU64 = AtomicU64::new(0);

    if !path.ends_with("r.0.0.mca") {
        return;
    }

    let mut file = File::options().read(true).write(true).open(path).unwrap();
    let mut entry = [0; 4];
    file.seek(SeekFrom::Start(TORN.index() as u64 * 4)).unwrap();
    file.read_exact(&mut entry).unwrap();
    file.seek(SeekFrom::Start(
        u64::from(u32::from_be_bytes(entry) >> 8) * 4096 + 40,
    ))
    .unwrap();

    file.write_all(&WRITTEN.fetch_add(1, Ordering::Relaxed).to_be_bytes())
        .unwrap();
}

/// Returns the pixels of that chunk in its tile.
fn of_torn(tile: &[Pixel]) -> Vec<Pixel> {
    let rows = tile
        .chunks(TILE_SIDE)
        .skip(TORN.z() * CHUNK_SIDE)
        .take(CHUNK_SIDE);
    rows.flat_map(|row| &row[TORN.x() * CHUNK_SIDE..][..CHUNK_SIDE])
        .copied()
        .collect()
}

/// Runs a render's jobs while the world changes: calls a function before each read of a region
/// file.
struct WrittenMap<'a>(TileJobs<'a, Map<'a>>, fn(&Path));

impl<'a> Work for WrittenMap<'a> {
    type Job = TileJob;
    type Worker = PaintWorker<'a>;

    fn worker(&self, index: usize) -> PaintWorker<'a> {
        let mut worker = Work::worker(&self.0, index);
        worker.reader.happens = Some(self.1);
        worker
    }

    fn run(&self, worker: &mut PaintWorker<'a>, job: &TileJob) {
        Work::run(&self.0, worker, job);
    }

    fn report_panic(&self, job: &TileJob, message: &str) {
        Work::report_panic(&self.0, job, message);
    }
}

#[test]
fn a_restless_chunk_keeps_its_pixels() {
    let folder = tempfile::tempdir().unwrap();
    let (map, region) = (
        folder.path().join("map"),
        folder.path().join("region/r.0.0.mca"),
    );
    draw(folder.path(), &map, |_| false);

    let (before, sound) = (
        pixels(&map, LOST.tile()).unwrap(),
        std::fs::read(&region).unwrap(),
    );

    write_into_chunk(&region);

    let stop = Stop::new();
    let report = draw_by(folder.path(), &map, &stop, |render, jobs, how| {
        schedule::run(
            &WrittenMap(TileJobs::new(render.tiles, render), write_into_chunk),
            jobs,
            how,
            &stop,
        )
    });
    assert_eq!((report.outcome, report.gaps()), (Outcome::Gaps, 1));

    let [bad] = &report.bad_chunks[..] else {
        panic!("{:?}", report.bad_chunks)
    };

    assert_eq!(
        (bad.region.as_str(), bad.chunk, &*bad.reason),
        ("r.0.0.mca", Some([5, 5]), "torn")
    );

    let kept = of_torn(&pixels(&map, LOST.tile()).unwrap());
    assert!(
        kept == of_torn(&before) && !kept.contains(&Pixel::CLEAR),
        "its pixels are those of the run before"
    );

    // The chunk stops changing. It is now a copy of its neighbour.
    let mut moved = sound;
    let entry = TORN.index() * 4;
    moved.copy_within(entry + 4..entry + 8, entry);
    File::create(&region).unwrap().write_all(&moved).unwrap();

    let plain = |output: &Path| {
        let report = draw_by(folder.path(), output, &stop, |render, jobs, how| {
            schedule::run(&TileJobs::new(render.tiles, render), jobs, how, &stop)
        });
        assert_eq!((report.outcome, report.gaps()), (Outcome::Complete, 0));
        pixels(output, LOST.tile()).unwrap()
    };

    let after = plain(&map);
    assert!(of_torn(&after) != kept && after == plain(&folder.path().join("fresh")));
}

#[test]
fn regions_take_their_early_chunks() {
    let folder = tempfile::tempdir().unwrap();
    let world = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/bedrock");
    let settings = Settings::new(crate::Mode::Map, folder.path().join("map"));
    let request = WorldRequest::new(RESERVED_NAMES);
    let wanted = |_: &World| Some(settings.clone());
    let opened = open_world_early(&world, folder.path(), None, request, wanted);
    let (world, early) = opened.unwrap();

    let early = early.unwrap();
    let before = early.columns.waiting();
    let run = Run::open_early(&world, &settings, early).unwrap();
    drop(run.draw(0, &Progress::default(), &Stop::new()).unwrap());

    let after = run.early.unwrap().waiting();
    assert!(before > 0 && after < before, "{after} of {before} wait");
}
