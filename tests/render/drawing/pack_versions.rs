//! Tests packs and mods of every version since 1.8: the texture of a block is found, and is turned
//! as in the game. The tests make all files, in the forms of these versions.
#![allow(
    clippy::disallowed_methods,
    reason = "worlds and packs of tests are no output of the program"
)]

use super::textures::{of_block, order, row};
use crate::map::jar::{QUARTERS, png};
use crate::map::{Place, has_ending};
use crate::world::{Block, Files, Generation, block};

/// The quarters of a texture from the darkest to the lightest, 0 to 3: north-west, north-east,
/// south-west, south-east.
type Order = [usize; 4];

const A: Order = [0, 1, 2, 3];
/// The same picture, turned clockwise by a quarter: its north-west corner is now in the north-east.
const A_TURNED: Order = [1, 3, 0, 2];
const B: Order = [3, 0, 1, 2];
const B_TURNED: Order = [2, 1, 3, 0];

/// Files of a pack: path under `assets/` and text. For a texture (`.png`) the text is its name
/// here.
type Pack = &'static [(&'static str, &'static str)];

struct Case {
    name: &'static str,
    generation: Generation,
    block: Block,
    jar: Pack,
    /// Further files of the jar.
    more: Pack,
    /// Packs that are laid over it.
    over: &'static [Pack],
    seen: Order,
}

const V1_8: Generation = Generation::NumericV;
const V1_12: Generation = Generation::Numeric(1343);
const V1_13: Generation = Generation::Spanning(1519);
const V1_21: Generation = Generation::Root(3955);
const V26: Generation = Generation::Root(4786);

const CUBE: &str = r##"{"elements": [{"from": [0, 0, 0], "to": [16, 16, 16], "faces": {
    "up": {"texture": "#all", "cullface": "up"}, "down": {"texture": "#all"}, "north": {"texture": "#all"},
    "south": {"texture": "#all"}, "west": {"texture": "#all"}, "east": {"texture": "#all"}}}]}"##;
const COLUMN: &str = r##"{"elements": [{"from": [0, 0, 0], "to": [16, 16, 16], "faces": {
    "up": {"texture": "#end"}, "down": {"texture": "#end"}, "north": {"texture": "#side"},
    "south": {"texture": "#side"}, "west": {"texture": "#side"}, "east": {"texture": "#side"}}}]}"##;

/// A jar of 1.8. Its cobblestone has texture A, and its model b has texture B.
const JAR_1_8: Pack = &[
    (
        "minecraft/blockstates/cobblestone.json",
        r#"{"variants": {"normal": {"model": "stone"}}}"#,
    ),
    (
        "minecraft/models/block/stone.json",
        r#"{"parent": "block/cube_all", "textures": {"all": "blocks/stone"}}"#,
    ),
    (
        "minecraft/models/block/b.json",
        r#"{"parent": "block/cube_all", "textures": {"all": "blocks/b"}}"#,
    ),
    ("minecraft/models/block/cube_all.json", CUBE),
    ("minecraft/textures/blocks/stone.png", "A"),
    ("minecraft/textures/blocks/b.png", "B"),
];

/// The same jar in the form of 1.13 and later.
const JAR: Pack = &[
    (
        "minecraft/blockstates/cobblestone.json",
        r#"{"variants": {"": {"model": "minecraft:block/stone"}}}"#,
    ),
    (
        "minecraft/models/block/stone.json",
        r#"{"parent": "block/cube_all", "textures": {"all": "block/stone"}}"#,
    ),
    (
        "minecraft/models/block/b.json",
        r#"{"parent": "minecraft:block/cube_all", "textures": {"all": "minecraft:block/b"}}"#,
    ),
    ("minecraft/models/block/cube_all.json", CUBE),
    ("minecraft/models/block/cube_column.json", COLUMN),
    ("minecraft/textures/block/stone.png", "A"),
    ("minecraft/textures/block/b.png", "B"),
];

const LOG: Block = Block::numeric("minecraft:oak_log", 17, 4).with(&[("axis", "x")]);
const SLAB: Block = Block::named("minecraft:oak_slab");

/// Blocks that exist only in jars.
const fn in_jar(
    name: &'static str,
    generation: Generation,
    block: Block,
    jar: Pack,
    more: Pack,
    seen: Order,
) -> Case {
    Case {
        name,
        generation,
        block,
        jar,
        more,
        over: &[],
        seen,
    }
}

const CASES: &[Case] = &[
    in_jar(
        "1.8: a variant `normal`",
        V1_8,
        block::COBBLESTONE,
        JAR_1_8,
        &[],
        A,
    ),
    in_jar(
        "1.8: a block that is a variant of another",
        V1_8,
        block::SPRUCE_PLANKS,
        JAR_1_8,
        &[(
            "minecraft/blockstates/spruce_planks.json",
            r#"{"variants": {"normal": {"model": "b"}}}"#,
        )],
        B,
    ),
    in_jar(
        "1.8: another name",
        V1_8,
        block::GRASS_BLOCK,
        JAR_1_8,
        &[(
            "minecraft/blockstates/grass.json",
            r#"{"variants": {"snowy=false": [{"model": "b"}], "snowy=true": {"model": "stone"}}}"#,
        )],
        B,
    ),
    in_jar(
        "1.8: a direction",
        V1_12,
        LOG,
        JAR_1_8,
        &[(
            "minecraft/blockstates/oak_log.json",
            r#"{"variants": {"axis=y": {"model": "b"}, "axis=z": {"model": "b"},
            "axis=x": {"model": "stone", "y": 90}, "axis=none": {"model": "b"}}}"#,
        )],
        A_TURNED,
    ),
    in_jar(
        "1.8: a double slab",
        V1_13,
        SLAB.with(&[("type", "double")]),
        JAR_1_8,
        &[
            (
                "minecraft/blockstates/oak_slab.json",
                r#"{"variants": {"half=bottom": {"model": "stone"}, "half=top": {"model": "stone"}}}"#,
            ),
            (
                "minecraft/blockstates/oak_double_slab.json",
                r#"{"variants": {"normal": {"model": "b"}}}"#,
            ),
        ],
        B,
    ),
    in_jar(
        "1.8: an upper slab",
        V1_13,
        SLAB.with(&[("type", "top")]),
        JAR_1_8,
        &[(
            "minecraft/blockstates/oak_slab.json",
            r#"{"variants": {"half=bottom": {"model": "stone"}, "half=top": {"model": "b"}}}"#,
        )],
        B,
    ),
    in_jar(
        "1.8: a name for each look",
        V1_13,
        Block::named("minecraft:furnace").with(&[("facing", "east"), ("lit", "true")]),
        JAR_1_8,
        &[
            (
                "minecraft/blockstates/furnace.json",
                r#"{"variants": {"facing=east": {"model": "b"}}}"#,
            ),
            (
                "minecraft/blockstates/lit_furnace.json",
                r#"{"variants": {"facing=north": {"model": "b"}, "facing=east": {"model": "stone", "y": 90}}}"#,
            ),
        ],
        A_TURNED,
    ),
    in_jar(
        "1.12: light grey is silver",
        V1_12,
        Block::numeric("minecraft:light_gray_terracotta", 159, 8),
        JAR_1_8,
        &[(
            "minecraft/blockstates/silver_stained_hardened_clay.json",
            r#"{"variants": {"normal": {"model": "b"}}}"#,
        )],
        B,
    ),
    in_jar(
        "1.13: a variant without properties",
        V1_13,
        block::COBBLESTONE,
        JAR,
        &[],
        A,
    ),
    in_jar(
        "1.13: parts",
        V1_13,
        Block::named("minecraft:oak_fence").with(&[("east", "true"), ("north", "false")]),
        JAR,
        &[(
            "minecraft/blockstates/oak_fence.json",
            r#"{"multipart": [{"when": {"OR": [{"north": "true"}, {"east": "true|side"}]},
            "apply": {"model": "block/b"}}, {"when": {"north": "true"}, "apply": {"model": "block/stone"}}]}"#,
        )],
        B,
    ),
    in_jar(
        "1.13: a model that lies",
        V1_13,
        LOG,
        JAR,
        &[
            (
                "minecraft/blockstates/oak_log.json",
                r#"{"variants": {"axis=y": {"model": "block/oak_log"},
            "axis=x": {"model": "block/oak_log", "x": 90, "y": 90}}}"#,
            ),
            (
                "minecraft/models/block/oak_log.json",
                r#"{"parent": "block/cube_column", "textures": {"end": "block/stone", "side": "block/b"}}"#,
            ),
        ],
        B_TURNED,
    ),
    in_jar(
        "1.13: a texture that does not turn",
        V1_13,
        LOG,
        JAR,
        &[(
            "minecraft/blockstates/oak_log.json",
            r#"{"variants": {"axis=x": {"model": "block/stone", "y": 90, "uvlock": true}}}"#,
        )],
        A,
    ),
    in_jar(
        "1.21: names with namespaces",
        V1_21,
        Block::named("minecraft:short_grass"),
        JAR,
        &[(
            "minecraft/blockstates/short_grass.json",
            r#"{"variants": {"": {"model": "minecraft:block/b"}}}"#,
        )],
        B,
    ),
    in_jar(
        "1.20: a block that was renamed",
        V1_13,
        Block::named("minecraft:grass"),
        JAR,
        &[(
            "minecraft/blockstates/short_grass.json",
            r#"{"variants": {"": {"model": "minecraft:block/b"}}}"#,
        )],
        B,
    ),
    in_jar(
        "26.1: more of a texture than its name",
        V26,
        Block::named("minecraft:dirt"),
        JAR,
        &[
            (
                "minecraft/blockstates/dirt.json",
                r#"{"variants": {"": {"model": "minecraft:block/dirt"}}}"#,
            ),
            (
                "minecraft/models/block/dirt.json",
                r#"{"parent": "minecraft:block/cube_all",
            "textures": {"all": {"sprite": "minecraft:block/b", "force_translucent": true}}}"#,
            ),
        ],
        B,
    ),
    Case {
        name: "a mod",
        generation: V1_21,
        block: Block::named("mod:lamp").with(&[("lit", "true")]),
        jar: JAR,
        more: &[],
        over: &[&[
            (
                "mod/blockstates/lamp.json",
                r#"{"variants": {"lit=false": {"model": "mod:block/off"},
                "lit=true": {"model": "mod:block/lamp", "y": 90}}}"#,
            ),
            (
                "mod/models/block/lamp.json",
                r#"{"parent": "minecraft:block/cube_all", "textures": {"all": "mod:block/machine/lamp"}}"#,
            ),
            ("mod/textures/block/machine/lamp.png", "A"),
        ]],
        seen: A_TURNED,
    },
    Case {
        name: "a mod of 1.12",
        generation: V1_13,
        block: Block::named("mod:lamp"),
        jar: JAR_1_8,
        more: &[],
        over: &[&[
            (
                "mod/blockstates/lamp.json",
                r#"{"variants": {"normal": {"model": "mod:lamp"}}}"#,
            ),
            (
                "mod/models/block/lamp.json",
                r#"{"parent": "block/cube_all", "textures": {"all": "mod:blocks/lamp"}}"#,
            ),
            ("mod/textures/blocks/lamp.png", "B"),
        ]],
        seen: B,
    },
    Case {
        name: "a finer pack",
        generation: V1_21,
        block: block::COBBLESTONE,
        jar: JAR,
        more: &[],
        over: &[&[("minecraft/textures/block/stone.png", "B of 32 pixels")]],
        seen: B,
    },
    Case {
        name: "a pack of 1.12 over a jar of today",
        generation: V1_21,
        block: block::SPRUCE_PLANKS,
        jar: JAR,
        more: &[
            (
                "minecraft/blockstates/spruce_planks.json",
                r#"{"variants": {"": {"model": "block/spruce_planks"}}}"#,
            ),
            (
                "minecraft/models/block/spruce_planks.json",
                r#"{"parent": "block/cube_all", "textures": {"all": "block/spruce_planks"}}"#,
            ),
            ("minecraft/textures/block/spruce_planks.png", "A"),
        ],
        over: &[&[("minecraft/textures/blocks/planks_spruce.png", "B")]],
        seen: B,
    },
    Case {
        name: "a pack of today over a jar of 1.12",
        generation: V1_12,
        block: block::SPRUCE_PLANKS,
        jar: JAR_1_8,
        more: &[
            (
                "minecraft/blockstates/spruce_planks.json",
                r#"{"variants": {"normal": {"model": "spruce_planks"}}}"#,
            ),
            (
                "minecraft/models/block/spruce_planks.json",
                r#"{"parent": "block/cube_all", "textures": {"all": "blocks/planks_spruce"}}"#,
            ),
            ("minecraft/textures/blocks/planks_spruce.png", "A"),
        ],
        over: &[&[("minecraft/textures/block/spruce_planks.png", "B")]],
        seen: B,
    },
];

/// Returns the quarters of a texture in their order, by its name.
fn texture(name: &str) -> Vec<u8> {
    let order = if name.starts_with('A') { A } else { B };
    let light = |x: usize, z: usize, half: usize| {
        let rank = order
            .iter()
            .position(|quarter| *quarter == x / half + z / half * 2)
            .unwrap();
        [QUARTERS[rank]; 3]
    };

    let side = if name.contains("32") { 32 } else { 16 };
    png(side, |x, z| {
        let [r, g, b] = light(x, z, side / 2);
        [r, g, b, 255]
    })
}

/// A place with a world of one block and these packs, and the options to draw it with.
fn place_of(case: &Case) -> (Place, Vec<String>) {
    let place = Place::of(&row(&[case.block], case.generation));
    let mut options = Vec::new();
    let jar = [case.jar, case.more].concat();
    for (number, pack) in [&*jar]
        .into_iter()
        .chain(case.over.iter().copied())
        .enumerate()
    {
        let mut files = Files::new();
        for (path, text) in pack {
            let bytes = if has_ending(path, "png") {
                texture(text)
            } else {
                text.as_bytes().to_vec()
            };
            files.put(&format!("assets/{path}"), bytes);
        }

        let folder = place.at(&format!("pack-{number}"));
        files.write_under(&folder);
        options.extend(["--assets".to_owned(), folder.to_str().unwrap().to_owned()]);
    }

    (place, options)
}

#[test]
fn blocks_have_pack_textures_in_every_version() {
    for case in CASES {
        let (place, packs) = place_of(case);
        let packs: Vec<&str> = packs.iter().map(String::as_str).collect();
        let map = place.draw("map", &[&packs[..], &["--zoom-in", "4"]].concat());
        let seen = of_block(&map, "day", 21, 5, 5);
        let flat = seen.iter().all(|pixel| *pixel == seen[0]);
        assert!(
            !flat && order(&seen) == case.seen,
            "{}: {:?}, flat: {flat}",
            case.name,
            order(&seen)
        );
    }
}

#[test]
fn a_heavier_variant_is_shown_more_often() {
    const WEIGHTS: Case = in_jar(
        "weights",
        V1_21,
        Block::named("minecraft:dirt"),
        JAR,
        &[(
            "minecraft/blockstates/dirt.json",
            r#"{"variants": {"": [{"model": "block/stone", "weight": 3}, {"model": "block/b"}]}}"#,
        )],
        A,
    );

    let (place, packs) = place_of(&WEIGHTS);
    let packs: Vec<&str> = packs.iter().map(String::as_str).collect();
    let map = place.draw("map", &[&packs[..], &["--zoom-in", "4"]].concat());
    let blocks = (0..256).map(|at| order(&of_block(&map, "day", 21, at % 16, at / 16)));
    let heavy = blocks.filter(|seen| *seen == A).count();
    assert!((160..=224).contains(&heavy), "{heavy} of 256");
}
