//! Tests damaged worlds: a fault costs no more than it must, and is named.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Value, json};

use crate::map::{Columns, Map, Place, fixture, on, render, run};
use crate::world::{
    ChunkSpec, Files, Generation, Record, RegionSpec, alpha, fixture as made, mutation,
};

/// Fixtures with a chunk that cannot be read: the region, the chunk, the reason.
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

/// The chunks that a fixture's region files have slots for, from their headers; before Beta 1.3,
/// those with files.
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

fn columns(out: &Path) -> Columns {
    Map::at(out).columns()
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

#[test]
fn a_chunk_newer_than_the_program_is_drawn() {
    let place = Place::empty();
    let ran = render(&fixture("newer-version"), &place.at("map"), &[]).expect(0, "newer-version");
    assert_eq!(
        ran.report()["newer"],
        json!({"chunks": 1, "data_version": 9000})
    );

    assert!(ran.err.contains("9000"), "{}", ran.err);
    assert_eq!(columns(&place.at("map")).drawn_of_chunk(1, 0), 256);
    render(
        &fixture("newer-version"),
        &place.at("denied"),
        &["--deny", "newer-version"],
    )
    .expect(3, "denied");

    assert_eq!(
        columns(&place.at("denied")).drawn_of_chunk(1, 0),
        256,
        "drawn all the same"
    );

    render(
        &fixture("gzip"),
        &place.at("sound"),
        &["--deny", "newer-version"],
    )
    .expect(0, "nothing to deny");
}

#[test]
fn unknown_blocks_are_drawn_and_can_be_denied() {
    let place = Place::empty();
    let ran = render(&fixture("odd-blocks"), &place.at("map"), &[]).expect(0, "odd-blocks");
    let report = ran.report();
    let unknown = report["unknown_blocks"].as_object().unwrap();
    assert_eq!(unknown.len(), 5, "{unknown:?}");
    assert_eq!(
        unknown["example:machine_0"],
        json!({"columns": 3, "dimension": "overworld", "first": [16, 71, 2]})
    );

    assert_eq!(columns(&place.at("map")).drawn_of_chunk(1, 0), 256);
    render(
        &fixture("odd-blocks"),
        &place.at("denied"),
        &["--deny", "unknown-blocks"],
    )
    .expect(3, "denied");

    let both = ["--deny", "unknown-blocks", "--deny", "newer-version"];
    render(&fixture("newer-version"), &place.at("both"), &both).expect(3, "both denied");
    render(&fixture("gzip"), &place.at("sound"), &both).expect(0, "nothing to deny");
}

/// A world of two chunks of a status, in the overworld and in the nether.
fn with_status(overworld: &'static str, nether: &'static str) -> Files {
    let mut files = Files::new();
    for (folder, status) in [("region", overworld), ("DIM-1/region", nether)] {
        let mut region = RegionSpec::new(0, 0);
        for x in 0..2 {
            let mut chunk = made::landscape(x, 0, Generation::Root(3955));
            chunk.status = Some(status);
            region.put(&chunk);
        }
        files.put_region(folder, &region);
    }

    files
}

#[test]
fn an_incomprehensible_dimension_is_code_3() {
    for (world, code, says) in [
        (
            with_status("minecraft:full", "minecraft:grown"),
            3,
            "no chunk could be understood in the_nether",
        ),
        (
            with_status("minecraft:grown", "minecraft:grown"),
            3,
            "no chunk could be understood in overworld, the_nether",
        ),
        (with_status("minecraft:full", "minecraft:noise"), 0, ""),
    ] {
        let place = Place::of(&world);
        for again in ["drawn", "unchanged"] {
            let ran = render(&place.world(), &place.at("map"), &["-q"]).expect(code, again);
            assert_eq!(
                ran.err.lines().count(),
                usize::from(code != 0),
                "{again}: {}",
                ran.err
            );
            assert!(ran.err.contains(says), "{again}: {}", ran.err);
        }

        render(&place.world(), &place.at("staged"), &["--staged"]).expect(code, "staged");
        assert_eq!(place.at("staged/index.html").exists(), code == 0);
    }
}

#[test]
fn a_dimension_without_anything_drawn_can_be_denied() {
    let place = Place::of(&with_status("minecraft:full", "minecraft:noise"));
    let ran = render(&place.world(), &place.at("map"), &["-q", "--deny", "empty"])
        .expect(3, "the nether is empty");
    assert!(
        ran.err.contains("nothing is drawn in the_nether") && ran.err.contains("--deny empty"),
        "{}",
        ran.err
    );

    render(
        &place.world(),
        &place.at("map"),
        &["--deny", "empty", "-d", "overworld"],
    )
    .expect(0, "not asked for");

    render(
        &place.world(),
        &place.at("far"),
        &["--deny", "empty", "-a", "5000,0,5100,9"],
    )
    .expect(3, "an empty area");

    render(
        &place.world(),
        &place.at("map"),
        &["--unfinished", "--deny", "empty"],
    )
    .expect(0, "raw terrain is drawn");

    render(
        &place.world(),
        &place.at("part"),
        &["--deny", "empty", "--shard", "1/2"],
    )
    .expect(2, "a part");
}

#[test]
fn a_quiet_run_prints_a_line_per_reason() {
    let place = Place::of(&with_bad(3));
    let ran = render(&place.world(), &place.at("map"), &["-q"]).expect(3, "gaps");

    assert!(
        ran.err.starts_with(
            "pixelmap: 3 places could not be read, the first: overworld r.0.0.mca chunk 0,0: "
        ),
        "{}",
        ran.err
    );
    assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);

    let ran = render(
        &place.world(),
        &place.at("map"),
        &["-q", "--max-bad-chunks", "1"],
    )
    .expect(1, "too many");

    assert!(
        ran.err.lines().count() == 1 && ran.err.contains("--max-bad-chunks"),
        "{}",
        ran.err
    );

    let report = place.at("report.json");
    let [world, out] =
        [place.world(), place.at("other")].map(|path| path.to_str().unwrap().to_owned());

    let report = report.to_str().unwrap();
    let ran = run(&[
        "render", &world, "-o", &out, "-q", "--report", report, "--min-y", "1000", "--deny",
        "empty",
    ]);

    assert_eq!((ran.code, ran.err.lines().count()), (3, 2), "{}", ran.err);
    assert!(
        ran.err.contains(&format!("all are listed in {report}")),
        "{}",
        ran.err
    );

    let ran = render(
        &place.world(),
        &place.at("map"),
        &["-q", "--allow-gaps", "3"],
    )
    .expect(0, "allowed");
    assert_eq!(ran.err, "");
}

/// A world of 10 chunks, the first `bad` of them damaged.
fn with_bad(bad: i32) -> Files {
    let mut region = RegionSpec::new(0, 0);
    for x in 0..10 {
        match x {
            x if x < bad => region.put_record(x, 0, Record::new(2, vec![0x5a; 90])),
            x => region.put(&made::landscape(x, 0, Generation::Root(3955))),
        }
    }

    let mut files = Files::new();
    files.put_region("region", &region);

    files
}

#[test]
fn limits_of_gaps_decide_only_the_code() {
    let place = Place::of(&with_bad(3));
    let mut maps = BTreeMap::new();
    for (options, code) in [
        (&[][..], 3),
        (&["--allow-gaps", "2"], 3),
        (&["--allow-gaps", "3"], 0),
        (&["--allow-gaps", "29%"], 3),
        (&["--allow-gaps", "30%"], 0),
        (&["--max-bad-chunks", "3"], 3),
        (&["--max-bad-chunks", "2"], 1),
        (&["--max-bad-chunks", "29.9%"], 1),
        (&["--max-bad-chunks", "2", "--allow-gaps", "100%"], 1),
        (&["--max-bad-chunks", "5", "--allow-gaps", "5"], 0),
    ] {
        let name = format!("map{}", options.join(""));
        let ran = render(&place.world(), &place.at(&name), options).expect(code, &name);
        let report = ran.report();
        assert_eq!(
            report["bad_chunks"].as_array().unwrap().len(),
            3,
            "{name}: reported all the same"
        );

        assert_eq!(
            (&report["outcome"], &report["chunks"]["drawn"]),
            (&json!("gaps"), &json!(7)),
            "{name}"
        );
        maps.insert(name.clone(), Map::at(&place.at(&name)).files());
    }

    let first = maps.values().next().unwrap();
    assert!(
        maps.values().all(|map| map == first),
        "the map is published all the same"
    );
    assert!(first.contains_key("map.json"));
}

#[test]
fn the_report_names_an_unopened_region() {
    let place = Place::of(&with_bad(0));
    std::fs::create_dir(place.world().join("region/r.1.0.mca")).unwrap();
    let report = render(&place.world(), &place.at("map"), &[])
        .expect(3, "a folder as region file")
        .report();

    let bad = &report["bad_chunks"][0];
    assert_eq!(
        (&bad["region"], &bad["chunk"], &bad["reason"]),
        (&json!("r.1.0.mca"), &Value::Null, &json!("unreadable"))
    );

    assert_eq!(
        report["regions"],
        json!({"total": 2, "drawn": 1, "unchanged": 0, "failed": 1, "hidden": 0})
    );
    assert_eq!(columns(&place.at("map")).drawn_of_chunk(9, 0), 256);
}

#[test]
fn chunks_without_their_last_bytes_are_drawn() {
    for name in [
        "zlib-cut",
        "zlib-open",
        "gzip-cut",
        "lz4-cut",
        "external-cut",
        "alpha-cut",
    ] {
        let (place, world) = (Place::empty(), fixture(name));
        let draw = || {
            render(&world, &place.at("map"), &["--check", "content"])
                .expect(0, name)
                .report()
        };

        let first = draw();
        let warnings =
            json!(["compressed bytes whose end is missing, drawn because the NBT is whole"]);
        assert_eq!(
            (&first["chunks"]["bad"], &first["warnings"]),
            (&json!(0), &warnings),
            "{name}"
        );

        let (x, z) = if name == "alpha-cut" {
            (39, -13)
        } else {
            (-1, -2)
        };

        assert_eq!(
            columns(&place.at("map")).drawn_of_chunk(x, z),
            256,
            "{name}"
        );

        let second = draw();
        assert_eq!(
            (&second["tiles"]["written"], &second["warnings"]),
            (&json!(0), &warnings),
            "{name}, unchanged"
        );

        let told = on("info", &world, &["--json"]).expect(0, name).report();
        assert_eq!(told["dimensions"][0]["damaged"], json!([]), "{name}");

        let column = [(x * 16 + 3).to_string(), (z * 16 + 3).to_string()];
        let answer = on("query", &world, &[&column[0], &column[1], "--json"])
            .expect(0, name)
            .report();
        assert!(answer["block"].is_string(), "{name}: {answer}");
    }
}

#[test]
fn unfinished_chunks_are_drawn_on_request() {
    let place = Place::empty();
    let report = render(&fixture("statuses"), &place.at("map"), &[])
        .expect(0, "statuses")
        .report();
    let chunks = &report["chunks"];
    let counts = ["drawn", "unfinished", "bad"].map(|kind| chunks[kind].as_u64().unwrap());
    let map = columns(&place.at("map"));
    assert_eq!(map.drawn() as u64, counts[0] * 256);
    assert!(counts[1] > 0 && counts[2] == 0, "{chunks}");

    // One chunk has a status that no version of the game writes, perhaps a future one.
    assert_eq!(
        report["warnings"],
        json!(["a status that is not known, treated as unfinished"])
    );

    let more = render(&fixture("statuses"), &place.at("more"), &["--unfinished"])
        .expect(0, "--unfinished")
        .report();

    let drawn = more["chunks"]["drawn"].as_u64().unwrap();
    assert!(
        drawn > counts[0] && drawn < counts[0] + counts[1],
        "{}",
        more["chunks"]
    );
    assert_eq!(columns(&place.at("more")).drawn() as u64, drawn * 256);
}

#[test]
fn chunks_without_trees_before_1_13_are_unfinished() {
    let (place, world) = (Place::empty(), fixture("statuses"));
    let ran = render(&world, &place.at("map"), &[]).expect(0, "statuses");
    let unfinished = ran.report()["chunks"]["unfinished"].as_u64().unwrap();
    let said = format!("{unfinished} unfinished chunks left out: --unfinished draws them\n");
    assert!(ran.err.contains(&said), "{}", ran.err);

    let told = on("info", &world, &["--json"]).expect(0, "info").report();
    assert_eq!(told["dimensions"][0]["unfinished"], unfinished);
    render(&world, &place.at("more"), &["--unfinished"]).expect(0, "--unfinished");

    let (map, more) = (columns(&place.at("map")), columns(&place.at("more")));
    for x in 0..4 {
        assert_eq!(
            (map.drawn_of_chunk(x, 4), more.drawn_of_chunk(x, 4)),
            (0, 256),
            "TerrainPopulated 0"
        );

        assert_eq!(
            (map.drawn_of_chunk(x, 5), more.drawn_of_chunk(x, 5)),
            (256, 256),
            "no such tag"
        );
    }

    let asked = on("query", &world, &["3", "67", "3", "83"])
        .expect(0, "query")
        .out;
    assert!(asked.starts_with("3\t67\tunfinished\n3\t83\t6"), "{asked}");
}

#[test]
fn heights_outside_the_limits_are_left_out() {
    let place = Place::of(&with_bad(0));
    let all = columns(&place.draw("all", &[]).root);
    let below = columns(&place.draw("below", &["--max-y", "61"]).root);
    let none = render(
        &place.world(),
        &place.at("none"),
        &["--max-y", "-20", "--min-y", "-30"],
    )
    .expect(0, "nothing");
    assert_eq!(none.report()["outcome"], "empty");
    assert_eq!((all.drawn(), below.drawn()), (2560, 2560));
    assert!((0..160).any(|x| all.at(x, 3) != below.at(x, 3)));
}

/// Mutated region files side by side: each is a region of one world.
fn mutated(seeds: std::ops::Range<u64>, damage: impl Fn(u64) -> Vec<u8>) -> Files {
    let mut files = Files::new();
    for (at, seed) in seeds.enumerate() {
        files.put(
            &format!("region/r.{}.{}.mca", at % 10, at / 10),
            damage(seed),
        );
    }
    files
}

fn assert_drawn_whatever_it_holds(what: &str, files: &Files) {
    let place = Place::of(files);
    let ran = render(&place.world(), &place.at("map"), &["-t", "2", "-v"]).expect(3, what);
    let report = ran.report();

    for word in ["panicked", "defect", "overflow"] {
        assert!(!ran.err.contains(word), "{what}: {}", ran.err);
    }

    assert_eq!(report["regions"]["drawn"], files.0.len(), "{what}");
    assert!(
        report["chunks"]["drawn"].as_u64().unwrap() > 2 * files.0.len() as u64,
        "{what}: {}",
        report["chunks"]
    );

    assert!(
        report["bad_chunks"].as_array().unwrap().len() > files.0.len() / 4,
        "{what}"
    );

    let again = Place::empty();
    render(&place.world(), &again.at("map"), &["-t", "1"]).expect(3, what);
    crate::map::assert_same_files(
        what,
        &Map::at(&place.at("map")).files(),
        &Map::at(&again.at("map")).files(),
    );
}

#[test]
fn two_hundred_damaged_files_are_drawn_in_part() {
    assert_drawn_whatever_it_holds(
        "seeds 1000 to 1099",
        &mutated(1000..1100, mutation::damaged_file),
    );
    assert_drawn_whatever_it_holds(
        "seeds 1100 to 1199",
        &mutated(1100..1200, mutation::damaged_file),
    );
}

#[test]
fn regions_of_damaged_chunks_are_drawn_in_part() {
    assert_drawn_whatever_it_holds(
        "damaged chunks",
        &mutated(2000..2100, mutation::damaged_chunks),
    );
}

#[test]
fn a_world_without_chunks_is_empty() {
    let place = Place::empty();
    let ran = render(&fixture("layout-empty"), &place.at("map"), &[]).expect(0, "layout-empty");
    let report = ran.report();
    assert_eq!(
        (&report["outcome"], &report["error"]),
        (&json!("empty"), &Value::Null)
    );
    assert!(Map::at(&place.at("map")).tiles("overworld").is_empty());

    let mut unborn = RegionSpec::new(0, 0);
    unborn.put(&ChunkSpec::new(0, 0, Generation::Root(3955)));
    let mut files = Files::new();
    files.put_region("region", &unborn);

    let place = Place::of(&files);
    assert_eq!(
        render(&place.world(), &place.at("map"), &[])
            .expect(0, "air alone")
            .report()["outcome"],
        "empty"
    );
}

#[cfg(unix)]
#[test]
fn an_unlistable_dimension_keeps_its_map() {
    let land = |x| {
        let mut region = RegionSpec::new(0, 0);
        region.put(&made::landscape(x, 0, Generation::Root(3955)));
        region
    };

    let mut files = Files::new();
    files.put_region("region", &land(0));
    files.put_region("DIM-1/region", &land(1));
    let place = Place::of(&files);
    render(&place.world(), &place.at("map"), &[]).expect(0, "both");
    let nether = || Files::read_under(&place.at("map").join("the_nether")).0;
    let before = nether();
    assert!(!before.is_empty());

    // Not even root can follow a link to a name as long as this.
    let folder = place.world().join("DIM-1/region");
    std::fs::remove_dir_all(&folder).unwrap();
    std::os::unix::fs::symlink("n".repeat(1000), &folder).unwrap();

    let report = render(&place.world(), &place.at("map"), &["-f"])
        .expect(3, "all")
        .report();
    let bad = &report["bad_chunks"][0];
    assert_eq!(
        (&bad["dimension"], &bad["region"], &bad["chunk"]),
        (&json!("the_nether"), &json!("region"), &Value::Null)
    );

    assert_eq!(
        (&bad["reason"], &report["regions"]["failed"]),
        (&json!("unreadable"), &json!(1))
    );

    assert_eq!(
        (&report["outcome"], &report["chunks"]["drawn"]),
        (&json!("gaps"), &json!(1))
    );
    assert!(
        nether() == before,
        "what could not be looked at was taken for gone"
    );

    let dry = on(
        "render",
        &place.world(),
        &[
            "--dry-run",
            "--json",
            "-o",
            place.at("map").to_str().unwrap(),
        ],
    );

    assert!(
        dry.out
            .contains("the region files of the_nether cannot be listed"),
        "{}",
        dry.out
    );

    render(&place.world(), &place.at("map"), &["-d", "overworld"]).expect(0, "only the overworld");
    let refused = render(&place.world(), &place.at("map"), &["-d", "nether"]);
    assert_eq!(
        (refused.code, refused.err.lines().count()),
        (1, 1),
        "{}",
        refused.err
    );

    assert!(
        refused
            .err
            .contains("the region files of the_nether cannot be listed"),
        "{}",
        refused.err
    );
}

#[cfg(unix)]
#[test]
fn an_unreadable_dimensions_folder_ends_the_run() {
    let mut region = RegionSpec::new(0, 0);
    region.put(&made::landscape(0, 0, Generation::Root(3955)));
    let mut files = Files::new();
    files.put_region("region", &region);
    let place = Place::of(&files);
    render(&place.world(), &place.at("map"), &[]).expect(0, "nothing beside it");

    // Not even root can follow a link to a name as long as this.
    std::os::unix::fs::symlink("n".repeat(1000), place.world().join("dimensions")).unwrap();
    let refused = render(&place.world(), &place.at("map"), &[]);
    assert_eq!(
        (refused.code, refused.err.lines().count()),
        (1, 1),
        "{}",
        refused.err
    );

    assert!(
        refused.err.contains("cannot read") && refused.err.contains("dimensions"),
        "{}",
        refused.err
    );

    for command in ["info", "query"] {
        assert_eq!(
            on(command, &place.world(), &[] as &[&str]).code,
            1,
            "{command}"
        );
    }
}
