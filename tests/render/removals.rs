//! What is no longer part of a map goes last: whatever ends a run, no tile is gone that the map names, and the next run ends
//! what it began.
#![allow(clippy::disallowed_methods, reason = "worlds and obstacles of tests are no output of the program")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::bookkeeping::apply;
use crate::map::{Map, Place, Ran, assert_same_files, has_ending, land, on, render};
use crate::world::{ChunkSpec, Files, Generation, block};

const GENERATION: Generation = Generation::Numeric(1343);

/// A world of so many regions in a row. With five there is a level further out than with four.
fn put_world(place: &Place, regions: i32) {
    fs::remove_dir_all(place.world()).ok();
    let chunks: Vec<ChunkSpec> = (0..regions).map(chunk_of).collect();
    land::of_chunks(&chunks, GENERATION).write_under(&place.world());
}

fn chunk_of(region: i32) -> ChunkSpec {
    let mut chunk = ChunkSpec::new(region * 32 + 5, 5, GENERATION);
    chunk.layer(60, 64, block::GRASS_BLOCK);
    chunk
}

/// A map of five regions, and a world of four: what goes is a region's tile and a whole level.
fn shrunk(options: &[&str]) -> (Place, Map) {
    let place = Place::empty();
    put_world(&place, 5);
    let map = place.draw("map", options);
    Files(map.files()).write_under(&place.at("copy"));
    put_world(&place, 4);
    (place, map)
}

/// Draws, and does to a copy of the map what the lists say.
fn draw_and_apply(place: &Place, options: &[&str]) -> Ran {
    let [changed, deleted] = ["changed", "deleted"].map(|name| place.at(name).to_str().unwrap().to_owned());
    let lists = ["--changed-list", &changed, "--deleted-list", &deleted];
    let ran = draw(place, &[options, &lists].concat(), 0);
    apply(place, "copy", &Map::at(&place.at("map")));
    ran
}

fn draw(place: &Place, options: &[&str], code: i32) -> Ran {
    render(&place.world(), &place.at("map"), options).expect(code, &format!("{options:?}"))
}

fn removed(ran: &Ran) -> u64 {
    ran.report()["tiles"]["removed"].as_u64().unwrap()
}

/// The tiles, and what stands beside them.
fn tiles(map: &Map) -> BTreeSet<String> {
    map.files().into_keys().filter(|path| has_ending(path, "png") || has_ending(path, "pgw")).collect()
}

/// What the map names, by its manifests and by `map.json`, is there.
fn assert_all_named_are_there(what: &str, map: &Map) {
    let found = on("verify", &map.root, &[] as &[&str]).out;
    assert!(!found.contains("missing\t"), "{what}: {found}");
    let named = map.facts()["dimensions"][0]["layers"][0]["min_zoom"].to_string();
    assert!(map.root.join("overworld/day").join(&named).is_dir(), "{what}: nothing is left of level {named}");
}

fn is_something_kept(map: &Map) -> bool {
    map.root.join(".pixelmap/replaced").exists()
}

/// A folder with something in it, where a file is to be written or removed.
fn put_in_the_way(path: &Path) {
    let _ = fs::remove_file(path);
    fs::create_dir_all(path.join("in the way")).unwrap();
}

#[test]
fn where_the_manifests_cannot_be_written_no_tile_goes_that_they_name() {
    // Before `map.json` is written, and between it and the manifest.
    for obstacle in ["map.js", "overworld/day/tilejson.json"] {
        for (options, between) in [
            (&[][..], None),
            (&["--staged"], None),
            (&[], Some(&["-l", "night"][..])),
            (&["--staged"], Some(&["-l", "night"])),
        ] {
            let what = format!("{obstacle} {options:?} {between:?}");
            let (place, map) = shrunk(&[]);
            let before = tiles(&map);
            put_in_the_way(&map.root.join(obstacle));
            let ran = draw(&place, options, 1);
            assert!(ran.err.contains(&format!("{obstacle} is a folder, and a file belongs there")), "{}", ran.err);
            assert_eq!((tiles(&map), removed(&ran)), (before.clone(), 0), "{what}");
            assert_all_named_are_there(&what, &map);
            fs::remove_dir_all(map.root.join(obstacle)).unwrap();
            // Another layer has nothing to do with it, and writes `map.json` all the same.
            if let Some(layer) = between {
                draw_and_apply(&place, layer);
                assert!(tiles(&map).is_superset(&before), "{what}");
                assert_all_named_are_there(&what, &map);
            }
            let ran = draw_and_apply(&place, options);
            let layers = [&["-l", "day"], between.unwrap_or_default()].concat();
            assert_same_files(&what, &place.draw("fresh", &layers).files(), &map.files());
            assert_eq!((removed(&ran), is_something_kept(&map)), (4, false), "{what}");
        }
    }
}

#[test]
fn what_was_still_to_go_goes_with_the_next_run_of_the_layer_whatever_that_draws() {
    let picture = "overworld/day/17/4/0.png";
    for (next, regions) in [
        (&[&[][..]][..], 4),
        (&[&["--staged"]], 4),
        (&[&["--scheme", "xyz"]], 4),
        (&[&["--max-removed", "0"]], 4),
        (&[&["-l", "night"], &["-l", "day"]], 4),
        // What was to go is part of the map again.
        (&[&[]], 5),
        (&[&["--scheme", "tms"], &[]], 5),
    ] {
        let what = format!("{next:?} {regions}");
        let (place, map) = shrunk(&[]);
        let (path, aside) = (map.root.join(picture), place.at("aside"));
        fs::rename(&path, &aside).unwrap();
        put_in_the_way(&path);
        let first = removed(&draw(&place, &[], 1));
        // All the same the map is the new one, and the tile that could not go is known.
        let manifest = fs::read_to_string(map.root.join("overworld/day/tiles.tsv")).unwrap();
        assert!(!manifest.contains("17\t4\t0\t") && is_something_kept(&map), "{what}");
        assert_eq!(map.facts()["dimensions"][0]["layers"][0]["min_zoom"], 17, "{what}");
        fs::remove_dir_all(&path).unwrap();
        fs::rename(&aside, &path).unwrap();
        put_world(&place, regions);
        let mut then = 0;
        for options in next {
            then += removed(&draw_and_apply(&place, options));
            place.draw("fresh", options);
        }
        assert!(!is_something_kept(&map), "{what}");
        assert_same_files(&what, &Map::at(&place.at("fresh")).files(), &map.files());
        assert_eq!((first, then), (3, u64::from(regions == 4)), "{what}: each is counted once");
    }
}

#[test]
fn what_is_hidden_is_gone_when_the_run_says_so() {
    let place = Place::empty();
    put_world(&place, 5);
    let map = place.draw("map", &[]);
    let (picture, aside) = (map.root.join("overworld/day/17/4/0.png"), place.at("aside"));
    fs::rename(&picture, &aside).unwrap();
    put_in_the_way(&picture);
    let hide = ["--hide", "2048,0,2560,512"];
    draw(&place, &hide, 1);
    fs::remove_dir_all(&picture).unwrap();
    fs::rename(&aside, &picture).unwrap();
    draw(&place, &hide, 0);
    assert!(!picture.exists());
    put_world(&place, 4);
    assert_same_files("hidden", &place.draw("fresh", &[]).files(), &map.files());
}

#[test]
fn what_the_first_run_left_that_was_killed_goes_and_counts_as_tiles_alone() {
    let (place, map) = shrunk(&[]);
    // Tiles and a journal, and nothing that names them.
    fs::rename(map.root.join(".pixelmap/state"), map.root.join(".pixelmap/journal")).unwrap();
    let left = tiles(&map);
    for path in map.files().into_keys().filter(|path| !left.contains(path)) {
        fs::remove_file(map.root.join(path)).unwrap();
    }
    assert_eq!(removed(&draw(&place, &[], 0)), 4);
    assert_same_files("four regions", &place.draw("fresh", &[]).files(), &map.files());
}

#[test]
fn what_a_killed_run_left_of_a_layer_goes_though_others_were_drawn_in_between() {
    let (place, map) = shrunk(&["-l", "day", "-l", "night"]);
    fs::rename(map.root.join(".pixelmap/state"), map.root.join(".pixelmap/journal")).unwrap();
    fs::remove_file(map.root.join("overworld/night/tiles.tsv")).unwrap();
    for day in [["-l", "day"], ["-l", "day"], ["-l", "height"]] {
        draw(&place, &day, 0);
    }
    assert!(removed(&draw(&place, &["-l", "night"], 0)) > 0);
    let (fresh, left) =
        (place.draw("fresh", &["-l", "day", "-l", "night", "-l", "height"]), map.root.join(".pixelmap"));
    assert_same_files("all layers", &fresh.files(), &map.files());
    assert!(!left.join("journal").exists());
}

/// What a run leaves that is killed between the manifests of old names and new ones.
#[test]
fn a_layer_without_a_manifest_is_told_of_by_runs_that_do_not_draw_it() {
    let (place, map) = shrunk(&["-l", "day", "-l", "night"]);
    let says = |ran: &Ran| ran.report()["warnings"].to_string().contains("overworld/night has no manifest");
    assert!(!says(&draw(&place, &["-l", "day"], 0)));
    fs::remove_file(map.root.join("overworld/night/tiles.tsv")).unwrap();
    assert!(says(&draw(&place, &["-l", "day"], 0)));
    assert!(!says(&draw(&place, &["-l", "night"], 0)));
    assert!(!says(&draw(&place, &["-l", "day"], 0)));
}

/// Where a run is killed between the rename of a new outer tile and what it notes of it.
#[test]
fn an_outer_tile_that_a_killed_run_left_goes_though_what_was_below_it_is_gone() {
    for options in [&[][..], &["--hide", "16384,0,16896,512"]] {
        let place = Place::empty();
        put_world(&place, 5);
        let map = place.draw("map", options);
        land::of_chunks(&[chunk_of(32)], GENERATION).write_under(&place.world());
        let tile = map.root.join("overworld/day/16/16/0.png");
        put_in_the_way(&tile);
        draw(&place, &[], 1);
        fs::remove_dir_all(&tile).unwrap();
        fs::copy(map.root.join("overworld/day/17/0/0.png"), &tile).unwrap();
        if options.is_empty() {
            fs::remove_file(place.world().join("region/r.32.0.mca")).unwrap();
        }
        draw(&place, options, 0);
        assert!(!tile.exists(), "{options:?}");
        assert_same_files("five regions", &place.draw("fresh", options).files(), &map.files());
    }
}

#[test]
fn what_waits_and_is_hidden_meanwhile_does_not_wait_any_longer() {
    for options in [&["--staged"][..], &["--staged", "--scheme", "xyz"]] {
        let place = Place::empty();
        put_world(&place, 6);
        let map = place.draw("map", &[]);
        // A gap in the world, so that nothing is published; and what is drawn has changed.
        fs::write(place.world().join("region/r.1.0.mca"), [0, 0, 9, 1].repeat(2048)).unwrap();
        let next = map.root.join(".pixelmap/next");
        let waits = |options: &[&str], hide: &[&str]| {
            draw(&place, &[options, hide, &["--palette", "map-item"]].concat(), 3);
            Files::read_under(&next).0.into_keys().filter(|path| has_ending(path, "png")).collect::<BTreeSet<_>>()
        };
        let before = waits(options, &[]);
        let after = waits(options, &["--hide", "2560,0,3072,512"]);
        let gone: Vec<&String> = before.difference(&after).collect();
        assert!(gone.len() == 1 && gone[0].contains("/17/"), "{options:?}: {gone:?} of {before:?}");
        assert!(after.is_subset(&before) && after.len() > 3, "{after:?}");
    }
}

/// What a run leaves that is killed between removing a kept manifest and its folders.
#[test]
fn folders_in_which_no_manifest_is_kept_go_with_the_next_run() {
    let (place, map) = shrunk(&["-l", "day", "-l", "night"]);
    let kept = map.root.join(".pixelmap/replaced");
    for folder in ["tms-png/overworld/day", "xyz-webp/overworld", "signed-png/DIM7/night"] {
        fs::create_dir_all(kept.join(folder)).unwrap();
    }
    let of_other = BTreeMap::from([("xyz-png/overworld/height/tiles.tsv".to_owned(), Vec::new())]);
    Files(of_other.clone()).write_under(&kept);
    draw(&place, &[], 0);
    assert_same_files("what is still to go of other layers", &of_other, &Files::read_under(&kept).0);
    let folders = fs::read_dir(&kept).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(folders.collect::<Vec<_>>(), ["xyz-png"]);
    fs::remove_dir_all(kept.join("xyz-png/overworld")).unwrap();
    draw(&place, &[], 0);
    assert!(!kept.exists());
}
