//! Tests `render --for xaero`: a player's folder shows the same land as the world, and keeps the
//! land of the player.
#![allow(
    clippy::disallowed_methods,
    reason = "test worlds are no output of the program"
)]

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::map::land::Column;
use crate::map::{Place, Ran, land, on, program};
use crate::world::xaero::{XaeroFile, level};
use crate::world::{biome, block};

const SURFACE: &str = "Multiplayer_play.example.org/null/mw$default";

/// Hills, a lake that is deeper than an opacity, and two biomes.
fn column(x: i32, z: i32) -> Column {
    let biome = if x < 8 { biome::PLAINS } else { biome::DESERT };
    let column = if z < 4 {
        Column {
            water_y: Some(62),
            ..Column::of(60 - x * 2, block::SAND)
        }
    } else {
        Column::of(64 + x % 3, block::GRASS_BLOCK)
    };

    Column { biome, ..column }
}

fn world() -> Place {
    Place::of(&land::world(
        [0, 0, 32, 16],
        (0, 0),
        land::BY_COLUMN,
        |x, z| Some(column(x, z)),
    ))
}

fn write(place: &Place, options: &[&str]) -> Ran {
    let mut command = program();
    command.arg("render").arg(place.world());
    command.args([
        "--for",
        "xaero",
        "--address",
        "play.example.org:25565",
        "-o",
    ]);
    command.arg(place.at("out")).args(options);
    Ran::of(command.output().unwrap())
}

fn region(place: &Place) -> PathBuf {
    place.at("out").join(SURFACE).join("0_0.zip")
}

fn query(folder: &Path, [x, z]: [i32; 2]) -> Value {
    let args = ["--json", &x.to_string(), &z.to_string()];
    let answer = on("query", folder, &args).expect(0, "an answer");
    let mut answer: Value = serde_json::from_str(&answer.out).unwrap();
    answer["data_version"].take();
    answer
}

/// Puts a player's region with planks in the chunks 0, 0 and 5, 5.
fn put_planks(place: &Place) {
    let mut file = XaeroFile::of_tile((0, 0), level(block::OAK_PLANKS, 70));
    file.tiles.insert((5, 5), level(block::OAK_PLANKS, 70));
    let path = region(place);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, file.bytes()).unwrap();
}

#[test]
fn xaero_folders_answer_like_their_world() {
    let place = world();
    write(&place, &[]).expect(0, "a folder");

    let server = place.at("out").join("Multiplayer_play.example.org");
    for at in [[0, 0], [15, 3], [7, 9], [20, 2], [31, 15]] {
        assert_eq!(query(&server, at), query(&place.world(), at), "{at:?}");
    }

    let missing = query(&server, [40, 0]);
    assert_eq!(missing["missing"], "no chunk");
}

#[test]
fn threads_do_not_change_xaero_files() {
    let (one, other) = (world(), world());
    write(&one, &["--threads", "1"]).expect(0, "a folder");
    write(&other, &["--threads", "3"]).expect(0, "a folder");
    assert_eq!(
        fs::read(region(&one)).unwrap(),
        fs::read(region(&other)).unwrap()
    );
}

#[test]
fn keep_decides_whose_chunks_stay() {
    for (keep, block) in [
        ("theirs", "minecraft:oak_planks"),
        ("ours", "minecraft:grass_block"),
    ] {
        let place = world();
        put_planks(&place);
        write(&place, &["--keep", keep]).expect(0, "a folder");

        let server = place.at("out").join("Multiplayer_play.example.org");
        assert_eq!(query(&server, [3, 9])["block"], block, "{keep}");
        let far = query(&server, [84, 84]);
        assert_eq!(far["block"], "minecraft:oak_planks", "{keep}");
        let ours = query(&server, [20, 9]);
        assert_eq!(ours["block"], "minecraft:grass_block", "{keep}");
    }
}

#[test]
fn pictures_of_written_regions_are_removed() {
    let place = world();
    let cache = place.at("out").join(SURFACE).join("cache_24");
    fs::create_dir_all(cache.join("1")).unwrap();
    for name in ["0_0.xwmc", "0_0.xwmc.outdated", "1/0_0.xwmc", "9_9.xwmc"] {
        fs::write(cache.join(name), "picture").unwrap();
    }

    write(&place, &[]).expect(0, "a folder");
    let left = ["0_0.xwmc", "0_0.xwmc.outdated", "1/0_0.xwmc", "9_9.xwmc"]
        .map(|name| cache.join(name).exists());
    assert_eq!(left, [false, false, false, true]);
}

#[test]
fn dry_runs_for_xaero_write_nothing() {
    let place = world();
    let ran = write(&place, &["--dry-run"]).expect(0, "an amount");
    assert!(ran.out.contains("1 region with 2 chunks"), "{}", ran.out);
    assert!(!place.at("out").exists());
}

#[test]
fn maps_that_a_game_has_open_stay() {
    let place = world();
    put_planks(&place);
    let before = fs::read(region(&place)).unwrap();

    let lock = place.at("out").join(SURFACE).join(".lock");
    let file = File::create(&lock).unwrap();
    file.lock().unwrap();
    let ran = write(&place, &["--keep", "ours"]).expect(75, "not now");
    assert!(ran.err.contains(".lock"), "{}", ran.err);
    assert_eq!(fs::read(region(&place)).unwrap(), before);

    drop(file);
    write(&place, &["--keep", "ours"]).expect(0, "a lock file that nobody holds");
}

#[test]
fn the_number_of_a_world_names_its_map() {
    let place = world();
    fs::write(place.world().join("xaeromap.txt"), "id:-1234\n").unwrap();
    write(&place, &[]).expect(0, "a folder");
    let map = "out/Multiplayer_play.example.org/null/mw$-1234/0_0.zip";
    assert!(place.at(map).exists());
}
