//! Tests `export --for xaero-waypoints`: the markers of a map become waypoints, and no line of the
//! player is lost.
#![allow(
    clippy::disallowed_methods,
    reason = "test worlds are no output of the program"
)]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::map::{Place, Ran, land, on, program};
use crate::world::Files;

const SERVER: &str = "xaero/minimap/Multiplayer_play.example.org";
const ADDRESS: &str = "play.example.org:25565";

fn feature(name: &str, [x, z]: [i32; 2], properties: &Value) -> Value {
    let mut feature = json!({"type": "Feature", "geometry": {"type": "Point", "coordinates": [x, z]},
        "properties": properties});
    feature["properties"]["name"] = name.into();
    feature
}

/// A map with these markers of the owner.
fn drawn(features: &[Value]) -> Place {
    let place = Place::of(&land::two_dimensions());
    let own = json!({"type": "FeatureCollection", "features": features});
    fs::write(place.at("own.geojson"), own.to_string()).unwrap();
    let own = place.at("own.geojson");
    let options = ["--marker-kinds", "none", "--markers", own.to_str().unwrap()];
    place.draw("map", &options);
    place
}

/// Two shops in the overworld, and a hub in the nether.
fn shops() -> Place {
    let [shop, other, hub, lost] = [
        json!({"dimension": "overworld", "y": 70, "color": "#5f5"}),
        json!({"dimension": "overworld"}),
        json!({"dimension": "the_nether", "y": 80}),
        json!({"dimension": "nowhere"}),
    ];
    drawn(&[
        feature("Shop: 1", [3, 4], &shop),
        feature("Shop 2", [8, 9], &other),
        feature("Hub", [1, 2], &hub),
        feature("Lost", [1, 2], &lost),
    ])
}

fn export(place: &Place, options: &[&str]) -> Ran {
    let out = place.at("xaero/minimap");
    let for_mod = ["--for", "xaero-waypoints", "-o", out.to_str().unwrap()];
    on("export", &place.at("map"), &[&for_mod, options].concat())
}

fn export_ours(place: &Place, options: &[&str]) -> Ran {
    export(place, &[&["--address", ADDRESS], options].concat()).expect(0, "waypoints")
}

fn file(place: &Place, name: &str) -> PathBuf {
    place.at(SERVER).join(name)
}

fn waypoints(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|line| line.starts_with("waypoint:"));
    lines.map(str::to_owned).collect()
}

#[test]
fn markers_become_waypoints_of_their_dimensions() {
    let place = shops();
    let ran = export_ours(&place, &[]);
    assert!(
        ran.err
            .contains("2 files written, 0 unchanged; 3 waypoints"),
        "{}",
        ran.err
    );
    assert_eq!(
        waypoints(&file(&place, "dim%0/mw$default_1.txt")),
        [
            "waypoint:Shop§§ 1:S:3:70:4:10:false:0:pixelmap:false:0:0:false",
            "waypoint:Shop 2:S:8:~:9:14:false:0:pixelmap:false:0:0:false",
        ]
    );
    assert_eq!(
        waypoints(&file(&place, "dim%-1/mw$default_1.txt")),
        ["waypoint:Hub:H:1:80:2:14:false:0:pixelmap:false:0:0:false"]
    );

    let before = Files::read_under(&place.at("xaero"));
    let again = export_ours(&place, &[]);
    assert!(
        again.err.contains("0 files written, 2 unchanged"),
        "{}",
        again.err
    );
    assert!(Files::read_under(&place.at("xaero")) == before);
}

#[test]
fn waypoints_of_the_player_keep_their_bytes() {
    let place = shops();
    let theirs = "#\r\nsets:gui.xaero_default:Mining\r\n\
                  waypoint:Home:H:1:~:3:25:true:1:Mining:true:-90:1:true\r\nwaypoint:cut\r\nseed:7";
    let path = file(&place, "dim%0/mw$7_base.txt");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, theirs).unwrap();

    export_ours(&place, &[]);
    let text = fs::read_to_string(&path).unwrap();
    let start = theirs.replace(
        ":Mining\r\nwaypoint:Home",
        ":Mining:pixelmap\r\nwaypoint:Home",
    );
    assert!(text.starts_with(&format!("{start}\r\n")), "{text}");
    assert!(text.contains("waypoint:Shop 2:S:"), "{text}");

    // The next run removes a shop that the map lacks from our set alone.
    let own = place.at("map/markers/own.geojson");
    let gone = fs::read_to_string(&own)
        .unwrap()
        .replace("Shop 2", "Market");
    fs::write(&own, gone).unwrap();
    export_ours(&place, &[]);
    let second = fs::read_to_string(&path).unwrap();
    assert_eq!(
        second,
        text.replace("waypoint:Shop 2:S:", "waypoint:Market:M:")
    );
}

#[test]
fn the_number_of_a_world_names_its_waypoints() {
    let place = shops();
    export_ours(&place, &["--world-number", "-1234", "-d", "nether"]);
    assert!(file(&place, "dim%-1/mw$-1234_1.txt").exists());
    assert!(!file(&place, "dim%0").exists());
}

#[test]
fn dry_runs_and_running_games_change_no_waypoints() {
    let place = shops();
    let dry = export_ours(&place, &["--dry-run"]);
    assert!(dry.err.contains("would write 2 files with"), "{}", dry.err);
    assert!(!place.at("xaero").exists());

    export_ours(&place, &["-d", "nether"]);
    let before = Files::read_under(&place.at("xaero"));
    let dry = export_ours(&place, &["--dry-run"]);
    assert!(dry.err.contains("would write 1 file with"), "{}", dry.err);

    let lock = File::create(file(&place, ".lock")).unwrap();
    lock.lock().unwrap();
    let held = export(&place, &["--address", ADDRESS]).expect(75, "a running game");
    assert!(held.err.contains(".lock"), "{}", held.err);
    drop(lock);
    fs::remove_file(file(&place, ".lock")).unwrap();
    assert!(Files::read_under(&place.at("xaero")) == before);
}

#[test]
fn wrong_requests_for_waypoints_name_the_remedy() {
    let place = shops();
    for (options, remedy) in [
        (&[][..], "--address"),
        (&["--address", ADDRESS, "-l", "day"], "leave -l out"),
        (&["--address", ADDRESS, "--merge"], "are for journeymap"),
        (&["--world-number", "7"], "--address"),
    ] {
        let ran = export(&place, options).expect(2, remedy);
        assert!(ran.err.contains(remedy), "{}", ran.err);
    }
    let ran =
        export(&place, &["--address", ADDRESS, "-d", "the_end"]).expect(1, "no such dimension");
    assert!(
        ran.err.contains("it shows overworld, the_nether"),
        "{}",
        ran.err
    );
}

/// The names of waypoints with their x, z and y, in a map.
fn shown(map: &Path, kind: &str) -> BTreeMap<String, Value> {
    let text = fs::read(map.join(kind)).unwrap();
    let file: Value = serde_json::from_slice(&text).unwrap();
    let features = file["features"].as_array().unwrap().iter();
    let places = features.map(|feature| {
        let properties = &feature["properties"];
        let name = properties["name"].as_str().unwrap().to_owned();
        (
            name,
            json!([feature["geometry"]["coordinates"], properties["y"]]),
        )
    });
    places.collect()
}

#[test]
fn markers_come_back_from_the_game() {
    let colours = ["#5f5", "#000000", "#aa00aa"];
    let names = [
        "Town: north",
        "a/b \\ c",
        "Übersee",
        "x".repeat(60).leak() as &str,
    ];
    let mut features = Vec::new();
    for (number, name) in names.iter().enumerate() {
        let more = match colours.get(number) {
            Some(colour) => json!({"y": 60 + number, "color": colour}),
            None => json!({}),
        };
        features.push(feature(name, [number as i32, 5], &more));
    }
    let place = drawn(&features);
    export_ours(&place, &["-d", "overworld"]);

    let mut command = program();
    command.arg("render").arg(place.world());
    command.args(["--for", "xaero", "--address", ADDRESS, "-o"]);
    let land = Ran::of(command.arg(place.at("xaero/world-map")).output().unwrap());
    land.expect(0, "the land");

    let mut command = program();
    command.args(["render", "--from", "xaero"]);
    command.arg(place.at("xaero/world-map/Multiplayer_play.example.org"));
    let back = Ran::of(command.arg("-o").arg(place.at("back")).output().unwrap());
    back.expect(0, "the map of the player");

    let returned = shown(&place.at("back"), "overworld/markers/waypoints.geojson");
    assert_eq!(returned, shown(&place.at("map"), "markers/own.geojson"));
}
