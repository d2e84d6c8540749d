//! Tests `pixelmap export MAP -o s3://...`: the bucket gets the files of the folder, however the
//! store behaves.
#![allow(
    clippy::disallowed_methods,
    reason = "what tests write is no output of the program"
)]

mod drawn;
mod failures;
mod interruptions;
mod moments;
mod store;
mod uploads;
mod worlds;

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use self::store::{Fate, Request, Store};
use crate::map::{Map, Place, Ran, assert_same_files};

/// A function that returns whether a request is of some kind.
type Kind = fn(&Request) -> bool;

fn ran(command: &mut Command) -> Ran {
    Ran::of(command.output().unwrap())
}

fn export(store: &Store, map: &Map, code: i32) -> Ran {
    ran(&mut store.export(&map.root, "our/map")).expect(code, "the export")
}

/// Fails unless the bucket contains the files of the map, without its state.
fn assert_there(store: &Store, map: &Map) {
    let mut there = store.files("our/map");
    there.retain(|path, _| !path.starts_with(".pixelmap/"));
    assert_same_files("the bucket", &map.files(), &there);
}

/// A world of some regions with markers.
fn island() -> Place {
    Place::of_demo(12)
}

fn is_tile(path: &str) -> bool {
    path.contains("/17/") || path.contains("/16/") || path.contains("/15/")
}

fn is_put_of_tile(request: &Request) -> bool {
    request.method == "PUT" && is_tile(&request.path)
}

/// Passes the first `many` requests of a kind. Later requests of this kind have the given fate.
fn after(many: usize, of_kind: Kind, fate: Fate) -> impl Fn(&Request) -> Fate + Send + 'static {
    let seen = AtomicUsize::new(0);
    move |request| {
        let is_late = of_kind(request) && seen.fetch_add(1, Ordering::Relaxed) >= many;
        if is_late { fate } else { Fate::Pass }
    }
}

/// Starts an export, and ends it with a signal after a number of requests of a kind. Returns its
/// exit code.
fn interrupted(
    mut command: Command,
    store: &Store,
    (many, of_kind): (usize, Kind),
    signal: Signal,
) -> Option<i32> {
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();

    let (start, mut seen) = (Instant::now(), 0);
    while seen < many {
        seen += store
            .requests()
            .iter()
            .filter(|request| of_kind(request))
            .count();
        assert!(start.elapsed() < Duration::from_mins(1), "{seen} requests");
        std::thread::sleep(Duration::from_millis(2));
    }

    kill_process(Pid::from_child(&child), signal).unwrap();
    child.wait().unwrap().code()
}
