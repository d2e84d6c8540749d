//! Tests the textures of single blocks: their states, models and turns.

use std::collections::BTreeSet;

use super::{
    EAST, FENCE, LOCKED, MODERN, NORTH, SOUTH, STAIRS, TURNED_FACE, draw, light, of_block, order,
    place_of, row,
};
use crate::map::jar::png;
use crate::map::land::{self, Column};
use crate::map::{Place, Rgba, assert_same_files, pixels, render};
use crate::world::bedrock::block::{Block as Bedrock, State};
use crate::world::bedrock::{ChunkSpec as BedrockChunk, Database};
use crate::world::fixture::bedrock::with_level_dat;
use crate::world::{Block, ChunkSpec, Files, Generation, block};

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

    // A quarter turn moves the north-west to the north-east.
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

    // Each level further out has half as many pixels, with the same average light.
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

    let table = include_str!("../../../../crates/paint/src/textures/default_states.tsv");
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
