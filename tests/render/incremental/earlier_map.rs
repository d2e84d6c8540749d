//! Tests a run into a folder with an earlier map: which files stay, are replaced, or are removed.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::map::land::{BY_COLUMN, Column};
use crate::map::{Map, Place, assert_same_files, has_ending, land, render};
use crate::world::{Files, block};

/// A time long ago, so that a rewritten file is recognised even if file times are coarse.
fn age(files: impl Iterator<Item = PathBuf>) {
    let past = SystemTime::now() - Duration::from_hours(24);
    for path in files {
        fs::File::options()
            .write(true)
            .open(path)
            .unwrap()
            .set_modified(past)
            .unwrap();
    }
}

/// The files of a map that were written since their times were set back.
fn written_since(map: &Map) -> Vec<String> {
    let is_new = |path: &Path| {
        path.metadata()
            .unwrap()
            .modified()
            .unwrap()
            .elapsed()
            .unwrap()
            < Duration::from_hours(12)
    };

    map.files()
        .into_keys()
        .filter(|path| is_new(&map.root.join(path)))
        .collect()
}

fn counts(report: &Value) -> [u64; 3] {
    ["written", "unchanged", "removed"].map(|what| report["tiles"][what].as_u64().unwrap())
}

/// Flat chunks of a block around the corners of nine regions.
fn flat(ground: fn(i32, i32) -> Option<Column>) -> Files {
    land::world([-32, -32, 1056, 544], (0, 0), BY_COLUMN, move |x, z| {
        let near = |at: i32| at.rem_euclid(512) < 16 || at.rem_euclid(512) >= 496;
        if near(x) && near(z) {
            ground(x, z)
        } else {
            None
        }
    })
}

#[test]
fn a_second_run_writes_only_changes() {
    let place = Place::of(&flat(|_, _| Some(Column::of(64, block::STONE))));
    let map = place.draw("map", &[]);
    let before = map.files();
    age(before.keys().map(|path| map.root.join(path)));
    let again = render(&place.world(), &map.root, &[])
        .expect(0, "the same world again")
        .report();
    assert_eq!(written_since(&map), Vec::<String>::new());
    assert_eq!(counts(&again), [0, map.tiles("overworld").len() as u64, 0]);
    assert_same_files("the same world again", &before, &map.files());

    // One region changes far from its borders: this affects its tile and the tiles above it.
    let changed = flat(|x, z| {
        Some(Column::of(
            64,
            if (2..14).contains(&x) && (2..14).contains(&z) {
                block::BRICKS
            } else {
                block::STONE
            },
        ))
    });
    changed.write_under(&place.world());
    let report = render(&place.world(), &map.root, &[])
        .expect(0, "one region changed")
        .report();
    let mut expected: Vec<String> = written_since(&map)
        .into_iter()
        .filter(|path| has_ending(path, "png"))
        .collect();
    expected.sort();
    let outermost = map.tiles("overworld").keys().next().unwrap().0;
    let mut tiles: Vec<String> = (outermost..=17)
        .map(|zoom| format!("overworld/day/{zoom}/0/0.png"))
        .collect();
    tiles.sort();
    assert_eq!(expected, tiles);
    assert_eq!(counts(&report)[0], tiles.len() as u64);
    assert_same_files(
        "as drawn at once",
        &place.draw("fresh", &[]).files(),
        &map.files(),
    );
}

#[test]
fn tiles_of_removed_regions_are_removed() {
    let place = Place::of(&flat(|_, _| Some(Column::of(64, block::STONE))));
    let map = place.draw("map", &[]);
    let before = map.tiles("overworld");
    fs::remove_file(place.world().join("region/r.2.-1.mca")).unwrap();
    let report = render(&place.world(), &map.root, &[])
        .expect(0, "a region less")
        .report();

    assert!(!map.tiles("overworld").contains_key(&(17, 2, -1)));
    assert!(
        counts(&report)[2] >= 1
            && counts(&report)[2] as usize == before.len() - map.tiles("overworld").len()
    );

    assert_same_files(
        "as drawn at once",
        &place.draw("fresh", &[]).files(),
        &map.files(),
    );
}

#[test]
fn user_files_stay() {
    let place = Place::of(&flat(|_, _| Some(Column::of(64, block::STONE))));
    let map = place.draw("map", &[]);
    let mine = [
        "custom/style.css",
        "markers/home.json",
        "overworld/day/17/2/notes.txt",
        "overworld/other/17/0/0.png",
    ];

    Files(
        mine.iter()
            .map(|path| ((*path).to_owned(), b"mine".to_vec()))
            .collect(),
    )
    .write_under(&map.root);
    fs::remove_file(place.world().join("region/r.2.-1.mca")).unwrap();
    fs::remove_file(place.world().join("region/r.2.0.mca")).unwrap();
    render(&place.world(), &map.root, &[]).expect(0, "two regions less");

    for path in mine {
        assert_eq!(fs::read(map.root.join(path)).unwrap(), b"mine", "{path}");
    }
}

#[test]
fn a_mostly_missing_world_wipes_no_map() {
    let place = Place::of(&flat(|_, _| Some(Column::of(64, block::STONE))));
    let map = place.draw("map", &[]);
    let before = map.files();
    let regions: Vec<String> = Files::read_under(&place.world().join("region"))
        .0
        .into_keys()
        .collect();

    for name in &regions[1..] {
        fs::remove_file(place.world().join("region").join(name)).unwrap();
    }

    let ran = render(&place.world(), &map.root, &[]).expect(1, "most regions gone");
    assert!(
        ran.err.contains("--max-removed"),
        "the remedy is named: {}",
        ran.err
    );

    assert_same_files("most regions gone", &before, &map.files());
    let removed = before.keys().filter(|path| has_ending(path, "png")).count() - 1;
    let few = (removed - 1).to_string();
    render(&place.world(), &map.root, &["--max-removed", &few]).expect(1, "one too many");
    assert_same_files("one too many", &before, &map.files());

    let report = render(&place.world(), &map.root, &["--max-removed", "100%"])
        .expect(0, "allowed")
        .report();
    assert_eq!(counts(&report), [0, 1, removed as u64]);
    assert_same_files(
        "as drawn at once",
        &place.draw("fresh", &[]).files(),
        &map.files(),
    );
}

#[test]
fn a_world_of_empty_files_wipes_no_map() {
    let place = Place::of(&flat(|_, _| Some(Column::of(64, block::STONE))));
    let map = place.draw("map", &[]);
    let before = map.files();

    for name in Files::read_under(&place.world().join("region"))
        .0
        .into_keys()
    {
        fs::File::create(place.world().join("region").join(name)).unwrap();
    }

    let ran = render(&place.world(), &map.root, &[]).expect(1, "every file empty");
    assert!(ran.err.contains("--max-removed"), "{}", ran.err);

    let report = ran.report();
    assert_eq!(
        (&report["outcome"], &report["error"]["kind"]),
        (&"failed".into(), &"max_removed".into())
    );
    assert_same_files("every file empty", &before, &map.files());
}

#[test]
fn a_dimension_that_is_not_requested_stays() {
    let place = Place::of(&land::two_dimensions());
    let both = place.draw("map", &[]);
    let before = both.files();
    let nether = place.draw("map", &["-d", "nether"]);
    assert_same_files("the nether again", &before, &nether.files());
    let overworld = place.draw("map", &["-d", "0"]);
    assert_same_files("the overworld again", &before, &overworld.files());
    let one = place.draw("one", &["-d", "nether"]);
    assert_eq!(one.facts()["dimensions"].as_array().unwrap().len(), 1);
    let then = place.draw("one", &["-d", "minecraft:overworld"]);
    assert_same_files("one after the other", &before, &then.files());
}

#[test]
fn the_state_folder_may_be_deleted() {
    let place = Place::of(&land::two_dimensions());
    let map = place.draw("map", &[]);
    let before = map.files();
    fs::remove_dir_all(map.root.join(".pixelmap")).unwrap();
    let again = place.draw("map", &[]);
    assert_same_files("without its state", &before, &again.files());
}

#[test]
fn a_broken_tile_is_made_again() {
    let place = Place::of(&land::two_dimensions());
    let map = place.draw("map", &[]);
    let before = map.files();
    let tiles: Vec<PathBuf> = map.tiles("overworld").into_values().collect();
    fs::File::create(&tiles[0]).unwrap();
    fs::remove_file(tiles.last().unwrap()).unwrap();
    fs::remove_file(map.root.join("overworld/day/tiles.tsv")).unwrap();
    assert_same_files("mended", &before, &place.draw("map", &[]).files());
}
