//! Tests `pixelmap verify`, the lists of files that a render writes, and dry runs.
#![allow(
    clippy::disallowed_methods,
    reason = "what tests write is no output of the program"
)]

use std::fs;
use std::path::Path;

use crate::map::{Map, Place, Ran, assert_same_files, fixture, land, on, program, render, run};
use crate::world::{Files, Generation, block};
use serde_json::{Value, json};

const GENERATION: Generation = Generation::Numeric(1343);
/// A chunk in each of six regions, so that there are outer tiles.
const CHUNKS: [(i32, i32); 6] = [(5, 5), (37, 5), (70, 5), (-20, 5), (5, 40), (37, 40)];

pub(crate) fn grass() -> Place {
    Place::of(&land::of_grounds(&CHUNKS, GENERATION, |_, _| {
        Some(block::GRASS_BLOCK)
    }))
}

/// The world without one region and with another ground in a second one.
pub(crate) fn edit(place: &Place) {
    fs::remove_dir_all(place.world()).unwrap();
    land::of_grounds(&CHUNKS, GENERATION, |x, z| match (x, z) {
        (70, 5) => None,
        (37, 5) => Some(block::SAND),
        _ => Some(block::GRASS_BLOCK),
    })
    .write_under(&place.world());
}

fn verify(map: &Path, options: &[&str]) -> Ran {
    on("verify", map, options)
}

#[test]
fn verify_accepts_a_whole_map() {
    let place = grass();
    let map = place.draw("map", &["-l", "day", "-l", "height16"]);
    let ran = verify(&map.root, &[]).expect(0, "whole");
    assert_eq!(ran.out, "");

    assert!(
        ran.err.contains("18 tiles") && ran.err.contains("all right"),
        "{}",
        ran.err
    );
    assert_eq!(verify(&map.root, &["-q"]).expect(0, "quiet").err, "");

    // `verify` ignores the user's own files.
    let own = Files(
        [
            "custom/a.css",
            "markers/17/0/0.png",
            "overworld/notes.txt",
            "overworld/day/17/0/a.png",
        ]
        .map(|path| (path.to_owned(), Vec::new()))
        .into(),
    );
    own.write_under(&map.root);

    verify(&map.root, &[]).expect(0, "files of others");
    fs::create_dir(place.at("empty")).unwrap();

    for nothing in ["empty", "nowhere", "world"] {
        let ran = verify(&place.at(nothing), &[]).expect(1, nothing);
        assert!(
            ran.err.contains("not contain a finished map") && ran.err.lines().count() == 1,
            "{}",
            ran.err
        );
    }
}

#[test]
fn verify_names_missing_changed_and_stray_files() {
    let place = grass();
    let map = place.draw("map", &[]);
    let (day, at) = (map.root.join("overworld/day"), |name: &str| {
        map.root.join("overworld/day").join(name)
    });
    fs::remove_file(at("17/0/0.png")).unwrap();

    let mut bytes = fs::read(at("17/1/0.png")).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(at("17/1/0.png"), &bytes).unwrap();
    fs::remove_file(at("17/2/0.png")).unwrap();
    fs::create_dir(at("17/2/0.png")).unwrap();
    fs::copy(at("17/0/1.png"), at("17/0/7.png")).unwrap();
    fs::copy(at("17/0/1.png"), at("17/0/1.webp")).unwrap();
    Files([("overworld/night/17/0/0.png".to_owned(), bytes)].into()).write_under(&map.root);
    fs::write(map.root.join("map.js"), "var PIXELMAP = {};\n").unwrap();

    let expected = "facts\tmap.js\nmissing\toverworld/day/17/0/0.png\nstray\toverworld/day/17/0/1.webp\n\
                    stray\toverworld/day/17/0/7.png\nchanged\toverworld/day/17/1/0.png\n\
                    changed\toverworld/day/17/2/0.png\nstray\toverworld/night/17/0/0.png\n";
    for threads in ["1", "5"] {
        let ran = verify(&map.root, &["-t", threads]).expect(1, threads);
        assert_eq!(ran.out, expected);
        assert!(ran.err.contains("7 problems"), "{}", ran.err);
    }

    assert_eq!(
        verify(&map.root, &["--digest"])
            .expect(1, "no digest of what is wrong")
            .out,
        ""
    );

    let manifest = fs::read_to_string(day.join("tiles.tsv")).unwrap();
    fs::write(
        day.join("tiles.tsv"),
        manifest.lines().skip(1).collect::<Vec<_>>().join("\n") + "\n",
    )
    .unwrap();

    let ran = verify(&map.root, &[]).expect(1, "a line less");
    assert!(
        ran.out.starts_with("facts\tmap.js\nfacts\tmap.json\n"),
        "{}",
        ran.out
    );

    fs::write(day.join("tiles.tsv"), manifest.trim_end()).unwrap();
    let ran = verify(&map.root, &[]).expect(1, "an end that is missing");
    assert!(
        ran.out.contains("manifest\toverworld/day/tiles.tsv\n"),
        "{}",
        ran.out
    );

    // Damaged tiles are drawn again, and stray files stay.
    fs::write(day.join("tiles.tsv"), manifest).unwrap();
    fs::remove_dir(at("17/2/0.png")).unwrap();
    let again = render(&place.world(), &map.root, &[])
        .expect(0, "again")
        .report();
    assert_eq!(again["regions"]["drawn"], json!(3));
}

#[test]
fn a_digest_depends_only_on_pixels() {
    let place = grass();
    let digest = |name: &str| {
        verify(&place.at(name), &["--digest", "-q"])
            .expect(0, name)
            .out
    };

    place.draw("a", &["-l", "day", "-l", "biome", "-t", "1"]);
    place.draw(
        "b",
        &["-l", "biome", "-l", "day", "-t", "2", "--max-batch", "1"],
    );
    place.draw("c", &["-l", "biome"]);
    place.draw("c", &["-l", "day"]);

    let one = digest("a");
    assert!(
        one.len() == 17 && one.trim_end().bytes().all(|byte| byte.is_ascii_hexdigit()),
        "{one}"
    );
    assert_eq!([digest("b"), digest("c")], [one.clone(), one.clone()]);
    place.draw("d", &["-l", "day"]);
    assert_ne!(digest("d"), one, "a layer less");

    // The tiles of another encoder: other bytes with the same pixels.
    let day = place.at("a").join("overworld/day");
    let (tile, text) = (
        day.join("17/0/0.png"),
        fs::read_to_string(day.join("tiles.tsv")).unwrap(),
    );

    image::open(&tile)
        .unwrap()
        .into_rgba8()
        .save(&tile)
        .unwrap();

    let bytes = fs::read(&tile).unwrap();
    let line = |line: &str| match line.strip_prefix("17\t0\t0\t") {
        None => format!("{line}\n"),
        Some(rest) => {
            let pixels = rest.split('\t').nth(2).unwrap();
            format!(
                "17\t0\t0\t{}\t{:016x}\t{pixels}\n",
                bytes.len(),
                twox_hash::XxHash3_64::oneshot(&bytes)
            )
        }
    };

    fs::write(
        day.join("tiles.tsv"),
        text.lines().map(line).collect::<Vec<_>>().concat(),
    )
    .unwrap();
    assert_eq!(digest("a"), one);
    edit(&place);
    place.draw("e", &["-l", "day", "-l", "biome"]);
    assert_ne!(digest("e"), one, "another world");
}

/// Changes a copy according to the lists, like rsync with --files-from and rm do.
pub(crate) fn apply(place: &Place, copy: &str, to: &Map) {
    let [changed, deleted] =
        ["changed", "deleted"].map(|name| fs::read_to_string(place.at(name)).unwrap());
    assert!(changed.lines().is_sorted() && deleted.lines().is_sorted());

    for path in deleted.lines() {
        let _ = fs::remove_file(place.at(copy).join(path));
    }

    for path in changed.lines() {
        fs::create_dir_all(place.at(copy).join(path).parent().unwrap()).unwrap();
        fs::copy(to.root.join(path), place.at(copy).join(path))
            .unwrap_or_else(|error| panic!("{path}: {error}"));
    }

    assert_same_files("copy", &to.files(), &Map::at(&place.at(copy)).files());
}

fn with_lists(place: &Place, options: &[&str]) -> Value {
    let [changed, deleted] =
        ["changed", "deleted"].map(|name| place.at(name).to_str().unwrap().to_owned());
    let lists = ["--changed-list", &changed, "--deleted-list", &deleted];
    render(
        &place.world(),
        &place.at("map"),
        &[&lists[..], options].concat(),
    )
    .expect(0, "lists")
    .report()
}

#[test]
fn change_lists_update_an_older_copy() {
    let place = grass();
    let map = Map::at(&place.at("map"));
    fs::create_dir(place.at("copy")).unwrap();
    with_lists(&place, &[]);
    apply(&place, "copy", &map);
    edit(&place);

    let report = with_lists(&place, &[]);
    let changed = fs::read_to_string(place.at("changed")).unwrap();
    let tiles = changed
        .lines()
        .filter(|line| crate::map::has_ending(line, "png"))
        .count() as u64;

    assert_eq!(json!(tiles), report["tiles"]["written"], "{changed}");
    assert!(
        changed.contains("overworld/day/tiles.tsv\n")
            && changed.contains("map.json\n")
            && changed.contains("index.html\n")
            && changed.contains("version.json\n")
            && !changed.contains("viewer.js")
    );

    assert!(
        fs::read_to_string(place.at("deleted"))
            .unwrap()
            .contains("overworld/day/17/2/0.png\n")
    );

    apply(&place, "copy", &map);
    with_lists(&place, &[]);
    assert_eq!(
        ["changed", "deleted"].map(|name| fs::metadata(place.at(name)).unwrap().len()),
        [0, 0],
        "nothing to do"
    );

    // A tile that is drawn again with the same bytes is not written.
    with_lists(&place, &["-f"]);
    assert_eq!(fs::metadata(place.at("changed")).unwrap().len(), 0);

    // A copy contains the tile that was removed from the map.
    fs::remove_file(map.root.join("overworld/day/17/0/0.png")).unwrap();
    with_lists(&place, &[]);
    assert_eq!(fs::metadata(place.at("changed")).unwrap().len(), 0);
    with_lists(&place, &["-l", "height"]);
    apply(&place, "copy", &map);
}

#[test]
fn the_next_run_lists_killed_changes() {
    let place = grass();
    let map = place.draw("map", &[]);
    Files(map.files()).write_under(&place.at("copy"));
    edit(&place);
    let fresh = place.draw("fresh", &[]);

    // The state after a run was killed: some tiles are drawn, some are gone, and the manifest is
    // the earlier one.
    let state = [
        "overworld/day/tiles.tsv",
        "map.json",
        "map.js",
        "index.html",
        "version.json",
    ]
    .map(|path| (path, fs::read(map.root.join(path)).unwrap()));

    place.draw("map", &[]);

    for (path, bytes) in state {
        fs::write(map.root.join(path), bytes).unwrap();
    }

    let report = with_lists(&place, &[]);
    assert_eq!(report["tiles"]["written"], json!(0), "the tiles stand");
    apply(&place, "copy", &map);
    assert_same_files("fresh", &fresh.files(), &map.files());
}

#[test]
fn lists_go_to_standard_output_for_maps() {
    let place = grass();
    let mut command = program();
    command
        .arg("render")
        .arg(place.world())
        .arg("-o")
        .arg(place.at("map"))
        .args(["-q", "--changed-list", "-"]);

    let ran = Ran::of(command.output().unwrap()).expect(0, "to standard output");
    assert!(
        ran.out.lines().any(|line| line == "map.json") && ran.out.lines().is_sorted(),
        "{}",
        ran.out
    );

    let ran = render(
        &place.world(),
        &place.at("map.png"),
        &["--changed-list", "x"],
    )
    .expect(2, "a picture");
    assert!(ran.err.contains("for maps"), "{}", ran.err);
}

fn dry(place: &Place, options: &[&str]) -> Value {
    let mut command = program();
    command
        .arg("render")
        .arg(place.world())
        .arg("-o")
        .arg(place.at("map"))
        .args(["--dry-run", "--json"])
        .args(options);
    let ran = Ran::of(command.output().unwrap()).expect(0, "dry run");
    serde_json::from_str(&ran.out).unwrap()
}

#[test]
fn a_dry_run_writes_nothing() {
    let place = grass();
    let told = dry(&place, &["-l", "day", "-l", "height"]);
    assert!(!place.at("map").exists());

    let overworld = &told["dimensions"][0];
    assert_eq!(
        (
            &overworld["regions"],
            &overworld["unchanged"],
            &overworld["chunks"]
        ),
        (&json!(6), &json!(0), &json!(6))
    );

    let made = render(
        &place.world(),
        &place.at("map"),
        &["-l", "day", "-l", "height"],
    )
    .expect(0, "drawn")
    .report();

    let tiles =
        told["tiles"]["native"].as_u64().unwrap() + told["tiles"]["outer"].as_u64().unwrap();
    assert_eq!(json!(tiles), made["tiles"]["written"]);

    // The regions were written just now, so the run reads their content but does not record it.
    let before = Files::read_under(&place.at("map"));

    let told = dry(&place, &["-l", "day", "-l", "height"]);
    assert_eq!(
        (
            &told["dimensions"][0]["unchanged"],
            &told["tiles"]["native"]
        ),
        (&json!(6), &json!(0))
    );

    edit(&place);
    let told = dry(&place, &["-l", "day", "-l", "height"]);
    assert_eq!(
        (
            &told["dimensions"][0]["regions"],
            &told["dimensions"][0]["unchanged"]
        ),
        (&json!(5), &json!(4))
    );

    // The tile and an outer tile, which is drawn once, and the removed tiles of two layers.
    assert_eq!(
        (
            &told["tiles"]["native"],
            told["tiles"]["removed"].as_u64().unwrap() >= 2
        ),
        (&json!(2), true)
    );

    assert!(dry(&place, &["-f"])["dimensions"][0]["unchanged"] == json!(0));
    assert_eq!(Files::read_under(&place.at("map")), before, "not a byte");

    let mut command = program();
    command
        .arg("render")
        .arg(place.world())
        .arg("-o")
        .arg(place.at("map"))
        .arg("--dry-run");

    let text = Ran::of(command.output().unwrap()).expect(0, "text").out;
    assert!(
        text.contains("overworld: ") && text.contains("of memory"),
        "{text}"
    );
}

#[test]
fn a_dry_run_of_one_file_estimates_it() {
    let place = grass();
    let before = Files::read_under(&place.at("."));

    let told = |name: &str, options: &[&str]| -> Value {
        let mut command = program();
        command
            .arg("render")
            .arg(place.world())
            .arg("-o")
            .arg(place.at(name))
            .args(["--dry-run", "--json"])
            .args(options);
        serde_json::from_str(&Ran::of(command.output().unwrap()).expect(0, name).out).unwrap()
    };

    let picture = told("map.png", &["--scale", "1/2", "-t", "1"]);
    let wider = told("map.webp", &["--scale", "2", "--area", "-600,0,3000,512"]);
    let archive = told("map.pmtiles", &[]);
    assert_eq!(Files::read_under(&place.at(".")), before, "not a byte");

    let drawn = |name: &str, options: &[&str]| {
        render(&place.world(), &place.at(name), options)
            .expect(0, name)
            .report()
    };

    for (told, made) in [
        (&picture, drawn("map.png", &["--scale", "1/2"])),
        (
            &wider,
            drawn("map.webp", &["--scale", "2", "--area", "-600,0,3000,512"]),
        ),
    ] {
        for what in ["area", "scale", "width", "height"] {
            assert_eq!(told["picture"][what], made["picture"][what], "{what}");
        }

        assert_eq!(
            (
                &told["tiles"]["native"],
                &told["dimensions"][0]["unchanged"]
            ),
            (&json!(0), &json!(0))
        );

        let chunks = made["chunks"]["drawn"].as_u64().unwrap();
        assert_eq!(told["dimensions"][0]["chunks"], json!(chunks));
    }

    let bytes = |told: &Value| told["estimated_memory_bytes"].as_u64().unwrap();
    assert!(bytes(&wider) > bytes(&picture));

    let tiles =
        archive["tiles"]["native"].as_u64().unwrap() + archive["tiles"]["outer"].as_u64().unwrap();
    assert_eq!(json!(tiles), drawn("map.pmtiles", &[])["tiles"]["written"]);

    let mut command = program();
    command
        .arg("render")
        .arg(place.world())
        .arg("-o")
        .arg(place.at("new.png"))
        .arg("--dry-run");

    let text = Ran::of(command.output().unwrap()).expect(0, "text").out;
    assert!(
        text.contains("a picture of day, ") && text.contains(" pixels, about "),
        "{text}"
    );
}

#[test]
fn a_dry_run_estimates_picture_sizes_within_two() {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    for options in [
        &["--scale", "1"][..],
        &["--scale", "1/8"],
        &["--scale", "2"],
        &["--width", "500"],
    ] {
        let mut command = program();
        command
            .arg("render")
            .arg(place.world())
            .arg("-o")
            .arg(place.at("a.png"))
            .args(["--dry-run", "--json"])
            .args(options);

        let told: Value =
            serde_json::from_str(&Ran::of(command.output().unwrap()).expect(0, "dry").out).unwrap();

        let made = render(&place.world(), &place.at("a.png"), options)
            .expect(0, "drawn")
            .report();
        let (told, made) = (
            told["estimated_bytes"].as_f64().unwrap(),
            made["picture"]["bytes"].as_f64().unwrap(),
        );
        assert!(
            (0.5..2.0).contains(&(told / made)),
            "{options:?}: {told} told, {made} made"
        );
    }
}

#[test]
fn a_dry_run_estimates_only_drawn_sizes() {
    let place = Place::of(&Files::read_under(&fixture("statuses")));
    let told = |options: &[&str]| {
        let told = dry(&place, options);
        (
            told["estimated_bytes"].as_u64().unwrap(),
            told["dimensions"][0]["chunks"].as_u64().unwrap(),
        )
    };

    let drawn = |options: &[&str]| {
        let made = render(
            &place.world(),
            &place.at("new"),
            &[&["-f"], options].concat(),
        )
        .expect(0, "drawn")
        .report();
        made["chunks"]["drawn"].as_u64().unwrap()
    };

    let (finished, all) = (drawn(&[]), drawn(&["--unfinished"]));
    assert!(finished < all);

    let ((of_finished, stored), (of_all, _)) = (told(&[]), told(&["--unfinished"]));
    assert!(stored >= all, "{stored} of {all}");

    // Half of the tiles are read to find this out.
    let share = of_finished as f64 / of_all as f64 / (finished as f64 / all as f64);
    assert!(
        (0.8..1.25).contains(&share),
        "{of_finished} and {of_all} for {finished} and {all}"
    );
    assert!(told(&["--area", "0,0,16,16"]).0 < of_finished);
}

#[test]
fn a_dry_run_refuses_the_same_input() {
    let place = grass();
    fs::write(place.at("notes"), "mine").unwrap();

    let refused = |out: &str, options: &[&str], code| {
        let mut command = program();
        command
            .arg("render")
            .arg(place.world())
            .arg("-o")
            .arg(place.at(out))
            .arg("--dry-run")
            .args(options);
        Ran::of(command.output().unwrap()).expect(code, out)
    };

    refused("notes", &[], 1);
    refused("world/map", &[], 2);
    refused("world/map.png", &[], 2);
    refused("map.pmtiles", &["--scheme", "xyz"], 2);
    refused("map.webp", &["--scale", "8", "--area", "0,0,4000,100"], 2);

    refused("map", &["-d", "end"], 1);
    fs::copy(
        place.world().join("region/r.0.0.mca"),
        place.world().join("region/r.70000.0.mca"),
    )
    .unwrap();

    assert_eq!(
        dry(&place, &[])["dimensions"][0]["far"],
        json!(["r.70000.0.mca"])
    );

    let hidden = dry(&place, &["--hide", "512,0,1024,512"]);
    assert_eq!(
        (
            &hidden["dimensions"][0]["regions"],
            &hidden["dimensions"][0]["hidden"]
        ),
        (&json!(5), &json!(1))
    );

    // A run that holds the folder does not prevent reading it.
    let demo = fixture("demo");
    assert_eq!(
        on(
            "render",
            &demo,
            &["--dry-run", "-o", place.at("demo").to_str().unwrap()]
        )
        .expect(0, "demo")
        .err,
        ""
    );
}

#[test]
fn the_version_names_look_and_newest_data_version() {
    let told: Value =
        serde_json::from_str(&run(&["--version", "--json"]).expect(0, "version").out).unwrap();
    assert_eq!(
        (&told["version"], &told["look"]),
        (&json!(env!("CARGO_PKG_VERSION")), &json!(1))
    );

    assert_eq!(
        told["newest_data_version"],
        json!(pixelmap_draw::newest_data_version())
    );

    assert_eq!(
        run(&["--version"]).expect(0, "text").out,
        format!("pixelmap {}\n", env!("CARGO_PKG_VERSION"))
    );
    assert_eq!(run(&["-V"]).expect(0, "short").out, run(&["--version"]).out);
    run(&["--json"]).expect(2, "alone");
}
