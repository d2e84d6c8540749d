//! Tests Bedrock worlds: every stored form gives the same map, nothing is written into them, and
//! later runs draw exactly the changes.
#![allow(
    clippy::disallowed_methods,
    reason = "test worlds are no output of the program"
)]

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use serde_json::Value;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::map::{CLEAR, Map, Place, Ran, assert_same_files, fixture, on, program, render};
use crate::world::bedrock::block::{self, Block};
use crate::world::bedrock::database::Changes;
use crate::world::bedrock::{ChunkSpec, Compression, Database, keys};
use crate::world::fixture::bedrock::{changes_between, forms, landscape, with_level_dat};
use crate::world::{ChunkSpec as JavaChunk, Files, Generation, RegionSpec, block as java};

/// Layers that read different parts of a chunk.
const OPTIONS: [&str; 12] = [
    "-d", "all", "-l", "day", "-l", "night", "-l", "cave", "-l", "biome", "-l", "version",
];

fn drawn(world: &Path, out: &Path, more: &[&str]) -> BTreeMap<String, Vec<u8>> {
    render(world, out, &[&OPTIONS, more].concat()).expect(0, &format!("{more:?}"));
    Map::at(out).files()
}

/// The files in a zip.
fn packed(files: &Files) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in &files.0 {
        zip.start_file(&**name, SimpleFileOptions::default())
            .unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn threads_shards_and_zips_give_the_same_map() {
    let place = Place::of(&forms().files);
    let alone = drawn(&place.world(), &place.at("one"), &["-t", "1"]);
    for dimension in ["overworld", "the_nether", "the_end"] {
        assert!(
            alone
                .keys()
                .any(|path| path.starts_with(&format!("{dimension}/day/17/"))),
            "{dimension}"
        );
    }

    assert_same_files(
        "threads",
        &alone,
        &drawn(&place.world(), &place.at("seven"), &["-t", "7"]),
    );

    for ending in ["mcworld", "mctemplate", "zip"] {
        let zip = place.at(&format!("world.{ending}"));
        fs::write(&zip, packed(&forms().files)).unwrap();
        assert_same_files(
            ending,
            &alone,
            &drawn(&zip, &place.at(ending), &["-t", "2"]),
        );
    }

    for shard in ["1/3", "2/3", "3/3"] {
        render(
            &place.world(),
            &place.at("shards"),
            &[&OPTIONS[..], &["--shard", shard]].concat(),
        )
        .expect(0, shard);
    }

    Ran::of(
        program()
            .arg("merge")
            .arg("-o")
            .arg(place.at("shards"))
            .output()
            .unwrap(),
    )
    .expect(0, "merge");

    let known = |state: &str| {
        fs::read(place.at("shards/.pixelmap").join(state).join("world-cache")).unwrap()
    };

    assert!(
        known("") == known("parts/3-of-3"),
        "what the shards know of the world"
    );
    assert_same_files("shards", &alone, &Map::at(&place.at("shards")).files());
}

#[test]
fn every_stored_form_has_the_same_pixels() {
    let pixels = |version: u8| {
        let mut chunk = landscape(1, 1, version);
        chunk
            .biomes
            .insert(chunk.biomes.keys().next().copied().unwrap(), vec![4; 256]);
        let mut database = Database::new(1);
        database.batch(&chunk.changes());

        let place = Place::of(&with_level_dat("Land", &database));
        let columns = place.draw("map", &[]).columns();
        (0..256)
            .map(|column| columns.at(16 + column % 16, 16 + column / 16))
            .collect::<Vec<_>>()
    };

    let newest = pixels(42);
    assert!(newest.iter().all(|pixel| *pixel != CLEAR));

    for version in [
        0, 2, 3, 4, 7, 8, 9, 10, 14, 15, 19, 21, 22, 23, 24, 25, 26, 31, 38, 39, 40, 41,
    ] {
        assert!(pixels(version) == newest, "version {version}");
    }
}

/// The pixels of a chunk at 0, 0.
fn pixels_of_chunk(files: &Files) -> Vec<[u8; 4]> {
    let columns = Place::of(files).draw("map", &[]).columns();
    (0..256)
        .map(|column| columns.at(column % 16, column / 16))
        .collect()
}

fn alone(chunk: &ChunkSpec) -> Files {
    let mut database = Database::new(1);
    database.batch(&chunk.changes());
    with_level_dat("Alone", &database)
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
        let mut files = Files::new();
        files.put_region("region", &region);

        files
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

/// The bytes and times of all files and folders.
fn state(folder: &Path) -> BTreeMap<PathBuf, (SystemTime, Vec<u8>)> {
    let mut state = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let modified = path.metadata().unwrap().modified().unwrap();

            let bytes = if path.is_dir() {
                Vec::new()
            } else {
                fs::read(&path).unwrap()
            };

            if path.is_dir() {
                folders.push(path.clone());
            }

            state.insert(path, (modified, bytes));
        }
    }

    state
}

#[test]
fn nothing_is_written_into_the_world() {
    let place = Place::of(&forms().files);
    let before = state(&place.world());
    place.draw("map", &["-d", "all", "--players"]);
    place.draw("map", &["-d", "all", "--players"]);
    on("info", &place.world(), &["--json"]).expect(0, "info");
    on("query", &place.world(), &["0", "0"]).expect(0, "query");
    on("render", &place.world(), &["--dry-run"]).expect(0, "dry run");

    on(
        "markers",
        &place.world(),
        &["-o", place.at("map").to_str().unwrap()],
    )
    .expect(0, "markers");
    assert!(state(&place.world()) == before);
}

#[test]
fn markers_come_from_chunks_and_from_the_world() {
    let place = Place::of(&forms().files);
    place.draw("map", &["-d", "all", "--players", "--signs", "."]);

    let folder = place.at("map").join("overworld/markers");
    let mut found = BTreeMap::new();
    for (name, bytes) in Files::read_under(&folder).0 {
        let collection: Value = serde_json::from_slice(&bytes).unwrap();
        let names = collection["features"]
            .as_array()
            .unwrap()
            .iter()
            .map(|feature| {
                let name = &feature["properties"]["name"];
                name.as_str().unwrap_or_default().to_owned()
            });

        found.insert(
            name.trim_end_matches(".geojson").to_owned(),
            names.collect::<Vec<_>>(),
        );
    }

    let all = [
        "signs",
        "banners",
        "beds",
        "players",
        "portals",
        "structures",
        "world",
    ]
    .map(|name| found[name].join("; "));

    assert_eq!(
        all,
        [
            "Inn by the sea; To the mine ->",
            "Harbour",
            "Bed",
            "Player; Player: Bed",
            "Nether portal",
            "Village; Pillager outpost; Swamp hut",
            "Spawn"
        ]
    );
}

/// A chunk with ground and a box of a fortress.
fn fortress(x: i32, z: i32) -> ChunkSpec {
    let mut chunk = ChunkSpec::new(x, z, 0, 41);
    chunk.layer(60, 64, block::NETHER_BRICK);
    let (west, north) = (x * 16, z * 16);
    chunk.extra.push((
        57,
        keys::boxes(&[(1, [west + 2, 48, north], [west + 15, 60, north + 8])]),
    ));
    chunk
}

/// The places and names of structures of the map in `folder`.
fn structures(place: &Place, folder: &str) -> Vec<(i64, i64, String)> {
    let path = place
        .at(folder)
        .join("overworld/markers/structures.geojson");
    let Ok(text) = fs::read_to_string(path) else {
        return Vec::new();
    };

    let collection: Value = serde_json::from_str(&text).unwrap();
    let features = collection["features"]
        .as_array()
        .unwrap()
        .iter()
        .map(|feature| {
            let at = |axis: usize| feature["geometry"]["coordinates"][axis].as_i64().unwrap();
            (
                at(0),
                at(1),
                feature["properties"]["name"].as_str().unwrap().to_owned(),
            )
        });

    features.collect()
}

#[test]
fn a_fortress_across_regions_is_one_marker() {
    let fortress = |x: i64, z: i64| (x, z, "Fortress".to_owned());
    let chunks = [(30, 1), (31, 1), (32, 1), (33, 3), (60, 1)].map(|(x, z)| self::fortress(x, z));
    let mut database = database(&chunks);
    let place = Place::of(&with_level_dat("Nights", &database));
    assert_eq!(run(&place, &database), [2, 0]);
    assert_eq!(
        structures(&place, "map"),
        [fortress(511, 24), fortress(968, 20)]
    );

    for shard in ["1/2", "2/2"] {
        render(&place.world(), &place.at("shards"), &["--shard", shard]).expect(0, shard);
    }

    Ran::of(
        program()
            .arg("merge")
            .arg("-o")
            .arg(place.at("shards"))
            .output()
            .unwrap(),
    )
    .expect(0, "merge");

    assert_eq!(structures(&place, "shards"), structures(&place, "map"));
    on(
        "markers",
        &place.world(),
        &["-o", place.at("map").to_str().unwrap()],
    )
    .expect(0, "markers");
    assert_eq!(structures(&place, "map"), structures(&place, "first"));

    // The other region's part is the recorded one.
    database.batch(&self::fortress(35, 1).changes());
    assert_eq!(run(&place, &database), [1, 1]);
    assert_eq!(
        structures(&place, "map"),
        [fortress(527, 24), fortress(968, 20)]
    );

    render(
        &place.world(),
        &place.at("hidden"),
        &["--hide", "500,0,600,64"],
    )
    .expect(0, "hidden");

    assert_eq!(
        structures(&place, "hidden"),
        [fortress(488, 20), fortress(968, 20)]
    );

    render(
        &place.world(),
        &place.at("none"),
        &["--hide", "0,0,1000,64"],
    )
    .expect(0, "all hidden");
    assert_eq!(structures(&place, "none"), []);
}

/// Damaged fixtures, the exit code of a map, and how many gaps its report has.
const DAMAGED: &[(&str, i32, Option<usize>)] = &[
    ("bedrock", 0, Some(0)),
    ("bedrock-log", 0, Some(0)),
    ("bedrock-empty", 0, Some(0)),
    ("bedrock-add-on", 0, Some(0)),
    ("bedrock-checksum", 3, Some(2)),
    ("bedrock-torn-block", 3, Some(2)),
    ("bedrock-cut-table", 3, Some(1)),
    ("bedrock-missing-table", 3, Some(1)),
    ("bedrock-pointer", 3, Some(1)),
    ("bedrock-log-cut", 0, Some(0)),
    ("bedrock-log-torn", 3, Some(1)),
    ("bedrock-no-manifest", 3, Some(1)),
    ("bedrock-manifest-torn", 3, Some(1)),
    ("bedrock-encrypted", 1, Some(0)),
    ("bedrock-subchunk", 3, Some(3)),
];

#[test]
fn damage_is_named_and_ends_with_its_code() {
    let mut found = Vec::new();
    let place = Place::empty();
    for made in crate::world::fixture::bedrock::all() {
        let ran = render(&fixture(made.name), &place.at(made.name), &["-d", "all"]);
        let report: Option<Value> = serde_json::from_str(&ran.out).ok();
        let gaps = report.and_then(|report| Some(report["bad_chunks"].as_array()?.len()));
        found.push((made.name, ran.code, gaps));
        let code = on("info", &fixture(made.name), &["--json"]).code;
        assert_eq!(code, ran.code, "{}: info", made.name);
    }

    assert_eq!(found, DAMAGED);
}

#[test]
fn dimensions_of_add_ons_have_their_names() {
    let place = Place::empty();
    let world = fixture("bedrock-add-on");
    let ran = render(&world, &place.at("map"), &["-d", "all"]).expect(0, "all");
    assert!(
        ran.err.contains("1 dimension name is left out") && ran.err.contains("../up:x"),
        "{}",
        ran.err
    );

    for folder in ["test/sky", "test/deep/cave", "DIM1002", "DIM1003"] {
        let tile = place.at("map").join(folder).join("day/17/0/0.png");
        assert!(tile.is_file(), "{folder}");
    }

    let info: Value = serde_json::from_str(&on("info", &world, &["--json"]).out).unwrap();
    let ids: Vec<_> = info["dimensions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|dimension| dimension["id"].as_str().unwrap())
        .collect();
    assert_eq!(
        ids,
        [
            "overworld",
            "test:sky",
            "test:deep/cave",
            "DIM1002",
            "DIM1003"
        ]
    );

    for (dimension, biome) in [
        ("test:sky", "test:glade"),
        ("1000", "test:glade"),
        ("test:deep/cave", "test:glade"),
        ("1003", "test:glade"),
        ("overworld", "minecraft:dappled_forest"),
    ] {
        let column = on("query", &world, &["-d", dimension, "0", "0"]).expect(0, dimension);
        assert_eq!(column.out.split('\t').nth(4).map(str::trim), Some(biome));
    }
}

#[test]
fn a_damaged_table_costs_only_its_names() {
    for (key, lost) in [
        (&b"DimensionNameIdTable"[..], "DIM1000"),
        (b"BiomeIdsTable", "numeric:30000"),
    ] {
        let mut changes = Changes::from([
            keys::dimension_names(&[("test:sky", 1000)], false),
            keys::biome_names(&[(30_000, "test:glade")]),
        ]);
        let mut chunk = ChunkSpec::new(0, 0, 1000, 41);
        chunk.layer(60, 66, block::STONE);
        chunk.set_biome(0, 0, 0, 30_000);
        chunk.put_into(&mut changes);

        let table = changes.get_mut(key).unwrap().as_mut().unwrap();
        table.truncate(table.len() - 2);
        let mut database = Database::new(1);
        database.batch(&changes);
        let place = Place::of(&with_level_dat("Cut", &database));

        let ran = on("query", &place.world(), &["-d", "1000", "0", "0"]).expect(0, lost);
        let info = on("info", &place.world(), &["--json"]).expect(0, lost);
        assert!(
            [ran.out, info.out].concat().contains(lost),
            "{lost} is absent"
        );

        let rendered = render(&place.world(), &place.at("map"), &[]).expect(0, lost);
        let warning = format!("the table {} cannot be read", String::from_utf8_lossy(key));
        let warned = rendered.err.matches(&warning);
        assert_eq!(warned.count(), 1, "{}", rendered.err);
    }
}

#[test]
fn an_encrypted_world_is_refused_by_name() {
    let place = Place::empty();
    let ran = render(&fixture("bedrock-encrypted"), &place.at("map"), &[]).expect(1, "encrypted");
    assert!(ran.err.contains("encrypted"), "{}", ran.err);
    let ran = render(&fixture("bedrock-pointer"), &place.at("map"), &[]).expect(3, "pointer");
    assert!(ran.err.contains("Git LFS"), "{}", ran.err);
}

#[test]
fn refusals_and_damage_name_tables() {
    let refusal = |files: &[(&str, &str)]| {
        let place = Place::of(&with_level_dat("Gone", &Database::new(1)));
        fs::remove_dir_all(place.world().join("db")).unwrap();
        fs::create_dir(place.world().join("db")).unwrap();

        for (name, text) in files {
            fs::write(place.world().join("db").join(name), text).unwrap();
        }

        let err = render(&place.world(), &place.at("map"), &[])
            .expect(1, &format!("{files:?}"))
            .err;
        assert!(!err.contains("region file"), "{err}");

        err
    };

    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n";
    assert!(refusal(&[]).contains("db has no table"));
    assert!(refusal(&[("CURRENT", "")]).contains("CURRENT: it is empty, and there is no table"));
    assert!(
        refusal(&[("CURRENT", "MANIFEST-000002\n")]).contains("MANIFEST-000002: it is not there")
    );

    assert!(
        refusal(&[("000005.ldb", "torn")])
            .contains("CURRENT: it is not there, and no table can be read")
    );
    assert!(refusal(&[("CURRENT", pointer)]).contains("in the place of a file of the database"));

    let place = Place::empty();
    let report = render(&fixture("bedrock-checksum"), &place.at("map"), &[]).expect(3, "checksum");
    let bad = &report.report()["bad_chunks"][0];
    assert_eq!(
        bad["region"].as_str().unwrap().rsplit('.').next(),
        Some("ldb"),
        "{bad}"
    );

    assert!(
        bad["message"].as_str().unwrap().starts_with("at byte "),
        "{bad}"
    );
}

#[test]
fn damage_is_named_by_dry_runs_and_markers() {
    let place = Place::empty();
    let (world, map) = (fixture("bedrock-checksum"), place.at("map"));
    let out = ["-o", map.to_str().unwrap()];
    render(&world, &map, &[]).expect(3, "map");

    let damage = "its checksum is wrong";
    for (command, more) in [
        ("render", &["--dry-run"][..]),
        ("render", &["--dry-run", "--json"]),
        ("markers", &[]),
    ] {
        let ran = on(command, &world, &[&out, more].concat()).expect(0, command);
        assert!(
            ran.out.contains(damage) || ran.err.contains(damage),
            "{command} {more:?}: {} {}",
            ran.out,
            ran.err
        );
    }
}

#[test]
fn dimension_numbers_follow_the_edition() {
    let place = Place::of(&forms().files);
    for (number, name) in [("0", "overworld"), ("1", "the_nether"), ("2", "the_end")] {
        render(&place.world(), &place.at(name), &["-d", number]).expect(0, number);
        assert!(place.at(name).join(name).exists(), "{number}");
    }
}

#[test]
fn a_world_uses_only_its_own_level_dat() {
    let mut database = Database::new(1);
    database.batch(&landscape(0, 0, 42).changes());
    let place = Place::of(&with_level_dat("Own", &database));

    let name = |world: &Path| {
        let info = on("info", world, &["--json"]).expect(0, "info").out;
        serde_json::from_str::<Value>(&info).unwrap()["name"]
            .as_str()
            .unwrap()
            .to_owned()
    };

    let own = place.world().join("level.dat");
    let bytes = fs::read(&own).unwrap();
    fs::write(&own, [&bytes[..], &[0; 300]].concat()).unwrap();
    assert_eq!(name(&place.world()), "Own", "bytes behind the NBT");
    fs::remove_file(&own).unwrap();
    fs::remove_file(place.world().join("levelname.txt")).unwrap();
    fs::write(place.world().parent().unwrap().join("level.dat"), &bytes).unwrap();

    let folder = place
        .world()
        .file_name()
        .unwrap()
        .to_str()
        .unwrap()
        .to_owned();

    assert_eq!(
        name(&place.world()),
        folder,
        "the level.dat of a folder around"
    );

    fs::copy(fixture("file-cut-head").join("level.dat"), &own).unwrap();
    assert_eq!(
        name(&place.world()),
        folder,
        "that of a world of Java Edition"
    );
}

#[test]
fn zipped_bedrock_folders_need_no_level_dat() {
    let place = Place::empty();

    let mut inside = Files::new();
    for (name, bytes) in forms().files.0 {
        if name != "level.dat" {
            inside.put(&format!("backup/Isle/{name}"), bytes);
        }
    }

    let zip = place.at("backup.zip");
    fs::write(&zip, packed(&inside)).unwrap();
    render(&zip, &place.at("map"), &[]).expect(0, "zip");
}

/// Chunks of five regions, none of them at a border.
const PLACES: [(i32, i32); 5] = [(1, 1), (40, 3), (-5, 5), (100, 100), (-20, -20)];

fn database(chunks: &[ChunkSpec]) -> Database {
    let mut changes = Changes::new();
    for chunk in chunks {
        chunk.put_into(&mut changes);
    }
    let mut database = Database::new(4);
    database.table(1, Compression::Deflate, 5000, &changes);
    database
}

/// Puts a database in the place of the world's.
fn replace(place: &Place, database: &Database) {
    fs::remove_dir_all(place.world()).unwrap();
    with_level_dat("Nights", database).write_under(&place.world());
}

/// Returns the numbers of drawn and unchanged regions of a run into folder `map`, whose result must
/// equal a first run.
fn run(place: &Place, database: &Database) -> [u64; 2] {
    replace(place, database);
    let report = render(&place.world(), &place.at("map"), &["--max-removed", "100%"])
        .expect(0, "again")
        .report();

    render(
        &place.world(),
        &place.at("first"),
        &["-f", "--max-removed", "100%"],
    )
    .expect(0, "first");

    assert_same_files(
        "again",
        &Map::at(&place.at("map")).files(),
        &Map::at(&place.at("first")).files(),
    );

    ["drawn", "unchanged"].map(|count| report["regions"][count].as_u64().unwrap())
}

#[test]
fn a_later_run_redraws_only_changed_regions() {
    let mut chunks = PLACES.map(|(x, z)| landscape(x, z, 41));
    let mut database = database(&chunks);
    let place = Place::of(&with_level_dat("Nights", &database));
    assert_eq!(run(&place, &database), [5, 0]);
    assert_eq!(run(&place, &database), [0, 5]);

    let mut change = |number: usize, block: Block| {
        let before = chunks[number].clone();
        chunks[number].layer(90, 90, block);
        changes_between(&before, &chunks[number])
    };

    database.batch(&change(1, block::SAND));
    assert_eq!(run(&place, &database), [1, 4]);

    // All files are others, and hold the same.
    database = database.compacted();
    assert_eq!(run(&place, &database), [0, 5]);
    database.table(0, Compression::Snappy, 5000, &change(2, block::STONE));
    database.batch(&change(4, block::GLASS));
    assert_eq!(run(&place, &database), [2, 3]);

    // The same value again.
    let same = chunks[0].changes();
    database.batch(&same);
    let [_, unchanged] = run(&place, &database);
    assert!(unchanged >= 4);
    database = database.compacted();
    assert_eq!(run(&place, &database), [0, 5]);

    database.batch(
        &chunks[3]
            .changes()
            .into_keys()
            .map(|key| (key, None))
            .collect(),
    );

    assert_eq!(run(&place, &database), [0, 4]);
    database = database.compacted();
    assert_eq!(run(&place, &database), [0, 4]);
    database.batch(&landscape(200, -200, 41).changes());
    assert_eq!(run(&place, &database), [1, 4]);
}

/// Ends a game when it is dropped.
struct GameEnd<'a>(&'a AtomicBool);

impl Drop for GameEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The files of a database of sand or stone, by turns of the number.
fn game_files(number: u64) -> Files {
    let ground = [block::SAND, block::STONE][number as usize % 2];
    let mut database = Database::new(4 + 4 * number);

    let mut changes = Changes::new();
    for (x, z) in PLACES {
        let mut chunk = ChunkSpec::new(x, z, 0, 41);
        chunk.layer(60, 64, ground);
        chunk.put_into(&mut changes);
    }

    database.table(1, Compression::Deflate, 3000, &changes);
    let mut files = Files::new();
    database.put_files(&mut files);

    files
}

#[test]
fn a_run_during_a_game_draws_one_state() {
    let place = Place::of(&with_level_dat("Game", &Database::new(1)));
    let colour = |number| {
        fs::remove_dir_all(place.world()).unwrap();
        game_files(number).write_under(&place.world());
        place.draw("colour", &["-f"]);
        Map::at(&place.at("colour")).columns().at(20, 20)
    };

    let colours = [colour(0), colour(1)];
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // However the runs end, the game ends as well.
        let end = GameEnd(&is_over);

        let game = scope.spawn(|| {
            let mut before = game_files(1);
            let mut number = 1;
            while !is_over.load(Ordering::Relaxed) {
                number += 1;
                let mut files = game_files(number);
                let current = files.0.remove("db/CURRENT").unwrap();
                files.write_under(&place.world());
                let temporary = place.world().join("db/000001.dbtmp");
                fs::write(&temporary, current).unwrap();
                fs::rename(temporary, place.world().join("db/CURRENT")).unwrap();

                for path in before
                    .0
                    .keys()
                    .filter(|path| !files.0.contains_key(*path) && *path != "db/CURRENT")
                {
                    fs::remove_file(place.world().join(path)).unwrap();
                }

                before = files;
                std::thread::sleep(Duration::from_millis(20));
            }

            number
        });

        for run in 0..12 {
            render(&place.world(), &place.at("map"), &[]).expect(0, "while the game saves");
            let columns = Map::at(&place.at("map")).columns();
            let seen = PLACES.map(|(x, z)| columns.at(x * 16 + 4, z * 16 + 4));
            assert!(
                colours.iter().any(|colour| seen == [*colour; 5]),
                "run {run}: {seen:?}, not one of {colours:?}"
            );
        }

        drop(end);
        assert!(game.join().unwrap() > 5);
    });
}

#[test]
fn a_database_of_another_program_is_refused() {
    let mut database = Database::new(1);
    database.table(
        1,
        Compression::None,
        4096,
        &Changes::from([(b"_https://example.org".to_vec(), Some(vec![1]))]),
    );

    let mut files = Files::new();
    database.put_files(&mut files);

    let place = Place::of(&files);
    let ran = render(&place.world(), &place.at("map"), &[]).expect(1, "no world");
    assert!(
        ran.err
            .contains("is a LevelDB without any chunk of Minecraft"),
        "{}",
        ran.err
    );

    // A world that nobody has played is one.
    let place = Place::of(&with_level_dat("New", &Database::new(1)));
    render(&place.world(), &place.at("map"), &[]).expect(0, "a world without chunks");
}
