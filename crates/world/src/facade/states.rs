//! Makes the table of names keep every stored property of every block.

use super::block::is_air;
use crate::names::{Describe, Traits};

/// Describes all blocks as unknown, because only unknown blocks keep all their properties.
#[derive(Debug)]
pub(super) struct AllStates;

impl Describe for AllStates {
    fn drawn_properties(&self, _: &str) -> Vec<String> {
        Vec::new()
    }

    fn traits(&self, name: &str, _: &str) -> Traits {
        match name {
            name if is_air(name) => Traits::NOTHING,
            "minecraft:barrier" | "minecraft:light" | "minecraft:structure_void" => {
                Traits::NOTHING.with(Traits::UNKNOWN)
            }
            // Chunks of Bedrock Edition need it to find the water in the cells of other blocks.
            "minecraft:water" | "minecraft:bubble_column" => Traits::WATER.with(Traits::UNKNOWN),
            _ => Traits::UNKNOWN,
        }
    }

    fn knows_biome(&self, _: &str) -> bool {
        true
    }
}
