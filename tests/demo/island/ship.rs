//! Builds a ship under sail south of the pier, and two boats.

use super::land::SEA;
use super::site::Site;
use crate::world::block::{self, Block};

/// The ship's middle, and its course: a vector of length one.
const MIDDLE: (f64, f64) = (58.0, 246.0);
const COURSE: (f64, f64) = (0.96, -0.28);
/// Half the ship's length.
const HALF: f64 = 23.0;

/// Builds ship and boats.
pub fn build(site: &mut Site<'_>) {
    for z in (MIDDLE.1 - HALF) as i32..=(MIDDLE.1 + HALF) as i32 {
        for x in (MIDDLE.0 - HALF) as i32 - 2..=(MIDDLE.0 + HALF) as i32 + 4 {
            let (dx, dz) = (f64::from(x) + 0.5 - MIDDLE.0, f64::from(z) + 0.5 - MIDDLE.1);
            let along = dx * COURSE.0 + dz * COURSE.1;
            let across = dz * COURSE.0 - dx * COURSE.1;
            column(site, x, z, along, across);
        }
    }

    for (x, z) in [(-4, 232), (7, 234)] {
        for dz in 0..4 {
            site.canvas.set(x, SEA + 1, z + dz, block::SPRUCE_PLANKS);
            site.canvas.set(
                x + 1,
                SEA + 1,
                z + dz,
                if dz % 2 == 0 {
                    block::OAK_PLANKS
                } else {
                    block::SPRUCE_PLANKS
                },
            );
        }
    }
}

/// Half the width of the hull: pointed at the bow, broad at the stern.
fn beam(along: f64) -> f64 {
    let at = along / HALF;
    if at > 0.0 {
        5.8 * (1.0 - at * at * at)
    } else {
        5.8 * (1.0 - at * at * 0.4)
    }
}

fn column(site: &mut Site<'_>, x: i32, z: i32, along: f64, across: f64) {
    let aside = across.abs();
    if along.abs() <= HALF && aside <= beam(along) {
        let is_board = aside > beam(along) - 1.1 || along < 1.0 - HALF;
        let is_castle = along < -11.5;
        let deck = if is_castle { SEA + 5 } else { SEA + 2 };
        site.canvas
            .stack(x, z, SEA - 2, deck - 1, block::SPRUCE_PLANKS);

        let planks = if (across + 40.0) as i32 % 2 == 0 {
            block::OAK_PLANKS
        } else {
            block::BIRCH_PLANKS
        };

        site.canvas.set(
            x,
            deck,
            z,
            if is_board {
                block::SPRUCE_PLANKS
            } else {
                planks
            },
        );

        if is_board {
            site.canvas.set(x, deck + 1, z, block::DARK_OAK_PLANKS);
        }

        site.take(x, z);
    }

    if aside < 0.8 && along > HALF - 2.0 && along < HALF + 4.0 {
        site.canvas.set(x, SEA + 4, z, block::OAK_LOG_ALONG_X);
    }

    for (mast, reach, height) in [(11.0, 7.5, 16), (-1.0, 9.5, 20), (-14.0, 6.5, 14)] {
        if (along - mast).abs() < 0.75 && aside < 0.75 {
            site.canvas
                .stack(x, z, SEA + 3, SEA + height + 3, block::OAK_LOG);
        }

        let belly = 1.4 + 3.2 * (1.0 - across * across / (reach * reach));
        let ahead = along - mast;
        if aside < reach && ahead > 0.2 && ahead < belly {
            let bulge = ((belly - ahead) * 1.2) as i32;
            site.canvas
                .stack(x, z, SEA + 8, SEA + height - bulge, cloth(across));
        }
    }
}

/// White sails with red stripes.
fn cloth(across: f64) -> Block {
    if (across + 41.0) as i32 % 4 < 1 {
        block::RED_WOOL
    } else {
        block::WHITE_WOOL
    }
}
