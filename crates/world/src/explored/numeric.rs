//! Names of the numeric ids of blocks and biomes in files from before 1.13 and 1.18. Map mods do not
//! store the registry of Forge, so ids of mods stay numbers.

use std::sync::OnceLock;

use crate::explored::columns::State;
use crate::names::{BiomeEra, NUMERIC_BIOMES, NUMERIC_BLOCKS, NumericNames};

fn names() -> &'static NumericNames {
    static NAMES: OnceLock<NumericNames> = OnceLock::new();
    NAMES.get_or_init(|| NumericNames::new(NUMERIC_BLOCKS, NUMERIC_BIOMES))
}

/// Returns the state of a numeric block.
pub(super) fn block(id: u32, data: u16) -> State {
    let text = names().block(id, data);
    let (name, properties) = text.split_once('[').unwrap_or((&text, ""));
    let properties: Vec<(&str, &str)> = properties
        .trim_end_matches(']')
        .split(',')
        .filter_map(|pair| pair.split_once('='))
        .collect();
    State::named(name, &properties)
}

/// Returns the name of a numeric biome.
pub(super) fn biome(id: u32, era: BiomeEra) -> String {
    names().biome(id, era)
}
