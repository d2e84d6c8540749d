//! Fills the columns: rock, soil, water, ice, and plants that stand or float.

use super::canvas::Canvas;
use super::land::{Column, Land, SEA, VOLCANO, Zone};
use super::noise::{distance, noise, rise};
use crate::world::biome::{self, Biome};
use crate::world::block::{self, Block};
use crate::world::chunk::Generation;
use crate::world::seed::of_place;

/// The lowest block that is stored.
const BOTTOM: i32 = 32;
/// The height of the lava in the volcano.
const CRATER: i32 = 85;

/// Fills every column of the land.
pub fn fill(canvas: &mut Canvas, land: &Land, x: i32, z: i32) {
    let column = land.at(x, z);
    canvas.set_biome(x, z, biome_of(column, canvas.generation(x >> 4)));
    let (top, below) = soil(column, x, z);
    let soil_from = (column.height - 3).max(BOTTOM);
    canvas.stack(x, z, BOTTOM, soil_from - 1, block::STONE);

    if column.zone == Zone::Badlands {
        for y in soil_from - 14..column.height {
            canvas.set(x, y, z, band(y));
        }
    } else {
        canvas.stack(x, z, soil_from, column.height - 1, below);
    }

    canvas.set(x, column.height, z, top);

    if column.is_wet() {
        water(canvas, column, x, z);
    } else if column.zone == Zone::Volcano {
        lava(canvas, column, x, z);
    } else if column.is_cold && !matches!(column.zone, Zone::Beach) {
        cover_with_snow(canvas, column, x, z);
    }
}

/// A number in 0..1 that scatters evenly.
pub fn chance(x: i32, z: i32, salt: u64) -> f64 {
    (of_place(x, z, salt) >> 40) as f64 / f64::from(1 << 24)
}

fn spots(x: i32, z: i32, width: f64, salt: u64) -> f64 {
    noise(f64::from(x), f64::from(z), width, 3, salt)
}

/// The highest block of the ground, and the few below it.
fn soil(column: Column, x: i32, z: i32) -> (Block, Block) {
    let earth = |top: Block| (top, block::DIRT);

    match column.zone {
        Zone::Sea => sea_floor(column, x, z),
        Zone::River => {
            let bed = if spots(x, z, 11.0, 40) > 0.3 {
                block::CLAY
            } else {
                block::GRAVEL
            };

            let bed = if spots(x, z, 14.0, 41) > 0.15 {
                block::SAND
            } else {
                bed
            };

            (bed, block::DIRT)
        }
        Zone::Beach => (block::SAND, block::SAND),
        Zone::Desert => (block::SAND, block::SANDSTONE),
        Zone::Rock => (rock(column, x, z), block::STONE),
        Zone::Volcano => {
            let dark = if spots(x, z, 9.0, 42) > 0.25 {
                block::ANDESITE
            } else {
                block::BLACKSTONE
            };

            (
                if column.height <= SEA + 1 {
                    block::GRAVEL
                } else {
                    dark
                },
                block::STONE,
            )
        }
        Zone::Badlands => {
            let is_low = column.height < 70;

            let is_green = column.height > 88 && spots(x, z, 22.0, 43) > -0.1;
            let table = if is_green {
                block::COARSE_DIRT
            } else {
                band(column.height)
            };

            (
                if is_low { block::RED_SAND } else { table },
                block::RED_SAND,
            )
        }
        Zone::Taiga | Zone::Snow if spots(x, z, 18.0, 44) > 0.5 => earth(block::PODZOL),
        Zone::Autumn if spots(x, z, 15.0, 45) > 0.55 => earth(block::COARSE_DIRT),
        _ => earth(block::GRASS_BLOCK),
    }
}

fn sea_floor(column: Column, x: i32, z: i32) -> (Block, Block) {
    let patch = spots(x, z, 24.0, 46);
    let depth = SEA - column.height;
    match () {
        () if depth < 5 && patch < 0.6 => (block::SAND, block::SAND),
        () if patch > 0.35 => (block::GRAVEL, block::GRAVEL),
        () if patch < -0.55 && depth < 14 => (block::CLAY, block::DIRT),
        () if depth > 15 && patch < 0.0 => (block::DIRT, block::DIRT),
        () => (block::SAND, block::SAND),
    }
}

fn rock(column: Column, x: i32, z: i32) -> Block {
    let patch = spots(x, z, 16.0, 47);
    match () {
        () if patch > 0.5 => block::ANDESITE,
        () if patch < -0.6 => block::GRAVEL,
        () if column.height < 100 && patch > 0.1 => block::GRASS_BLOCK,
        () => block::STONE,
    }
}

/// The layers of the badlands.
fn band(y: i32) -> Block {
    match of_place(y.div_euclid(2), 0, 48) % 9 {
        0..3 => block::ORANGE_TERRACOTTA,
        3..5 => block::TERRACOTTA,
        5 => block::RED_TERRACOTTA,
        6 => block::YELLOW_TERRACOTTA,
        7 => block::WHITE_TERRACOTTA,
        _ => block::LIGHT_GRAY_TERRACOTTA,
    }
}

/// Water up to the sea's surface, ice in the cold, plants where the generation has them.
fn water(canvas: &mut Canvas, column: Column, x: i32, z: i32) {
    canvas.stack(x, z, column.height + 1, SEA, block::WATER);

    let floes = 1.2 * spots(x, z, 22.0, 49) + f64::from(-z - 222) / 55.0;
    if column.is_cold && floes > 0.0 {
        canvas.set(x, SEA, z, block::ICE);
        if floes > 1.15 && spots(x, z, 12.0, 50) > 0.45 {
            canvas.stack(x, z, SEA, SEA + 1 + (floes * 1.4) as i32, block::PACKED_ICE);
        }
        return;
    }

    // Plants become rare towards the strips without water plants, so that the border is invisible.
    let (depth, modern) = (SEA - column.height, rise(-96.0, 10.0, f64::from(x)));
    let (kind, many) = (spots(x, z, 30.0, 51), chance(x, z, 52));
    if depth >= 6 && kind > 0.32 && many < 0.34 * modern {
        let top = SEA - 1 - (many * 9.0) as i32;
        canvas.stack(x, z, column.height + 1, top - 1, block::KELP_PLANT);
        canvas.set(x, top.max(column.height + 1), z, block::KELP);
    } else if depth >= 3 && kind < 0.1 && many < 0.30 * modern && column.zone == Zone::Sea {
        canvas.set(x, column.height + 1, z, block::SEAGRASS);
    }
}

fn lava(canvas: &mut Canvas, column: Column, x: i32, z: i32) {
    let (dx, dz) = (f64::from(x) - VOLCANO.0, f64::from(z) - VOLCANO.1);
    let away = distance(f64::from(x), f64::from(z), VOLCANO);
    let wander = 2.5 * noise(f64::from(x), f64::from(z), 14.0, 2, 53);
    let is_stream = dx < 0.0 && (dz - dx * 0.45 + wander).abs() < 1.7 && away < 29.0;
    if away + wander < 7.5 {
        canvas.stack(x, z, CRATER + 1, column.height, block::AIR);
        canvas.stack(x, z, CRATER - 3, CRATER, block::LAVA);
    } else if is_stream {
        canvas.set(x, column.height, z, block::LAVA);
    } else if away < 12.0 && chance(x, z, 54) < 0.4 {
        canvas.set(x, column.height, z, block::MAGMA_BLOCK);
    }
}

fn cover_with_snow(canvas: &mut Canvas, column: Column, x: i32, z: i32) {
    let is_high = column.height > 118 || column.zone == Zone::Rock && spots(x, z, 8.0, 55) > 0.25;
    if is_high {
        canvas.set(x, column.height, z, block::SNOW_BLOCK);
    } else {
        canvas.set(x, column.height + 1, z, block::SNOW);
    }
}

/// Returns the biome of a column, with a name and number that its generation has.
fn biome_of(column: Column, generation: Generation) -> Biome {
    let is_new = matches!(generation, Generation::Root(_));
    let version = generation.data_version().unwrap_or(0);

    match column.zone {
        Zone::Sea if SEA - column.height > 16 => biome::DEEP_OCEAN,
        Zone::Sea | Zone::Volcano => biome::OCEAN,
        Zone::River => biome::RIVER,
        Zone::Beach => biome::BEACH,
        Zone::Flowers => biome::FLOWER_FOREST,
        Zone::Cherry if version >= 3442 => biome::CHERRY_GROVE,
        Zone::Autumn if version >= 4910 => biome::DAPPLED_FOREST,
        Zone::Oak | Zone::Cherry | Zone::Autumn => biome::FOREST,
        Zone::Birch => biome::BIRCH_FOREST,
        Zone::Dark => biome::DARK_FOREST,
        Zone::Snow => biome::SNOWY_TAIGA,
        Zone::Rock if is_new && !column.is_cold => biome::MEADOW,
        Zone::Rock | Zone::Taiga => biome::TAIGA,
        Zone::Desert => biome::DESERT,
        Zone::Badlands => biome::BADLANDS,
        Zone::Swamp => biome::SWAMP,
        Zone::Plains => biome::PLAINS,
    }
}
