//! Tests waypoints of Xaero's Minimap: they are markers in a map of the land that their players have
//! explored.
#![allow(
    clippy::disallowed_methods,
    reason = "test worlds are no output of the program"
)]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::map::{Place, Ran, program};
use crate::world::xaero::{XaeroFile, level};
use crate::world::{Files, block};

const SERVER: &str = "Multiplayer_play.example.org";
const MAPS: &str = "xaero/world-map";
const WAYPOINTS: &str = "xaero/minimap";

/// Puts land of the dimensions of a server into the folder of World Map at `root`.
fn put_land(place: &Place, root: &str, maps: &[&str]) -> PathBuf {
    let land = XaeroFile::of_tile((0, 0), level(block::SAND, 64)).bytes();
    let mut tree = Files::new();
    for map in maps {
        tree.put(&format!("{SERVER}/{map}/0_0.zip"), land.clone());
    }
    tree.write_under(&place.at(root));
    place.at(root).join(SERVER)
}

/// Puts a waypoint file into the folder of the minimap at `root`.
fn put(place: &Place, root: &str, file: &str, text: &str) {
    let path = place.at(root).join(SERVER).join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A line with the ten fields that the oldest files have.
fn line(name: &str) -> String {
    format!("waypoint:{name}:N:3:64:4:12:false:0:gui.xaero_default\n")
}

fn draw(folders: &[&Path], out: &Path, options: &[&str]) -> Ran {
    let mut command = program();
    command.args(["render", "--from", "xaero"]).args(folders);
    command.arg("-o").arg(out).args(options);
    Ran::of(command.args(["--report", "-"]).output().unwrap())
}

/// The features of a file of waypoints, sorted by name; empty without the file.
fn features(map: &Path, dimension: &str) -> Vec<Value> {
    let path = map.join(dimension).join("markers/waypoints.geojson");
    let Ok(text) = fs::read_to_string(path) else {
        return Vec::new();
    };
    let mut file: Value = serde_json::from_str(&text).unwrap();
    let mut features = file["features"].as_array_mut().unwrap().clone();
    features.sort_by_key(|feature| feature["properties"]["name"].as_str().map(str::to_owned));
    features
}

fn names(map: &Path, dimension: &str) -> Vec<String> {
    let features = features(map, dimension).into_iter();
    let name = |feature: Value| feature["properties"]["name"].as_str().unwrap().to_owned();
    features.map(name).collect()
}

#[test]
fn waypoints_of_all_forms_become_markers() {
    let place = Place::empty();
    let world = put_land(&place, MAPS, &["null/mw$default", "DIM-1/mw$default"]);
    let text = "#\n#waypoint:name:initials:x:y:z\n#\nsets:gui.xaero_default:Mining\n\
                waypoint:Home§§ 1:H:3:64:4:12:false:0:gui.xaero_default:false:0:0:false\n\
                waypoint:Old:O:4:70:5:19:true:0:Mining\n\
                waypoint:Unknown:U:5:~:6:15:false:0:Mining:false:0\n\
                waypoint:gui.xaero_deathpoint:D:6:11:7:0:false:1:gui.xaero_default:false:0:0\n\
                waypoint:gui.xaero_deathpoint_old:D:7:12:8:0:false:2:gui.xaero_default:false\n\
                waypoint:Unexplored:X:300:64:4:12:false:0:gui.xaero_default:false:0:0:false\n\
                slime_chunk_seed:7\n";
    put(&place, WAYPOINTS, "dim%0/mw$default_1.txt", text);
    put(
        &place,
        WAYPOINTS,
        "dim%-1/mw$default_a%us%b.txt",
        &line("Nether"),
    );

    let map = place.at("map");
    draw(&[&world], &map, &[]).expect(0, "a map");
    let properties: Vec<Value> = features(&map, "overworld")
        .iter()
        .map(|feature| json!([feature["geometry"]["coordinates"], feature["properties"]]))
        .collect();
    let expected = [
        json!([[3, 4], {"name": "Home: 1", "y": 64, "color": "#ff5555"}]),
        json!([[6, 7], {"name": "Latest Death", "y": 11, "color": "#000000"}]),
        json!([[4, 5], {"name": "Old", "y": 70, "color": "#f38baa"}]),
        json!([[7, 8], {"name": "Old Death", "y": 12, "color": "#000000"}]),
        json!([[5, 6], {"name": "Unknown", "color": "#ffffff"}]),
    ];
    assert_eq!(properties, expected);
    assert_eq!(names(&map, "the_nether"), ["Nether"]);

    // The regions are unchanged, but the markers are read again.
    put(&place, WAYPOINTS, "dim%0/mw$default_1.txt", &line("New"));
    draw(&[&world], &map, &[]).expect(0, "a second run");
    assert_eq!(names(&map, "overworld"), ["New"]);

    draw(&[&world], &map, &["--marker-kinds", "none"]).expect(0, "no waypoints");
    assert!(names(&map, "overworld").is_empty());
    draw(&[&world], &map, &["--marker-kinds", "waypoints"]).expect(0, "only waypoints");
    assert_eq!(names(&map, "overworld"), ["New"]);
}

#[test]
fn waypoints_belong_to_the_drawn_map() {
    let place = Place::empty();
    let maps = ["null/mw$default", "null/mw$lobby", "mod$far%moon/mw1,2,-3"];
    let world = put_land(&place, MAPS, &maps);
    for (file, name) in [
        ("dim%0/mw$default_1.txt", "default"),
        ("dim%0/mw$lobby_2.txt", "lobby"),
        ("dim%0/waypoints.txt", "all"),
        ("dim%0/backup-mw$default_1.txt", "backup"),
        ("dim%mod$far%moon/mw1,2,-3_1.txt", "moon"),
        ("Overworld/mw$default_1.txt", "left behind"),
    ] {
        put(&place, WAYPOINTS, file, &line(name));
    }

    for (folder, dimension, expected) in [
        ("", "overworld", &["all", "default"][..]),
        ("", "mod/far/moon", &["moon"]),
        ("null", "overworld", &["all", "default"]),
        ("null/mw$lobby", "overworld", &["all", "lobby"]),
        ("mod$far%moon/mw1,2,-3", "mod/far/moon", &["moon"]),
    ] {
        let map = place.at("map");
        let _ = fs::remove_dir_all(&map);
        draw(&[&world.join(folder)], &map, &[]).expect(0, folder);
        assert_eq!(names(&map, dimension), expected, "{folder}");
    }

    let copy = place.copy(MAPS, "copies");
    draw(&[&copy.join(SERVER)], &place.at("alone"), &[]).expect(0, "a folder elsewhere");
    assert!(names(&place.at("alone"), "overworld").is_empty());
}

#[test]
fn old_folders_of_several_players_have_waypoints() {
    let place = Place::empty();
    let mut worlds = Vec::new();
    for player in ["anna", "ben"] {
        let maps = ["null/mw$default", "DIM1/mw$default"];
        worlds.push(put_land(&place, &format!("{player}/XaeroWorldMap"), &maps));
        let root = format!("{player}/XaeroWaypoints");
        put(&place, &root, "Overworld/mw$default_1.txt", &line(player));
        put(&place, &root, "The End/waypoints.txt", &line("end"));
    }

    let map = place.at("map");
    draw(&[&worlds[0], &worlds[1]], &map, &[]).expect(0, "a map");
    assert_eq!(names(&map, "overworld"), ["anna", "ben"]);
    assert_eq!(names(&map, "the_end"), ["end"]);
}

#[test]
fn damaged_waypoints_cost_only_themselves() {
    let place = Place::empty();
    let world = put_land(&place, MAPS, &["null/mw$default"]);
    let text = format!("{}waypoint:cut:C:3\n{}", line("a"), line("b"));
    put(&place, WAYPOINTS, "dim%0/mw$default_1.txt", &text);
    let broken = place.at(WAYPOINTS).join(SERVER).join("dim%0/waypoints.txt");
    fs::write(&broken, vec![b' '; (64 << 20) + 1]).unwrap();

    let ran = draw(&[&world], &place.at("map"), &[]).expect(0, "a map");
    assert_eq!(names(&place.at("map"), "overworld"), ["a", "b"]);
    let warnings = ran.report()["warnings"].to_string();
    assert!(warnings.contains("1 waypoint is left out"), "{warnings}");
    assert!(warnings.contains("mw$default_1.txt, line 2"), "{warnings}");
    assert!(warnings.contains("more than 64 MiB"), "{warnings}");
}
