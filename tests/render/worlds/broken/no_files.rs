//! Tests worlds in which something else takes the place of a file or folder: pipes, devices,
//! sockets, links in circles. The program waits for none of them, and draws the rest.

use std::fs::{create_dir, create_dir_all, rename};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::places::one_region;
use super::run::{info, query, render, run};
use crate::map::{Map, Place};

/// A pipe without a writer.
pub(crate) fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// A thing that can replace a file or a folder.
type Thing = (&'static str, fn(&Path));

const THINGS: [Thing; 7] = [
    ("a pipe", pipe),
    ("a folder", |path| create_dir(path).unwrap()),
    ("a socket", |path| drop(UnixListener::bind(path).unwrap())),
    ("a device without end", |path| {
        symlink("/dev/zero", path).unwrap();
    }),
    ("a device without anything", |path| {
        symlink("/dev/null", path).unwrap();
    }),
    ("a link to nothing", |path| {
        symlink("nowhere", path).unwrap();
    }),
    ("a link to itself", |path| {
        symlink(path.file_name().unwrap(), path).unwrap();
    }),
];

#[test]
fn non_file_regions_are_named_and_delay_nothing() {
    for (name, put) in THINGS {
        let place = Place::of(&one_region());
        put(&place.world().join("region/r.1.0.mca"));
        let ran = render(&place.world(), &place.at("map"), &["-t", "2"]).expect(3, name);
        let report = ran.report();
        let bad = &report["bad_chunks"];
        let gap = json!({"region": "r.1.0.mca", "chunk": null, "reason": "unreadable"});

        assert_eq!(bad.as_array().unwrap().len(), 1, "{name}: {bad}");
        assert_eq!(
            [&bad[0]["region"], &bad[0]["chunk"], &bad[0]["reason"]],
            ["region", "chunk", "reason"].map(|key| &gap[key])
        );
        assert!(ran.err.contains("r.1.0.mca: "), "{name}: {}", ran.err);
        assert_eq!(Map::at(&place.at("map")).columns().drawn(), 256, "{name}");

        let (told, code) = info(&place.world());
        assert_eq!(
            (&told["dimensions"][0]["damaged"], code),
            (&json!([gap]), 3),
            "{name}"
        );

        let (answers, code) = query(&place.world(), &[(48, 48), (600, 3)]);
        assert_eq!(
            (&answers[1]["missing"], code),
            (&json!("damaged: unreadable"), 3),
            "{name}"
        );
        assert!(answers[0]["y"].is_number(), "{name}: {answers:?}");

        // The next run finds the damage unchanged and reports it again.
        assert_eq!(
            render(&place.world(), &place.at("map"), &[])
                .expect(3, name)
                .report()["bad_chunks"],
            *bad,
            "{name}"
        );
    }
}

#[test]
fn non_folder_region_folders_are_refused() {
    for (name, put) in THINGS {
        let place = Place::empty();
        create_dir_all(place.world()).unwrap();
        put(&place.world().join("region"));

        for world in [place.world(), place.world().join("region")] {
            for command in ["info", "query", "render"] {
                let mut args = vec![command, world.to_str().unwrap()];
                let out = place.at("map");
                args.extend(if command == "render" {
                    ["-o", out.to_str().unwrap()]
                } else {
                    ["-d", "0"]
                });

                args.truncate(if command == "info" { 2 } else { 4 });
                args.extend(if command == "query" {
                    &["0", "0"][..]
                } else {
                    &[]
                });
                let ran = run(&args).expect(1, name);
                assert_eq!(ran.err.lines().count(), 1, "{name}, {command}: {}", ran.err);
            }
        }

        assert!(!place.at("map").exists(), "{name}");
    }
}

#[test]
fn a_non_file_level_dat_costs_the_name() {
    for (name, put) in THINGS {
        let place = Place::of(&one_region());
        put(&place.world().join("level.dat"));
        put(&place.world().join("level.dat_old"));
        put(&place.world().join("datapacks"));

        assert_eq!(
            render(&place.world(), &place.at("map"), &[])
                .expect(0, name)
                .report()["world"]["name"],
            "world"
        );
        assert_eq!(info(&place.world()), info(&place.world()), "{name}");
        assert_eq!(info(&place.world()).1, 0, "{name}");
    }
}

#[test]
fn odd_files_among_dimensions_and_packs_are_harmless() {
    for (name, put) in THINGS {
        let place = Place::of(&one_region());
        let world = place.world();
        create_dir_all(world.join("dimensions/mod/deep")).unwrap();
        create_dir_all(world.join("datapacks/pack/data/mod/dimension_type")).unwrap();

        for thing in [
            "DIM-1",
            "dimensions/mod/deep/region",
            "dimensions/mod/other",
            "datapacks/other.zip",
        ] {
            put(&world.join(thing));
        }

        for thing in [
            "pack.mcmeta",
            "data/mod/dimension_type/a.json",
            "data/mod/dimension",
        ] {
            put(&world.join("datapacks/pack").join(thing));
        }

        // An empty folder in place of a dimension has the effect of a missing one.
        let in_place = if name == "a folder" {
            &[][..]
        } else {
            &["mod:deep", "the_nether"]
        };

        let code = if in_place.is_empty() { 0 } else { 3 };
        let report = render(&world, &place.at("map"), &[])
            .expect(code, name)
            .report();

        let bad = report["bad_chunks"].as_array().unwrap();
        let mut missed: Vec<&str> = bad
            .iter()
            .map(|bad| bad["dimension"].as_str().unwrap())
            .collect();
        missed.sort_unstable();
        assert_eq!(missed, in_place, "{name}");
        assert_eq!(report["chunks"]["drawn"], 1, "{name}");
    }
}

#[test]
fn folders_in_a_ring_are_visited_once() {
    let place = Place::of(&one_region());
    let world = place.world();
    create_dir_all(world.join("dimensions/mod")).unwrap();

    for (link, target) in [
        ("dimensions/mod/up", ".."),
        ("dimensions/mod/world", "../.."),
        ("dimensions/mod/here", "."),
        ("dimensions/again", "../dimensions"),
        ("DIM-1", "."),
        ("world_nether", "."),
        ("region/region", "."),
    ] {
        symlink(target, world.join(link)).unwrap();
    }

    let report = render(&world, &place.at("map"), &[])
        .expect(0, "links in loops")
        .report();

    assert_eq!(report["regions"]["failed"], 0);
    assert!(
        report["world"]["dimensions"].as_array().unwrap().len() <= 2,
        "{}",
        report["world"]
    );
    assert_eq!(info(&world).1, 0);
}

#[test]
fn non_folder_worlds_are_refused_at_once() {
    for (name, put) in THINGS.iter().filter(|(name, _)| *name != "a folder") {
        let place = Place::empty();
        put(&place.at("world"));
        let ran = run(&[
            "render",
            place.world().to_str().unwrap(),
            "-o",
            place.at("map").to_str().unwrap(),
        ]);

        assert_eq!(
            (ran.code, ran.err.lines().count()),
            (1, 1),
            "{name}: {}",
            ran.err
        );
        assert!(!place.at("map").exists(), "{name}");
    }
}

/// Anything may replace the files that are kept for the next run: the run ends without a panic,
/// with a complete or unchanged map.
#[test]
fn odd_things_in_the_output_delay_no_run() {
    for (name, put) in THINGS {
        for file in [
            ".pixelmap/journal",
            ".pixelmap/world.json",
            "map.json",
            "overworld/day/tiles.tsv",
        ] {
            let place = Place::of(&one_region());
            let map = place.at("map");
            render(&place.world(), &map, &[]).expect(0, "at first");
            rename(map.join(file), place.at("old")).ok();
            put(&map.join(file));

            let ran = render(&place.world(), &map, &[]);
            assert!(
                [0, 1, 75].contains(&ran.code),
                "{name} as {file}: {}: {}",
                ran.code,
                ran.err
            );

            assert_eq!(
                ran.report()["error"] == Value::Null,
                ran.code == 0,
                "{name} as {file}"
            );
        }
    }
}

#[test]
fn non_file_palettes_are_refused_at_once() {
    // A pipe is read, because shells turn the output of a program into one.
    for (name, put) in THINGS.iter().filter(|(name, _)| *name != "a pipe") {
        let place = Place::of(&one_region());
        put(&place.at("my.tsv"));
        let (world, out, palette) = (place.world(), place.at("map"), place.at("my.tsv"));
        let ran = run(&[
            "render",
            world.to_str().unwrap(),
            "-o",
            out.to_str().unwrap(),
            "--palette",
            palette.to_str().unwrap(),
        ]);

        let is_empty = *name == "a device without anything";
        assert_eq!(
            ran.code,
            if is_empty { 0 } else { 2 },
            "{name}: {}",
            ran.err
        );

        let checked = run(&["palette", "check", palette.to_str().unwrap()]);
        assert_eq!(checked.code == 0, is_empty, "{name}: {}", checked.err);
    }
}
