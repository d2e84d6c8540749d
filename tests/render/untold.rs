//! What a run changed that told nobody is on the lists of the next: it was killed, or could not write its own.
#![allow(clippy::disallowed_methods, reason = "states of a killed run are no output of the program")]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::bookkeeping::{apply, edit, grass};
use crate::map::{Map, Place, Ran, program, render};
use crate::world::Files;

/// Files of a map by path, without its state.
type MapFiles = BTreeMap<String, Vec<u8>>;

fn with_lists(place: &Place, options: &[&str], code: i32) -> Ran {
    let [changed, deleted] = ["changed", "deleted"].map(|name| place.at(name).to_str().unwrap().to_owned());
    let lists = ["--changed-list", &changed, "--deleted-list", &deleted];
    render(&place.world(), &place.at("map"), &[&lists[..], options].concat()).expect(code, &format!("{options:?}"))
}

/// How long the lists are.
fn lengths(place: &Place) -> [u64; 2] {
    ["changed", "deleted"].map(|name| fs::metadata(place.at(name)).unwrap().len())
}

/// Kills a run when its map is as it is to be and its lists are not written: nobody reads the pipe that one of them is.
fn kill_before_lists(place: &Place, options: &[&str], wanted: &MapFiles) {
    let (map, pipe) = (Map::at(&place.at("map")), place.at("pipe"));
    if !pipe.exists() {
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    }
    let mut command = program();
    command.arg("render").arg(place.world()).arg("-o").arg(&map.root).arg("--changed-list").arg(&pipe).args(options);
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    let start = Instant::now();
    let is_held = |root: &Path| File::open(root.join(".pixelmap/lock")).unwrap().try_lock().is_err();
    let stands = |(path, bytes): (&String, &Vec<u8>)| fs::read(map.root.join(path)).is_ok_and(|there| there == *bytes);
    // The manifests come last; and when nobody holds it, it is closed.
    while !wanted.iter().all(stands) || is_held(&map.root) {
        assert!(child.try_wait().unwrap().is_none(), "{options:?}: it ended before it could be killed");
        assert!(start.elapsed() < Duration::from_mins(1), "{options:?}: the map is not done after a minute");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn what_a_run_changed_that_was_killed_in_its_last_moment_is_on_the_lists_of_the_next() {
    for (first, then) in [
        (&[][..], &[][..]),
        (&[], &["--staged"]),
        (&["-l", "day", "-l", "height"], &["-l", "height", "--scheme", "xyz"]),
        (&["--scheme", "tms"], &["--scheme", "xyz", "--staged"]),
    ] {
        let place = grass();
        let map = place.draw("map", first);
        Files(map.files()).write_under(&place.at("copy"));
        // What it is to be in the end, with what of it was drawn before.
        let fresh = place.draw("fresh", first);
        edit(&place);
        render(&place.world(), &fresh.root, then).expect(0, "fresh");
        kill_before_lists(&place, then, &fresh.files());
        let report = with_lists(&place, then, 0).report();
        assert_eq!((&report["tiles"]["written"], &report["tiles"]["removed"]), (&0.into(), &0.into()), "{then:?}");
        apply(&place, "copy", &map);
        with_lists(&place, then, 0);
        assert_eq!(lengths(&place), [0, 0], "{then:?}: it was told");
    }
}

#[test]
fn several_runs_may_be_killed_and_the_next_may_be_another_one_or_not_come_to_its_end() {
    let place = grass();
    let map = place.draw("map", &[]);
    Files(map.files()).write_under(&place.at("copy"));
    let fresh = place.draw("fresh", &[]);
    for options in [
        &["--max-y", "62"][..],
        &["--scheme", "xyz", "-a", "-400,0,900,512", "--max-removed", "100%"],
        &["-l", "night"],
    ] {
        render(&place.world(), &fresh.root, options).expect(0, "fresh");
        kill_before_lists(&place, options, &fresh.files());
    }
    // What a run draws has nothing to do with what it tells.
    with_lists(&place, &["-l", "height"], 0);
    apply(&place, "copy", &map);
    render(&place.world(), &fresh.root, &["-l", "height"]).expect(0, "fresh");
    render(&place.world(), &fresh.root, &["--max-y", "60"]).expect(0, "fresh");
    kill_before_lists(&place, &["--max-y", "60"], &fresh.files());
    // More tiles would go than may, which is seen at the end; lists are written all the same.
    for path in Files::read_under(&place.world().join("region")).0.into_keys() {
        File::create(place.world().join("region").join(path)).unwrap();
    }
    with_lists(&place, &[], 1);
    apply(&place, "copy", &map);
}

#[test]
fn lists_that_could_not_be_written_are_told_by_the_next_run() {
    let place = grass();
    let map = place.draw("map", &[]);
    Files(map.files()).write_under(&place.at("copy"));
    edit(&place);
    let nowhere = place.at("nowhere/changed");
    let ran = render(&place.world(), &map.root, &["--changed-list", nowhere.to_str().unwrap()]).expect(1, "nowhere");
    assert!(ran.err.contains("nowhere"), "{}", ran.err);
    with_lists(&place, &[], 0);
    apply(&place, "copy", &map);
}

#[test]
fn after_a_run_that_asked_for_no_lists_and_came_to_its_end_nothing_of_it_is_told() {
    let place = grass();
    let config = place.at("maps.toml");
    fs::write(&config, "[[map]]\nlayer = \"day\"\n[[map]]\nlayer = \"height\"\n").unwrap();
    let options = ["-c", config.to_str().unwrap()];
    for options in [&options[..], &["-c", config.to_str().unwrap(), "--staged"]] {
        let map = place.draw("map", options);
        with_lists(&place, options, 0);
        assert_eq!(lengths(&place), [0, 0], "{options:?}");
        fs::remove_dir_all(&map.root).unwrap();
    }
}

#[test]
fn a_record_that_is_damaged_or_missing_stops_no_run() {
    let place = grass();
    let map = place.draw("map", &[]);
    Files(map.files()).write_under(&place.at("copy"));
    let untold = map.root.join(".pixelmap/untold");
    fs::write(untold.join("damaged"), b"\xff\n../world/level.dat\n/etc/hosts\n.pixelmap/lock\ntorn").unwrap();
    with_lists(&place, &[], 0);
    assert_eq!(lengths(&place), [0, 0]);
    fs::remove_dir_all(&untold).unwrap();
    fs::write(&untold, "in the way").unwrap();
    edit(&place);
    with_lists(&place, &[], 0);
    apply(&place, "copy", &map);
}
