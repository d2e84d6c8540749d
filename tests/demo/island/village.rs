//! Builds the village: streets, houses with coloured roofs, fields, a church, cabins farther out, a
//! lighthouse.

use super::land::{LIGHTHOUSE, SEA};
use super::noise::distance;
use super::site::Site;
use crate::world::block::{self, Block};

/// A house: north-west corner, size, roof, and whether the ridge runs from west to east.
type House = (i32, i32, i32, i32, Block, bool);

const HOUSES: [House; 22] = [
    (7, 22, 9, 7, block::BRICKS, true),
    (8, 33, 7, 7, block::SPRUCE_PLANKS, false),
    (-15, 20, 9, 7, block::ORANGE_TERRACOTTA, true),
    (-16, 31, 10, 8, block::STONE_BRICKS, true),
    (-14, 53, 8, 10, block::RED_TERRACOTTA, false),
    (-29, 36, 8, 7, block::SPRUCE_PLANKS, true),
    (-30, 52, 9, 7, block::BRICKS, true),
    (-43, 36, 8, 7, block::YELLOW_TERRACOTTA, false),
    (-44, 52, 9, 7, block::SPRUCE_PLANKS, true),
    (22, 34, 9, 7, block::RED_TERRACOTTA, true),
    (36, 33, 7, 9, block::STONE_BRICKS, false),
    (8, 54, 8, 8, block::SPRUCE_PLANKS, true),
    (-13, 68, 7, 9, block::BRICKS, false),
    (9, 78, 8, 7, block::ORANGE_TERRACOTTA, true),
    (-12, 84, 9, 7, block::SPRUCE_PLANKS, true),
    (50, 36, 8, 7, block::ORANGE_TERRACOTTA, true),
    (-196, -12, 8, 7, block::SPRUCE_PLANKS, true),
    (-182, -15, 7, 8, block::SPRUCE_PLANKS, false),
    (-197, 4, 9, 7, block::BRICKS, true),
    (14, -122, 8, 7, block::SPRUCE_PLANKS, true),
    (1, -133, 9, 7, block::SPRUCE_PLANKS, true),
    (6, 196, 9, 7, block::RED_TERRACOTTA, true),
];

/// Fields: corner, size, crop.
const FIELDS: [(i32, i32, i32, i32, Block); 7] = [
    (23, 54, 15, 11, block::WHEAT),
    (41, 55, 13, 10, block::YOUNG_WHEAT),
    (24, 68, 13, 11, block::CARROTS),
    (40, 68, 15, 12, block::WHEAT),
    (-46, 66, 13, 11, block::WHEAT),
    (-30, 66, 12, 13, block::YOUNG_WHEAT),
    (-31, 20, 11, 9, block::CARROTS),
];

/// The places where players live, x and z, and the hours.
pub const HOMES: [(f64, f64, i64); 5] = [
    (1.0, 45.0, 120),
    (-190.0, -4.0, 9),
    (10.0, -126.0, 4),
    (LIGHTHOUSE.0, LIGHTHOUSE.1, 1),
    (124.0, -88.0, 14),
];

/// Returns whether a place is near enough to have many lamps.
pub fn is_lit(x: i32, z: i32) -> bool {
    distance(f64::from(x), f64::from(z), (0.0, 50.0)) < 105.0
}

/// Builds everything on land.
pub fn build(site: &mut Site<'_>) {
    church(site, 20, 14);

    for house in HOUSES {
        build_house(site, house);
    }

    for field in FIELDS {
        plant_field(site, field);
    }

    square(site, 1, 45);

    let middle = (1.5, 45.5);
    site.path(
        &[
            middle,
            (1.5, 8.0),
            (-3.0, -34.0),
            (8.0, -84.0),
            (10.0, -118.0),
        ],
        3.4,
    );

    site.path(
        &[
            middle,
            (58.0, 48.0),
            (98.0, 36.0),
            (136.0, 52.0),
            (152.0, 70.0),
        ],
        3.4,
    );

    site.path(
        &[
            middle,
            (-50.0, 47.5),
            (-92.0, 44.0),
            (-138.0, 26.0),
            (-188.0, -2.0),
        ],
        3.4,
    );

    site.path(
        &[
            middle,
            (2.0, 96.0),
            (-8.0, 150.0),
            (2.0, 200.0),
            (2.0, 246.0),
        ],
        3.4,
    );

    site.path(&[(2.0, 244.0), (15.0, 244.0)], 3.4);
    lighthouse(site);
}

/// A gabled house on a foot of stone, its roof a block wider than its walls.
fn build_house(site: &mut Site<'_>, (x, z, width, depth, roof, along_x): House) {
    let floor = site.highest(x, z, width, depth);
    for dz in -1..=depth {
        for dx in -1..=width {
            let (bx, bz) = (x + dx, z + dz);
            let is_inside = (0..width).contains(&dx) && (0..depth).contains(&dz);
            if is_inside {
                site.level(bx, bz, floor, block::COBBLESTONE);
                let is_wall = dx == 0 || dz == 0 || dx == width - 1 || dz == depth - 1;

                let is_corner = (dx == 0 || dx == width - 1) && (dz == 0 || dz == depth - 1);
                let wall = if is_corner {
                    block::OAK_LOG
                } else {
                    block::OAK_PLANKS
                };

                if is_wall {
                    site.canvas.stack(bx, bz, floor + 1, floor + 3, wall);
                }
            }

            let (across, span) = if along_x { (dz, depth) } else { (dx, width) };
            let rise = (across + 1).min(span - across);

            let is_ridge =
                across + 1 == span - across || across + 1 == span - across + 1 && span % 2 == 1;
            let top = if is_ridge {
                block::OAK_LOG_ALONG_X
            } else {
                roof
            };

            site.canvas.set(bx, floor + 3 + rise, bz, top);
            site.take(bx, bz);
        }
    }

    // A lamp inside, and one in front of each side.
    site.torches.push([x + width / 2, floor + 1, z + depth / 2]);

    for (dx, dz) in [
        (width / 2, -2),
        (width / 2, depth + 1),
        (-2, depth / 2),
        (width + 1, depth / 2),
    ] {
        let ground = site.land.at(x + dx, z + dz).height;
        site.torches.push([x + dx, ground + 1, z + dz]);
    }

    let chimney = floor + 5 + width.min(depth) / 2;
    site.canvas
        .stack(x + 1, z + 1, floor + 4, chimney, block::COBBLESTONE);
}

/// A long house of stone with a tower under a pointed roof.
fn church(site: &mut Site<'_>, x: i32, z: i32) {
    build_house(site, (x + 6, z, 15, 9, block::STONE_BRICKS, true));

    let floor = site.highest(x, z + 1, 7, 7);
    for dz in 0..7 {
        for dx in 0..7 {
            site.level(x + dx, z + 1 + dz, floor, block::STONE_BRICKS);

            let ring = dx.min(dz).min(6 - dx).min(6 - dz);
            if ring == 0 {
                site.canvas.stack(
                    x + dx,
                    z + 1 + dz,
                    floor + 1,
                    floor + 13,
                    block::STONE_BRICKS,
                );
            } else {
                site.canvas.stack(
                    x + dx,
                    z + 1 + dz,
                    floor + 13,
                    floor + 12 + ring * 3,
                    block::RED_TERRACOTTA,
                );
            }
        }
    }

    site.canvas
        .stack(x + 3, z + 4, floor + 20, floor + 23, block::GLOWSTONE);
}

/// A bed of farmland around a ditch, framed with logs.
fn plant_field(site: &mut Site<'_>, (x, z, width, depth, crop): (i32, i32, i32, i32, Block)) {
    let floor = site.land.at(x + width / 2, z + depth / 2).height;
    for dz in 0..depth {
        for dx in 0..width {
            let is_side = dz == 0 || dz == depth - 1;
            let is_end = dx == 0 || dx == width - 1;
            let top = match () {
                () if is_side => block::OAK_LOG_ALONG_X,
                () if is_end => block::OAK_LOG_ALONG_Z,
                () if dx == width / 2 => block::WATER,
                () => block::FARMLAND,
            };

            site.level(x + dx, z + dz, floor, top);

            if top == block::FARMLAND {
                site.canvas.set(x + dx, floor + 1, z + dz, crop);
            }
        }
    }

    site.canvas
        .stack(x, z, floor + 1, floor + 1, block::HAY_BLOCK);
}

/// Paving around a well.
fn square(site: &mut Site<'_>, x: i32, z: i32) {
    for dz in -7_i32..=7 {
        for dx in -7_i32..=7 {
            let away = dx * dx + dz * dz;
            let floor = site.land.at(x + dx, z + dz).height;
            let is_rim = away < 13;

            let paving = if (dx + dz * 3).rem_euclid(5) == 0 {
                block::COBBLESTONE
            } else {
                block::STONE_BRICKS
            };

            if away < 5 {
                site.level(x + dx, z + dz, floor, block::WATER);
            } else if away < 52 && site.is_free(x + dx, z + dz) {
                site.level(
                    x + dx,
                    z + dz,
                    floor,
                    if is_rim { block::STONE_BRICKS } else { paving },
                );

                if is_rim {
                    site.canvas
                        .set(x + dx, floor + 1, z + dz, block::COBBLESTONE);
                }
            }
        }
    }
}

/// A round tower of red and white rings on its rock.
fn lighthouse(site: &mut Site<'_>) {
    let (x, z) = (LIGHTHOUSE.0 as i32, LIGHTHOUSE.1 as i32);
    let floor = site.land.at(x, z).height.max(SEA + 1);
    for dz in -6..=6 {
        for dx in -6..=6 {
            let away = distance(f64::from(dx), f64::from(dz), (0.0, 0.0));
            if away > 5.6 {
                continue;
            }

            site.take(x + dx, z + dz);

            if away < 3.6 {
                for y in floor..floor + 16 {
                    let ring = if (y - floor) / 4 % 2 == 0 {
                        block::WHITE_WOOL
                    } else {
                        block::RED_WOOL
                    };
                    site.canvas.set(x + dx, y, z + dz, ring);
                }
            }

            if away < 5.0 {
                site.canvas
                    .set(x + dx, floor + 16, z + dz, block::STONE_BRICKS);
            }

            if away < 2.3 {
                site.canvas
                    .stack(x + dx, z + dz, floor + 17, floor + 19, block::GLOWSTONE);
                site.canvas.stack(
                    x + dx,
                    z + dz,
                    floor + 20,
                    floor + 22 - away as i32,
                    block::RED_WOOL,
                );
            }
        }
    }
}
