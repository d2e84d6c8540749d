//! Tests the types of dimensions, and where worlds since 26.1 store them.

use crate::map::{Place, Ran, land, on, render};
use crate::world::level_dat::LevelDat;
use crate::world::nbt::Tag;
use crate::world::{ChunkSpec, Files, Generation, block, payload};

const GENERATION: Generation = Generation::Root(4790);
const REGION: &str = "dimensions/mod/deep/region";

/// Sand at y 30 under a roof of bedrock at y 127.
fn roofed(x: i32, z: i32) -> ChunkSpec {
    let mut chunk = ChunkSpec::new(x, z, GENERATION);
    chunk.layer(30, 30, block::SAND);
    chunk.layer(124, 126, block::NETHERRACK);
    chunk.layer(127, 127, block::BEDROCK);
    chunk
}

/// A world with a dimension of these chunks.
fn world(chunks: &[ChunkSpec]) -> Files {
    let mut files = Files::new();
    land::put_chunks(&mut files, REGION, chunks);
    files
}

fn query(place: &Place, options: &[&str]) -> Ran {
    let args = [&["-d", "mod:deep"], options, &["8,8"]].concat();
    on("query", &place.world(), &args).expect(0, "query")
}

/// The height and the block of a column.
fn answer(place: &Place, options: &[&str]) -> String {
    let told = query(place, options).out;
    let fields: Vec<&str> = told.trim().split('\t').skip(2).take(2).collect();
    fields.join(" ")
}

/// A list of dimensions: `mod:deep` with this type.
fn listed(kind: &str) -> Tag {
    let settings = Tag::compound([("type", Tag::string(&format!("minecraft:{kind}")))]);
    Tag::compound([("dimensions", Tag::compound([("mod:deep", settings)]))])
}

#[test]
fn the_nearest_file_gives_the_type() {
    let own = "dimensions/mod/deep/data/minecraft/world_gen_settings.dat";
    let overworld = "dimensions/minecraft/overworld/data/minecraft/world_gen_settings.dat";
    let of_world = "data/minecraft/world_gen_settings.dat";
    let in_file = |kind: &str| payload::gzip(&Tag::compound([("data", listed(kind))]).document());
    let in_level = |kind: &str| {
        let level = LevelDat::new("land", Some(4790));
        level.with("WorldGenSettings", listed(kind)).bytes()
    };

    let nether = "the_nether";
    for (files, expected) in [
        (vec![("level.dat", in_level(nether))], "30 minecraft:sand"),
        (vec![(of_world, in_file(nether))], "30 minecraft:sand"),
        (vec![(overworld, in_file(nether))], "30 minecraft:sand"),
        (vec![(own, in_file(nether))], "30 minecraft:sand"),
        (
            vec![
                ("level.dat", in_level(nether)),
                (of_world, in_file("the_end")),
            ],
            "127 minecraft:bedrock",
        ),
        (
            vec![(of_world, in_file("the_end")), (own, in_file(nether))],
            "30 minecraft:sand",
        ),
        (
            vec![(of_world, in_file(nether)), (own, in_file("the_end"))],
            "127 minecraft:bedrock",
        ),
    ] {
        let mut world = world(&[roofed(0, 0)]);
        let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
        for (name, bytes) in &files {
            world.put(name, bytes.clone());
        }

        let place = Place::of(&world);
        let told = query(&place, &[]);
        assert!(!told.err.contains("unknown"), "{names:?}: {}", told.err);
        assert_eq!(answer(&place, &[]), expected, "{names:?}");
    }
}

#[test]
fn a_damaged_list_of_dimensions_is_named() {
    let mut files = world(&[roofed(0, 0)]);
    files.put("data/minecraft/world_gen_settings.dat", vec![1, 2, 3]);
    let place = Place::of(&files);
    let told = render(&place.world(), &place.at("map"), &[]).expect(0, "render");
    assert!(
        told.err.contains("world_gen_settings.dat is left out"),
        "{}",
        told.err
    );
}
