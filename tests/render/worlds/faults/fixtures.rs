//! Tests the fixtures with one fault each: each fault costs one chunk and has its reason.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

use super::columns;
use crate::map::{Place, fixture, on, render};
use crate::world::{Files, alpha, fixture as made};

/// Fixtures with an unreadable chunk: the region, the chunk, the reason.
const FAULTS: [(&str, &str, [i32; 2], &str); 34] = [
    ("file-half-header", "r.1.0.mca", [32, 0], "out_of_file"),
    ("file-cut-record", "r.1.0.mca", [32, 0], "bad_length"),
    ("file-cut-head", "r.1.0.mca", [32, 0], "bad_length"),
    ("file-short-times", "r.1.0.mca", [32, 0], "out_of_file"),
    ("slot-past-end", "r.0.0.mca", [1, 0], "out_of_file"),
    ("slot-at-end", "r.0.0.mca", [1, 0], "out_of_file"),
    ("slot-in-header", "r.0.0.mca", [1, 0], "in_header"),
    ("slots-overlapping", "r.0.0.mca", [1, 0], "bad_length"),
    ("length-0", "r.0.0.mca", [0, 0], "bad_length"),
    ("length-1", "r.0.0.mca", [1, 0], "inflate"),
    ("length-past-end", "r.0.0.mca", [1, 0], "bad_length"),
    ("length-huge", "r.0.0.mca", [1, 0], "bad_length"),
    ("external-missing", "r.-1.-1.mca", [-1, -2], "missing_mcc"),
    ("external-unknown", "r.-1.-1.mca", [-1, -2], "compression"),
    ("compression-custom", "r.-1.-1.mca", [-1, -2], "compression"),
    (
        "compression-unknown",
        "r.-1.-1.mca",
        [-1, -2],
        "compression",
    ),
    ("gzip-truncated", "r.-1.-1.mca", [-1, -2], "inflate"),
    ("zlib-truncated", "r.-1.-1.mca", [-1, -2], "inflate"),
    ("zlib-garbage", "r.-1.-1.mca", [-1, -2], "inflate"),
    ("zlib-checksum", "r.-1.-1.mca", [-1, -2], "inflate"),
    ("lz4-truncated", "r.-1.-1.mca", [-1, -2], "inflate"),
    ("lz4-checksum", "r.-1.-1.mca", [-1, -2], "inflate"),
    ("nbt-truncated", "r.0.0.mca", [1, 0], "nbt"),
    ("nbt-nothing", "r.0.0.mca", [1, 0], "nbt"),
    ("nbt-no-root", "r.0.0.mca", [1, 0], "nbt"),
    ("nbt-deep", "r.0.0.mca", [1, 0], "nbt"),
    ("nbt-negative-length", "r.0.0.mca", [1, 0], "nbt"),
    ("nbt-unknown-tag", "r.0.0.mca", [1, 0], "nbt"),
    ("array-blocks", "r.0.0.mca", [1, 0], "content"),
    ("array-data", "r.0.0.mca", [1, 0], "content"),
    ("array-mcregion", "r.0.0.mca", [1, 0], "content"),
    ("array-spanning", "r.0.0.mca", [1, 0], "content"),
    ("array-aligned", "r.0.0.mca", [1, 0], "content"),
    ("alpha-truncated", "13/1f/c.13.-d.dat", [39, -13], "inflate"),
];

/// The chunks whose slots a fixture's region files use, according to their headers. Before Beta
/// 1.3, the chunks that have files.
fn slots(world: &Path) -> BTreeSet<[i32; 2]> {
    let files = Files::read_under(world);
    let all = (-64..=64).flat_map(|x| (-64..=64).map(move |z| [x, z]));
    let mut slots: BTreeSet<[i32; 2]> = all
        .filter(|[x, z]| files.0.contains_key(&alpha::path(*x, *z)))
        .collect();
    for (name, bytes) in Files::read_under(&world.join("region")).0 {
        let parts: Vec<&str> = name.split('.').collect();
        let ["r", x, z, "mca" | "mcr"] = parts[..] else {
            continue;
        };

        let (x, z): (i32, i32) = (x.parse().unwrap(), z.parse().unwrap());
        for (slot, entry) in bytes.chunks_exact(4).take(1024).enumerate() {
            if entry[..3] != [0; 3] && entry[3] != 0 {
                slots.insert([x * 32 + slot as i32 % 32, z * 32 + slot as i32 / 32]);
            }
        }
    }

    slots
}

#[test]
fn a_fault_costs_one_chunk_with_its_reason() {
    for (name, region, chunk, reason) in FAULTS {
        let place = Place::empty();
        let ran = render(&fixture(name), &place.at("map"), &[]).expect(3, name);
        let report = ran.report();
        assert_eq!(report["outcome"], "gaps", "{name}");

        let bad = report["bad_chunks"].as_array().unwrap();
        assert_eq!(bad.len(), 1, "{name}: {bad:?}");
        assert_eq!(
            (&bad[0]["dimension"], &bad[0]["region"], &bad[0]["chunk"]),
            (&json!("overworld"), &json!(region), &json!(chunk)),
            "{name}"
        );
        assert_eq!(bad[0]["reason"], reason, "{name}");

        let [x, z] = chunk;
        let place_named = format!("{region} chunk {x},{z}");
        assert!(ran.err.contains(&place_named), "{name}: {}", ran.err);

        let map = columns(&place.at("map"));
        for [x, z] in slots(&fixture(name)) {
            let expected = if [x, z] == chunk { 0 } else { 256 };
            assert_eq!(map.drawn_of_chunk(x, z), expected, "{name}: chunk {x}, {z}");
        }

        assert!(map.drawn() >= 256, "{name}: the sound chunk is drawn");
    }
}

#[test]
fn render_and_info_report_the_same() {
    for fixture_made in made::all() {
        let world = fixture(fixture_made.name);
        let place = Place::empty();
        let ran = render(&world, &place.at("map"), &[]);

        let (report, info) = (ran.report(), on("info", &world, &["--json"]));
        let dimensions: Value = serde_json::from_str(&info.out).unwrap();
        let mut told: Vec<Value> = Vec::new();
        for dimension in dimensions["dimensions"].as_array().unwrap() {
            told.extend(dimension["damaged"].as_array().unwrap().iter().cloned());
        }

        let mut bad: Vec<Value> = report["bad_chunks"].as_array().unwrap().clone();
        for one in &mut bad {
            let one = one.as_object_mut().unwrap();
            assert!(
                !one.remove("message").unwrap().as_str().unwrap().is_empty(),
                "{}",
                fixture_made.name
            );
            one.remove("dimension");
        }

        let key = |one: &Value| one.to_string();
        told.sort_by_key(key);
        bad.sort_by_key(key);

        assert_eq!(bad, told, "{}", fixture_made.name);
        assert_eq!(ran.code, info.code, "{}: {}", fixture_made.name, ran.err);
        assert_eq!(
            ran.code,
            if bad.is_empty() { 0 } else { 3 },
            "{}: {}",
            fixture_made.name,
            ran.err
        );

        let chunks: u64 = dimensions["dimensions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["chunks"].as_u64().unwrap())
            .sum();
        let counted: u64 = ["drawn", "empty", "unfinished", "bad"]
            .iter()
            .map(|kind| report["chunks"][kind].as_u64().unwrap())
            .sum();
        assert_eq!(counted, chunks, "{}: slots in use", fixture_made.name);
    }
}

#[test]
fn odd_things_that_cost_nothing_are_warnings() {
    for (name, words) in [
        ("position-differs", "position"),
        ("index-out-of-range", "index"),
        ("section-twice", "section"),
        ("newer-version", "newer"),
        ("file-3-bytes", "header"),
        ("nbt-trailing", "after the end of the NBT"),
        ("slots-same", "overlapping chunks"),
    ] {
        let place = Place::empty();
        let ran = render(&fixture(name), &place.at("map"), &[]).expect(0, name);

        assert_eq!(ran.report()["outcome"], "complete", "{name}");
        let warned = ran
            .err
            .lines()
            .any(|line| line.starts_with("warning: ") && line.contains(words));

        assert!(warned, "{name}: {}", ran.err);
    }
}
