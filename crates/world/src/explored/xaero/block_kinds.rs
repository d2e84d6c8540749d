//! Describes how Xaero's World Map treats each block on its way down a column: it skips some
//! blocks, adds others as overlays, and ends at the first of the rest.

use crate::names::{Describe, Traits};

/// The property of a block with water in the same cell.
const WATERLOGGED: &str = "waterlogged";

/// Blocks that the mod skips, because maps of the game do not show them or the mod lists them.
const SKIPPED: [&str; 27] = [
    "barrier",
    "bubble_column",
    "cake",
    "comparator",
    "end_rod",
    "flower_pot",
    "glass",
    "glass_pane",
    "grass",
    "iron_bars",
    "ladder",
    "large_fern",
    "lever",
    "light",
    "moving_piston",
    "nether_portal",
    "pitcher_crop",
    "rail",
    "redstone_wire",
    "repeater",
    "short_grass",
    "small_dripleaf",
    "structure_void",
    "tall_grass",
    "tall_seagrass",
    "tripwire",
    "tripwire_hook",
];
/// The ends and beginnings of the names of more such blocks.
const SKIPPED_ENDS: [&str; 8] = [
    "_bars",
    "_button",
    "_candle_cake",
    "_head",
    "_rail",
    "_skull",
    "_stained_glass_pane",
    "torch",
];
const SKIPPED_STARTS: [&str; 1] = ["potted_"];
/// Transparent blocks, which become overlays, with the light that each takes.
const OVERLAYS: [(&str, u8); 5] = [
    ("frosted_ice", 1),
    ("honey_block", 0),
    ("ice", 1),
    ("slime_block", 1),
    ("tinted_glass", 15),
];
const OVERLAY_END: &str = "_stained_glass";
/// Plants that always have water in their cell.
const WET_PLANTS: [&str; 4] = ["kelp", "kelp_plant", "seagrass", "tall_seagrass"];

/// The table of blocks for a reader of chunks. It calls every block unknown, because only unknown
/// blocks keep all their properties. The light of its traits is the light that a block takes.
#[derive(Debug)]
pub(super) struct BlockKinds;

impl Describe for BlockKinds {
    fn drawn_properties(&self, _: &str) -> Vec<String> {
        vec![WATERLOGGED.to_owned()]
    }

    fn traits(&self, name: &str, state: &str) -> Traits {
        let is_wet = state.contains("waterlogged=true");
        let Some(name) = name.strip_prefix("minecraft:") else {
            return wet_if(Traits::UNKNOWN, is_wet);
        };

        let seen = match name {
            "air" | "cave_air" | "void_air" => return Traits::NOTHING,
            "water" | "flowing_water" => Traits::WATER,
            _ if is_skipped(name) => Traits::HIDDEN,
            _ => {
                light_taken(name).map_or(Traits::GROUND, |light| Traits::OVERLAY.with_light(light))
            }
        };

        let is_wet = is_wet || name == "bubble_column" || WET_PLANTS.contains(&name);
        wet_if(seen.with(Traits::UNKNOWN), is_wet)
    }

    fn knows_biome(&self, _: &str) -> bool {
        true
    }
}

fn wet_if(traits: Traits, is_wet: bool) -> Traits {
    if is_wet {
        traits.with(Traits::WET)
    } else {
        traits
    }
}

fn is_skipped(name: &str) -> bool {
    SKIPPED.contains(&name)
        || SKIPPED_ENDS.iter().any(|end| name.ends_with(end)) && name != "piston_head"
        || SKIPPED_STARTS.iter().any(|start| name.starts_with(start))
}

/// Returns the light that a block takes if it becomes an overlay.
fn light_taken(name: &str) -> Option<u8> {
    let known = OVERLAYS.iter().find(|(overlay, _)| *overlay == name);
    known
        .map(|(_, light)| *light)
        .or_else(|| name.ends_with(OVERLAY_END).then_some(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_skipped_seen_through_or_solid() {
        let traits = |name: &str, state: &str| {
            BlockKinds
                .traits(&format!("minecraft:{name}"), state)
                .without(Traits::UNKNOWN)
        };

        for name in ["wall_torch", "glass", "oak_button", "potted_fern", "rail"] {
            assert_eq!(traits(name, ""), Traits::HIDDEN, "{name}");
        }

        for name in ["stone", "lava", "oak_leaves", "fern", "packed_ice", "snow"] {
            assert_eq!(traits(name, ""), Traits::GROUND, "{name}");
        }

        assert_eq!(traits("ice", ""), Traits::OVERLAY.with_light(1));
        assert_eq!(traits("red_stained_glass", ""), Traits::OVERLAY);
        assert_eq!(traits("oak_slab", "waterlogged=true"), Traits::WET);
        assert_eq!(
            traits("tall_seagrass", ""),
            Traits::HIDDEN.with(Traits::WET)
        );
    }
}
