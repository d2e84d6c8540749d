//! Finds out whether bedrock closes a dimension at the top, for dimensions whose kind is unknown.
//!
//! The caller passes some chunks of the dimension. Their topmost blocks decide, and the biomes are
//! a second sign. A flat world of bedrock or a platform in the void does not have a ceiling, because
//! a ceiling has land below it, with a hollow in between.

use std::collections::BTreeMap;

use crate::surface::highest::{UnderCeiling, highest, under_ceiling};
use pixelmap_base::coord::{CHUNK_AREA, YRange};
use pixelmap_world::chunk::Chunk;

/// Every fifth column of a chunk is counted, which visits all rows and all columns of a row.
const STEP: usize = 5;

/// The least percentage of the columns that bedrock must close at one height.
const CLOSED_PERCENT: u32 = 90;
/// The same in the nether, because players remove its ceiling, and build on it.
const CLOSED_NETHER_PERCENT: u32 = 50;
/// The least percentage of the columns that must have a biome of the nether.
const NETHER_PERCENT: u32 = 90;
/// The least percentage of the closed columns that must have land under a hollow.
const LAND_PERCENT: u32 = 25;

const NETHER_BIOMES: [&str; 7] = [
    "minecraft:nether_wastes",
    "minecraft:soul_sand_valley",
    "minecraft:crimson_forest",
    "minecraft:warped_forest",
    "minecraft:basalt_deltas",
    // The name of 1.13 to 1.15, and the one that some tools write.
    "minecraft:nether",
    "minecraft:hell",
];

/// The counted columns of some chunks of a dimension.
#[derive(Debug, Default)]
pub struct ClosedColumns {
    columns: u32,
    /// The columns with a biome of the nether.
    in_nether: u32,
    /// The columns whose topmost block is bedrock, by its height.
    closed: BTreeMap<i32, Closed>,
}

/// The columns that bedrock closes at one height.
#[derive(Debug, Default, Clone, Copy)]
struct Closed {
    columns: u32,
    /// The columns with land under a hollow.
    with_land: u32,
}

impl ClosedColumns {
    /// Counts columns of a chunk.
    pub fn add(&mut self, chunk: &mut Chunk<'_>) {
        let bedrock = chunk.name_cache().block(b"minecraft:bedrock", |_| None);
        for column in (0..CHUNK_AREA).step_by(STEP) {
            self.columns += 1;

            let Some((y, id)) = highest(chunk, column, YRange::ALL) else {
                continue;
            };

            let biome = chunk.biome(column, y);
            let biome = chunk.name_cache().biome_name(biome);
            self.in_nether += u32::from(NETHER_BIOMES.contains(&&*biome));

            if id == bedrock {
                let range = YRange {
                    max: y,
                    ..YRange::ALL
                };
                let below = under_ceiling(chunk, column, range);

                let closed = self.closed.entry(y).or_default();
                closed.columns += 1;
                closed.with_land += u32::from(matches!(below, UnderCeiling::Land(..)));
            }
        }
    }

    /// Returns the height of the bedrock that closes the dimension; `None`: the dimension is open at
    /// the top, or no column was counted.
    pub fn ceiling_y(&self) -> Option<i32> {
        let (&y, closed) = self
            .closed
            .iter()
            .max_by_key(|(_, closed)| closed.columns)?;
        let is_nether = self.in_nether * 100 >= self.columns * NETHER_PERCENT;
        let least = if is_nether {
            CLOSED_NETHER_PERCENT
        } else {
            CLOSED_PERCENT
        };

        let is_closed = closed.columns * 100 >= self.columns * least
            && closed.with_land * 100 >= closed.columns * LAND_PERCENT;
        is_closed.then_some(y)
    }
}
