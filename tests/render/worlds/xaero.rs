//! Tests folders of Xaero's World Map: they are drawn like worlds with the same land.
#![allow(
    clippy::disallowed_methods,
    reason = "test worlds are no output of the program"
)]

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::map::land::Column;
use crate::map::{CLEAR, Map, Place, Ran, land, on, program};
use crate::world::xaero::{Pixel, XaeroFile, XaeroTile, level, packed, tile};
use crate::world::{Block, Files, biome, block};

const SERVER: &str = "Multiplayer_play.example.org";
const SURFACE: &str = "null/mw$default";

/// The folder of a server with these files.
fn server<'f>(files: impl IntoIterator<Item = (&'f str, Vec<u8>)>) -> Place {
    let place = Place::empty();
    put(&place, SERVER, files);
    place
}

fn put<'f>(place: &Place, server: &str, files: impl IntoIterator<Item = (&'f str, Vec<u8>)>) {
    let mut tree = Files::new();
    for (path, bytes) in files {
        tree.put(path, bytes);
    }
    tree.write_under(&place.at(server));
}

/// Draws folders of players, and prints the report.
fn draw(folders: &[&Path], out: &Path, options: &[&str]) -> Ran {
    let mut command = program();
    command
        .args(["render", "--from", "xaero"])
        .args(folders)
        .arg("-o")
        .arg(out);
    let ran = command.args(options).args(["--report", "-"]).output();
    Ran::of(ran.unwrap())
}

fn query(folder: &Path, [x, z]: [i32; 2]) -> Value {
    let args = ["--json", &x.to_string(), &z.to_string()];
    serde_json::from_str(&on("query", folder, &args).expect(0, "an answer").out).unwrap()
}

/// A surface file of one chunk at 0, 0.
fn one(tile: XaeroTile) -> Vec<u8> {
    XaeroFile::of_tile((0, 0), tile).bytes()
}

/// Land with hills, a lake, a road and two biomes.
fn land_at(x: i32, z: i32) -> Column {
    let biome = if x < 20 { biome::PLAINS } else { biome::DESERT };
    let y = 60 + (x / 3 + z / 5) % 9;
    let column = match (x % 7, y) {
        (_, ..63) => Column {
            water_y: Some(63),
            ..Column::of(y - x % 4 * 3, block::SAND)
        },
        (0, _) => Column::of(y, block::OAK_PLANKS),
        (1, _) => Column::of(y + 2, block::BIRCH_LEAVES),
        _ => Column::of(y, block::GRASS_BLOCK),
    };
    Column { biome, ..column }
}

/// The same land as the mod stores it.
fn land_file(version: (u16, u16)) -> XaeroFile {
    let mut file = XaeroFile {
        version,
        ..XaeroFile::default()
    };
    for (chunk_x, chunk_z) in [(0, 0), (1, 0), (0, 1), (1, 1), (2, 1)] {
        let pixels = tile(|x, z| {
            let Column {
                y,
                ground,
                water_y,
                biome,
            } = land_at((chunk_x * 16 + x) as i32, (chunk_z * 16 + z) as i32);
            let pixel = Pixel {
                biome,
                ..Pixel::new(ground, y)
            };
            water_y.map_or(pixel.clone(), |water_y| pixel.under_water(water_y))
        });
        file.tiles.insert((chunk_x, chunk_z), pixels);
    }
    file
}

#[test]
fn xaero_and_region_files_give_equal_pixels() {
    let chunks = [0, 0, 48, 32];
    let land = land::world(chunks, (0, 0), land::BY_COLUMN, |x, z| {
        (x < 32 || z >= 16).then(|| land_at(x, z))
    });
    let layers = ["-l", "day", "-l", "height", "-l", "biome"];
    let drawn = Place::of(&land);
    let world = drawn.draw("map", &layers);

    for version in [
        (0, 3),
        (0, 8),
        (1, 8),
        (3, 8),
        (4, 5),
        (6, 5),
        (6, 8),
        (7, 8),
    ] {
        let path = format!("{SURFACE}/0_0.zip");
        let place = server([(path.as_str(), land_file(version).bytes())]);
        let ran = draw(&[&place.at(SERVER)], &place.at("map"), &layers);
        ran.expect(0, "a map");
        let map = Map::at(&place.at("map"));
        for layer in ["day", "height", "biome"] {
            assert!(
                map.columns_of("overworld", layer) == world.columns_of("overworld", layer),
                "{version:?} {layer}"
            );
        }
    }
}

#[test]
fn queries_name_the_blocks_of_xaero() {
    let pixels = tile(|x, z| match (x, z) {
        (0, _) => Pixel::new(block::SAND, -20).under_water(30),
        (1, _) => Pixel {
            top: 300,
            overlays: vec![(block::ICE, 1), (block::WATER, 15)],
            ..Pixel::new(block::GRAVEL, 280)
        },
        (2, _) => Pixel::new(block::AIR, -64),
        (x, z) => Pixel {
            biome: if (x + z) % 2 == 0 {
                biome::FOREST
            } else {
                biome::SWAMP
            },
            ..Pixel::new(block::OAK_PLANKS, 70)
        },
    });
    let place = server([("null/mw$default/-1_2.zip", one(pixels))]);
    let answer = |x: i32, z: i32| {
        let answer = query(&place.at(SERVER), [x - 512, z + 1024]);
        ["block", "y", "biome"].map(|field| answer[field].clone())
    };

    assert_eq!(
        answer(0, 5)[..2],
        ["minecraft:water".into(), Value::from(30)]
    );
    assert_eq!(
        answer(1, 5)[..2],
        ["minecraft:ice".into(), Value::from(300)]
    );
    assert_eq!(answer(2, 5)[..2], [Value::Null, Value::Null]);
    let planks = |biome: &str| ["minecraft:oak_planks".into(), Value::from(70), biome.into()];
    assert_eq!(answer(3, 5), planks("minecraft:forest"));
    assert_eq!(answer(3, 6), planks("minecraft:swamp"));
}

#[test]
fn folders_of_all_levels_are_drawn() {
    let sand = || one(level(block::SAND, 64));
    let place = server([
        ("null/mw$default/0_0.zip", sand()),
        ("null/mw$default/1_0.zip", Vec::new()),
        ("null/mw$default/2_0.zip.temp", sand()),
        ("null/mw$default/3_0 (1).zip", sand()),
        ("null/mw$default/4_0.sync-conflict-1.zip", sand()),
        ("null/mw$default/cache_1.24/5_0.zip", sand()),
        ("null/mw$default/7.9_backup_0/6_0.zip", sand()),
        ("null/last deleted/mw$default/7_0.zip", sand()),
        ("DIM-1/mw1,2,-3/0_0.zip", sand()),
        ("DIM1/cm$converted/0_0.zip", sand()),
        ("mod$far%moon/mw$8/0_0.zip", sand()),
        ("null/mw$lobby/0_0.zip", sand()),
        (
            "null/mw$lobby/0_1.xaero",
            XaeroFile::of_tile((0, 0), level(block::SAND, 64)).stream(),
        ),
    ]);

    let regions = |folder: &str| {
        let out = place.at("map");
        let _ = fs::remove_dir_all(&out);
        let ran = draw(&[&place.at(SERVER).join(folder)], &out, &[]).expect(0, folder);
        let facts = Map::at(&out).facts();
        let dimensions = facts["dimensions"].as_array().unwrap().iter();
        let ids: Vec<String> = dimensions
            .map(|dimension| dimension["id"].as_str().unwrap().to_owned())
            .collect();
        (
            ids.join(" "),
            ran.report()["regions"]["drawn"].clone(),
            ran.err,
        )
    };

    let (ids, drawn, err) = regions("");
    assert_eq!(ids, "overworld the_nether the_end mod:far/moon");
    assert_eq!(drawn, 4);
    assert!(err.contains("mw$lobby is left out"), "{err}");
    assert_eq!(regions("DIM-1").0, "the_nether");
    let (ids, drawn, _) = regions("null/mw$default");
    assert_eq!((ids.as_str(), drawn), ("overworld", 1.into()));

    let above = draw(&[&place.at("")], &place.at("no"), &[]).expect(1, "all servers");
    assert!(above.err.contains(SERVER), "{}", above.err);
    fs::create_dir(place.at("empty")).unwrap();
    let other = draw(&[&place.at("empty")], &place.at("no"), &[]).expect(1, "no map");
    assert!(other.err.contains("no regions of Xaero"), "{}", other.err);
}

#[test]
fn the_newest_file_wins_for_each_chunk() {
    let file = |tiles: [(usize, Block); 2]| {
        let tiles = tiles.map(|(x, block)| ((x, 0), level(block, 64)));
        XaeroFile {
            tiles: tiles.into(),
            ..XaeroFile::default()
        }
        .bytes()
    };
    let place = Place::empty();
    let path = format!("{SURFACE}/0_0.zip");
    let old = file([(0, block::SAND), (1, block::SAND)]);
    let new = file([(1, block::STONE), (2, block::STONE)]);
    put(&place, "anna", [(path.as_str(), old)]);
    put(&place, "ben", [(path.as_str(), new)]);
    let folders = [place.at("anna"), place.at("ben")];
    let times = [1000, 2000];
    for (folder, seconds) in folders.iter().zip(times) {
        let file = fs::File::options().write(true).open(folder.join(&path));
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        file.unwrap().set_modified(time).unwrap();
    }

    let drawn = |name: &str, folders: &[&Path]| {
        draw(folders, &place.at(name), &[]).expect(0, name);
        let columns = Map::at(&place.at(name)).columns();
        [8, 24, 40].map(|x| columns.at(x, 8))
    };
    let [anna, ben] = &folders;
    let both = drawn("both", &[anna, ben]);
    let [sand, ..] = drawn("anna-alone", &[anna]);
    let [.., stone] = drawn("ben-alone", &[ben]);
    assert!(sand != stone && sand != CLEAR && stone != CLEAR);
    assert_eq!(both, [sand, stone, stone]);
    assert_eq!(drawn("other-order", &[ben, anna]), both);
}

#[test]
fn caves_of_xaero_are_layer_cave() {
    let cave = |block| XaeroFile {
        tiles: [((0, 0), level(block, 20)), ((1, 0), level(block, 20))].into(),
        ..XaeroFile::default()
    };
    let surface = one(level(block::GRASS_BLOCK, 64));
    let place = server([
        ("null/mw$default/0_0.zip", surface.clone()),
        (
            "null/mw$default/caves/2/0_0.zip",
            cave(block::STONE).bytes(),
        ),
    ]);
    let layers = ["-l", "day", "-l", "cave"];
    draw(&[&place.at(SERVER)], &place.at("map"), &layers).expect(0, "a map");
    let map = Map::at(&place.at("map"));
    let caves = map.columns_of("overworld", "cave");
    assert_eq!(caves.at(8, 8), caves.at(24, 8));
    assert_ne!(caves.at(8, 8), CLEAR);

    let flat = server([("null/mw$default/0_0.zip", surface)]);
    draw(&[&flat.at(SERVER)], &flat.at("map"), &[]).expect(0, "a map");
    let flat = Map::at(&flat.at("map"));
    assert!(map.columns_of("overworld", "day") == flat.columns_of("overworld", "day"));

    let below = query(&place.at(SERVER), [24, 8]);
    assert_eq!(below["block"], Value::Null, "nobody has seen the land");
}

#[test]
fn caves_of_the_nether_are_its_land() {
    let caves = one(level(block::RED_WOOL, 40));
    let lower = one(level(block::BLUE_WOOL, 20));
    let place = server([
        ("DIM-1/mw$default/caves/4/0_0.zip", caves.clone()),
        ("DIM-1/mw$default/caves/1/0_0.zip", lower),
    ]);
    let layers = ["-l", "day", "-l", "cave"];
    draw(&[&place.at(SERVER)], &place.at("map"), &layers).expect(0, "a map");
    let map = Map::at(&place.at("map"));

    let flat = server([("DIM-1/mw$default/0_0.zip", caves)]);
    draw(&[&flat.at(SERVER)], &flat.at("map"), &[]).expect(0, "a map");
    let flat = Map::at(&flat.at("map"));
    assert!(map.columns_of("the_nether", "day") == flat.columns_of("the_nether", "day"));
    assert_ne!(map.columns_of("the_nether", "cave").at(8, 8), CLEAR);
}

#[test]
fn a_bad_chunk_of_xaero_costs_itself() {
    let mut file = XaeroFile::default();
    for x in 0..3 {
        file.tiles.insert((x, 0), level(block::SAND, 64));
    }
    let mut stream = file.stream();

    // The number of the block in the last column of the second chunk. Each column of the third has 12
    // bytes, 6 more end a chunk, and absent chunks have 4.
    let end = stream.len() - 7 * 4 - (256 * 12 + 6) - 3 * 4 - 6;
    assert_eq!(stream[end - 8..end - 4], [0; 4]);
    stream[end - 5] = 9;

    let path = format!("{SURFACE}/0_0.zip");
    let place = server([(path.as_str(), packed(&stream))]);
    let report = draw(&[&place.at(SERVER)], &place.at("map"), &[]).expect(3, "a bad chunk");
    let report = report.report();
    assert_eq!(report["chunks"]["drawn"], 2);
    assert_eq!(report["chunks"]["bad"], 1);
    assert_eq!(report["bad_chunks"][0]["region"], "0_0.zip");

    let whole = file.stream();
    let cut = packed(&whole[..whole.len() - 40]);
    fs::write(place.at(SERVER).join(&path), cut).unwrap();
    let report = draw(&[&place.at(SERVER)], &place.at("cut"), &[]).expect(3, "a cut file");
    assert_eq!(report.report()["chunks"]["drawn"], 2);
}

#[test]
fn files_that_cannot_be_read_name_the_reason() {
    let newer = XaeroFile {
        version: (8, 0),
        ..land_file((6, 8))
    };
    let mut bomb = land_file((6, 8)).stream();
    bomb.resize((64 << 20) + 1, 0);
    for (bytes, says) in [
        (newer.bytes(), "8.0 is newer than 7.8"),
        (packed(&bomb), "inflates to 64 MiB"),
        (packed(&[0; 900]), "has no version"),
        (b"not a zip".to_vec(), "not a zip"),
    ] {
        let place = server([
            ("null/mw$default/0_0.zip", one(level(block::SAND, 64))),
            ("null/mw$default/0_1.zip", bytes),
        ]);
        let ran = draw(&[&place.at(SERVER)], &place.at("map"), &[]).expect(3, says);
        let report = ran.report();
        assert_eq!(report["regions"]["failed"], 1, "{says}");
        let bad = &report["bad_chunks"][0];
        assert_eq!(
            (&bad["region"], &bad["chunk"]),
            (&"0_1.zip".into(), &Value::Null)
        );
        let message = bad["message"].as_str().unwrap();
        assert!(message.contains(says), "{message}");
    }
}

#[test]
fn only_changed_regions_of_xaero_are_drawn_again() {
    let place = server([
        ("null/mw$default/0_0.zip", one(level(block::SAND, 64))),
        ("null/mw$default/9_9.zip", one(level(block::SAND, 64))),
    ]);
    let drawn = || {
        let ran = draw(&[&place.at(SERVER)], &place.at("map"), &["--history"]);
        ran.expect(0, "a map").report()["regions"]["drawn"].clone()
    };
    assert_eq!(drawn(), 2);
    assert_eq!(drawn(), 0);

    let path = place.at(SERVER).join(SURFACE).join("9_9.zip");
    fs::write(path, one(level(block::STONE, 64))).unwrap();
    assert_eq!(drawn(), 1);
    assert_eq!(drawn(), 0);
}

#[test]
fn stored_light_of_xaero_shows_at_night() {
    let lit = tile(|x, _| Pixel {
        light: if x < 8 { 14 } else { 0 },
        ..Pixel::new(block::STONE, 64)
    });
    let place = server([("null/mw$default/0_0.zip", one(lit))]);
    draw(&[&place.at(SERVER)], &place.at("map"), &["-l", "night"]).expect(0, "a map");
    let columns = Map::at(&place.at("map")).columns_of("overworld", "night");
    let [bright, dark] = [3, 12].map(|x| columns.at(x, 8));
    assert!(bright[..3] > dark[..3], "{bright:?} {dark:?}");
}

#[test]
fn unstored_parts_of_xaero_are_refused() {
    let path = format!("{SURFACE}/0_0.zip");
    let place = server([(path.as_str(), one(level(block::SAND, 64)))]);
    let run = |options: &[&str]| draw(&[&place.at(SERVER)], &place.at("map"), options);
    for layer in ["version", "inhabited", "cave"] {
        let ran = run(&["-l", layer]).expect(1, layer);
        assert!(
            ran.err.contains(&format!("leave out layer {layer}")),
            "{}",
            ran.err
        );
    }
    for options in [
        &["--at", "2025-01-01"][..],
        &["--min-inhabited", "5"],
        &["--signs", "."],
        &["--find", "sand", "--find-depth", "all"],
    ] {
        run(options).expect(2, options[0]);
    }
}

#[test]
fn unknown_blocks_of_xaero_are_reported() {
    let odd = Block::named("mod:odd_rock");
    let path = format!("{SURFACE}/0_0.zip");
    let place = server([(path.as_str(), one(level(odd, 64)))]);
    let ran = draw(&[&place.at(SERVER)], &place.at("map"), &[]).expect(0, "a map");
    let unknown = &ran.report()["unknown_blocks"]["mod:odd_rock"];
    assert_eq!(unknown["columns"], 256);
}
