//! `pixelmap select` lists chunks in the form that MCA Selector reads, and changes no world.
#![allow(
    clippy::disallowed_methods,
    reason = "test files are no output of the program"
)]

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::map::{Place, assert_same_files, on};
use crate::world::level_dat::LevelDat;
use crate::world::{ChunkSpec, Files, Generation, RegionSpec, Tag, block};

/// The chunks that a selection names, read by the rules of MCA Selector's `Selection.readFromFile`.
/// A region stands for all of its chunks.
fn read(text: &str) -> BTreeSet<(i32, i32)> {
    let mut chunks = BTreeSet::new();
    for line in text.lines() {
        assert_ne!(line, "inverted");

        let numbers: Vec<i32> = line
            .split(';')
            .map(|number| number.parse().unwrap())
            .collect();

        match numbers[..] {
            [x, z] => chunks.extend((0..1024).map(|slot| (x * 32 + slot % 32, z * 32 + slot / 32))),
            [x, z, chunk_x, chunk_z] => {
                assert_eq!(
                    (chunk_x >> 5, chunk_z >> 5),
                    (x, z),
                    "the chunk is not in the region"
                );
                chunks.insert((chunk_x, chunk_z));
            }
            _ => panic!("invalid region or chunk coordinate format: {line}"),
        }
    }

    chunks
}

/// A chunk in which players spent some seconds, or a chunk of a version that stores no time.
fn chunk(x: i32, z: i32, seconds: Option<i64>) -> ChunkSpec {
    let generation = if seconds.is_some() {
        Generation::Root(3465)
    } else {
        Generation::McRegion
    };
    let mut chunk = ChunkSpec::new(x, z, generation);
    chunk.layer(60, 62, block::STONE);
    chunk.extra = seconds
        .map(|seconds| ("InhabitedTime", Tag::Long(seconds * 20)))
        .into_iter()
        .collect();
    chunk
}

fn place(chunks: &[ChunkSpec]) -> Place {
    let mut files = Files::new();
    let regions: BTreeSet<(i32, i32)> = chunks
        .iter()
        .map(|chunk| (chunk.x >> 5, chunk.z >> 5))
        .collect();

    for (x, z) in regions {
        let mut region = RegionSpec::new(x, z);
        chunks
            .iter()
            .filter(|chunk| (chunk.x >> 5, chunk.z >> 5) == (x, z))
            .for_each(|chunk| region.put(chunk));
        files.put_region("region", &region);
    }

    Place::of(&files)
}

fn selected(place: &Place, options: &[&str]) -> BTreeSet<(i32, i32)> {
    read(
        &on("select", &place.world(), options)
            .expect(0, &format!("{options:?}"))
            .out,
    )
}

#[test]
fn chunks_are_selected_by_time_and_place() {
    let chunks = [
        chunk(-1, -1, Some(10)),
        chunk(0, 0, Some(299)),
        chunk(1, 0, Some(300)),
        chunk(40, 2, Some(0)),
        chunk(2, 2, None),
    ];
    let place = place(&chunks);
    let before = Files::read_under(&place.world());

    let of = |list: &[(i32, i32)]| list.iter().copied().collect::<BTreeSet<_>>();
    assert_eq!(
        selected(&place, &["--inhabited-below", "5m"]),
        of(&[(-1, -1), (0, 0), (40, 2)])
    );
    assert_eq!(
        selected(&place, &["--inhabited-above", "299"]),
        of(&[(0, 0), (1, 0)])
    );

    let between = ["--inhabited-above", "10s", "--inhabited-below", "300"];
    assert_eq!(selected(&place, &between), of(&[(-1, -1), (0, 0)]));
    assert_eq!(selected(&place, &["--near", "0,0,1,1"]), of(&[(0, 0)]));

    let markers = place.at("markers.geojson");

    let point = |dimension: &str| {
        format!(
            r#"{{"type":"FeatureCollection","dimension":"{dimension}","features":[{{"type":"Feature","properties":{{}},"geometry":{{"type":"Point","coordinates":[5,5]}}}}]}}"#
        )
    };

    fs::write(&markers, point("overworld")).unwrap();
    let keep = [
        "--inhabited-below",
        "1h",
        "--keep-near",
        markers.to_str().unwrap(),
        "--distance",
    ];

    assert_eq!(
        selected(&place, &[&keep[..], &["8"]].concat()),
        of(&[(1, 0), (40, 2)]),
        "0, 0 has the point; -1, -1 is 7.8 away"
    );
    assert_eq!(
        selected(&place, &[&keep[..], &["0"]].concat()),
        of(&[(-1, -1), (1, 0), (40, 2)])
    );

    fs::write(&markers, point("the_nether")).unwrap();
    assert_eq!(
        selected(&place, &[&keep[..], &["500"]].concat()).len(),
        4,
        "a marker of another dimension"
    );

    let told = on("select", &place.world(), &["--inhabited-below", "1h"])
        .expect(0, "warning")
        .err;
    assert!(
        told.contains("1 chunk without the time of players"),
        "{told}"
    );
    assert_same_files("the world", &before.0, &Files::read_under(&place.world()).0);
}

#[test]
fn whole_regions_are_lines_and_previews_show_areas() {
    let chunks: Vec<_> = (0..1024)
        .map(|slot| chunk(slot % 32 - 32, slot / 32, Some(0)))
        .chain([chunk(3, 4, Some(1))])
        .collect();

    let place = place(&chunks);
    let (list, preview) = (place.at("trim.csv"), place.at("trim.geojson"));
    let files = [
        "-o",
        list.to_str().unwrap(),
        "--preview",
        preview.to_str().unwrap(),
    ];

    on(
        "select",
        &place.world(),
        &[&["--inhabited-below", "1m"][..], &files].concat(),
    )
    .expect(0, "files");
    assert_eq!(fs::read_to_string(&list).unwrap(), "-1;0\n0;0;3;4\n");

    let shown: Value = serde_json::from_str(&fs::read_to_string(&preview).unwrap()).unwrap();
    let rings =
        |feature: usize| shown["features"][feature]["geometry"]["coordinates"][0][0].to_string();
    assert_eq!(rings(0), "[[-512,0],[0,0],[0,512],[-512,512],[-512,0]]");
    assert_eq!(rings(1), "[[48,64],[64,64],[64,80],[48,80],[48,64]]");
    assert_eq!(
        shown["features"][1]["properties"]["name"],
        "1 selected chunk"
    );

    let map = place.draw("map", &["--markers", preview.to_str().unwrap()]);
    assert!(
        map.root.join("markers/trim.geojson").is_file(),
        "a map shows the preview"
    );

    let none = on("select", &place.world(), &["--inhabited-above", "9h"]).expect(0, "nothing");
    assert_eq!(none.out, "");
}

#[test]
fn chunks_of_ships_are_never_selected() {
    let ships = [
        (-1_792_000, 768_000),
        (1_792_255, 1_792_255),
        (318_401, -1_599),
        (321_599, 5_000),
    ];
    let land = [(0, 0), (-1_792_001, 768_000), (-1_792_000, 767_999)];
    let all: Vec<ChunkSpec> = [&ships[..], &land]
        .concat()
        .into_iter()
        .map(|(x, z)| chunk(x, z, Some(0)))
        .collect();

    let options = ["--inhabited-below", "5m"];
    let plain = place(&all);
    assert_eq!(selected(&plain, &options).len(), all.len(), "no mod");

    let mods = |mods: &str| Tag::List(vec![Tag::compound([("ModId", Tag::string(mods))])]);
    let listed = |loader: &'static str, list: &str, id: &str| {
        let list = Tag::compound([(list, mods(id))]);
        LevelDat::new("ships", Some(3465))
            .with_root(loader, list)
            .bytes()
    };

    for (file, bytes) in [
        ("data/valkyrienskies.dat", Vec::new()),
        ("data/vs_ship_data.dat", Vec::new()),
        ("data/valkyrienskies/vs_ship_data.dat", Vec::new()),
        ("DIM-1/data/vs_ship_data.dat", Vec::new()),
        ("level.dat", listed("FML", "ModList", "valkyrienskies")),
        (
            "level.dat",
            listed("fml", "LoadingModList", "valkyrienskies"),
        ),
    ] {
        let mut files = Files::read_under(&plain.world());
        files.put("DIM-1/region/r.0.0.mca", Vec::new());
        files.put(file, bytes);
        let ran = on("select", &Place::of(&files).world(), &options).expect(0, file);
        assert_eq!(read(&ran.out), BTreeSet::from(land), "{file}");
        assert!(
            ran.err
                .contains("4 chunks in the far area in which Valkyrien Skies"),
            "{file}: {}",
            ran.err
        );
    }
}

#[test]
fn wrong_uses_of_select_are_refused() {
    let place = place(&[chunk(0, 0, Some(5))]);
    let inside = place.world().join("trim.csv");

    let refused = |options: &[&str], code: i32, words: &str| {
        let ran = on("select", &place.world(), options).expect(code, &format!("{options:?}"));
        assert!(ran.err.contains(words), "{}", ran.err);
    };

    refused(&[], 2, "--inhabited-below");
    refused(&["--inhabited-below", "5w"], 2, "such as 5m");
    refused(
        &["--inhabited-below", "5m", "-o", inside.to_str().unwrap()],
        2,
        "is inside the world",
    );
    assert!(!inside.exists());

    let near = place.at("near.geojson");
    fs::write(&near, "kept").unwrap();
    let near = near.to_str().unwrap();
    refused(
        &["--near", near, "--preview", near],
        2,
        "is read by this run",
    );

    assert_eq!(fs::read_to_string(near).unwrap(), "kept");
    refused(&["--near", "absent.geojson"], 2, "absent.geojson");
    fs::write(place.at("no.geojson"), "{}").unwrap();
    refused(
        &["--near", place.at("no.geojson").to_str().unwrap()],
        2,
        "GeoJSON",
    );
}
