//! Tests the names of tiles, and that tiles with an earlier name are removed.
#![allow(
    clippy::disallowed_methods,
    reason = "what a test puts into a map's folder is no output of the program"
)]

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};

use crate::map::{Map, Place, Ran, assert_same_files, land, render};

const SCHEMES: [&str; 3] = ["signed", "xyz", "tms"];

/// The path of a tile by the definition of each scheme.
pub(crate) fn path_of(scheme: &str, (zoom, x, y): (u8, i32, i32)) -> String {
    let whole = 1 << zoom;
    let (east, south) = (x + whole / 2, y + whole / 2);
    match scheme {
        "signed" => format!("{zoom}/{x}/{y}"),
        "xyz" => format!("{zoom}/{east}/{south}"),
        _ => format!("{zoom}/{east}/{}", whole - 1 - south),
    }
}

fn layer<'a>(facts: &'a Value, path: &str) -> &'a Value {
    let layers = facts["dimensions"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|of| of["layers"].as_array().unwrap());
    layers.clone().find(|layer| layer["path"] == path).unwrap()
}

/// The files in a layer's folder.
fn files_in(map: &Map, folder: &str) -> BTreeMap<String, Vec<u8>> {
    map.files()
        .into_iter()
        .filter(|(path, _)| path.starts_with(folder))
        .collect()
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
                assert!(
                    fs::read(&path).unwrap() == fs::read(&same).unwrap(),
                    "{scheme}: {}",
                    same.display()
                );
            }

            assert_eq!(map.tiles(dimension).len(), signed.tiles(dimension).len());
            let lines = map.manifest(dimension);

            let numbers = |line: &Vec<String>| {
                [0, 1, 2].map(|field: usize| line[field].parse::<i32>().unwrap())
            };

            assert!(lines.is_sorted_by_key(numbers), "{scheme}: numeric order");

            let named: Vec<_> = lines.iter().map(|line| line[..3].join("/")).collect();
            let mut wanted: Vec<_> = map
                .tiles(dimension)
                .into_keys()
                .map(|tile| path_of(scheme, tile))
                .collect();

            wanted.sort_by_key(|path| {
                path.split('/')
                    .map(|n| n.parse::<i32>().unwrap())
                    .collect::<Vec<_>>()
            });
            assert_eq!(named, wanted, "{scheme}");
        }

        let (facts, as_signed) = (map.facts(), signed.facts());
        assert_eq!(facts["scheme"], **scheme);

        let (mut one, other) = (
            layer(&facts, "overworld/day").clone(),
            layer(&as_signed, "overworld/day"),
        );
        assert_eq!(
            (&one["scheme"], &other["scheme"]),
            (&json!(scheme), &json!("signed"))
        );
        one["scheme"] = json!("signed");
        assert_eq!(one, *other, "all else is as it was");
    }
}

#[test]
fn tiles_of_removed_regions_count_once() {
    let place = Place::of(&land::two_dimensions());
    let options = ["--scheme", "xyz"];
    let before = place.draw("map", &options).files();
    fs::remove_file(place.world().join("region/r.0.0.mca")).unwrap();

    let ran = render(&place.world(), &place.at("map"), &["--max-removed", "0"])
        .expect(1, "a region less");
    assert!(ran.err.contains("--max-removed"), "{}", ran.err);
    assert_same_files("refused", &before, &Map::at(&place.at("map")).files());
    let ran = render(&place.world(), &place.at("map"), &[]).expect(0, "allowed");
    assert_eq!(counts(&ran)[2], 1, "the region's own tile");

    let fresh = place.draw("fresh", &options);
    assert_same_files(
        "a region less",
        &fresh.files(),
        &Map::at(&place.at("map")).files(),
    );
}

/// Returns the tiles that a reader of TileJSON finds. It requests every tile within the bounds with
/// 0 <= x, y < 2^z, as all readers do, and keeps the existing ones.
fn read_by_tilejson(path: &std::path::Path) -> Vec<(i32, i32, i32, Vec<u8>)> {
    let facts: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let number = |name: &str| facts[name].as_i64().unwrap() as i32;
    let [west, south, east, north] =
        [0, 1, 2, 3].map(|side: usize| facts["bounds"][side].as_f64().unwrap());
    let across = |longitude: f64| (longitude + 180.0) / 360.0;
    let down = |latitude: f64| 0.5 - latitude.to_radians().tan().asinh() / std::f64::consts::TAU;

    let mut found = Vec::new();
    for z in number("minzoom")..=number("maxzoom") {
        let whole = f64::from(1 << z);
        let tiles =
            |from: f64, to: f64| ((from * whole).floor() as i32, (to * whole).ceil() as i32);
        let ((x0, x1), (y0, y1)) = (
            tiles(across(west), across(east)),
            tiles(down(north), down(south)),
        );
        assert!(
            0 <= x0 && x1 <= 1 << z && 0 <= y0 && y1 <= 1 << z,
            "zoom {z}"
        );

        for (x, y) in (x0..x1).flat_map(|x| (y0..y1).map(move |y| (x, y))) {
            let row = if facts["scheme"] == "tms" {
                (1 << z) - 1 - y
            } else {
                y
            };

            let template = facts["tiles"][0].as_str().unwrap();
            let name = [("{z}", z), ("{x}", x), ("{y}", row)];
            let tile = name.iter().fold(template.to_owned(), |path, (key, n)| {
                path.replace(key, &n.to_string())
            });
            if let Ok(bytes) = fs::read(path.with_file_name("").join(tile)) {
                found.push((z, x, y, bytes));
            }
        }
    }

    found
}

#[test]
fn tilejson_leads_to_every_tile() {
    let place = Place::of(&land::two_dimensions());
    let signed = place.draw("signed", &[]);
    assert!(
        !signed.root.join("overworld/day/tilejson.json").exists(),
        "TileJSON knows no negative numbers"
    );

    for scheme in &SCHEMES[1..] {
        let map = place.draw(scheme, &["--scheme", scheme]);
        for dimension in ["overworld", "the_nether"] {
            let file = map.root.join(dimension).join("day/tilejson.json");
            let found = read_by_tilejson(&file);
            let wanted = signed
                .tiles(dimension)
                .into_iter()
                .map(|((zoom, x, y), path)| {
                    let half = 1 << (zoom - 1);
                    (i32::from(zoom), x + half, y + half, fs::read(path).unwrap())
                });

            assert!(
                found == wanted.collect::<Vec<_>>(),
                "{scheme}, {dimension}: {} tiles",
                found.len()
            );

            let facts: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
            assert_eq!(
                (&facts["tilejson"], &facts["scheme"]),
                (&json!("3.0.0"), &json!(scheme))
            );
            assert!(facts["name"].as_str().unwrap().contains("day"));

            let [west, south, east, north] =
                [0, 1, 2, 3].map(|side: usize| facts["bounds"][side].as_f64().unwrap());
            let [x, y] = [0, 1].map(|at: usize| facts["center"][at].as_f64().unwrap());
            let is_middle = |at: f64, from: f64, to: f64| (at - from.midpoint(to)).abs() < 1e-6;
            assert!(
                is_middle(x, west, east) && is_middle(y, south, north),
                "{x}, {y} is the center of the bounds"
            );

            let chunks = signed.columns_of(dimension, "day").chunks();
            let last = chunks.into_iter().map(|(x, _)| x + 1).max().unwrap();
            assert!(
                (f64::from(last) / 32.0 / 65_536.0 * 180.0 - east).abs() < 1e-6,
                "{east}"
            );
        }
    }
}

#[test]
fn webp_equals_png_and_numbers_stay_png() {
    let place = Place::of(&land::two_dimensions());
    let layers = [
        "-l",
        "day",
        "-l",
        "slime",
        "-l",
        "night",
        "-l",
        "height16",
        "-d",
        "overworld",
    ];

    let options = |format| [&layers[..], &["--format", format]].concat();
    let (png, webp) = (
        place.draw("png", &options("png")),
        place.draw("webp", &options("webp")),
    );

    let facts = webp.facts();
    for name in ["day", "slime", "night", "height16"] {
        let folder = format!("overworld/{name}");
        let format = if name == "height16" { "png" } else { "webp" };
        assert_eq!(layer(&facts, &folder)["format"], format, "{name}");

        let (tiles, others) = (
            webp.tiles_of("overworld", name),
            png.tiles_of("overworld", name),
        );
        assert!(
            tiles.keys().eq(others.keys())
                && files_in(&webp, &folder).len() == files_in(&png, &folder).len()
        );

        assert!(
            tiles
                .values()
                .all(|path| path.extension().unwrap() == format)
        );

        // The hashes of pixels are the same as with PNG, whether or not the quarters are read back.
        let pixels = |map: &Map| {
            let text = fs::read_to_string(map.root.join(&folder).join("tiles.tsv")).unwrap();
            text.lines()
                .map(|line| line.rsplit('\t').next().unwrap().to_owned())
                .collect::<Vec<_>>()
        };

        assert_eq!(pixels(&webp), pixels(&png), "{name}");

        if format == "webp" {
            for (tile, path) in &tiles {
                assert!(
                    crate::map::pixels(path) == crate::map::pixels(&others[tile]),
                    "{name} {tile:?}"
                );
            }
        }
    }

    let files = webp.files();
    let again = render(&place.world(), &webp.root, &options("webp")).expect(0, "again");
    assert_eq!(counts(&again)[0], 0, "nothing is to be done");

    // One child is missing, so the others are read back from their files.
    fs::remove_file(webp.tiles("overworld").into_values().next_back().unwrap()).unwrap();
    render(&place.world(), &webp.root, &options("webp")).expect(0, "mended");
    assert_same_files("mended", &files, &webp.files());
}
