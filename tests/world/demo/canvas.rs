//! The island's chunks, each in the generation of its strip, and the blocks that generation has.

use std::collections::BTreeMap;

use super::super::biome::Biome;
use super::super::block::{self, Block};
use super::super::chunk::{ChunkSpec, Generation};
use super::super::files::Files;
use super::super::region::RegionSpec;

/// The strips from west to east: the first chunk of the next one, and the generation.
pub const STRIPS: [(i32, Generation); 6] = [
    (-13, Generation::NumericV),
    (-6, Generation::Numeric(1343)),
    (1, Generation::Spanning(1631)),
    (7, Generation::Aligned(2586)),
    (12, Generation::Root(2975)),
    (i32::MAX, Generation::Root(5023)),
];

/// The generation of a chunk's strip.
pub fn generation(chunk_x: i32) -> Generation {
    STRIPS.iter().find(|(end, _)| chunk_x < *end).unwrap().1
}

/// The world while it is built.
#[derive(Debug, Default)]
pub struct Canvas(BTreeMap<(i32, i32), ChunkSpec>);

impl Canvas {
    /// An empty chunk is there from now on.
    pub fn open(&mut self, chunk_x: i32, chunk_z: i32) {
        self.0.insert((chunk_z, chunk_x), ChunkSpec::new(chunk_x, chunk_z, generation(chunk_x)));
    }

    fn chunk(&mut self, x: i32, z: i32) -> Option<&mut ChunkSpec> {
        self.0.get_mut(&(z >> 4, x >> 4))
    }

    /// Puts a block, or what its generation had in its place. Where there is no chunk nothing happens.
    pub fn set(&mut self, x: i32, y: i32, z: i32, block: Block) {
        if let Some(chunk) = self.chunk(x, z) {
            let block = suited(block, chunk.generation);
            chunk.set((x & 15) as usize, y, (z & 15) as usize, block);
        }
    }

    /// Puts blocks from `low` up to and including `high`.
    pub fn stack(&mut self, x: i32, z: i32, low: i32, high: i32, block: Block) {
        for y in low..=high {
            self.set(x, y, z, block);
        }
    }

    /// Puts a block where there is air.
    pub fn set_in_air(&mut self, x: i32, y: i32, z: i32, block: Block) {
        if self.get(x, y, z) == block::AIR {
            self.set(x, y, z, block);
        }
    }

    /// The block at a place.
    pub fn get(&mut self, x: i32, y: i32, z: i32) -> Block {
        self.chunk(x, z).map_or(block::AIR, |chunk| chunk.block((x & 15) as usize, y, (z & 15) as usize))
    }

    /// Gives a column its biome.
    pub fn set_biome(&mut self, x: i32, z: i32, biome: Biome) {
        if let Some(chunk) = self.chunk(x, z) {
            chunk.set_biome((x & 15) as usize, (z & 15) as usize, biome);
        }
    }

    /// The region files.
    pub fn write(&self, folder: &str, files: &mut Files) {
        let mut regions = BTreeMap::new();
        for ((z, x), chunk) in &self.0 {
            let region = regions.entry((z >> 5, x >> 5)).or_insert_with(|| RegionSpec::new(x >> 5, z >> 5));
            region.put(chunk);
        }
        for region in regions.values() {
            files.put_region(folder, region);
        }
    }
}

/// The block under the name, or the like, that a generation has it by.
fn suited(block: Block, generation: Generation) -> Block {
    let version = generation.data_version().unwrap_or(0);
    let is_numeric = generation.is_numeric();
    match block.name {
        "minecraft:short_grass" if version < 3692 => block::OLD_GRASS,
        "minecraft:dirt_path" if version < 100 => block::GRAVEL,
        "minecraft:dirt_path" if version < 2680 => block::OLD_GRASS_PATH,
        "minecraft:cornflower" if version < 1952 => block::BLUE_ORCHID,
        "minecraft:seagrass" | "minecraft:tall_seagrass" | "minecraft:kelp" | "minecraft:kelp_plant" if is_numeric => {
            block::WATER
        }
        // The default state needs no properties: 26.3 writes it as a string.
        "minecraft:grass_block" | "minecraft:podzol" | "minecraft:water" | "minecraft:lava" => {
            Block { properties: &[], ..block }
        }
        _ => block,
    }
}
