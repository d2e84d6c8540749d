//! Tests layers `night` and `cave`: the visible light of lamps, and hollows below the land.

use crate::map::{CLEAR, Columns, Place, Rgba, land, render};
use crate::world::{Block, ChunkSpec, Files, Generation, block};

const LAYERS: [&str; 6] = ["-l", "day", "-l", "night", "-l", "cave"];

/// Level ground of stone down to height 20, over 3 by 3 chunks around the corner of a region.
fn level(generation: Generation) -> Vec<ChunkSpec> {
    let chunks = (0..9).map(|at| ChunkSpec::new(at % 3 - 1, at / 3 - 1, generation));
    chunks
        .map(|mut chunk| {
            chunk.layer(20, 64, block::STONE);
            chunk
        })
        .collect()
}

fn at(chunks: &mut [ChunkSpec], x: i32, z: i32) -> (&mut ChunkSpec, usize, usize) {
    let index = (z.div_euclid(16) + 1) * 3 + x.div_euclid(16) + 1;
    (
        &mut chunks[index as usize],
        x.rem_euclid(16) as usize,
        z.rem_euclid(16) as usize,
    )
}

fn set(chunks: &mut [ChunkSpec], [x, y, z]: [i32; 3], block: Block) {
    let (chunk, dx, dz) = at(chunks, x, z);
    chunk.set(dx, y, dz, block);
}

/// The light of a lamp decreases by one with each step.
fn shine(chunks: &mut [ChunkSpec], [x, y, z]: [i32; 3], level: i32) {
    for (dx, dz) in (-15..=15).flat_map(|dz| (-15..=15).map(move |dx| (dx, dz))) {
        let left = level - i32::abs(dx) - i32::abs(dz);
        if left > 0 {
            let (chunk, cx, cz) = at(chunks, x + dx, z + dz);
            chunk.set_light(cx, y, cz, left as u8);
        }
    }
}

fn files(chunks: &[ChunkSpec], generation: Generation) -> Files {
    land::of_chunks(chunks, generation)
}

fn drawn(files: &Files) -> [Columns; 3] {
    let place = Place::of(files);
    let map = place.draw("map", &LAYERS);
    ["day", "night", "cave"].map(|layer| map.columns_of("overworld", layer))
}

fn lightness([r, g, b, _]: Rgba) -> u32 {
    u32::from(r) + 2 * u32::from(g) + u32::from(b)
}

#[test]
fn a_lamp_lights_the_corner_of_four_regions() {
    let generations = [
        Generation::McRegion,
        Generation::Numeric(1343),
        Generation::Spanning(1631),
        Generation::Aligned(2586),
        Generation::Root(3955),
        Generation::Root(5023),
    ];

    for generation in generations {
        let mut chunks = level(generation);
        set(&mut chunks, [0, 65, 0], block::TORCH);
        shine(&mut chunks, [0, 65, 0], 14);
        let [day, night, _] = drawn(&files(&chunks, generation));
        let dark = night.at(-15, -15);
        assert!(
            lightness(dark) > 4 * 32 && lightness(dark) * 3 < lightness(day.at(-15, -15)) * 2,
            "{dark:?}"
        );

        for steps in 1..14 {
            let around =
                [(steps, 0), (-steps, 0), (0, steps), (0, -steps)].map(|(x, z)| night.at(x, z));
            assert!(
                around.iter().all(|pixel| *pixel == around[0]),
                "{generation:?}, {steps} steps: {around:?}"
            );
            assert!(lightness(around[0]) >= lightness(night.at(steps + 1, 0)));
        }

        let lit = night.at(0, 0);
        assert!(
            lit[0] > lit[2] && 2 * lightness(lit) >= 3 * lightness(dark) && dark[2] > dark[0],
            "{lit:?} {dark:?}"
        );
    }
}

#[test]
fn light_shines_through_water_glass_and_unlit_chunks() {
    let generation = Generation::Numeric(1343);
    let mut chunks = level(generation);
    for (x, y, block) in [
        (2, 64, block::LAVA),
        (4, 65, block::TORCH),
        (6, 40, block::GLOWSTONE),
    ] {
        set(&mut chunks, [x, y, 2], block);
    }

    set(&mut chunks, [4, 68, 2], block::GLASS);
    set(&mut chunks, [8, 64, 2], block::WATER);
    set(&mut chunks, [8, 63, 2], block::GLOWSTONE);
    let place = Place::of(&files(&chunks, generation));
    let report = render(&place.world(), &place.at("map"), &LAYERS)
        .expect(0, "without light")
        .report();
    let warnings = report["warnings"].as_array().unwrap();

    let is_said = |warning: &serde_json::Value| warning.as_str().unwrap().ends_with("(9 times)");

    assert!(warnings.iter().any(is_said), "{warnings:?}");

    let night = crate::map::Map::at(&place.at("map")).columns_of("overworld", "night");
    let dark = night.at(12, 12);
    for x in [2, 4, 8] {
        assert!(
            lightness(night.at(x, 2)) > lightness(dark) + 4 * 24,
            "{x}: {:?}",
            night.at(x, 2)
        );
    }

    assert_eq!(
        night.at(6, 2),
        dark,
        "a lamp below the ground lights nothing above"
    );

    // No layer needs light, so there is no warning.
    let report = render(
        &place.world(),
        &place.at("day"),
        &["-l", "day", "-l", "cave"],
    )
    .expect(0, "day")
    .report();
    assert_eq!(report["warnings"].as_array().unwrap().len(), 0);
}

#[test]
fn old_lava_that_is_stored_dark_glows() {
    let mut chunks = level(Generation::McRegion);
    set(&mut chunks, [3, 64, 3], block::LAVA);
    for chunk in &mut chunks {
        chunk.set_light(0, 100, 0, 0);
    }
    let [_, night, _] = drawn(&files(&chunks, Generation::McRegion));
    let [r, g, b, _] = night.at(3, 3);
    assert!(r > 180 && r > g && g > b, "{:?}", night.at(3, 3));
}

#[test]
fn caves_show_height_without_trees_or_pockets() {
    let generation = Generation::Root(3955);
    let mut chunks = level(generation);
    let dug = |chunks: &mut Vec<ChunkSpec>, x: i32, low: i32, high: i32, filled: Block| {
        (low..=high).for_each(|y| set(chunks, [x, y, 4], filled));
    };

    dug(&mut chunks, -12, 30, 32, block::AIR);
    dug(&mut chunks, -10, 55, 57, block::CAVE_AIR);
    dug(&mut chunks, -8, 40, 40, block::AIR);
    dug(&mut chunks, -6, 30, 34, block::WATER);
    dug(&mut chunks, -4, 30, 64, block::AIR);
    dug(&mut chunks, -2, 66, 67, block::AIR);

    set(&mut chunks, [-2, 68, 4], block::OAK_PLANKS);
    set(&mut chunks, [0, 68, 4], block::OAK_LEAVES);
    set(&mut chunks, [2, 68, 4], block::GLASS);
    set(&mut chunks, [4, 68, 4], block::OAK_LOG);
    let [day, _, cave] = drawn(&files(&chunks, generation));
    let dim = cave.at(12, 12);
    assert!(dim != CLEAR && lightness(dim) < 4 * 48, "{dim:?}");

    let is_shown = |x: i32| lightness(cave.at(x, 4)) > 4 * 64;
    let shown: Vec<i32> = (-14..8).filter(|x| is_shown(*x)).collect();
    assert_eq!(
        shown,
        [-12, -10, -6, -2],
        "a deep cave, a shallow one, a flooded one and a room under planks"
    );

    assert_ne!(cave.at(-12, 4), cave.at(-10, 4), "of different heights");
    assert!(
        cave.at(-6, 4)[2] > cave.at(-6, 4)[0],
        "water: {:?}",
        cave.at(-6, 4)
    );

    assert_eq!(
        [cave.at(200, 200), day.at(200, 200)],
        [CLEAR; 2],
        "where no chunk is"
    );
}

#[test]
fn the_same_caves_appear_alone_and_across_regions() {
    let place = Place::of(&Files::read_under(&crate::map::fixture("underground")));
    let both = place.draw("both", &["-l", "cave", "-l", "day", "-t", "3"]);
    let alone = place.draw("alone", &["-l", "cave", "-t", "1"]);
    let of = |map: &crate::map::Map| map.columns_of("overworld", "cave");
    let (both, alone) = (of(&both), of(&alone));

    let columns = || (0..192).flat_map(|x| (0..32).map(move |z| (x, z)));
    assert!(columns().all(|(x, z)| both.at(x, z) == alone.at(x, z)));
    assert!(
        columns()
            .filter(|(x, z)| lightness(both.at(*x, *z)) > 4 * 64)
            .count()
            > 2000
    );
}

#[test]
fn caves_of_the_nether_begin_below_the_ground() {
    let generation = Generation::Root(3955);
    let mut chunk = ChunkSpec::new(0, 0, generation);
    chunk.layer(0, 127, block::NETHERRACK);
    chunk.layer(123, 127, block::BEDROCK);

    for (dx, dz) in (0..256).map(|column| (column % 16, column / 16)) {
        chunk.stack(dx, dz, 60, 90, block::AIR);
        if dx < 8 {
            chunk.stack(dx, dz, 30, 34, block::AIR);
        }
    }

    let mut files = land::of_chunks(&[], generation);
    land::put_chunks(&mut files, "DIM-1/region", &[chunk]);

    let place = Place::of(&files);
    let map = place.draw("map", &["-d", "nether", "-l", "cave"]);
    let cave = map.columns_of("the_nether", "cave");
    let (hollow, solid) = (cave.at(3, 3), cave.at(12, 3));
    assert!(
        lightness(hollow) > 4 * 56 && lightness(solid) < 4 * 48,
        "{hollow:?} {solid:?}"
    );
}
