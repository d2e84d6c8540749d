//! Tests that merged parts equal the map of a single run.

use std::fs;

use serde_json::Value;

use super::{OPTIONS, draw_all, files, merge, refusal, regions, shard, world_with_gaps};
use crate::map::{Place, Ran, assert_same_files, program, render, shell};

#[test]
fn merged_parts_equal_a_single_run() {
    let place = Place::of(&world_with_gaps(None, None));
    place.draw("single", &OPTIONS);
    let single = files(&place, "single");
    assert!(
        single
            .keys()
            .any(|path| path.starts_with("overworld/day/15/")),
        "several zoom levels"
    );

    // With more shards than regions, some shards have nothing to draw.
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

        // Copies of the parts have the same bytes but other times.
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
    let place = Place::of(&world_with_gaps(None, None));
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
    let place = Place::of(&world_with_gaps(None, None));
    draw_all(&place, "map", 4, 0);
    merge(&place, "map", &[], &[]).expect(0, "merge");
    let report = render(&place.world(), &place.at("map"), &OPTIONS).report();
    assert_eq!(
        (&report["regions"]["drawn"], &report["tiles"]["written"]),
        (&0.into(), &0.into()),
        "{report}"
    );

    // A shard from another number of shards does so as well.
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
    let place = Place::of(&world_with_gaps(Some((0, 0)), None));
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

    // A chunk that becomes unreadable keeps its pixels, as in a single run.
    world_with_gaps(None, None).write_under(&place.world());
    render(&place.world(), &place.at("single"), &OPTIONS).expect(0, "whole");
    draw_all(&place, "map", 5, 0);
    world_with_gaps(Some((0, 0)), None).write_under(&place.world());
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
    let place = Place::of(&world_with_gaps(None, None));
    draw_all(&place, "map", 4, 0);

    // `fresh` was never merged, so no manifest names the tile that vanishes.
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

    // Half of the world is missing, so the merge removes nothing.
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
fn several_maps_can_be_drawn_in_parts() {
    let place = Place::of(&world_with_gaps(None, None));
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
fn a_merged_archive_equals_a_single_run() {
    let place = Place::of(&world_with_gaps(Some((64, 0)), None));
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
