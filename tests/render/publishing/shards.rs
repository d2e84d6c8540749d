//! Tests `render --shard` and `merge`: merged parts equal the map of a single run.
#![allow(
    clippy::disallowed_methods,
    reason = "test worlds and damage to parts are no output of the program"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::map::{Map, Place, Ran, assert_same_files, program, render, shell};
use crate::world::level_dat::LevelDat;
use crate::world::region::NONE;
use crate::world::{ChunkSpec, Files, Generation, Record, RegionSpec, block};

const GENERATION: Generation = Generation::Root(3955);
/// The number of regions from west to east and from north to south, around the origin.
const SIDES: (i32, i32) = (7, 6);
/// The slots in use in each region. Some are at its edges, so that chunks of different regions touch.
const SLOTS: [(i32, i32); 6] = [(0, 0), (31, 0), (0, 31), (31, 31), (15, 15), (16, 15)];
/// Options of all runs: with a layer that takes its legend from the land, and a file that each part
/// brings.
const OPTIONS: [&str; 7] = [
    "-l",
    "day",
    "-l",
    "biome",
    "--details",
    "--title",
    "In parts",
];

fn regions() -> impl Iterator<Item = (i32, i32)> {
    (0..SIDES.0 * SIDES.1).map(|at| (at % SIDES.0 - 3, at / SIDES.0 - 2))
}

/// A world with two dimensions. `bad`: a chunk cannot be read; `without`: a region is not there.
fn world(bad: Option<(i32, i32)>, without: Option<(i32, i32)>) -> Files {
    let mut files = Files::new();
    files.put(
        "level.dat",
        LevelDat::new("parts", GENERATION.data_version())
            .old_spawn(8, 70, 8)
            .bytes(),
    );

    let nether = [(0, 0), (3, -1)].map(|at| ("DIM-1/region", at));
    let overworld = regions()
        .filter(|at| Some(*at) != without)
        .map(|at| ("region", at));
    for (folder, (region_x, region_z)) in overworld.chain(nether) {
        let mut region = RegionSpec::new(region_x, region_z);
        for (x, z) in SLOTS.map(|(dx, dz)| (region_x * 32 + dx, region_z * 32 + dz)) {
            let mut chunk = ChunkSpec::new(x, z, GENERATION);
            chunk.layer(
                60,
                62 + (x * 7 + z * 3).rem_euclid(5),
                if x % 3 == 0 { block::SAND } else { block::DIRT },
            );

            match bad {
                Some(at) if at == (x, z) => {
                    region.put_record(x, z, Record::new(NONE, b"no chunk".to_vec()));
                }
                _ => region.put(&chunk),
            }
        }

        files.put_region(folder, &region);
    }

    files
}

/// Draws one shard into a folder.
fn shard(place: &Place, out: &str, shard: &str, more: &[&str]) -> Ran {
    render(
        &place.world(),
        &place.at(out),
        &[&OPTIONS, &["--shard", shard][..], more].concat(),
    )
}

/// Draws all shards into one folder.
fn draw_all(place: &Place, out: &str, count: u32, code: i32) {
    let mut codes = Vec::new();
    for number in 1..=count {
        let ran = shard(place, out, &format!("{number}/{count}"), &[]);
        assert!(ran.code == 0 || ran.code == code, "{}", ran.err);
        codes.push(ran.code);
    }
    assert!(codes.contains(&code));
}

fn merge(place: &Place, out: &str, parts: &[&str], more: &[&str]) -> Ran {
    let mut command = program();
    command
        .arg("merge")
        .args(parts.iter().map(|part| place.at(part)))
        .arg("-o")
        .arg(place.at(out));
    Ran::of(command.args(["--report", "-"]).args(more).output().unwrap())
}

/// The files of a map without its state.
fn files(place: &Place, out: &str) -> BTreeMap<String, Vec<u8>> {
    Map::at(&place.at(out)).files()
}

fn refusal(ran: Ran, code: i32) -> String {
    ran.expect(code, "refused").err
}

#[test]
fn merged_parts_equal_a_single_run() {
    let place = Place::of(&world(None, None));
    place.draw("single", &OPTIONS);
    let single = files(&place, "single");
    assert!(
        single
            .keys()
            .any(|path| path.starts_with("overworld/day/15/")),
        "several zoom levels"
    );

    // With more shards than regions, some have nothing to draw.
    draw_all(&place, "scattered", 50, 0);
    let merged = shell("ulimit -Sn 40; \"$0\" merge -q -o \"$1\"")
        .arg(place.at("scattered"))
        .output()
        .unwrap();
    Ran::of(merged).expect(0, "merge of more parts than files may be open");
    assert_same_files("scattered", &single, &files(&place, "scattered"));

    for count in [1, 3] {
        let (shared, merged) = (format!("shared-{count}"), format!("merged-{count}"));
        draw_all(&place, &shared, count, 0);
        let ran = merge(&place, &shared, &[], &[]).expect(0, "merge in one folder");
        assert_same_files(&shared, &single, &files(&place, &shared));

        let names: Vec<String> = (1..=count)
            .map(|number| format!("part-{count}-{number}"))
            .collect();
        for (number, name) in (1..).zip(&names) {
            shard(&place, name, &format!("{number}/{count}"), &[]).expect(0, name);
        }

        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let report = merge(&place, &merged, &names, &[])
            .expect(0, "merge of folders")
            .report();
        assert_same_files(&merged, &single, &files(&place, &merged));
        assert_eq!(report["digest"], ran.report()["digest"]);

        // Tiles of shards do not change, and a second merge finds everything unchanged.
        let written = |report: &Value| report["tiles"]["written"].as_u64().unwrap();
        assert!(written(&report) < 20, "{report}");
        assert_eq!(written(&merge(&place, &merged, &names, &[]).report()), 0);

        // Copies of the parts have the same bytes, and times of their own.
        let copies: Vec<String> = names.iter().map(|name| format!("{name}-copy")).collect();
        names
            .iter()
            .zip(&copies)
            .for_each(|(name, copy)| drop(place.copy(name, copy)));
        let copies: Vec<&str> = copies.iter().map(String::as_str).collect();
        let copied = format!("copied-{count}");
        merge(&place, &copied, &copies, &[]).expect(0, "merge of copies");
        assert_same_files(&copied, &single, &files(&place, &copied));
        assert_eq!(written(&merge(&place, &copied, &copies, &[]).report()), 0);
    }
}

#[test]
fn the_json_log_of_merges_has_a_digest() {
    let place = Place::of(&world(None, None));
    draw_all(&place, "map", 2, 0);
    let report = merge(&place, "map", &[], &[]).expect(0, "merge").report();
    let log = program()
        .args(["merge", "--log-format", "json", "-o"])
        .arg(place.at("map"))
        .output()
        .unwrap();

    let log = Ran::of(log).expect(0, "merge without a report").err;
    let end: Value = serde_json::from_str(log.lines().last().unwrap()).unwrap();
    assert!(
        report["digest"].is_string() && end["digest"] == report["digest"],
        "{end}"
    );
}

#[test]
fn a_plain_run_after_a_merge_draws_nothing() {
    let place = Place::of(&world(None, None));
    draw_all(&place, "map", 4, 0);
    merge(&place, "map", &[], &[]).expect(0, "merge");
    let report = render(&place.world(), &place.at("map"), &OPTIONS).report();
    assert_eq!(
        (&report["regions"]["drawn"], &report["tiles"]["written"]),
        (&0.into(), &0.into()),
        "{report}"
    );

    // And so does a shard of another number of shards.
    let report = shard(&place, "map", "2/3", &[]).report();
    assert_eq!(
        (&report["regions"]["drawn"], &report["tiles"]["written"]),
        (&0.into(), &0.into()),
        "{report}"
    );
    assert!(report["regions"]["unchanged"].as_u64().unwrap() > 10);
}

#[test]
fn gaps_match_those_in_a_single_run() {
    let place = Place::of(&world(Some((0, 0)), None));
    let single = render(&place.world(), &place.at("single"), &OPTIONS)
        .expect(3, "single")
        .report();
    draw_all(&place, "map", 5, 3);

    let ran = merge(&place, "map", &[], &[]).expect(3, "merge");
    let report = ran.report();
    for key in [
        "outcome",
        "chunks",
        "bad_chunks",
        "unknown_blocks",
        "warnings",
        "digest",
    ] {
        let edge = |report: &Value| {
            let mut value = report[key].clone();
            if let Some(chunks) = value.as_object_mut() {
                chunks.remove("edge");
            }
            value
        };
        assert_eq!(edge(&report), edge(&single), "{key}");
    }

    assert_same_files("map", &files(&place, "single"), &files(&place, "map"));
    merge(&place, "map", &[], &["--allow-gaps", "2"]).expect(0, "allowed");

    // A chunk that goes bad keeps its pixels, as it does in a single run.
    world(None, None).write_under(&place.world());
    render(&place.world(), &place.at("single"), &OPTIONS).expect(0, "whole");
    draw_all(&place, "map", 5, 0);
    world(Some((0, 0)), None).write_under(&place.world());
    render(&place.world(), &place.at("single"), &OPTIONS).expect(3, "bad again");

    draw_all(&place, "map", 5, 3);
    merge(&place, "map", &[], &[]).expect(3, "merge");
    assert_same_files(
        "map with kept pixels",
        &files(&place, "single"),
        &files(&place, "map"),
    );
}

#[test]
fn a_merge_removes_missing_regions() {
    let place = Place::of(&world(None, None));
    draw_all(&place, "map", 4, 0);

    // Never merged: no manifest names the tile that goes.
    draw_all(&place, "fresh", 4, 0);
    merge(&place, "map", &[], &[]).expect(0, "merge");
    fs::remove_file(place.world().join("region/r.1.1.mca")).unwrap();
    place.draw("single", &OPTIONS);

    for out in ["map", "fresh"] {
        let before = files(&place, out);
        draw_all(&place, out, 4, 0);
        let after = files(&place, out);
        assert!(
            before.keys().all(|path| after.contains_key(path)),
            "no shard removes a tile"
        );

        let lists = ["changed", "deleted"].map(|name| place.at(name).to_str().unwrap().to_owned());
        merge(
            &place,
            out,
            &[],
            &["--changed-list", &lists[0], "--deleted-list", &lists[1]],
        )
        .expect(0, out);

        assert_same_files(out, &files(&place, "single"), &files(&place, out));
        let deleted = fs::read_to_string(&lists[1]).unwrap();
        assert_eq!(
            deleted.contains("overworld/day/17/1/1.png\n"),
            out == "map",
            "{deleted}"
        );
    }

    // Half of the world is gone: the merge removes nothing.
    for (x, z) in regions()
        .filter(|(x, _)| *x >= 0)
        .filter(|at| *at != (1, 1))
    {
        fs::remove_file(place.world().join(format!("region/r.{x}.{z}.mca"))).unwrap();
    }

    draw_all(&place, "map", 4, 0);
    let said = refusal(merge(&place, "map", &[], &[]), 1);
    assert!(said.contains("--max-removed 100%"), "{said}");
    assert_same_files("refused", &files(&place, "single"), &files(&place, "map"));
    merge(&place, "map", &[], &["--max-removed", "100%"]).expect(0, "allowed");
}

#[test]
fn missing_shards_are_named() {
    let place = Place::of(&world(None, None));
    let said = refusal(merge(&place, "map", &[], &[]), 1);
    assert!(said.contains("pixelmap render --shard"), "{said}");

    for number in [1, 3] {
        shard(&place, "map", &format!("{number}/4"), &[]).expect(0, "shard");
    }

    let said = refusal(merge(&place, "map", &[], &[]), 1);
    assert!(
        said.contains("of 4 shards") && said.contains("2, 4;") && said.contains("--allow-missing"),
        "{said}"
    );
    assert!(!place.at("map/map.json").exists());

    let report = merge(&place, "map", &[], &["--allow-missing"])
        .expect(0, "preview")
        .report();
    assert!(report["warnings"].to_string().contains("2, 4"), "{report}");

    let preview = files(&place, "map");

    for number in [2, 4] {
        shard(&place, "map", &format!("{number}/4"), &[]).expect(0, "shard");
    }

    merge(&place, "map", &[], &[]).expect(0, "merge");
    place.draw("single", &OPTIONS);
    assert_same_files("map", &files(&place, "single"), &files(&place, "map"));
    assert!(
        preview.keys().any(|path| path.ends_with("/15/0/0.png"))
            && preview.len() < files(&place, "map").len()
    );

    // If a shard is begun again and not finished, the map keeps its earlier tiles.
    fs::remove_file(place.at("map/.pixelmap/parts/2-of-4/part.json")).unwrap();
    assert!(refusal(merge(&place, "map", &[], &[]), 1).contains("one is missing"));
    merge(&place, "map", &[], &["--allow-missing"]).expect(0, "preview");

    let tiles = |out: &str| {
        [
            Map::at(&place.at(out)).tiles("overworld"),
            Map::at(&place.at(out)).tiles("the_nether"),
        ]
    };

    let names = |out: &str| tiles(out).map(|tiles| tiles.into_keys().collect::<Vec<_>>());
    assert_eq!(names("map"), names("single"));
}

#[test]
fn a_killed_shard_continues_later() {
    let place = Place::of(&world(None, None));
    place.draw("single", &OPTIONS);
    draw_all(&place, "map", 2, 0);

    let again = || {
        let mut command = program();
        command
            .args(["render", "-q", "--force", "--shard", "1/2", "-t", "1"])
            .args(OPTIONS);
        command.arg(place.world()).arg("-o").arg(place.at("map"));
        command.spawn().unwrap()
    };

    let mut killed = again();
    let is_begun = || !place.at("map/.pixelmap/parts/1-of-2/part.json").exists();
    let was_begun = (0..5_000).any(|_| {
        std::thread::sleep(Duration::from_millis(1));
        is_begun()
    });
    assert!(was_begun, "a part that is drawn again is not whole");
    killed.kill().unwrap();

    if !killed.wait().unwrap().success() && is_begun() {
        assert!(refusal(merge(&place, "map", &[], &[]), 1).contains("one is missing"));
    }

    assert!(again().wait().unwrap().success());
    merge(&place, "map", &[], &[]).expect(0, "merge");
    assert_same_files("map", &files(&place, "single"), &files(&place, "map"));
}

#[test]
fn parts_that_do_not_belong_together_are_refused() {
    let place = Place::of(&world(None, None));
    let other = Place::of(&world(None, Some((0, 0))));
    let third = Place::of(&world(None, None));
    fs::write(
        third.world().join("level.dat"),
        LevelDat::new("another", None).bytes(),
    )
    .unwrap();

    shard(&place, "one", "1/2", &[]).expect(0, "one");
    shard(&place, "two", "2/2", &[]).expect(0, "two");
    shard(&place, "again", "1/2", &[]).expect(0, "again");
    shard(&place, "three", "2/3", &[]).expect(0, "three");

    shard(
        &place,
        "options",
        "2/2",
        &["--contours", "10", "-l", "height"],
    )
    .expect(0, "options");

    shard(&place, "title", "2/2", &["--description", "Another"]).expect(0, "title");
    shard(&place, "palette", "2/2", &["--palette", "map-item"]).expect(0, "palette");

    let from = |other: &Place, name: &str| {
        let ran = render(
            &other.world(),
            &place.at(name),
            &[&OPTIONS[..], &["--shard", "2/2"]].concat(),
        );
        ran.expect(0, name);
    };

    from(&other, "changed");
    from(&third, "elsewhere");
    place.copy("two", "version");
    place.copy("two", "damaged");
    let part = |name: &str| place.at(name).join(".pixelmap/parts/2-of-2/part.json");
    let text = fs::read_to_string(part("version")).unwrap();

    let version = format!("\"version\":\"{}\"", env!("CARGO_PKG_VERSION"));
    assert!(text.contains(&version));
    fs::write(
        part("version"),
        text.replace(&version, "\"version\":\"0.0.1\""),
    )
    .unwrap();
    fs::write(part("damaged"), &text[..text.len() / 2]).unwrap();

    for (name, why) in [
        ("three", "different numbers of shards"),
        ("options", "other options"),
        ("title", "other options"),
        ("palette", "other options"),
        ("changed", "from different states of the world"),
        ("elsewhere", "different worlds"),
        ("version", "different versions"),
        ("damaged", "another version of pixelmap, or is damaged"),
    ] {
        let said = refusal(merge(&place, "map", &["one", name], &[]), 1);
        assert!(said.contains(why) && said.contains(name), "{name}: {said}");
        assert!(!place.at("map").exists(), "{name}");
    }

    let said = refusal(merge(&place, "map", &["one", "two", "again"], &[]), 1);
    assert!(said.contains("shard 1/2 is there twice"), "{said}");
    merge(&place, "map", &["two", "one"], &[]).expect(0, "in any order");
}

#[test]
fn missing_or_damaged_tiles_are_redrawn() {
    let place = Place::of(&world(None, None));
    place.draw("single", &OPTIONS);

    let tile = "overworld/day/17/0/0.png";
    for out in ["map", "apart"] {
        draw_all(&place, out, 2, 0);
        let parts: &[&str] = if out == "apart" { &["apart"] } else { &[] };
        fs::write(place.at(out).join(tile), b"no tile").unwrap();

        let said = refusal(merge(&place, "merged", parts, &[]), 1);
        if out == "apart" {
            assert!(said.contains(tile), "{said}");
        }

        let said = refusal(
            merge(
                &place,
                if parts.is_empty() { out } else { "merged" },
                parts,
                &[],
            ),
            1,
        );
        assert!(said.contains(tile), "{said}");
        draw_all(&place, out, 2, 0);

        let merged = if parts.is_empty() { out } else { "merged" };
        merge(&place, merged, parts, &[]).expect(0, out);
        assert_same_files(out, &files(&place, "single"), &files(&place, merged));
    }
}

#[test]
fn several_maps_can_be_drawn_in_parts() {
    let place = Place::of(&world(None, None));
    let config = place.at("maps.toml");
    let text = "[[map]]\ndimension = \"overworld\"\nlayer = [\"day\", \
                \"height\"]\n\n[[map]]\ndimension = \"nether\"\n";
    fs::write(&config, text).unwrap();
    let config = ["-c", config.to_str().unwrap()];
    render(&place.world(), &place.at("single"), &config).expect(0, "single");

    for number in 1..=3 {
        let shard = format!("{number}/3");
        render(
            &place.world(),
            &place.at("map"),
            &[&config[..], &["--shard", &shard]].concat(),
        )
        .expect(0, "shard");
    }

    let report = merge(&place, "map", &[], &[]).expect(0, "merge").report();
    assert_eq!(report["maps"].as_array().map(Vec::len), Some(2));
    assert_same_files("map", &files(&place, "single"), &files(&place, "map"));
}

#[test]
fn shards_publish_no_whole_map() {
    let place = Place::of(&world(None, None));
    let refused = |more: &[&str], out: &str| {
        refusal(
            render(
                &place.world(),
                &place.at(out),
                &[&["--shard", "1/2"], more].concat(),
            ),
            2,
        )
    };

    assert!(refused(&[], "map.png").contains("name a folder"));
    assert!(refused(&[], "map.pmtiles").contains("name a folder"));
    assert!(refused(&["--staged"], "map").contains("pixelmap merge"));
    assert!(refused(&["--changed-list", "changed"], "map").contains("pixelmap merge"));

    let said = refusal(
        render(&place.world(), &place.at("map"), &["--shard", "3/2"]),
        2,
    );
    assert!(said.contains("I from 1 to N"), "{said}");
    shard(&place, "map", "1/2", &[]).expect(0, "shard");

    assert!(!place.at("map/map.json").exists() && !place.at("map/index.html").exists());
    assert!(files(&place, "map").keys().all(|path| {
        Path::new(path)
            .extension()
            .is_some_and(|end| end == "png" || end == "js")
    }));
}

#[test]
fn shards_lock_only_their_own_part() {
    let place = Place::of(&world(None, None));
    shard(&place, "map", "1/2", &[]).expect(0, "first");
    let lock = fs::File::options()
        .write(true)
        .open(place.at("map/.pixelmap/parts/1-of-2/lock"))
        .unwrap();
    lock.lock().unwrap();
    shard(&place, "map", "1/2", &[]).expect(75, "held");
    shard(&place, "map", "2/2", &[]).expect(0, "another");
}

#[test]
fn a_dry_run_reports_shares_of_shards() {
    let place = Place::of(&world(None, None));
    let told = render(
        &place.world(),
        &place.at("map"),
        &["--dry-run", "--shards", "4", "--json"],
    )
    .expect(0, "dry run");

    let told: Value = serde_json::from_str(&told.out).unwrap();
    let shards = told["shards"].as_array().unwrap();
    let regions: Vec<u64> = shards
        .iter()
        .map(|shard| shard["regions"].as_u64().unwrap())
        .collect();

    assert_eq!(
        (regions.len(), regions.iter().sum::<u64>()),
        (4, 44),
        "{told}"
    );

    assert!(
        regions.iter().all(|count| (9..=13).contains(count)),
        "{told}"
    );
    assert!(
        (1.0..1.2).contains(&told["largest_over_mean"].as_f64().unwrap()),
        "{told}"
    );

    assert!(
        (0.1..0.5).contains(&told["edges_read_twice"].as_f64().unwrap()),
        "{told}"
    );
    assert!(!place.at("map").exists());

    let drawn: u64 = (1..=4)
        .map(|number| {
            shard(&place, "map", &format!("{number}/4"), &[]).report()["regions"]["total"]
                .as_u64()
                .unwrap()
        })
        .sum();
    assert_eq!(drawn, 44);
}

#[test]
fn a_merged_archive_equals_a_single_run() {
    let place = Place::of(&world(Some((64, 0)), None));
    let parts = ["one", "two", "three"];
    for (number, name) in (1..).zip(parts) {
        let ran = shard(&place, name, &format!("{number}/3"), &[]);
        assert!(matches!(ran.code, 0 | 3), "{}", ran.err);
    }

    draw_all(&place, "map", 3, 3);

    for (dimension, layer, code) in [
        ("overworld", "day", 3),
        ("nether", "biome", 0),
        ("overworld", "biome", 3),
    ] {
        let single = render(
            &place.world(),
            &place.at("single.pmtiles"),
            &["-d", dimension, "-l", layer],
        );

        let single = single.expect(code, "single").report();
        for (out, parts) in [("apart.pmtiles", &parts[..]), ("shared.pmtiles", &["map"])] {
            let report = merge(&place, out, parts, &["-d", dimension, "-l", layer])
                .expect(code, out)
                .report();
            let bytes = |name: &str| fs::read(place.at(name)).unwrap();
            assert!(
                bytes(out) == bytes("single.pmtiles"),
                "{out}: {dimension} {layer}"
            );

            for key in ["digest", "archive", "bad_chunks", "outcome"] {
                assert_eq!(report[key], single[key], "{out}: {key}");
            }
        }

        assert!(place.at("apart.html").exists());
    }

    let left = fs::read_dir(place.at("."))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(
        left.into_iter().all(|name| !name.starts_with('.')),
        "nothing is left beside the archive"
    );

    let said = refusal(merge(&place, "x.pmtiles", &["map"], &["-l", "height"]), 1);
    assert!(
        said.contains("they have day, biome, details of overworld, the_nether"),
        "{said}"
    );
    assert!(refusal(merge(&place, "x.pmtiles", &[], &[]), 2).contains("name the folders"));
    assert!(refusal(merge(&place, "x", &["map"], &["-l", "day"]), 2).contains("archive"));
}

#[test]
fn no_part_reveals_hidden_places() {
    let place = Place::of(&world(Some((32, 32)), None));
    let hide = ["--hide", "512,512,1024,1024"];
    let (out, tile) = ("map", "overworld/day/17/1/1.png");
    draw_all(&place, out, 3, 3);
    assert!(place.at(out).join(tile).exists());

    for number in 1..=3 {
        let ran = shard(&place, out, &format!("{number}/3"), &hide).expect(0, "hidden");
        assert!(!ran.err.contains("hides nothing"), "{}", ran.err);
    }

    // The world grows, so the cuts move, but earlier parts are still recognised.
    let (mut more, mut region) = (Files::new(), RegionSpec::new(5, 0));
    region.put(&ChunkSpec::new(160, 0, GENERATION));
    more.put_region("region", &region);
    more.write_under(&place.world());

    for number in 1..=3 {
        shard(&place, out, &format!("{number}/3"), &hide).expect(0, "grown");
    }

    let state = Files::read_under(&place.at("map/.pixelmap")).0;
    assert!(
        state.keys().all(|path| !path.ends_with("before.json")),
        "{:?}",
        state.keys()
    );

    let told = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).contains("\"chunk\":[32,32]");
    assert!(
        !state.values().any(told),
        "what could not be read there is told"
    );

    merge(&place, out, &[], &[]).expect(0, "merge");
    render(
        &place.world(),
        &place.at("single"),
        &[&OPTIONS[..], &hide].concat(),
    )
    .expect(0, "single");

    assert_same_files(out, &files(&place, "single"), &files(&place, out));
    assert!(!place.at(out).join(tile).exists());
    render(
        &place.world(),
        &place.at(out),
        &[&OPTIONS[..], &hide].concat(),
    )
    .expect(0, "plain");
    assert!(!place.at("map/.pixelmap/parts").exists());
}

#[test]
fn a_merge_never_waits_for_running_shards() {
    let place = Place::of(&world(None, None));
    draw_all(&place, "map", 2, 0);
    let lock = fs::File::options()
        .write(true)
        .open(place.at("map/.pixelmap/parts/2-of-2/lock"))
        .unwrap();
    lock.lock().unwrap();
    let said = refusal(merge(&place, "map", &[], &[]), 75);
    assert!(said.contains("2-of-2 is held"), "{said}");
    drop(lock);
    merge(&place, "map", &[], &[]).expect(0, "merge");
}

#[test]
fn foreign_parts_never_leave_their_folder() {
    let place = Place::of(&world(None, None));
    shard(&place, "part", "1/1", &[]).expect(0, "part");

    let json = fs::read_to_string(place.at("part/.pixelmap/parts/1-of-1/part.json")).unwrap();
    let changed = |from: &str, to: &str| {
        assert!(json.contains(from), "{from} in {json}");
        json.replace(from, to)
    };

    for (what, text) in [
        (
            "a path out of the folder",
            changed("\"path\":\"the_nether\"", "\"path\":\"../../nether\""),
        ),
        (
            "the folder of the user's files",
            changed(
                "\"id\":\"the_nether\",\"path\":\"the_nether\"",
                "\"id\":\"custom\",\"path\":\"custom\"",
            ),
        ),
        (
            "a zoom level that is none",
            changed("\"min_zoom\":15", "\"min_zoom\":0"),
        ),
        (
            "too many levels",
            changed("\"min_zoom\":15", "\"min_zoom\":200"),
        ),
        (
            "fewer keys than layers",
            changed(
                "\"layers\":[\"day\",\"biome\",\"details\"]",
                "\"layers\":[\"day\",\"biome\",\"details\",\"night\"]",
            ),
        ),
        ("an unknown layer", changed("\"biome\"", "\"biomes\"")),
        (
            "no page of ours",
            changed(
                "\"own_markers\":[]",
                "\"own_markers\":[[\"x.html\",\"{}\"]]",
            ),
        ),
        (
            "markers elsewhere",
            changed(
                "\"own_markers\":[]",
                "\"own_markers\":[[\"../x.geojson\",\"{}\"]]",
            ),
        ),
        (
            "markers that are no JSON",
            changed(
                "\"own_markers\":[]",
                "\"own_markers\":[[\"x.geojson\",\"</script>\"]]",
            ),
        ),
        (
            "a stray off the map",
            changed("\"strays\":[]", "\"strays\":[[0,0,1,1]]"),
        ),
        ("no shard", changed("\"shard\":1", "\"shard\":0")),
        (
            "fewer maps",
            changed("\"maps\":[", "\"maps\":[],\"more\":["),
        ),
    ] {
        let copy = format!("part of {what}");
        place.copy("part", &copy);
        fs::write(
            place.at(&copy).join(".pixelmap/parts/1-of-1/part.json"),
            text,
        )
        .unwrap();

        let said = refusal(merge(&place, "map", &[&copy], &[]), 1);
        assert!(
            !said.contains("panicked") && !place.at("map").exists(),
            "{what}: {said}"
        );
    }

    // A tile that was changed on the way, with its length kept.
    place.copy("part", "flipped");
    let tile = place.at("flipped/overworld/day/17/0/0.png");
    let mut bytes = fs::read(&tile).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&tile, bytes).unwrap();
    assert!(refusal(merge(&place, "map", &["flipped"], &[]), 1).contains("17/0/0.png"));

    // One that leads elsewhere.
    #[cfg(unix)]
    {
        place.copy("part", "linked");
        let tile = place.at("linked/overworld/day/17/0/0.png");
        fs::remove_file(&tile).unwrap();
        std::os::unix::fs::symlink(place.world().join("level.dat"), &tile).unwrap();
        assert!(
            refusal(merge(&place, "other", &["linked"], &[]), 1).contains("not a file of a part")
        );

        assert!(
            place
                .at("other/overworld/day/17/0/0.png")
                .symlink_metadata()
                .is_err()
        );
    }

    // A journal of any bytes.
    place.copy("part", "torn");

    let journal = place.at("torn/.pixelmap/parts/1-of-1/journal");
    let bytes = fs::read(&journal).unwrap();
    for len in [0, 18, 40, bytes.len() / 2] {
        fs::write(&journal, &bytes[..len]).unwrap();
        let ran = merge(&place, &format!("torn-{len}"), &["torn"], &[]);
        assert!(
            !ran.err.contains("panicked") && ran.code <= 3,
            "{len}: {}",
            ran.err
        );
    }
}
