//! Tests that a staged run continues after it was killed, and that the published map stays until
//! then.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::{as_it_is, is_waiting};
use crate::map::{Map, Place, assert_same_files, program, render};

/// Regions of 1,024 chunks: one or two seconds of work.
const REGIONS: usize = 30;

fn start(place: &Place, out: &Map) -> Child {
    let mut command = program();
    command
        .arg("render")
        .arg(place.world())
        .arg("-o")
        .arg(&out.root)
        .args(["-t", "2", "--staged"]);
    command
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits until this many native tiles are staged.
fn wait_for_tiles(out: &Map, child: &mut Child, count: usize) {
    let tiles = out.root.join(".pixelmap/next/overworld/day/17");
    let start = Instant::now();

    let there = || {
        let columns = tiles.read_dir().into_iter().flatten().flatten();
        columns
            .filter_map(|column| column.path().read_dir().ok())
            .map(Iterator::count)
            .sum::<usize>()
    };

    while there() < count {
        assert!(
            child.try_wait().unwrap().is_none(),
            "the run ended before it could be killed"
        );
        assert!(
            start.elapsed() < Duration::from_mins(1),
            "no tile after a minute"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_killed_staged_run_resumes() {
    let place = Place::of_full_regions(REGIONS);

    let fresh = place.draw("fresh", &[]).files();
    for (name, signal, next) in [
        ("on", Signal::KILL, &["--staged"][..]),
        ("ended", Signal::INT, &["--staged"]),
        ("plain", Signal::KILL, &[]),
    ] {
        // The folder already contains a map of a smaller area.
        let map = place.draw(name, &["-a", "0,0,512,512"]);
        let before = as_it_is(&map);
        for count in [3, 12] {
            let mut child = start(&place, &map);
            wait_for_tiles(&map, &mut child, count);
            kill_process(Pid::from_child(&child), signal).unwrap();
            let code = child.wait().unwrap().code();
            assert_eq!(code, (signal == Signal::INT).then_some(130), "{name}");
            assert!(as_it_is(&map) == before, "{name}: the map is another one");
        }

        let report = render(&place.world(), &map.root, next)
            .expect(0, name)
            .report();
        let unchanged = report["regions"]["unchanged"].as_u64().unwrap();
        assert_eq!(
            unchanged >= 10,
            next.contains(&"--staged"),
            "{name}: {unchanged} were not drawn again"
        );
        assert_same_files(name, &fresh, &map.files());
        assert!(!is_waiting(&map), "{name}");

        let report = render(&place.world(), &map.root, &[])
            .expect(0, "once more")
            .report();
        assert_eq!(report["regions"]["unchanged"], REGIONS, "{name}");
    }
}
