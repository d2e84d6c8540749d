//! Tests Ctrl-C and SIGTERM: the run ends soon and in order, and the next run completes it.

use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::map::{Map, Place, assert_same_files, program, render};
use crate::world::Files;

/// Regions of 1,024 chunks: one or two seconds of work.
const REGIONS: usize = 30;
/// Some minutes of work.
const MANY_REGIONS: usize = 2_000;

fn start(place: &Place, out: &Path) -> Child {
    start_with(place, out, &[])
}

fn start_with(place: &Place, out: &Path, options: &[&str]) -> Child {
    let mut command = program();
    command
        .arg("render")
        .arg(place.world())
        .arg("-o")
        .arg(out)
        .args(["-t", "2"])
        .args(options);

    command
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits until there are tiles, so that the signal arrives during the work.
fn wait_for_tiles(map: &Map, child: &mut Child, count: usize) {
    let start = Instant::now();
    while !map.root.join("overworld/day/17").is_dir() || map.tiles("overworld").len() < count {
        assert!(
            child.try_wait().unwrap().is_none(),
            "the run ended before it could be interrupted"
        );
        assert!(
            start.elapsed() < Duration::from_mins(1),
            "no tile after a minute"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn interrupted(place: &Place, name: &str, signal: Signal, code: i32) -> Map {
    let map = Map::at(&place.at(name));
    let mut child = start(place, &map.root);
    wait_for_tiles(&map, &mut child, 3);
    kill_process(Pid::from_child(&child), signal).unwrap();

    let sent = Instant::now();
    let output = child.wait_with_output().unwrap();
    let (took, said) = (
        sent.elapsed(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    );

    assert_eq!(output.status.code(), Some(code), "{said}");
    assert!(
        said.starts_with("interrupted: run the same command again"),
        "{said}"
    );

    // The promise is one second. The rest is for a busy machine.
    assert!(took < Duration::from_secs(5), "it took {took:?}");
    assert!(
        !map.root.join("overworld/day/tiles.tsv").exists() && !map.root.join("map.json").exists()
    );

    map
}

#[test]
fn the_next_run_completes_an_interrupted_one() {
    let place = Place::of_full_regions(REGIONS);

    let fresh = place.draw("fresh", &[]).files();
    for (name, signal, code) in [
        ("interrupt", Signal::INT, 130),
        ("terminate", Signal::TERM, 143),
    ] {
        let map = interrupted(&place, name, signal, code);
        // Reading fails if a tile is not a whole picture.
        let there = map.pictures("overworld");
        assert!(there.len() < REGIONS, "there was work left");

        for path in map.tiles("overworld").values() {
            let relative = path.strip_prefix(&map.root).unwrap().to_str().unwrap();
            assert!(
                fresh[relative] == std::fs::read(path).unwrap(),
                "{relative} is not as it will be"
            );
        }

        let again = render(&place.world(), &map.root, &[])
            .expect(0, "the next run")
            .report();
        assert_eq!(again["outcome"], "complete");
        assert!(
            again["tiles"]["unchanged"].as_u64().unwrap() >= there.len() as u64,
            "{}",
            again["tiles"]
        );
        assert_same_files(name, &fresh, &map.files());
    }
}

#[test]
fn an_interrupted_long_run_ends_within_a_second() {
    let place = Place::of_full_regions(MANY_REGIONS);
    let map = Map::at(&place.at("map"));
    let start_of_run = Instant::now();
    let mut child = start(&place, &map.root);
    wait_for_tiles(&map, &mut child, 8);
    let drawn_in = start_of_run.elapsed();
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let sent = Instant::now();

    // The tiles that were drawn before the signal, and perhaps a few that were drawn after it.
    let drawn = map.tiles("overworld").len();
    let output = child.wait_with_output().unwrap();
    let took = sent.elapsed();

    assert_eq!(
        output.status.code(),
        Some(130),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );

    let whole = drawn_in * (MANY_REGIONS / drawn) as u32;
    assert!(
        took < (whole / 20).max(Duration::from_secs(2)),
        "it took {took:?}, and the whole run some {whole:?}"
    );

    // Each of the two workers had at most one region and its parents in progress.
    let there = map.tiles("overworld").len();
    assert!(
        there <= drawn + 6,
        "{drawn} tiles were there when the signal came, {there} at the end"
    );
}

#[test]
fn a_second_signal_ends_the_program_at_once() {
    let place = Place::of_full_regions(REGIONS);

    let ends_at_once = |attempt: usize| {
        let map = Map::at(&place.at(&format!("map-{attempt}")));
        let mut child = start(&place, &map.root);
        wait_for_tiles(&map, &mut child, 3);
        let pid = Pid::from_child(&child);

        // Both signals are sent before the program can see either. They differ, because two of the
        // same kind would count as one.
        for signal in [Signal::STOP, Signal::INT, Signal::TERM, Signal::CONT] {
            kill_process(pid, signal).unwrap();
        }

        let output = child.wait_with_output().unwrap();
        assert!(
            matches!(output.status.code(), Some(130 | 143)),
            "{output:?}"
        );
        render(&place.world(), &map.root, &[]).expect(0, "the next run");

        output.stderr.is_empty()
    };

    // If two signals reach two threads at the same moment, they may count as one. No person is so
    // quick.
    assert!(
        (0..8).any(ends_at_once),
        "each time it took its time to say that it was interrupted"
    );
}

#[test]
fn repeated_kills_cause_no_double_drawing() {
    let place = Place::of_full_regions(REGIONS);
    let fresh = place.draw("fresh", &[]).files();

    let map = Map::at(&place.at("map"));
    for count in [1, 2, 5, 10, 17, 25, 30] {
        let mut child = start(&place, &map.root);
        wait_for_tiles(&map, &mut child, count);
        child.kill().unwrap();
        child.wait().unwrap();
    }

    // At whatever moment the run was killed, every tile is a whole picture.
    let there = map
        .pictures("overworld")
        .into_keys()
        .filter(|tile| tile.0 == 17)
        .count();

    let report = render(&place.world(), &map.root, &[])
        .expect(0, "the last run")
        .report();
    let unchanged = report["regions"]["unchanged"].as_u64().unwrap() as usize;

    // Each of the two workers may have published a tile without recording it.
    assert!(
        unchanged + 2 >= there,
        "{unchanged} of {there} tiles were not drawn again"
    );

    assert_same_files("killed", &fresh, &map.files());
    let report = render(&place.world(), &map.root, &[])
        .expect(0, "once more")
        .report();
    assert_eq!(report["regions"]["unchanged"], REGIONS);
}

#[test]
fn a_signal_ends_the_following_maps() {
    let place = Place::of_full_regions(REGIONS);

    let table = |name: &str| {
        let report = place.at(&format!("{name}.json"));
        format!(
            "[[map]]\nname = \"{name}\"\nworld = '{}'\nreport = '{}'\n",
            place.world().display(),
            report.display()
        )
    };

    let mut files = Files::new();
    files.put("maps.toml", (table("one") + &table("two")).into());
    files.write_under(&place.at("config"));

    let run = || {
        let mut command = program();
        command
            .arg("render")
            .arg("-c")
            .arg(place.at("config/maps.toml"))
            .arg("-o")
            .arg(place.at("site"));

        command
            .args(["-t", "2"])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };

    let mut child = run();
    wait_for_tiles(&Map::at(&place.at("site/one")), &mut child, 3);
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(143));
    assert!(!place.at("site/two").exists() && !place.at("site/index.html").exists());

    for (name, outcome) in [("one", "interrupted"), ("two", "failed")] {
        let report: Value =
            serde_json::from_slice(&std::fs::read(place.at(&format!("{name}.json"))).unwrap())
                .unwrap();
        assert_eq!(
            (&report["outcome"], &report["code"]),
            (&json!(outcome), &json!(143)),
            "{name}"
        );
    }

    assert_eq!(
        run().wait_with_output().unwrap().status.code(),
        Some(0),
        "the next run"
    );
    assert!(place.at("site/two/map.json").is_file() && place.at("site/index.html").is_file());
}
