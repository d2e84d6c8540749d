//! Blocks: name and properties of a state, and the number in worlds before 1.13.

/// A block state. Blocks that never had a number carry [`Block::NO_NUMBER`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Block {
    pub name: &'static str,
    pub properties: &'static [(&'static str, &'static str)],
    pub id: u32,
    pub data: u8,
}

impl Block {
    /// The id of blocks that only palettes can hold.
    pub const NO_NUMBER: u32 = u32::MAX;

    /// A block with a number; `name` is what minecraft-data 3.117.0 calls it.
    pub const fn numeric(name: &'static str, id: u32, data: u8) -> Self {
        Self {
            name,
            properties: &[],
            id,
            data,
        }
    }

    /// A block of 1.13 or later.
    pub const fn named(name: &'static str) -> Self {
        Self {
            name,
            properties: &[],
            id: Self::NO_NUMBER,
            data: 0,
        }
    }

    /// A block of a name made at run time, kept for as long as the test runs.
    pub fn made(name: String) -> Self {
        Self::named(Box::leak(name.into_boxed_str()))
    }

    /// This block in another state.
    pub const fn with(self, properties: &'static [(&'static str, &'static str)]) -> Self {
        Self { properties, ..self }
    }

    /// Returns whether a query passes over the block.
    pub fn is_nothing(&self) -> bool {
        let path = self.name.strip_prefix("minecraft:").unwrap_or(self.name);
        matches!(
            path,
            "air" | "cave_air" | "void_air" | "structure_void" | "barrier" | "light"
        )
    }

    /// The name in the answer of a query, with its namespace.
    pub fn full_name(&self) -> String {
        if self.name.contains(':') {
            self.name.to_owned()
        } else {
            format!("minecraft:{}", self.name)
        }
    }

    /// The number's 4-bit-shifted form of palettes and registries.
    pub const fn state(&self) -> u32 {
        self.id << 4 | self.data as u32
    }
}

pub const AIR: Block = Block::numeric("minecraft:air", 0, 0);
pub const STONE: Block = Block::numeric("minecraft:stone", 1, 0);
pub const GRANITE: Block = Block::numeric("minecraft:granite", 1, 1);
pub const DIORITE: Block = Block::numeric("minecraft:diorite", 1, 3);
pub const ANDESITE: Block = Block::numeric("minecraft:andesite", 1, 5);
pub const GRASS_BLOCK: Block =
    Block::numeric("minecraft:grass_block", 2, 0).with(&[("snowy", "false")]);
pub const DIRT: Block = Block::numeric("minecraft:dirt", 3, 0);
pub const COARSE_DIRT: Block = Block::numeric("minecraft:coarse_dirt", 3, 1);
pub const PODZOL: Block = Block::numeric("minecraft:podzol", 3, 2).with(&[("snowy", "false")]);
pub const COBBLESTONE: Block = Block::numeric("minecraft:cobblestone", 4, 0);
pub const OAK_PLANKS: Block = Block::numeric("minecraft:oak_planks", 5, 0);
pub const SPRUCE_PLANKS: Block = Block::numeric("minecraft:spruce_planks", 5, 1);
pub const BIRCH_PLANKS: Block = Block::numeric("minecraft:birch_planks", 5, 2);
pub const DARK_OAK_PLANKS: Block = Block::numeric("minecraft:dark_oak_planks", 5, 5);
pub const BEDROCK: Block = Block::numeric("minecraft:bedrock", 7, 0);
pub const WATER: Block = Block::numeric("minecraft:water", 9, 0).with(&[("level", "0")]);
pub const LAVA: Block = Block::numeric("minecraft:lava", 11, 0).with(&[("level", "0")]);
pub const SAND: Block = Block::numeric("minecraft:sand", 12, 0);
pub const RED_SAND: Block = Block::numeric("minecraft:red_sand", 12, 1);
pub const GRAVEL: Block = Block::numeric("minecraft:gravel", 13, 0);
pub const OAK_LOG: Block = Block::numeric("minecraft:oak_log", 17, 0).with(&[("axis", "y")]);
pub const SPRUCE_LOG: Block = Block::numeric("minecraft:spruce_log", 17, 1).with(&[("axis", "y")]);
pub const BIRCH_LOG: Block = Block::numeric("minecraft:birch_log", 17, 2).with(&[("axis", "y")]);
pub const OAK_LOG_ALONG_X: Block =
    Block::numeric("minecraft:oak_log", 17, 4).with(&[("axis", "x")]);
pub const OAK_LOG_ALONG_Z: Block =
    Block::numeric("minecraft:oak_log", 17, 8).with(&[("axis", "z")]);
pub const OAK_LEAVES: Block = Block::numeric("minecraft:oak_leaves", 18, 0);
pub const SPRUCE_LEAVES: Block = Block::numeric("minecraft:spruce_leaves", 18, 1);
pub const BIRCH_LEAVES: Block = Block::numeric("minecraft:birch_leaves", 18, 2);
pub const GLASS: Block = Block::numeric("minecraft:glass", 20, 0);
pub const SANDSTONE: Block = Block::numeric("minecraft:sandstone", 24, 0);
pub const OLD_GRASS: Block = Block::numeric("minecraft:grass", 31, 1);
pub const FERN: Block = Block::numeric("minecraft:fern", 31, 2);
pub const DEAD_BUSH: Block = Block::numeric("minecraft:dead_bush", 32, 0);
pub const WHITE_WOOL: Block = Block::numeric("minecraft:white_wool", 35, 0);
pub const ORANGE_WOOL: Block = Block::numeric("minecraft:orange_wool", 35, 1);
pub const YELLOW_WOOL: Block = Block::numeric("minecraft:yellow_wool", 35, 4);
pub const BLUE_WOOL: Block = Block::numeric("minecraft:blue_wool", 35, 11);
pub const RED_WOOL: Block = Block::numeric("minecraft:red_wool", 35, 14);
pub const DANDELION: Block = Block::numeric("minecraft:dandelion", 37, 0);
pub const POPPY: Block = Block::numeric("minecraft:poppy", 38, 0);
pub const BLUE_ORCHID: Block = Block::numeric("minecraft:blue_orchid", 38, 1);
pub const ALLIUM: Block = Block::numeric("minecraft:allium", 38, 2);
pub const AZURE_BLUET: Block = Block::numeric("minecraft:azure_bluet", 38, 3);
pub const OXEYE_DAISY: Block = Block::numeric("minecraft:oxeye_daisy", 38, 8);
pub const STONE_SLAB: Block =
    Block::numeric("minecraft:stone_slab", 44, 0).with(&[("type", "bottom")]);
pub const BRICKS: Block = Block::numeric("minecraft:bricks", 45, 0);
pub const TORCH: Block = Block::numeric("minecraft:torch", 50, 5);
pub const WHEAT: Block = Block::numeric("minecraft:wheat", 59, 7).with(&[("age", "7")]);
pub const YOUNG_WHEAT: Block = Block::numeric("minecraft:wheat", 59, 3).with(&[("age", "3")]);
pub const FARMLAND: Block = Block::numeric("minecraft:farmland", 60, 7).with(&[("moisture", "7")]);
pub const SNOW: Block = Block::numeric("minecraft:snow", 78, 0).with(&[("layers", "1")]);
pub const ICE: Block = Block::numeric("minecraft:ice", 79, 0);
pub const SNOW_BLOCK: Block = Block::numeric("minecraft:snow_block", 80, 0);
pub const CACTUS: Block = Block::numeric("minecraft:cactus", 81, 0).with(&[("age", "0")]);
pub const CLAY: Block = Block::numeric("minecraft:clay", 82, 0);
pub const SUGAR_CANE: Block = Block::numeric("minecraft:sugar_cane", 83, 0).with(&[("age", "0")]);
pub const OAK_FENCE: Block = Block::numeric("minecraft:oak_fence", 85, 0);
pub const NETHERRACK: Block = Block::numeric("minecraft:netherrack", 87, 0);
pub const GLOWSTONE: Block = Block::numeric("minecraft:glowstone", 89, 0);
pub const STONE_BRICKS: Block = Block::numeric("minecraft:stone_bricks", 98, 0);
pub const LILY_PAD: Block = Block::numeric("minecraft:lily_pad", 111, 0);
pub const NETHER_BRICKS: Block = Block::numeric("minecraft:nether_bricks", 112, 0);
pub const END_STONE: Block = Block::numeric("minecraft:end_stone", 121, 0);
pub const OAK_SLAB: Block =
    Block::numeric("minecraft:oak_slab", 126, 0).with(&[("type", "bottom")]);
pub const COBBLESTONE_WALL: Block = Block::numeric("minecraft:cobblestone_wall", 139, 0);
pub const CARROTS: Block = Block::numeric("minecraft:carrots", 141, 7).with(&[("age", "7")]);
pub const WHITE_TERRACOTTA: Block = Block::numeric("minecraft:white_terracotta", 159, 0);
pub const ORANGE_TERRACOTTA: Block = Block::numeric("minecraft:orange_terracotta", 159, 1);
pub const YELLOW_TERRACOTTA: Block = Block::numeric("minecraft:yellow_terracotta", 159, 4);
pub const RED_TERRACOTTA: Block = Block::numeric("minecraft:red_terracotta", 159, 14);
pub const LIGHT_GRAY_TERRACOTTA: Block = Block::numeric("minecraft:light_gray_terracotta", 159, 8);
pub const DARK_OAK_LEAVES: Block = Block::numeric("minecraft:dark_oak_leaves", 161, 1);
pub const DARK_OAK_LOG: Block =
    Block::numeric("minecraft:dark_oak_log", 162, 1).with(&[("axis", "y")]);
pub const BARRIER: Block = Block::numeric("minecraft:barrier", 166, 0);
pub const HAY_BLOCK: Block = Block::numeric("minecraft:hay_block", 170, 0).with(&[("axis", "y")]);
pub const TERRACOTTA: Block = Block::numeric("minecraft:terracotta", 172, 0);
pub const PACKED_ICE: Block = Block::numeric("minecraft:packed_ice", 174, 0);
pub const SUNFLOWER_LOWER: Block =
    Block::numeric("minecraft:sunflower", 175, 0).with(&[("half", "lower")]);
pub const SUNFLOWER_UPPER: Block =
    Block::numeric("minecraft:sunflower", 175, 8).with(&[("half", "upper")]);
pub const OLD_GRASS_PATH: Block = Block::numeric("minecraft:grass_path", 208, 0);
pub const STRUCTURE_VOID: Block = Block::numeric("minecraft:structure_void", 217, 0);
pub const RED_CONCRETE: Block = Block::numeric("minecraft:red_concrete", 251, 14);
pub const BLUE_CONCRETE: Block = Block::numeric("minecraft:blue_concrete", 251, 11);

pub const BLACKSTONE: Block = Block::named("minecraft:blackstone");
pub const ORANGE_POPLAR_LEAVES: Block = Block::named("minecraft:orange_poplar_leaves");
pub const YELLOW_POPLAR_LEAVES: Block = Block::named("minecraft:yellow_poplar_leaves");
pub const RED_POPLAR_LEAVES: Block = Block::named("minecraft:red_poplar_leaves");
pub const CAVE_AIR: Block = Block::named("minecraft:cave_air");
pub const VOID_AIR: Block = Block::named("minecraft:void_air");
pub const LIGHT: Block = Block::named("minecraft:light").with(&[("level", "15")]);
pub const GRASS_PATH: Block = Block::named("minecraft:grass_path");
pub const DIRT_PATH: Block = Block::named("minecraft:dirt_path");
pub const GRASS: Block = Block::named("minecraft:grass");
pub const SHORT_GRASS: Block = Block::named("minecraft:short_grass");
pub const SEAGRASS: Block = Block::named("minecraft:seagrass");
pub const TALL_SEAGRASS: Block = Block::named("minecraft:tall_seagrass").with(&[("half", "upper")]);
pub const KELP: Block = Block::named("minecraft:kelp").with(&[("age", "12")]);
pub const KELP_PLANT: Block = Block::named("minecraft:kelp_plant");
pub const BRAIN_CORAL: Block = Block::named("minecraft:brain_coral");
pub const CORNFLOWER: Block = Block::named("minecraft:cornflower");
pub const DEEPSLATE: Block = Block::named("minecraft:deepslate").with(&[("axis", "y")]);
pub const LANTERN: Block =
    Block::named("minecraft:lantern").with(&[("hanging", "false"), ("waterlogged", "false")]);
pub const CALCITE: Block = Block::named("minecraft:calcite");
pub const MAGMA_BLOCK: Block = Block::named("minecraft:magma_block");
pub const WET_SLAB: Block =
    Block::named("minecraft:oak_slab").with(&[("type", "bottom"), ("waterlogged", "true")]);
pub const PINK_PETALS: Block =
    Block::named("minecraft:pink_petals").with(&[("facing", "north"), ("flower_amount", "4")]);
pub const CHERRY_LEAVES: Block = Block::named("minecraft:cherry_leaves");
pub const CHERRY_LOG: Block = Block::named("minecraft:cherry_log").with(&[("axis", "y")]);
pub const POPLAR_LOG: Block = Block::named("minecraft:poplar_log").with(&[("axis", "y")]);
pub const WILDFLOWERS: Block =
    Block::named("minecraft:wildflowers").with(&[("facing", "north"), ("flower_amount", "4")]);
pub const AZALEA_LEAVES: Block = Block::named("minecraft:azalea_leaves");

/// All blocks above that have numbers.
pub const NUMBERED: &[Block] = &[
    AIR,
    STONE,
    GRANITE,
    DIORITE,
    ANDESITE,
    GRASS_BLOCK,
    DIRT,
    COARSE_DIRT,
    PODZOL,
    COBBLESTONE,
    OAK_PLANKS,
    SPRUCE_PLANKS,
    BIRCH_PLANKS,
    DARK_OAK_PLANKS,
    BEDROCK,
    WATER,
    LAVA,
    SAND,
    RED_SAND,
    GRAVEL,
    OAK_LOG,
    SPRUCE_LOG,
    BIRCH_LOG,
    OAK_LOG_ALONG_X,
    OAK_LOG_ALONG_Z,
    OAK_LEAVES,
    SPRUCE_LEAVES,
    BIRCH_LEAVES,
    GLASS,
    SANDSTONE,
    OLD_GRASS,
    FERN,
    DEAD_BUSH,
    WHITE_WOOL,
    ORANGE_WOOL,
    YELLOW_WOOL,
    BLUE_WOOL,
    RED_WOOL,
    DANDELION,
    POPPY,
    BLUE_ORCHID,
    ALLIUM,
    AZURE_BLUET,
    OXEYE_DAISY,
    STONE_SLAB,
    BRICKS,
    TORCH,
    WHEAT,
    YOUNG_WHEAT,
    FARMLAND,
    SNOW,
    ICE,
    SNOW_BLOCK,
    CACTUS,
    CLAY,
    SUGAR_CANE,
    OAK_FENCE,
    NETHERRACK,
    GLOWSTONE,
    STONE_BRICKS,
    LILY_PAD,
    NETHER_BRICKS,
    END_STONE,
    OAK_SLAB,
    COBBLESTONE_WALL,
    CARROTS,
    WHITE_TERRACOTTA,
    ORANGE_TERRACOTTA,
    YELLOW_TERRACOTTA,
    RED_TERRACOTTA,
    LIGHT_GRAY_TERRACOTTA,
    DARK_OAK_LEAVES,
    DARK_OAK_LOG,
    BARRIER,
    HAY_BLOCK,
    TERRACOTTA,
    PACKED_ICE,
    SUNFLOWER_LOWER,
    SUNFLOWER_UPPER,
    OLD_GRASS_PATH,
    STRUCTURE_VOID,
    RED_CONCRETE,
    BLUE_CONCRETE,
];
