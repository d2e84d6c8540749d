//! Tests chunks of 26.4: the same land in any form gives the same map and the same answers.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::map::{Map, Place, assert_same_files, has_ending, on, render};
use crate::world::fixture::contents::taken_over;
use crate::world::{
    ChunkSpec, Files, Generation, Record, RegionSpec, Tag, biome, fixture::landscape,
};

/// Land in two biomes side by side, the second one from `x` on, over caves in a third one.
fn land(generation: Generation, x: usize) -> ChunkSpec {
    let mut chunk = landscape(0, 0, generation);
    for column in 0..256 {
        let biome = if column % 16 < x {
            biome::FOREST
        } else {
            biome::DESERT
        };
        chunk.set_biome(column % 16, column / 16, biome);
    }

    chunk.deep_biome = Some((64, biome::LUSH_CAVES));
    chunk
}

fn place_with_chunk(nbt: &Tag) -> Place {
    let mut region = RegionSpec::new(0, 0);
    region.put_record(0, 0, Record::zlib(nbt));
    Place::of(&Files::of_regions([region]))
}

fn pictures(place: &Place, layers: &[&str]) -> BTreeMap<String, Vec<u8>> {
    let options: Vec<&str> = layers.iter().flat_map(|layer| ["-l", layer]).collect();
    render(&place.world(), &place.at("map"), &options).expect(0, "a map");
    Map::at(&place.at("map"))
        .files()
        .into_iter()
        .filter(|(path, _)| has_ending(path, "png"))
        .collect()
}

/// Answers for some columns, without the version.
fn answers(place: &Place) -> Vec<Value> {
    let columns: Vec<String> = (0..16)
        .flat_map(|x| [x.to_string(), (15 - x).to_string()])
        .collect();
    let args: Vec<&str> = columns
        .iter()
        .map(String::as_str)
        .chain(["--json"])
        .collect();
    let told = on("query", &place.world(), &args).expect(0, "query").out;

    let answer = |line: &str| {
        let mut answer: Value = serde_json::from_str(line).unwrap();
        answer["data_version"] = Value::Null;
        answer
    };

    told.lines().map(answer).collect()
}

#[test]
fn both_26_4_forms_match_1_21() {
    let layers = ["day", "night", "biome", "height", "cave"];
    let before = place_with_chunk(&land(Generation::Root(3955), 8).nbt());
    let (expected, told) = (pictures(&before, &layers), answers(&before));
    assert_eq!(expected.len(), layers.len());

    for biome in ["minecraft:forest", "minecraft:desert"] {
        assert!(
            told.iter().any(|answer| answer["biome"] == json!(biome)),
            "{biome}"
        );
    }

    let by_block = land(Generation::Root(5126), 8).nbt();
    for (form, nbt) in [
        ("finished", by_block),
        (
            "taken over",
            taken_over(&land(Generation::Root(5023), 8), "full", false),
        ),
        (
            "taken over below zero",
            taken_over(&land(Generation::Root(5023), 8), "biomes", true),
        ),
    ] {
        let after = place_with_chunk(&nbt);
        assert_same_files(form, &expected, &pictures(&after, &layers));
        assert_eq!(told, answers(&after), "{form}");
    }
}

#[test]
fn biomes_per_block_count_in_26_4() {
    for x in [3, 6, 13] {
        // Before 1.15 each column had a biome of its own.
        let mut by_column = land(Generation::Numeric(1343), x);
        let mut by_block = land(Generation::Root(5126), x);
        for chunk in [&mut by_column, &mut by_block] {
            chunk.deep_biome = None;
        }

        let (by_column, by_block) = (
            place_with_chunk(&by_column.nbt()),
            place_with_chunk(&by_block.nbt()),
        );
        assert_same_files(
            "biome",
            &pictures(&by_column, &["biome"]),
            &pictures(&by_block, &["biome"]),
        );
        assert_eq!(answers(&by_column), answers(&by_block));
    }
}

#[test]
fn chunks_converted_by_26_4_keep_their_status() {
    for (target, missing) in [
        ("full", Value::Null),
        ("terrain", json!("unfinished")),
        ("biomes", json!("unfinished")),
    ] {
        let place = place_with_chunk(&taken_over(&land(Generation::Root(5023), 8), target, false));
        assert_eq!(answers(&place)[0]["missing"], missing, "{target}");

        let drawn = render(&place.world(), &place.at("more"), &["--unfinished"])
            .expect(0, target)
            .report();
        assert_eq!(
            drawn["chunks"]["drawn"],
            json!(u8::from(target != "biomes")),
            "{target}"
        );
        assert_eq!(drawn["warnings"], json!([]), "{target}");
    }
}
