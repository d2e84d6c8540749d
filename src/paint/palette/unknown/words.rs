//! The words that describe blocks: materials, colours and shapes. They are kinds, never the names of single mods or
//! blocks, because a list of names would be out of date with the next mod.

/// The look of a material.
#[derive(Debug, Clone, Copy)]
pub(super) enum Look {
    /// Drawn like this block of the game.
    Like(&'static str),
    /// A colour and a coverage in percent.
    Own(u32, u8),
}

use Look::{Like, Own};

/// Words after the name of a material, each with its coverage in percent.
pub(super) const SHAPES: [(&str, u8); 9] = [
    ("_vertical_slab", 100),
    ("_doubleslab", 100),
    ("_slab", 100),
    ("_stairs", 100),
    ("_stair", 100),
    ("_fence_gate", 25),
    ("_fence", 25),
    ("_wall", 50),
    ("_pillar", 100),
];

/// Words for materials. The first word of this list that occurs in the name counts.
pub(super) const MATERIALS: &[(&str, Look)] = &[
    ("cloud", Own(0xf0_f0f0, 50)),
    ("clouds", Own(0xf0_f0f0, 50)),
    ("aercloud", Own(0xf0_f0f0, 50)),
    ("fog", Own(0xe4_e4e4, 25)),
    ("mist", Own(0xe4_e4e4, 25)),
    ("leaves", Like("oak_leaves")),
    ("leaf", Like("oak_leaves")),
    ("hedge", Like("oak_leaves")),
    ("log", Like("oak_log")),
    ("logs", Like("oak_log")),
    ("trunk", Like("oak_log")),
    ("stump", Like("oak_log")),
    ("branch", Like("oak_wood")),
    ("wood", Like("oak_wood")),
    ("bark", Like("oak_wood")),
    ("hyphae", Like("crimson_hyphae")),
    ("planks", Like("oak_planks")),
    ("plank", Like("oak_planks")),
    ("sapling", Like("oak_sapling")),
    ("flower", Like("poppy")),
    ("flowers", Like("poppy")),
    ("blossom", Like("poppy")),
    ("petals", Like("pink_petals")),
    ("rose", Like("poppy")),
    ("tulip", Like("red_tulip")),
    ("lily", Like("lily_pad")),
    ("lilypad", Like("lily_pad")),
    ("mushroom", Like("brown_mushroom")),
    ("mushrooms", Like("brown_mushroom")),
    ("shroom", Like("brown_mushroom")),
    ("fungus", Like("brown_mushroom")),
    ("toadstool", Like("red_mushroom")),
    ("thorn", Own(0x48_321f, 75)),
    ("thorns", Own(0x48_321f, 75)),
    ("bramble", Own(0x48_321f, 75)),
    ("brambles", Own(0x48_321f, 75)),
    ("fern", Like("fern")),
    ("bush", Like("dead_bush")),
    ("shrub", Like("dead_bush")),
    ("plant", Like("short_grass")),
    ("plants", Like("short_grass")),
    ("foliage", Like("short_grass")),
    ("weed", Like("short_grass")),
    ("sprout", Like("short_grass")),
    ("sprouts", Like("short_grass")),
    ("reed", Like("sugar_cane")),
    ("reeds", Like("sugar_cane")),
    ("rush", Like("sugar_cane")),
    ("rushes", Like("sugar_cane")),
    ("cattail", Like("sugar_cane")),
    ("crop", Like("wheat")),
    ("crops", Like("wheat")),
    ("vine", Like("vine")),
    ("vines", Like("vine")),
    ("ivy", Like("vine")),
    ("coral", Like("brain_coral")),
    ("kelp", Like("kelp")),
    ("seagrass", Like("seagrass")),
    ("seaweed", Like("seagrass")),
    ("lichen", Like("glow_lichen")),
    ("roots", Like("hanging_roots")),
    ("moss", Like("moss_block")),
    ("nylium", Like("crimson_nylium")),
    ("wart", Like("nether_wart_block")),
    ("carpet", Like("white_carpet")),
    ("wool", Like("white_wool")),
    ("rail", Like("rail")),
    ("track", Like("rail")),
    ("pressure", Like("stone_pressure_plate")),
    ("torch", Like("torch")),
    ("lantern", Like("lantern")),
    ("button", Like("stone_button")),
    ("lever", Like("lever")),
    ("ladder", Like("ladder")),
    ("sign", Like("oak_sign")),
    ("banner", Like("white_banner")),
    ("candle", Like("candle")),
    ("door", Like("oak_door")),
    ("trapdoor", Like("oak_trapdoor")),
    ("pane", Like("glass_pane")),
    ("glass", Like("glass")),
    ("chest", Like("chest")),
    ("farmland", Like("farmland")),
    ("dirt", Like("dirt")),
    ("soil", Like("dirt")),
    ("earth", Like("dirt")),
    ("mud", Like("mud")),
    ("sand", Like("sand")),
    ("quicksand", Like("sand")),
    ("sandstone", Like("sandstone")),
    ("gravel", Like("gravel")),
    ("clay", Like("clay")),
    ("snow", Like("snow_block")),
    ("ice", Like("ice")),
    ("icicle", Like("ice")),
    ("obsidian", Like("obsidian")),
    ("basalt", Like("basalt")),
    ("magma", Like("magma_block")),
    ("netherrack", Like("netherrack")),
    ("cobblestone", Like("cobblestone")),
    ("deepslate", Like("deepslate")),
    ("stone", Like("stone")),
    ("rock", Like("stone")),
    ("tree", Like("oak_log")),
];

/// The bricks of the game, each after a word for its material. Other bricks of mods are made of the mod's own stone.
pub(super) const BRICKS: [(&str, &str); 8] = [
    ("nether", "nether_bricks"),
    ("end", "end_stone_bricks"),
    ("mud", "mud_bricks"),
    ("sandstone", "cut_sandstone"),
    ("deepslate", "deepslate_bricks"),
    ("quartz", "quartz_bricks"),
    ("prismarine", "prismarine_bricks"),
    ("clay", "bricks"),
];

/// Words next to `brick` that describe how it is worked, but not its material.
pub(super) const WORKED: [&str; 14] = [
    "mossy",
    "cracked",
    "chiseled",
    "polished",
    "smooth",
    "old",
    "small",
    "large",
    "long",
    "tile",
    "tiles",
    "block",
    "vertical",
    "weathered",
];

/// The blocks on which a colour word counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum On {
    All,
    /// Blocks that would be green: leaves, grass, moss.
    Green,
    /// All blocks except trees, where the word is the name of the tree.
    NotTrees,
}

/// A change of a material's colour.
#[derive(Debug, Clone, Copy)]
pub(super) enum Tone {
    Colour(u32),
    /// The percentage of the material's brightness that remains.
    Dim(u32),
}

use On::{All, Green, NotTrees};
use Tone::{Colour, Dim};

/// Words for colours, and for things with a well-known colour. The first word of this list that occurs in the name
/// counts. These are colours of leaves, rocks and soil, which are less bright than dyes.
pub(super) const TONES: &[(&str, On, Tone)] = &[
    ("light_blue", All, Colour(0x7a_b0d8)),
    ("light_gray", All, Colour(0xa8_a8a4)),
    ("light_grey", All, Colour(0xa8_a8a4)),
    ("white", All, Colour(0xe8_e8e4)),
    ("orange", All, Colour(0xc8_701e)),
    ("magenta", All, Colour(0xa8_409a)),
    ("yellow", All, Colour(0xd4_b438)),
    ("lime", All, Colour(0x7a_b02a)),
    ("pink", All, Colour(0xe8_a0b8)),
    ("gray", All, Colour(0x7c_7c7c)),
    ("grey", All, Colour(0x7c_7c7c)),
    ("silver", All, Colour(0xb8_b8b8)),
    ("cyan", All, Colour(0x2a_9090)),
    ("purple", All, Colour(0x6a_3f9a)),
    ("blue", All, Colour(0x3f_64ac)),
    ("brown", All, Colour(0x6a_4526)),
    ("green", All, Colour(0x4a_7a30)),
    ("red", All, Colour(0x9c_3024)),
    ("black", All, Colour(0x1e_1c1e)),
    ("golden", All, Colour(0xd8_b03c)),
    ("gold", All, Colour(0xd8_b03c)),
    ("violet", All, Colour(0x7a_4fb0)),
    ("lilac", All, Colour(0xa8_80c0)),
    ("mauve", All, Colour(0x9a_6a90)),
    ("indigo", All, Colour(0x3f_3f9a)),
    ("azure", All, Colour(0x4a_90d0)),
    ("turquoise", All, Colour(0x45_b0a8)),
    ("teal", All, Colour(0x2a_8a88)),
    ("aqua", All, Colour(0x40_b8c0)),
    ("cobalt", All, Colour(0x3a_45c0)),
    ("crimson", All, Colour(0x7a_1f26)),
    ("scarlet", All, Colour(0xb0_2a20)),
    ("vermilion", All, Colour(0xa8_2c2c)),
    ("maroon", All, Colour(0x5f_2020)),
    ("ivory", All, Colour(0xe8_e0c8)),
    ("amber", All, Colour(0xd8_962a)),
    ("ruby", All, Colour(0xb0_203a)),
    ("emerald", All, Colour(0x2f_ae5a)),
    ("sapphire", All, Colour(0x2f_50b8)),
    ("amethyst", All, Colour(0x8a_60c0)),
    ("jade", All, Colour(0x3f_9a70)),
    ("lavender", All, Colour(0xa8_90d0)),
    // Rocks, which give their colour to sand, gravel and bricks as well.
    ("limestone", All, Colour(0xb5_a588)),
    ("marble", All, Colour(0xdf_e0dd)),
    ("scoria", All, Colour(0x5a_2a20)),
    ("brimstone", All, Colour(0xa8_682c)),
    ("slate", All, Colour(0x50_545a)),
    ("shale", All, Colour(0x50_545a)),
    // Substances.
    ("blood", All, Colour(0x9c_2020)),
    ("flesh", All, Colour(0x84_332b)),
    ("meat", All, Colour(0x84_332b)),
    ("oil", All, Colour(0x16_1616)),
    ("tar", All, Colour(0x16_1616)),
    ("bitumen", All, Colour(0x16_1616)),
    ("coal", All, Colour(0x26_2626)),
    ("ink", All, Colour(0x24_2428)),
    ("ash", NotTrees, Colour(0x3c_3a3a)),
    ("ashen", All, Colour(0x3c_3a3a)),
    ("charred", All, Colour(0x2e_2826)),
    ("burnt", All, Colour(0x2e_2826)),
    ("scorched", All, Colour(0x2e_2826)),
    ("salt", All, Colour(0xe8_e4e0)),
    ("niter", All, Colour(0xe0_d8d0)),
    ("saltpeter", All, Colour(0xe0_d8d0)),
    ("bone", All, Colour(0xe0_dcc8)),
    ("bones", All, Colour(0xe0_dcc8)),
    ("chalk", All, Colour(0xdc_dad2)),
    ("sulfur", All, Colour(0xc8_b84a)),
    ("sulphur", All, Colour(0xc8_b84a)),
    ("honey", All, Colour(0xe0_a030)),
    ("hive", All, Colour(0xc8_a050)),
    ("slime", All, Colour(0x66_b070)),
    ("acid", All, Colour(0x8f_c030)),
    ("redstone", All, Colour(0xb8_1410)),
    ("soul", All, Colour(0x52_423a)),
    ("crystal", All, Colour(0xb8_d0e0)),
    ("crystallized", All, Colour(0xb8_d0e0)),
    ("moon", All, Colour(0xa0_a0a0)),
    ("lunar", All, Colour(0xa0_a0a0)),
    ("mars", All, Colour(0xab_5a35)),
    ("milk", All, Colour(0xf2_f2ea)),
    ("soymilk", All, Colour(0xf2_f2ea)),
    ("tofu", All, Colour(0xe8_e6d8)),
    ("cheese", All, Colour(0xe8_c040)),
    ("chocolate", All, Colour(0x6a_4024)),
    ("candy", All, Colour(0xf0_a8cc)),
    ("gummy", All, Colour(0xd8_6060)),
    ("snowy", All, Colour(0xee_f4f4)),
    // Trees whose leaves are not green, or of a darker green.
    ("autumn", Green, Colour(0xb0_651e)),
    ("autumnal", Green, Colour(0xb0_651e)),
    ("maple", Green, Colour(0xa8_482a)),
    ("aspen", Green, Colour(0xbc_9c1e)),
    ("sakura", Green, Colour(0xe6_a8c0)),
    ("jacaranda", Green, Colour(0x84_68c8)),
    ("wisteria", Green, Colour(0x9a_80d8)),
    ("ghost", All, Colour(0xdc_dcd4)),
    ("fir", Green, Colour(0x35_5038)),
    ("pine", Green, Colour(0x35_5038)),
    ("cedar", Green, Colour(0x35_5038)),
    ("hemlock", Green, Colour(0x35_5038)),
    ("cypress", Green, Colour(0x35_5038)),
    ("juniper", Green, Colour(0x35_5038)),
    ("redwood", Green, Colour(0x35_5038)),
    ("sequoia", Green, Colour(0x35_5038)),
    ("dead", Green, Colour(0x94_854e)),
    ("dry", Green, Colour(0x94_854e)),
    ("dried", Green, Colour(0x94_854e)),
    ("withered", Green, Colour(0x94_854e)),
    // Places where nothing green grows.
    ("nether", Green, Colour(0x6e_1f1c)),
    ("netherrack", Green, Colour(0x6e_1f1c)),
    ("end", Green, Colour(0x66_4a80)),
    ("ender", Green, Colour(0x66_4a80)),
    // Light and dark.
    ("dark", All, Dim(50)),
    ("shadow", All, Dim(50)),
    ("gloomy", All, Dim(65)),
    ("abyssal", All, Dim(50)),
];

/// Trees. A colour directly before one of them is part of the name of the tree (red oak, black walnut, silver birch)
/// and the colour of neither its wood nor, if it is [`NEVER_LEAVES`], its leaves.
pub(super) const TREES: [&str; 18] = [
    "oak", "birch", "spruce", "jungle", "acacia", "mangrove", "pine", "fir", "cedar", "walnut", "ash", "elm", "willow",
    "poplar", "beech", "maple", "larch", "cypress",
];

/// Colours that leaves do not have in any season.
pub(super) const NEVER_LEAVES: [&str; 4] = ["white", "black", "silver", "dark"];

/// Words at the end of a longer word, from which they are split: `holystone`, `endlog`. Longer ones are first.
pub(super) const GROWN: [&str; 34] = [
    "netherrack",
    "cobblestone",
    "sandstone",
    "limestone",
    "mushroom",
    "obsidian",
    "sapling",
    "flowers",
    "gravel",
    "cactus",
    "branch",
    "leaves",
    "planks",
    "marble",
    "stairs",
    "basalt",
    "flower",
    "thorns",
    "bricks",
    "brick",
    "magma",
    "plank",
    "cloud",
    "fence",
    "glass",
    "grass",
    "stone",
    "shroom",
    "block",
    "dirt",
    "sand",
    "soil",
    "rock",
    "slab",
];

/// The same for short words, which also end words of other meanings ([`NOT_GROWN`]).
pub(super) const GROWN_SHORT: [&str; 5] = ["wood", "log", "acid", "bone", "milk"];

/// Words that only look like two words.
pub(super) const NOT_GROWN: [&str; 9] =
    ["catalog", "analog", "dialog", "backlog", "hourglass", "thousand", "shamrock", "bedrock", "redstone"];

/// Words next to `water`, `lava` and other liquids that mean a tool for the liquid, not the liquid itself.
pub(super) const HANDLES: [&str; 14] = [
    "wheel",
    "mill",
    "pump",
    "tank",
    "barrel",
    "pipe",
    "trough",
    "bucket",
    "bottle",
    "collector",
    "turbine",
    "fountain",
    "drain",
    "cannon",
];
