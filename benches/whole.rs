//! The whole render of a world beside its floor: inflating the same chunks and nothing else.
//!
//! `cargo bench --bench whole -- WORLD [rounds [floor]]`; without a world the demo world is taken, and with `floor`
//! nothing else is measured. Mode map from scratch into a temporary folder, warm cache; floor, render with one thread
//! and render with two take turns, and the ratio is that of the smallest times, which a busy machine disturbs least.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark speaks on standard output and may stop")]

use std::path::{Path, PathBuf};
use std::time::Instant;

use pixelmap::coord::Slot;
use pixelmap::pipeline::{Mode, Progress, Run, Settings};
use pixelmap::region::{Inflater, RegionFile};
use pixelmap::schedule::Stop;
use pixelmap::world::World;

/// Inflates every chunk of a world; returns their number and seconds.
fn floor(world: &World) -> (u64, f64) {
    let mut inflater = Inflater::default();
    let start = Instant::now();
    let mut chunks = 0;
    for dimension in &world.dimensions {
        for entry in &dimension.regions {
            let mut file = RegionFile::open(&world.files, &entry.path(&dimension.folder), entry.region).unwrap();
            for slot in Slot::all() {
                chunks += u64::from(file.read(slot, &mut inflater, |_| true).is_some());
            }
        }
    }
    (chunks, start.elapsed().as_secs_f64())
}

/// Renders a world; returns seconds, chunks read twice, and bytes of tiles.
fn whole(world: &World, threads: usize) -> (f64, u64, u64) {
    let folder = tempfile::tempdir().unwrap();
    let maps = [Settings { threads, ..Settings::new(Mode::Map, folder.path().join("map")) }];
    let start = Instant::now();
    let (run, stop) = (Run::open(world, &maps).unwrap(), Stop::new());
    let report = run.publish(vec![run.draw(0, &Progress::default(), &stop).unwrap()], &stop).remove(0);
    let seconds = start.elapsed().as_secs_f64();
    (seconds, report.chunks.edge, bytes_under(folder.path()))
}

fn bytes_under(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).unwrap().flatten();
    entries
        .map(|entry| match entry.metadata().unwrap() {
            metadata if metadata.is_dir() => bytes_under(&entry.path()),
            metadata if entry.path().extension().is_some_and(|ending| ending == "png") => metadata.len(),
            _ => 0,
        })
        .sum()
}

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let demo = || Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/demo");
    let folder = arguments.next().map_or_else(demo, PathBuf::from);
    let rounds: usize = arguments.next().map_or(7, |rounds| rounds.parse().unwrap());
    let only_floor = arguments.next().is_some_and(|what| what == "floor");
    let world = World::open(&folder).unwrap();
    let (mut least_floor, mut least_one, mut least_two) = (f64::MAX, f64::MAX, f64::MAX);
    let (mut chunks, mut edge, mut bytes) = (0, 0, 0);
    for _ in 0..rounds {
        let (count, seconds) = floor(&world);
        chunks = count;
        least_floor = least_floor.min(seconds);
        if only_floor {
            continue;
        }
        let (seconds, twice, written) = whole(&world, 1);
        (edge, bytes) = (twice, written);
        least_one = least_one.min(seconds);
        least_two = least_two.min(whole(&world, 2).0);
    }
    let each = |seconds: f64| seconds * 1e6 / chunks as f64;
    println!("{} with {chunks} chunks, {rounds} rounds", folder.display());
    println!("floor (inflate alone)    {:8.1} µs a chunk", each(least_floor));
    if only_floor {
        return;
    }
    println!(
        "whole render, 1 thread   {:8.1} µs a chunk, {:.2} of the floor",
        each(least_one),
        least_one / least_floor
    );
    println!("whole render, 2 threads  {:8.1} µs a chunk, {:.2} times as fast", each(least_two), least_one / least_two);
    println!("read twice for borders   {edge} chunks, {:.1} %", edge as f64 * 100.0 / chunks as f64);
    println!("tiles                    {bytes} bytes");
}
