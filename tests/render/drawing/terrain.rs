//! Tests layer `terrain`: heights in Terrarium's form, for programs that draw hills.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use crate::map::{
    Map, NATIVE, Place, Rgba, SIDE, Tile, assert_same_files, fixture, on, pixels, program, render,
};
use crate::world::Files;
use serde_json::{Value, json};

const LAYER: [&str; 2] = ["-l", "terrain"];
/// Columns of a dimension for `query`.
const SOME: usize = 97;
/// Worlds of each edition and generation, with all dimensions. `tests/slow/height16.rs` tests the
/// others.
const WORLDS: [&str; 8] = [
    "demo",
    "underground",
    "layout-old",
    "alpha",
    "numeric-bare",
    "numeric-1343",
    "tall-2730",
    "bedrock",
];

/// The height that every reader of the form computes, in 1/256 of a block.
fn height([r, g, b, _]: Rgba) -> i32 {
    (i32::from(r) - 128) * 65_536 + i32::from(g) * 256 + i32::from(b)
}

/// The height of a pixel, or `None` if nothing is drawn there. The pixel is opaque in both cases.
fn known(pixel: Rgba) -> Option<i32> {
    assert_eq!(pixel[3], 255, "a transparent pixel is a pit");
    pixel[2].is_multiple_of(2).then(|| height(pixel))
}

fn tiles(map: &Map, dimension: &str) -> BTreeMap<Tile, Vec<Rgba>> {
    map.tiles_of(dimension, "terrain")
        .into_iter()
        .map(|(tile, path)| (tile, pixels(&path)))
        .collect()
}

/// The heights that `query` returns without `--top`.
fn answers(world: &std::path::Path, dimension: &str, columns: &[(i32, i32)]) -> Vec<Option<i32>> {
    let mut query = program();
    query
        .arg("query")
        .arg(world)
        .args(["--json", "-d", dimension])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());

    let mut query = query.stderr(Stdio::null()).spawn().unwrap();
    let lines = columns
        .iter()
        .map(|(x, z)| format!("{x} {z}\n"))
        .collect::<Vec<_>>()
        .concat();

    query
        .stdin
        .take()
        .unwrap()
        .write_all(lines.as_bytes())
        .unwrap();
    let output = String::from_utf8(query.wait_with_output().unwrap().stdout).unwrap();

    let answer = |line: &str| {
        serde_json::from_str::<Value>(line).unwrap()["y"]
            .as_i64()
            .map(|y| y as i32)
    };

    output.lines().map(answer).collect()
}

#[test]
fn heights_equal_the_answers_of_query() {
    let mut compared = 0;
    for world in WORLDS.map(fixture) {
        let place = Place::empty();
        let map = Map::at(&place.at("map"));
        render(&world, &map.root, &[&LAYER[..], &["-d", "all"]].concat()).expect(0, "drawn");

        for dimension in map.facts()["dimensions"].as_array().unwrap() {
            let [id, path] = ["id", "path"].map(|key| dimension[key].as_str().unwrap());
            let native: Vec<_> = tiles(&map, path)
                .into_iter()
                .filter(|((zoom, ..), _)| *zoom == NATIVE)
                .collect();

            let side = SIDE as i32;
            let columns = native.iter().flat_map(|((_, x, y), pixels)| {
                let column =
                    move |at: usize| (x * side + at as i32 % side, y * side + at as i32 / side);
                pixels
                    .iter()
                    .enumerate()
                    .map(move |(at, pixel)| (column(at), known(*pixel)))
            });
            let (there, holes): (Vec<_>, Vec<_>) =
                columns.partition(|(_, height)| height.is_some());

            let few = |all: Vec<_>| {
                let step = 1 + all.len() / SOME;
                all.into_iter().step_by(step).collect::<Vec<_>>()
            };

            let (columns, heights): (Vec<_>, Vec<_>) =
                [few(there), few(holes)].concat().into_iter().unzip();
            let answers = answers(&world, id, &columns);
            for ((column, height), y) in columns.iter().zip(heights).zip(answers) {
                assert_eq!(
                    height,
                    y.map(|y| y * 256),
                    "{} {id} at {column:?}",
                    world.display()
                );
                compared += 1;
            }
        }
    }

    assert!(compared > 1_000, "{compared}");
}

/// A world of several zoom levels that lacks some chunks.
fn wide() -> Place {
    Place::of(&crate::map::land::two_dimensions())
}

/// The heights of the four pixels under a pixel of an outer tile that are known.
fn below(tiles: &BTreeMap<Tile, Vec<Rgba>>, (zoom, x, y): Tile, at: usize) -> Vec<i32> {
    let side = SIDE as i32;
    let (left, top) = (
        (x * side + (at % SIDE) as i32) * 2,
        (y * side + (at / SIDE) as i32) * 2,
    );
    let places = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(dx, dy)| (left + dx, top + dy));
    let pixel = |(x, y): (i32, i32)| {
        let tile = tiles.get(&(zoom + 1, x.div_euclid(side), y.div_euclid(side)))?;
        known(tile[(y.rem_euclid(side) * side + x.rem_euclid(side)) as usize])
    };
    places.into_iter().filter_map(pixel).collect()
}

#[test]
fn outer_heights_are_means_that_ignore_holes() {
    let tiles = tiles(&wide().draw("map", &LAYER), "overworld");
    let levels: Vec<u8> = tiles.keys().map(|(zoom, ..)| *zoom).collect();
    assert!(levels.iter().any(|zoom| *zoom < NATIVE - 1), "{levels:?}");

    let (mut means, mut holes) = (0, 0);
    for (tile, pixels) in &tiles {
        let there = || pixels.iter().filter_map(|pixel| known(*pixel));

        let (low, high) = (there().min().unwrap(), there().max().unwrap());
        for (at, &pixel) in pixels.iter().enumerate() {
            if known(pixel).is_none() {
                // The last bit of blue marks a pixel without content.
                assert!(
                    (low..=high + 1).contains(&height(pixel)),
                    "{tile:?}: a pit at {at}"
                );
                holes += 1;
            }

            if tile.0 == NATIVE {
                continue;
            }

            let below = below(&tiles, *tile, at);
            let mean = below.iter().sum::<i32>() as f64 / below.len() as f64 / 2.;
            let expected = (!below.is_empty()).then(|| (mean + 0.5).floor() as i32 * 2);
            assert_eq!(known(pixel), expected, "{tile:?}, pixel {at}: {below:?}");
            means += usize::from(below.iter().any(|height| *height != below[0]));
        }
    }

    assert!(means > 100 && holes > 100, "{means} {holes}");
}

#[test]
fn only_maps_with_heights_have_the_hills_page() {
    let place = Place::of(&Files::read_under(&fixture("root-3955")));
    let map = place.draw("map", &["-l", "day"]);
    let has_page = || map.root.join("terrain.html").exists();
    assert!(!has_page());

    for (options, is_there) in [
        (&["-l", "terrain"][..], true),
        (&["-l", "day"], true),
        (
            &[
                "-l",
                "terrain",
                "--hide",
                "-9999,-9999,9999,9999",
                "--max-removed",
                "100%",
            ],
            false,
        ),
    ] {
        render(&place.world(), &map.root, options).expect(0, "drawn");
        assert_eq!(has_page(), is_there, "{options:?}");
        let is_of_page =
            |path: &String| path.starts_with("terrain") || path.starts_with("maplibre");
        assert_eq!(map.files().keys().any(is_of_page), is_there, "{options:?}");
    }
}

#[test]
fn the_facts_and_tilejson_name_the_form() {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    let map = place.draw(
        "map",
        &[
            "-l", "day", "-l", "terrain", "--scheme", "xyz", "--format", "webp",
        ],
    );

    let facts = map.facts();
    let layers = facts["dimensions"][0]["layers"].as_array().unwrap();
    let [day, terrain] = &layers[..] else {
        panic!("{layers:?}")
    };

    assert_eq!(
        (&terrain["id"], &terrain["encoding"]),
        (&json!("terrain"), &json!("terrarium"))
    );
    assert!(
        day.get("encoding").is_none()
            && terrain.get("numbers").is_none()
            && terrain.get("legend").is_none()
    );

    let tilejson = fs::read(map.root.join("overworld/terrain/tilejson.json")).unwrap();
    let tilejson: Value = serde_json::from_slice(&tilejson).unwrap();
    assert_eq!(
        (&tilejson["encoding"], &tilejson["tiles"]),
        (&json!("terrarium"), &json!(["{z}/{x}/{y}.webp"]))
    );

    // Both formats are lossless.
    assert_eq!(
        tiles(&map, "overworld"),
        tiles(&place.draw("png", &LAYER), "overworld")
    );
    on("verify", &map.root, &[""; 0]).expect(0, "sound");
}

#[test]
fn partial_and_incremental_runs_give_equal_tiles() {
    let place = wide();
    let map = place.draw("map", &[&LAYER[..], &["--hide", "0,0,16,16"]].concat());
    let again = render(
        &place.world(),
        &map.root,
        &[&LAYER[..], &["--hide", "0,0,16,16"]].concat(),
    )
    .report();
    assert_eq!(again["tiles"]["written"], json!(0));

    let hidden = map.columns_of("overworld", "terrain");
    assert!(
        (0..16).all(|x| known(hidden.at(x, 8)).is_none() && known(hidden.at(-1, -1 - x)).is_some())
    );

    // Gaps and hidden places are read back from tiles whose holes are filled.
    render(&place.world(), &map.root, &LAYER).expect(0, "shown again");
    let fresh = place.draw("fresh", &LAYER);
    assert_same_files("shown again", &fresh.files(), &map.files());

    for shard in ["1/2", "2/2"] {
        render(
            &place.world(),
            &place.at("merged"),
            &[&LAYER[..], &["--shard", shard]].concat(),
        )
        .expect(0, shard);
    }

    let merged = place.at("merged");
    crate::map::run(&["merge", "-o", merged.to_str().unwrap()]).expect(0, "merge");
    assert_same_files("merged", &fresh.files(), &Map::at(&merged).files());
}

#[test]
fn heights_are_absent_where_nothing_is_drawn() {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    let map = place.draw("map", &LAYER);
    let columns = map.columns_of("overworld", "terrain");

    let area = ["-a", "-256,-256,256,256"];
    render(
        &place.world(),
        &place.at("one.png"),
        &[&LAYER[..], &area].concat(),
    )
    .expect(0, "a picture");

    let one = image::open(place.at("one.png")).unwrap().into_rgba8();
    assert_eq!(one.dimensions(), (512, 512));

    for (x, y, pixel) in one.enumerate_pixels() {
        let column = known(columns.at(x as i32 - 256, y as i32 - 256));
        assert_eq!(
            column,
            (pixel.0[3] != 0).then(|| height(pixel.0)),
            "{x} {y}"
        );
    }

    // With a width that no zoom level has, the heights are still between the lowest and the
    // highest.
    let out = place.at("some.png");
    on(
        "export",
        &map.root,
        &[&["-o", out.to_str().unwrap(), "--width", "100"], &area[..]].concat(),
    )
    .expect(0, "means");

    let heights: Vec<i32> = one
        .pixels()
        .filter(|pixel| pixel.0[3] != 0)
        .map(|pixel| height(pixel.0))
        .collect();

    let (low, high) = (heights.iter().min().unwrap(), heights.iter().max().unwrap());
    for pixel in image::open(out).unwrap().into_rgba8().pixels() {
        assert!(
            pixel.0[3] == 0 || (*low..=*high).contains(&height(pixel.0)),
            "{pixel:?}"
        );
        assert!([0, 255].contains(&pixel.0[3]), "{pixel:?}");
    }
}
