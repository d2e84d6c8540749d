//! Recognizes blocks that are above the land without being a roof over the blocks below: trees,
//! other plants that grow as high, and ice. They are recognized by name, so that this also works
//! for mods.

/// The endings of the names of such blocks.
const ENDS: [&str; 16] = [
    "_leaves",
    "_log",
    "_wood",
    "_bark",
    "_stem",
    "_hyphae",
    "_roots",
    "_mushroom_block",
    "_wart_block",
    "shroomlight",
    "cactus",
    "bee_nest",
    "chorus_plant",
    "chorus_flower",
    "_ice",
    ":ice",
];

/// Returns whether a block (name with namespace) does not count as a roof. A stripped trunk counts
/// as one, because a player has placed it as part of a building.
pub(super) fn is_no_roof(name: &str) -> bool {
    ENDS.iter().any(|end| name.ends_with(end)) && !name.contains(":stripped_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn natural_blocks_are_distinguished_from_built_ones() {
        let grown = [
            "oak_log",
            "cherry_leaves",
            "red_mushroom_block",
            "cactus",
            "ice",
            "packed_ice",
        ];

        assert!(
            grown
                .into_iter()
                .all(|name| is_no_roof(&format!("minecraft:{name}")))
        );
        assert!(is_no_roof("mod:fir_log"));

        let built = [
            "oak_planks",
            "stripped_oak_log",
            "stone",
            "hay_block",
            "air",
            "device",
        ];

        assert!(
            !built
                .into_iter()
                .any(|name| is_no_roof(&format!("minecraft:{name}")))
        );
    }
}
