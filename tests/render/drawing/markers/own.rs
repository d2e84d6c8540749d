//! Tests the markers of the owner: they are checked and copied, and pixelmap never changes the
//! owner's files.

use std::fs;

use serde_json::{Value, json};

use super::{GENERATIONS, scripted, stone, world_of};
use crate::map::{Place, render};

fn shop(coordinates: &Value) -> String {
    let geometry = json!({"type": "Point", "coordinates": coordinates});
    let feature = json!({"type": "Feature", "geometry": geometry, "properties": {"name": "Shop"}});
    json!({"type": "FeatureCollection", "features": [feature]}).to_string()
}

/// The files that `map.json` states as the owner's.
fn stated(place: &Place) -> Vec<String> {
    let facts: Value =
        serde_json::from_slice(&fs::read(place.at("map").join("map.json")).unwrap()).unwrap();
    let files = facts["markers"].as_array().unwrap();
    files
        .iter()
        .map(|file| file["file"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn files_of_the_owner_are_copied_and_stay() {
    let place = Place::of(&world_of(&[stone(0, 0, GENERATIONS[5])]));
    let (shops, here) = (place.at("shops.json"), place.at("map").join("markers"));
    fs::write(&shops, format!("\u{feff}{}", shop(&json!([3, 5, 64])))).unwrap();
    place.draw("map", &["--markers", shops.to_str().unwrap()]);
    assert_eq!(
        fs::read_to_string(here.join("shops.geojson")).unwrap(),
        shop(&json!([3, 5, 64]))
    );
    assert_eq!(stated(&place), ["markers/shops.geojson"]);

    // A file that the user adds by hand is shown from the next run on. No run removes it.
    fs::write(here.join("a.geojson"), shop(&json!([1, 1]))).unwrap();
    fs::write(here.join("notes.txt"), "mine").unwrap();
    place.draw("map", &[]);
    assert_eq!(
        stated(&place),
        ["markers/a.geojson", "markers/shops.geojson"]
    );

    // A broken file is passed on as text, like any other file.
    fs::write(here.join("broken.geojson"), "{});alert(1);({").unwrap();
    place.draw("map", &[]);
    let script = scripted(&place.at("map"));
    assert_eq!(script["markers/a.geojson"], shop(&json!([1, 1])));
    assert_eq!(script["markers/broken.geojson"], "{});alert(1);({");

    fs::remove_file(here.join("broken.geojson")).unwrap();
    fs::remove_file(here.join("shops.geojson")).unwrap();
    place.draw("map", &[]);
    assert_eq!(stated(&place), ["markers/a.geojson"]);
    assert!(here.join("notes.txt").exists());
}

#[test]
fn unusable_marker_files_are_refused_with_their_place() {
    let place = Place::of(&world_of(&[stone(0, 0, GENERATIONS[5])]));
    for (name, text, says) in [
        ("a.geojson", "{", "this is not GeoJSON"),
        (
            "b.geojson",
            r#"{"type":"Point","coordinates":[1,2]}"#,
            "a geometry alone has no name",
        ),
        (
            "feature.geojson",
            r#"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{}}"#,
            "put it into a FeatureCollection",
        ),
        ("c.txt", "{}", "whose name ends in .geojson"),
        ("d.geojson", "{}", "give a FeatureCollection"),
        (
            "e.geojson",
            r#"{"type":"FeatureCollection","features":{}}"#,
            "this is not GeoJSON",
        ),
    ] {
        let path = place.at(name);
        fs::write(&path, text).unwrap();
        let ran = render(
            &place.world(),
            &place.at("map"),
            &["--markers", path.to_str().unwrap()],
        )
        .expect(2, name);

        assert!(
            ran.err.contains(name) && ran.err.contains(says),
            "{}",
            ran.err
        );
        assert!(!place.at("map").exists(), "nothing is begun");
    }

    let missing = place.at("missing.geojson");
    render(
        &place.world(),
        &place.at("map"),
        &["--markers", missing.to_str().unwrap()],
    )
    .expect(2, "missing");
}

#[test]
fn a_bad_feature_costs_only_itself() {
    let place = Place::of(&world_of(&[stone(0, 0, GENERATIONS[5])]));
    let good = r#"{"type":"Feature","geometry":{"type":"Point","coordinates":[3,5]},"properties":{"name":"Shop"}}"#;
    let far = "9".repeat(400);

    for (bad, says) in [
        (
            r#"{"type":"Feature","geometry":null,"properties":{"name":"Mill"}}"#.to_owned(),
            "no geometry",
        ),
        (
            good.replace("[3,5]", "[4e9,5]").replace("Shop", "Mill"),
            "outside any world",
        ),
        (
            good.replace("[3,5]", "[4]").replace("Shop", "Mill"),
            "position",
        ),
        (
            good.replace("[3,5]", &format!("[{far},5]"))
                .replace("Shop", "Mill"),
            "out of range",
        ),
        (
            good.replace("Point", "Circle").replace("Shop", "Mill"),
            "Circle",
        ),
    ] {
        let text = format!(
            r#"{{"dimension":"the_nether","type":"FeatureCollection","features":[{bad}, {good}]}}"#
        );
        let path = place.at("shops.geojson");
        fs::write(&path, text).unwrap();

        let ran = render(
            &place.world(),
            &place.at("map"),
            &["--markers", path.to_str().unwrap()],
        )
        .expect(0, "one bad feature");
        let named = ran.err.lines().find(|line| line.contains("features[0]"));
        assert!(
            named.is_some_and(|line| line.contains("\"Mill\"") && line.contains(says)),
            "{}",
            ran.err
        );

        let shown = fs::read(place.at("map").join("markers/shops.geojson")).unwrap();
        let shown: Value = serde_json::from_slice(&shown).unwrap();
        let good: Value = serde_json::from_str(good).unwrap();
        assert_eq!(
            shown,
            json!({"type": "FeatureCollection", "dimension": "the_nether", "features": [good]})
        );
    }
}

#[test]
fn marker_kinds_take_every_name_of_the_table() {
    let place = Place::of(&world_of(&[stone(0, 0, GENERATIONS[5])]));
    let docs = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/markers.md")).unwrap();
    let (_, table) = docs.split_once("| kind | markers |").unwrap();
    let (table, _) = table.split_once("\n\n").unwrap();
    let names: Vec<&str> = table
        .lines()
        .skip(2)
        .flat_map(|row| row.split('|').nth(1).unwrap().split('`').skip(1).step_by(2))
        .collect();
    assert_eq!(names.len(), 15, "{names:?}");

    place.draw("map", &["--marker-kinds", &names.join(",")]);
}

#[test]
fn two_files_of_one_name_are_refused() {
    let place = Place::of(&world_of(&[stone(0, 0, GENERATIONS[5])]));
    let paths = ["a", "b"].map(|folder| place.at(folder).join("shops.geojson"));
    for path in &paths {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, shop(&json!([1, 1]))).unwrap();
    }

    let [a, b] = paths.each_ref().map(|path| path.to_str().unwrap());
    let ran = render(
        &place.world(),
        &place.at("map"),
        &["--markers", a, "--markers", b],
    )
    .expect(2, "one name");
    assert!(ran.err.contains("shops.geojson"), "{}", ran.err);
}
