//! Tests exports into the folder of a player's JourneyMap: unexplored places get the pixels of the
//! map, and no data of the player is lost.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::map::{CLEAR, Map, NATIVE, Place, Ran, Rgba, SIDE, land, on, pixels};
use crate::world::Files;
use serde::Deserialize;
use serde_json::{Value, json};

const LAYERS: [(&str, &str); 4] = [
    ("day", "day"),
    ("night", "night"),
    ("height", "topo"),
    ("biome", "biome"),
];

/// `WaypointData.dat`.
#[derive(Deserialize)]
struct Dat {
    waypoints: BTreeMap<String, fastnbt::Value>,
}

fn export(place: &Place, options: &[&str], code: i32) -> Ran {
    let out = place.at("player");
    let all = [
        &["-o", out.to_str().unwrap(), "--for", "journeymap"],
        options,
    ]
    .concat();
    on("export", &place.at("map"), &all).expect(code, &format!("{options:?}"))
}

/// A map of two dimensions with all layers that the mod has, and a layer that it does not have.
fn drawn() -> (Place, Map) {
    let place = Place::of(&land::two_dimensions());
    let layers: Vec<&str> = LAYERS
        .iter()
        .flat_map(|(layer, _)| ["-l", layer])
        .chain(["-l", "slime"])
        .collect();
    let map = place.draw("map", &layers);
    (place, map)
}

fn age(path: &Path, time: SystemTime) {
    fs::File::options()
        .write(true)
        .open(path)
        .unwrap()
        .set_modified(time)
        .unwrap();
}

fn put(path: &Path, pixels: &[Rgba]) {
    let side = SIDE as u32;
    image::save_buffer(
        path,
        pixels.as_flattened(),
        side,
        side,
        image::ExtendedColorType::Rgba8,
    )
    .unwrap();
}

#[test]
fn each_native_tile_becomes_one_picture() {
    let (place, map) = drawn();
    export(&place, &[], 0);

    let mut expected = BTreeMap::new();
    for dimension in ["overworld", "the_nether"] {
        for (layer, kind) in LAYERS {
            for ((_, x, z), path) in map
                .tiles_of(dimension, layer)
                .into_iter()
                .filter(|(tile, _)| tile.0 == NATIVE)
            {
                expected.insert(format!("{dimension}/{kind}/{x},{z}.png"), pixels(&path));
            }
        }
    }

    let files = Files::read_under(&place.at("player")).0;
    assert_eq!(
        files.keys().collect::<Vec<_>>(),
        expected.keys().collect::<Vec<_>>()
    );

    for (path, bytes) in &files {
        assert_eq!(bytes[24..26], [8, 6], "{path}: eight bits of RGBA");
        assert!(
            pixels(&place.at("player").join(path)) == expected[path],
            "{path}"
        );
    }

    fs::remove_dir_all(place.at("player")).unwrap();
    export(&place, &["--old-names", "-d", "nether", "-l", "night"], 0);

    let names: Vec<String> = Files::read_under(&place.at("player"))
        .0
        .into_keys()
        .collect();
    assert!(
        !names.is_empty() && names.iter().all(|name| name.starts_with("DIM-1/night/")),
        "{names:?}"
    );
}

#[test]
fn player_pictures_stay_and_changes_are_written() {
    let (place, map) = drawn();
    let day = ["-l", "day", "-d", "overworld"];
    export(&place, &day, 0);
    let again = export(&place, &day, 0);
    assert!(
        again.err.starts_with("0 pictures written, "),
        "{}",
        again.err
    );

    let ((_, x, z), tile) = map
        .tiles("overworld")
        .into_iter()
        .find(|(tile, _)| tile.0 == NATIVE)
        .unwrap();
    let theirs = place.at(&format!("player/overworld/day/{x},{z}.png"));
    let ours = pixels(&tile);
    let red = vec![[255, 0, 0, 255]; SIDE * SIDE];
    put(&theirs, &red);
    age(&theirs, SystemTime::now() + Duration::from_mins(1));
    let kept = export(&place, &day, 0);
    assert!(
        kept.err.contains("1 newer than the map and kept"),
        "{}",
        kept.err
    );
    assert!(pixels(&theirs) == red);
    export(&place, &[&day[..], &["--force"]].concat(), 0);
    assert!(pixels(&theirs) == ours);
    put(&theirs, &red);
    age(
        &theirs,
        SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000),
    );
    let written = export(&place, &day, 0);
    assert!(
        written.err.starts_with("1 picture written, "),
        "{}",
        written.err
    );
    assert!(
        pixels(&theirs) == ours,
        "one that is older than the tile is replaced"
    );
}

#[test]
fn merging_fills_only_unexplored_places() {
    let (place, map) = drawn();
    let ((_, x, z), tile) = map
        .tiles("overworld")
        .into_iter()
        .find(|(tile, _)| tile.0 == NATIVE)
        .unwrap();
    let ours = pixels(&tile);

    let theirs = place.at(&format!("player/overworld/day/{x},{z}.png"));
    fs::create_dir_all(theirs.parent().unwrap()).unwrap();
    let drawn = ours.iter().position(|pixel| *pixel != CLEAR).unwrap();
    let explored = |at: usize| at / SIDE <= drawn / SIDE;

    let red = |at: usize| {
        if explored(at) {
            [255, 0, 0, 255]
        } else {
            CLEAR
        }
    };

    put(&theirs, &(0..SIDE * SIDE).map(red).collect::<Vec<_>>());

    for time in [Duration::ZERO, Duration::from_hours(1)] {
        age(&theirs, SystemTime::now() - time);
        export(&place, &["--merge"], 0);
        let merged = pixels(&theirs);
        let expected = (0..SIDE * SIDE).map(|at| if explored(at) { red(at) } else { ours[at] });
        assert!(merged.into_iter().eq(expected), "changed {time:?} ago");
    }

    let again = export(&place, &["--merge"], 0);
    assert!(
        again.err.starts_with("0 pictures written, "),
        "{}",
        again.err
    );

    fs::write(&theirs, "no picture").unwrap();
    let unreadable = export(&place, &["--merge"], 0);
    assert!(
        unreadable.err.contains("1 not readable and kept"),
        "{}",
        unreadable.err
    );
    assert_eq!(fs::read(&theirs).unwrap(), b"no picture");
}

#[test]
fn markers_become_waypoints_of_both_forms() {
    let place = Place::of(&land::two_dimensions());
    let feature = |name: &str, dimension: &str| {
        json!({"type": "Feature", "geometry": {"type": "Point", "coordinates": [10, -20]},
            "properties": {"name": name, "dimension": dimension, "color": "#0f8", "y": 70}})
    };
    let line = json!({"type": "Feature", "geometry": {"type": "LineString", "coordinates": [[0, 0], [1, 1]]},
        "properties": {"name": "road"}});
    let own = json!({"type": "FeatureCollection", "features": [feature("a/b", "overworld"), feature("hub", "the_nether"), line]});
    fs::write(place.at("own.geojson"), own.to_string()).unwrap();
    place.draw(
        "map",
        &["--markers", place.at("own.geojson").to_str().unwrap()],
    );

    export(&place, &["--waypoints", "json"], 0);
    let read = |name: &str| -> Value {
        serde_json::from_slice(&fs::read(place.at("player/waypoints").join(name)).unwrap()).unwrap()
    };
    let shop = read("a_b_10,70,-20.json");
    assert_eq!(shop["id"], "a/b_10,70,-20");
    assert_eq!([&shop["x"], &shop["y"], &shop["z"]], [10, 70, -20]);
    assert_eq!([&shop["r"], &shop["g"], &shop["b"]], [0, 255, 136]);
    assert_eq!(shop["dimensions"], json!(["minecraft:overworld"]));
    let hub = read("hub_80,70,-160.json");
    assert_eq!(
        (&hub["x"], &hub["dimensions"]),
        (&json!(80), &json!(["minecraft:the_nether"]))
    );
    // Pictures that the player has changed are kept.
    let changed = place.at("player/waypoints/hub_80,70,-160.json");
    fs::write(&changed, "{}").unwrap();
    let again = export(&place, &["--waypoints", "json"], 0);
    assert!(again.err.contains("0 waypoints added"), "{}", again.err);
    assert_eq!(fs::read(&changed).unwrap(), b"{}");

    fs::remove_dir_all(place.at("player")).unwrap();
    export(&place, &["--old-names", "--waypoints", "json"], 0);
    assert_eq!(read("hub_80,70,-160.json")["dimensions"], json!([-1]));

    export(&place, &["--waypoints", "dat"], 0);
    let path = place.at("player/waypoints/WaypointData.dat");
    let dat: Dat = fastnbt::from_bytes(&fs::read(&path).unwrap()).unwrap();
    let hub = serde_json::to_value(&dat.waypoints["hub_80,70,-160"]).unwrap();
    assert_eq!(
        hub["pos"],
        json!({"x": 80, "y": 70, "z": -160, "dimension": "minecraft:the_nether"})
    );
    assert_eq!(hub["color"], json!(0xff00_ff88_u32 as i32));
    fs::write(&path, "the player's").unwrap();
    export(&place, &["--waypoints", "dat"], 0);
    assert_eq!(fs::read(&path).unwrap(), b"the player's");
}

#[test]
fn layers_unknown_to_the_mod_are_refused() {
    let place = Place::of(&land::two_dimensions());
    place.draw("map", &["-l", "slime", "-l", "day", "--history"]);
    assert!(export(&place, &["-l", "slime"], 1).err.contains("it shows"));
    export(&place, &["-a", "0,0,10,10"], 2);
    export(&place, &["--merge", "--force"], 2);

    let out = place.at("player.png");
    on(
        "export",
        &place.at("map"),
        &["-o", out.to_str().unwrap(), "--for", "journeymap"],
    )
    .expect(2, "a picture");

    on(
        "export",
        &place.at("map"),
        &[
            "-o",
            place.at("map/overworld").to_str().unwrap(),
            "--for",
            "journeymap",
        ],
    )
    .expect(2, "in the map");

    assert!(!place.at("player").exists());
}
