//! Compares the CPU time of the whole program with its floor: the time to inflate the same chunks
//! from memory, and nothing else.
//!
//! `cargo bench --bench whole -- WORLD [rounds [floor]]` uses the demo world by default; with
//! `floor` it measures only the floor. The cache is warm, and each map is drawn from scratch into a
//! temporary folder. The floor, a run with one thread, a run with two and a run on a world without
//! chunks take turns. For a Bedrock world the floor inflates the blocks of the tables; a block
//! contains several chunks.
#![allow(
    clippy::disallowed_methods,
    reason = "a benchmark stops if a file is missing"
)]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark speaks on standard output and may stop"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use libdeflater::Decompressor;
use pixelmap_draw::RESERVED_NAMES;
use pixelmap_world::internal::World;
use tempfile::TempDir;

#[path = "../tests/slow_reader/bedrock/files.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    reason = "logs are not compressed, and the tests share the file"
)]
mod database_files;
use database_files::{Bytes, block, entries, handle};

const PROGRAM: &str = env!("CARGO_BIN_EXE_pixelmap");
const SECTOR: usize = 4096;
/// Room for the largest chunk of all known worlds. A world with a larger chunk stops the benchmark.
const MAX_PLAIN: usize = 16 << 20;

/// The cost of an action: seconds and page faults.
#[derive(Debug, Clone, Copy, Default)]
struct Taken {
    /// User and system.
    cpu: f64,
    system: f64,
    wall: f64,
    faults: f64,
}

/// The processes whose work is counted.
#[derive(Debug, Clone, Copy)]
enum Who {
    This,
    /// Programs that this process started and that have ended.
    Started,
}

impl Taken {
    /// Runs an action and measures its cost.
    fn of(who: Who, work: impl FnOnce()) -> Self {
        let (before, start) = (so_far(who), Instant::now());
        work();
        let (wall, after) = (start.elapsed().as_secs_f64(), so_far(who));
        let (cpu, system) = (after.cpu - before.cpu, after.system - before.system);
        Self {
            cpu,
            system,
            wall,
            faults: after.faults - before.faults,
        }
    }
}

#[cfg(unix)]
fn so_far(who: Who) -> Taken {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeVal;

    let usage = getrusage(match who {
        Who::This => UsageWho::RUSAGE_SELF,
        Who::Started => UsageWho::RUSAGE_CHILDREN,
    });
    let usage = usage.unwrap();
    let seconds = |time: TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;

    let (user, system) = (seconds(usage.user_time()), seconds(usage.system_time()));
    Taken {
        cpu: user + system,
        system,
        wall: 0.0,
        faults: usage.minor_page_faults() as f64,
    }
}

/// Other systems measure only wall time.
#[cfg(not(unix))]
fn so_far(_: Who) -> Taken {
    Taken::default()
}

/// A compressed chunk, or a compressed block of a table.
struct Stream {
    start: usize,
    len: usize,
    /// Without the head and the checksum of zlib.
    is_raw: bool,
}

/// The compressed data of a world, and room for one inflated chunk or block.
struct Floor {
    /// Whole files, each with its streams.
    files: Vec<(Vec<u8>, Vec<Stream>)>,
    plain: Vec<u8>,
}

impl Floor {
    fn read(folder: &Path) -> Self {
        let database = folder.join("db");
        let files = if database.is_dir() {
            tables(&database)
        } else {
            region_files(folder)
        };
        Self {
            files,
            plain: vec![0; MAX_PLAIN],
        }
    }

    fn streams(&self) -> usize {
        self.files.iter().map(|(_, streams)| streams.len()).sum()
    }

    fn inflate(&mut self) {
        let mut inflater = Decompressor::new();
        for (bytes, streams) in &self.files {
            for stream in streams {
                let bytes = &bytes[stream.start..stream.start + stream.len];
                // A damaged chunk also costs time, until the damage is found.
                let _ = if stream.is_raw {
                    inflater.deflate_decompress(bytes, &mut self.plain)
                } else {
                    inflater.zlib_decompress(bytes, &mut self.plain)
                };
            }
        }
    }
}

fn region_files(world: &Path) -> Vec<(Vec<u8>, Vec<Stream>)> {
    let mut files = Vec::new();
    for dimension in &World::open(world, RESERVED_NAMES).unwrap().dimensions {
        for entry in &dimension.regions {
            let bytes = fs::read(dimension.store.path(*entry)).unwrap();
            let chunks = chunk_streams(&bytes);
            files.push((bytes, chunks));
        }
    }

    files
}

/// Returns the chunks of a region file.
fn chunk_streams(bytes: &[u8]) -> Vec<Stream> {
    let number =
        |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize);

    let stream = |slot: usize| {
        let at = (number(slot * 4)? >> 8) * SECTOR;
        let len = number(at).filter(|_| at > 0)?.checked_sub(1)?;
        let is_whole = bytes.get(at + 4) == Some(&2) && at + 5 + len <= bytes.len();
        is_whole.then_some(Stream {
            start: at + 5,
            len,
            is_raw: false,
        })
    };

    (0..1024).filter_map(stream).collect()
}

/// Returns the tables of a Bedrock database.
fn tables(database: &Path) -> Vec<(Vec<u8>, Vec<Stream>)> {
    let paths = fs::read_dir(database)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let tables = paths.filter(|path| {
        path.extension()
            .is_some_and(|ending| ending == "ldb" || ending == "sst")
    });

    tables
        .map(|path| {
            let bytes = fs::read(path).unwrap();
            let blocks = block_streams(&bytes).unwrap_or_default();
            (bytes, blocks)
        })
        .collect()
}

/// Returns the compressed blocks that the index of a table names.
fn block_streams(bytes: &[u8]) -> Option<Vec<Stream>> {
    let mut footer = Bytes(bytes.get(bytes.len().checked_sub(48)?..)?);
    handle(&mut footer)?;

    let index = entries(&block(bytes, handle(&mut footer)?)?)?;
    let places = index
        .iter()
        .filter_map(|(_, place)| handle(&mut Bytes(place)));

    let streams = places.filter_map(|(start, len)| match bytes.get(start + len)? {
        2 => Some(Stream {
            start,
            len,
            is_raw: false,
        }),
        4 => Some(Stream {
            start,
            len,
            is_raw: true,
        }),
        _ => None,
    });

    Some(streams.collect())
}

/// Runs the program on a world, into an empty folder.
fn render(world: &Path, threads: &str, more: &[&Path]) -> Command {
    let mut command = Command::new(PROGRAM);
    command
        .arg("render")
        .arg(world)
        .args(["-d", "all", "-t", threads, "-q", "--progress", "never"])
        .args(more);
    command.stdout(Stdio::null());
    command
}

fn draw(world: &Path, threads: &str) -> Taken {
    let folder = tempfile::tempdir().unwrap();
    let mut command = render(
        world,
        threads,
        &[Path::new("-o"), &folder.path().join("map")],
    );
    Taken::of(Who::Started, || {
        assert!(matches!(command.status().unwrap().code(), Some(0 | 3)));
    })
}

/// Counts the instructions of a run with one thread, if valgrind is installed.
fn instructions(world: &Path) -> Option<u64> {
    let folder = tempfile::tempdir().unwrap();
    let run = render(world, "1", &[Path::new("-o"), &folder.path().join("map")]);
    let mut counted = Command::new("valgrind");
    counted.args([
        "--tool=cachegrind",
        "--cache-sim=no",
        "--cachegrind-out-file=/dev/null",
        PROGRAM,
    ]);

    let said = counted.args(run.get_args()).output().ok()?;
    let said = String::from_utf8_lossy(&said.stderr);
    let count = said.lines().find_map(|line| line.split_once("refs:"))?.1;

    count.replace(',', "").trim().parse().ok()
}

/// The amounts that a run reads and writes.
struct Counts {
    chunks: u64,
    /// Chunks that were read a second time.
    edge: u64,
    tile_bytes: u64,
}

fn counts(world: &Path) -> Counts {
    let folder = tempfile::tempdir().unwrap();
    let (map, report) = (folder.path().join("map"), folder.path().join("report.json"));
    render(
        world,
        "1",
        &[Path::new("-o"), &map, Path::new("--report"), &report],
    )
    .status()
    .unwrap();

    let report: serde_json::Value = serde_json::from_slice(&fs::read(report).unwrap()).unwrap();
    let count = |what: &str| report["chunks"][what].as_u64().unwrap();
    let chunks = ["drawn", "empty", "unfinished", "bad", "hidden"]
        .map(count)
        .iter()
        .sum();

    Counts {
        chunks,
        edge: count("edge"),
        tile_bytes: bytes_under(&map),
    }
}

fn bytes_under(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).unwrap().flatten();
    entries
        .map(|entry| match entry.metadata().unwrap() {
            metadata if metadata.is_dir() => bytes_under(&entry.path()),
            metadata
                if entry
                    .path()
                    .extension()
                    .is_some_and(|ending| ending == "png") =>
            {
                metadata.len()
            }
            _ => 0,
        })
        .sum()
}

/// Returns the minimum and the median.
fn figures(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    [values[0], values[values.len() / 2]]
}

/// The costs of all rounds: the floor, a run with one thread, one with two, and the start of a run.
#[derive(Default)]
struct Rounds {
    floor: Vec<Taken>,
    one: Vec<Taken>,
    two: Vec<Taken>,
    start: Vec<Taken>,
}

/// Makes a world without chunks.
#[allow(
    clippy::disallowed_methods,
    reason = "a world is no output of the program"
)]
fn empty_world() -> TempDir {
    let world = tempfile::tempdir().unwrap();
    fs::create_dir(world.path().join("region")).unwrap();
    fs::write(world.path().join("region/r.0.0.mca"), [0; 2 * SECTOR]).unwrap();
    world
}

fn print_figures(rounds: &Rounds, streams: f64) {
    let Rounds {
        floor,
        one,
        two,
        start,
    } = rounds;
    let line =
        |what: &str, [least, median]: [f64; 2]| println!("{what:<48} {least:9.2} {median:9.2}");

    let each = |taken: &[Taken], seconds: fn(&Taken) -> f64| {
        figures(taken.iter().map(|taken| seconds(taken) * 1e6 / streams))
    };

    // Two ratios of runs in turn: minimum over minimum, and the median of the ratios of each round.
    let ratio = |above: &[Taken], below: &[Taken], seconds: fn(&Taken) -> f64| {
        let least = |taken: &[Taken]| figures(taken.iter().map(seconds))[0];
        let in_turn = above
            .iter()
            .zip(below)
            .map(|(above, below)| seconds(above) / seconds(below));
        [least(above) / least(below), figures(in_turn)[1]]
    };

    line(
        "floor: libdeflate alone, µs a chunk",
        each(floor, |taken| taken.cpu),
    );

    if one.is_empty() {
        return;
    }

    line(
        "whole run with 1 thread, CPU, µs a chunk",
        each(one, |taken| taken.cpu),
    );
    line("  of the floor", ratio(one, floor, |taken| taken.cpu));
    line(
        "  start, in it (a world without chunks)",
        each(start, |taken| taken.cpu),
    );

    line("  system time in it", each(one, |taken| taken.system));
    line(
        "  page faults",
        figures(one.iter().map(|taken| taken.faults)),
    );

    line(
        "  page faults of the start",
        figures(start.iter().map(|taken| taken.faults)),
    );

    line(
        "with 2 threads, CPU, of the floor",
        ratio(two, floor, |taken| taken.cpu),
    );
    line(
        "  times as fast as with 1",
        ratio(one, two, |taken| taken.wall),
    );
}

fn main() {
    let mut arguments = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench");
    let demo = || Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/demo");
    let folder = arguments.next().map_or_else(demo, PathBuf::from);

    let count: usize = arguments
        .next()
        .map_or(15, |rounds| rounds.parse().unwrap());
    let only_floor = arguments.next().is_some_and(|what| what == "floor");
    let (mut floor, empty, mut rounds) = (Floor::read(&folder), empty_world(), Rounds::default());
    for _ in 0..count {
        rounds.floor.push(Taken::of(Who::This, || floor.inflate()));
        if !only_floor {
            rounds.one.push(draw(&folder, "1"));
            rounds.two.push(draw(&folder, "2"));
            rounds.start.push(draw(empty.path(), "1"));
        }
    }

    let streams = floor.streams() as f64;
    println!(
        "{} with {streams} compressed chunks, or blocks of tables, {count} rounds",
        folder.display()
    );
    println!("{:<48} {:>9} {:>9}", "", "least", "median");
    print_figures(&rounds, streams);

    if only_floor {
        return;
    }

    let millions = |world| {
        instructions(world).map_or("not counted".to_owned(), |all| {
            format!("{:.1}", all as f64 / 1e6)
        })
    };

    println!(
        "{:<48} {:>9}",
        "instructions with 1 thread, millions",
        millions(&folder)
    );

    println!("{:<48} {:>9}", "  of the start", millions(empty.path()));
    let Counts {
        chunks,
        edge,
        tile_bytes,
    } = counts(&folder);

    let share = edge as f64 * 100.0 / chunks as f64;
    println!(
        "{:<48} {edge:9} of {chunks} chunks, {share:.1} %",
        "read twice for borders"
    );
    println!("{:<48} {tile_bytes:9} bytes", "tiles");
}
