//! Tests `palette generate` and `--assets`: colours from jars and packs, with textures that the
//! tests make.

use super::{MODERN, level, plain, strips, texts, write_zip};
use crate::map::{Place, render, run};
use crate::world::{Block, Files, block};

const RUBY: Block = Block::named("gems:ruby");
const LOG: Block = Block::named("minecraft:oak_log").with(&[("axis", "x")]);

/// Content of a client jar for three blocks: stone, oak logs and grass.
fn client() -> Files {
    let cube = |top: &str, side: &str| {
        format!(
            r#"{{"parent": "block/cube", "textures": {{"up": "block/{top}", "north": "block/{side}"}}}}"#
        )
    };

    let mut jar = texts(&[
        (
            "assets/minecraft/models/block/cube.json",
            r##"{"elements": [{"from": [0, 0, 0], "to": [16, 16, 16], "faces": {"up": {"texture": "#up"},
                "north": {"texture": "#north"}, "south": {"texture": "#north"}}}]}"##,
        ),
        (
            "assets/minecraft/models/block/stone.json",
            &cube("stone", "stone"),
        ),
        (
            "assets/minecraft/models/block/oak_log.json",
            &cube("rings", "bark"),
        ),
        (
            "assets/minecraft/blockstates/stone.json",
            r#"{"variants": {"": {"model": "block/stone"}}}"#,
        ),
        (
            "assets/minecraft/blockstates/oak_log.json",
            r#"{"variants": {"axis=y": {"model": "block/oak_log"},
                "axis=x": {"model": "block/oak_log", "x": 90, "y": 90}, "axis=z": {"model": "block/oak_log", "x": 90}}}"#,
        ),
        (
            "assets/minecraft/blockstates/torn.json",
            r#"{"variants": {"#,
        ),
    ]);

    for (name, pixel) in [
        ("stone", [90, 100, 110, 255]),
        ("rings", [200, 0, 0, 255]),
        ("bark", [0, 200, 0, 255]),
    ] {
        jar.put(
            &format!("assets/minecraft/textures/block/{name}.png"),
            plain(pixel),
        );
    }

    jar
}

/// A resource pack that changes the colour of stone, and a mod with one block that uses the game's
/// models.
fn pack_and_mod(place: &Place) -> [String; 3] {
    let mut pack = Files::new();
    pack.put(
        "assets/minecraft/textures/block/stone.png",
        plain([10, 200, 30, 255]),
    );

    let mut gems = texts(&[
        (
            "assets/gems/blockstates/ruby.json",
            r#"{"variants": {"": {"model": "gems:block/ruby"}}}"#,
        ),
        (
            "assets/gems/models/block/ruby.json",
            r#"{"parent": "minecraft:block/cube", "textures": {"up": "gems:block/ruby", "north": "gems:block/ruby"}}"#,
        ),
        (
            "data/gems/worldgen/biome/vein.json",
            r#"{"effects": {"grass_color": 1, "foliage_color": 2}}"#,
        ),
    ]);

    gems.put(
        "assets/gems/textures/block/ruby.png",
        plain([220, 20, 60, 255]),
    );

    [
        ("client.jar", &client()),
        ("pack.zip", &pack),
        ("gems.jar", &gems),
    ]
    .map(|(name, files)| {
        write_zip(&place.at(name), files);
        place.at(name).to_str().unwrap().to_owned()
    })
}

#[test]
fn a_jar_and_packs_make_a_usable_palette() {
    let place = Place::of(&strips(MODERN, &[block::STONE, LOG, RUBY]));
    let [client, pack, gems] = pack_and_mod(&place);
    let made = place.at("made.tsv");
    let made = made.to_str().unwrap();
    std::fs::write(made, "earlier").unwrap();
    std::fs::hard_link(made, place.at("before.tsv")).unwrap();
    let ran = run(&[
        "palette", "generate", "--assets", &client, "--assets", &pack, "--assets", &gems, "-o",
        made,
    ]);
    let ran = ran.expect(3, "one block is torn");
    assert_eq!(
        std::fs::read_to_string(place.at("before.tsv")).unwrap(),
        "earlier",
        "it comes by rename"
    );
    assert!(
        ran.err
            .contains("left out: torn: assets/minecraft/blockstates/torn.json: EOF"),
        "{}",
        ran.err
    );
    let text = std::fs::read_to_string(made).unwrap();
    for line in [
        "stone\t0ac81e\t100\t-\t-\t11",
        "gems:ruby\tdc143c\t100\t-\twettable\t0",
        "oak_log\tc80000\t100\t-\t-\t13",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} in {text}");
    }
    assert!(
        text.contains("\noak_log[axis=x]\t00c800\t")
            && text.contains("\nbiome\tgems:vein\t000001\t000002\t")
    );
    assert!(
        text.contains("\nair\t000000\t0\t-\tnothing\t0\n")
            && text.contains("\ngrass_path\t=dirt_path\n")
    );
    assert!(
        !text.contains("dirt\t"),
        "the jar has no dirt, and none is made up"
    );
    run(&["palette", "check", made]).expect(0, "what is made can be read");

    let map = place.draw("file", &["--palette", made]);
    let at = |x| map.columns().at(x, 5);
    assert_eq!(
        [at(2), at(7), at(13)],
        [level("0ac81e"), level("00c800"), level("dc143c")]
    );
    let options = ["--assets", &client, "--assets", &pack, "--assets", &gems];
    let ran = render(&place.world(), &place.at("assets"), &options).expect(0, "assets");
    assert!(
        ran.err
            .contains("the assets give no colour for a block: torn: "),
        "{}",
        ran.err
    );
    assert_eq!(ran.report()["unknown_blocks"], serde_json::json!({}));
    let assets = crate::map::Map::at(&place.at("assets"));
    crate::map::assert_same_files("by file and by assets", &map.files(), &assets.files());
    // The order counts: a jar that is named after the pack decides the colour of stone.
    let map = place
        .draw("other", &["--assets", &pack, "--assets", &client])
        .columns();
    assert_eq!(map.at(2, 5), level("5a646e"));
    let mine = super::text_file(&place, "mine.tsv", "gems:* 010203\n");
    let map = place
        .draw(
            "mine",
            &["--assets", &client, "--assets", &gems, "--palette", &mine],
        )
        .columns();
    assert_eq!(
        [map.at(2, 5), map.at(13, 5)],
        [level("5a646e"), level("010203")]
    );
}

#[test]
fn a_folder_of_jars_counts_as_its_jars() {
    let place = Place::of(&strips(MODERN, &[block::STONE, LOG, RUBY]));
    let [client, _, gems] = pack_and_mod(&place);
    let mods = place.at("mods");

    // An incomplete download, a file that is not a jar, and a library without assets.
    texts(&[
        ("torn.jar", "PK"),
        ("notes.txt", "gems"),
        ("inner/gems.zip", "PK"),
    ])
    .write_under(&mods);

    write_zip(
        &mods.join("library.jar"),
        &texts(&[("META-INF/MANIFEST.MF", "")]),
    );

    std::fs::copy(&gems, mods.join("Gems.JAR")).unwrap();
    let mods = mods.to_str().unwrap();
    let ran = render(
        &place.world(),
        &place.at("all"),
        &["--assets", &client, "--assets", mods],
    )
    .expect(0, "mods");

    assert_eq!(ran.report()["unknown_blocks"], serde_json::json!({}));
    assert!(
        ran.err.contains("torn.jar: not a zip") && !ran.err.contains("library"),
        "{}",
        ran.err
    );

    let map = crate::map::Map::at(&place.at("all")).columns();
    assert_eq!(map.at(13, 5), level("dc143c"));
    assert_eq!(map.at(2, 5), level("5a646e"));

    let made = run(&[
        "palette", "generate", "--assets", &client, "--assets", mods, "-o", "-",
    ])
    .expect(3, "one is torn");
    assert!(made.out.contains("gems:ruby\tdc143c\t"), "{}", made.out);

    // The message about unknown blocks of a mod names the option for assets. The message about
    // unknown blocks of the game does not.
    let hint = "--assets mods/";
    let ran = render(&place.world(), &place.at("none"), &[]).expect(0, "no assets");
    assert!(
        ran.err.contains("gems:ruby") && ran.err.contains(hint),
        "{}",
        ran.err
    );

    let to_come = Place::of(&strips(MODERN, &[Block::named("minecraft:of_tomorrow")]));
    let ran = render(&to_come.world(), &to_come.at("map"), &[]).expect(0, "a version to come");
    assert!(
        ran.err.contains("of_tomorrow") && !ran.err.contains(hint),
        "{}",
        ran.err
    );

    let empty = place.at("empty");
    std::fs::create_dir_all(&empty).unwrap();

    let ran = run(&[
        "palette",
        "generate",
        "--assets",
        empty.to_str().unwrap(),
        "-o",
        "-",
    ])
    .expect(2, "nothing in it");
    assert!(ran.err.contains("folder of jars"), "{}", ran.err);
}

#[test]
fn unusable_assets_are_reported_with_the_remedy() {
    let place = Place::of(&strips(MODERN, &[block::STONE]));
    let [_, pack, gems] = pack_and_mod(&place);
    let out = place.at("made.tsv");
    let out = out.to_str().unwrap();
    let ran =
        run(&["palette", "generate", "--assets", &pack, "-o", out]).expect(1, "textures alone");

    assert!(
        ran.err.contains("give the game's client jar first"),
        "{}",
        ran.err
    );

    let ran = run(&["palette", "generate", "--assets", &gems, "-o", out]).expect(3, "a mod alone");
    assert!(
        ran.err
            .contains("gems:ruby: minecraft:block/cube: no source has it among its models"),
        "{}",
        ran.err
    );

    let ran =
        run(&["palette", "generate", "--assets", "nowhere.jar", "-o", out]).expect(2, "no jar");
    assert!(
        ran.err.contains("nowhere.jar: there is no such file"),
        "{}",
        ran.err
    );

    run(&["palette", "generate", "-o", out]).expect(2, "no assets");
    let ran =
        render(&place.world(), &place.at("map"), &["--assets", &pack]).expect(0, "textures alone");
    assert!(ran.err.contains("add the game's client jar"), "{}", ran.err);
}
