//! The forms of packs: byte order marks before their JSON, overlays, jars inside jars, and
//! textures that are transparent everywhere. All packs are made by the tests.
#![allow(
    clippy::disallowed_methods,
    reason = "worlds and packs of tests are no output of the program"
)]

use super::{FROB, MODERN, level, plain, strips, texts, write_zip};
use crate::map::land;
use crate::map::{CLEAR, Map, Place, Rgba, render};
use crate::world::level_dat::LevelDat;
use crate::world::{ChunkSpec, Files, biome, block};

const MODEL: &str = r#"{"textures": {"particle": "mod:block/dust"}, "elements": [{"from": [0, 0, 0], "to": [16, 16, 16],
    "faces": {"up": {"texture": "mod:block/frob"}, "north": {"texture": "mod:block/frob"}}}]}"#;

/// Returns a mod with a frobnicator of this colour.
fn frob_mod(pixel: [u8; 4]) -> Files {
    let mut files = texts(&[
        (
            "assets/mod/blockstates/frobnicator.json",
            r#"{"variants": {"": {"model": "mod:block/frob"}}}"#,
        ),
        ("assets/mod/models/block/frob.json", MODEL),
    ]);
    files.put("assets/mod/textures/block/frob.png", plain(pixel));
    files
}

/// Returns the same files with a byte order mark before each JSON file.
fn with_marks(files: &Files) -> Files {
    let mut marked = Files::new();
    for (name, bytes) in &files.0 {
        let mark: &[u8] = if name.contains("/textures/") {
            b""
        } else {
            b"\xef\xbb\xbf"
        };
        marked.put(name, [mark, bytes].concat());
    }

    marked
}

/// Returns the pixel of a column of frobnicators that is drawn with these packs, as zips and as
/// folders. No pack may cause a warning.
fn frob_pixel(packs: &[Files]) -> Rgba {
    let [zipped, unpacked] = ["zip", "folder"].map(|form| {
        let place = Place::of(&strips(MODERN, &[FROB, block::STONE]));
        let mut options = Vec::new();
        for (number, files) in packs.iter().enumerate() {
            let path = place.at(&format!("{number}.{form}"));
            if form == "zip" {
                write_zip(&path, files);
            } else {
                files.write_under(&path);
            }
            options.extend(["--assets".to_owned(), path.to_str().unwrap().to_owned()]);
        }

        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        let report = render(&place.world(), &place.at("map"), &options)
            .expect(0, form)
            .report();
        assert_eq!(
            (&report["warnings"], &report["unknown_blocks"]),
            (&serde_json::json!([]), &serde_json::json!({}))
        );

        Map::at(&place.at("map")).columns().at(5, 5)
    });

    assert_eq!(zipped, unpacked);
    zipped
}

/// Returns the pixel of a nether that has sand at 20, a roof from 200 to 210, and perhaps a ceiling
/// of the data pack above it.
fn nether_pixel(data_pack: &Files) -> Rgba {
    let mut chunk = ChunkSpec::new(0, 0, MODERN);
    chunk.layer(20, 20, block::SAND);
    chunk.layer(200, 210, block::STONE);
    chunk.biomes = Some(vec![biome::PLAINS; 256]);
    let mut world = Files::new();
    world.put("level.dat", LevelDat::new("land", Some(3955)).bytes());
    land::put_chunks(&mut world, "DIM-1/region", &[chunk]);
    world.put_all("datapacks/tall", data_pack);

    let place = Place::of(&world);
    let report = render(&place.world(), &place.at("map"), &[])
        .expect(0, "nether")
        .report();
    assert_eq!(report["warnings"], serde_json::json!([]));

    Map::at(&place.at("map")).pictures("the_nether")[&(17, 0, 0)][5 * 512 + 5]
}

const RED: [u8; 4] = [200, 10, 20, 255];
const TALL: &str = r#"{"has_ceiling": true, "min_y": 0, "height": 256, "logical_height": 256}"#;

#[test]
fn a_byte_order_mark_before_json_is_skipped() {
    assert_eq!(frob_pixel(&[with_marks(&frob_mod(RED))]), level("c80a14"));
    let plain = texts(&[("data/minecraft/dimension_type/the_nether.json", TALL)]);
    assert_eq!(nether_pixel(&with_marks(&plain)), nether_pixel(&plain));
    assert_ne!(
        nether_pixel(&plain),
        nether_pixel(&texts(&[("pack.mcmeta", "{}")])),
        "the pack matters"
    );
}

/// Returns a `pack.mcmeta` with these overlays.
fn meta(entries: &str) -> Files {
    texts(&[(
        "pack.mcmeta",
        &format!(
            r#"{{"pack": {{"pack_format": 15, "supported_formats": [15, 75]}}, "overlays": {{"entries": [{entries}]}}}}"#
        ),
    )])
}

#[test]
fn overlays_of_a_resource_pack_replace_its_files() {
    let mut pack = frob_mod(RED);
    for (folder, pixel) in [("old", [1, 2, 3, 255]), ("new", [10, 200, 30, 255])] {
        pack.put(
            &format!("{folder}/assets/mod/textures/block/frob.png"),
            plain(pixel),
        );
    }

    let of_entries = |entries: &str| {
        let mut pack = pack.clone();
        pack.0.extend(meta(entries).0);
        frob_pixel(&[pack])
    };

    let [green, dark] = ["0ac81e", "010203"].map(level);
    let old = r#"{"directory": "old", "formats": [16, 75]}"#;
    let new = r#"{"directory": "new", "min_format": [70, 3], "max_format": 75}"#;
    assert_eq!(
        of_entries(&format!("{old}, {new}")),
        green,
        "the later one is above"
    );

    assert_eq!(of_entries(&format!("{new}, {old}")), dark);
    assert_eq!(
        of_entries(&old.replace("[16, 75]", "16")),
        level("c80a14"),
        "the pack is newer than its overlay"
    );

    // All files of the mod may be in an overlay.
    let mut whole =
        meta(r#"{"directory": "all", "formats": {"min_inclusive": 18, "max_inclusive": 75}}"#);
    whole.put_all("all", &frob_mod(RED));
    assert_eq!(frob_pixel(&[whole]), level("c80a14"));
}

#[test]
fn overlays_of_a_data_pack_replace_its_files() {
    let kind = texts(&[("data/minecraft/dimension_type/the_nether.json", TALL)]);
    let of_entries = |entries: &str| {
        let mut pack = meta(entries);
        pack.put_all("tall", &kind);
        let low = TALL.replace("256}", "128}");
        pack.put_all(
            "low",
            &texts(&[("data/minecraft/dimension_type/the_nether.json", &low)]),
        );
        nether_pixel(&pack)
    };

    let [low, tall] = [nether_pixel(&meta("")), nether_pixel(&kind)];
    assert_ne!(low, tall);
    assert_eq!(
        of_entries(r#"{"directory": "tall", "formats": [18, 75]}"#),
        tall
    );

    let both = r#"{"directory": "tall", "formats": [18, 75]}, {"directory": "low", "formats": {"min_inclusive": 20, "max_inclusive": 75}}"#;
    assert_eq!(of_entries(both), low, "the later one is above");
    assert_eq!(
        of_entries(&both.replace("\"max_inclusive\": 75", "\"max_inclusive\": 74")),
        tall
    );
}

#[test]
fn a_damaged_list_of_overlays_is_a_warning() {
    let place = Place::of(&strips(MODERN, &[FROB]));
    let mut pack = frob_mod(RED);
    pack.put(
        "pack.mcmeta",
        br#"{"overlays": {"entries": [{"directory": "../new", "formats": 15}]}}"#.to_vec(),
    );

    write_zip(&place.at("pack.zip"), &pack);
    let zip = place.at("pack.zip");
    let options = ["--assets", zip.to_str().unwrap()];
    let ran =
        render(&place.world(), &place.at("map"), &options).expect(0, "the pack itself is used");

    assert!(
        ran.err
            .contains("pack.zip, pack.mcmeta: an overlay without a directory"),
        "{}",
        ran.err
    );

    assert_eq!(
        Map::at(&place.at("map")).columns().at(5, 5),
        level("c80a14")
    );
}

/// Returns the bytes of a jar with these files.
fn jar_bytes(files: &Files) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    write_zip(&folder.path().join("a.jar"), files);
    std::fs::read(folder.path().join("a.jar")).unwrap()
}

#[test]
fn jars_inside_jars_are_read() {
    let inner = jar_bytes(&frob_mod(RED));
    let library = jar_bytes(&texts(&[("org/library/Library.class", "")]));
    for folder in ["META-INF/jarjar", "META-INF/jars"] {
        let mut outer = texts(&[("assets/outer/lang/en_us.json", "{}")]);
        outer.put(&format!("{folder}/frob-1.0.jar"), inner.clone());
        outer.put(&format!("{folder}/library.jar"), library.clone());
        assert_eq!(frob_pixel(&[outer.clone()]), level("c80a14"), "{folder}");

        // The jar may contain nothing else, and the mod may be inside a jar in it.
        let mut empty = Files::new();
        for _ in 0..3 {
            empty = Files::new();
            empty.put(&format!("{folder}/outer.JAR"), jar_bytes(&outer));
            outer = empty.clone();
        }

        assert_eq!(frob_pixel(&[empty]), level("c80a14"), "deep in {folder}");
    }

    let mut outer = frob_mod([10, 200, 30, 255]);
    outer.put("META-INF/jars/frob-1.0.jar", inner);
    assert_eq!(
        frob_pixel(&[outer]),
        level("0ac81e"),
        "the outer jar is above"
    );
}

#[test]
fn a_broken_inner_jar_costs_itself_alone() {
    let mut outer = Files::new();
    outer.put("META-INF/jars/frob-1.0.jar", jar_bytes(&frob_mod(RED)));
    outer.put("META-INF/jars/torn.jar", b"PK\x03\x04 torn".to_vec());

    let mut deep = texts(&[("assets/mod/blockstates/deep.json", "{}")]);
    for _ in 0..20 {
        let mut around = Files::new();
        around.put("META-INF/jars/deep.jar", jar_bytes(&deep));
        deep = around;
    }

    outer.0.extend(deep.0);
    let place = Place::of(&strips(MODERN, &[FROB]));
    std::fs::create_dir_all(place.at("mods")).unwrap();
    write_zip(&place.at("mods/outer.jar"), &outer);

    let mods = place.at("mods");
    let ran = render(
        &place.world(),
        &place.at("map"),
        &["--assets", mods.to_str().unwrap()],
    )
    .expect(0, "broken");

    assert!(
        ran.err
            .contains("outer.jar/META-INF/jars/torn.jar: not a zip"),
        "{}",
        ran.err
    );

    assert!(
        ran.err
            .contains("to a depth of more than 16; it is left out"),
        "{}",
        ran.err
    );

    assert_eq!(
        Map::at(&place.at("map")).columns().at(5, 5),
        level("c80a14")
    );
}

#[test]
fn a_block_of_transparent_textures_is_not_seen() {
    let clear = [9, 9, 9, 0];
    let mut cube = frob_mod(clear);
    cube.put("assets/mod/textures/block/dust.png", plain(RED));
    assert_eq!(
        frob_pixel(&[cube.clone()]),
        CLEAR,
        "particles are not visible"
    );

    let with = |path: &str, text: &str| {
        let mut files = cube.clone();
        files
            .0
            .insert(format!("assets/mod/{path}"), text.as_bytes().to_vec());
        frob_pixel(&[files])
    };

    let model = "models/block/frob.json";
    assert_eq!(
        with(model, r#"{"textures": {"particle": "mod:block/frob"}}"#),
        CLEAR,
        "a model without faces"
    );

    let air = r#"{"variants": {"": {"model": "minecraft:block/air"}}}"#;
    assert_eq!(
        with("blockstates/frobnicator.json", air),
        CLEAR,
        "the model of air"
    );

    let side = MODEL.replace(
        r#""north": {"texture": "mod:block/frob"}"#,
        r#""north": {"texture": "mod:block/dust"}"#,
    );
    assert_eq!(with(model, &side), level("c80a14"), "a side is visible");

    // A block that is visible in one of its states is drawn.
    let mut states = cube.clone();
    states.put(
        "assets/mod/models/block/seen.json",
        MODEL.replace("block/frob", "block/dust").into_bytes(),
    );

    let variants = r#"{"variants": {"on=false": {"model": "mod:block/frob"}, "on=true": {"model": "mod:block/seen"}}}"#;
    states.0.insert(
        "assets/mod/blockstates/frobnicator.json".to_owned(),
        variants.as_bytes().to_vec(),
    );
    assert_eq!(frob_pixel(&[states]), level("c80a14"));
}

#[test]
fn transparent_blocks_of_add_ons_are_not_drawn() {
    let add_on = |faces: &str, pixel: [u8; 4]| {
        let mut files = texts(&[
            ("manifest.json", "{}"),
            (
                "blocks.json",
                &format!(r#"{{"mod:frobnicator": {{"textures": {faces}}}}}"#),
            ),
            (
                "textures/terrain_texture.json",
                r#"{"texture_data": {"clear": {"textures": "textures/a"}, "dust": {"textures": "textures/b"}}}"#,
            ),
            (
                "blocks/frob.json",
                r##"{"minecraft:block": {"description": {"identifier": "mod:frobnicator"},
                    "components": {"minecraft:map_color": "#c86432"}}}"##,
            ),
        ]);
        files.put("textures/a.png", plain(pixel));

        files.put("textures/b.png", plain(RED));
        frob_pixel(&[files])
    };

    let clear = [0; 4];
    assert_eq!(add_on(r#""clear""#, clear), CLEAR);
    assert_eq!(
        add_on(r#"{"up": "clear", "side": "clear", "down": "dust"}"#, clear),
        CLEAR
    );

    assert_eq!(
        add_on(r#"{"up": "clear", "side": "dust"}"#, clear),
        level("c80a14")
    );
    assert_eq!(add_on(r#""clear""#, [1, 2, 3, 255]), level("010203"));
}
