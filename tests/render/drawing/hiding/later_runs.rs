//! Tests later runs on a map with hidden places: nothing hidden is kept, drawn or recorded.

use std::fs;

use serde_json::{Value, json};

use super::{chunk, drawn, file, put, unchanged_world, without, world_but};
use crate::map::{Map, Place, Rgba, assert_same_files, render};
use crate::world::{Biome, Block, ChunkSpec, Files, Generation, Record, RegionSpec, block};

#[test]
fn a_change_inside_a_hidden_chunk_changes_nothing() {
    let place = Place::of(&unchanged_world());
    // A chunk in the corner of a region, which three neighbours read, and a chunk in its own file.
    let hide = ["--hide", "0,0,16,16", "--hide", "528,528,529,529"];
    let map = place.draw("map", &hide);
    let before = map.files();

    let other = |x: i32, z: i32| {
        let mut other = chunk(x, z);
        other.layer(90, 99, Block::named("secretmod:vault"));
        Some(Some(other))
    };

    let changed = |make: &dyn Fn(ChunkSpec) -> Record| {
        world_but(&|x, z| {
            [(0, 0), (33, 33)]
                .contains(&(x, z))
                .then(|| other(x, z).unwrap().map(make))
        })
    };

    let external = |spec: ChunkSpec| Record::external(3, Some(spec.nbt().document()));
    let damaged = |_: ChunkSpec| Record::new(2, vec![0x5a; 90]);
    let worlds = [
        ("other blocks", changed(&|spec| Record::zlib(&spec.nbt()))),
        ("in a file of its own", changed(&external)),
        ("damaged", changed(&damaged)),
        ("gone", without(|x, z| [(0, 0), (33, 33)].contains(&(x, z)))),
    ];

    for (what, files) in worlds {
        for (path, bytes) in &files.0 {
            fs::write(place.world().join(path), bytes).unwrap();
        }

        for check in ["quick", "content"] {
            let options = [&hide[..], &["--check", check]].concat();
            let report = render(&place.world(), &map.root, &options)
                .expect(0, what)
                .report();
            assert_eq!(
                (drawn(&report), &report["tiles"]["written"]),
                (0, &json!(0)),
                "{what}, {check}"
            );

            assert_eq!(
                (&report["bad_chunks"], &report["unknown_blocks"]),
                (&json!([]), &json!({})),
                "{what}"
            );

            assert_eq!(
                report["chunks"]["hidden"],
                if what == "gone" { 0 } else { 2 },
                "{what}"
            );
        }

        assert_same_files(what, &before, &map.files());
        let mut report = render(&place.world(), &place.at(what), &hide)
            .expect(0, what)
            .report();
        assert_eq!(
            (&report["bad_chunks"], &report["unknown_blocks"]),
            (&json!([]), &json!({})),
            "{what}"
        );
        assert_same_files(what, &before, &Map::at(&place.at(what)).files());

        // Measured numbers may differ.
        for field in [
            "options",
            "seconds",
            "peak_memory_bytes",
            "chunks_per_second",
            "stages",
            "workers",
        ] {
            report[field] = Value::Null;
        }

        assert!(!report.to_string().contains("528"), "{what}: {report}");
    }
}

#[test]
fn damaged_hidden_chunks_keep_no_picture() {
    let place = Place::of(&unchanged_world());
    let map = place.draw("map", &[]);
    let damaged = world_but(&|x, z| {
        [(1, 1), (2, 1)]
            .contains(&(x, z))
            .then(|| Some(Record::new(2, vec![0x5a; 90])))
    });
    put(&place, &damaged, (0, 0));

    render(&place.world(), &map.root, &[]).expect(3, "damaged");
    assert_eq!(
        map.columns().drawn_of_chunk(1, 1),
        256,
        "its picture is kept"
    );

    let report = render(&place.world(), &map.root, &["--hide", "16,16,17,17"])
        .expect(3, "one of two hidden")
        .report();
    assert_eq!(report["bad_chunks"].as_array().unwrap().len(), 1);
    assert_eq!(report["bad_chunks"][0]["chunk"], json!([2, 1]));
    assert_eq!(map.columns().drawn_of_chunk(1, 1), 0);

    // The other chunk keeps the pixels that the hidden chunk cannot have shaded or tinted.
    assert_eq!(map.columns().drawn_of_chunk(2, 1), 12 * 16);
    render(&place.world(), &map.root, &["--hide", "16,16,48,17"]).expect(0, "both hidden");
    assert_eq!(map.columns().drawn_of_chunk(2, 1), 0);
}

#[test]
fn an_unreadable_region_loses_its_hidden_part() {
    let place = Place::of(&unchanged_world());
    let map = place.draw("map", &[]);
    fs::remove_file(file(&place, 0, 0)).unwrap();
    fs::create_dir(file(&place, 0, 0)).unwrap();
    let report = render(&place.world(), &map.root, &["--hide", "0,0,16,16"])
        .expect(3, "unreadable")
        .report();
    assert_eq!(report["regions"]["failed"], 1);

    let columns = map.columns();
    assert_eq!(
        (columns.drawn_of_chunk(0, 0), columns.drawn_of_chunk(2, 2)),
        (0, 256)
    );
    assert_eq!(
        (columns.drawn_of_chunk(1, 0), columns.drawn_of_chunk(1, 1)),
        (12 * 16, 15 * 16)
    );
}

/// Pixels within reach of a hidden chunk in another region are not kept either.
#[test]
fn kept_pictures_show_no_hidden_shade() {
    let place = Place::of(&unchanged_world());
    let map = place.draw("map", &[]);
    let whole = map.columns();
    put(
        &place,
        &world_but(&|x, z| ((x, z) == (0, 0)).then(|| Some(Record::new(2, vec![0x5a; 90])))),
        (0, 0),
    );

    render(
        &place.world(),
        &map.root,
        &["--hide", "-16,0,0,16", "--hide", "-1,-1,0,0"],
    )
    .expect(3, "kept");

    let now = map.columns();
    for (x, z) in (0..16).flat_map(|z| (0..16).map(move |x| (x, z))) {
        let expected: Rgba = if x < 4 {
            crate::map::CLEAR
        } else {
            whole.at(x, z)
        };
        assert_eq!(now.at(x, z), expected, "column {x}, {z}");
    }
}

#[test]
fn hidden_content_is_nowhere_in_the_map_folder() {
    // A chunk alone in its region, so that hiding it redraws no other region; and a chunk among
    // others.
    let mut secret = ChunkSpec::new(320, 320, Generation::Root(99_999));
    secret.layer(60, 64, Block::named("secretmod:vault"));
    secret.biomes = Some(vec![Biome::new("secretmod:lair", 0); 256]);

    let mut files = world_but(&|x, z| {
        ((x, z) == (1, 1)).then(|| {
            let mut secret = secret.clone();
            (secret.x, secret.z) = (x, z);
            Some(Record::zlib(&secret.nbt()))
        })
    });

    let mut alone = RegionSpec::new(10, 10);
    alone.put(&secret);
    alone.put_record(321, 320, Record::new(2, vec![0x5a; 90]));
    files.put_region("region", &alone);

    let place = Place::of(&files);
    let map = place.at("map");
    let told = |word: &str| {
        let files = Files::read_under(&map).0;
        files
            .into_iter()
            .filter(|(_, bytes)| {
                bytes
                    .windows(word.len())
                    .any(|part| part == word.as_bytes())
            })
            .count()
    };

    let polygon = r#"{"type":"Polygon","coordinates":[[[5120,5120],[5632,5120],[5632,5632],[5120,5632],[5120,5120]]]}"#;
    fs::write(place.at("bases.geojson"), polygon).unwrap();
    let polygon = place.at("bases.geojson");
    let first = render(&place.world(), &map, &[])
        .expect(3, "all is shown")
        .report();

    assert_eq!(
        (
            first["unknown_blocks"].as_object().unwrap().len(),
            told("secretmod")
        ),
        (1, 1),
        "this tests nothing"
    );

    // First hides only the lonely region, so that no tile is drawn.
    let lonely = ["--hide", polygon.to_str().unwrap()];
    render(&place.world(), &map, &lonely).expect(0, "the region alone");
    assert_eq!(told("5120"), 0);

    let both = [&lonely[..], &["--hide", "16,16,32,32"]].concat();
    let ran = render(&place.world(), &map, &both).expect(0, "both");

    for word in ["secretmod", "5120", "16,16", "bases"] {
        assert_eq!(told(word), 0, "{word}");
    }

    let report = ran.report();
    for empty in ["unknown_blocks", "unknown_biomes"] {
        assert_eq!(report[empty], json!({}), "{empty}");
    }

    assert_eq!(
        (&report["newer"], &report["bad_chunks"]),
        (&Value::Null, &json!([]))
    );

    assert_eq!(
        (
            &report["options"]["hide"],
            &report["options"]["min_inhabited"]
        ),
        (&json!(true), &Value::Null)
    );

    assert_eq!(
        (&report["chunks"]["hidden"], &report["regions"]["hidden"]),
        (&json!(1), &json!(1))
    );

    let total: u64 = ["drawn", "empty", "unfinished", "bad", "hidden"]
        .iter()
        .map(|kind| report["chunks"][kind].as_u64().unwrap())
        .sum();
    assert_eq!(total, 108, "the chunks of the regions that take part");

    // The digits of a time may differ.
    let mut said = report.clone();
    for measured in [
        "seconds",
        "chunks_per_second",
        "peak_memory_bytes",
        "stages",
        "workers",
    ] {
        said.as_object_mut().unwrap().remove(measured);
    }

    for said in [said.to_string(), ran.err] {
        assert!(
            !said.contains("secretmod") && !said.contains("5120") && !said.contains("bases"),
            "{said}"
        );
    }

    assert_same_files(
        "as a first run",
        &place.draw("fresh", &both).files(),
        &Map::at(&map).files(),
    );
}

/// The first run with hidden places changes no other tile here. It must still drop the records of
/// the region.
#[test]
fn a_run_forgets_a_hidden_region_without_drawing() {
    let mut files = Files::new();
    for x in [0, 4] {
        let mut region = RegionSpec::new(x, 0);
        let mut spec = chunk(x * 32, 0);
        spec = ChunkSpec {
            generation: Generation::Root(3955),
            ..spec
        };

        spec.layer(
            80,
            80,
            if x == 0 {
                block::STONE
            } else {
                Block::named("secretmod:vault")
            },
        );
        region.put(&spec);
        files.put_region("region", &region);
    }

    let place = Place::of(&files);

    // After this time the stamp of the other region is trusted, so its records do not change.
    std::thread::sleep(std::time::Duration::from_millis(2100));
    place.draw("map", &[]);

    let journal = place.at("map").join(".pixelmap/journal");
    let told = || {
        fs::read(&journal)
            .unwrap()
            .windows(9)
            .any(|part| part == b"secretmod")
    };

    assert!(told());

    let ran = render(
        &place.world(),
        &place.at("map"),
        &["--hide", "2048,0,2560,512"],
    )
    .expect(0, "hidden");
    assert_eq!(drawn(&ran.report()), 0);
    assert!(!told());
}
