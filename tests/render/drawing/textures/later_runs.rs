//! Tests later runs on a map with textures, and the bounds of textured tiles.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{MODERN, draw, of_block, place_of, written};
use crate::map::jar::{QUARTERS, png};
use crate::map::land::{self};
use crate::map::{Map, assert_same_files, has_ending, render, run};
use crate::world::{Block, ChunkSpec, Files, Record, RegionSpec, block};

#[test]
fn a_map_remembers_its_tiles_with_textures() {
    let (place, pack) = place_of(&three(block::STONE));
    let at = |name: &'static str, time: &'static str| {
        [
            "--assets",
            &pack,
            "--zoom-in",
            "2",
            "--history",
            "--label",
            name,
            "--time",
            time,
        ]
    };

    place.draw("map", &at("first", "2026-01-01"));
    let before = std::fs::read(place.at("map/overworld/day/19/4/0.png")).unwrap();
    three(block::GRASS_BLOCK).write_under(&place.world());
    let map = place.draw("map", &at("second", "2026-02-01"));
    assert_ne!(
        std::fs::read(map.root.join("overworld/day/19/4/0.png")).unwrap(),
        before
    );

    let is_kept = || {
        map.files()
            .iter()
            .any(|(path, bytes)| path.starts_with("history/") && *bytes == before)
    };

    assert!(is_kept());

    let [first, now] = ["map@first", "map"].map(|name| place.at(name).to_str().unwrap().to_owned());
    run(&["verify", &now]).expect(0, "all of it is kept");
    run(&["diff", &first, &now]).expect(1, "it was otherwise");
    run(&["history", &now, "--keep-last", "1"]).expect(0, "forgotten");
    run(&["verify", &now]).expect(0, "what is left is whole");
    assert!(!is_kept(), "and the rest is gone");
}

/// Three regions in a row, each of one chunk.
fn three(ground: Block) -> Files {
    let chunk = |region: i32, ground| {
        let mut chunk = ChunkSpec::new(region * 32 + 5, 5, MODERN);
        chunk.layer(60, 64, ground);
        chunk
    };

    land::of_chunks(
        &[
            chunk(0, block::STONE),
            chunk(1, ground),
            chunk(2, block::STONE),
        ],
        MODERN,
    )
}

#[test]
fn textured_tiles_are_updated_and_removed_on_request() {
    let (place, pack) = place_of(&three(block::STONE));
    // A chunk is on one tile of each zoom level.
    assert_eq!(written(&place, &pack, &["--zoom-in", "4"]), [15, 0, 0]);
    assert_eq!(written(&place, &pack, &["--zoom-in", "4"]), [0, 15, 0]);
    std::fs::remove_file(place.at("map").join("overworld/day/19/4/0.png")).unwrap();

    assert_eq!(
        written(&place, &pack, &["--zoom-in", "4"]),
        [1, 14, 0],
        "what is missing comes back"
    );

    three(block::GRASS_BLOCK).write_under(&place.world());
    assert_eq!(written(&place, &pack, &["--zoom-in", "4"]), [5, 10, 0]);

    let fresh = place.draw("fresh", &["--assets", &pack, "--zoom-in", "4", "-t", "3"]);
    assert_same_files(
        "a later run and a new one",
        &fresh.files(),
        &Map::at(&place.at("map")).files(),
    );

    let turned = png(16, |x, z| {
        let light = QUARTERS[3 - x / 8 - z / 8 * 2];
        [light, light, light, 255]
    });
    std::fs::write(
        place.at("pack/assets/minecraft/textures/block/quarters.png"),
        turned,
    )
    .unwrap();

    assert_eq!(
        written(&place, &pack, &["--zoom-in", "4"]),
        [12, 3, 0],
        "the packs are others, and their means are not"
    );

    let mut only = Files::new();
    only.put_region("region", &RegionSpec::new(1, 0));
    only.write_under(&place.world());
    assert_eq!(
        written(&place, &pack, &["--zoom-in", "4", "--max-removed", "100%"]),
        [0, 10, 5],
        "a removed chunk's go"
    );

    three(block::GRASS_BLOCK).write_under(&place.world());
    assert_eq!(written(&place, &pack, &["--zoom-in", "4"]), [5, 10, 0]);
    assert_eq!(written(&place, &pack, &["--zoom-in", "2"]), [0, 9, 6]);
    assert_eq!(
        written(&place, &pack, &[]),
        [0, 3, 6],
        "most of the tiles, and all are meant to go"
    );
    run(&["verify", place.at("map").to_str().unwrap()]).expect(0, "nothing is left behind");
}

#[test]
fn an_unreadable_chunk_keeps_its_textures() {
    let (place, pack) = place_of(&three(block::STONE));
    let before = draw(&place, &pack, &[]).files();
    let mut region = RegionSpec::new(1, 0);
    region.put_record(37, 5, Record::new(127, vec![1, 2, 3]));
    let files = Files::of_regions([region]);

    files.write_under(&place.world());
    render(
        &place.world(),
        &place.at("map"),
        &["--assets", &pack, "--zoom-in", "4"],
    )
    .expect(3, "a gap");

    let tiles = |files: &BTreeMap<String, Vec<u8>>| {
        let mut files = files.clone();
        files.retain(|path, _| has_ending(path, "png"));
        files
    };

    assert_same_files(
        "with a gap",
        &tiles(&before),
        &tiles(&Map::at(&place.at("map")).files()),
    );
}

#[test]
fn an_area_bounds_the_tiles_with_textures() {
    let (place, pack) = place_of(&three(block::STONE));
    let map = draw(&place, &pack, &["-a", "80,80,90,96"]);
    let innermost: Vec<String> = map
        .files()
        .into_keys()
        .filter(|path| path.contains("/21/"))
        .collect();
    assert_eq!(innermost, ["overworld/day/21/2/2.png"]);

    let edge = [
        of_block(&map, "day", 21, 89, 80),
        of_block(&map, "day", 21, 90, 80),
    ];
    assert!(
        edge[0].iter().all(|pixel| pixel[3] == 255) && edge[1].iter().all(|pixel| pixel[3] == 0)
    );
}

#[test]
fn too_many_textured_tiles_are_refused() {
    let chunks: Vec<ChunkSpec> = (0..100)
        .map(|region| {
            let mut chunk = ChunkSpec::new(region * 32, 0, MODERN);
            chunk.layer(64, 64, block::STONE);
            chunk
        })
        .collect();

    let (place, pack) = place_of(&land::of_chunks(&chunks, MODERN));
    let options = [
        "--assets",
        &pack,
        "--zoom-in",
        "4",
        "-l",
        "day",
        "-l",
        "night",
        "-l",
        "roof",
    ];

    let ran = render(&place.world(), &place.at("map"), &options).expect(1, "refused");
    assert!(
        ran.err.contains("102000 tiles with textures")
            && ran.err.contains("--area")
            && ran.err.contains("--yes"),
        "{}",
        ran.err
    );
    assert!(!place.at("map").exists());

    let ran = render(
        &place.world(),
        &place.at("map"),
        &[&options[..], &["--dry-run", "--json"]].concat(),
    )
    .expect(0, "counted");
    let counted: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(counted["tiles"]["inner"], 102_000);

    let ran = render(
        &place.world(),
        &place.at("map"),
        &[&options[..], &["-a", "0,0,10,10"]].concat(),
    )
    .expect(0, "a part");
    assert_eq!(ran.report()["tiles"]["written"], 15);
}
