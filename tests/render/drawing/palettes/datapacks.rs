//! Tests biomes and dimensions of data packs, in folders and zips below `datapacks/` and in
//! `--assets`.

use super::{HEATH, MODERN, level, one_biome, texts, write_zip};
use crate::map::land;
use crate::map::{CLEAR, Place, look, render};
use crate::world::level_dat::LevelDat;
use crate::world::{Block, ChunkSpec, Files, Tag, biome, block};

const GRASS: Block = Block::named("minecraft:grass_block");
const SAND: &str = "minecraft:sand";

fn heath(grass: &str) -> Files {
    let text = format!(
        r#"{{"temperature": 0.5, "downfall": 0.5, "effects": {{"grass_color": {grass}}}}}"#
    );
    texts(&[
        ("data/mod/worldgen/biome/heath.json", &text),
        ("pack.mcmeta", "{}"),
    ])
}

fn grass_in(tint: [u8; 3]) -> [u8; 4] {
    look::shaded(look::tinted(GRASS.name, tint), look::LEVEL)
}

#[test]
fn data_pack_biomes_have_their_colours() {
    let mut world = one_biome(GRASS, HEATH);
    world.put_all("datapacks/heath", &heath("\"#c86432\""));

    let ran_in = |place: &Place| {
        let ran = render(&place.world(), &place.at("map"), &[]).expect(0, "a data pack");
        assert_eq!(ran.report()["unknown_biomes"], serde_json::json!({}));
        assert_eq!(ran.report()["warnings"], serde_json::json!([]));
        crate::map::Map::at(&place.at("map")).columns().at(5, 5)
    };

    assert_eq!(ran_in(&Place::of(&world)), grass_in([200, 100, 50]));
    let place = Place::of(&one_biome(GRASS, HEATH));

    // A number, as in versions before 26.1.
    write_zip(
        &place.world().join("datapacks/heath.zip"),
        &heath("13132850"),
    );
    assert_eq!(ran_in(&place), grass_in([200, 100, 50]));

    let place = Place::of(&one_biome(GRASS, HEATH));
    write_zip(&place.at("mod.jar"), &heath("13132850"));
    let map = place.draw("map", &["--assets", place.at("mod.jar").to_str().unwrap()]);
    assert_eq!(map.columns().at(5, 5), grass_in([200, 100, 50]));
}

#[test]
fn a_biome_without_colours_uses_its_climate() {
    let mut world = one_biome(GRASS, HEATH);
    let cold = r#"{"temperature": -0.5, "downfall": 0.4, "effects": {"water_color": 4159204}}"#;
    world.put_all(
        "datapacks/cold",
        &texts(&[("data/mod/worldgen/biome/heath.json", cold)]),
    );
    let map = Place::of(&world).draw("map", &[]).columns();
    assert_eq!(map.at(5, 5), grass_in([0x80, 0xb4, 0x97]));
}

#[test]
fn level_dat_orders_and_disables_data_packs() {
    let mut world = one_biome(GRASS, HEATH);
    world.put_all("datapacks/a", &heath("\"#0a0a0a\""));
    world.put_all("datapacks/b", &heath("\"#c86432\""));
    world.put_all("datapacks/c", &heath("\"#ffffff\""));

    let list = |names: &[&str]| Tag::List(names.iter().map(|name| Tag::string(name)).collect());
    let packs = Tag::compound([
        ("Enabled", list(&["vanilla", "file/b", "file/a"])),
        ("Disabled", list(&["file/c"])),
    ]);

    world.0.insert(
        "level.dat".to_owned(),
        LevelDat::new("land", Some(3955))
            .with("DataPacks", packs)
            .bytes(),
    );

    assert_eq!(
        Place::of(&world).draw("map", &[]).columns().at(5, 5),
        grass_in([10, 10, 10])
    );
}

#[test]
fn a_broken_pack_costs_only_itself() {
    let mut world = one_biome(GRASS, HEATH);
    world.put_all("datapacks/good", &heath("\"#c86432\""));
    world.put("datapacks/torn.zip", b"PK\x03\x04 no zip".to_vec());

    let deep = "[".repeat(200_000);
    world.put_all(
        "datapacks/odd",
        &texts(&[
            ("data/mod/worldgen/biome/deep.json", &deep),
            (
                "data/mod/worldgen/biome/green.json",
                r#"{"effects": {"grass_color": "green"}}"#,
            ),
            ("data/mod/dimension_type/torn.json", r#"{"min_y": "#),
        ]),
    );

    let place = Place::of(&world);
    let ran = render(&place.world(), &place.at("map"), &[]).expect(0, "broken packs");
    let warnings: Vec<String> = serde_json::from_value(ran.report()["warnings"].clone()).unwrap();
    for part in [
        "torn.zip: not a zip",
        "deep.json: invalid type",
        "green.json: \"green\" is not a colour",
        "torn.json: EOF",
    ] {
        assert_eq!(
            warnings
                .iter()
                .filter(|warning| warning.contains(part))
                .count(),
            1,
            "{part}: {warnings:?}"
        );
        assert!(ran.err.contains(part), "{}", ran.err);
    }

    assert_eq!(warnings.len(), 4);
    assert_eq!(
        crate::map::Map::at(&place.at("map")).columns().at(5, 5),
        grass_in([200, 100, 50])
    );

    let torn = place.world().join("datapacks/torn.zip");
    let ran = render(
        &place.world(),
        &place.at("other"),
        &["--assets", torn.to_str().unwrap()],
    )
    .expect(2, "named");
    assert!(ran.err.contains("torn.zip: not a zip"), "{}", ran.err);
}

/// A chunk with sand at 20, under a roof of stone from `low` to `high`.
fn roofed(low: i32, high: i32) -> ChunkSpec {
    let mut chunk = ChunkSpec::new(0, 0, MODERN);
    chunk.layer(20, 20, block::SAND);
    chunk.layer(low, high, block::STONE);
    chunk.biomes = Some(vec![biome::PLAINS; 256]);
    chunk
}

#[test]
fn a_ceiling_dimension_is_drawn_below_its_ceiling() {
    let sand = look::level_block(SAND);
    for (kind, low, high) in [
        (
            r#"{"has_ceiling": true, "min_y": -64, "height": 384, "logical_height": 264}"#,
            190,
            199,
        ),
        (r#"{"has_ceiling": true, "min_y": 0, "height": 64}"#, 60, 90),
    ] {
        let mut world = Files::new();
        world.put("level.dat", LevelDat::new("land", Some(3955)).bytes());
        land::put_chunks(
            &mut world,
            "dimensions/mod/deep/region",
            &[roofed(low, high)],
        );

        let at = |world: &Files| {
            let place = Place::of(world);
            render(&place.world(), &place.at("map"), &[]).expect(0, kind);
            crate::map::Map::at(&place.at("map")).pictures("mod/deep")[&(17, 0, 0)][5 * 512 + 5]
        };

        assert_eq!(
            at(&world),
            level("7e7e7e"),
            "without a pack the roof is seen"
        );

        let mut inline = world.clone();
        inline.put_all(
            "datapacks/deep",
            &texts(&[(
                "data/mod/dimension/deep.json",
                &format!(r#"{{"type": {kind}}}"#),
            )]),
        );
        assert_eq!(at(&inline), sand, "{kind}");

        let settings = Tag::compound([(
            "mod:deep",
            Tag::compound([("type", Tag::string("mod:hollow"))]),
        )]);
        let settings = Tag::compound([("dimensions", settings)]);
        let level = LevelDat::new("land", Some(3955))
            .with("WorldGenSettings", settings)
            .bytes();
        world.0.insert("level.dat".to_owned(), level);

        world.put_all(
            "datapacks/deep",
            &texts(&[("data/mod/dimension_type/hollow.json", kind)]),
        );
        assert_eq!(at(&world), sand, "by level.dat, {kind}");
    }
}

#[test]
fn the_nether_is_seen_from_127_by_default() {
    let mut world = Files::new();
    world.put("level.dat", LevelDat::new("land", Some(3955)).bytes());
    land::put_chunks(&mut world, "DIM-1/region", &[roofed(200, 210)]);

    let at = |world: &Files| {
        let place = Place::of(world);
        render(&place.world(), &place.at("map"), &[]).expect(0, "nether");
        crate::map::Map::at(&place.at("map")).pictures("the_nether")[&(17, 0, 0)][5 * 512 + 5]
    };

    let sand = look::level_block(SAND);
    assert_eq!(
        at(&world),
        sand,
        "what is built on the roof does not hide it"
    );

    let kind = r#"{"has_ceiling": true, "min_y": 0, "height": 256, "logical_height": 207}"#;
    world.put_all(
        "datapacks/high",
        &texts(&[("data/minecraft/dimension_type/the_nether.json", kind)]),
    );
    assert_eq!(at(&world), sand);

    let open = r#"{"has_ceiling": false, "min_y": 0, "height": 256}"#;
    world.0.insert(
        "datapacks/high/data/minecraft/dimension_type/the_nether.json".to_owned(),
        open.as_bytes().to_vec(),
    );
    assert!(
        at(&world) != sand && at(&world) != CLEAR,
        "no ceiling: seen from above"
    );
}

#[test]
fn a_wholly_damaged_pack_is_reported_in_part() {
    let mut world = one_biome(GRASS, HEATH);
    for number in 0..200 {
        world.put(
            &format!("datapacks/bad/data/mod/worldgen/biome/b{number}.json"),
            b"{".to_vec(),
        );
        world.put(&format!("datapacks/z{number}.zip"), b"no zip".to_vec());
    }

    let place = Place::of(&world);
    let ran = render(&place.world(), &place.at("map"), &[]).expect(0, "a damaged pack");
    let warnings: Vec<String> = serde_json::from_value(ran.report()["warnings"].clone()).unwrap();
    assert_eq!(warnings.len(), 51);
    assert_eq!(
        warnings[50],
        "the packs contain more damaged files than are named here"
    );
}
