//! Tests the pixels of blocks of Bedrock Edition, including blocks of add-ons.

use std::fs;

use serde_json::Value;

use super::{alone, packed};
use crate::map::{Map, Place, on, render};
use crate::world::bedrock::block::{self};
use crate::world::bedrock::{ChunkSpec, Database, keys};
use crate::world::fixture::bedrock::with_level_dat;
use crate::world::{ChunkSpec as JavaChunk, Files, Generation, RegionSpec, block as java};

/// The pixels of a chunk at 0, 0.
fn pixels_of_chunk(files: &Files) -> Vec<[u8; 4]> {
    let columns = Place::of(files).draw("map", &[]).columns();
    (0..256)
        .map(|column| columns.at(column % 16, column / 16))
        .collect()
}

#[test]
fn beds_and_banners_match_java_edition() {
    const DYES: [&str; 16] = [
        "white",
        "orange",
        "magenta",
        "light_blue",
        "yellow",
        "lime",
        "pink",
        "gray",
        "light_gray",
        "cyan",
        "purple",
        "blue",
        "brown",
        "green",
        "red",
        "black",
    ];

    let kinds = [
        ("bed", block::BED_HEAD),
        ("banner", block::BANNER),
        ("wall_banner", block::WALL_BANNER),
    ];

    let java_world = |name: &dyn Fn(usize, &str) -> String| {
        let mut chunk = JavaChunk::new(0, 0, Generation::Root(3955));
        chunk.layer(60, 60, java::STONE);

        for x in 0..16 {
            for (row, (kind, _)) in kinds.into_iter().enumerate() {
                chunk.set(
                    x,
                    61,
                    row * 3,
                    java::Block::made(format!("minecraft:{}_{kind}", name(x, kind))),
                );
            }
        }

        let mut region = RegionSpec::new(0, 0);
        region.put(&chunk);
        Files::of_regions([region])
    };

    let mut chunk = ChunkSpec::new(0, 0, 0, 41);
    chunk.layer(60, 60, block::STONE);

    for (x, (row, (_, block))) in
        (0..16).flat_map(|x| kinds.into_iter().enumerate().map(move |kind| (x, kind)))
    {
        chunk.set(x, 61, row * 3, block);
    }

    let plain = java_world(&|_, kind| if kind == "bed" { "red" } else { "white" }.to_owned());
    assert!(
        pixels_of_chunk(&alone(&chunk)) == pixels_of_chunk(&plain),
        "without block entities"
    );

    let beds = (0..16).map(|x| keys::bed([x, 61, 0], x as i8));
    let banners = (0..16).flat_map(|x| [3, 6].map(|z| keys::banner([x, 61, z], 15 - x)));
    chunk
        .extra
        .push((49, beds.chain(banners).flatten().collect()));

    let dyed = java_world(&|x, _| DYES[x].to_owned());
    assert!(
        pixels_of_chunk(&alone(&chunk)) == pixels_of_chunk(&dyed),
        "with block entities"
    );
}

#[test]
fn water_over_air_is_water() {
    let world = |has_second: bool| {
        let mut chunk = ChunkSpec::new(0, 0, 0, 41);
        chunk.layer(55, 60, block::STONE);

        for (column, y) in
            (0..200).flat_map(|column| (61..62 + column as i32 % 19).map(move |y| (column, y)))
        {
            let (x, z) = (column % 16, column / 16);
            chunk.set(x, y, z, if has_second { block::AIR } else { block::WATER });
            if has_second {
                chunk.wet(x, y, z, block::WATER);
            }
        }

        alone(&chunk)
    };

    assert!(pixels_of_chunk(&world(true)) == pixels_of_chunk(&world(false)));
}

#[test]
fn add_on_blocks_have_their_pack_colours() {
    let mut chunk = ChunkSpec::new(0, 0, 0, 40);
    chunk.set(9, 75, 0, block::OWN);
    let mut database = Database::new(1);
    database.batch(&chunk.changes());
    let place = Place::of(&with_level_dat("Add-on", &database));
    let block = r##"{"minecraft:block": {"description": {"identifier": "example:lamp"},
        "components": {"minecraft:map_color": "#ff0000"}}}"##;

    let mut pack = Files::new();
    pack.put("manifest.json", b"{}".to_vec());
    pack.put("blocks/lamp.json", block.as_bytes().to_vec());
    pack.write_under(&place.at("pack"));
    fs::write(place.at("add-on.mcpack"), packed(&pack)).unwrap();

    let without = render(&place.world(), &place.at("without"), &[]).expect(0, "without the pack");
    assert!(
        without.report()["unknown_blocks"]["example:lamp"].is_object(),
        "{}",
        without.out
    );

    for assets in ["pack", "add-on.mcpack"] {
        let out = place.at(&format!("{assets}.map"));
        let ran = render(
            &place.world(),
            &out,
            &["--assets", place.at(assets).to_str().unwrap()],
        )
        .expect(0, assets);

        assert_eq!(
            ran.report()["unknown_blocks"],
            serde_json::json!({}),
            "{assets}"
        );

        let [red, green, blue, _] = Map::at(&out).columns().at(9, 0);
        assert!(
            red > 150 && green == 0 && blue == 0,
            "{assets}: {red} {green} {blue}"
        );
    }
}

#[test]
fn packs_in_a_world_folder_are_read() {
    let mut chunk = ChunkSpec::new(0, 0, 0, 40);
    chunk.set(9, 75, 0, block::OWN);
    let mut database = Database::new(1);
    database.batch(&chunk.changes());
    let mut files = with_level_dat("Add-on", &database);
    let block = r##"{"minecraft:block": {"description": {"identifier": "example:lamp"},
        "components": {"minecraft:map_color": "#ff0000"}}}"##;

    files.put(
        "behavior_packs/lamps/manifest.json",
        br#"{"header": {"uuid": "1111-AB"}}"#.to_vec(),
    );

    files.put(
        "behavior_packs/lamps/blocks/lamp.json",
        block.as_bytes().to_vec(),
    );

    files.put(
        "world_behavior_packs.json",
        br#"[{"pack_id": "1111-ab", "version": [1, 0, 0]}]"#.to_vec(),
    );
    let place = Place::of(&files);
    fs::write(place.at("world.mcworld"), packed(&files)).unwrap();

    for world in [place.world(), place.at("world.mcworld")] {
        let out = place.at("map");
        let ran = render(&world, &out, &["-f"]).expect(0, "with its pack");
        assert_eq!(
            ran.report()["unknown_blocks"],
            serde_json::json!({}),
            "{world:?}"
        );

        let [red, green, blue, _] = Map::at(&out).columns().at(9, 0);
        assert!(
            red > 150 && green == 0 && blue == 0,
            "{world:?}: {red} {green} {blue}"
        );

        let info: Value =
            serde_json::from_str(&on("info", &world, &["--json"]).expect(0, "info").out).unwrap();
        assert_eq!(
            info["dimensions"][0]["unknown_blocks"],
            serde_json::json!({}),
            "{world:?}"
        );
    }

    files
        .0
        .insert("world_behavior_packs.json".to_owned(), b"[]".to_vec());
    let off = Place::of(&files);
    let ran = render(&off.world(), &off.at("map"), &[]).expect(0, "switched off");
    let unknown = &ran.report()["unknown_blocks"]["example:lamp"];
    assert_eq!(unknown["dimension"], "overworld", "{unknown}");
}
