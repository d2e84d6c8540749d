//! Tests the places where players appear in worlds of Paper since 26.1.

use crate::map::{Place, land, on};
use crate::world::level_dat::LevelDat;
use crate::world::nbt::Tag;
use crate::world::{ChunkSpec, Files, Generation, block, payload};

const GENERATION: Generation = Generation::Root(4790);

/// A world with these dimensions of the namespace `minecraft`, each with Paper's file: the block,
/// and whether the server has chosen it.
fn world_with_server_spawns(
    level: &LevelDat,
    dimensions: &[(&str, [i32; 3], Option<i8>)],
) -> Files {
    let mut chunk = ChunkSpec::new(0, 0, GENERATION);
    chunk.layer(60, 60, block::STONE);

    let mut files = Files::new();
    files.put("level.dat", level.bytes());
    for (name, block, initialized) in dimensions {
        let folder = format!("dimensions/minecraft/{name}");
        land::put_chunks(
            &mut files,
            &format!("{folder}/region"),
            std::slice::from_ref(&chunk),
        );

        let spawn = Tag::compound([("pos", Tag::Ints(block.to_vec()))]);
        let mut data = Tag::compound([("spawn", spawn)]);
        if let Some(initialized) = initialized {
            data.set("initialized", Tag::Byte(*initialized));
        }

        let file = payload::gzip(&Tag::compound([("data", data)]).document());
        files.put(&format!("{folder}/data/paper/level_overrides.dat"), file);
    }

    files
}

/// The place where new players start, as `info` shows it.
fn start(place: &Place) -> String {
    let told = on("info", &place.world(), &["--json"]).expect(0, "info");
    let info: serde_json::Value = serde_json::from_str(&told.out).unwrap();
    let block = &info["spawn"]["block"];
    format!("{} {block}", info["spawn"]["dimension"].as_str().unwrap())
}

#[test]
fn papers_own_file_gives_the_spawn() {
    let level = LevelDat::new("land", Some(4790)).old_spawn(0, 64, 0);
    for initialized in [None, Some(1)] {
        let files = world_with_server_spawns(&level, &[("overworld", [7, 70, 9], initialized)]);
        assert_eq!(start(&Place::of(&files)), "overworld [7,70,9]");
    }

    let files = world_with_server_spawns(&level, &[("overworld", [7, 70, 9], Some(0))]);
    assert_eq!(
        start(&Place::of(&files)),
        "overworld [0,64,0]",
        "the server has never chosen it"
    );
}

#[test]
fn players_start_in_the_dimension_that_paper_names() {
    let level = LevelDat::new("land", Some(4790))
        .old_spawn(0, 64, 0)
        .with("paperSpawnDimension", Tag::string("minecraft:hub"));
    let files = world_with_server_spawns(
        &level,
        &[
            ("overworld", [1, 2, 3], Some(1)),
            ("hub", [4, 5, 6], Some(1)),
        ],
    );
    assert_eq!(start(&Place::of(&files)), "minecraft:hub [4,5,6]");
}

#[test]
fn each_dimension_marks_its_own_spawn() {
    let level = LevelDat::new("land", Some(4790)).old_spawn(8, 64, 8);
    let files = world_with_server_spawns(
        &level,
        &[
            ("overworld", [0; 3], Some(0)),
            ("hub", [4, 5, 6], Some(1)),
            ("new", [9, 9, 9], Some(0)),
        ],
    );

    let map = Place::of(&files).draw("map", &[]).files();
    let spawns = |dimension: &str| {
        let file = map.get(&format!("{dimension}/markers/world.geojson"));
        let text = String::from_utf8(file.cloned().unwrap_or_default()).unwrap();

        ["[8,8]", "[4,6]", "[9,9]"].map(|place| text.contains(place))
    };

    assert_eq!(spawns("overworld"), [true, false, false]);
    assert_eq!(spawns("minecraft/hub"), [false, true, false]);
    assert_eq!(spawns("minecraft/new"), [false; 3]);
}
