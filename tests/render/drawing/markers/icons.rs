//! Tests icons: signs and the owner's markers name them, and a map holds the ones that are named.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{GENERATIONS, entities, features, sign, stone, world_of};
use crate::map::jar::png;
use crate::map::{Map, Place, Ran, on, program, render};
use crate::world::Files;

/// A world with these signs next to each other.
fn world_with_signs(signs: &[&[&str]]) -> Files {
    let newest = GENERATIONS[5];
    let mut chunk = stone(0, 0, newest);
    let placed = signs
        .iter()
        .zip(0..)
        .map(|(lines, x)| sign(newest, [x, 63, 1], lines));
    chunk.extra = vec![entities(newest, placed.collect())];
    world_of(&[chunk])
}

/// Writes icons of one colour each, and returns the option that names their folder.
fn put_icons(place: &Place, names: &[&str]) -> [String; 2] {
    let folder = place.at("icons");
    fs::create_dir_all(&folder).unwrap();
    for name in names {
        let picture = png(16, |_, _| [200, 30, 30, 255]);
        fs::write(folder.join(format!("{name}.png")), picture).unwrap();
    }
    ["--icons".to_owned(), folder.to_str().unwrap().to_owned()]
}

/// A file of the owner with one marker for each icon.
fn own_markers(place: &Place, icons: &[&str]) -> String {
    let geometry = json!({"type": "Point", "coordinates": [3, 5]});
    let marker = |icon| json!({"type": "Feature", "geometry": geometry, "properties": {"name": "Place", "icon": icon}});
    let markers: Vec<Value> = icons.iter().map(marker).collect();
    let path = place.at("places.geojson");
    let text = json!({"type": "FeatureCollection", "features": markers}).to_string();
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// The icons that `map.json` states. Fails unless exactly their files are in the map.
fn stated(map: &Path) -> Vec<String> {
    let icons = Map::at(map).facts()["icons"].take();
    let icons: Vec<Value> = icons.as_array().cloned().unwrap_or_default();
    let files = icons
        .iter()
        .map(|icon| icon["file"].as_str().unwrap().to_owned());
    let files: Vec<String> = files.collect();

    let folder = Files::read_under(&map.join("markers")).0;
    let mut there: Vec<String> = folder
        .into_keys()
        .map(|name| format!("markers/{name}"))
        .collect();
    there.retain(|name| name.contains("icons/"));
    assert_eq!(there, files);

    icons
        .iter()
        .map(|icon| icon["name"].as_str().unwrap().to_owned())
        .collect()
}

fn warnings(ran: &Ran) -> Vec<&str> {
    let lines = ran.err.lines();
    lines
        .filter(|line| line.contains("name the icon"))
        .collect()
}

#[test]
fn a_sign_names_its_icon() {
    let place = Place::of(&world_with_signs(&[
        &["[icon:shop]", "Bakery", "open"],
        &["[Shop]", "of Bob"],
        &["[icon:farm]", "Wheat"],
        &["[icon:castle]", "Keep"],
        &["[icon:castle]"],
    ]));
    let [option, folder] = put_icons(&place, &["shop", "unused"]);

    let ran = render(
        &place.world(),
        &place.at("map"),
        &["--signs", ".", &option, &folder],
    )
    .expect(0, "icons");
    let map = Map::at(&place.at("map"));
    let signs = features(&map, "overworld/markers/signs.geojson");
    let named: Vec<(&Value, &Value)> = signs
        .iter()
        .map(|(_, properties)| (&properties["name"], &properties["icon"]))
        .collect();
    assert_eq!(
        named,
        [
            (&json!("Bakery open"), &json!("shop")),
            (&json!("[Shop] of Bob"), &Value::Null),
            (&json!("Wheat"), &json!("farm")),
            (&json!("Keep"), &json!("castle")),
            (&json!("Castle"), &json!("castle")),
        ]
    );
    assert_eq!(
        stated(&map.root),
        ["shop"],
        "only a named icon is published"
    );

    let [warning] = warnings(&ran)[..] else {
        panic!("one warning for each unknown name: {}", ran.err)
    };
    assert!(warning.contains("castle.png"), "{warning}");
}

#[test]
fn own_markers_name_icons() {
    let place = Place::of(&world_with_signs(&[&["Hello"]]));
    let [option, folder] = put_icons(&place, &["castle", "shop"]);
    let markers = own_markers(&place, &["castle", "🏠", "80", "star", "castel"]);
    let own = ["--markers", &markers, &option, &folder];

    let ran = render(&place.world(), &place.at("map"), &own).expect(0, "own markers");
    assert_eq!(stated(&place.at("map")), ["castle"]);
    let [warning] = warnings(&ran)[..] else {
        panic!("texts and symbols need no icon: {}", ran.err)
    };
    assert!(warning.contains("castel.png"), "{warning}");

    // The owner's file stays in the map.
    on(
        "markers",
        &place.world(),
        &["-o", place.at("map").to_str().unwrap(), &option, &folder],
    )
    .expect(0, "markers");
    assert_eq!(stated(&place.at("map")), ["castle"]);
    let ran = render(&place.world(), &place.at("map"), &[]).expect(0, "without icons");
    assert_eq!(stated(&place.at("map")), [""; 0]);
    assert_eq!(warnings(&ran), [""; 0], "the names are texts then");
}

#[test]
fn change_lists_name_only_changed_icons() {
    let place = Place::of(&world_with_signs(&[&["[icon:shop]"], &["[icon:mill]"]]));
    let [option, folder] = put_icons(&place, &["shop", "mill"]);
    let lists = ["changed", "deleted"].map(|name| place.at(name));
    let [changed, deleted] = lists.each_ref().map(|path| path.to_str().unwrap());
    let draw = || {
        let lists_of_run = ["--changed-list", changed, "--deleted-list", deleted];
        let options = [&["--signs", ".", &option, &folder][..], &lists_of_run].concat();
        render(&place.world(), &place.at("map"), &options).expect(0, "icons");

        lists.each_ref().map(|path| {
            let text = fs::read_to_string(path).unwrap();
            text.lines().map(str::to_owned).collect::<Vec<_>>()
        })
    };

    let [changed, _] = draw();
    assert!(
        changed.contains(&"markers/icons/shop.png".to_owned()),
        "{changed:?}"
    );
    assert_eq!(draw(), [vec![""; 0], vec![]], "nothing changed");

    fs::remove_file(place.at("icons").join("shop.png")).unwrap();
    let [changed, deleted] = draw();
    assert_eq!(deleted, ["markers/icons/shop.png"]);
    assert!(
        !changed.iter().any(|path| path.contains("icons/")),
        "{changed:?}"
    );
    assert_eq!(stated(&place.at("map")), ["mill"]);
}

#[test]
fn unusable_icons_are_named_and_left_out() {
    let place = Place::of(&world_with_signs(&[&["[icon:shop]"], &["[icon:mill]"]]));
    let [option, folder] = put_icons(&place, &["mill"]);
    fs::write(place.at("icons").join("shop.svg"), "<svg/>").unwrap();

    let options = ["--signs", ".", &option, &folder];
    let ran = render(&place.world(), &place.at("map"), &options).expect(0, "a bad icon");
    assert!(ran.err.contains("shop.svg: left out:"), "{}", ran.err);
    assert_eq!(stated(&place.at("map")), ["mill"]);

    let missing = place.at("missing");
    let options = ["--icons", missing.to_str().unwrap()];
    let ran = render(&place.world(), &place.at("other"), &options).expect(2, "no folder");
    assert!(ran.err.contains("missing"), "{}", ran.err);
    assert!(!place.at("other").exists(), "nothing is begun");
}

#[test]
fn icons_inside_the_map_are_refused() {
    let place = Place::of(&world_with_signs(&[&["[icon:shop]"]]));
    let [option, folder] = put_icons(&place, &["shop"]);
    let map = place.at("map");
    render(&place.world(), &map, &["--signs", ".", &option, &folder]).expect(0, "icons");

    let own = map.join("markers/icons");
    let options = ["--signs", ".", "--icons", own.to_str().unwrap()];
    let ran = render(&place.world(), &map, &options).expect(2, "icons of the map");
    assert!(ran.err.contains("inside the map"), "{}", ran.err);
    assert_eq!(stated(&map), ["shop"]);
}

#[test]
fn merged_parts_have_the_icons() {
    let place = Place::of(&world_with_signs(&[&["[icon:shop]"]]));
    let [option, folder] = put_icons(&place, &["shop", "unused"]);
    let options = ["--signs", ".", "--shard", "1/1", &option, &folder];
    render(&place.world(), &place.at("map"), &options).expect(0, "a shard");

    let merged = program()
        .args(["merge", "-o"])
        .arg(place.at("map"))
        .output()
        .unwrap();
    Ran::of(merged).expect(0, "merge");
    assert_eq!(stated(&place.at("map")), ["shop"]);
}
