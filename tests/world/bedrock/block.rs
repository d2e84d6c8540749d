//! Blocks of Bedrock Edition: name and states for palettes, and the number for subchunks before
//! 1.2.13.

use crate::world::nbt::Tag;

/// The value of a block's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    Flag(bool),
    Number(i32),
    Text(&'static str),
}

/// A block state. Blocks that never had a number carry [`Block::NO_NUMBER`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Block {
    /// The name with its namespace, as palettes of its time store it.
    pub name: &'static str,
    pub states: &'static [(&'static str, State)],
    pub id: u32,
    pub data: u8,
}

/// The form of a palette's entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entries {
    /// `name` and `val`: 1.2.13 to 1.12.
    Val,
    /// Returns `name`, `states` and the version of the schema, which 1.13 does not have.
    States(Option<i32>),
}

impl Block {
    /// The id of blocks that only palettes can hold.
    pub const NO_NUMBER: u32 = u32::MAX;

    /// A block with a number.
    pub const fn numeric(name: &'static str, id: u32, data: u8) -> Self {
        Self {
            name,
            states: &[],
            id,
            data,
        }
    }

    /// A block of palettes.
    pub const fn named(name: &'static str) -> Self {
        Self {
            name,
            states: &[],
            id: Self::NO_NUMBER,
            data: 0,
        }
    }

    /// A block of a name made at run time, kept for as long as the test runs.
    pub fn made(name: String) -> Self {
        Self::named(Box::leak(name.into_boxed_str()))
    }

    /// This block in another state.
    pub const fn with(self, states: &'static [(&'static str, State)]) -> Self {
        Self { states, ..self }
    }

    /// Returns whether a query passes over the block.
    pub fn is_nothing(&self) -> bool {
        let path = self.name.strip_prefix("minecraft:").unwrap_or("something");
        matches!(path, "air" | "barrier" | "structure_void") || path.starts_with("light_block")
    }

    /// The entry of a palette.
    pub fn entry(&self, entries: Entries) -> Vec<u8> {
        let mut tag = Tag::compound([("name", Tag::string(self.name))]);
        match entries {
            Entries::Val => tag.set("val", Tag::Short(i16::from(self.data))),
            Entries::States(version) => {
                let states = self
                    .states
                    .iter()
                    .map(|(name, state)| ((*name).to_owned(), state.tag()));
                tag.set("states", Tag::Compound(states.collect()));
                if let Some(version) = version {
                    tag.set("version", Tag::Int(version));
                }
            }
        }

        tag.bedrock_document()
    }
}

impl State {
    fn tag(self) -> Tag {
        match self {
            Self::Flag(is_set) => Tag::Byte(i8::from(is_set)),
            Self::Number(number) => Tag::Int(number),
            Self::Text(text) => Tag::string(text),
        }
    }
}

pub const AIR: Block = Block::numeric("minecraft:air", 0, 0);
pub const STONE: Block = Block::numeric("minecraft:stone", 1, 0);
pub const DIRT: Block = Block::numeric("minecraft:dirt", 3, 0);
pub const COBBLESTONE: Block = Block::numeric("minecraft:cobblestone", 4, 0);
pub const BEDROCK: Block = Block::numeric("minecraft:bedrock", 7, 0);
pub const WATER: Block =
    Block::numeric("minecraft:water", 9, 0).with(&[("liquid_depth", State::Number(0))]);
pub const LAVA: Block =
    Block::numeric("minecraft:lava", 11, 0).with(&[("liquid_depth", State::Number(0))]);
pub const SAND: Block = Block::numeric("minecraft:sand", 12, 0);
pub const GRAVEL: Block = Block::numeric("minecraft:gravel", 13, 0);
pub const GLASS: Block = Block::numeric("minecraft:glass", 20, 0);
pub const SANDSTONE: Block = Block::numeric("minecraft:sandstone", 24, 0);
pub const OBSIDIAN: Block = Block::numeric("minecraft:obsidian", 49, 0);
pub const GLOWSTONE: Block = Block::numeric("minecraft:glowstone", 89, 0);
pub const NETHERRACK: Block = Block::numeric("minecraft:netherrack", 87, 0);
pub const END_STONE: Block = Block::numeric("minecraft:end_stone", 121, 0);
/// The name until 1.20.70.
pub const GRASS: Block = Block::numeric("minecraft:grass", 2, 0);
pub const GRASS_BLOCK: Block = Block::named("minecraft:grass_block");
/// Until 1.19.70 its state distinguishes it, and before that its data.
pub const RED_WOOL: Block =
    Block::numeric("minecraft:wool", 35, 14).with(&[("color", State::Text("red"))]);
pub const BIRCH_LOG: Block = Block::numeric("minecraft:log", 17, 2).with(&[
    ("old_log_type", State::Text("birch")),
    ("pillar_axis", State::Text("y")),
]);
pub const BIRCH_LEAVES: Block = Block::numeric("minecraft:leaves", 18, 2).with(&[
    ("old_leaf_type", State::Text("birch")),
    ("persistent_bit", State::Flag(false)),
    ("update_bit", State::Flag(false)),
]);
pub const POPPY: Block =
    Block::numeric("minecraft:red_flower", 38, 0).with(&[("flower_type", State::Text("poppy"))]);
/// Names of 1.21.
pub const NEW_RED_WOOL: Block = Block::named("minecraft:red_wool");
pub const NEW_BIRCH_LOG: Block =
    Block::named("minecraft:birch_log").with(&[("pillar_axis", State::Text("y"))]);
pub const NEW_BIRCH_LEAVES: Block = Block::named("minecraft:birch_leaves").with(&[
    ("persistent_bit", State::Flag(false)),
    ("update_bit", State::Flag(false)),
]);
pub const NEW_POPPY: Block = Block::named("minecraft:poppy");
pub const DEEPSLATE: Block =
    Block::named("minecraft:deepslate").with(&[("pillar_axis", State::Text("y"))]);
/// A block that differs from the block of Java Edition with the same name.
pub const SNOW: Block = Block::numeric("minecraft:snow", 80, 0);
pub const SNOW_LAYER: Block = Block::numeric("minecraft:snow_layer", 78, 1).with(&[
    ("covered_bit", State::Flag(false)),
    ("height", State::Number(1)),
]);
pub const STONE_STAIRS: Block = Block::numeric("minecraft:stone_stairs", 67, 2).with(&[
    ("upside_down_bit", State::Flag(false)),
    ("weirdo_direction", State::Number(2)),
]);
pub const NETHER_BRICK: Block = Block::numeric("minecraft:nether_brick", 112, 0);
pub const BARRIER: Block = Block::named("minecraft:barrier");
pub const STRUCTURE_VOID: Block = Block::numeric("minecraft:structure_void", 217, 0);
pub const LIGHT: Block = Block::named("minecraft:light_block_14");
pub const OLD_LIGHT: Block =
    Block::named("minecraft:light_block").with(&[("block_light_level", State::Number(14))]);
/// These are all red unless their block entities have another colour.
pub const BED: Block =
    Block::numeric("minecraft:bed", 26, 0).with(&[("head_piece_bit", State::Flag(false))]);
pub const BED_HEAD: Block =
    Block::numeric("minecraft:bed", 26, 8).with(&[("head_piece_bit", State::Flag(true))]);
/// These are white unless their block entities have another colour.
pub const BANNER: Block = Block::numeric("minecraft:standing_banner", 176, 0)
    .with(&[("ground_sign_direction", State::Number(0))]);
pub const WALL_BANNER: Block =
    Block::numeric("minecraft:wall_banner", 177, 2).with(&[("facing_direction", State::Number(2))]);
/// These exist only in Bedrock Edition.
pub const INVISIBLE_BEDROCK: Block = Block::numeric("minecraft:invisibleBedrock", 95, 0);
pub const NETHER_REACTOR: Block = Block::numeric("minecraft:netherreactor", 247, 0);
/// A number that no version of the game has.
pub const NUMBER_254: Block = Block::numeric("numeric:254:7", 254, 7);
/// A block of a behaviour pack.
pub const OWN: Block = Block::named("example:lamp").with(&[("example:lit", State::Flag(true))]);
