//! Tests that every stored form of a Bedrock world gives the same map, with any number of threads
//! or shards, and from a zip.

use std::fs;

use serde_json::Value;

use super::{OPTIONS, drawn, packed};
use crate::map::{CLEAR, Map, Place, Ran, assert_same_files, on, program, render};
use crate::world::bedrock::Database;
use crate::world::fixture::bedrock::{self, forms, landscape, with_level_dat};

#[test]
fn threads_shards_and_zips_give_the_same_map() {
    let place = Place::of(&forms().files);
    let alone = drawn(&place.world(), &place.at("one"), &["-t", "1"]);
    for dimension in ["overworld", "the_nether", "the_end"] {
        assert!(
            alone
                .keys()
                .any(|path| path.starts_with(&format!("{dimension}/day/17/"))),
            "{dimension}"
        );
    }

    assert_same_files(
        "threads",
        &alone,
        &drawn(&place.world(), &place.at("seven"), &["-t", "7"]),
    );

    for ending in ["mcworld", "mctemplate", "zip"] {
        let zip = place.at(&format!("world.{ending}"));
        fs::write(&zip, packed(&forms().files)).unwrap();
        assert_same_files(
            ending,
            &alone,
            &drawn(&zip, &place.at(ending), &["-t", "2"]),
        );
    }

    for shard in ["1/3", "2/3", "3/3"] {
        render(
            &place.world(),
            &place.at("shards"),
            &[&OPTIONS[..], &["--shard", shard]].concat(),
        )
        .expect(0, shard);
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

    let known = |state: &str| {
        fs::read(place.at("shards/.pixelmap").join(state).join("world-cache")).unwrap()
    };

    assert!(
        known("") == known("parts/3-of-3"),
        "what the shards know of the world"
    );
    assert_same_files("shards", &alone, &Map::at(&place.at("shards")).files());
}

/// A first run decodes chunks while it lists them, and a forced run reads them from their regions.
#[test]
fn early_chunks_make_the_same_map() {
    for fixture in bedrock::all() {
        let place = Place::of(&fixture.files);
        let draw = |force: &[&str]| {
            let out = place.at("map");
            let options = [&OPTIONS, force, &["-t", "1"]].concat();
            let ran = render(&place.world(), &out, &options);
            let report = (ran.code != 1).then(|| ran.report());
            (report, Map::at(&out).files())
        };

        let (first, early) = draw(&[]);
        let (forced, late) = draw(&["--force"]);
        assert_same_files(fixture.name, &early, &late);
        let without_time = |report: Option<Value>| {
            let report = report?;
            let kept = [
                "outcome",
                "regions",
                "chunks",
                "bad_chunks",
                "unknown_blocks",
            ];
            Some(kept.map(|name| report[name].clone()))
        };
        assert_eq!(
            without_time(first),
            without_time(forced),
            "{}",
            fixture.name
        );
    }
}

/// An export decodes early, and a forced map does not.
#[test]
fn pictures_of_early_chunks_are_the_same() {
    let place = Place::of(&forms().files);
    let (map, exported, drawn) = (
        place.at("map"),
        place.at("exported.png"),
        place.at("drawn.png"),
    );
    for force in [&[][..], &["--force"]] {
        render(&place.world(), &map, force).expect(0, "map");
    }

    let to = exported.to_str().unwrap();
    on("export", &map, &["-o", to, "-d", "overworld"]).expect(0, "export");
    render(&place.world(), &drawn, &[]).expect(0, "picture");
    assert!(fs::read(exported).unwrap() == fs::read(drawn).unwrap());
}

#[test]
fn every_stored_form_has_the_same_pixels() {
    let pixels = |version: u8| {
        let mut chunk = landscape(1, 1, version);
        chunk
            .biomes
            .insert(chunk.biomes.keys().next().copied().unwrap(), vec![4; 256]);
        let mut database = Database::new(1);
        database.batch(&chunk.changes());

        let place = Place::of(&with_level_dat("Land", &database));
        let columns = place.draw("map", &[]).columns();
        (0..256)
            .map(|column| columns.at(16 + column % 16, 16 + column / 16))
            .collect::<Vec<_>>()
    };

    let newest = pixels(42);
    assert!(newest.iter().all(|pixel| *pixel != CLEAR));

    for version in [
        0, 2, 3, 4, 7, 8, 9, 10, 14, 15, 19, 21, 22, 23, 24, 25, 26, 31, 38, 39, 40, 41,
    ] {
        assert!(pixels(version) == newest, "version {version}");
    }
}
