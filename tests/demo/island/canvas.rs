//! The chunks of the island, each in the generation of its strip, and the blocks of that
//! generation.

use std::collections::BTreeMap;

use super::light::given;
use super::noise::distance;
use super::village::HOMES;
use crate::world::biome::Biome;
use crate::world::block::{self, Block};
use crate::world::chunk::{ChunkSpec, Generation, Heights, cell};
use crate::world::files::Files;
use crate::world::nbt::Tag;
use crate::world::region::RegionSpec;
use crate::world::zvcr::ZvcrFile;

/// The strips from west to east: the first chunk of the next one, and the generation.
pub const STRIPS: [(i32, Generation); 6] = [
    (-13, Generation::NumericV),
    (-6, Generation::Numeric(1343)),
    (1, Generation::Spanning(1631)),
    (7, Generation::Aligned(2586)),
    (12, Generation::Root(2975)),
    (i32::MAX, Generation::Root(5023)),
];

/// The world while it is built.
#[derive(Debug, Default)]
pub struct Canvas {
    /// The generation of all chunks, which then have all tags that programs expect of the game's
    /// chunks. `None`: each chunk has the generation of its strip.
    only: Option<Generation>,
    /// Chunks by z and x.
    chunks: BTreeMap<(i32, i32), ChunkSpec>,
    /// Positions at which lights were placed. Another block may have replaced a light since.
    shining: Vec<[i32; 3]>,
}

impl Canvas {
    /// A world whose chunks are all of one generation.
    pub fn in_one(generation: Generation) -> Self {
        Self {
            only: Some(generation),
            ..Self::default()
        }
    }

    /// The generation of a chunk.
    pub fn generation(&self, chunk_x: i32) -> Generation {
        self.only
            .unwrap_or_else(|| STRIPS.iter().find(|(end, _)| chunk_x < *end).unwrap().1)
    }

    /// Adds a chunk without blocks.
    pub fn open(&mut self, chunk_x: i32, chunk_z: i32) {
        let mut chunk = ChunkSpec::new(chunk_x, chunk_z, self.generation(chunk_x));
        if self.only.is_some() {
            (chunk.all_sections, chunk.heights) = (true, Heights::WithFloor);
        }

        chunk.extra.push((
            "InhabitedTime",
            Tag::Long(inhabited_ticks(chunk_x, chunk_z)),
        ));
        self.chunks.insert((chunk_z, chunk_x), chunk);
    }

    fn chunk(&mut self, x: i32, z: i32) -> Option<&mut ChunkSpec> {
        self.chunks.get_mut(&(z >> 4, x >> 4))
    }

    /// Puts a block, or the block that its generation had instead. Does nothing if there is no
    /// chunk.
    pub fn set(&mut self, x: i32, y: i32, z: i32, block: Block) {
        if let Some(chunk) = self.chunk(x, z) {
            let block = suited(block, chunk.generation);
            chunk.set((x & 15) as usize, y, (z & 15) as usize, block);
            if given(block) > 0 {
                self.shining.push([x, y, z]);
            }
        }
    }

    /// Returns places of lights. Some lights may have been replaced.
    pub fn shining(&self) -> Vec<[i32; 3]> {
        self.shining.clone()
    }

    /// The light at a place.
    pub fn light(&mut self, [x, y, z]: [i32; 3]) -> u8 {
        let section = self
            .chunk(x, z)
            .and_then(|chunk| chunk.lights.get(&(y >> 4)));
        section.map_or(0, |light| {
            light[cell((x & 15) as usize, y, (z & 15) as usize)]
        })
    }

    /// Puts light. Does nothing if there is no chunk.
    pub fn set_light(&mut self, [x, y, z]: [i32; 3], level: u8) {
        if let Some(chunk) = self.chunk(x, z) {
            chunk.set_light((x & 15) as usize, y, (z & 15) as usize, level);
        }
    }

    /// Marks the light of all chunks as known, even if it is dark there.
    pub fn know_light(&mut self) {
        for chunk in self
            .chunks
            .values_mut()
            .filter(|chunk| chunk.lights.is_empty())
        {
            let lowest = *chunk.sections.first_key_value().unwrap().0;
            chunk.set_light(0, lowest * 16, 0, 0);
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
        self.chunk(x, z).map_or(block::AIR, |chunk| {
            chunk.block((x & 15) as usize, y, (z & 15) as usize)
        })
    }

    /// Gives a column its biome.
    pub fn set_biome(&mut self, x: i32, z: i32, biome: Biome) {
        if let Some(chunk) = self.chunk(x, z) {
            chunk.set_biome((x & 15) as usize, (z & 15) as usize, biome);
        }
    }

    /// Returns the region files, moved by a number of chunks to the east and south.
    pub fn write(&self, folder: &str, files: &mut Files, [east, south]: [i32; 2]) {
        let mut regions = BTreeMap::new();
        for ((z, x), chunk) in &self.chunks {
            let (x, z) = (x + east, z + south);
            let region = regions
                .entry((z >> 5, x >> 5))
                .or_insert_with(|| RegionSpec::new(x >> 5, z >> 5));
            region.put(&ChunkSpec {
                x,
                z,
                ..chunk.clone()
            });
        }

        for region in regions.values() {
            files.put_region(folder, region);
        }
    }
}

impl Canvas {
    /// Returns the regions as files of zvcr, by their x and z.
    pub fn zvcr_files(&self) -> BTreeMap<(i32, i32), Vec<u8>> {
        const DAY: u64 = 86_400;
        const NEWEST: u64 = 1_765_000_000;
        let mut regions: BTreeMap<(i32, i32), ZvcrFile> = BTreeMap::new();
        for ((z, x), chunk) in &self.chunks {
            let mut bare = chunk.clone();
            for section in bare.sections.values_mut() {
                for block in &mut section.palette {
                    if block.name == block::GRASS_BLOCK.name {
                        *block = block::DIRT;
                    }
                }
            }

            let file = regions.entry((x >> 5, z >> 5)).or_default();
            file.put_states([(NEWEST, chunk), (NEWEST - DAY, &bare)]);
        }

        regions
            .into_iter()
            .map(|(place, file)| (place, file.packed()))
            .collect()
    }
}

/// The time that players were in a chunk, in ticks: the longer the nearer they live.
fn inhabited_ticks(chunk_x: i32, chunk_z: i32) -> i64 {
    let ticks = HOMES.map(|(x, z, hours)| {
        let away = distance(
            f64::from(chunk_x * 16 + 8),
            f64::from(chunk_z * 16 + 8),
            (x, z),
        );
        (hours * 72_000) >> (away / 14.0) as u32
    });
    ticks.iter().sum()
}

/// The block, or the nearest one, that a generation has.
fn suited(block: Block, generation: Generation) -> Block {
    let version = generation.data_version().unwrap_or(0);
    let is_numeric = generation.is_numeric();

    match block.name {
        "minecraft:short_grass" if version < 3692 => block::OLD_GRASS,
        "minecraft:dirt_path" if version < 100 => block::GRAVEL,
        "minecraft:dirt_path" if version < 2680 => block::OLD_GRASS_PATH,
        "minecraft:cornflower" if version < 1952 => block::BLUE_ORCHID,
        "minecraft:seagrass"
        | "minecraft:tall_seagrass"
        | "minecraft:kelp"
        | "minecraft:kelp_plant"
            if is_numeric =>
        {
            block::WATER
        }
        "minecraft:lantern" if version < 1952 => block::TORCH,
        "minecraft:cherry_log" if version < 3442 => block::BIRCH_LOG,
        "minecraft:cherry_leaves" if version < 3442 => block::BIRCH_LEAVES,
        "minecraft:poplar_log" if version < 4910 => block::OAK_LOG,
        "minecraft:orange_poplar_leaves"
        | "minecraft:yellow_poplar_leaves"
        | "minecraft:red_poplar_leaves"
            if version < 4910 =>
        {
            block::OAK_LEAVES
        }
        "minecraft:cave_air" if is_numeric => block::AIR,
        // A default state needs no properties, so 26.3 writes it as a string.
        "minecraft:grass_block" | "minecraft:podzol" | "minecraft:water" | "minecraft:lava" => {
            Block {
                properties: &[],
                ..block
            }
        }
        _ if is_numeric && block.id == Block::NO_NUMBER => Block {
            id: mod_id(block.name),
            ..block
        },
        _ => block,
    }
}

/// Returns an id that needs more than 12 bits, as the blocks of mods have, for a block that never
/// had a number.
fn mod_id(name: &str) -> u32 {
    4096 + name.bytes().fold(0, |hash: u32, byte| {
        hash.wrapping_mul(31).wrapping_add(byte.into())
    }) % 20_000
}
