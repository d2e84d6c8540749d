//! Tests statements from the description of look 1.

use std::collections::BTreeSet;

use crate::map::land::{BY_COLUMN, Column};
use crate::map::{Map, NATIVE, Place, fixture, land, look, render};
use crate::world::seed::of_place;
use crate::world::{Block, ChunkSpec, Files, Generation, RegionSpec, biome, block};

const STONE: &str = "minecraft:stone";

/// Ground that rises to the east and to the south, gently and steeply.
const RISES: [i32; 17] = [0, 0, 0, 1, 0, 0, 1, 1, 2, 5, 0, 0, -1, 0, -1, -2, -6];

fn stairs(at: i32) -> i32 {
    (1..=at)
        .map(|step| RISES[step as usize % RISES.len()])
        .sum()
}

/// Blocks that differ from stone only in their colour.
fn plain_blocks() -> Vec<Block> {
    let is_plain = |block: &Block| block.properties.is_empty() && look::is_plain(block.name);
    let blocks: Vec<Block> = block::NUMBERED.iter().copied().filter(is_plain).collect();
    assert!(
        blocks.len() > 24 && blocks[..24].contains(&block::SAND),
        "{blocks:?}"
    );
    blocks
}

#[test]
fn a_staircase_gives_exactly_the_factors_of_relief() {
    let height = |x: i32, z: i32| 64 + stairs(x) + stairs(z);

    // Stone in the north, then every block on every step, because a wrong factor may affect only
    // one of them.
    let grounds = plain_blocks();

    let ground = |x: i32, z: i32| {
        if z < 32 {
            block::STONE
        } else {
            grounds[(x * 5 + z) as usize % grounds.len()]
        }
    };

    let column = |x, z| Some(Column::of(height(x, z), ground(x, z)));

    let map = Place::of(&land::world([0, 0, 128, 128], (0, 0), BY_COLUMN, column))
        .draw("map", &[])
        .columns();
    let (mut seen, mut shades) = (BTreeSet::new(), BTreeSet::new());
    for (x, z) in (0..128).flat_map(|z| (0..128).map(move |x| (x, z))) {
        let factor = look::factor(|x, z| (x >= 0 && z >= 0).then(|| height(x, z)), x, z);
        let ground = ground(x, z);
        assert_eq!(
            map.at(x, z),
            look::shaded(look::plain(ground.name), factor),
            "column {x}, {z}"
        );
        seen.insert(factor);

        if ground == block::STONE {
            shades.insert(map.at(x, z));
        }
    }

    assert_eq!(seen.into_iter().collect::<Vec<_>>(), look::FACTORS);
    assert_eq!(
        shades.len(),
        9,
        "the factors as shades of stone: {shades:?}"
    );
}

#[test]
fn a_missing_neighbour_counts_as_level_ground() {
    // Chunks of a chessboard over four regions, the inner ones on a slope to the east.
    let height = |x: i32, z: i32| {
        let there = (x.div_euclid(16) + z.div_euclid(16)).rem_euclid(2) == 0;
        there.then(|| 64 + x.rem_euclid(16))
    };

    let files = land::world([-64, -64, 64, 64], (0, 0), BY_COLUMN, |x, z| {
        Some(Column::of(height(x, z)?, block::STONE))
    });
    let map = Place::of(&files).draw("map", &[]).columns();
    let shade = |factor: u32| look::shaded(look::plain(STONE), factor);

    for (x, z) in (-48..48)
        .flat_map(|z| (-48..48).map(move |x| (x, z)))
        .filter(|&(x, z)| height(x, z).is_some())
    {
        assert_eq!(
            map.at(x, z),
            shade(look::factor(height, x, z)),
            "column {x}, {z}"
        );

        if x.rem_euclid(16) < 2 {
            assert_eq!(
                map.at(x, z),
                shade(look::LEVEL),
                "west of {x} nothing is stored"
            );
        }
    }
}

#[test]
fn water_depth_has_eight_levels() {
    // Terraces of six columns, so that the floor at the end of each is level, and a few rows of
    // each floor.
    let floors = plain_blocks();
    let (depth, floor) = (
        |x: i32| (1 + x / 6).min(30),
        |z: i32| floors[(z / 4) as usize % floors.len()],
    );

    let files = land::world([0, 0, 192, 96], (0, 0), BY_COLUMN, |x, z| {
        Some(Column {
            water_y: Some(64),
            ..Column::of(64 - depth(x), floor(z))
        })
    });

    let map = Place::of(&files).draw("map", &[]).columns();
    for z in (2..96).step_by(4) {
        let floor = floor(z);
        let mut levels = Vec::new();
        for depth in 1..=30 {
            let found = map.at(depth * 6 - 1, z);
            let expected = look::pixel(look::water(
                look::plain(floor.name),
                biome::PLAINS.name,
                depth as u32,
            ));

            assert_eq!(
                found, expected,
                "{depth} blocks of water over {}",
                floor.name
            );
            levels.push(found);
        }

        if floor == block::SAND {
            let begins = (1..30)
                .filter(|at| levels[*at] != levels[at - 1])
                .map(|at| at + 1)
                .collect::<Vec<_>>();
            assert_eq!(
                begins,
                [2, 3, 4, 6, 9, 14, 22],
                "the depths at which a new level begins"
            );
            assert_eq!(levels.iter().collect::<BTreeSet<_>>().len(), 8);
        }
    }
}

#[test]
fn waterlogged_upper_slabs_are_dry_below_air() {
    let slab = Block::named("minecraft:oak_slab");
    let dry = slab.with(&[("type", "top"), ("waterlogged", "false")]);
    let wet = slab.with(&[("type", "top"), ("waterlogged", "true")]);
    let lower = slab.with(&[("type", "bottom"), ("waterlogged", "true")]);

    let generation = Generation::Root(3955);
    let files = land::world([0, 0, 64, 16], (0, 0), generation, |x, _| {
        let ground = [dry, wet, lower, wet][x as usize / 16];
        Some(Column {
            water_y: (x >= 48).then_some(63),
            ..Column::of(62, ground)
        })
    });

    let map = Place::of(&files).draw("map", &[]).columns();
    let [dry, wet, lower, flooded] = [8, 24, 40, 56].map(|x| map.at(x, 8));
    assert_eq!(dry, wet, "the cell above is air");
    assert_ne!(dry, lower, "water covers a lower slab");
    assert_ne!(dry, flooded, "the cell above is water");
}

#[test]
fn ice_is_darker_over_deep_water() {
    let ice = Block::named("minecraft:ice");
    let mut chunk = ChunkSpec::new(0, 0, Generation::Root(3955));
    chunk.layer(20, 20, block::STONE);
    chunk.layer(61, 61, block::STONE);
    chunk.layer(62, 62, ice);
    let over_stone = land::of_chunks(&[chunk], Generation::Root(3955));

    let mut chunk = ChunkSpec::new(0, 0, Generation::Root(3955));
    chunk.layer(20, 20, block::STONE);
    chunk.layer(21, 61, block::WATER);
    chunk.layer(62, 62, ice);
    let over_sea = land::of_chunks(&[chunk], Generation::Root(3955));

    let [stone, sea] =
        [over_stone, over_sea].map(|files| Place::of(&files).draw("map", &[]).columns().at(8, 8));
    let brightness = |[r, g, b, _]: [u8; 4]| u32::from(r) + 2 * u32::from(g) + u32::from(b);
    assert!(
        brightness(sea) + 4 * 12 < brightness(stone),
        "{sea:?} and {stone:?}"
    );
}

#[test]
fn a_biome_border_ramps_over_nine_columns() {
    let ramp = |border: i32| {
        let files = land::world(
            [border - 32, 0, border + 32, 32],
            (0, 0),
            BY_COLUMN,
            |x, _| {
                let biome = if x < border {
                    biome::BADLANDS
                } else {
                    biome::SWAMP
                };

                Some(Column {
                    biome,
                    ..Column::of(64, block::GRASS_BLOCK)
                })
            },
        );

        let map = Place::of(&files).draw("map", &[]).columns();
        (-16..16)
            .map(|x| map.at(border + x, 16))
            .collect::<Vec<_>>()
    };

    let edge = ramp(0);
    for (x, found) in (-16..16).zip(&edge) {
        let names: Vec<_> = (x - 4..=x + 4)
            .map(|x| {
                if x < 0 {
                    biome::BADLANDS.name
                } else {
                    biome::SWAMP.name
                }
            })
            .collect();

        let ground = look::tinted("minecraft:grass_block", look::mean_of_grass(&names));
        assert_eq!(
            *found,
            look::shaded(ground, look::LEVEL),
            "{x} columns east of the border"
        );
    }

    assert!(
        edge[..12].iter().all(|pixel| *pixel == edge[0])
            && edge[20..].iter().all(|pixel| *pixel == edge[31])
    );
    assert_ne!(edge[0], edge[31]);
    assert_eq!(ramp(256), edge, "inside a region");
    assert_eq!(ramp(512 - 16), edge, "a chunk before the edge");
}

#[test]
fn greys_stay_grey_at_every_zoom() {
    let corners = [(0, 0), (2, 0), (0, 2), (3, 3)];
    let files = corners.iter().fold(Vec::new(), |mut chunks, (rx, rz)| {
        for (dx, dz) in [(-1, -1), (0, -1), (-1, 0), (0, 0)] {
            let (x, z) = (rx * 32 + dx, rz * 32 + dz);
            let mut chunk = ChunkSpec::new(x, z, BY_COLUMN);
            for column in 0..256 {
                let height =
                    60 + (of_place(x * 16 + column % 16, z * 16 + column / 16, 1) % 12) as i32;
                chunk.set(
                    column as usize % 16,
                    height,
                    column as usize / 16,
                    block::STONE,
                );
            }

            chunks.push(chunk);
        }

        chunks
    });

    let pictures = Place::of(&land::of_chunks(&files, BY_COLUMN))
        .draw("map", &[])
        .pictures("overworld");
    assert!(pictures.keys().any(|(zoom, ..)| *zoom < NATIVE));

    for (tile, pixels) in pictures {
        let coloured = pixels.iter().find(|[r, g, b, _]| r != g || g != b);
        assert_eq!(coloured, None, "{tile:?}");
    }
}

#[test]
fn stored_heights_change_no_pixel() {
    for name in ["heights-too-high", "heights-too-low"] {
        let place = Place::empty();
        let wrong = place.at("wrong");
        render(&fixture(name), &wrong, &[]).expect(0, name);
        let mut region = RegionSpec::new(0, 0);
        let generations = [
            Generation::McRegion,
            Generation::Numeric(1343),
            Generation::Spanning(1631),
            Generation::Aligned(2586),
            Generation::Root(3955),
        ];

        for (x, generation) in generations.into_iter().enumerate() {
            for z in 0..2 {
                region.put(&crate::world::fixture::landscape(x as i32, z, generation));
            }
        }

        let files = Files::of_regions([region]);
        let other = Place::of(&files);
        let right = other
            .draw("right", &["-d", "overworld"])
            .pictures("overworld");
        assert!(
            right.len() == 1 && Map::at(&wrong).pictures("overworld") == right,
            "{name}"
        );
    }
}

#[test]
fn any_amount_of_glass_is_transparent() {
    // Five panes or five sections. Between them may be something else, and below is land or a lake.
    let world = |panes: i32| {
        let mut region = RegionSpec::new(0, 0);
        for (x, between) in [block::AIR, block::TORCH, block::WATER, block::STONE]
            .into_iter()
            .enumerate()
        {
            let mut chunk = ChunkSpec::new(x as i32, 0, Generation::Root(3955));
            chunk.layer(0, 9, block::SAND);

            for column in 0..16 {
                let surface = if column % 2 == 0 {
                    block::WATER
                } else {
                    block::STONE
                };

                chunk.stack(column, 3, 10, 14, surface);
                chunk.stack(column, 3, 20, 19 + panes, block::GLASS);
                chunk.stack(column, 4, 20, 19 + panes, block::GLASS);

                // Water down to the land, in one section. It has all depths that the look
                // distinguishes, or more.
                let top = if panes < 20 { 18 } else { 19 + panes };
                chunk.stack(column, 5, 15, top, block::GLASS);
                chunk.stack(column, 6, 15, top, block::GLASS);
                chunk.set(column, 14, 6, block::WET_SLAB);
            }

            chunk.stack(3, 4, 20, 30, between);
            region.put(&chunk);
        }

        let files = Files::of_regions([region]);

        Place::of(&files).draw("map", &[]).columns()
    };

    let (few, many) = (world(16), world(180));
    for (x, z) in (0..64).flat_map(|x| (0..16).map(move |z| (x, z))) {
        assert_eq!(few.at(x, z), many.at(x, z), "column {x}, {z}");
    }
}
