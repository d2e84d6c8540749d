//! Tests `--history`: a map keeps its earlier states, and `MAP@MOMENT` opens each of them.
#![allow(
    clippy::disallowed_methods,
    reason = "test worlds and copies of maps are no output of the program"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::map::{Map, Place, Ran, assert_same_files, render, run};
use crate::publishing::bookkeeping::apply;
use crate::world::level_dat::LevelDat;
use crate::world::{ChunkSpec, Files, Generation, RegionSpec, block};

/// One night of a world: the existing regions, with the block on top of each. One chunk of the
/// second region may have another block.
pub(crate) type Night<'a> = &'a [((i32, i32), u8)];

pub(crate) const NIGHTS: [Night<'static>; 5] = [
    &[((0, 0), 1), ((1, 0), 1)],
    &[((0, 0), 2), ((1, 0), 1), ((-3, 2), 1)],
    // One region is removed, and one is the same as in the first night.
    &[((0, 0), 1), ((-3, 2), 3)],
    &[((0, 0), 1), ((-3, 2), 3), ((1, 0), 2)],
    &[((0, 0), 3), ((-3, 2), 3), ((1, 0), 2)],
];

fn write_world(place: &Place, night: Night<'_>) {
    let mut files = Files::new();
    files.put("level.dat", LevelDat::new("history", Some(3955)).bytes());

    for &((x, z), height) in night {
        let mut region = RegionSpec::new(x, z);
        for (dx, dz) in [(0, 0), (31, 0), (7, 9), (31, 31)] {
            let mut chunk = ChunkSpec::new(x * 32 + dx, z * 32 + dz, Generation::Root(3955));
            let top = 64
                + if (dx, dz) == (7, 9) {
                    i32::from(height) * 10
                } else {
                    0
                };

            chunk.layer(
                60,
                top,
                if height == 2 {
                    block::STONE
                } else {
                    block::GRASS_BLOCK
                },
            );
            region.put(&chunk);
        }

        files.put_region("region", &region);
    }

    let _ = fs::remove_dir_all(place.world());
    files.write_under(&place.world());
}

const OPTIONS: [&str; 8] = [
    "-l",
    "day",
    "-l",
    "height",
    "--details",
    "--max-removed",
    "100%",
    "-q",
];

pub(crate) fn draw(place: &Place, night: usize, out: &Path, more: &[&str]) -> Ran {
    write_world(place, NIGHTS[night]);
    render(&place.world(), out, &[&OPTIONS[..], more].concat())
}

/// The start of a night.
pub(crate) fn time(night: usize) -> String {
    format!("2026-05-{:02}T02:00", night + 1)
}

pub(crate) fn remember(place: &Place, night: usize, more: &[&str]) -> Ran {
    draw(
        place,
        night,
        &place.at("map"),
        &[&["--history", "--time", &time(night)], more].concat(),
    )
}

pub(crate) fn remember_all(place: &Place) -> Map {
    for night in 0..NIGHTS.len() {
        remember(place, night, &[]).expect(0, "remember");
    }
    Map::at(&place.at("map"))
}

pub(crate) fn digest(map: &str) -> String {
    let ran = run(&["verify", "--digest", "-q", map]);
    assert_eq!(ran.code, 0, "{map}: {}", ran.err);
    ran.out
}

fn moments(map: &Map) -> Vec<Value> {
    let ran = run(&["history", "--json", map.root.to_str().unwrap()]);
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    document["moments"].as_array().unwrap().clone()
}

pub(crate) fn at(map: &Map, moment: &str) -> String {
    format!("{}@{moment}", map.root.display())
}

#[test]
fn each_moment_is_the_map_of_its_night() {
    let place = Place::empty();
    let map = remember_all(&place);

    let mut plain = Vec::new();
    for night in 0..NIGHTS.len() {
        let out = place.at(&format!("plain-{night}"));
        draw(&place, night, &out, &[]).expect(0, "plain");
        plain.push(out);
    }

    for (night, plain) in plain.iter().enumerate() {
        let wanted = digest(plain.to_str().unwrap());
        let back = format!("-{}", NIGHTS.len() - 1 - night);
        for moment in [
            time(night),
            time(night)[..10].to_owned(),
            format!("2026-05-{:02}T23:00", night + 1),
            back,
        ] {
            assert_eq!(digest(&at(&map, &moment)), wanted, "{moment}");
        }

        run(&[
            "diff",
            "-q",
            &at(&map, &time(night)),
            plain.to_str().unwrap(),
        ])
        .expect(0, "the same");
    }

    // The newest map equals the map without history, except for the field that announces the
    // history.
    let newest = |root: &Path| {
        let mut files = Map::at(root).files();
        files.retain(|path, _| {
            !path.starts_with("history/")
                && !["map.json", "map.js", "version.json", "index.html"].contains(&path.as_str())
        });
        files
    };

    assert_same_files("the newest state", &newest(&plain[4]), &newest(&map.root));
    let facts = fs::read_to_string(map.root.join("map.json")).unwrap();
    assert_eq!(
        facts.replace(",\"history\":true", ""),
        fs::read_to_string(plain[4].join("map.json")).unwrap()
    );

    let picture = place.at("then.png");
    run(&[
        "export",
        &at(&map, "-4"),
        "-o",
        picture.to_str().unwrap(),
        "-l",
        "day",
        "-q",
    ])
    .expect(0, "a picture");

    let wanted = place.at("plain.png");
    run(&[
        "export",
        plain[0].to_str().unwrap(),
        "-o",
        wanted.to_str().unwrap(),
        "-l",
        "day",
        "-q",
    ])
    .expect(0, "plain");

    assert_eq!(fs::read(picture).unwrap(), fs::read(wanted).unwrap());
}

#[test]
fn repeated_states_are_kept_once() {
    let place = Place::empty();
    let map = remember_all(&place);
    assert_eq!(moments(&map).len(), NIGHTS.len());

    let before = map.files();
    draw(&place, 4, &map.root, &["--time", "2026-06-01"]).expect(0, "the same state");
    assert_same_files("the same state again", &before, &map.files());

    // A label belongs to the current state.
    draw(
        &place,
        4,
        &map.root,
        &["--time", "2026-06-01", "--label", "the end"],
    )
    .expect(0, "a label");

    let all = moments(&map);
    assert_eq!(
        (all.len(), all[4]["label"].as_str()),
        (NIGHTS.len(), Some("the end"))
    );

    let kept = before
        .keys()
        .filter(|path| path.starts_with("history/objects/"))
        .count();
    let hashes: BTreeSet<&str> = before
        .keys()
        .filter_map(|path| path.rsplit('/').next())
        .collect();
    assert!(kept > 0 && kept <= hashes.len());

    // History continues without the option.
    draw(&place, 0, &map.root, &["--time", "2026-06-02"]).expect(0, "history stays on");
    assert_eq!(moments(&map).len(), NIGHTS.len() + 1);
    assert_eq!(digest(&at(&map, "the end")), digest(&at(&map, "-1")));
}

#[test]
fn moments_come_in_the_order_of_their_times() {
    let place = Place::empty();
    remember(&place, 1, &[]).expect(0, "the first");
    let map = Map::at(&place.at("map"));
    let before = map.files();

    let refused = remember(&place, 0, &[]).expect(1, "earlier than the last");
    assert!(
        refused.err.contains("2026-05-01T02:00:00Z")
            && refused.err.contains("draw the oldest backup first")
    );
    assert_same_files("a refused run", &before, &map.files());

    // The same time is the same moment, so the earlier state is not kept.
    draw(&place, 2, &map.root, &["--time", &time(1)]).expect(0, "the same time");
    assert_eq!(moments(&map).len(), 1);

    let out = place.at("plain");
    draw(&place, 2, &out, &[]).expect(0, "plain");
    assert_eq!(digest(&at(&map, &time(1))), digest(out.to_str().unwrap()));

    for (moment, reason) in [
        ("2020-01-01", "there is no moment 2020-01-01"),
        ("nothing", "there is no moment nothing"),
    ] {
        let ran = run(&["verify", &at(&map, moment)]);
        assert!(ran.code == 1 && ran.err.contains(reason), "{}", ran.err);
    }

    let ran = run(&["verify", &at(&Map::at(&out), "2026-05-01")]);
    assert!(ran.err.contains("has no history"), "{}", ran.err);
}

#[test]
fn a_moment_of_the_future_can_be_forgotten() {
    let place = Place::empty();
    remember(&place, 0, &[]).expect(0, "the first");
    remember(&place, 1, &[]).expect(0, "the second");
    let map = Map::at(&place.at("map"));
    let then = [0, 1].map(|night| digest(&at(&map, &time(night))));
    draw(&place, 2, &map.root, &["--time", "2031-01-01"]).expect(0, "a clock that was wrong");

    let refused = remember(&place, 3, &[]).expect(1, "earlier than the last");
    assert!(
        refused
            .err
            .contains("pixelmap history MAP --forget 2031-01-01T00:00:00Z"),
        "{}",
        refused.err
    );

    let root = map.root.to_str().unwrap();
    let before = map.files();

    for (wanted, code) in [("2030-12-31", 1), ("2031-01-01T00:00:00Z", 0)] {
        assert_eq!(
            run(&["history", root, "--forget", wanted, "--dry-run"]).code,
            code,
            "{wanted}"
        );
    }

    assert_same_files("a dry run", &before, &map.files());
    assert_eq!(
        run(&["history", root, "--forget", "2031-01-01T00:00:00Z"]).code,
        0
    );
    remember(&place, 3, &[]).expect(0, "the time is free");
    assert_eq!(moments(&map).len(), 3);

    for (night, digest_then) in then.iter().enumerate() {
        assert_eq!(
            &digest(&at(&map, &time(night))),
            digest_then,
            "night {night}"
        );
    }

    let out = place.at("plain");
    draw(&place, 3, &out, &[]).expect(0, "plain");
    assert_eq!(digest(&at(&map, &time(3))), digest(out.to_str().unwrap()));

    // Forgets the two newest moments together. The next moment gets the number of the first of
    // them.
    assert_eq!(
        run(&["history", root, "--forget", "-0", "--forget", &time(1)]).code,
        0
    );

    for night in [1, 4] {
        remember(&place, night, &[]).expect(0, "again");
        assert_eq!(digest(&at(&map, &time(0))), then[0]);
    }

    assert_eq!(digest(&at(&map, &time(1))), then[1]);
}

#[test]
fn all_moments_of_a_map_can_be_forgotten() {
    let place = Place::empty();
    draw(
        &place,
        0,
        &place.at("map"),
        &["--history", "--time", "2031-01-01"],
    )
    .expect(0, "a clock that was wrong");

    let map = Map::at(&place.at("map"));
    assert_eq!(
        run(&["history", map.root.to_str().unwrap(), "--forget", "-0"]).code,
        0
    );
    draw(&place, 1, &map.root, &["--time", &time(1)]).expect(0, "history stays on");
    assert_eq!(moments(&map).len(), 1);
}

#[test]
fn forgetting_follows_the_keep_rules() {
    let place = Place::empty();
    let map = remember_all(&place);
    let root = map.root.to_str().unwrap();
    let wanted = [1, 4].map(|night| digest(&at(&map, &time(night))));
    let before = map.files();

    let dry = run(&["history", root, "--keep-last", "1", "--dry-run"]);
    assert!(
        dry.code == 0 && dry.out.contains("4 moments would be forgotten"),
        "{}",
        dry.out
    );

    assert_same_files("a dry run", &before, &map.files());
    let listed: u64 = moments(&map)
        .iter()
        .map(|moment| moment["bytes"].as_u64().unwrap())
        .sum();

    let kept = |map: &Map| -> u64 {
        let files = map.files();
        files
            .iter()
            .filter(|(path, _)| path.starts_with("history/objects/"))
            .map(|(_, bytes)| bytes.len() as u64)
            .sum()
    };

    assert_eq!(
        listed,
        kept(&map),
        "the bytes that are listed are those that lie there"
    );

    // The second night is the newest of its week, and the last night is the newest of its own week.
    run(&["history", root, "--keep-within", "1d", "--keep-last", "2"]).expect(0, "forget");
    assert_eq!(moments(&map).len(), 2);
    run(&["verify", "-q", root]).expect(0, "what is left is whole");

    assert_eq!(digest(&at(&map, "-0")), wanted[1]);
    assert_eq!(digest(&at(&map, "-1")), digest(&at(&map, &time(3))));
    assert!(
        run(&["verify", &at(&map, &time(1))])
            .err
            .contains("there is no moment")
    );

    let listed: u64 = moments(&map)
        .iter()
        .map(|moment| moment["bytes"].as_u64().unwrap())
        .sum();
    assert_eq!(listed, kept(&map));

    run(&["history", root, "--keep-last", "1"]).expect(0, "forget all but the map");
    assert!(
        map.files()
            .keys()
            .all(|path| !path.starts_with("history/objects/"))
    );

    let out = place.at("plain");
    draw(&place, 4, &out, &[]).expect(0, "plain");
    assert_eq!(digest(root), digest(out.to_str().unwrap()));
}

const HIDE: [&str; 2] = ["--hide", "96,128,144,176"];

/// Fails unless each moment equals a map of its night without the hidden place.
fn assert_hidden_in_all(place: &Place, map: &Map) {
    run(&["verify", "-q", map.root.to_str().unwrap()]).expect(0, "the rest is whole");

    for night in 0..NIGHTS.len() {
        let out = place.at(&format!("hidden-{night}"));

        let picture = |map: &str, name: &str| {
            let file = place.at(name);
            let arguments = [
                "export",
                map,
                "-o",
                file.to_str().unwrap(),
                "-l",
                "height",
                "-a",
                "0,0,1024,512",
                "-q",
            ];

            run(&arguments).expect(0, "a picture");
            fs::read(file).unwrap()
        };

        draw(place, night, &out, &HIDE).expect(0, "plain");
        let [then, plain] = [
            picture(&at(map, &time(night)), "then.png"),
            picture(out.to_str().unwrap(), "plain.png"),
        ];
        assert_eq!(then, plain, "night {night}");
    }
}

#[test]
fn places_hidden_later_vanish_from_all_moments() {
    let place = Place::empty();
    let map = remember_all(&place);
    draw(
        &place,
        4,
        &map.root,
        &[&["--time", "2026-06-01"], &HIDE[..]].concat(),
    )
    .expect(0, "hide");
    assert_hidden_in_all(&place, &map);
}

#[test]
fn places_hidden_by_shards_vanish_from_moments() {
    let place = Place::empty();
    let map = remember_all(&place);

    for shard in ["1/2", "2/2"] {
        draw(
            &place,
            4,
            &place.at("parts"),
            &[&["--shard", shard], &HIDE[..]].concat(),
        )
        .expect(0, "a shard");
    }

    let (root, parts) = (map.root.to_str().unwrap(), place.at("parts"));
    run(&[
        "merge",
        "-q",
        "-o",
        root,
        parts.to_str().unwrap(),
        "--time",
        "2026-06-01",
    ])
    .expect(0, "merge");

    assert_hidden_in_all(&place, &map);
}

#[test]
fn a_copy_by_lists_has_the_same_moments() {
    let place = Place::empty();
    let lists = ["changed", "deleted"].map(|name| place.at(name).to_str().unwrap().to_owned());
    let lists = ["--changed-list", &lists[0], "--deleted-list", &lists[1]];
    for night in 0..NIGHTS.len() {
        if night == 3 {
            run(&[
                "history",
                place.at("map").to_str().unwrap(),
                "--keep-last",
                "2",
            ])
            .expect(0, "forget");
        }

        remember(&place, night, &lists).expect(0, "remember");
        fs::create_dir_all(place.at("copy")).unwrap();
        apply(&place, "copy", &Map::at(&place.at("map")));
    }

    let copy = Map::at(&place.at("copy"));
    run(&["verify", "-q", copy.root.to_str().unwrap()]).expect(0, "the copy is whole");
    assert_eq!(
        digest(&at(&copy, "-2")),
        digest(&at(&Map::at(&place.at("map")), "-2"))
    );
}

#[test]
fn rebuilt_markers_belong_to_the_last_moment() {
    let place = Place::empty();
    let map = remember_all(&place);

    // The world itself has an earlier time.
    draw(&place, 0, &map.root, &["--time", "2099-01-01"]).expect(0, "a time to come");
    let own = place.at("own.geojson");
    fs::write(&own, r#"{"type": "FeatureCollection", "features": []}"#).unwrap();
    let [world, root, own] =
        [place.world(), map.root.clone(), own].map(|path| path.to_str().unwrap().to_owned());
    run(&["markers", &world, "-o", &root, "--markers", &own]).expect(0, "markers");
    assert!(map.files().contains_key("markers/own.geojson"));
    assert_eq!(moments(&map).len(), NIGHTS.len() + 1);
    run(&["verify", "-q", &root]).expect(0, "whole");
}

#[test]
fn verify_finds_damage_in_earlier_moments() {
    let place = Place::empty();
    let map = remember_all(&place);
    let files = map.files();
    let object = files
        .keys()
        .find(|path| path.starts_with("history/objects/") && path.contains(".png"))
        .unwrap();

    let kept = fs::read(map.root.join(object)).unwrap();
    for (bytes, word) in [(None, "missing"), (Some(&kept[1..]), "changed")] {
        fs::remove_file(map.root.join(object)).unwrap();
        if let Some(bytes) = bytes {
            fs::write(map.root.join(object), bytes).unwrap();
        }
        let ran = run(&["verify", "-q", map.root.to_str().unwrap()]);
        assert_eq!((ran.code, ran.out), (1, format!("{word}\t{object}\n")));
        fs::write(map.root.join(object), &kept).unwrap();
    }

    fs::write(map.root.join("history/moments.js"), "?").unwrap();
    let ran = remember(&place, 0, &[]);
    assert!(ran.code == 1 && ran.err.contains("damaged"), "{}", ran.err);
}

#[test]
fn shards_are_merged_into_a_map_with_history() {
    let place = Place::empty();
    remember(&place, 0, &[]).expect(0, "the first");
    let map = Map::at(&place.at("map"));
    let before = digest(map.root.to_str().unwrap());

    let refused = draw(&place, 1, &map.root, &["--shard", "1/2"]);
    assert!(
        refused.code == 1 && refused.err.contains("has a history"),
        "{}",
        refused.err
    );

    for shard in ["1/2", "2/2"] {
        draw(&place, 1, &place.at("parts"), &["--shard", shard]).expect(0, "a shard");
    }

    let root = map.root.to_str().unwrap();
    let parts = place.at("parts");
    let merge = [
        "merge",
        "-q",
        "-o",
        root,
        parts.to_str().unwrap(),
        "--time",
        &time(1),
        "--max-removed",
        "100%",
    ];

    run(&merge).expect(0, "merge");
    run(&["verify", "-q", root]).expect(0, "whole");

    let out = place.at("plain");
    draw(&place, 1, &out, &[]).expect(0, "plain");
    assert_eq!(digest(root), digest(out.to_str().unwrap()));
    assert_eq!(digest(&at(&map, "-1")), before);
}
