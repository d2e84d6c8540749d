//! How tiles are named, and what becomes of those that had another name before.
#![allow(clippy::disallowed_methods, reason = "what a test puts into a map's folder is no output of the program")]

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};

use crate::map::{Map, Place, Ran, assert_same_files, land, render};

const SCHEMES: [&str; 3] = ["signed", "xyz", "tms"];

/// Where a tile's file is to lie, by the definition of each scheme.
fn path_of(scheme: &str, (zoom, x, y): (u8, i32, i32)) -> String {
    let whole = 1 << zoom;
    let (east, south) = (x + whole / 2, y + whole / 2);
    match scheme {
        "signed" => format!("{zoom}/{x}/{y}"),
        "xyz" => format!("{zoom}/{east}/{south}"),
        _ => format!("{zoom}/{east}/{}", whole - 1 - south),
    }
}

fn layer<'a>(facts: &'a Value, path: &str) -> &'a Value {
    let layers = facts["dimensions"].as_array().unwrap().iter().flat_map(|of| of["layers"].as_array().unwrap());
    layers.clone().find(|layer| layer["path"] == path).unwrap()
}

/// The files in a layer's folder.
fn files_in(map: &Map, folder: &str) -> BTreeMap<String, Vec<u8>> {
    map.files().into_iter().filter(|(path, _)| path.starts_with(folder)).collect()
}

fn counts(ran: &Ran) -> [u64; 3] {
    ["written", "unchanged", "removed"].map(|what| ran.report()["tiles"][what].as_u64().unwrap())
}

#[test]
fn each_scheme_names_the_same_tiles() {
    let place = Place::of(&land::two_dimensions());
    let signed = place.draw("signed", &[]);
    for scheme in &SCHEMES[1..] {
        let map = place.draw(scheme, &["--scheme", scheme]);
        for dimension in ["overworld", "the_nether"] {
            let folder = map.root.join(dimension).join("day");
            for (tile, path) in signed.tiles(dimension) {
                let same = folder.join(path_of(scheme, tile) + ".png");
                assert!(fs::read(&path).unwrap() == fs::read(&same).unwrap(), "{scheme}: {}", same.display());
            }
            assert_eq!(map.tiles(dimension).len(), signed.tiles(dimension).len());
            let lines = map.manifest(dimension);
            let numbers = |line: &Vec<String>| [0, 1, 2].map(|field: usize| line[field].parse::<i32>().unwrap());
            assert!(lines.is_sorted_by_key(numbers), "{scheme}: numeric order");
            let named: Vec<_> = lines.iter().map(|line| line[..3].join("/")).collect();
            let mut wanted: Vec<_> = map.tiles(dimension).into_keys().map(|tile| path_of(scheme, tile)).collect();
            wanted.sort_by_key(|path| path.split('/').map(|n| n.parse::<i32>().unwrap()).collect::<Vec<_>>());
            assert_eq!(named, wanted, "{scheme}");
        }
        let (facts, as_signed) = (map.facts(), signed.facts());
        assert_eq!(facts["scheme"], **scheme);
        let (mut one, other) = (layer(&facts, "overworld/day").clone(), layer(&as_signed, "overworld/day"));
        assert_eq!((&one["scheme"], &other["scheme"]), (&json!(scheme), &json!("signed")));
        one["scheme"] = json!("signed");
        assert_eq!(one, *other, "all else is as it was");
    }
}

#[test]
fn a_run_with_another_scheme_replaces_what_it_draws_and_leaves_the_rest() {
    let place = Place::of(&land::two_dimensions());
    let both = ["-l", "day", "-l", "night"];
    let before = place.draw("map", &both);
    let tiles = before.tiles("overworld").len() as u64;
    let note = before.root.join("overworld/day/notes.txt");
    fs::write(&note, "mine").unwrap();
    // Each of the last three has names that the one before it has for other places.
    for scheme in ["xyz", "tms", "xyz", "tms", "signed"] {
        let options = ["-d", "overworld", "--scheme", scheme, "--max-removed", "0"];
        let ran = render(&place.world(), &before.root, &options).expect(0, scheme);
        assert_eq!(counts(&ran), [tiles, 0, 0], "{scheme}: the same tiles under other names");
        let (map, fresh) = (Map::at(&before.root), place.draw(&format!("fresh {scheme}"), &["--scheme", scheme]));
        assert_eq!(fs::read(&note).unwrap(), b"mine", "what is not ours stays");
        let mut files = files_in(&map, "overworld/day/");
        files.remove("overworld/day/notes.txt");
        assert_same_files(scheme, &files_in(&fresh, "overworld/day/"), &files);
        for kept in ["overworld/night/", "the_nether/"] {
            assert_same_files(kept, &files_in(&before, kept), &files_in(&map, kept));
        }
        let facts = map.facts();
        assert_eq!(layer(&facts, "overworld/night")["scheme"], "signed");
        assert_eq!(layer(&facts, "overworld/day")["scheme"], scheme);
        assert_eq!(facts.get("scheme"), (scheme == "signed").then_some(&json!("signed")), "if it is that of all");
        let again = render(&place.world(), &map.root, &options).expect(0, "again");
        assert_eq!(counts(&again), [0, tiles, 0], "{scheme}: nothing is to be done");
    }
    fs::remove_file(note).unwrap();
    assert_same_files("there and back", &place.draw("fresh", &both).files(), &before.files());
}

#[test]
fn tiles_that_go_count_as_removed_under_whatever_name() {
    let place = Place::of(&land::two_dimensions());
    let before = place.draw("map", &[]).files();
    fs::remove_file(place.world().join("region/r.0.0.mca")).unwrap();
    for options in [&["--max-removed", "0"][..], &["--max-removed", "0", "--scheme", "xyz"]] {
        let ran = render(&place.world(), &place.at("map"), options).expect(1, "a region less");
        assert!(ran.err.contains("--max-removed"), "{}", ran.err);
        assert_same_files("refused", &before, &Map::at(&place.at("map")).files());
    }
    let ran = render(&place.world(), &place.at("map"), &["--scheme", "xyz"]).expect(0, "allowed");
    assert_eq!(counts(&ran)[2], 1, "the region's own tile");
    let fresh = place.draw("fresh", &["--scheme", "xyz"]);
    assert_same_files("a region less", &fresh.files(), &Map::at(&place.at("map")).files());
}

/// A run that ends while the one takes the other's place leaves new tiles, and no manifest until `map.json` has followed.
#[test]
fn a_map_whose_tiles_were_being_replaced_is_made_whole_by_the_next_run() {
    let place = Place::of(&land::two_dimensions());
    let facts =
        ["map.json", "map.js"].map(|name| (name, place.draw("earlier", &["--scheme", "xyz"]).files()[name].clone()));
    for scheme in SCHEMES {
        let map = place.draw(&format!("torn {scheme}"), &["--scheme", "tms"]);
        for (name, bytes) in &facts {
            fs::write(map.root.join(name), bytes).unwrap();
        }
        for dimension in ["overworld", "the_nether"] {
            fs::rename(map.root.join(dimension).join("day/tiles.tsv"), map.root.join(".pixelmap/old.tsv")).unwrap();
        }
        // What it had drawn is in a journal that was not closed.
        fs::rename(map.root.join(".pixelmap/state"), map.root.join(".pixelmap/journal")).unwrap();
        render(&place.world(), &map.root, &["--scheme", scheme, "--max-removed", "0"]).expect(0, scheme);
        let fresh = place.draw(&format!("fresh {scheme}"), &["--scheme", scheme]);
        assert_same_files(scheme, &fresh.files(), &map.files());
    }
}

#[test]
fn a_picture_has_no_tiles_to_be_named() {
    let place = Place::of(&land::two_dimensions());
    let ran = render(&place.world(), &place.at("map.png"), &["--scheme", "xyz"]).expect(2, "a picture");
    assert!(ran.err.contains("--scheme"), "{}", ran.err);
}
