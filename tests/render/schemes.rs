//! What goes by the names of a map's files, where tiles have other names than by default: the lists of a run, `verify` and
//! what mends it.
#![allow(clippy::disallowed_methods, reason = "what tests write is no output of the program")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::naming::path_of;
use crate::bookkeeping::apply;
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
        for path in strays.iter().chain([changed]) {
            fs::remove_file(at(path)).unwrap();
        }
        let ran = place.draw(&name, &["--scheme", scheme, "--format", format]);
        assert_eq!(ran.root, map.root);
        assert_same_files(&name, &fresh, &map.files());
    }
}

/// When a run was killed that names the tiles of a map anew.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Killed {
    /// Some of the new tiles have come to their places.
    Moving,
    /// All have, and the old manifest is gone.
    WithoutManifest,
    /// `map.json` is the new one, and the new manifest is not there yet.
    WithoutNewManifest,
    /// Some of the old tiles are gone.
    Removing,
}

/// A map with xyz as a run leaves it that is killed while it names it by tms.
fn killed(place: &Place, name: &str, killed: Killed) -> Map {
    let map = place.draw(name, &["--scheme", "xyz"]);
    let old = map.files();
    let new = place.draw("tms", &["--scheme", "tms"]).files();
    let is_done = matches!(killed, Killed::WithoutNewManifest | Killed::Removing);
    if is_done {
        render(&place.world(), &map.root, &["--scheme", "tms"]).expect(0, "the run that is killed");
    }
    let of_layer = |files: &BTreeMap<String, Vec<u8>>| -> BTreeMap<String, Vec<u8>> {
        files.clone().into_iter().filter(|(path, _)| has_ending(path, "png")).collect()
    };
    let (old_tiles, new_tiles) = (of_layer(&old), of_layer(&new));
    let half = |files: &BTreeMap<String, Vec<u8>>| files.clone().into_iter().step_by(2).collect();
    let manifest = "overworld/day/tiles.tsv";
    let mut state = BTreeMap::from(
        [("xyz", &old), ("tms", &new)]
            .map(|(scheme, files)| (format!(".pixelmap/replaced/{scheme}-png/{manifest}"), files[manifest].clone())),
    );
    // Whatever it changed it has noted.
    let noted: Vec<&String> = old.keys().chain(new.keys()).collect();
    let noted =
        noted.into_iter().filter(|path| is_done || new_tiles.contains_key(*path)).map(|path| path.clone() + "\n");
    state.insert(".pixelmap/untold/killed".to_owned(), noted.collect::<String>().into_bytes());
    let mut tiles = match killed {
        Killed::Moving => half(&new_tiles),
        Killed::WithoutManifest => new_tiles,
        Killed::WithoutNewManifest => old_tiles,
        Killed::Removing => half(&old_tiles),
    };
    // Where both have the name it is the new tile's.
    tiles.retain(|path, _| !is_done || !new.contains_key(path));
    Files(tiles).write_under(&map.root);
    Files(state).write_under(&map.root);
    if matches!(killed, Killed::WithoutManifest | Killed::WithoutNewManifest) {
        fs::remove_file(map.root.join(manifest)).unwrap();
    }
    map
}

#[test]
fn what_a_run_has_left_that_was_killed_while_tiles_changed_places_is_put_right_by_the_next() {
    let place = Place::empty();
    put_world(&place, false);
    let [changed, deleted] = ["changed", "deleted"].map(|name| place.at(name).to_str().unwrap().to_owned());
    for at in [Killed::Moving, Killed::WithoutManifest, Killed::WithoutNewManifest, Killed::Removing] {
        for next in ["tms", "xyz", "signed"] {
            let what = format!("{at:?}, then {next}");
            let map = killed(&place, &what, at);
            Files(place.draw("old", &["--scheme", "xyz"]).files()).write_under(&place.at("copy"));
            let lists = ["--changed-list", &*changed, "--deleted-list", &*deleted];
            let options = ["--scheme", next, "--max-removed", "0"];
            render(&place.world(), &map.root, &[&options[..], &lists].concat()).expect(0, &what);
            assert_same_files(&what, &place.draw(next, &options[..2]).files(), &map.files());
            assert!(!map.root.join(".pixelmap/replaced").exists(), "{what}");
            apply(&place, "copy", &map);
            fs::remove_dir_all(place.at("copy")).unwrap();
        }
    }
}

#[test]
fn where_a_new_tile_cannot_come_to_its_place_the_old_ones_stand() {
    let place = Place::empty();
    put_world(&place, false);
    for mode in [&[][..], &["--staged"]] {
        let map = place.draw(&format!("map {mode:?}"), &[]);
        let before = map.files();
        let in_the_way = format!("overworld/day/{}.png/mine.txt", path_of("xyz", (17, 2, 0)));
        Files([(in_the_way.clone(), Vec::new())].into()).write_under(&map.root);
        let options = [&["--scheme", "xyz"][..], mode].concat();
        render(&place.world(), &map.root, &options).expect(1, "a folder in the way");
        let after = map.files();
        for (path, bytes) in &before {
            assert!(after.get(path) == Some(bytes), "{mode:?}: {path}");
        }
        fs::remove_dir_all(map.root.join(&in_the_way).parent().unwrap()).unwrap();
        render(&place.world(), &map.root, &options).expect(0, "nothing in the way");
        assert_same_files("xyz", &place.draw("xyz", &["--scheme", "xyz"]).files(), &map.files());
    }
}

/// Memory is a file system of its own on most systems.
#[cfg(target_os = "linux")]
#[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
#[test]
fn a_dimension_on_a_file_system_of_its_own_is_drawn_and_named_anew() {
    use std::os::unix::fs::{MetadataExt as _, symlink};
    let place = Place::empty();
    put_world(&place, false);
    let Ok(other) = tempfile::tempdir_in("/dev/shm") else {
        return eprintln!("skipped: there is no /dev/shm");
    };
    if other.path().metadata().unwrap().dev() == place.world().metadata().unwrap().dev() {
        return eprintln!("skipped: /dev/shm is the file system of temporary files");
    }
    let map = place.draw("map", &["-l", "night"]);
    fs::remove_dir_all(map.root.join("overworld")).unwrap();
    symlink(other.path(), map.root.join("overworld")).unwrap();
    for options in [&[][..], &["--scheme", "xyz"], &["--format", "webp"], &["--staged"]] {
        render(&place.world(), &map.root, &[&["-l", "day"], options].concat()).expect(0, &format!("{options:?}"));
        let fresh = place.draw(&format!("fresh {options:?}"), options);
        let drawn = |root: &Path| Map::at(&root.join("overworld/day")).files();
        assert_same_files(&format!("{options:?}"), &drawn(&fresh.root), &drawn(&map.root));
        let again = render(&place.world(), &map.root, &[&["-l", "day"], options].concat()).expect(0, "again").report();
        assert_eq!(again["tiles"]["written"], 0, "{options:?}: the tiles are known");
    }
}

#[cfg(unix)]
#[test]
fn what_cannot_be_read_of_the_earlier_map_ends_the_run_before_anything_is_forgotten() {
    let place = Place::empty();
    put_world(&place, false);
    let map = place.draw("map", &["-l", "day", "-l", "night"]);
    put_world(&place, true);
    for file in ["overworld/day/tiles.tsv", "map.json"] {
        let (path, aside) = (map.root.join(file), place.at("aside"));
        fs::rename(&path, &aside).unwrap();
        let before = map.files();
        // It leads to itself, which nobody can open, whoever they are.
        std::os::unix::fs::symlink(&path, &path).unwrap();
        for options in [&[][..], &["--scheme", "xyz"], &["--staged"], &["--dry-run"]] {
            let ran = render(&place.world(), &map.root, options).expect(1, &format!("{file} {options:?}"));
            assert!(ran.err.contains(file) && ran.err.lines().count() == 1, "{}", ran.err);
        }
        fs::remove_file(&path).unwrap();
        assert_same_files(file, &before, &map.files());
        fs::rename(&aside, &path).unwrap();
    }
    render(&place.world(), &map.root, &["-l", "day", "-l", "night"]).expect(0, "readable");
    assert_same_files("then", &place.draw("fresh", &["-l", "day", "-l", "night"]).files(), &map.files());
}
