//! `pixelmap verify --repair`: a map that was damaged is the fresh one again, and nothing else is touched.
#![allow(clippy::disallowed_methods, reason = "what tests write is no output of the program")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::SystemTime;

use crate::map::{Map, Place, Ran, assert_same_files, land, on, program, render};
use crate::world::{ChunkSpec, Files, Generation, block};
use serde_json::{Value, json};

const GENERATION: Generation = Generation::Numeric(1343);
/// A chunk in each of six regions, so that there are tiles further out.
const CHUNKS: [(i32, i32); 6] = [(5, 5), (37, 5), (70, 5), (-20, 5), (5, 40), (37, 40)];

/// A world of which only some chunks are there.
fn world(is_there: impl Fn(i32, i32) -> bool) -> Files {
    let chunks = CHUNKS.iter().filter(|&&(x, z)| is_there(x, z)).map(|&(x, z)| {
        let mut chunk = ChunkSpec::new(x, z, GENERATION);
        chunk.layer(60, 63, block::DIRT);
        chunk.layer(64, 64, block::GRASS_BLOCK);
        chunk
    });
    land::of_chunks(&chunks.collect::<Vec<_>>(), GENERATION)
}

fn place() -> Place {
    Place::of(&world(|_, _| true))
}

fn repair(map: &Map, options: &[&str]) -> Ran {
    on("verify", &map.root, &[&["--repair"], options].concat())
}

/// Another byte in a tile, whose length and time stay: what a disk does.
fn rot(path: &Path) {
    let time = fs::metadata(path).unwrap().modified().unwrap();
    let mut bytes = fs::read(path).unwrap();
    let last = bytes.last_mut().unwrap();
    *last = last.wrapping_add(1);
    fs::write(path, bytes).unwrap();
    fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

fn times(map: &Map) -> BTreeMap<String, SystemTime> {
    let time = |path: &String| fs::metadata(map.root.join(path)).unwrap().modified().unwrap();
    map.files().keys().map(|path| (path.clone(), time(path))).collect()
}

/// The files that are new or were written since.
fn written(map: &Map, before: &BTreeMap<String, SystemTime>) -> Vec<String> {
    times(map).into_iter().filter(|(path, time)| before.get(path) != Some(time)).map(|(path, _)| path).collect()
}

#[test]
fn what_is_missing_changed_or_stray_is_mended_and_all_else_left_alone() {
    let place = place();
    let map = place.draw("map", &["-l", "day", "-l", "height"]);
    let biome = place.draw("map", &["-l", "biome"]);
    let fresh = map.files();
    let before = times(&map);
    let at = |path: &str| map.root.join("overworld").join(path);
    fs::remove_file(at("day/17/0/0.png")).unwrap();
    rot(&at("day/17/1/0.png"));
    rot(&at("height/16/0/0.png"));
    fs::copy(at("day/17/0/1.png"), at("day/17/0/7.png")).unwrap();
    Files([("overworld/night/17/0/0.webp".to_owned(), vec![1])].into()).write_under(&map.root);
    let ran = repair(&map, &[]).expect(0, "three damaged tiles");
    assert_same_files("mended", &fresh, &biome.files());
    assert_eq!(ran.out, "");
    assert!(ran.err.contains("2 regions drawn, 4 unchanged") && ran.err.contains("3 tiles written"), "{}", ran.err);
    assert!(!ran.err.contains("again: overworld/biome") && ran.err.contains("2 stray files removed"), "{}", ran.err);
    assert_eq!(
        written(&map, &before),
        ["overworld/day/17/0/0.png", "overworld/day/17/1/0.png", "overworld/height/16/0/0.png"]
    );
    assert!(!at("night").exists(), "folders that are left empty");
    // Both calls, one after the other.
    fs::remove_file(at("day/17/-1/0.png")).unwrap();
    fs::remove_file(at("biome/17/-1/0.png")).unwrap();
    let told: Value = serde_json::from_str(&repair(&map, &["--json", "-q"]).expect(0, "two calls").out).unwrap();
    assert_eq!(told["problems"], json!([]));
    assert_same_files("two calls", &fresh, &map.files());
    // Nothing to do.
    let ran = repair(&map, &[]).expect(0, "whole");
    assert!(ran.err.lines().count() == 1 && ran.err.contains("all right"), "{}", ran.err);
    repair(&map, &["--digest"]).expect(2, "a digest");
}

#[test]
fn a_call_means_the_same_wherever_it_is_repeated() {
    let place = place();
    let config =
        "layer = [\"day\", \"height\"]\narea = \"0,0,1024,1024\"\nreport = \"report.json\"\noutput = \"maps/w\"\n";
    fs::create_dir(place.at("here")).unwrap();
    fs::write(place.at("here/map.toml"), config).unwrap();
    let mut command = program();
    command.current_dir(place.at("here")).args(["render", "../world", "-c", "map.toml", "--changed-list", "changed"]);
    Ran::of(command.output().unwrap()).expect(0, "by a configuration file");
    let map = Map::at(&place.at("here/maps/w"));
    let fresh = map.files();
    for list in ["report.json", "changed"] {
        fs::remove_file(place.at("here").join(list)).unwrap();
    }
    // The map itself may have moved since.
    fs::rename(place.at("here/maps"), place.at("moved")).unwrap();
    let map = Map::at(&place.at("moved/w"));
    rot(&map.root.join("overworld/height/17/0/0.png"));
    let mut command = program();
    command.current_dir(place.at("moved")).args(["verify", "w", "--repair", "-q"]);
    assert_eq!(Ran::of(command.output().unwrap()).expect(0, "elsewhere").err, "");
    assert_same_files("mended", &fresh, &map.files());
    let beside: Vec<_> = fs::read_dir(place.at("here")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(beside, ["map.toml"], "no report, no list, no other map");
    // A configuration file that is gone: said before anything is removed.
    rot(&map.root.join("overworld/day/17/0/0.png"));
    fs::remove_file(place.at("here/map.toml")).unwrap();
    let ran = repair(&map, &["-q"]).expect(1, "no configuration file");
    assert!(ran.err.contains("map.toml") && ran.err.contains("same options"), "{}", ran.err);
    assert!(map.root.join("overworld/day/17/0/0.png").is_file());
}

#[test]
fn without_the_call_the_remedy_is_named_and_nothing_is_touched() {
    let place = place();
    let map = place.draw("map", &[]);
    rot(&map.root.join("overworld/day/17/0/0.png"));
    fs::copy(map.root.join("map.json"), map.root.join("overworld/day/17/0/9.png")).unwrap();
    let before = map.files();
    fs::remove_dir_all(map.root.join(".pixelmap")).unwrap();
    let ran = repair(&map, &["-q"]).expect(1, "no state");
    assert!(ran.err.lines().count() == 1 && ran.err.contains("draw it again"), "{}", ran.err);
    assert_eq!(ran.out, "changed\toverworld/day/17/0/0.png\nstray\toverworld/day/17/0/9.png\n");
    assert_same_files("untouched", &before, &map.files());
    assert!(!map.root.join(".pixelmap").exists());
    // One of two layers: the other one is mended.
    place.draw("map", &["-l", "biome"]);
    fs::remove_file(map.root.join("overworld/biome/17/0/0.png")).unwrap();
    let ran = repair(&map, &["-q"]).expect(1, "half");
    assert!(ran.err.lines().count() == 1 && ran.err.contains("overworld/day"), "{}", ran.err);
    assert_eq!(ran.out, "changed\toverworld/day/17/0/0.png\n");
    let nothing = Map::at(&place.at("nothing"));
    assert!(repair(&nothing, &[]).expect(1, "nothing").err.contains("no finished map"));
    assert!(!nothing.root.exists());
}

#[test]
fn manifests_and_facts_that_are_damaged_are_written_anew_and_no_tile_is() {
    let place = place();
    let map = place.draw("map", &["-l", "day", "-l", "biome"]);
    let fresh = map.files();
    let manifest = map.root.join("overworld/day/tiles.tsv");
    let text = fs::read_to_string(&manifest).unwrap();
    let shorter = text.split_inclusive('\n').skip(2).collect::<String>();
    for (path, damaged) in [
        ("overworld/day/tiles.tsv", None),
        ("overworld/day/tiles.tsv", Some(text.trim_end())),
        ("overworld/day/tiles.tsv", Some("")),
        ("overworld/day/tiles.tsv", Some(&shorter)),
        ("map.js", Some("var PIXELMAP = {};\n")),
        ("map.js", None),
        ("map.json", Some("{")),
        ("map.json", None),
    ] {
        let before = times(&map);
        match damaged {
            Some(text) => fs::write(map.root.join(path), text).unwrap(),
            None => fs::remove_file(map.root.join(path)).unwrap(),
        }
        let ran = repair(&map, &[]).expect(0, path);
        assert!(ran.err.contains("0 regions drawn, 6 unchanged"), "{path} {damaged:?}: {}", ran.err);
        assert_same_files(path, &fresh, &map.files());
        assert!(written(&map, &before).iter().all(|path| !crate::map::has_ending(path, "png")), "{path}");
    }
}

#[test]
fn a_world_that_is_half_gone_takes_no_more_than_a_run_may() {
    let place = place();
    let map = place.draw("map", &[]);
    let fresh = map.files();
    for region in ["r.1.0.mca", "r.2.0.mca", "r.0.1.mca", "r.1.1.mca", "r.-1.0.mca"] {
        fs::remove_file(place.world().join("region").join(region)).unwrap();
    }
    fs::remove_file(map.root.join("overworld/day/17/0/0.png")).unwrap();
    let ran = repair(&map, &["-q"]).expect(1, "with its manifest");
    assert!(ran.err.contains("--max-removed"), "{}", ran.err);
    fs::write(map.root.join("overworld/day/tiles.tsv"), "").unwrap();
    let ran = repair(&map, &["-q"]).expect(1, "with none");
    assert!(ran.err.contains("--max-removed") && ran.err.contains("no longer drawn"), "{}", ran.err);
    let tiles = |files: &BTreeMap<String, Vec<u8>>| -> Vec<String> {
        files.keys().filter(|path| crate::map::has_ending(path, "png") && path.contains("/17/")).cloned().collect()
    };
    assert_eq!(tiles(&map.files()), tiles(&fresh), "every tile is still there");
    assert!(ran.out.lines().count() >= 5 && ran.out.lines().all(|line| line.starts_with("stray\t")), "{}", ran.out);
}

#[test]
fn a_run_that_was_to_hide_something_is_repeated_with_it() {
    let place = place();
    place.draw("map", &[]);
    let config = place.at("map.toml");
    fs::write(&config, "hide = \"512,0,1024,512\"\n").unwrap();
    let map = place.draw("map", &["-c", config.to_str().unwrap()]);
    let fresh = map.files();
    assert!(!fresh.contains_key("overworld/day/17/1/0.png"));
    rot(&map.root.join("overworld/day/17/0/0.png"));
    repair(&map, &[]).expect(0, "hidden");
    assert_same_files("mended", &fresh, &map.files());
}

#[test]
fn a_run_that_was_told_what_to_hide_is_not_kept_and_not_repeated_without_it() {
    let place = place();
    place.draw("map", &[]);
    let map = place.draw("map", &["--hide", "512,0,1024,512"]);
    rot(&map.root.join("overworld/day/17/0/0.png"));
    let damaged = map.files();
    let ran = repair(&map, &[]).expect(1, "hidden");
    assert!(ran.err.contains("same options"), "{}", ran.err);
    assert_same_files("left alone", &damaged, &map.files());
}

#[test]
fn a_call_that_somebody_wrote_there_writes_nowhere_else() {
    let place = place();
    let map = place.draw("map", &[]);
    let fresh = map.files();
    let (calls, here) = (map.root.join(".pixelmap/calls.json"), place.at("victim"));
    fs::create_dir(&here).unwrap();
    let world = place.world();
    let call = |arguments: &[&str]| {
        let says = json!({ "folder": here, "arguments": arguments }).to_string();
        fs::write(&calls, json!([{ "layers": ["overworld/day"], "says": says }]).to_string()).unwrap();
        rot(&map.root.join("overworld/day/17/0/0.png"));
        repair(&map, &["-q"])
    };
    let world = world.to_str().unwrap();
    for more in [
        &["-o", "out"][..],
        &["-o", "out.png", "--mode", "image"],
        &["-o", "out.pmtiles"],
        &["--mode", "regions", "-f"],
        &["--report", "report", "--changed-list", "changed", "--deleted-list", "deleted"],
        &["--dry-run", "--json"],
    ] {
        call(&[&[world], more].concat()).expect(0, &format!("{more:?}"));
        assert_same_files("mended", &fresh, &map.files());
    }
    for wrong in [&["--help"][..], &["completions", "bash"], &["nowhere"], &[world, "--no-such-option"], &[]] {
        let ran = call(wrong);
        assert!(ran.code == 1 && ran.err.contains("cannot be drawn again"), "{wrong:?}: {} {}", ran.code, ran.err);
        assert_eq!(ran.out, "");
    }
    for broken in ["", "[{\"layers\": [\"overworld/day\"], \"says\": \"\"}]", "{}"] {
        fs::write(&calls, broken).unwrap();
        let ran = repair(&map, &["-q"]).expect(1, broken);
        assert!(ran.err.contains("same options"), "{}", ran.err);
    }
    assert_eq!(fs::read_dir(&here).unwrap().count(), 0);
    assert!(map.root.join("overworld/day/17/0/0.png").is_file(), "it is not lost");
}

#[test]
fn what_a_run_ends_with_is_what_a_repair_ends_with() {
    let mut files = world(|_, _| true);
    let region = files.0.get_mut("region/r.1.0.mca").unwrap();
    region[8192 + 20] ^= 0xff;
    let place = Place::of(&files);
    render(&place.world(), &place.at("map"), &[]).expect(3, "a chunk that cannot be read");
    let map = Map::at(&place.at("map"));
    fs::remove_file(map.root.join("overworld/day/17/0/0.png")).unwrap();
    repair(&map, &[]).expect(3, "with gaps");
    on::<&str>("verify", &map.root, &[]).expect(0, "and right");
    fs::remove_file(map.root.join("overworld/day/17/0/0.png")).unwrap();
    let lock = fs::File::options().write(true).open(map.root.join(".pixelmap/lock")).unwrap();
    lock.try_lock().unwrap();
    repair(&map, &[]).expect(75, "held by another run");
}
