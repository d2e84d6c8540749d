//! Tests files of zvcr: they are drawn like region files with the same land, also in the past.
#![allow(
    clippy::disallowed_methods,
    reason = "test worlds are no output of the program"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::map::{Place, land, on, render};
use crate::world::zvcr::{BlockEntity, ZvcrFile};
use crate::world::{Block, ChunkSpec, Files, Generation, Tag, block};

/// 2023-11-14 and 2025-12-06, in seconds since 1970.
const OLD: u64 = 1_700_000_000;
const NEW: u64 = 1_765_000_000;
/// The number of signs among the types of block entities.
const SIGN: u32 = 7;

/// A chunk of grass with one block of another kind on it.
fn chunk(x: i32, z: i32, top: Block) -> ChunkSpec {
    let mut chunk = ChunkSpec::new(x, z, Generation::Root(4189));
    chunk.layer(-64, 60, block::STONE);
    chunk.layer(61, 62, block::GRASS_BLOCK);
    chunk.set(8, 70, 3, top);
    chunk
}

/// The files of a world with these files in the overworld.
fn world<'f>(files: impl IntoIterator<Item = ((i32, i32), &'f ZvcrFile)>) -> Files {
    let mut tree = Files::new();
    for ((x, z), file) in files {
        let (sector_x, sector_z) = (x.div_euclid(32), z.div_euclid(32));
        tree.put(
            &format!("overworld/{sector_x}/{sector_z}/r.{x}.{z}.zvcr3d"),
            file.bytes(),
        );
    }
    tree
}

/// The answer about one column.
fn query(world: &Path, column: [i32; 2], options: &[&str]) -> Value {
    let [x, z] = column.map(|number| number.to_string());
    let args = [&["--json", x.as_str(), z.as_str()], options].concat();
    serde_json::from_str(&on("query", world, &args).expect(0, "an answer").out).unwrap()
}

/// A file whose chunks at 0, 0 had stone in the place of planks.
fn changed() -> ZvcrFile {
    let mut file = ZvcrFile::default();
    let (new, old) = (chunk(0, 0, block::OAK_PLANKS), chunk(0, 0, block::STONE));
    file.put_states([(NEW, &new), (OLD, &old)]);
    file.put(OLD, &chunk(31, 31, block::GLASS));
    file
}

#[test]
fn zvcr_and_region_files_give_the_same_pixels() {
    let mut chunks = Vec::new();
    for (x, z) in [
        (0, 0),
        (1, 0),
        (0, 1),
        (31, 31),
        (-1, -1),
        (32, 31),
        (2, 30),
    ] {
        let mut chunk = chunk(x, z, block::OAK_PLANKS);
        chunk.stack(5, 9, 63, 64 + x.abs(), block::OAK_LOG_ALONG_X);
        chunk.set(12, 63, 12, block::WATER);
        chunks.push(chunk);
    }
    // More states than a palette can have.
    let kinds = [
        block::STONE,
        block::DIRT,
        block::SAND,
        block::GRAVEL,
        block::GLASS,
    ];
    for (index, kind) in kinds.into_iter().cycle().take(4096).enumerate() {
        chunks[0].set(index % 16, 80 + index as i32 / 256, index / 16 % 16, kind);
    }

    let mut files: BTreeMap<(i32, i32), ZvcrFile> = BTreeMap::new();
    for chunk in &chunks {
        let file = files.entry((chunk.x >> 5, chunk.z >> 5)).or_default();
        file.put(NEW, chunk);
    }

    let anvil = Place::of(&land::of_chunks(&chunks, Generation::Root(4189)));
    let zvcr = Place::of(&world(files.iter().map(|(place, file)| (*place, file))));
    let layers = ["-l", "day", "-l", "height", "-l", "version", "-l", "cave"];
    let (anvil, zvcr) = (anvil.draw("map", &layers), zvcr.draw("map", &layers));
    for layer in ["day", "height", "version", "cave"] {
        assert_eq!(
            anvil.columns_of("overworld", layer),
            zvcr.columns_of("overworld", layer),
            "{layer}"
        );
    }
}

#[test]
fn columns_are_answered_for_any_time() {
    let place = Place::of(&world([((0, 0), &changed())]));
    let block = |options: &[&str]| query(&place.world(), [8, 3], options)["block"].clone();
    assert_eq!(block(&[]), "minecraft:oak_planks");
    assert_eq!(block(&["--at", "2025-12-07"]), "minecraft:oak_planks");
    assert_eq!(block(&["--at", "2025-12-05"]), "minecraft:stone");
    // Before the first state, the first one is the best guess.
    assert_eq!(block(&["--at", "2001-01-01"]), "minecraft:stone");

    let answer = query(&place.world(), [8, 3], &[]);
    assert_eq!(answer["biome"], "minecraft:plains");
    assert_eq!(answer["data_version"], 4189);

    let info = on("info", &place.world(), &["--json", "--at", "2025-12-05"]).expect(0, "facts");
    let info: Value = serde_json::from_str(&info.out).unwrap();
    assert_eq!(info["last_played"], "2025-12-05T00:00:00Z");
    assert_eq!(info["dimensions"][0]["chunks"], 2);
}

#[test]
fn only_zvcr_has_a_past() {
    let place = Place::of(&land::of_chunks(
        &[chunk(0, 0, block::GLASS)],
        Generation::Root(4189),
    ));
    let ran = render(&place.world(), &place.at("map"), &["--at", "2025-01-01"]);
    assert!(
        ran.expect(1, "a region file")
            .err
            .contains("leave out --at")
    );
    assert!(!place.at("map").exists());
}

#[test]
fn runs_at_several_times_make_moments() {
    let place = Place::of(&world([((0, 0), &changed())]));
    let old = place.draw("map", &["--history", "--at", "2025-01-01"]);
    let before = old.columns();
    let again = render(&place.world(), &place.at("map"), &["--at", "2025-02-01"]);
    assert_eq!(
        again.expect(0, "the same state").report()["regions"]["drawn"],
        0
    );

    let new = place.draw("map", &["--at", "2026-01-01"]);
    assert_ne!(before, new.columns());
    let moments = on("history", &place.at("map"), &["--json"])
        .expect(0, "moments")
        .out;
    assert!(
        moments.contains("2025-01-01") && moments.contains("2026-01-01"),
        "{moments}"
    );
}

#[test]
fn the_month_of_a_state_is_layer_changed() {
    let place = Place::of(&world([((0, 0), &changed())]));
    let months = |name: &str, options: &[&str]| {
        let map = place.draw(name, &[&["-l", "changed"], options].concat());
        let legend = &map.facts()["dimensions"][0]["layers"][0]["legend"][0];
        let entries = legend["entries"].as_array().unwrap();
        let months: Vec<_> = entries.iter().map(|entry| entry[1].clone()).collect();

        let columns = map.columns_of("overworld", "changed");
        (months, [(0, 0), (500, 500)].map(|(x, z)| columns.at(x, z)))
    };

    let (names, [newest, oldest]) = months("newest", &[]);
    assert_eq!(names, ["2023-11", "2025-12"]);
    assert_ne!(newest, oldest);

    let (names, colours) = months("before", &["--at", "2025-01-01"]);
    assert_eq!(names, ["2023-11"]);
    assert_eq!(colours, [oldest; 2]);
}

#[test]
fn only_changed_files_of_zvcr_are_drawn_again() {
    let far = ZvcrFile {
        chunks: changed().chunks,
        ..ZvcrFile::default()
    };
    let place = Place::of(&world([((0, 0), &changed()), ((40, -40), &far)]));
    place.draw("map", &[]);
    let drawn = || {
        let ran = render(&place.world(), &place.at("map"), &[]);
        ran.expect(0, "a map").report()["regions"]["drawn"].clone()
    };
    assert_eq!(drawn(), 0);

    let mut next = changed();
    next.put(NEW, &chunk(5, 5, block::GLASS));
    fs::write(
        place.world().join("overworld/0/0/r.0.0.zvcr3d"),
        next.bytes(),
    )
    .unwrap();
    assert_eq!(drawn(), 1);
    assert_eq!(drawn(), 0);
}

#[test]
fn a_chunk_without_some_sections_is_drawn() {
    let mut chunk = chunk(0, 0, block::OAK_PLANKS);
    chunk.sections.retain(|&y, _| y == 4);
    let mut file = ZvcrFile::default();
    file.put(NEW, &chunk);
    let place = Place::of(&world([((0, 0), &file)]));
    let block = |column| query(&place.world(), column, &[])["block"].clone();
    assert_eq!(block([8, 3]), "minecraft:oak_planks");
    assert_eq!(block([0, 0]), Value::Null);
}

#[test]
fn signs_of_zvcr_are_markers() {
    let text = |line: &str| {
        let lines = [line, "", "", ""].map(|line| Tag::string(&format!("{{\"text\":\"{line}\"}}")));
        let sign = Tag::compound([(
            "front_text",
            Tag::compound([("messages", Tag::List(lines.to_vec()))]),
        )]);
        // The root is nameless in the network form.
        let mut fields = sign.document();
        fields.drain(1..3);
        Some((SIGN, fields))
    };

    let mut file = changed();
    let at = [3, 64 + 70, 4];
    // The importer stores positions in the region.
    let stored_at = [3 + 16 * 5, 64 + 70, 4 + 16 * 2];
    let chunk = file.chunks.get_mut(&(0, 0)).unwrap();
    chunk.block_entities = vec![
        (
            NEW,
            vec![BlockEntity {
                at: stored_at,
                put: text("Town"),
            }],
        ),
        (
            OLD,
            vec![
                BlockEntity {
                    at: stored_at,
                    put: None,
                },
                BlockEntity {
                    at,
                    put: text("Camp"),
                },
            ],
        ),
    ];

    let place = Place::of(&world([((0, 0), &file)]));
    let markers = |name: &str, options: &[&str]| {
        place.draw(name, &[&["--signs", "."], options].concat());
        let folder = place.at(name);
        let files = crate::map::Map::at(&folder).files();
        let texts = files.into_iter().filter(|(path, _)| path.ends_with("json"));
        texts
            .map(|(_, bytes)| String::from_utf8_lossy(&bytes).into_owned())
            .collect::<String>()
    };

    let new = markers("new", &[]);
    assert!(new.contains("Town") && !new.contains("Camp"), "{new}");
    let old = markers("old", &["--at", "2025-01-01"]);
    assert!(old.contains("Camp") && !old.contains("Town"), "{old}");
}

#[test]
fn damage_costs_the_rest_of_a_file() {
    let mut file = changed();
    file.put(NEW, &chunk(30, 0, block::GLASS));
    let mut bytes = file.bytes();
    let len = bytes.len();
    // The last chunk is at the end of the stream.
    bytes.truncate(len - 40);

    let mut tree = world([((1, 0), &changed())]);
    tree.put("overworld/0/0/r.0.0.zvcr3d", bytes);
    let place = Place::of(&tree);
    let report = render(&place.world(), &place.at("map"), &[]);
    let report = report.expect(3, "a cut file").report();
    assert_eq!(
        report["chunks"]["drawn"], 4,
        "two before the cut, two in the other file"
    );
    let bad = &report["bad_chunks"][0];
    assert_eq!(bad["region"], "r.0.0.zvcr3d");
    assert_eq!(bad["reason"], "bad_length");
    let message = bad["message"].as_str().unwrap();
    assert!(
        message.contains("at byte ") && message.contains("cut short"),
        "{message}"
    );
}

#[test]
fn unknown_forms_of_zvcr_name_the_remedy() {
    let newer = ZvcrFile {
        protocol: 770,
        ..changed()
    };
    let place = Place::of(&world([((0, 0), &newer)]));
    let ran = render(&place.world(), &place.at("map"), &[]).expect(1, "protocol 770");
    assert!(
        ran.err.contains("protocol 770") && ran.err.contains("zvcr -export"),
        "{}",
        ran.err
    );

    let other = ZvcrFile {
        version: 8,
        ..changed()
    };
    let place = Place::of(&world([((0, 0), &changed()), ((1, 0), &other)]));
    let ran = render(&place.world(), &place.at("map"), &[]);
    let report = ran.expect(3, "one unknown file").report();
    assert_eq!(report["regions"]["failed"], 1);
    assert_eq!(report["regions"]["drawn"], 1);
    let message = report["bad_chunks"][0]["message"].as_str().unwrap();
    assert!(message.contains("format version 8"), "{message}");
}

#[test]
fn block_numbers_of_an_older_protocol_are_known() {
    let mut file = ZvcrFile {
        protocol: 765,
        ..ZvcrFile::default()
    };
    let vine = Block::named("minecraft:cave_vines_plant").with(&[("berries", "true")]);
    file.put(NEW, &chunk(0, 0, vine));
    let place = Place::of(&world([((0, 0), &file)]));
    let answer = query(&place.world(), [8, 3], &[]);
    assert_eq!(answer["block"], "minecraft:cave_vines_plant");
    assert_eq!(answer["data_version"], 3700);
}

#[test]
fn any_part_of_a_zvcr_world_works() {
    let tree = world([((0, 0), &changed()), ((-1, 0), &changed())]);
    let place = Place::of(&tree);
    for (given, regions) in [
        ("", 2),
        ("overworld", 2),
        ("overworld/0/0", 1),
        ("overworld/0/0/r.0.0.zvcr3d", 1),
    ] {
        let world = place.world().join(given);
        let info = on("info", &world, &["--json"]).expect(0, given);
        let info: Value = serde_json::from_str(&info.out).unwrap();
        assert_eq!(info["dimensions"][0]["id"], "overworld", "{given}");
        assert_eq!(info["dimensions"][0]["regions"], regions, "{given}");
    }

    let ran = on("info", &place.world().join("overworld/0"), &["--json"]).expect(1, "a part");
    assert!(ran.err.contains("give the folder around it"), "{}", ran.err);
}

#[test]
fn an_area_lists_only_its_sectors() {
    let mut tree = world([((0, 0), &changed()), ((31, 0), &changed())]);
    for far in ["overworld/3/0", "overworld/0/3"] {
        tree.put(
            &format!("{far}/r.0.0.zvcr3d"),
            b"in the wrong folder".to_vec(),
        );
    }
    let place = Place::of(&tree);
    let warns = |map: &str, options: &[&str]| {
        let ran = render(&place.world(), &place.at(map), options).expect(0, "a map");
        ran.err.contains("belong to another folder")
    };
    assert!(warns("whole", &[]));
    assert!(!warns("near", &["-a", "0,0,100,100"]));
    assert!(warns("far", &["-a", "50000,0,50100,100"]));
}

#[test]
fn night_of_zvcr_has_no_light() {
    let place = Place::of(&world([((0, 0), &changed())]));
    let ran = render(&place.world(), &place.at("map"), &["-l", "night"]).expect(0, "a map");
    assert!(ran.err.contains("light"), "{}", ran.err);
}

#[test]
fn each_chunk_of_zvcr_is_decoded_once() {
    let mut file = changed();
    // Borders of all sides, and an inner chunk.
    for (x, z) in [
        (31, 0),
        (0, 31),
        (15, 0),
        (0, 15),
        (31, 15),
        (15, 31),
        (9, 9),
    ] {
        file.put(NEW, &chunk(x, z, block::GLASS));
    }

    let places = [(0, 0), (-1, 0), (0, -1), (-1, -1)];
    let place = Place::of(&world(places.map(|place| (place, &file))));
    for threads in ["1", "3"] {
        let ran = render(&place.world(), &place.at(threads), &["--threads", threads]);
        let report = ran.expect(0, "a map").report();
        assert_eq!(report["chunks"]["drawn"], 4 * 9, "{threads} threads");
        assert_eq!(report["chunks"]["edge"], 0, "{threads} threads");
    }
}
