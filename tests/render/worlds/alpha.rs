//! Tests worlds before Beta 1.3, which have one file per chunk: they are drawn like worlds with
//! region files.
#![allow(
    clippy::disallowed_methods,
    reason = "test worlds are no output of the program"
)]

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use serde_json::{Value, json};

use crate::map::{Map, Place, assert_same_files, fixture, land, on, render};
use crate::world::{
    Block, ChunkSpec, Files, Generation, RegionSpec, alpha, block, fixture as made,
};

/// Chunks around corners of regions, and one far away.
fn chunks() -> Vec<ChunkSpec> {
    let places = land::around_corners(&[(0, 0), (2, -1)])
        .into_iter()
        .map(|chunk| (chunk.x, chunk.z));
    places
        .chain([(-300, 77)])
        .map(|(x, z)| made::landscape(x, z, Generation::McRegion))
        .collect()
}

fn alpha_world(chunks: &[ChunkSpec]) -> Files {
    let mut files = Files::new();
    files.put("level.dat", alpha::level_dat());
    alpha::put_chunks(&mut files, "", chunks);
    alpha::put_chunks(&mut files, "DIM-1/", &chunks[..2]);
    files
}

/// The same world in region files with this ending.
fn converted(chunks: &[ChunkSpec], ending: &'static str) -> Files {
    let mut files = Files::new();
    files.put("level.dat", alpha::level_dat());

    for (folder, chunks) in [("region", chunks), ("DIM-1/region", &chunks[..2])] {
        let mut regions = std::collections::BTreeMap::new();
        for chunk in chunks {
            let (x, z) = (chunk.x >> 5, chunk.z >> 5);
            regions
                .entry((x, z))
                .or_insert_with(|| RegionSpec::new(x, z))
                .put(chunk);
        }

        for region in regions.values_mut() {
            region.ending = ending;
            files.put_region(folder, region);
        }
    }

    files
}

#[test]
fn alpha_and_region_files_give_equal_maps() {
    let place = Place::of(&alpha_world(&chunks()));
    let options = ["-d", "all", "-l", "day", "-l", "night", "-l", "height"];
    let drawn = |world: &Path, name: &str, threads: &str| {
        render(
            world,
            &place.at(name),
            &[&options[..], &["-t", threads]].concat(),
        )
        .expect(0, name);
        Map::at(&place.at(name)).files()
    };

    let alone = drawn(&place.world(), "one", "1");
    assert!(
        alone
            .keys()
            .any(|path| path.starts_with("the_nether/night/17/")),
        "{:?}",
        alone.keys()
    );
    assert_same_files("threads", &alone, &drawn(&place.world(), "three", "3"));

    for ending in ["mcr", "mca"] {
        let files = Place::of(&converted(&chunks(), ending));
        assert_same_files(ending, &alone, &drawn(&files.world(), ending, "2"));
    }
}

/// Returns the numbers of drawn and unchanged regions of a run into folder `map`, whose result must
/// equal a first run.
fn run(place: &Place) -> [u64; 2] {
    let report = render(&place.world(), &place.at("map"), &[])
        .expect(0, "again")
        .report();
    render(&place.world(), &place.at("first"), &["-f"]).expect(0, "first");
    assert_same_files(
        "again",
        &Map::at(&place.at("map")).files(),
        &Map::at(&place.at("first")).files(),
    );
    ["drawn", "unchanged"].map(|count| report["regions"][count].as_u64().unwrap())
}

#[test]
fn changed_alpha_chunk_files_are_redrawn() {
    let place = Place::of(&alpha_world(&chunks()));
    assert_eq!(run(&place), [10, 0]);
    assert_eq!(run(&place), [0, 10]);

    let file = |x, z| place.world().join(alpha::path(x, z));

    // The same bytes in a new file.
    let bytes = fs::read(file(-300, 77)).unwrap();
    fs::remove_file(file(-300, 77)).unwrap();
    fs::write(file(-300, 77), bytes).unwrap();
    assert_eq!(run(&place), [0, 10]);

    let other = |x, z, block| {
        let mut chunk = made::landscape(x, z, Generation::McRegion);
        chunk.layer(80, 80, block);
        alpha::bytes(&chunk)
    };

    fs::write(file(-300, 77), other(-300, 77, block::SAND)).unwrap();
    assert_eq!(run(&place), [1, 9]);

    // Three regions touch the corner of this chunk.
    fs::write(file(0, 0), other(0, 0, block::STONE)).unwrap();
    assert_eq!(run(&place), [4, 6]);
    fs::remove_file(file(-300, 77)).unwrap();
    assert_eq!(run(&place), [0, 9]);

    let new = file(-300, 78);
    fs::create_dir_all(new.parent().unwrap()).unwrap();
    fs::write(new, other(-300, 78, block::SAND)).unwrap();
    assert_eq!(run(&place), [1, 9]);
}

#[test]
fn a_gap_in_alpha_keeps_its_pixels() {
    let place = Place::of(&alpha_world(&chunks()));
    place.draw("map", &[]);
    let before = Map::at(&place.at("map")).columns();
    fs::write(place.world().join(alpha::path(-300, 77)), b"no gzip").unwrap();

    let ran = render(&place.world(), &place.at("map"), &[]).expect(3, "damaged");
    let name = alpha::path(-300, 77);
    let bad = &ran.report()["bad_chunks"];
    assert_eq!(
        (&bad[0]["region"], &bad[0]["chunk"], &bad[1]),
        (&json!(name), &json!([-300, 77]), &Value::Null)
    );

    assert!(
        ran.err.contains(&format!("{name} chunk -300,77")),
        "{}",
        ran.err
    );
    assert_eq!(
        Map::at(&place.at("map")).columns().at(-300 * 16, 77 * 16),
        before.at(-300 * 16, 77 * 16)
    );
}

#[test]
fn info_reports_that_each_chunk_has_a_file() {
    let told = |name: &str| {
        let text = on::<&str>("info", &fixture(name), &[]).expect(0, name).out;
        let info: Value =
            serde_json::from_str(&on("info", &fixture(name), &["--json"]).expect(0, name).out)
                .unwrap();
        (
            text.contains("one file per chunk (Alpha)"),
            info["dimensions"][0]["chunk_files"].clone(),
        )
    };
    assert_eq!(told("alpha"), (true, json!(true)));
    assert_eq!(told("mcregion"), (false, Value::Null));
}

#[test]
fn converted_worlds_are_read_from_region_files() {
    let mut files = converted(&chunks(), "mcr");
    let mut old = ChunkSpec::new(5, 5, Generation::McRegion);
    old.layer(0, 3, block::STONE);
    alpha::put_chunks(&mut files, "", &[old]);
    let place = Place::of(&files);
    place.draw("map", &[]);
    assert_eq!(Map::at(&place.at("map")).columns().drawn_of_chunk(5, 5), 0);
}

#[cfg(unix)]
#[test]
fn linked_chunk_files_are_read() {
    use std::os::unix::fs::symlink;

    let place = Place::of(&alpha_world(&chunks()));
    let file = |x, z| place.world().join(alpha::path(x, z));
    fs::rename(file(-300, 77), place.at("elsewhere")).unwrap();
    symlink(place.at("elsewhere"), file(-300, 77)).unwrap();
    let expected = render(&place.world(), &place.at("map"), &[])
        .expect(0, "a link")
        .report();
    fs::remove_file(file(-300, 77)).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, file(-300, 77), rustix::fs::Mode::RWXU).unwrap();
    let report = render(&place.world(), &place.at("map"), &[])
        .expect(3, "a pipe")
        .report();
    assert_eq!(report["bad_chunks"][0]["reason"], "unreadable");
    let drawn = |report: &Value| report["chunks"]["drawn"].as_u64().unwrap();
    assert_eq!(drawn(&report) + 1, drawn(&expected));
}

/// Ends a game when it is dropped.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_saving_game_hides_no_chunk() {
    const GROUNDS: [Block; 2] = [block::SAND, block::STONE];

    let chunk = |x: i32, z: i32, ground: Block| {
        let mut chunk = ChunkSpec::new(x, z, Generation::McRegion);
        chunk.layer(60, 64, ground);
        chunk
    };

    let places = || (0..64).map(|at| (28 + at % 8, at / 8));

    let of_ground = |ground| {
        alpha_world(
            &places()
                .map(|(x, z)| chunk(x, z, ground))
                .collect::<Vec<_>>(),
        )
    };

    let place = Place::of(&of_ground(GROUNDS[0]));
    let colours = GROUNDS.map(|ground| {
        let other = Place::of(&of_ground(ground));
        other.draw("map", &[]);
        Map::at(&other.at("map")).columns().at(32 * 16, 8)
    });

    let (is_over, saved, longest) = (
        AtomicBool::new(false),
        AtomicUsize::new(0),
        AtomicU64::new(0),
    );

    std::thread::scope(|scope| {
        // However the runs end, the game ends with them.
        let over = Over(&is_over);

        let game = scope.spawn(|| {
            let folder = place.world();
            while !is_over.load(Ordering::Relaxed) {
                let number = saved.load(Ordering::Relaxed);
                let (x, z) = places().nth(number * 7 % 64).unwrap();
                let (temporary, path) =
                    (folder.join("tmp_chunk.dat"), folder.join(alpha::path(x, z)));
                fs::write(
                    &temporary,
                    alpha::bytes(&chunk(x, z, GROUNDS[number / 64 % 2])),
                )
                .unwrap();

                let start = Instant::now();
                fs::remove_file(&path).unwrap();
                fs::rename(temporary, path).unwrap();
                longest.fetch_max(start.elapsed().as_millis() as u64, Ordering::Relaxed);
                saved.fetch_add(1, Ordering::Relaxed);
            }
        });

        let mut judged = 0;
        for run in 0..12 {
            longest.store(0, Ordering::Relaxed);
            let ran = render(&place.world(), &place.at("map"), &[]);

            let at_end = saved.load(Ordering::Relaxed);
            while saved.load(Ordering::Relaxed) == at_end && !game.is_finished() {
                std::thread::yield_now();
            }

            // On a busy machine the system may pause the game between two calls for longer than the
            // program waits for a file.
            if longest.load(Ordering::Relaxed) > 40 {
                continue;
            }

            judged += 1;
            ran.expect(0, "while the game saves");

            let columns = Map::at(&place.at("map")).columns();
            for (x, z) in places() {
                assert!(
                    colours.contains(&columns.at(x * 16 + 8, z * 16 + 8)),
                    "run {run}: chunk {x}, {z}"
                );
            }
        }

        drop(over);
        game.join().unwrap();
        assert!(
            judged > 0 && saved.load(Ordering::Relaxed) > 64,
            "{judged} of 12 runs, {saved:?} chunks saved"
        );
    });
}
