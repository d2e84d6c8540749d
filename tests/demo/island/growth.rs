//! Makes trees as puffs of leaves, and the plants between them.

use super::canvas::Canvas;
use super::ground::chance;
use super::land::{Column, Land, SEA, Zone};
use super::noise::noise;
use crate::world::block::{self, Block};
use crate::world::seed::of_place;

/// The side of the square in which at most one tree stands.
const PLOT: i32 = 5;

/// Plants the tree of a plot, if it has one. `is_free` returns whether nothing is built on a
/// column.
pub fn tree(
    canvas: &mut Canvas,
    land: &Land,
    plot: (i32, i32),
    is_free: impl Fn(i32, i32) -> bool,
) {
    let hash = of_place(plot.0, plot.1, 60);
    let (x, z) = (
        plot.0 * PLOT + (hash % 4) as i32,
        plot.1 * PLOT + (hash >> 8 & 3) as i32,
    );
    let column = land.at(x, z);
    let around = [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)];
    if column.is_wet() || around.iter().any(|(dx, dz)| !is_free(x + dx, z + dz)) {
        return;
    }

    let (ground, tall) = (column.height, (hash >> 16 & 1) as i32);
    let kind = (hash >> 24) as f64 / f64::from(1_u32 << 24) % 1.0;
    let luck = chance(plot.0, plot.1, 61);
    match column.zone {
        Zone::Oak if luck < 0.10 => birch(canvas, x, ground, z, tall),
        Zone::Oak if luck < 0.80 => oak(canvas, x, ground, z, tall + (hash >> 30 & 1) as i32),
        Zone::Birch if luck < 0.80 => birch(canvas, x, ground, z, tall),
        Zone::Dark if luck < 0.92 => dark_oak(canvas, x, ground, z, tall),
        Zone::Taiga if luck < 0.72 => spruce(canvas, x, ground, z, tall + 1, column.is_cold),
        Zone::Snow if luck < 0.5 => spruce(canvas, x, ground, z, tall, column.is_cold),
        Zone::Rock if luck < 0.22 && ground < 104 => {
            spruce(canvas, x, ground, z, tall, column.is_cold);
        }
        Zone::Cherry if luck < 0.66 => puff(
            canvas,
            x,
            ground + 5,
            z,
            3,
            (block::CHERRY_LOG, block::CHERRY_LEAVES),
        ),
        Zone::Autumn if luck < 0.75 => poplar(canvas, x, ground, z, kind, tall),
        Zone::Swamp if luck < 0.35 => oak(canvas, x, ground, z, 1),
        Zone::Plains if luck < 0.075 => oak(canvas, x, ground, z, tall),
        Zone::Flowers if luck < 0.05 => birch(canvas, x, ground, z, tall),
        Zone::Badlands if luck < 0.30 && ground > 88 => oak(canvas, x, ground, z, 0),
        _ => {}
    }
}

/// A round crown around a height, on a trunk down to the ground below.
fn puff(canvas: &mut Canvas, x: i32, middle: i32, z: i32, radius: i32, wood: (Block, Block)) {
    let reach = radius * radius + radius / 2;
    for dy in -1..=radius {
        for dz in -radius..=radius {
            for dx in -radius..=radius {
                let away = dx * dx + dz * dz + dy * dy * 3 / 2;
                let ragged = (of_place(x + dx, z + dz, 62) >> 8 & 1) as i32;
                if away <= reach - ragged * radius / 2 {
                    canvas.set_in_air(x + dx, middle + dy, z + dz, wood.1);
                }
            }
        }
    }

    trunk(canvas, x, middle, z, wood.0);
}

/// A trunk from below a crown down to the first block that is there.
fn trunk(canvas: &mut Canvas, x: i32, top: i32, z: i32, log: Block) {
    canvas.set(x, top, z, log);
    for y in (top - 12..top).rev() {
        let there = canvas.get(x, y, z);
        if there != block::AIR && !there.name.ends_with("_leaves") && there.name != block::SNOW.name
        {
            return;
        }
        canvas.set(x, y, z, log);
    }
}

fn oak(canvas: &mut Canvas, x: i32, ground: i32, z: i32, tall: i32) {
    puff(
        canvas,
        x,
        ground + 4 + tall,
        z,
        2 + (tall > 1) as i32,
        (block::OAK_LOG, block::OAK_LEAVES),
    );
}

fn birch(canvas: &mut Canvas, x: i32, ground: i32, z: i32, tall: i32) {
    puff(
        canvas,
        x,
        ground + 5 + tall,
        z,
        2,
        (block::BIRCH_LOG, block::BIRCH_LEAVES),
    );
}

fn dark_oak(canvas: &mut Canvas, x: i32, ground: i32, z: i32, tall: i32) {
    puff(
        canvas,
        x,
        ground + 5 + tall,
        z,
        3,
        (block::DARK_OAK_LOG, block::DARK_OAK_LEAVES),
    );
}

fn poplar(canvas: &mut Canvas, x: i32, ground: i32, z: i32, kind: f64, tall: i32) {
    let leaves = match () {
        () if kind < 0.45 => block::ORANGE_POPLAR_LEAVES,
        () if kind < 0.8 => block::YELLOW_POPLAR_LEAVES,
        () => block::RED_POPLAR_LEAVES,
    };

    for height in [4, 6, 8] {
        puff(
            canvas,
            x,
            ground + height + tall,
            z,
            2,
            (block::POPLAR_LOG, leaves),
        );
    }
}

/// A cone of branches, wide and narrow in turn.
fn spruce(canvas: &mut Canvas, x: i32, ground: i32, z: i32, tall: i32, is_cold: bool) {
    let top = ground + 7 + tall;
    for (down, radius) in [(0, 0), (1, 1), (2, 1), (3, 2), (4, 1), (5, 2)] {
        for dz in -radius..=radius {
            for dx in -radius..=radius {
                if i32::abs(dx) + i32::abs(dz) <= radius + radius / 2 {
                    canvas.set_in_air(x + dx, top - down, z + dz, block::SPRUCE_LEAVES);
                }
            }
        }
    }

    trunk(canvas, x, top - 1, z, block::SPRUCE_LOG);

    if is_cold {
        for (dx, dz) in [
            (0, 0),
            (1, 0),
            (0, 1),
            (-1, 0),
            (0, -1),
            (2, 0),
            (0, 2),
            (-2, 0),
            (0, -2),
            (1, 1),
            (-1, -1),
        ] {
            let y = top
                - i32::abs(dx)
                - i32::abs(dz)
                - i32::from(i32::abs(dx) == 2 || i32::abs(dz) == 2);

            if chance(x + dx, z + dz, 66) < 0.45
                && canvas.get(x + dx, y, z + dz) == block::SPRUCE_LEAVES
            {
                canvas.set_in_air(x + dx, y + 1, z + dz, block::SNOW);
            }
        }
    }
}

/// Grass, flowers, cacti and reeds on a column that is still free.
pub fn plant(canvas: &mut Canvas, land: &Land, x: i32, z: i32) {
    let column = land.at(x, z);
    let y = column.height + 1;
    if column.is_wet() {
        if column.zone == Zone::River && column.height == SEA - 1 && chance(x, z, 63) < 0.04 {
            canvas.set(x, y + 1, z, block::LILY_PAD);
        }
        return;
    }

    if canvas.get(x, y, z) != block::AIR {
        return;
    }

    if let Some(plant) = plant_of(column, x, z) {
        canvas.set(x, y, z, plant);
        if plant == block::CACTUS {
            canvas.set(x, y + 1, z, plant);
        }
    }
}

fn plant_of(column: Column, x: i32, z: i32) -> Option<Block> {
    let luck = chance(x, z, 64);
    let patch = noise(f64::from(x), f64::from(z), 13.0, 2, 65);
    let grass = |share: f64| (luck < share * (0.6 + patch)).then_some(block::SHORT_GRASS);

    match column.zone {
        Zone::Plains => flower(luck * 40.0, patch).or_else(|| grass(0.30)),
        Zone::Flowers => flower(luck * 1.9, patch).or_else(|| grass(0.8)),
        Zone::Oak | Zone::Dark => grass(0.18),
        Zone::Birch => flower(luck * 60.0, patch).or_else(|| grass(0.18)),
        Zone::Swamp => grass(0.3),
        Zone::Taiga => (luck < 0.10 + 0.10 * patch).then_some(block::FERN),
        Zone::Cherry if luck < 0.30 + 0.3 * patch => Some(block::PINK_PETALS),
        Zone::Autumn if luck < 0.16 + 0.2 * patch => Some(block::WILDFLOWERS),
        Zone::Desert if luck < 0.004 => Some(block::CACTUS),
        Zone::Desert | Zone::Badlands if (0.004..0.009).contains(&luck) => Some(block::DEAD_BUSH),
        _ => None,
    }
}

/// A flower of the patch's kind.
fn flower(luck: f64, patch: f64) -> Option<Block> {
    let kinds = [
        block::CORNFLOWER,
        block::ALLIUM,
        block::POPPY,
        block::DANDELION,
        block::OXEYE_DAISY,
        block::AZURE_BLUET,
        block::POPPY,
    ];
    let kind = ((patch + 1.0) * 4.5).clamp(0.0, 100.0) as usize % kinds.len();
    (luck < 1.0).then_some(kinds[kind])
}
