//! Tests files of claims that are damaged, or that have places outside any world.

use std::collections::BTreeSet;

use super::scripts::{Converted, SCRIPTS, convert, copy_of_example, example, summary};
use crate::map::Place;
use crate::world::Files;

#[test]
fn a_damaged_file_of_claims_costs_only_itself() {
    let place = Place::empty();
    for (script, example_path, file) in [
        ("griefprevention", "griefprevention", "bad.yml"),
        ("ftb-chunks", "ftb/ftbchunks", "bad.snbt"),
        ("open-parties", "open-parties", "bad.nbt"),
        ("towny", "towny/data", "townblocks/world/bad.data"),
        ("goml", "goml", "bad/data/cardinal_world_components.dat"),
        ("bentobox", "bentobox", "bad.json"),
        ("factions", "factions/mstore", "factions_board/bad.json"),
        ("yawp", "yawp/world", "data/yawp/bad.dat"),
    ] {
        let copy = place.at(script);
        let mut files = Files::read_under(&example(example_path));
        files.put(file, b"{ \n\x0a\x00\x00\x0b".to_vec());
        files.write_under(&copy);

        let Some(Converted {
            code,
            features,
            messages,
        }) = convert(script, &copy, &[])
        else {
            return;
        };

        let whole = convert(script, &example(example_path), &[]).unwrap();
        assert_eq!(
            (code, features.len()),
            (Some(3), whole.features.len()),
            "{script}: {messages}"
        );
        assert!(
            messages.contains(file) && !messages.contains("Traceback"),
            "{messages}"
        );
    }
}

#[test]
fn claims_outside_any_world_are_left_out() {
    let place = Place::empty();
    let far = "9".repeat(400);

    let claims = copy_of_example(&place, "griefprevention");
    let claim = format!(
        "Lesser Boundary Corner: world;{far};0;0\nGreater Boundary Corner: world;1;9;1\nOwner: ''\n"
    );
    std::fs::write(claims.join("far.yml"), claim).unwrap();

    let towns = copy_of_example(&place, "towny");
    let blocks = towns.join("townblocks/world");
    std::fs::copy(
        blocks.join("1_1_16.data"),
        blocks.join("999999999999_1_16.data"),
    )
    .unwrap();

    let regions = copy_of_example(&place, "worldguard");
    let file = regions.join("world/regions.yml");
    let text = std::fs::read_to_string(&file).unwrap();
    let region = "regions:\n    far:\n        type: cuboid\n        min: {x: 1.0e+99, y: 0, z: 0}\n        max: {x: 1, y: 9, z: 1}\n";
    std::fs::write(&file, text.replacen("regions:\n", region, 1)).unwrap();

    let islands = copy_of_example(&place, "bentobox");
    let island = format!(
        r#"{{"center": ["world", {far}, 0, 0], "range": 9, "protectionRange": 9, "spawn": true}}"#
    );
    std::fs::write(islands.join("far.json"), island).unwrap();

    let board = copy_of_example(&place, "factions").join("data/board.json");
    let text = std::fs::read_to_string(&board).unwrap();
    let chunk = format!("\"world\": {{ \"{far},0\": \"1\",");
    std::fs::write(&board, text.replacen("\"world\": {", &chunk, 1)).unwrap();

    for (script, path) in SCRIPTS {
        let copy = place.at(script);
        if !copy.exists() {
            continue;
        }

        let Some(converted) = convert(script, &copy, &[]) else {
            return;
        };
        let whole = convert(script, &example(path), &[]).unwrap();
        assert_eq!(converted.code, Some(3), "{script}: {}", converted.messages);
        assert_eq!(
            converted
                .features
                .iter()
                .map(summary)
                .collect::<BTreeSet<_>>(),
            whole.features.iter().map(summary).collect::<BTreeSet<_>>(),
            "{script}"
        );
    }
}

#[test]
fn claims_that_inflate_without_end_are_left_out() {
    let place = Place::empty();
    let bomb = crate::world::payload::gzip(&vec![0; 20 << 20]);

    for (script, file) in [
        ("open-parties", "bomb.nbt"),
        ("goml", "data/cardinal_world_components.dat"),
        ("yawp", "data/yawp/bomb.dat"),
    ] {
        let folder = place.at(script);
        let mut files = Files::new();
        files.put(file, bomb.clone());
        files.write_under(&folder);

        let Some(converted) = convert(script, &folder, &[]) else {
            return;
        };
        let messages = converted.messages;
        assert_eq!(
            (converted.code, converted.features.len()),
            (Some(3), 0),
            "{script}"
        );
        assert!(messages.contains("inflates"), "{script}: {messages}");
    }
}
