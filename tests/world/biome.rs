//! Biomes: the name since 1.13, and the number in older worlds.

/// A biome under its name and its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Biome {
    pub name: &'static str,
    pub id: u8,
}

impl Biome {
    /// A biome with a number.
    pub const fn new(name: &'static str, id: u8) -> Self {
        Self { name, id }
    }
}

pub const OCEAN: Biome = Biome::new("minecraft:ocean", 0);
pub const PLAINS: Biome = Biome::new("minecraft:plains", 1);
pub const DESERT: Biome = Biome::new("minecraft:desert", 2);
pub const FOREST: Biome = Biome::new("minecraft:forest", 4);
pub const TAIGA: Biome = Biome::new("minecraft:taiga", 5);
pub const SWAMP: Biome = Biome::new("minecraft:swamp", 6);
pub const RIVER: Biome = Biome::new("minecraft:river", 7);
pub const FROZEN_OCEAN: Biome = Biome::new("minecraft:frozen_ocean", 10);
pub const BEACH: Biome = Biome::new("minecraft:beach", 16);
pub const DEEP_OCEAN: Biome = Biome::new("minecraft:deep_ocean", 24);
pub const BIRCH_FOREST: Biome = Biome::new("minecraft:birch_forest", 27);
pub const DARK_FOREST: Biome = Biome::new("minecraft:dark_forest", 29);
pub const SNOWY_TAIGA: Biome = Biome::new("minecraft:snowy_taiga", 30);
pub const SAVANNA: Biome = Biome::new("minecraft:savanna", 35);
pub const BADLANDS: Biome = Biome::new("minecraft:badlands", 37);
pub const FLOWER_FOREST: Biome = Biome::new("minecraft:flower_forest", 132);
pub const LUSH_CAVES: Biome = Biome::new("minecraft:lush_caves", 175);
pub const MEADOW: Biome = Biome::new("minecraft:meadow", 177);
pub const CHERRY_GROVE: Biome = Biome::new("minecraft:cherry_grove", 255);
pub const DAPPLED_FOREST: Biome = Biome::new("minecraft:dappled_forest", 255);
