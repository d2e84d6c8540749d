//! Tests the types of dimensions: where worlds since 26.1 store them, and dimensions under bedrock
//! without a stored type.

use crate::map::{Map, Place, Ran, land, look, on, render};
use crate::world::level_dat::LevelDat;
use crate::world::nbt::Tag;
use crate::world::{Biome, ChunkSpec, Files, Generation, block, payload};

const GENERATION: Generation = Generation::Root(4790);
const REGION: &str = "dimensions/mod/deep/region";
const NETHER: Biome = Biome::new("minecraft:nether_wastes", 8);

/// Sand at y 30 under a roof of bedrock at y 127.
fn roofed(x: i32, z: i32) -> ChunkSpec {
    let mut chunk = ChunkSpec::new(x, z, GENERATION);
    chunk.layer(30, 30, block::SAND);
    chunk.layer(124, 126, block::NETHERRACK);
    chunk.layer(127, 127, block::BEDROCK);
    chunk
}

/// Land under a roof, with other blocks in the layer of the roof in some columns, counted row by
/// row.
fn roof_without(columns: usize, other: crate::world::Block) -> ChunkSpec {
    let mut chunk = roofed(0, 0);
    for column in 0..columns {
        chunk.set(column % 16, 127, column / 16, other);
    }
    chunk
}

/// A world with a dimension of these chunks.
fn world_of_dimension(chunks: &[ChunkSpec]) -> Files {
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
fn the_nearest_file_gives_the_dimension_type() {
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
        let mut world = world_of_dimension(&[roofed(0, 0)]);
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
    let mut files = world_of_dimension(&[roofed(0, 0)]);
    files.put("data/minecraft/world_gen_settings.dat", vec![1, 2, 3]);
    let place = Place::of(&files);
    let told = render(&place.world(), &place.at("map"), &[]).expect(0, "render");
    assert!(
        told.err.contains("world_gen_settings.dat is left out"),
        "{}",
        told.err
    );
}

#[test]
fn bedrock_closes_dimensions_of_unknown_type() {
    let place = Place::of(&world_of_dimension(&[roofed(0, 0)]));
    let told = query(&place, &[]);
    assert!(told.err.contains("bedrock at y 127"), "{}", told.err);

    assert_eq!(answer(&place, &[]), "30 minecraft:sand");
    assert_eq!(answer(&place, &["--top"]), "127 minecraft:bedrock");

    let told = render(&place.world(), &place.at("map"), &[]).expect(0, "render");
    assert!(
        told.err.contains("mod:deep") && told.err.contains("--assets"),
        "{}",
        told.err
    );

    let columns = Map::at(&place.at("map")).columns_of("mod/deep", "day");
    assert_eq!(
        columns.at(8, 8),
        look::level_block("minecraft:sand"),
        "the map shows the same land"
    );

    let info = on("info", &place.world(), &["--json"]).expect(0, "info");
    let info: serde_json::Value = serde_json::from_str(&info.out).unwrap();
    assert_eq!(info["dimensions"][0]["assumed_ceiling"], 127);
}

#[test]
fn a_few_open_columns_keep_the_ceiling() {
    let place = Place::of(&world_of_dimension(&[roof_without(16, block::STONE)]));
    assert_eq!(answer(&place, &[]), "30 minecraft:sand");

    let place = Place::of(&world_of_dimension(&[roof_without(64, block::STONE)]));
    assert_eq!(answer(&place, &[]), "127 minecraft:bedrock");
}

#[test]
fn biomes_of_the_nether_allow_more_holes() {
    let mut chunk = roof_without(64, block::STONE);
    chunk.biomes = Some(vec![NETHER; 256]);
    assert_eq!(
        answer(&Place::of(&world_of_dimension(&[chunk])), &[]),
        "30 minecraft:sand"
    );
}

#[test]
fn bedrock_without_land_below_is_not_a_ceiling() {
    let mut flat = ChunkSpec::new(0, 0, GENERATION);
    flat.layer(0, 3, block::STONE);
    flat.layer(4, 4, block::BEDROCK);

    let mut platform = ChunkSpec::new(0, 0, GENERATION);
    platform.layer(64, 64, block::BEDROCK);

    for (chunk, expected) in [
        (flat, "4 minecraft:bedrock"),
        (platform, "64 minecraft:bedrock"),
    ] {
        assert_eq!(
            answer(&Place::of(&world_of_dimension(&[chunk])), &[]),
            expected
        );
    }
}

#[test]
fn damaged_and_unfinished_chunks_do_not_change_ceilings() {
    let mut open = ChunkSpec::new(1, 0, GENERATION);
    open.layer(0, 60, block::STONE);
    open.status = Some("minecraft:noise");
    let place = Place::of(&world_of_dimension(&[roofed(0, 0), open]));
    assert_eq!(answer(&place, &[]), "30 minecraft:sand");
}

#[test]
fn hidden_chunks_do_not_change_the_ceiling() {
    let mut open = ChunkSpec::new(1, 0, GENERATION);
    open.layer(20, 20, block::SAND);
    let place = Place::of(&world_of_dimension(&[roofed(0, 0), open]));

    let day = |options: &[&str]| {
        let map = place.draw("map", &[&["-l", "day"], options].concat());
        map.columns_of("mod/deep", "day").at(8, 8)
    };

    let sand = look::level_block("minecraft:sand");
    assert_ne!(day(&[]), sand, "half of the chunks are open");
    assert_eq!(day(&["--hide", "16,0,32,16"]), sand);
}

#[test]
fn another_ceiling_redraws_unchanged_regions() {
    let mut open = ChunkSpec::new(32, 0, GENERATION);
    open.layer(20, 20, block::SAND);

    let place = Place::of(&world_of_dimension(&[roofed(0, 0)]));
    let find = ["--find", "sand"];
    let found = |map: &Map| {
        let file = map.files().get("mod/deep/markers/found.geojson").cloned();
        String::from_utf8(file.unwrap_or_default()).unwrap()
    };
    let first_map = place.draw("map", &find);
    let first = first_map.columns_of("mod/deep", "day");
    assert_eq!(first.at(8, 8), look::level_block("minecraft:sand"));

    assert!(found(&first_map).contains("sand"), "under the roof");

    let mut more = Files::new();
    land::put_chunks(&mut more, REGION, &[open]);
    more.write_under(&place.world());

    let second_map = place.draw("map", &find);
    let second = second_map.columns_of("mod/deep", "day");
    assert_ne!(second.at(8, 8), first.at(8, 8));

    let fresh = place.draw("fresh", &find);
    assert!(second == fresh.columns_of("mod/deep", "day"));
    assert_eq!(found(&second_map), found(&fresh), "the markers as well");
}
