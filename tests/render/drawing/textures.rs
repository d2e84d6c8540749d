//! Tests `--zoom-in`: zoom levels with textures, from jars that the tests make.
#![allow(
    clippy::disallowed_methods,
    reason = "worlds and packs of tests are no output of the program"
)]

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::map::jar::{QUARTERS, jar, png};
use crate::map::land::{self, Column};
use crate::map::{Map, Place, Rgba, assert_same_files, has_ending, pixels, render, run};
use crate::world::bedrock::block::{Block as Bedrock, State};
use crate::world::bedrock::{ChunkSpec as BedrockChunk, Database};
use crate::world::fixture::bedrock::with_level_dat;
use crate::world::seed::of_place;
use crate::world::{Block, ChunkSpec, Files, Generation, Record, RegionSpec, block};

const MODERN: Generation = Generation::Root(3955);

const NORTH: Block = furnace(&[("facing", "north"), ("lit", "false")]);
const EAST: Block = furnace(&[("facing", "east"), ("lit", "false")]);
const SOUTH: Block = furnace(&[("facing", "south"), ("lit", "false")]);
const LOCKED: Block = furnace(&[("facing", "west"), ("lit", "false")]);
const TURNED_FACE: Block = furnace(&[("facing", "east"), ("lit", "true")]);
const FENCE: Block = Block::named("minecraft:oak_fence").with(&[
    ("east", "false"),
    ("north", "true"),
    ("west", "false"),
]);

const STAIRS: Block = Block::named("minecraft:oak_stairs");

const fn furnace(state: &'static [(&'static str, &'static str)]) -> Block {
    Block::named("minecraft:furnace").with(state)
}

/// A place with a world of these columns and a jar, and the options to draw it with.
fn place_of(files: &Files) -> (Place, String) {
    let place = Place::of(files);
    jar().write_under(&place.at("pack"));
    let pack = place.at("pack").to_str().unwrap().to_owned();
    (place, pack)
}

/// Makes a chunk of level ground of these blocks, from west to east, each this many columns wide.
pub(super) fn row(blocks: &[Block], generation: Generation) -> Files {
    let width = 16 / blocks.len() as i32;
    land::world([0, 0, 16, 16], (0, 0), generation, |x, _| {
        Some(Column::of(64, blocks[(x / width) as usize]))
    })
}

/// The pixels of a block on an inner tile of the map's first region, `[z][x]`.
pub(super) fn of_block(map: &Map, layer: &str, zoom: u8, x: i32, z: i32) -> Vec<Rgba> {
    let side = 1 << (zoom - 17);
    let tile = |at: i32| (at * side).div_euclid(512);
    let path = format!("overworld/{layer}/{zoom}/{}/{}.png", tile(x), tile(z));
    let tile = pixels(&map.root.join(&path));
    let corner = |at: i32| (at * side).rem_euclid(512) as usize;
    let rows = (0..side as usize).flat_map(|dz| (0..side as usize).map(move |dx| (dx, dz)));
    rows.map(|(dx, dz)| tile[(corner(z) + dz) * 512 + corner(x) + dx])
        .collect()
}

fn light([r, g, b, _]: Rgba) -> u32 {
    u32::from(r) + u32::from(g) + u32::from(b)
}

/// The quarters of a block from the darkest to the lightest: 0 to 3, north-west, north-east,
/// south-west, south-east.
pub(super) fn order(block: &[Rgba]) -> Vec<usize> {
    let mut quarters = vec![0, 1, 2, 3];
    quarters
        .sort_by_key(|quarter| light(block[quarter / 2 * 8 * 16 + quarter % 2 * 8 + 4 * 16 + 4]));
    quarters
}

fn draw(place: &Place, pack: &str, options: &[&str]) -> Map {
    place.draw(
        "map",
        &[&["--assets", pack, "--zoom-in", "4"], options].concat(),
    )
}

fn written(place: &Place, pack: &str, options: &[&str]) -> [u64; 3] {
    let all = [&["--assets", pack], options].concat();
    let report = render(&place.world(), &place.at("map"), &all)
        .expect(0, "drawn")
        .report();
    ["written", "unchanged", "removed"].map(|count| report["tiles"][count].as_u64().unwrap())
}

#[test]
fn textures_turn_with_the_state_of_their_block() {
    let (place, pack) = place_of(&row(
        &[
            NORTH,
            EAST,
            SOUTH,
            LOCKED,
            TURNED_FACE,
            block::STONE,
            NORTH,
            NORTH,
        ],
        MODERN,
    ));

    let map = draw(&place, &pack, &[]);
    let orders: Vec<Vec<usize>> = (0..6)
        .map(|at| order(&of_block(&map, "day", 21, at * 2, 5)))
        .collect();
    let as_it_is = vec![0, 1, 2, 3];

    // A quarter turn takes the north-west to the north-east.
    assert_eq!(
        orders,
        [
            as_it_is.clone(),
            vec![1, 3, 0, 2],
            vec![3, 2, 1, 0],
            as_it_is.clone(),
            vec![1, 3, 0, 2],
            as_it_is
        ]
    );

    // Half as many pixels at each level further out, of the same light together.
    let mean = |zoom: u8| {
        let block = of_block(&map, "day", zoom, 0, 5);
        assert_eq!(block.len(), 1 << (2 * (zoom - 17)));
        block.iter().copied().map(light).sum::<u32>() / block.len() as u32
    };

    let native = light(map.columns().at(0, 5));
    assert!(
        (17..=21).all(|zoom| mean(zoom).abs_diff(native) <= 15),
        "{:?} {native}",
        (17..=21).map(mean).collect::<Vec<_>>()
    );
}

#[test]
fn textures_turn_with_the_states_of_bedrock_edition() {
    const fn state(name: &'static str, states: &'static [(&'static str, State)]) -> Bedrock {
        Bedrock::named(name).with(states)
    }

    let newest = [
        state(
            "minecraft:furnace",
            &[("minecraft:cardinal_direction", State::Text("south"))],
        ),
        state(
            "minecraft:furnace",
            &[("minecraft:cardinal_direction", State::Text("west"))],
        ),
        state(
            "minecraft:furnace",
            &[("facing_direction", State::Number(5))],
        ),
        state(
            "minecraft:lit_furnace",
            &[("facing_direction", State::Number(5))],
        ),
    ];

    let numbers = [2, 3, 4, 5].map(|data| Bedrock::numeric("minecraft:furnace", 61, data));
    let [north, east, south, locked] = [
        vec![0, 1, 2, 3],
        vec![1, 3, 0, 2],
        vec![3, 2, 1, 0],
        vec![0, 1, 2, 3],
    ];

    for (version, blocks, wanted) in [
        (
            41,
            newest,
            [south.clone(), locked.clone(), east.clone(), east.clone()],
        ),
        (
            9,
            numbers,
            [north.clone(), south.clone(), locked.clone(), east.clone()],
        ),
        (3, numbers, [north, south, locked, east]),
    ] {
        let mut chunk = BedrockChunk::new(0, 0, 0, version);
        for (at, block) in (0..256).map(|at| (at, blocks[at % 16 / 4])) {
            chunk.set(at % 16, 64, at / 16, block);
        }

        let mut database = Database::new(2);
        database.batch(&chunk.changes());
        let (place, pack) = place_of(&with_level_dat("Directions", &database));
        let map = draw(&place, &pack, &[]);
        let orders = [1, 5, 9, 13].map(|x| order(&of_block(&map, "day", 21, x, 5)));
        assert_eq!(orders, wanted, "chunks of version {version}");
    }
}

/// Returns a pack with one texture for blocks in their default state, and another one for all other
/// states. `blocks` are names with their default states.
fn pack_of_default_states(blocks: &[(&str, &str)]) -> Files {
    let mut pack = Files::new();
    let mut put = |path: &str, bytes: Vec<u8>| pack.put(&format!("assets/minecraft/{path}"), bytes);

    for model in ["default", "other"] {
        let face = format!(r#"{{"up": {{"texture": "block/{model}"}}}}"#);
        let model_file = format!(
            r#"{{"elements": [{{"from": [0, 0, 0], "to": [16, 16, 16], "faces": {face}}}]}}"#
        );
        put(
            &format!("models/block/{model}.json"),
            model_file.into_bytes(),
        );

        put(
            &format!("textures/block/{model}.png"),
            png(16, |x, z| {
                let is_light = if model == "default" { x < 8 } else { z < 4 };
                if is_light {
                    [250, 250, 250, 255]
                } else {
                    [40, 40, 40, 255]
                }
            }),
        );
    }

    for (name, state) in blocks {
        let mut variants = vec![format!(r#""{state}": {{"model": "block/default"}}"#)];
        for pair in state.split(',') {
            let (property, value) = pair.split_once('=').unwrap();
            let others = [
                "false", "true", "none", "y", "bottom", "lower", "north", "straight", "0", "1",
                "floor", "up",
            ];
            variants.extend(others.iter().filter(|&&other| other != value).map(|other| {
                let state = state.replace(pair, &format!("{property}={other}"));
                format!(r#""{state}": {{"model": "block/other"}}"#)
            }));
        }

        let file = format!(r#"{{"variants": {{{}}}}}"#, variants.join(","));
        put(&format!("blockstates/{name}.json"), file.into_bytes());
    }

    pack
}

#[test]
fn every_block_has_its_default_state_without_properties() {
    const SIDE: i32 = 32;

    let table = include_str!("../../../src/paint/textures/default_states.tsv");
    let blocks: Vec<(&str, &str)> = table
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .skip(1)
        .collect();
    assert!(blocks.len() > 800 && blocks.len() < (SIDE * SIDE) as usize);

    let pack = pack_of_default_states(&blocks);
    let picture = |is_written_out: bool| {
        let place_of_block = |x: i32, z: i32| {
            let (name, state) = blocks.get((z * SIDE + x) as usize)?;
            let pairs: Vec<(&str, &str)> = state
                .split(',')
                .filter_map(|pair| pair.split_once('='))
                .collect();
            let properties = if is_written_out { pairs } else { Vec::new() };
            let block = Block::made(format!("minecraft:{name}")).with(Vec::leak(properties));
            Some(Column::of(64, block))
        };

        let place = Place::of(&land::world(
            [0, 0, SIDE, SIDE],
            (0, 0),
            Generation::Root(5023),
            place_of_block,
        ));
        pack.write_under(&place.at("pack"));

        let out = place.at("map.png");
        let pack = place.at("pack");
        let options = [
            "--scale",
            "16",
            "-a",
            "0,0,32,32",
            "--assets",
            pack.to_str().unwrap(),
        ];
        render(&place.world(), &out, &options).expect(0, "drawn");

        pixels(&out)
    };

    let [written, left_out] = [true, false].map(picture);
    let side = (SIDE * 16) as usize;
    let differs = |at: usize| {
        let corner = at / SIDE as usize * 16 * side + at % SIDE as usize * 16;
        (0..256).any(|pixel| {
            let pixel = corner + pixel / 16 * side + pixel % 16;
            written[pixel] != left_out[pixel]
        })
    };

    let differing: Vec<&str> = (0..blocks.len())
        .filter(|&at| differs(at))
        .map(|at| blocks[at].0)
        .collect();
    assert_eq!(differing, [""; 0]);
}

#[test]
fn partly_covered_blocks_show_the_texture_below() {
    let world = |cover: Option<Block>| {
        let mut chunk = ChunkSpec::new(0, 0, MODERN);
        chunk.layer(60, 64, block::STONE);
        if let Some(cover) = cover {
            chunk.layer(65, 65, cover);
        }
        land::of_chunks(&[chunk], MODERN)
    };

    let shown = |cover: Option<Block>| {
        let (place, pack) = place_of(&world(cover));
        of_block(&draw(&place, &pack, &[]), "day", 21, 7, 7)
    };

    let [bare, fenced, flower] = [None, Some(FENCE), Some(block::DANDELION)].map(shown);
    let differing = |other: &[Rgba]| -> BTreeSet<(usize, usize)> {
        (0..256)
            .filter(|&at| bare[at] != other[at])
            .map(|at| (at % 16, at / 16))
            .collect()
    };

    let post = (6..10).flat_map(|x| (6..10).map(move |z| (x, z)));
    let arm = (7..9).flat_map(|x| (0..6).map(move |z| (x, z)));

    // Walls shade their surroundings, but all columns are alike here.
    assert_eq!(differing(&fenced), post.chain(arm).collect());
    assert_eq!(
        differing(&flower),
        (6..10).flat_map(|x| (0..16).map(move |z| (x, z))).collect()
    );
}

#[test]
fn low_faces_of_blocks_are_darker() {
    let (place, pack) = place_of(&row(&[STAIRS], MODERN));
    let stairs = of_block(&draw(&place, &pack, &[]), "day", 21, 5, 5);
    let [lower, upper] = [3, 11].map(|at| light(stairs[8 * 16 + at]));
    assert!(
        lower * 15 < upper * 14 && lower * 5 > upper * 4,
        "{lower} {upper}"
    );
}

#[test]
fn the_floor_shows_through_water() {
    let column = |x: i32, _| {
        let pond = Column {
            water_y: Some(65),
            ..Column::of(64, block::STONE)
        };
        Some(if x < 8 {
            pond
        } else {
            Column::of(65, block::GRASS_BLOCK)
        })
    };

    let (place, pack) = place_of(&land::world([0, 0, 16, 16], (0, 0), MODERN, column));
    let map = draw(&place, &pack, &["-l", "day", "-l", "night", "-l", "height"]);
    let pond = of_block(&map, "day", 21, 3, 7);
    assert_eq!(order(&pond), [0, 1, 2, 3]);
    assert!(
        pond.iter().all(|[r, _, b, _]| b > r),
        "it is blue: {pond:?}"
    );

    let grass = of_block(&map, "day", 21, 13, 7);
    assert!(
        grass.iter().all(|[r, g, b, _]| g > r && r > b),
        "it is green: {grass:?}"
    );

    let night = of_block(&map, "night", 21, 13, 7);
    assert!(order(&night) == [0, 1, 2, 3] && light(night[0]) < light(grass[0]));
    assert_eq!(map.facts()["dimensions"][0]["layers"][2]["id"], "height");

    let levels = |layer: usize| map.facts()["dimensions"][0]["layers"][layer]["max_zoom"].as_u64();
    assert_eq!(
        [levels(0), levels(1), levels(2)],
        [21, 21, 17].map(Some),
        "heights have no textures"
    );
}

#[test]
fn randomly_turned_blocks_follow_their_position() {
    let (place, pack) = place_of(&row(&[block::SAND], MODERN));
    let map = draw(&place, &pack, &[]);
    let orders: Vec<Vec<usize>> = (0..16)
        .map(|x| order(&of_block(&map, "day", 21, x, x)))
        .collect();
    assert!(
        orders.iter().collect::<BTreeSet<_>>().len() >= 3,
        "{orders:?}"
    );
    let again = place.draw("again", &["--assets", &pack, "--zoom-in", "4", "-t", "7"]);
    assert_same_files("with more threads", &map.files(), &again.files());
}

#[test]
fn a_block_without_a_model_has_its_colour() {
    let (place, pack) = place_of(&row(
        &[
            block::ANDESITE,
            Block::named("minecraft:chest"),
            block::STONE,
            block::STONE,
        ],
        MODERN,
    ));

    let map = draw(&place, &pack, &[]);
    for x in [1, 5] {
        let native = map.columns().at(x, 5);
        assert!(
            of_block(&map, "day", 21, x, 5)
                .iter()
                .all(|&pixel| pixel == native),
            "{x}"
        );
    }

    let stone = of_block(&map, "day", 21, 9, 5);
    assert!(stone.iter().any(|&pixel| pixel != stone[0]));
}

/// Broken ground around the origin.
fn terrain(by: i32) -> Files {
    let blocks = [block::STONE, block::GRASS_BLOCK, NORTH, EAST];
    land::world([-32, -32, 32, 32], (by, by), MODERN, |x, z| {
        let ground = blocks[(of_place(x, z, 5) % 4) as usize];
        let y = 60 + (of_place(x, z, 3) % 5) as i32;
        Some(Column {
            water_y: (y < 62).then_some(62),
            ..Column::of(y, ground)
        })
    })
}

#[test]
fn textures_continue_across_tiles_and_regions() {
    let picture = |by: i32| {
        let (place, pack) = place_of(&terrain(by));
        let map = place.draw("map", &["--assets", &pack, "--zoom-in", "2"]);

        let places = (-32..32).flat_map(|z| (-32..32).map(move |x| (x + by, z + by)));
        let mut tiles = BTreeMap::new();
        let mut all = Vec::new();
        for (x, z) in places {
            let tile = (x * 4).div_euclid(512);
            let row = (z * 4).div_euclid(512);
            let path = map.root.join(format!("overworld/day/19/{tile}/{row}.png"));
            let tile = tiles.entry(path).or_insert_with_key(|path| pixels(path));
            let corner = |at: i32| (at * 4).rem_euclid(512) as usize;
            all.extend(
                (0..4)
                    .flat_map(|dz| (0..4).map(move |dx| (dx, dz)))
                    .map(|(dx, dz)| tile[(corner(z) + dz) * 512 + corner(x) + dx]),
            );
        }

        all
    };

    let across = picture(0);
    assert!(
        across.iter().collect::<BTreeSet<_>>().len() > 50,
        "much is to be seen"
    );
    assert!(
        across == picture(256),
        "inside of one region it looks the same"
    );
}

#[test]
fn textures_do_not_change_other_zoom_levels() {
    let (place, pack) = place_of(&terrain(0));
    let plain = place.draw(
        "plain",
        &[
            "--assets", &pack, "-l", "day", "-l", "night", "-l", "height",
        ],
    );

    let map = draw(&place, &pack, &["-l", "day", "-l", "night", "-l", "height"]);
    let natives = |map: &Map| {
        let mut files = map.files();

        let is_outer = |path: &String| {
            has_ending(path, "png")
                && !["/18/", "/19/", "/20/", "/21/"]
                    .iter()
                    .any(|level| path.contains(level))
        };

        files.retain(|path, _| is_outer(path));
        files
    };

    assert_same_files("natives", &natives(&plain), &natives(&map));
    run(&["verify", map.root.to_str().unwrap()]).expect(0, "verify");
    let same = run(&[
        "diff",
        plain.root.to_str().unwrap(),
        map.root.to_str().unwrap(),
    ]);
    same.expect(0, "levels that only one has are not compared");
}

#[test]
fn textures_do_not_change_facts_and_findings() {
    let strange = Block::named("mod:strange").with(&[("facing", "north")]);
    let (place, pack) = place_of(&row(
        &[
            NORTH,
            EAST,
            strange,
            FENCE,
            TURNED_FACE,
            STAIRS,
            block::STONE,
            block::SAND,
        ],
        MODERN,
    ));

    let drawn = |options: &[&str]| {
        let all = [
            &["--assets", &pack, "-l", "day", "-l", "biome", "--details"],
            options,
        ]
        .concat();
        let mut report = render(&place.world(), &place.at("map"), &all)
            .expect(0, "drawn")
            .report();
        let findings =
            ["unknown_blocks", "chunks", "bad_chunks", "regions"].map(|key| report[key].take());

        let mut files = Map::at(&place.at("map")).files();
        files.retain(|path, _| path.contains("/17/") || path.contains("/16/"));

        (findings, files)
    };

    let plain = drawn(&[]);
    std::fs::remove_dir_all(place.at("map")).unwrap();
    let zoomed = drawn(&["--zoom-in", "1"]);
    assert_eq!(plain.0, zoomed.0);
    assert_same_files("with textures", &plain.1, &zoomed.1);
}

#[test]
fn every_naming_and_kind_of_map_has_textures() {
    let (place, pack) = place_of(&terrain(0));
    let signed = place.draw("signed", &["--assets", &pack, "--zoom-in", "2"]);
    let tile = pixels(&signed.root.join("overworld/day/19/-1/0.png"));
    let path = |name: &str| place.at(name).to_str().unwrap().to_owned();

    let half = 1 << 18;
    for (name, options, row, ending) in [
        ("xyz", &["--scheme", "xyz"][..], half, "png"),
        (
            "tms",
            &["--scheme", "tms", "--format", "webp"],
            half - 1,
            "webp",
        ),
    ] {
        let map = place.draw(
            name,
            &[&["--assets", &pack, "--zoom-in", "2"], options].concat(),
        );
        let there = pixels_of(
            &map.root
                .join(format!("overworld/day/19/{}/{row}.{ending}", half - 1)),
        );
        assert!(there == tile, "{name}");
        run(&["verify", &path(name)]).expect(0, name);
        run(&["diff", &path("signed"), &path(name)]).expect(2, "maps of other schemes");
    }

    let [map, archive] = [path("signed"), path("map.pmtiles")];
    run(&["export", &map, "-o", &archive]).expect(0, "an archive");
    run(&["diff", &map, &archive]).expect(0, "which is the same");

    for (scale, zoom) in [("4", "in the tiles"), ("8", "enlarged from them")] {
        let pictures = ["map", "archive"].map(|from| {
            let out = path(&format!("{from}-{scale}.png"));
            let from = if from == "map" { &map } else { &archive };
            run(&[
                "export",
                from,
                "-o",
                &out,
                "-a",
                "-20,-20,20,21",
                "--scale",
                scale,
            ])
            .expect(0, zoom);

            std::fs::read(out).unwrap()
        });
        assert!(pictures[0] == pictures[1], "{zoom}");
    }
}

/// The pixels of a tile in any format.
fn pixels_of(path: &std::path::Path) -> Vec<Rgba> {
    let picture = image::open(path).unwrap().to_rgba8();
    picture.pixels().map(|pixel| pixel.0).collect()
}

#[test]
fn scaled_up_pictures_have_textures() {
    let (place, pack) = place_of(&terrain(0));
    let map = draw(&place, &pack, &[]);

    let picture = |name: &str, options: &[&str]| {
        let out = place.at(name);
        render(
            &place.world(),
            &out,
            &[&["-a", "-20,-11,20,21"], options].concat(),
        )
        .expect(0, "a picture");
        pixels_of(&out)
    };

    for (scale, zoom) in [(2, 18), (16, 21)] {
        let name = scale.to_string();
        let shown = picture("a.png", &["--assets", &pack, "--scale", &name]);
        assert_eq!(shown.len() as i32, 40 * scale * 32 * scale);

        for (x, z) in [(-20, -11), (-1, -1), (0, 3), (19, 20)] {
            let at = |pixel: i32| {
                shown[(((z + 11) * scale + pixel / scale) * 40 * scale
                    + (x + 20) * scale
                    + pixel % scale) as usize]
            };

            let block: Vec<Rgba> = (0..scale * scale).map(at).collect();
            assert!(
                block == of_block(&map, "day", zoom, x, z),
                "{scale}: {x} {z}"
            );
        }

        let exported = place.at("exported.png");
        let [from, to] = [&map.root, &exported].map(|path| path.to_str().unwrap());
        run(&[
            "export",
            from,
            "-o",
            to,
            "-a",
            "-20,-11,20,21",
            "--scale",
            &name,
        ])
        .expect(0, "an export");

        assert!(pixels_of(&exported) == shown, "{scale}, exported");

        let threads = picture("b.png", &["--assets", &pack, "--scale", &name, "-t", "7"]);
        assert!(threads == shown, "{scale}, with more threads");
    }

    // Colours of the assets alone: an enlarged native tile.
    let plain = place.draw("plain", &["--assets", &pack]);

    let flat = place.at("flat.png");
    let [from, to] = [&plain.root, &flat].map(|path| path.to_str().unwrap());
    run(&[
        "export",
        from,
        "-o",
        to,
        "-a",
        "-20,-11,20,21",
        "--scale",
        "4",
    ])
    .expect(0, "an export");

    assert!(
        pixels_of(&flat)[..4].iter().collect::<BTreeSet<_>>().len() == 1,
        "a block has one colour"
    );

    let wide = picture("wide.png", &["--assets", &pack, "--width", "80"]);
    assert!(
        wide[..2].iter().collect::<BTreeSet<_>>().len() == 1,
        "a width has no textures"
    );
}

#[test]
fn a_map_remembers_its_tiles_with_textures() {
    let (place, pack) = place_of(&three(block::STONE));
    let at = |name: &'static str, time: &'static str| {
        [
            "--assets",
            &pack,
            "--zoom-in",
            "2",
            "--history",
            "--label",
            name,
            "--time",
            time,
        ]
    };

    place.draw("map", &at("first", "2026-01-01"));
    let before = std::fs::read(place.at("map/overworld/day/19/4/0.png")).unwrap();
    three(block::GRASS_BLOCK).write_under(&place.world());
    let map = place.draw("map", &at("second", "2026-02-01"));
    assert_ne!(
        std::fs::read(map.root.join("overworld/day/19/4/0.png")).unwrap(),
        before
    );

    let is_kept = || {
        map.files()
            .iter()
            .any(|(path, bytes)| path.starts_with("history/") && *bytes == before)
    };

    assert!(is_kept());

    let [first, now] = ["map@first", "map"].map(|name| place.at(name).to_str().unwrap().to_owned());
    run(&["verify", &now]).expect(0, "all of it is kept");
    run(&["diff", &first, &now]).expect(1, "it was otherwise");
    run(&["history", &now, "--keep-last", "1"]).expect(0, "forgotten");
    run(&["verify", &now]).expect(0, "what is left is whole");
    assert!(!is_kept(), "and the rest is gone");
}

/// Three regions in a row, each of one chunk.
fn three(ground: Block) -> Files {
    let chunk = |region: i32, ground| {
        let mut chunk = ChunkSpec::new(region * 32 + 5, 5, MODERN);
        chunk.layer(60, 64, ground);
        chunk
    };

    land::of_chunks(
        &[
            chunk(0, block::STONE),
            chunk(1, ground),
            chunk(2, block::STONE),
        ],
        MODERN,
    )
}

#[test]
fn textured_tiles_are_updated_and_removed_on_request() {
    let (place, pack) = place_of(&three(block::STONE));
    // A chunk is on one tile of each level.
    assert_eq!(written(&place, &pack, &["--zoom-in", "4"]), [15, 0, 0]);
    assert_eq!(written(&place, &pack, &["--zoom-in", "4"]), [0, 15, 0]);
    std::fs::remove_file(place.at("map").join("overworld/day/19/4/0.png")).unwrap();

    assert_eq!(
        written(&place, &pack, &["--zoom-in", "4"]),
        [1, 14, 0],
        "what is missing comes back"
    );

    three(block::GRASS_BLOCK).write_under(&place.world());
    assert_eq!(written(&place, &pack, &["--zoom-in", "4"]), [5, 10, 0]);

    let fresh = place.draw("fresh", &["--assets", &pack, "--zoom-in", "4", "-t", "3"]);
    assert_same_files(
        "a later run and a new one",
        &fresh.files(),
        &Map::at(&place.at("map")).files(),
    );

    let turned = png(16, |x, z| {
        let light = QUARTERS[3 - x / 8 - z / 8 * 2];
        [light, light, light, 255]
    });
    std::fs::write(
        place.at("pack/assets/minecraft/textures/block/quarters.png"),
        turned,
    )
    .unwrap();

    assert_eq!(
        written(&place, &pack, &["--zoom-in", "4"]),
        [12, 3, 0],
        "the packs are others, and their means are not"
    );

    let mut only = Files::new();
    only.put_region("region", &RegionSpec::new(1, 0));
    only.write_under(&place.world());
    assert_eq!(
        written(&place, &pack, &["--zoom-in", "4", "--max-removed", "100%"]),
        [0, 10, 5],
        "a removed chunk's go"
    );

    three(block::GRASS_BLOCK).write_under(&place.world());
    assert_eq!(written(&place, &pack, &["--zoom-in", "4"]), [5, 10, 0]);
    assert_eq!(written(&place, &pack, &["--zoom-in", "2"]), [0, 9, 6]);
    assert_eq!(
        written(&place, &pack, &[]),
        [0, 3, 6],
        "most of the tiles, and all are meant to go"
    );
    run(&["verify", place.at("map").to_str().unwrap()]).expect(0, "nothing is left behind");
}

#[test]
fn an_unreadable_chunk_keeps_its_textures() {
    let (place, pack) = place_of(&three(block::STONE));
    let before = draw(&place, &pack, &[]).files();
    let mut region = RegionSpec::new(1, 0);
    region.put_record(37, 5, Record::new(127, vec![1, 2, 3]));
    let mut files = Files::new();
    files.put_region("region", &region);

    files.write_under(&place.world());
    render(
        &place.world(),
        &place.at("map"),
        &["--assets", &pack, "--zoom-in", "4"],
    )
    .expect(3, "a gap");

    let tiles = |files: &BTreeMap<String, Vec<u8>>| {
        let mut files = files.clone();
        files.retain(|path, _| has_ending(path, "png"));
        files
    };

    assert_same_files(
        "with a gap",
        &tiles(&before),
        &tiles(&Map::at(&place.at("map")).files()),
    );
}

#[test]
fn an_area_bounds_the_tiles_with_textures() {
    let (place, pack) = place_of(&three(block::STONE));
    let map = draw(&place, &pack, &["-a", "80,80,90,96"]);
    let innermost: Vec<String> = map
        .files()
        .into_keys()
        .filter(|path| path.contains("/21/"))
        .collect();
    assert_eq!(innermost, ["overworld/day/21/2/2.png"]);

    let edge = [
        of_block(&map, "day", 21, 89, 80),
        of_block(&map, "day", 21, 90, 80),
    ];
    assert!(
        edge[0].iter().all(|pixel| pixel[3] == 255) && edge[1].iter().all(|pixel| pixel[3] == 0)
    );
}

#[test]
fn too_many_textured_tiles_are_refused() {
    let chunks: Vec<ChunkSpec> = (0..100)
        .map(|region| {
            let mut chunk = ChunkSpec::new(region * 32, 0, MODERN);
            chunk.layer(64, 64, block::STONE);
            chunk
        })
        .collect();

    let (place, pack) = place_of(&land::of_chunks(&chunks, MODERN));
    let options = [
        "--assets",
        &pack,
        "--zoom-in",
        "4",
        "-l",
        "day",
        "-l",
        "night",
        "-l",
        "roof",
    ];

    let ran = render(&place.world(), &place.at("map"), &options).expect(1, "refused");
    assert!(
        ran.err.contains("102000 tiles with textures")
            && ran.err.contains("--area")
            && ran.err.contains("--yes"),
        "{}",
        ran.err
    );
    assert!(!place.at("map").exists());

    let ran = render(
        &place.world(),
        &place.at("map"),
        &[&options[..], &["--dry-run", "--json"]].concat(),
    )
    .expect(0, "counted");
    let counted: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(counted["tiles"]["inner"], 102_000);

    let ran = render(
        &place.world(),
        &place.at("map"),
        &[&options[..], &["-a", "0,0,10,10"]].concat(),
    )
    .expect(0, "a part");
    assert_eq!(ran.report()["tiles"]["written"], 15);
}
