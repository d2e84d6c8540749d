//! Tests that terrain across the border of two regions looks the same as inside one region.

use crate::map::land::{BY_COLUMN, Column};
use crate::map::{Columns, Place, Rgba, land};
use crate::world::seed::of_place;
use crate::world::{Biome, Block, Files, Generation, biome, block};

/// Around the origin, where four regions meet: broken ground, ponds, grass in four biomes.
const AROUND: [i32; 4] = [-48, -48, 48, 48];

fn terrain(x: i32, z: i32) -> Column {
    let biome = match (x >= 1, z >= -2) {
        (false, false) => biome::PLAINS,
        (true, false) => biome::SWAMP,
        (false, true) => biome::BADLANDS,
        (true, true) => biome::TAIGA,
    };

    let y = 60 + (of_place(x, z, 3) % 9) as i32;
    let is_pond = of_place(x.div_euclid(5), z.div_euclid(5), 4).is_multiple_of(3);
    let ground: Block =
        [block::GRASS_BLOCK, block::STONE, block::OAK_LEAVES][(of_place(x, z, 5) % 3) as usize];
    Column {
        water_y: (is_pond && y < 66).then_some(66),
        biome,
        ..Column::of(y, ground)
    }
}

fn built(by: (i32, i32), generation: Generation) -> Files {
    land::world(AROUND, by, generation, |x, z| Some(terrain(x, z)))
}

fn columns(files: &Files, options: &[&str]) -> Columns {
    Place::of(files).draw("map", options).columns()
}

/// The pixels of the terrain in a map in which it is moved by `by`.
fn picture(map: &Columns, by: (i32, i32)) -> Vec<Rgba> {
    let [x0, z0, x1, z1] = AROUND;
    (z0..z1)
        .flat_map(|z| (x0..x1).map(move |x| (x, z)))
        .map(|(x, z)| map.at(x + by.0, z + by.1))
        .collect()
}

fn assert_same_picture(what: &str, one: &[Rgba], other: &[Rgba]) {
    let wrong = one.iter().zip(other).position(|(one, other)| one != other);
    let width = AROUND[2] - AROUND[0];
    let place = wrong.map(|at| (AROUND[0] + at as i32 % width, AROUND[1] + at as i32 / width));
    assert_eq!(place, None, "{what}: the first column that differs");
}

#[test]
fn borders_of_regions_are_invisible() {
    for generation in [
        BY_COLUMN,
        Generation::Root(3955),
        Generation::Spanning(1631),
    ] {
        let across = picture(&columns(&built((0, 0), generation), &[]), (0, 0));
        assert!(
            across
                .iter()
                .collect::<std::collections::BTreeSet<_>>()
                .len()
                > 50,
            "much is to be seen"
        );

        for by in [
            (256, 256),
            (-1024 + 16 * 7, 16 * 9),
            (512, 240),
            (240, -1024),
        ] {
            let moved = picture(&columns(&built(by, generation), &[]), by);
            assert_same_picture(&format!("{generation:?} moved by {by:?}"), &across, &moved);
        }
    }
}

#[test]
fn a_region_looks_the_same_without_its_neighbours() {
    let place = Place::of(&built((0, 0), BY_COLUMN));
    let all = place.draw("all", &[]).columns();
    for (name, area) in [
        ("nw", [-512, -512, 0, 0]),
        ("ne", [0, -512, 512, 0]),
        ("sw", [-512, 0, 0, 512]),
        ("se", [0, 0, 512, 512]),
    ] {
        let text = area.map(|n| n.to_string()).join(",");

        let alone = place.draw(name, &["-a", &text]).columns();
        let [x0, z0, x1, z1] = area;
        let inside =
            (z0.max(-48)..z1.min(48)).flat_map(|z| (x0.max(-48)..x1.min(48)).map(move |x| (x, z)));
        for (x, z) in inside {
            assert_eq!(
                alone.at(x, z),
                all.at(x, z),
                "column {x}, {z} drawn with its region alone"
            );
        }
    }
}

/// Both sides of the border affect the tint of every column of grass and water next to it.
#[test]
fn biomes_are_blended_across_four_regions() {
    let level = |biome_of: fn(i32, i32) -> Biome| {
        let files = land::world([-16, -16, 16, 16], (0, 0), BY_COLUMN, |x, z| {
            Some(Column {
                biome: biome_of(x, z),
                ..Column::of(64, block::GRASS_BLOCK)
            })
        });
        columns(&files, &[])
    };

    let corner = |x: i32, z: i32| {
        if x < 0 && z < 0 {
            biome::BADLANDS
        } else {
            biome::PLAINS
        }
    };

    let map = level(corner);
    for (x, z) in [
        (-5, -5),
        (-4, -4),
        (-1, -1),
        (0, 0),
        (3, 3),
        (4, 4),
        (0, -1),
        (-1, 0),
        (3, -6),
        (-6, 3),
    ] {
        let seen: Vec<&str> = (-4..=4)
            .flat_map(|dz| (-4..=4).map(move |dx| corner(x + dx, z + dz).name))
            .collect();
        let tint = crate::map::look::mean_of_grass(&seen);
        let ground = crate::map::look::tinted("minecraft:grass_block", tint);
        let expected = crate::map::look::shaded(ground, crate::map::look::LEVEL);
        assert_eq!(map.at(x, z), expected, "column {x}, {z}");
    }
}
