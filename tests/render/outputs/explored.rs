//! Tests maps of explored places: they show the pixels of the map mod's pictures and nothing else.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::map::{
    CLEAR, Map, NATIVE, Place, Ran, Rgba, SIDE, assert_same_files, land, on, pixels, program,
};
use serde_json::{Value, json};

const RED: Rgba = [255, 0, 0, 255];
const BLUE: Rgba = [0, 0, 255, 255];

/// Makes a map from the folders of players and prints the report.
fn import(folders: &[&Path], out: &Path, options: &[&str]) -> Ran {
    let mut command = program();
    command
        .args(["render", "--from", "journeymap"])
        .args(folders)
        .arg("-o")
        .arg(out);

    Ran::of(
        command
            .args(options)
            .args(["--report", "-"])
            .output()
            .unwrap(),
    )
}

/// Writes a picture that was saved this many seconds after the start of 2024.
fn put(folder: &Path, path: &str, pixel: impl Fn(usize) -> Rgba, seconds: u64) -> PathBuf {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();

    let pixels: Vec<Rgba> = (0..SIDE * SIDE).map(pixel).collect();
    let side = SIDE as u32;

    image::save_buffer(
        &path,
        pixels.as_flattened(),
        side,
        side,
        image::ExtendedColorType::Rgba8,
    )
    .unwrap();

    save_at(&path, seconds);
    path
}

fn save_at(path: &Path, seconds: u64) {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_704_067_200 + seconds);
    fs::File::options()
        .write(true)
        .open(path)
        .unwrap()
        .set_modified(time)
        .unwrap();
}

fn left(at: usize) -> bool {
    at % SIDE < SIDE / 2
}

fn tiles(map: &Map, dimension: &str, layer: &str) -> BTreeMap<String, Vec<u8>> {
    let tiles = map.tiles_of(dimension, layer).into_iter();
    tiles
        .map(|(tile, path)| (format!("{tile:?}"), fs::read(path).unwrap()))
        .collect()
}

#[test]
fn an_exported_map_imports_with_equal_tiles() {
    let place = Place::of(&land::two_dimensions());
    let drawn = place.draw("map", &["-l", "day", "-l", "height"]);
    let player = place.at("player");
    on(
        "export",
        &drawn.root,
        &["-o", player.to_str().unwrap(), "--for", "journeymap"],
    )
    .expect(0, "out");

    for threads in ["1", "3"] {
        let out = place.at(&format!("in-{threads}"));
        let report = import(&[&player], &out, &["-t", threads])
            .expect(0, "in")
            .report();
        assert_eq!(report["outcome"], "complete");

        let map = Map::at(&out);
        for dimension in ["overworld", "the_nether"] {
            for (layer, imported) in [("day", "day"), ("height", "topo")] {
                let (expected, there) = (
                    tiles(&drawn, dimension, layer),
                    tiles(&map, dimension, imported),
                );
                assert!(expected.len() > 1);
                assert_same_files(&format!("{dimension}/{layer}"), &expected, &there);
            }
        }

        on::<&str>("verify", &out, &[]).expect(0, "whole");
    }

    let [one, three] = ["in-1", "in-3"].map(|name| Map::at(&place.at(name)).files());
    assert_same_files("threads", &one, &three);
    let out = place.at("again");
    on(
        "export",
        &place.at("in-1"),
        &["-o", out.to_str().unwrap(), "--for", "journeymap"],
    )
    .expect(0, "out again");

    let read =
        |folder: &Path| -> BTreeMap<String, Vec<u8>> { crate::world::Files::read_under(folder).0 };
    assert_same_files("out again", &read(&player), &read(&out));
}

#[test]
fn the_newest_picture_is_on_top() {
    let place = Place::empty();
    let (anna, ben) = (place.at("anna"), place.at("ben"));
    put(
        &anna,
        "DIM0/day/0,0.png",
        |at| if left(at) { RED } else { CLEAR },
        20,
    );
    put(
        &ben,
        "overworld/day/0,0.png",
        |at| if at < SIDE * 16 { CLEAR } else { BLUE },
        10,
    );
    put(&ben, "overworld/day/1,0.png", |_| BLUE, 10);
    let out = place.at("map");
    let folders = [&*anna, &*ben];
    let report = import(&folders, &out, &[])
        .expect(0, "two players")
        .report();
    assert_eq!(
        [&report["regions"]["drawn"], &report["tiles"]["written"]],
        [2, 2]
    );
    let map = Map::at(&out);
    let native = |map: &Map, x| map.tiles("overworld")[&(NATIVE, x, 0)].clone();
    let both = pixels(&native(&map, 0));
    let expected = |at| {
        if left(at) {
            RED
        } else if at < SIDE * 16 {
            CLEAR
        } else {
            BLUE
        }
    };
    assert!(
        both.into_iter()
            .enumerate()
            .all(|(at, pixel)| pixel == expected(at))
    );

    // Another run draws the changes: Ben visits places that Anna has seen.
    let again = import(&folders, &out, &[]).expect(0, "again").report();
    assert_eq!(
        [&again["regions"]["unchanged"], &again["tiles"]["written"]],
        [2, 0]
    );
    put(&ben, "overworld/day/0,0.png", |_| BLUE, 30);
    let changed = import(&folders, &out, &[]).expect(0, "changed").report();
    assert_eq!(
        [
            &changed["regions"]["drawn"],
            &changed["regions"]["unchanged"]
        ],
        [1, 1]
    );
    assert!(
        pixels(&native(&map, 0))
            .into_iter()
            .all(|pixel| pixel == BLUE)
    );

    // If a picture vanishes, so does its tile, provided that the user allows removals.
    fs::remove_file(ben.join("overworld/day/1,0.png")).unwrap();
    fs::remove_file(ben.join("overworld/day/0,0.png")).unwrap();
    let tiles = map.tiles("overworld").len();
    import(&folders[..1], &out, &["--max-removed", "0"]).expect(1, "too many removed");
    assert_eq!(map.tiles("overworld").len(), tiles);
    let gone = import(&folders[..1], &out, &[])
        .expect(0, "removed")
        .report();
    assert_eq!(gone["tiles"]["removed"], 1);
    let fresh = place.at("fresh");
    import(&folders[..1], &fresh, &[]).expect(0, "a new map");
    assert_same_files("as a new map", &Map::at(&fresh).files(), &map.files());
}

#[test]
fn a_damaged_picture_costs_only_itself() {
    let place = Place::empty();
    let player = place.at("player");
    let damaged = put(&player, "overworld/day/0,0.png", |_| RED, 0);
    put(&player, "overworld/day/5,0.png", |_| BLUE, 0);
    let out = place.at("map");
    import(&[&player], &out, &[]).expect(0, "whole");

    for bytes in [b"no picture".to_vec(), {
        let mut cut = fs::read(&damaged).unwrap();
        cut.truncate(cut.len() / 2);
        cut
    }] {
        fs::write(&damaged, bytes).unwrap();
        let run = import(&[&player], &out, &[]).expect(3, "damaged");
        let report = run.report();
        let bad = &report["bad_chunks"][0];
        assert_eq!(
            [&bad["dimension"], &bad["region"], &bad["reason"]],
            ["overworld", "0,0.png", "content"]
        );

        assert_eq!(
            report["regions"],
            json!({"total": 2, "drawn": 0, "unchanged": 1, "failed": 1, "hidden": 0})
        );
        assert!(
            pixels(&Map::at(&out).tiles("overworld")[&(NATIVE, 0, 0)])
                .into_iter()
                .all(|pixel| pixel == RED)
        );

        // The report names the picture until it is repaired.
        import(&[&player], &out, &["--allow-gaps", "1"]).expect(0, "allowed");
    }

    import(&[&player], &place.at("new"), &[]).expect(3, "a new map");
    assert_eq!(
        Map::at(&place.at("new"))
            .tiles("overworld")
            .keys()
            .filter(|tile| tile.0 == NATIVE)
            .count(),
        1
    );

    put(&player, "overworld/day/0,0.png", |_| BLUE, 0);
    import(&[&player], &out, &[]).expect(0, "repaired");
    assert!(
        pixels(&Map::at(&out).tiles("overworld")[&(NATIVE, 0, 0)])
            .into_iter()
            .all(|pixel| pixel == BLUE)
    );
}

#[test]
fn pictures_become_layers_and_waypoints_markers() {
    let place = Place::empty();
    let player = place.at("146~56~112~60");
    put(&player, "DIM-1/-1/0,0.png", |_| RED, 0);
    put(&player, "DIM-1/4/0,0.png", |_| RED, 0);
    put(&player, "DIM7/topo/-2,3.png", |_| BLUE, 0);
    put(&player, "DIM7/cache/0,0.png", |_| BLUE, 0);
    put(&player, "a b/day/0,0.png", |_| BLUE, 0);
    let waypoint = |name: &str, x: i32, dimensions: Value| json!({"name": name, "x": x, "y": 30, "z": 8, "r": 1, "g": 2, "b": 255, "type": "Normal", "dimensions": dimensions});
    fs::create_dir_all(player.join("waypoints")).unwrap();
    fs::write(
        player.join("waypoints/hub.json"),
        waypoint("hub", 80, json!([-1, 7, 0])).to_string(),
    )
    .unwrap();
    fs::write(player.join("waypoints/bad.json"), "{").unwrap();
    let out = place.at("map");
    let run = import(&[&player], &out, &[]).expect(0, "all kinds");
    let warnings = run.report()["warnings"].to_string();
    assert!(
        warnings.contains("a b: the game allows only") && warnings.contains("bad.json"),
        "{warnings}"
    );
    let facts = Map::at(&out).facts();
    assert_eq!(facts["name"], "146~56~112~60");
    let shown: Vec<(String, Value)> = facts["dimensions"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|dimension| {
            let layers = dimension["layers"].as_array().unwrap().iter();
            layers
                .map(|layer| {
                    (
                        layer["path"].as_str().unwrap().to_owned(),
                        layer["heights"].clone(),
                    )
                })
                .collect::<Vec<_>>()
        })
        .collect();
    let slice = |name: &str, heights: Value| (format!("the_nether/{name}"), heights);
    let mut expected = vec![
        ("DIM7/topo".to_owned(), Value::Null),
        slice("slice-1", json!([-16, -1])),
        slice("slice4", json!([64, 79])),
    ];
    expected.sort_by_key(|(path, _)| !path.starts_with("the_nether"));
    assert_eq!(shown, expected);
    let marker = |path: &str| -> Value {
        serde_json::from_slice(&fs::read(out.join(path)).unwrap()).unwrap()
    };
    let hub = &marker("the_nether/markers/waypoints.geojson")["features"][0];
    assert_eq!(hub["geometry"]["coordinates"], json!([10, 1]));
    assert_eq!(
        [&hub["properties"]["name"], &hub["properties"]["color"]],
        ["hub", "#0102ff"]
    );
    assert_eq!(
        marker("DIM7/markers/waypoints.geojson")["features"][0]["geometry"]["coordinates"],
        json!([80, 8])
    );

    import(&[&player], &out, &["--marker-kinds", "none"]).expect(0, "without waypoints");
    assert!(!out.join("the_nether/markers/waypoints.geojson").exists());
    let other = place.at("nether");
    import(&[&player], &other, &["-d", "nether"]).expect(0, "one dimension");
    assert!(!other.join("DIM7").exists() && other.join("the_nether").exists());
    import(&[&player], &place.at("end"), &["-d", "end"]).expect(1, "no such dimension");
}

#[test]
fn each_return_of_a_player_is_a_moment() {
    let place = Place::empty();
    let player = place.at("player");
    put(&player, "overworld/day/0,0.png", |_| RED, 0);
    let out = place.at("map");
    import(&[&player], &out, &["--history"]).expect(0, "first");
    put(&player, "overworld/day/0,0.png", |_| BLUE, 3600);
    import(&[&player], &out, &[]).expect(0, "second");

    let history: Value =
        serde_json::from_str(&on("history", &out, &["--json"]).expect(0, "history").out).unwrap();
    let times: Vec<&str> = history["moments"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|at| at["time"].as_str())
        .collect();
    assert_eq!(times, ["2024-01-01T00:00:00Z", "2024-01-01T01:00:00Z"]);

    let then = format!("{}@-1", out.display());
    let folder = place.at("then");
    on(
        "export",
        Path::new(&then),
        &["-o", folder.to_str().unwrap(), "-l", "day"],
    )
    .expect(0, "as it was");

    assert!(
        pixels(&folder.join("r.0.0.png"))
            .into_iter()
            .all(|pixel| pixel == RED)
    );
}

#[test]
fn options_that_need_blocks_are_refused() {
    let place = Place::of(&land::two_dimensions());
    let player = place.at("journeymap/data/mp/server");
    put(&player, "overworld/day/0,0.png", |_| RED, 0);

    let out = place.at("map");
    for options in [
        &["--details"][..],
        &["-l", "day"],
        &["--hide", "0,0,16,16"],
        &["--signs", "."],
        &["--marker-kinds", "beds"],
        &["--shard", "1/2"],
        &["--mode", "regions"],
        &["--zoom-in", "1"],
    ] {
        import(&[&player], &out, options).expect(2, &format!("{options:?}"));
    }

    import(&[&player], &place.at("map.png"), &[]).expect(2, "a picture");
    let around = import(&[&place.at("journeymap")], &out, &[]).expect(1, "a folder around it");
    assert!(
        around.err.contains("name ") && around.err.contains("server"),
        "{}",
        around.err
    );

    let world = import(&[&place.world()], &out, &[]).expect(1, "a world");
    assert!(
        world
            .err
            .contains("does not contain pictures of JourneyMap"),
        "{}",
        world.err
    );

    import(&[&player, &place.at("absent")], &out, &[]).expect(1, "one is absent");
    import(&[&player], &player.join("overworld/map"), &[]).expect(2, "in the folder");
    assert!(!out.exists());

    let hint = on("render", &player, &["-o", out.to_str().unwrap()]).expect(1, "without --from");
    assert!(
        hint.err.contains("render --from journeymap"),
        "{}",
        hint.err
    );

    let drawn = on("render", &place.world(), &["second"]).expect(2, "two worlds");
    assert!(drawn.err.contains("one name too many"), "{}", drawn.err);
}
