//! Interrupts a run at each of its file operations, and then runs it again. The map must equal the
//! map of a fresh run, and so must a copy that is updated with the change lists. Forgetting moments
//! is tested in the same way.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::report::{Limit, Outcome, Thresholds};
use crate::request::reserved::RESERVED_NAMES;
use crate::request::settings::RunSettings;
use crate::runs::run::*;
use crate::schedule::Pin;
use pixelmap_base::coord::RegionPos;
use pixelmap_base::faults::{FailingOperations, run_with_failures};
use pixelmap_map::atlas::{Content, KeepCount, KeepRules, MapFolder, Moments, kept_files};
use pixelmap_map::store::{ForgetPlan, Identity, PublishError, WantedNaming};

/// The files of a map by path, without its history.
type Files = BTreeMap<String, Vec<u8>>;

fn files(root: &Path) -> Files {
    fn add(folder: &Path, root: &Path, files: &mut Files) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.file_name().is_some_and(|name| name == ".pixelmap") {
                continue;
            }

            if path.is_dir() {
                assert!(
                    fs::read_dir(&path).unwrap().next().is_some(),
                    "an empty folder is left: {}",
                    path.display()
                );
                add(&path, root, files);
            } else {
                let name = path
                    .strip_prefix(root)
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_owned();
                files.insert(name, fs::read(path).unwrap());
            }
        }
    }

    let mut all = Files::new();
    add(root, root, &mut all);
    all
}

/// Copies a folder with its state and its file times.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();

    for entry in fs::read_dir(from).unwrap().flatten() {
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &to);
        } else {
            fs::copy(&path, &to).unwrap();
            let modified = path.metadata().unwrap().modified().unwrap();
            fs::File::options()
                .write(true)
                .open(&to)
                .unwrap()
                .set_modified(modified)
                .unwrap();
        }
    }
}

/// Makes a world from the only region of each of these fixtures, at these positions.
fn world(folder: &Path, regions: &[(i32, i32, &str)]) -> PathBuf {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    fs::create_dir_all(folder.join("region")).unwrap();

    for (x, z, from) in regions {
        let to = folder
            .join("region")
            .join(format!("{}.mca", RegionPos { x: *x, z: *z }));
        fs::copy(fixtures.join(from).join("region/r.0.0.mca"), to).unwrap();
    }

    folder.join("region")
}

/// The kind of run that is interrupted.
#[derive(Clone, Copy, PartialEq)]
enum How {
    Plain,
    Staged,
    /// Into a map with history.
    History,
}

struct KilledNight<'a> {
    world: &'a Path,
    map: PathBuf,
    /// A copy of the map, to which the lists are applied as a script would do it.
    copy: PathBuf,
    /// The time of the world.
    time: i64,
}

impl KilledNight<'_> {
    /// Draws the map and applies its lists. Returns the outcome, or `None` if the run could not
    /// begin or not list its changes.
    fn run(&self, how: How) -> Option<Outcome> {
        let world = World::open(self.world, RESERVED_NAMES).unwrap();
        let mut settings = Settings::new(crate::Mode::Map, self.map.clone());
        settings.output.moment.begins = how == How::History;
        settings.output.moment.time = Some(self.time);

        settings.run = RunSettings {
            threads: 1,
            pin: Pin::None,
            max_removed: Limit::Percent(100.0),
            staged: (how == How::Staged).then(Thresholds::default),
            ..RunSettings::default()
        };

        let maps = [settings];
        let stop = Stop::new();
        let run = Run::open(&world, &maps).ok()?;
        run.output().begin_listing().ok()?;
        let drawn = run.draw(0, &Progress::default(), &stop).ok()?;
        let report = run.publish(vec![drawn], &stop).remove(0);

        let lists = run.output().changes().ok()?;
        for path in lists.changed {
            let to = self.copy.join(&path);
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(self.map.join(&path), to).unwrap();
        }

        for path in lists.deleted {
            let path = self.copy.join(path);
            let _ = fs::remove_file(&path);
            path.ancestors()
                .skip(1)
                .map(fs::remove_dir)
                .take_while(Result::is_ok)
                .for_each(drop);
        }

        run.output().mark_listed().ok()?;
        Some(report.outcome)
    }
}

/// Interrupts the second run at each of its file operations in the way of `failing`, runs it again,
/// and compares.
fn every_operation(how: How, failing: fn(usize) -> FailingOperations) {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);

    let before = world(
        &at("before"),
        &[
            (0, 0, "root-3955"),
            (1, 0, "forge-1.12"),
            (9, 0, "numeric-add"),
        ],
    );

    // In the second run one region is changed, one is new, and a far one is gone, and with it an
    // outer level.
    let tonight = world(
        &at("tonight"),
        &[
            (0, 0, "root-3955"),
            (1, 0, "file-3-bytes"),
            (0, 1, "forge-1.12"),
        ],
    );

    let night = |name: &str, world| KilledNight {
        world,
        map: at(name),
        copy: at(&format!("{name}.copy")),
        time: 2000,
    };

    let last = KilledNight {
        time: 1000,
        ..night("last", &before)
    };
    assert_eq!(
        last.run(if how == How::History { how } else { How::Plain }),
        Some(Outcome::Complete)
    );

    // The world stays the same one, but its state is newer.
    let swap = |from: &Path| {
        fs::remove_dir_all(&before).unwrap();
        copy(from, &before);
    };

    swap(&tonight);

    let fresh = night("fresh", &before);
    if how == How::History {
        copy(&last.map, &fresh.map);
        copy(&last.copy, &fresh.copy);
    }

    assert_eq!(fresh.run(how), Some(Outcome::Complete));

    let wanted = files(&fresh.map);
    for number in 0.. {
        let (map, copied) = (at("map"), at("map.copy"));
        for path in [&map, &copied] {
            let _ = fs::remove_dir_all(path);
        }

        copy(&last.map, &map);
        copy(&last.copy, &copied);

        let night = night("map", &before);
        let (ended, count) = run_with_failures(&map, failing(number), || night.run(how));
        if number >= count {
            assert_eq!(ended, Some(Outcome::Complete));
            assert!(number > 20, "only {number} operations");
            return;
        }

        // A run that reports success has published the map, whatever failed on the way.
        if ended == Some(Outcome::Complete) {
            assert!(
                files(&map) == wanted,
                "a success with operation {number} failing"
            );
        }

        // Every tile in the manifest exists, in its old or its new version.
        assert_named_tiles_stand(&map, number);
        assert_eq!(
            night.run(how),
            Some(Outcome::Complete),
            "operation {number}"
        );
        assert_eq!(files(&map), wanted, "operation {number}");
        assert_eq!(files(&copied), wanted, "the lists after operation {number}");

        let state: Vec<_> = fs::read_dir(map.join(".pixelmap"))
            .unwrap()
            .flatten()
            .map(|entry| entry.file_name())
            .collect();

        assert!(
            !state
                .iter()
                .any(|name| ["commit", "next"].iter().any(|left| name == left)),
            "{state:?}"
        );
    }
}

fn assert_named_tiles_stand(map: &Path, number: usize) {
    let Ok(manifest) = fs::read_to_string(map.join("overworld/day/tiles.tsv")) else {
        return;
    };

    // If a commit list exists, the next run carries it out first.
    if map.join(".pixelmap/commit").exists() {
        return;
    }

    for line in manifest.lines() {
        let mut fields = line.split('\t');
        let mut field = || fields.next().unwrap().to_owned();
        let tile = format!("overworld/day/{}/{}/{}.png", field(), field(), field());
        assert!(
            map.join(&tile).is_file(),
            "{tile} is gone after operation {number}"
        );
    }
}

#[test]
fn the_next_run_finishes_any_killed_run() {
    every_operation(How::Plain, FailingOperations::ChangesFrom);
}

#[test]
fn a_killed_staged_run_is_finished_later() {
    every_operation(How::Staged, FailingOperations::ChangesFrom);
}

#[test]
fn runs_recover_from_any_failing_operation() {
    every_operation(How::Plain, FailingOperations::OneChange);
}

#[test]
fn read_errors_never_count_as_absence() {
    every_operation(How::Plain, FailingOperations::OneQuery);
}

#[test]
fn read_errors_never_count_as_missing_files() {
    every_operation(How::Staged, FailingOperations::OneQuery);
}

#[test]
fn read_errors_never_count_as_missing_history() {
    every_operation(How::History, FailingOperations::OneQuery);
}

#[test]
fn staged_runs_recover_from_any_failing_operation() {
    every_operation(How::Staged, FailingOperations::OneChange);
}

#[test]
fn a_killed_run_with_history_is_finished_later() {
    every_operation(How::History, FailingOperations::ChangesFrom);
}

#[test]
fn history_runs_recover_from_any_failing_operation() {
    every_operation(How::History, FailingOperations::OneChange);
}

/// Draws a map in four runs, each with other regions.
fn draw_four_nights(folder: &Path) -> PathBuf {
    let map = folder.join("four");
    for (night, from) in (1..).zip(["root-3955", "forge-1.12", "file-3-bytes", "root-3955"]) {
        let _ = fs::remove_dir_all(folder.join("world"));
        // The far region exists only in the first run, so that later nothing is left of the list of
        // its tiles.
        let far = if night == 1 { 20 } else { 0 };
        let world = world(
            &folder.join("world"),
            &[(0, 0, from), (1 + far, 0, "numeric-add")],
        );

        let drawn = KilledNight {
            world: &world,
            map: map.clone(),
            copy: folder.join("copy"),
            time: 1000 * night,
        };
        assert!(drawn.run(How::History).is_some());
    }

    map
}

/// Forgets all moments except the newest two.
fn forget(map: &Path) -> Result<(), PublishError> {
    let failed = |error| PublishError::Io(map.to_owned(), std::io::Error::other(error));
    let world = Identity::read(&MapFolder::open(map).map_err(failed)?)?;
    let output = Output::open_for(Content::Map, WantedNaming::default(), map, &world, &[])?;
    let moments = Moments::open(output.folder()).map_err(failed)?;
    let rules = KeepRules {
        last: Some(KeepCount::Most(2)),
        ..KeepRules::default()
    };
    ForgetPlan::plan(output.folder(), &moments, &rules.kept(&moments.moments))?.carry_out(&output)
}

/// Asserts that all files in the lists of earlier versions exist.
fn assert_kept_files_exist(map: &Path, number: usize) {
    let there = MapFolder::open(map).unwrap();
    for path in kept_files(there.folder(), there.facts()).unwrap().keys() {
        assert!(
            map.join(path).is_file(),
            "{path} is gone after operation {number}"
        );
    }
}

/// Interrupts forgetting at each of its file operations in the way of `failing`, forgets again, and
/// compares.
fn every_operation_of_forgetting(failing: fn(usize) -> FailingOperations) {
    let folder = tempfile::tempdir().unwrap();
    let before = draw_four_nights(folder.path());
    let [map, whole] = ["map", "whole"].map(|name| folder.path().join(name));
    copy(&before, &whole);
    forget(&whole).unwrap();
    let wanted = files(&whole);

    let lists = |files: &Files| {
        files
            .keys()
            .filter(|path| path.starts_with("history/overworld/"))
            .count()
    };

    assert!(lists(&wanted) < lists(&files(&before)) && wanted.len() + 3 < files(&before).len());

    for number in 0.. {
        let _ = fs::remove_dir_all(&map);
        copy(&before, &map);

        let (ended, count) = run_with_failures(&map, failing(number), || forget(&map));
        if number >= count {
            assert!(ended.is_ok() && number > 20, "only {number} operations");
            return;
        }

        if ended.is_ok() {
            assert!(
                files(&map) == wanted,
                "a success with operation {number} failing"
            );
        }

        assert_kept_files_exist(&map, number);
        forget(&map).unwrap();
        assert_eq!(files(&map), wanted, "operation {number}");
    }
}

#[test]
fn killed_forgetting_is_finished_later() {
    every_operation_of_forgetting(FailingOperations::ChangesFrom);
}

#[test]
fn forgetting_recovers_from_any_failing_operation() {
    every_operation_of_forgetting(FailingOperations::OneChange);
}

#[test]
fn read_errors_never_count_as_forgotten() {
    every_operation_of_forgetting(FailingOperations::OneQuery);
}
