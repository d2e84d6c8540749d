//! Tests folders of FTB Chunks: they are drawn like worlds.

use serde_json::Value;

use crate::map::{CLEAR, Map, Place, Ran, on, program};
use crate::world::Files;
use crate::world::ftb_chunks::{FtbColumn, region};

const SERVER: &str = "data/6f0a";

/// A server with two chunks of the overworld and one of another dimension.
fn server() -> Place {
    let land = |x: usize, _| FtbColumn {
        y: if x < 4 { -3 } else { 70 },
        block: if x < 4 { 0x0a_0b0c } else { 0xff_0001 },
        biome: if x < 20 { 3 } else { 0x7ff },
        light: 9,
        is_wet: x < 4,
    };

    let mut files = Files::new();
    files.put(
        "dimensions.txt",
        b"minecraft:overworld\nmy_mod:far\n".to_vec(),
    );
    files.put(
        "block_map.txt",
        b"#0A0B0C minecraft:gravel\n#FF0001 minecraft:oak_planks\n".to_vec(),
    );
    files.put("biome_map.txt", b"#003 minecraft:forest\n".to_vec());
    let far = |x, z| FtbColumn {
        block: 0x12_3456,
        ..land(x, z)
    };
    // Regions -1, 0 and 2, 0.
    files.put(
        "minecraft_overworld/0EA5F-0EA60.zip",
        region(&[(0, 0), (1, 0)], land),
    );
    files.put("my_mod_far/0EA62-0EA60.zip", region(&[(0, 0)], far));

    let place = Place::empty();
    files.write_under(&place.at(SERVER));
    place
}

fn draw(place: &Place, folder: &str) -> Ran {
    let mut command = program();
    command.args(["render", "--from", "ftb-chunks", "-l", "day", "-l", "night"]);
    command.arg(place.at(folder)).arg("-o").arg(place.at("map"));
    Ran::of(command.args(["--report", "-"]).output().unwrap())
}

#[test]
fn folders_of_ftb_chunks_are_drawn() {
    let place = server();
    let report = draw(&place, SERVER).expect(0, "a map").report();
    assert_eq!(report["chunks"]["drawn"], 3);
    let unknown = &report["unknown_blocks"]["ftbchunks:block_123456"];
    assert_eq!(unknown["columns"], 256);

    let map = Map::at(&place.at("map"));
    let columns = map.columns_of("overworld", "day");
    assert_ne!(columns.at(-512, 5), columns.at(-500, 5));
    assert_eq!(columns.at(-512 + 32, 5), CLEAR);
    assert_ne!(map.columns_of("my_mod/far", "day").at(1024, 0), CLEAR);

    let ran = draw(&place, "data");
    assert!(ran.expect(1, "above").err.contains("6f0a"));
}

#[test]
fn queries_name_the_blocks_of_ftb_chunks() {
    let place = server();
    let answer = |x: &str| {
        let ran = on("query", &place.at(SERVER), &["--json", x, "5"]).expect(0, "an answer");
        let answer: Value = serde_json::from_str(&ran.out).unwrap();
        ["block", "y", "biome"].map(|field| answer[field].clone())
    };
    let forest = || Value::from("minecraft:forest");
    assert_eq!(
        answer("-512"),
        ["minecraft:water".into(), 62.into(), forest()]
    );
    assert_eq!(
        answer("-500"),
        ["minecraft:oak_planks".into(), 70.into(), forest()]
    );
}
