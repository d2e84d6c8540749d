//! Tests `--find`, which shows the places of blocks: one marker for each chunk and block, in every
//! version and edition.

use serde_json::{Value, json};

use super::{GENERATIONS, features, kinds, stone, world_of};
use crate::map::{Map, Place, on, render};
use crate::world::bedrock::{ChunkSpec as BedrockChunk, Database, block as bedrock};
use crate::world::fixture::bedrock::with_level_dat;
use crate::world::{ChunkSpec, Generation, block};

const FOUND: &str = "overworld/markers/found.geojson";

fn found(map: &Map) -> Vec<(Value, Value)> {
    features(map, FOUND)
}

fn marker([x, y, z]: [i32; 3], name: &str, id: &str, count: u32) -> (Value, Value) {
    (
        json!([x, z]),
        json!({"name": name, "type": id, "y": y, "count": count}),
    )
}

/// A chunk with glass on its stone, a torch on it, and glowstone below the ground.
fn house(x: i32, generation: Generation) -> ChunkSpec {
    let mut chunk = stone(x, 0, generation);
    chunk.set(3, 63, 4, block::GLASS);
    chunk.set(9, 63, 2, block::GLASS);
    chunk.set(5, 63, 5, block::TORCH);

    for z in 0..7 {
        chunk.set(8, 20, z, block::GLOWSTONE);
        chunk.set(8, 24, z, block::STONE);
    }

    chunk
}

#[test]
fn blocks_of_every_generation_are_found() {
    let chunks: Vec<_> = (0..)
        .zip(Generation::ALL)
        .map(|(x, generation)| house(x, generation))
        .collect();

    let place = Place::of(&world_of(&chunks));
    let map = place.draw(
        "surface",
        &["--find", "glass,minecraft:t*h,glowstone,minecraft:absent"],
    );
    let at = |x: usize, dx: i32| x as i32 * 16 + dx;

    let shown = |x: usize| {
        [
            marker([at(x, 5), 63, 5], "Torch", "minecraft:torch", 1),
            marker([at(x, 9), 63, 2], "Glass", "minecraft:glass", 2),
        ]
    };

    let expected: Vec<_> = (0..chunks.len()).flat_map(shown).collect();
    assert_eq!(found(&map), expected, "nothing below the ground");

    let map = place.draw(
        "all",
        &["--find", "*stone", "--find", "glass", "--find-depth", "all"],
    );

    let counts = |name: &str| {
        let all = found(&map)
            .into_iter()
            .filter(|(_, properties)| properties["name"] == name);
        all.map(|(_, properties)| properties["count"].as_u64().unwrap())
            .collect::<Vec<_>>()
    };

    assert_eq!(counts("Glowstone"), vec![7; chunks.len()]);
    assert_eq!(counts("Glass"), vec![2; chunks.len()]);
    assert_eq!(counts("Stone"), vec![3 * 256 + 7; chunks.len()]);
}

#[test]
fn blocks_of_bedrock_are_found_by_either_name() {
    for version in [2, 5, 8, 15, 22, 41] {
        let mut chunk = BedrockChunk::new(0, 0, 0, version);
        chunk.layer(60, 62, bedrock::STONE);
        chunk.set(3, 63, 4, bedrock::BIRCH_LOG);
        chunk.set(9, 63, 4, bedrock::BIRCH_LOG);
        chunk.set(8, 20, 8, bedrock::GLOWSTONE);
        let mut database = Database::new(1);
        database.batch(&chunk.changes());

        let place = Place::of(&with_level_dat("Land", &database));
        let map = place.draw(
            "map",
            &[
                "--find",
                "birch_log,glowstone,oak_log",
                "--find-depth",
                "all",
            ],
        );

        let expected = [
            marker([3, 63, 4], "Birch log", "minecraft:birch_log", 2),
            marker([8, 20, 8], "Glowstone", "minecraft:glowstone", 1),
        ];
        assert_eq!(found(&map), expected, "version {version}");

        let map = place.draw("stored", &["--find", "log"]);
        assert_eq!(
            found(&map),
            [marker([3, 63, 4], "Log", "minecraft:log", 2)],
            "version {version}"
        );
    }
}

#[test]
fn found_blocks_are_independent_of_layers_and_runs() {
    let place = Place::of(&world_of(&[
        house(0, GENERATIONS[5]),
        house(1, GENERATIONS[1]),
    ]));
    let find = ["--find", "glass,glowstone"];
    let day = found(&place.draw("day", &find));
    assert_eq!(day.len(), 2);

    for layers in [
        &["-l", "height"][..],
        &["-l", "cave"],
        &["-l", "biome", "-l", "roof"],
    ] {
        assert_eq!(
            found(&place.draw(layers[1], &[&find[..], layers].concat())),
            day,
            "{layers:?}"
        );
    }

    // A later run reads an unchanged region again only if it searches for other blocks.
    assert_eq!(found(&place.draw("day", &find)), day);
    assert_eq!(found(&place.draw("day", &["--find", "torch"])).len(), 2);
    assert_eq!(kinds(&place.draw("day", &[])), [("world".to_owned(), 1)]);

    let out = place.at("day");
    on(
        "markers",
        &place.world(),
        &["-o", out.to_str().unwrap(), "--find", "glass,glowstone"],
    )
    .expect(0, "markers");
    assert_eq!(found(&Map::at(&out)), day);

    for shard in ["1/2", "2/2"] {
        render(
            &place.world(),
            &place.at("shards"),
            &[&find[..], &["--shard", shard]].concat(),
        )
        .expect(0, shard);
    }

    crate::map::run(&["merge", "-o", place.at("shards").to_str().unwrap()]).expect(0, "merge");
    assert_eq!(found(&Map::at(&place.at("shards"))), day);
}

#[test]
fn only_shown_blocks_are_found() {
    let place = Place::of(&world_of(&[
        house(0, GENERATIONS[5]),
        house(1, GENERATIONS[5]),
    ]));

    let find = |name: &str, more: &[&str]| {
        found(&place.draw(name, &[&["--find", "glass,glowstone"], more].concat()))
    };

    let glass = |at: [i32; 3], count: u32| marker(at, "Glass", "minecraft:glass", count);
    assert_eq!(
        find("hidden", &["--hide", "0,0,1,1"]),
        [glass([25, 63, 2], 2)]
    );
    assert_eq!(
        find("area", &["--area", "0,3,64,64"]),
        [glass([3, 63, 4], 1), glass([19, 63, 4], 1)]
    );

    let deep = find(
        "deep",
        &["--find-depth", "all", "--max-y", "40", "--hide", "0,0,1,1"],
    );
    assert_eq!(
        deep,
        [marker([24, 20, 0], "Glowstone", "minecraft:glowstone", 7)]
    );
}

#[test]
fn the_ceiling_of_the_nether_is_no_surface() {
    let mut chunk = ChunkSpec::new(0, 0, GENERATIONS[4]);
    chunk.layer(0, 30, block::NETHERRACK);
    chunk.layer(100, 127, block::NETHERRACK);
    chunk.layer(127, 127, block::BEDROCK);
    chunk.set(4, 31, 4, block::GLOWSTONE);
    chunk.set(5, 110, 4, block::GLOWSTONE);
    let mut files = world_of(&[stone(0, 0, GENERATIONS[4])]);
    super::put_region(&mut files, "DIM-1/region", &[chunk]);
    let place = Place::of(&files);
    let map = place.draw("map", &["-d", "nether", "--find", "glowstone"]);
    let expected = [marker([4, 31, 4], "Glowstone", "minecraft:glowstone", 1)];
    assert_eq!(features(&map, "the_nether/markers/found.geojson"), expected);
}
