//! Tests the markers and pictures of map items on walls.

use serde_json::{Value, json};

use super::{GENERATIONS, features, kinds, picture, stone, world_of};
use crate::map::{Place, base64};
use crate::world::payload::gzip;
use crate::world::{Files, Tag};

pub(super) const MAPS: [&str; 2] = ["--marker-kinds", "maps"];
pub(super) const FILE: &str = "overworld/markers/maps.geojson";

/// A map item around block 0, 0. The colour of each pixel is its number.
pub(super) fn map_item(dimension: Tag, frame: Option<Tag>) -> Vec<u8> {
    let dimension_is_number = !matches!(dimension, Tag::String(_));
    let mut data = Tag::compound([
        ("dimension", dimension),
        ("xCenter", Tag::Int(0)),
        ("zCenter", Tag::Int(0)),
        (
            "colors",
            Tag::Bytes((0..128 * 128).map(|at| at as u8).collect()),
        ),
    ]);

    // Newer versions leave out default values.
    if dimension_is_number {
        data.set("scale", Tag::Byte(0));
    }

    if let Some(frame) = frame {
        data.set("frames", Tag::List(vec![frame]));
    }

    gzip(&Tag::compound([("data", data)]).document())
}

/// A frame in the form since 1.20.5.
pub(super) fn frame(x: i32, z: i32) -> Tag {
    Tag::compound([
        ("pos", Tag::Ints(vec![x, 65, z])),
        ("rotation", Tag::Int(180)),
        ("entity_id", Tag::Int(7)),
    ])
}

/// A frame in the form before 1.20.5.
fn old_frame(x: i32, z: i32) -> Tag {
    let place = Tag::compound([("X", Tag::Int(x)), ("Y", Tag::Int(65)), ("Z", Tag::Int(z))]);
    Tag::compound([
        ("Pos", place),
        ("Rotation", Tag::Int(180)),
        ("EntityId", Tag::Int(7)),
    ])
}

/// A chunk, and map items: one on a wall, one of 1.12, one in a pocket, one outside the drawn land,
/// one in the nether, and a damaged one.
fn world_with_map_items() -> Files {
    let mut files = world_of(&[stone(0, 0, GENERATIONS[5]), stone(1, 0, GENERATIONS[5])]);
    let overworld = || Tag::string("minecraft:overworld");
    files.put("data/map_3.dat", map_item(overworld(), Some(frame(5, 6))));
    files.put(
        "data/map_10.dat",
        map_item(Tag::Byte(0), Some(old_frame(20, 3))),
    );

    files.put("data/map_4.dat", map_item(overworld(), None));
    files.put("data/map_5.dat", map_item(overworld(), Some(frame(100, 6))));
    files.put("data/map_6.dat", map_item(Tag::Int(-1), Some(frame(5, 6))));
    files.put("data/map_7.dat", b"x".to_vec());
    files.put(
        "data/idcounts.dat",
        map_item(overworld(), Some(frame(5, 6))),
    );

    files
}

pub(super) fn places(features: &[(Value, Value)]) -> Vec<(&Value, &Value)> {
    features
        .iter()
        .map(|(place, properties)| (place, &properties["name"]))
        .collect()
}

#[test]
fn map_items_in_frames_are_markers_with_pictures() {
    let place = Place::of(&world_with_map_items());
    assert!(
        !place.draw("map", &[]).root.join(FILE).exists(),
        "only if they are asked for"
    );

    let map = place.draw("map", &MAPS);
    let shown = features(&map, FILE);
    let names = [json!("Map 3"), json!("Map 10")];
    assert_eq!(
        places(&shown),
        [(&json!([5, 6]), &names[0]), (&json!([20, 3]), &names[1])]
    );

    let properties = &shown[0].1;
    assert_eq!(
        (&properties["y"], &properties["type"]),
        (&json!(65), &json!("map"))
    );

    let address = picture(&map, FILE, &properties["image"]);
    let picture = base64(address.strip_prefix("data:image/png;base64,").unwrap());
    let picture = image::load_from_memory(&picture).unwrap().into_rgba8();
    assert_eq!(picture.dimensions(), (128, 128));

    // The first colour is transparent, and the second one is grass in four shades.
    assert_eq!(
        [0, 4, 6].map(|x| picture.get_pixel(x, 0).0),
        [[0; 4], [89, 125, 39, 255], [127, 178, 56, 255]]
    );
    assert!(kinds(&map).contains(&("maps".to_owned(), 2)));
}

#[test]
fn map_items_showing_hidden_regions_have_no_marker() {
    let place = Place::of(&world_with_map_items());
    let map = place.draw("map", &[&MAPS[..], &["--hide", "-40,-40,-39,-39"]].concat());
    assert!(!map.root.join(FILE).exists(), "the place is on the picture");
    let map = place.draw(
        "map",
        &[&MAPS[..], &["--hide", "1000,1000,1001,1001"]].concat(),
    );
    assert_eq!(features(&map, FILE).len(), 2);
}

#[test]
fn map_items_have_their_own_26_1_folder() {
    let mut files = world_of(&[stone(0, 0, GENERATIONS[5])]);
    let overworld = Tag::string("minecraft:overworld");
    files.put(
        "data/minecraft/maps/0.dat",
        map_item(overworld, Some(frame(1, 2))),
    );
    let place = Place::of(&files);
    assert_eq!(
        places(&features(&place.draw("map", &MAPS), FILE)),
        [(&json!([1, 2]), &json!("Map 0"))]
    );
}
