//! Tests that exports show the same pixels of an unreadable chunk as their map.
#![allow(
    clippy::disallowed_methods,
    reason = "test worlds are no output of the program"
)]

use std::fs;

use crate::map::{CLEAR, Place, on, render};
use crate::outputs::archive::Archive;
use crate::outputs::picture::Picture;
use crate::world::level_dat::LevelDat;
use crate::world::{Biome, ChunkSpec, Files, Generation, Record, RegionSpec, block};

const GENERATION: Generation = Generation::Root(3955);
/// An export of each kind.
const KINDS: [(&str, &[&str]); 4] = [
    ("one.png", &["-a", "0,0,1024,1024"]),
    ("eighth.png", &["--scale", "1/8"]),
    ("map.webp", &[]),
    ("map.pmtiles", &[]),
];

/// The fate of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Now {
    Changed,
    Broken,
}

/// Chunks that cannot be read on the second night: in the first row of regions, in the last region,
/// and two next to each other.
const BROKEN: [(i32, i32); 4] = [(15, 15), (47, 47), (20, 40), (21, 40)];
/// The chunk that was changed.
const CHANGED: (i32, i32) = (63, 5);

fn chunk(x: i32, z: i32, changed: bool) -> ChunkSpec {
    let mut chunk = ChunkSpec::new(x, z, GENERATION);
    chunk.layer(
        50,
        60 + (x * 7 + z * 3).rem_euclid(5),
        if changed { block::DIRT } else { block::STONE },
    );

    chunk.stack(
        (x * 5).rem_euclid(16) as usize,
        z.rem_euclid(16) as usize,
        60,
        70,
        block::DIRT,
    );

    chunk.biomes = Some(vec![
        Biome::new(
            if (x, z) == BROKEN[0] {
                "mod:heath"
            } else {
                "minecraft:plains"
            },
            1
        );
        256
    ]);

    chunk
}

/// A world of two by two regions with scattered chunks, in its state of the second night.
fn world_of_tonight(tonight: impl Fn(i32, i32) -> Option<Now>) -> Files {
    let mut files = Files::new();
    files.put(
        "level.dat",
        LevelDat::new("kept", GENERATION.data_version()).bytes(),
    );

    for (region_x, region_z) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        let mut region = RegionSpec::new(region_x, region_z);
        let chunks =
            (0..32).flat_map(|z| (0..32).map(move |x| (region_x * 32 + x, region_z * 32 + z)));

        // Only these two chunks have neighbours that shade them.
        let is_there = |(x, z): (i32, i32)| x.rem_euclid(9) == 2 && z.rem_euclid(6) == 1;

        for (x, z) in chunks.filter(|&at| is_there(at) || BROKEN.contains(&at) || at == CHANGED) {
            match tonight(x, z) {
                Some(Now::Broken) => region.put_record(x, z, Record::new(2, b"no chunk".to_vec())),
                now => region.put(&chunk(x, z, now == Some(Now::Changed))),
            }
        }

        files.put_region("region", &region);
    }

    files
}

fn good(_: i32, _: i32) -> Option<Now> {
    None
}

fn changed(x: i32, z: i32) -> Option<Now> {
    ((x, z) == CHANGED).then_some(Now::Changed)
}

fn broken(x: i32, z: i32) -> Option<Now> {
    if BROKEN.contains(&(x, z)) {
        Some(Now::Broken)
    } else {
        changed(x, z)
    }
}

/// Draws the map of a world and exports it.
fn export(place: &Place, map: &str, code: i32, (name, options): (&str, &[&str])) -> Vec<u8> {
    render(
        &place.world(),
        &place.at(map),
        &["-l", "day", "-l", "biome"],
    )
    .expect(code, map);
    let path = place.at(name);
    let to = [&["-o", path.to_str().unwrap()], options].concat();
    on("export", &place.at(map), &to).expect(0, name);
    fs::read(path).unwrap()
}

#[test]
fn an_export_shows_kept_pixels() {
    for kind in KINDS {
        let whole = export(&Place::of(&world_of_tonight(changed)), "map", 0, kind);
        let place = Place::of(&world_of_tonight(good));
        assert!(
            export(&place, "map", 0, kind) != whole,
            "{}: what was changed is on it",
            kind.0
        );

        world_of_tonight(broken).write_under(&place.world());
        assert!(export(&place, "map", 3, kind) == whole, "{}", kind.0);
        assert!(
            export(&place, "new", 3, kind) != whole,
            "{}: a new map has holes",
            kind.0
        );
    }
}

#[test]
fn a_copied_map_keeps_unreadable_chunks() {
    let place = Place::of(&world_of_tonight(good));
    place.draw("map", &[]);

    // A file that is written again has the current time.
    place.copy("map", "copy");
    world_of_tonight(broken).write_under(&place.world());

    for map in ["map", "copy"] {
        render(&place.world(), &place.at(map), &[]).expect(3, map);
    }

    let [map, copy] = ["map", "copy"].map(|map| crate::map::Map::at(&place.at(map)).files());
    crate::map::assert_same_files("a copy", &map, &copy);

    // The program must not accept a file with the same length but other bytes as its own tile.
    place.copy("map", "spoiled");
    let tile = place.at("spoiled/overworld/day/17/0/1.png");
    let mut bytes = fs::read(&tile).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;

    fs::write(&tile, bytes).unwrap();
    render(&place.world(), &place.at("spoiled"), &[]).expect(3, "spoiled");
    assert_ne!(
        fs::read(&tile).unwrap(),
        map["overworld/day/17/0/1.png"],
        "it has holes"
    );
}

#[test]
fn unreadable_chunks_are_holes_in_pictures() {
    let place = Place::of(&world_of_tonight(good));
    let draw = |code| {
        render(
            &place.world(),
            &place.at("map.png"),
            &["-a", "0,0,1024,1024"],
        )
        .expect(code, "picture");
        Picture::read(&place.at("map.png"))
    };

    let before = draw(0);
    world_of_tonight(broken).write_under(&place.world());
    let now = draw(3);
    assert_ne!(before.at(20 * 16, 40 * 16), CLEAR);
    assert_eq!(now.at(20 * 16, 40 * 16), CLEAR);
}

#[test]
fn a_legend_names_kept_biomes() {
    let place = Place::of(&world_of_tonight(good));
    let names = || {
        export(
            &place,
            "map",
            if is_broken(&place) { 3 } else { 0 },
            ("map.pmtiles", &["-l", "biome"]),
        );
        Archive::read(&place.at("map.pmtiles")).metadata["pixelmap"].to_string()
    };

    assert!(names().contains("mod:heath"));
    world_of_tonight(broken).write_under(&place.world());
    assert!(names().contains("mod:heath"));
}

fn is_broken(place: &Place) -> bool {
    Files::read_under(&place.world()).0 == world_of_tonight(broken).0
}
