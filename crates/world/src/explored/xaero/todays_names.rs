//! Gives blocks and biomes the names that they have in the versions of the game which read files
//! of version 6.8, because the mod does not rename the names in such a file.

use std::borrow::Cow;

/// Blocks that have another name now.
const BLOCKS: [(&str, &str); 4] = [
    ("minecraft:flowing_lava", "minecraft:lava"),
    ("minecraft:grass_path", "minecraft:dirt_path"),
    ("minecraft:sign", "minecraft:oak_sign"),
    ("minecraft:wall_sign", "minecraft:oak_wall_sign"),
];
/// The name of the smooth stone slab until 1.13.
const OLD_SLAB: &str = "minecraft:stone_slab";
const SMOOTH_SLAB: &str = "minecraft:smooth_stone_slab";

/// Biomes that 1.18 renamed or joined with another one, in the namespace `minecraft`.
#[rustfmt::skip]
const BIOMES: [(&str, &str); 38] = [
    ("badlands_plateau", "badlands"), ("bamboo_jungle_hills", "bamboo_jungle"),
    ("birch_forest_hills", "birch_forest"), ("dark_forest_hills", "dark_forest"),
    ("deep_warm_ocean", "warm_ocean"), ("desert_hills", "desert"), ("desert_lakes", "desert"),
    ("giant_spruce_taiga", "old_growth_spruce_taiga"),
    ("giant_spruce_taiga_hills", "old_growth_spruce_taiga"),
    ("giant_tree_taiga", "old_growth_pine_taiga"),
    ("giant_tree_taiga_hills", "old_growth_pine_taiga"),
    ("gravelly_mountains", "windswept_gravelly_hills"), ("jungle_edge", "sparse_jungle"),
    ("jungle_hills", "jungle"), ("modified_badlands_plateau", "badlands"),
    ("modified_gravelly_mountains", "windswept_gravelly_hills"), ("modified_jungle", "jungle"),
    ("modified_jungle_edge", "sparse_jungle"),
    ("modified_wooded_badlands_plateau", "wooded_badlands"), ("mountain_edge", "windswept_hills"),
    ("mountains", "windswept_hills"), ("mushroom_field_shore", "mushroom_fields"),
    ("nether", "nether_wastes"), ("shattered_savanna", "windswept_savanna"),
    ("shattered_savanna_plateau", "windswept_savanna"), ("snowy_mountains", "snowy_plains"),
    ("snowy_taiga_hills", "snowy_taiga"), ("snowy_taiga_mountains", "snowy_taiga"),
    ("snowy_tundra", "snowy_plains"), ("stone_shore", "stony_shore"), ("swamp_hills", "swamp"),
    ("taiga_hills", "taiga"), ("taiga_mountains", "taiga"),
    ("tall_birch_forest", "old_growth_birch_forest"),
    ("tall_birch_hills", "old_growth_birch_forest"),
    ("wooded_badlands_plateau", "wooded_badlands"), ("wooded_hills", "forest"),
    ("wooded_mountains", "windswept_forest"),
   
];

/// Returns the present name of a block. `is_old` means that the chunk was saved before 1.14.
pub(super) fn block(name: &str, is_old: bool) -> Cow<'_, str> {
    if is_old && name == OLD_SLAB {
        return SMOOTH_SLAB.into();
    }

    let known = BLOCKS.iter().find(|(old, _)| *old == name);
    known.map_or_else(|| valid(name), |(_, new)| (*new).into())
}

/// Returns the present name of a biome.
pub(super) fn biome(name: &str) -> Cow<'_, str> {
    let short = name.strip_prefix("minecraft:").unwrap_or_default();
    let known = BIOMES.iter().find(|(old, _)| *old == short);
    known.map_or_else(|| valid(name), |(_, new)| format!("minecraft:{new}").into())
}

/// Returns a name that the game accepts, because it refuses the whole file because of another one.
/// Worlds before 1.13 have blocks whose only name is a number, and mods had capitals.
fn valid(name: &str) -> Cow<'_, str> {
    let (namespace, path) = name.split_once(':').unwrap_or(("minecraft", name));
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-.".contains(c);
    let is_valid = !namespace.is_empty()
        && namespace.chars().all(is_plain)
        && path.chars().all(|c| is_plain(c) || c == '/');
    if is_valid && name.contains(':') {
        return name.into();
    }

    let plain = |text: &str| -> String {
        let letters = text.chars().map(|c| c.to_ascii_lowercase());
        letters.map(|c| if is_plain(c) { c } else { '_' }).collect()
    };

    format!("{}:{}", plain(namespace), plain(path)).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_and_invalid_names_become_valid() {
        assert_eq!(block("minecraft:grass_path", false), "minecraft:dirt_path");
        assert_eq!(block(OLD_SLAB, true), SMOOTH_SLAB);
        assert_eq!(block(OLD_SLAB, false), OLD_SLAB);
        assert_eq!(block("numeric:3000:4", true), "numeric:3000_4");
        assert_eq!(block("IC2:blockMachine", true), "ic2:blockmachine");
        assert_eq!(biome("minecraft:mountains"), "minecraft:windswept_hills");
        assert_eq!(biome("mod:mountains"), "mod:mountains");
    }
}
