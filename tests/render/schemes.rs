//! What goes by the names of a map's files, where tiles have other names than by default: the lists of a run, `verify` and
//! its repair.
#![allow(clippy::disallowed_methods, reason = "what tests write is no output of the program")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::naming::path_of;
use crate::map::{Map, Place, Tile, assert_same_files, has_ending, land, on, render};
use crate::world::{Block, ChunkSpec, Files, Generation, block};

const GENERATION: Generation = Generation::Numeric(1343);
/// A chunk in each of six regions on all sides of the origin, so that there are tiles further out.
const CHUNKS: [(i32, i32); 6] = [(5, 5), (37, 5), (70, 5), (-20, 5), (5, -40), (37, 40)];

/// Scheme and format, one after the other into the same folder: each differs from the one before it in one or in both.
const NAMINGS: [(&str, &str); 7] = [
    ("xyz", "png"),
    ("tms", "png"),
    ("xyz", "png"),
    ("xyz", "webp"),
    ("signed", "webp"),
    ("tms", "webp"),
    ("signed", "png"),
];

fn world(ground: impl Fn(i32, i32) -> Option<Block>) -> Files {
    let chunks = CHUNKS.iter().filter_map(|&(x, z)| {
        let mut chunk = ChunkSpec::new(x, z, GENERATION);
        chunk.layer(60, 64, ground(x, z)?);
        Some(chunk)
    });
    land::of_chunks(&chunks.collect::<Vec<_>>(), GENERATION)
}

/// The world in one of two states: in the second a region is gone and another one has other ground.
fn put_world(place: &Place, is_edited: bool) {
    fs::remove_dir_all(place.world()).ok();
    world(|x, z| match (x, z) {
        (70, 5) if is_edited => None,
        (37, 5) if is_edited => Some(block::SAND),
        _ => Some(block::GRASS_BLOCK),
    })
    .write_under(&place.world());
}

/// Does to a copy what the lists say, in the order of README: what changed is copied, then what is gone is deleted.
fn apply_lists(place: &Place, map: &Map, copy: &Path) {
    let [changed, deleted] = ["changed", "deleted"].map(|name| fs::read_to_string(place.at(name)).unwrap());
    assert!(changed.lines().is_sorted() && deleted.lines().is_sorted());
    for path in changed.lines() {
        fs::create_dir_all(copy.join(path).parent().unwrap()).unwrap();
        fs::copy(map.root.join(path), copy.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    }
    for path in deleted.lines() {
        fs::remove_file(copy.join(path)).unwrap_or_else(|error| panic!("{path} is deleted: {error}"));
    }
}

#[test]
fn the_lists_of_a_run_that_names_tiles_otherwise_make_an_older_copy_the_map() {
    let place = Place::empty();
    put_world(&place, false);
    // A layer that is named as ever stands beside it all the time.
    let map = place.draw("map", &["-l", "day", "-l", "night"]);
    let copy = place.at("copy");
    Files(map.files()).write_under(&copy);
    let [changed, deleted] = ["changed", "deleted"].map(|name| place.at(name).to_str().unwrap().to_owned());
    let lists = ["--changed-list", &*changed, "--deleted-list", &*deleted];
    let mut is_edited = false;
    for ((scheme, format), with_edit) in NAMINGS.into_iter().flat_map(|naming| [(naming, false), (naming, true)]) {
        is_edited ^= with_edit;
        put_world(&place, is_edited);
        let what = format!("{scheme} {format} {with_edit}");
        let options = ["--scheme", scheme, "--format", format, "--max-removed", "100%"];
        render(&place.world(), &map.root, &[&options[..], &lists].concat()).expect(0, &what);
        apply_lists(&place, &map, &copy);
        assert_same_files(&what, &map.files(), &Map::at(&copy).files());
        let tiles = map.tiles("overworld");
        assert_eq!(tiles.keys().filter(|tile| tile.0 == 17).count(), if is_edited { 5 } else { 6 }, "{what}");
    }
}

#[test]
fn the_lists_after_a_run_that_was_refused_make_an_older_copy_the_map_too() {
    let place = Place::empty();
    put_world(&place, false);
    let map = place.draw("map", &[]);
    let copy = place.at("copy");
    Files(map.files()).write_under(&copy);
    put_world(&place, true);
    let [changed, deleted] = ["changed", "deleted"].map(|name| place.at(name).to_str().unwrap().to_owned());
    let options = ["--scheme", "tms", "--changed-list", &*changed, "--deleted-list", &*deleted];
    let refused = render(&place.world(), &map.root, &[&options[..], &["--max-removed", "0"]].concat());
    assert!(refused.expect(1, "a region less").err.contains("--max-removed"));
    render(&place.world(), &map.root, &options).expect(0, "allowed");
    apply_lists(&place, &map, &copy);
    assert_same_files("tms", &map.files(), &Map::at(&copy).files());
}

/// Where the tiles of layer `day` are to lie, relative to the map's folder.
fn paths(map: &Map, scheme: &str, format: &str) -> BTreeMap<Tile, String> {
    let path = |tile: Tile| (tile, format!("overworld/day/{}.{format}", path_of(scheme, tile)));
    map.tiles("overworld").into_keys().map(path).collect()
}

#[test]
fn what_is_wrong_with_a_map_is_found_and_mended_whatever_its_tiles_are_called() {
    let place = Place::empty();
    put_world(&place, false);
    for (scheme, format) in [("signed", "webp"), ("xyz", "png"), ("tms", "png"), ("tms", "webp")] {
        let name = format!("{scheme} {format}");
        let map = place.draw(&name, &["--scheme", scheme, "--format", format]);
        let (fresh, paths) = (map.files(), paths(&map, scheme, format));
        assert_eq!(paths.len(), fresh.keys().filter(|path| has_ending(path, format)).count(), "{name}");
        let verify = |options: &[&str]| on("verify", &map.root, options);
        assert_eq!(verify(&[]).expect(0, &name).out, "", "{name}: sound");
        let at = |path: &str| map.root.join(path);
        let (changed, missing) = (&paths[&(17, 1, 0)], &paths[&(17, 0, -2)]);
        let mut bytes = fs::read(at(changed)).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(at(changed), bytes).unwrap();
        fs::remove_file(at(missing)).unwrap();
        // Another place of the same scheme, a name of no scheme's but the default one's, and the other format.
        let sound = &paths[&(17, 0, 0)];
        let elsewhere = format!("overworld/day/{}.{format}", path_of(scheme, (17, 0, 9)));
        let other = if format == "png" { "webp" } else { "png" };
        let strays = [elsewhere, format!("overworld/day/17/-9/-9.{format}"), sound.replace(format, other)];
        for stray in &strays {
            Files([(stray.clone(), fs::read(at(sound)).unwrap())].into()).write_under(&map.root);
        }
        let mut expected: Vec<String> = strays.iter().map(|path| format!("stray\t{path}\n")).collect();
        expected.extend([format!("changed\t{changed}\n"), format!("missing\t{missing}\n")]);
        expected.sort_by_key(|line| line.split('\t').nth(1).unwrap().to_owned());
        assert_eq!(verify(&[]).expect(1, &name).out, expected.concat(), "{name}");
        let ran = verify(&["--repair"]).expect(0, &name);
        assert!(ran.err.contains("2 tiles written") && ran.err.contains("3 stray files removed"), "{}", ran.err);
        assert_same_files(&name, &fresh, &map.files());
    }
}
