//! Tests the markers of a Bedrock world.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use super::{database, run};
use crate::map::{Place, Ran, on, program, render};
use crate::world::Files;
use crate::world::bedrock::block::{self};
use crate::world::bedrock::{ChunkSpec, keys};
use crate::world::fixture::bedrock::{forms, with_level_dat};

#[test]
fn markers_come_from_chunks_and_from_the_world() {
    let place = Place::of(&forms().files);
    place.draw("map", &["-d", "all", "--players", "--signs", "."]);

    let folder = place.at("map").join("overworld/markers");
    let mut found = BTreeMap::new();
    for (name, bytes) in Files::read_under(&folder).0 {
        let collection: Value = serde_json::from_slice(&bytes).unwrap();
        let names = collection["features"]
            .as_array()
            .unwrap()
            .iter()
            .map(|feature| {
                let name = &feature["properties"]["name"];
                name.as_str().unwrap_or_default().to_owned()
            });

        found.insert(
            name.trim_end_matches(".geojson").to_owned(),
            names.collect::<Vec<_>>(),
        );
    }

    let all = [
        "signs",
        "banners",
        "beds",
        "players",
        "portals",
        "structures",
        "world",
    ]
    .map(|name| found[name].join("; "));

    assert_eq!(
        all,
        [
            "Inn by the sea; To the mine ->",
            "Harbour",
            "Bed",
            "Player; Player: Bed",
            "Nether portal",
            "Village; Pillager outpost; Swamp hut",
            "Spawn"
        ]
    );
}

/// A chunk with ground and a box that belongs to a fortress.
fn fortress(x: i32, z: i32) -> ChunkSpec {
    let mut chunk = ChunkSpec::new(x, z, 0, 41);
    chunk.layer(60, 64, block::NETHER_BRICK);
    let (west, north) = (x * 16, z * 16);
    chunk.extra.push((
        57,
        keys::boxes(&[(1, [west + 2, 48, north], [west + 15, 60, north + 8])]),
    ));
    chunk
}

/// The positions and names of structures of the map in `folder`.
fn structures(place: &Place, folder: &str) -> Vec<(i64, i64, String)> {
    let path = place
        .at(folder)
        .join("overworld/markers/structures.geojson");
    let Ok(text) = fs::read_to_string(path) else {
        return Vec::new();
    };

    let collection: Value = serde_json::from_str(&text).unwrap();
    let features = collection["features"]
        .as_array()
        .unwrap()
        .iter()
        .map(|feature| {
            let at = |axis: usize| feature["geometry"]["coordinates"][axis].as_i64().unwrap();
            (
                at(0),
                at(1),
                feature["properties"]["name"].as_str().unwrap().to_owned(),
            )
        });

    features.collect()
}

#[test]
fn a_fortress_across_regions_is_one_marker() {
    let fortress = |x: i64, z: i64| (x, z, "Fortress".to_owned());
    let chunks = [(30, 1), (31, 1), (32, 1), (33, 3), (60, 1)].map(|(x, z)| self::fortress(x, z));
    let mut database = database(&chunks);
    let place = Place::of(&with_level_dat("Nights", &database));
    assert_eq!(run(&place, &database), [2, 0]);
    assert_eq!(
        structures(&place, "map"),
        [fortress(511, 24), fortress(968, 20)]
    );

    for shard in ["1/2", "2/2"] {
        render(&place.world(), &place.at("shards"), &["--shard", shard]).expect(0, shard);
    }

    Ran::of(
        program()
            .arg("merge")
            .arg("-o")
            .arg(place.at("shards"))
            .output()
            .unwrap(),
    )
    .expect(0, "merge");

    assert_eq!(structures(&place, "shards"), structures(&place, "map"));
    on(
        "markers",
        &place.world(),
        &["-o", place.at("map").to_str().unwrap()],
    )
    .expect(0, "markers");
    assert_eq!(structures(&place, "map"), structures(&place, "first"));

    // The records contain the part in the other region.
    database.batch(&self::fortress(35, 1).changes());
    assert_eq!(run(&place, &database), [1, 1]);
    assert_eq!(
        structures(&place, "map"),
        [fortress(527, 24), fortress(968, 20)]
    );

    render(
        &place.world(),
        &place.at("hidden"),
        &["--hide", "500,0,600,64"],
    )
    .expect(0, "hidden");

    assert_eq!(
        structures(&place, "hidden"),
        [fortress(488, 20), fortress(968, 20)]
    );

    render(
        &place.world(),
        &place.at("none"),
        &["--hide", "0,0,1000,64"],
    )
    .expect(0, "all hidden");
    assert_eq!(structures(&place, "none"), []);
}
