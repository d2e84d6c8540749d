//! Names of biomes by their numbers, and of the numeric blocks that tests use.

use crate::slow_reader::Numbers;

/// The newest name of a biome in Java Edition, because most numbers were once the same in both
/// editions.
pub fn biome(id: u32) -> String {
    let own = match id {
        // The biomes that Java Edition has renamed since it stopped using numbers.
        3 => "windswept_hills",
        12 => "snowy_plains",
        23 => "sparse_jungle",
        25 => "stony_shore",
        32 => "old_growth_pine_taiga",
        34 => "windswept_forest",
        38 => "wooded_badlands",
        131 => "windswept_gravelly_hills",
        155 => "old_growth_birch_forest",
        160 => "old_growth_spruce_taiga",
        163 => "windswept_savanna",
        10 | 46 => "frozen_ocean",
        40 => "warm_ocean",
        41 => "deep_warm_ocean",
        42 => "lukewarm_ocean",
        43 => "deep_lukewarm_ocean",
        44 => "cold_ocean",
        45 => "deep_cold_ocean",
        47 => "deep_frozen_ocean",
        48 => "bamboo_jungle",
        49 => "bamboo_jungle_hills",
        178 => "soul_sand_valley",
        179 => "crimson_forest",
        180 => "warped_forest",
        181 => "basalt_deltas",
        182 => "jagged_peaks",
        183 => "frozen_peaks",
        184 => "snowy_slopes",
        185 => "grove",
        186 => "meadow",
        187 => "lush_caves",
        188 => "dripstone_caves",
        189 => "stony_peaks",
        190 => "deep_dark",
        191 => "mangrove_swamp",
        192 => "cherry_grove",
        193 => "pale_garden",
        194 => "sulfur_caves",
        195 => "dappled_forest",
        _ if id < 168 => return Numbers::default().biome(id, Some(1519)),
        _ => return format!("numeric:{id}"),
    };

    format!("minecraft:{own}")
}

/// The name of a numeric block in the list of the game, for the blocks in the tests.
pub fn block(id: u8) -> Option<String> {
    let name = match id {
        1 => "stone",
        3 => "dirt",
        4 => "cobblestone",
        7 => "bedrock",
        9 => "water",
        10 => "flowing_lava",
        11 => "lava",
        12 => "sand",
        13 => "gravel",
        17 => "log",
        18 => "leaves",
        20 => "glass",
        35 => "wool",
        49 => "obsidian",
        50 => "torch",
        51 => "fire",
        67 => "stone_stairs",
        78 => "snow_layer",
        80 => "snow",
        87 => "netherrack",
        88 => "soul_sand",
        89 => "glowstone",
        112 => "nether_brick",
        121 => "end_stone",
        213 => "magma",
        _ => return None,
    };

    Some(format!("minecraft:{name}"))
}
