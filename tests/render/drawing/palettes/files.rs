//! Tests colour files, the base under them, and unknown blocks.

use super::{FROB, MODERN, level, strips, text_file};
use crate::map::{CLEAR, Place, fixture, land, on, render, run};
use crate::world::{Block, ChunkSpec, Generation, block};

const BEAM: Block = Block::named("mod:beam");
const LYING: Block = Block::named("mod:beam").with(&[("axis", "x"), ("odd", "yes")]);

#[test]
fn later_colour_files_override_earlier_ones() {
    let place = Place::of(&strips(MODERN, &[block::STONE, BEAM, LYING, FROB]));
    let one = text_file(
        &place,
        "one.tsv",
        "# mine\nstone 102030\nmod:* 405060\nmod:beam\t506070\nmod:beam[axis=x]  #708090 # no\n"
            .replace(" # no", "")
            .as_str(),
    );

    let map = place.draw("one", &["--palette", &one]).columns();
    let at = |x| map.at(x, 5);
    assert_eq!(
        [at(1), at(5), at(9), at(13)],
        [
            level("102030"),
            level("506070"),
            level("708090"),
            level("405060")
        ]
    );

    let two = text_file(&place, "two.tsv", "mod:* 0a0b0c\n");
    let map = place
        .draw("two", &["--palette", &one, "--palette", &two])
        .columns();

    let at = |x| map.at(x, 5);
    assert_eq!(
        [at(1), at(5), at(9), at(13)],
        [
            level("102030"),
            level("0a0b0c"),
            level("0a0b0c"),
            level("0a0b0c")
        ]
    );

    let report = render(&place.world(), &place.at("three"), &["--palette", &one]).report();
    assert_eq!(
        report["unknown_blocks"],
        serde_json::json!({}),
        "the user knows them"
    );
    assert_eq!(report["options"]["palette"], serde_json::json!([one]));
}

#[test]
fn a_bad_colour_file_is_refused_before_drawing() {
    let place = Place::of(&strips(MODERN, &[block::STONE]));
    for (text, says) in [
        (
            "stone 102030\nstone red\n",
            "line 2: \"red\" is not a colour such as 3f76e4",
        ),
        (
            "stone 102030 50 sky\n",
            "line 1: the tint is one of grass, foliage, dry_foliage, water, -",
        ),
        (
            "\n\nstone 102030 50 - hard\n",
            "line 3: \"hard\" is not a flag: there are nothing, water,",
        ),
        (
            "biome mod:x 102030\n",
            "line 1: expected three or four colours after `biome` and its name",
        ),
    ] {
        let file = text_file(&place, "bad.tsv", text);
        let ran = render(&place.world(), &place.at("map"), &["--palette", &file]).expect(2, text);
        assert!(
            ran.err.contains("bad.tsv, ") && ran.err.contains(says),
            "{}",
            ran.err
        );
        assert!(!place.at("map").exists(), "{text}");

        let checked = run(&["palette", "check", &file]).expect(1, text);
        assert!(
            checked.err.contains("bad.tsv, ") && checked.err.contains(says),
            "{}",
            checked.err
        );
    }

    let ran = render(
        &place.world(),
        &place.at("map"),
        &["--palette", "no-such-file.tsv"],
    )
    .expect(2, "missing");

    assert!(
        ran.err.contains("no-such-file.tsv: ") && ran.err.contains("texture, map-item or the path"),
        "{}",
        ran.err
    );

    run(&["palette", "check", "no-such-file.tsv"]).expect(2, "check of a missing file");
    let good = text_file(
        &place,
        "good.tsv",
        "# one\nstone 102030\n\nbiome mod:x 010101 020202 030303\n",
    );

    assert!(
        run(&["palette", "check", &good])
            .expect(0, "good")
            .out
            .ends_with("good.tsv: 2 lines, all right\n")
    );
}

#[test]
fn the_check_refuses_colours_that_water_ignores() {
    let place = Place::empty();

    for (line, code) in [
        ("water 3050ff", 1),
        ("minecraft:flowing_water 3050ff 50", 1),
        ("minecraft:water 3050ff 100 water water", 1),
        ("mod:acid 30ff50 100 - water", 1),
        ("water ffffff 100 water water", 0),
        ("water 3050ff 100 - -", 0),
        ("mod:acid 30ff50 80", 0),
        ("biome plains 91bd59 77ab2f 3050ff", 0),
    ] {
        let file = text_file(&place, "water.tsv", &format!("stone 102030\n{line}\n"));
        let checked = run(&["palette", "check", &file]).expect(code, line);
        let says = checked
            .err
            .contains("line 2: water has the colour of its biome");

        assert_eq!(says, code == 1, "{line}: {}", checked.err);
    }
}

#[test]
fn a_binary_colour_file_is_refused() {
    let place = Place::of(&strips(MODERN, &[block::STONE]));
    let mut files = crate::world::Files::new();
    files.put("binary.tsv", b"stone 102030\n\xff\xfe\n".to_vec());
    files.write_under(&place.at(""));
    let path = place.at("binary.tsv");
    let ran = run(&["palette", "check", path.to_str().unwrap()]).expect(1, "binary");
    assert!(
        ran.err.contains("binary.tsv, line 2: it is not UTF-8"),
        "{}",
        ran.err
    );
}

#[test]
fn unknown_blocks_are_drawn_as_the_option_demands() {
    let mut chunk = super::stone(0, 0, MODERN);
    chunk.layer(65, 65, FROB);

    let place = Place::of(&land::of_chunks(&[chunk], MODERN));
    let at = |options: &[&str]| place.draw("map", options).columns().at(5, 5);
    let plain = Place::of(&strips(MODERN, &[block::STONE]))
        .draw("map", &[])
        .columns()
        .at(5, 5);
    assert_eq!(at(&["--unknown", "hide"]), plain);
    assert_eq!(at(&["--unknown", "ff00ff"]), level("ff00ff"));

    let auto = at(&[]);
    assert!(auto != plain && auto != CLEAR && auto == at(&["--unknown", "auto"]));

    // A colour that the user sets is not hidden.
    let file = text_file(&place, "mine.tsv", "mod:frobnicator 405060\n");
    assert_eq!(
        at(&["--unknown", "hide", "--palette", &file]),
        level("405060")
    );
}

#[test]
fn the_report_counts_unknown_blocks_and_biomes() {
    let world = super::one_biome(FROB, super::HEATH);
    let place = Place::of(&world);
    let ran = render(&place.world(), &place.at("map"), &[]).expect(0, "unknown");
    let seen = serde_json::json!({"columns": 256, "dimension": "overworld", "first": [0, 64, 0]});
    assert_eq!(
        ran.report()["unknown_blocks"],
        serde_json::json!({"mod:frobnicator": seen})
    );

    assert_eq!(
        ran.report()["unknown_biomes"],
        serde_json::json!({"mod:heath": seen})
    );

    for line in [
        "1 unknown block",
        "  mod:frobnicator in 256 columns, first at 0 64 0",
    ] {
        assert!(ran.err.contains(line), "{}", ran.err);
    }

    for line in [
        "1 unknown biome",
        "  mod:heath in 256 columns, first at 0 64 0",
    ] {
        assert!(ran.err.contains(line), "{}", ran.err);
    }

    let file = text_file(
        &place,
        "heath.tsv",
        "biome mod:heath 8f7a4a 7d6f3c 3f76e4\n",
    );
    let report = render(&place.world(), &place.at("map"), &["--palette", &file]).report();
    assert_eq!(report["unknown_biomes"], serde_json::json!({}));
}

#[test]
fn colour_files_override_map_item_colours() {
    let glass = Block::named("minecraft:glass");
    let leaves = Block::named("minecraft:oak_leaves");
    let place = Place::of(&strips(MODERN, &[block::STONE, leaves, glass, FROB]));
    let map = place.draw("map", &["--palette", "map-item"]).columns();
    assert_eq!(
        [map.at(1, 5), map.at(5, 5)],
        [level("707070"), level("007c00")]
    );

    assert_eq!(map.at(9, 5), CLEAR, "glass has no colour on a map");
    assert!(map.at(13, 5) != CLEAR, "what nobody knows is no hole");

    let file = text_file(&place, "mine.tsv", "stone 102030\n");
    let map = place
        .draw("mixed", &["--palette", "map-item", "--palette", &file])
        .columns();
    assert_eq!(
        [map.at(1, 5), map.at(5, 5)],
        [level("102030"), level("007c00")]
    );

    let texture = place
        .draw("texture", &["--palette", "texture"])
        .columns()
        .at(1, 5);
    assert_eq!(texture, place.draw("default", &[]).columns().at(1, 5));
}

#[test]
fn old_stone_slabs_are_drawn_as_smooth_stone() {
    let slab = Block::numeric("minecraft:stone_slab", 44, 0);
    let smooth = level("9f9f9f");
    for (generation, shown) in [
        (Generation::McRegion, smooth),
        (Generation::NumericV, smooth),
        (Generation::Numeric(1343), smooth),
        (Generation::Spanning(1631), smooth),
        (Generation::Spanning(1801), smooth),
        (Generation::Spanning(1802), level("7e7e7e")),
        (MODERN, level("7e7e7e")),
    ] {
        let slab = if generation.is_numeric() {
            slab
        } else {
            slab.with(&[("type", "bottom"), ("waterlogged", "false")])
        };

        let mut chunk = ChunkSpec::new(0, 0, generation);
        chunk.layer(64, 64, slab);
        let place = Place::of(&land::of_chunks(&[chunk], generation));
        assert_eq!(
            place.draw("map", &[]).columns().at(5, 5),
            shown,
            "{generation:?}"
        );

        let told = on("query", &place.world(), &["5", "5"]).out;
        assert!(told.contains("\tminecraft:stone_slab\t"), "{told}");
    }
}

#[test]
fn every_render_mode_leaves_other_outputs_alone() {
    let place = Place::empty();
    let draw = |name: &str, options: &[&str]| {
        render(&fixture("demo"), &place.at(name), options).expect(0, name);
        crate::map::Map::at(&place.at(name)).files()
    };

    let plain = draw("plain", &[]);
    crate::map::assert_same_files(
        "defaults spelled out",
        &plain,
        &draw("said", &["--palette", "texture", "--unknown", "auto"]),
    );

    assert!(
        plain["overworld/day/tiles.tsv"]
            != draw("item", &["--palette", "map-item"])["overworld/day/tiles.tsv"]
    );
}

#[test]
fn changed_colours_redraw_and_equal_ones_do_not() {
    let place = Place::of(&super::one_biome(FROB, super::HEATH));
    let draw = |options: &[&str]| {
        let report = render(&place.world(), &place.at("map"), options)
            .expect(0, "again")
            .report();
        (
            report["regions"]["unchanged"].clone(),
            report["unknown_blocks"].clone(),
            report["unknown_biomes"].clone(),
        )
    };

    let first = draw(&[]);
    let again = draw(&[]);
    assert_eq!((&first.0, &again.0), (&0.into(), &1.into()));
    assert_eq!((first.1, first.2), (again.1, again.2));

    let file = text_file(&place, "mine.tsv", "mod:frobnicator 405060\n");
    let pack = r#"{"effects": {"grass_color": 1}}"#;

    for options in [
        &["--unknown", "ff00ff"][..],
        &["--palette", "map-item"],
        &["--palette", &file],
    ] {
        assert_eq!(draw(options).0, 0, "{options:?}");
        assert_eq!(draw(options).0, 1, "{options:?}");
    }

    super::texts(&[("data/mod/worldgen/biome/heath.json", pack)])
        .write_under(&place.world().join("datapacks/heath"));
    let packed = draw(&["--palette", &file]);
    assert_eq!((packed.0, packed.2), (0.into(), serde_json::json!({})));
}

#[test]
fn a_check_hints_at_unknown_names() {
    let place = Place::of(&strips(MODERN, &[block::STONE]));
    let file = text_file(
        &place,
        "typo.tsv",
        "stone 102030\nstoen 102030\nmod:stoen 102030\nbiome plians 1a1a1a 1a1a1a 1a1a1a\n",
    );

    let ran = run(&["palette", "check", &file]).expect(0, "a typo is no error");
    assert!(
        ran.out.ends_with("typo.tsv: 4 lines, all right\n"),
        "{}",
        ran.out
    );

    for hint in [
        "typo.tsv, line 2: the game has no block minecraft:stoen",
        "line 4: the game has no biome minecraft:plians",
    ] {
        assert!(ran.err.contains(hint), "{}", ran.err);
    }

    assert_eq!(ran.err.lines().count(), 2, "{}", ran.err);
}
