//! Tests the folder of a Bedrock world: its dimensions and its level.dat. Nothing is written into
//! it.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{packed, state};
use crate::map::{Place, fixture, on, render};
use crate::world::Files;
use crate::world::bedrock::Database;
use crate::world::fixture::bedrock::{forms, landscape, with_level_dat};

#[test]
fn nothing_is_written_into_the_world() {
    let place = Place::of(&forms().files);
    let before = state(&place.world());
    place.draw("map", &["-d", "all", "--players"]);
    place.draw("map", &["-d", "all", "--players"]);
    on("info", &place.world(), &["--json"]).expect(0, "info");
    on("query", &place.world(), &["0", "0"]).expect(0, "query");
    on("render", &place.world(), &["--dry-run"]).expect(0, "dry run");

    on(
        "markers",
        &place.world(),
        &["-o", place.at("map").to_str().unwrap()],
    )
    .expect(0, "markers");
    assert!(state(&place.world()) == before);
}

#[test]
fn dimensions_of_add_ons_have_their_names() {
    let place = Place::empty();
    let world = fixture("bedrock-add-on");
    let ran = render(&world, &place.at("map"), &["-d", "all"]).expect(0, "all");
    assert!(
        ran.err.contains("1 dimension name is left out") && ran.err.contains("../up:x"),
        "{}",
        ran.err
    );

    for folder in ["test/sky", "test/deep/cave", "DIM1002", "DIM1003"] {
        let tile = place.at("map").join(folder).join("day/17/0/0.png");
        assert!(tile.is_file(), "{folder}");
    }

    let info: Value = serde_json::from_str(&on("info", &world, &["--json"]).out).unwrap();
    let ids: Vec<_> = info["dimensions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|dimension| dimension["id"].as_str().unwrap())
        .collect();
    assert_eq!(
        ids,
        [
            "overworld",
            "test:sky",
            "test:deep/cave",
            "DIM1002",
            "DIM1003"
        ]
    );

    for (dimension, biome) in [
        ("test:sky", "test:glade"),
        ("1000", "test:glade"),
        ("test:deep/cave", "test:glade"),
        ("1003", "test:glade"),
        ("overworld", "minecraft:dappled_forest"),
    ] {
        let column = on("query", &world, &["-d", dimension, "0", "0"]).expect(0, dimension);
        assert_eq!(column.out.split('\t').nth(4).map(str::trim), Some(biome));
    }
}

#[test]
fn dimension_numbers_follow_the_edition() {
    let place = Place::of(&forms().files);
    for (number, name) in [("0", "overworld"), ("1", "the_nether"), ("2", "the_end")] {
        render(&place.world(), &place.at(name), &["-d", number]).expect(0, number);
        assert!(place.at(name).join(name).exists(), "{number}");
    }
}

#[test]
fn a_world_uses_only_its_own_level_dat() {
    let mut database = Database::new(1);
    database.batch(&landscape(0, 0, 42).changes());
    let place = Place::of(&with_level_dat("Own", &database));

    let name = |world: &Path| {
        let info = on("info", world, &["--json"]).expect(0, "info").out;
        serde_json::from_str::<Value>(&info).unwrap()["name"]
            .as_str()
            .unwrap()
            .to_owned()
    };

    let own = place.world().join("level.dat");
    let bytes = fs::read(&own).unwrap();
    fs::write(&own, [&bytes[..], &[0; 300]].concat()).unwrap();
    assert_eq!(name(&place.world()), "Own", "bytes behind the NBT");
    fs::remove_file(&own).unwrap();
    fs::remove_file(place.world().join("levelname.txt")).unwrap();
    fs::write(place.world().parent().unwrap().join("level.dat"), &bytes).unwrap();

    let folder = place
        .world()
        .file_name()
        .unwrap()
        .to_str()
        .unwrap()
        .to_owned();

    assert_eq!(
        name(&place.world()),
        folder,
        "the level.dat of a folder around"
    );

    fs::copy(fixture("file-cut-head").join("level.dat"), &own).unwrap();
    assert_eq!(
        name(&place.world()),
        folder,
        "that of a world of Java Edition"
    );
}

#[test]
fn zipped_bedrock_folders_need_no_level_dat() {
    let place = Place::empty();

    let mut inside = Files::new();
    for (name, bytes) in forms().files.0 {
        if name != "level.dat" {
            inside.put(&format!("backup/Isle/{name}"), bytes);
        }
    }

    let zip = place.at("backup.zip");
    fs::write(&zip, packed(&inside)).unwrap();
    render(&zip, &place.at("map"), &[]).expect(0, "zip");
}
