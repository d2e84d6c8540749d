//! Tests `info` as text: the facts of a world that a person needs first.

use crate::map::{Place, land, on};
use crate::world::level_dat::LevelDat;
use crate::world::nbt::Tag;
use crate::world::{ChunkSpec, Files, Generation, block};

const OLD: Generation = Generation::Numeric(1343);

fn chunk(x: i32, z: i32, generation: Generation) -> ChunkSpec {
    let mut chunk = ChunkSpec::new(x, z, generation);
    chunk.layer(60, 64, block::STONE);
    chunk
}

/// Three chunks of 1.12 and one of 1.17, which saved level.dat last. One more chunk is not
/// finished.
fn world_of_two_versions() -> Files {
    let mut unfinished = chunk(9, 9, Generation::Aligned(2730));
    unfinished.status = Some("carvers");
    let chunks = [
        chunk(-1, 0, OLD),
        chunk(0, 0, OLD),
        chunk(1, 2, OLD),
        chunk(0, 1, Generation::Aligned(2730)),
        unfinished,
    ];

    let mut files = Files::new();
    land::put_chunks(&mut files, "region", &chunks);
    let level = LevelDat::new("Toy", Some(2730)).old_spawn(-5, 70, 9);
    files.put(
        "level.dat",
        level
            .with("LastPlayed", Tag::Long(1_700_000_000_000))
            .bytes(),
    );

    files
}

#[test]
fn info_reports_version_spawn_extent_and_finished_chunks() {
    let place = Place::of(&world_of_two_versions());
    let said = on("info", &place.world(), &[] as &[&str])
        .expect(0, "info")
        .out;
    for line in [
        "Toy",
        "  version      fixture, mostly 1.12",
        "  spawn        -5 70 9",
        "  last played  2023-11-14 22:13:20 UTC",
        "  chunks       4 finished chunks, 1 unfinished",
        "  extent       48 by 48 blocks: -a -16,0,32,48",
        "  versions     1.12: 3; 1.17: 2",
    ] {
        assert!(said.lines().any(|said| said == line), "{line}: {said}");
    }

    let told = on("info", &place.world(), &["--json"])
        .expect(0, "info")
        .report();
    assert_eq!(
        told["spawn"],
        serde_json::json!({"dimension": "overworld", "block": [-5, 70, 9]})
    );

    assert_eq!(
        (&told["game_version"], &told["last_played"]),
        (&"fixture".into(), &"2023-11-14T22:13:20Z".into())
    );

    let dimension = &told["dimensions"][0];
    assert_eq!(
        (&dimension["finished"], &dimension["extent"]),
        (&4.into(), &serde_json::json!([-16, 0, 32, 48]))
    );
}

#[test]
fn info_names_few_unknown_blocks() {
    let mut chunk = chunk(0, 0, Generation::Root(3955));
    for x in 0..8 {
        chunk.set(x, 65, 0, block::Block::made(format!("mod:block_{x}")));
    }

    let mut files = Files::new();
    land::put_chunks(&mut files, "region", &[chunk]);
    let place = Place::of(&files);
    let said = on("info", &place.world(), &[] as &[&str])
        .expect(0, "info")
        .out;

    assert_eq!(said.matches("mod:block_").count(), 5, "{said}");
    assert!(
        said.contains("  unknown      mod:block_0 in 1 column, first at 0 65 0\n"),
        "{said}"
    );
    assert!(
        said.ends_with("  unknown      and 3 more (--json lists all)\n"),
        "{said}"
    );
}

#[test]
fn info_names_an_unreadable_level_dat() {
    let mut files = Files::new();
    land::put_chunks(&mut files, "region", &[chunk(0, 0, OLD)]);
    files.put("level.dat", b"broken".to_vec());
    let place = Place::of(&files);
    let ran = on("info", &place.world(), &[] as &[&str]).expect(0, "info");
    assert!(
        ran.err.contains("warning: ") && ran.err.contains("level.dat"),
        "{}",
        ran.err
    );
}

#[test]
fn info_lists_the_worlds_in_a_folder() {
    for list in ["", "saves/", "worlds/"] {
        let mut files = Files::new();
        for (folder, name) in [("a", "First"), ("b", "Second")] {
            let level = LevelDat::new(name, Some(2730));
            files.put(&format!("{list}{folder}/level.dat"), level.bytes());
        }

        let place = Place::of(&files);
        let said = on("info", &place.world(), &[] as &[&str]).expect(0, "a folder of worlds");
        for words in ["2 worlds in ", "First", "Second"] {
            assert!(said.out.contains(words), "{words}: {}", said.out);
        }

        let told = on("info", &place.world(), &["--json"])
            .expect(0, "as JSON")
            .out;
        let names: Vec<serde_json::Value> = told
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["name"].take())
            .collect();
        assert_eq!(names, ["First", "Second"]);
    }
}

#[test]
fn info_describes_each_of_several_worlds() {
    let place = Place::of(&world_of_two_versions());
    let (world, absent) = (place.world(), place.at("absent"));
    let args = [absent.to_str().unwrap(), world.to_str().unwrap()];

    let said = on("info", &world, &args).expect(1, "one is absent");
    assert_eq!(said.out.matches("Toy\n").count(), 2, "{}", said.out);
    assert!(said.err.contains("absent"), "{}", said.err);

    let told = on("info", &world, &[args[0], args[1], "--json"]).expect(1, "as JSON");
    let codes: Vec<serde_json::Value> = told
        .out
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["code"].take())
        .collect();
    assert_eq!(codes, [0, 1, 0]);
}
