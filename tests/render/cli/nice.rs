//! Tests `--nice`, which leaves the machine to other programs.
#![allow(
    clippy::disallowed_methods,
    reason = "test files are no output of the program"
)]

use std::collections::BTreeMap;
use std::fs;
use std::process::Stdio;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use crate::map::{Place, fixture, program, render};
use crate::world::Files;

/// The scheduling class of programs that run only on idle CPUs (`SCHED_IDLE` of sched.h).
const IDLE: &str = "5";

/// The class of each thread of a process, by the thread's name.
pub(crate) fn classes(process: u32) -> BTreeMap<String, String> {
    let threads = fs::read_dir(format!("/proc/{process}/task"))
        .into_iter()
        .flatten()
        .flatten();

    // A thread may end meanwhile.
    let stats = threads.filter_map(|thread| fs::read_to_string(thread.path().join("stat")).ok());

    let class = |stat: String| {
        let (name, rest) = stat.split_once('(').unwrap().1.rsplit_once(") ").unwrap();
        // After the name the third field follows; this is the 41st (man 5 proc).
        (name.to_owned(), rest.split(' ').nth(38).unwrap().to_owned())
    };

    stats.map(class).collect()
}

/// Waits until a process has a thread whose name begins like this, and fails unless all of its
/// threads are idle ones.
pub(crate) fn assert_idle(process: u32, awaited: &str) {
    let start = Instant::now();
    let mut classes_now = classes(process);
    while !classes_now.keys().any(|name| name.starts_with(awaited)) {
        assert!(
            start.elapsed() < Duration::from_mins(1),
            "no {awaited} in {classes_now:?}"
        );
        classes_now = classes(process);
    }

    assert!(
        classes_now.values().all(|class| class == IDLE),
        "{classes_now:?}"
    );
}

#[test]
fn a_nice_run_yields_to_other_programs() {
    let place = Place::of_demo(400);

    let run = |options: &[&str]| {
        let mut command = program();
        command
            .arg("render")
            .arg(place.world())
            .arg("-o")
            .arg(place.at("map"))
            .args(options)
            .stderr(Stdio::null());
        command.spawn().unwrap()
    };

    let mut nice = run(&["--nice"]);
    assert_idle(nice.id(), "worker-");
    nice.kill().unwrap();
    nice.wait().unwrap();
}

#[test]
fn a_nice_run_uses_half_the_cpus() {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    let threads = |options: &[&str]| {
        render(&place.world(), &place.at("map"), options)
            .expect(0, "nice")
            .report()["threads"]
            .as_u64()
    };

    let half = (available_parallelism().unwrap().get() as u64).div_ceil(2);
    assert_eq!(
        threads(&["-f", "--nice"]),
        Some(half.min(4)),
        "the world has four regions"
    );
    assert_eq!(threads(&["-f", "--nice", "-t", "3"]), Some(3));

    let file = place.at("nice.toml");
    fs::write(&file, "nice = true\nforce = true\n").unwrap();
    assert_eq!(threads(&["-c", file.to_str().unwrap()]), Some(half.min(4)));
}
