//! The colours of biomes in layer `biome`. The colour of a biome depends on its name alone, so that
//! the same biome has the same colour on all maps.
//!
//! A biome of the game has a colour of its own: the colour of its grass, leaves, water, sand or
//! stone, as far as the neighbours of the biome differ from it. A biome of a mod takes a
//! colour near the one of a similar biome of the game, or any colour.

use crate::layers::colours::tone::Rgb;

/// The biomes of the game, sorted by name, without `minecraft:`.
const OWN_COLOURS: [(&str, Rgb); 67] = [
    ("badlands", [196, 92, 40]),
    ("bamboo_jungle", [92, 214, 24]),
    ("basalt_deltas", [84, 80, 90]),
    ("beach", [240, 222, 150]),
    ("birch_forest", [180, 208, 150]),
    ("cherry_grove", [242, 164, 200]),
    ("cold_ocean", [58, 84, 208]),
    ("crimson_forest", [190, 24, 34]),
    ("dappled_forest", [230, 140, 48]),
    ("dark_forest", [48, 74, 28]),
    ("deep_cold_ocean", [38, 34, 116]),
    ("deep_dark", [14, 44, 54]),
    ("deep_frozen_ocean", [86, 52, 160]),
    ("deep_lukewarm_ocean", [36, 108, 170]),
    ("deep_ocean", [28, 66, 140]),
    ("desert", [246, 198, 96]),
    ("dripstone_caves", [136, 106, 92]),
    ("end_barrens", [150, 140, 106]),
    ("end_highlands", [198, 160, 208]),
    ("end_midlands", [224, 198, 190]),
    ("eroded_badlands", [222, 122, 80]),
    ("flower_forest", [100, 164, 94]),
    ("forest", [70, 138, 46]),
    ("frozen_ocean", [128, 120, 226]),
    ("frozen_peaks", [156, 190, 240]),
    ("frozen_river", [178, 168, 250]),
    ("grove", [150, 194, 180]),
    ("ice_spikes", [184, 232, 242]),
    ("jagged_peaks", [184, 190, 212]),
    ("jungle", [40, 168, 24]),
    ("lukewarm_ocean", [69, 173, 242]),
    ("lush_caves", [48, 150, 104]),
    ("mangrove_swamp", [132, 156, 48]),
    ("meadow", [80, 186, 152]),
    ("mushroom_fields", [164, 92, 176]),
    ("nether_wastes", [128, 36, 40]),
    ("ocean", [60, 116, 228]),
    ("old_growth_birch_forest", [150, 172, 110]),
    ("old_growth_pine_taiga", [110, 98, 50]),
    ("old_growth_spruce_taiga", [40, 92, 64]),
    ("pale_garden", [158, 164, 160]),
    ("plains", [160, 196, 96]),
    ("river", [98, 150, 240]),
    ("savanna", [191, 183, 85]),
    ("savanna_plateau", [156, 140, 50]),
    ("small_end_islands", [124, 120, 100]),
    ("snowy_beach", [226, 222, 198]),
    ("snowy_plains", [240, 246, 250]),
    ("snowy_slopes", [208, 220, 240]),
    ("snowy_taiga", [108, 156, 144]),
    ("soul_sand_valley", [90, 68, 54]),
    ("sparse_jungle", [62, 196, 110]),
    ("stony_peaks", [204, 192, 166]),
    ("stony_shore", [126, 142, 160]),
    ("sulfur_caves", [214, 224, 40]),
    ("sunflower_plains", [208, 218, 120]),
    ("swamp", [98, 112, 78]),
    ("taiga", [64, 122, 94]),
    ("the_end", [244, 242, 178]),
    ("the_void", [34, 28, 46]),
    ("warm_ocean", [67, 213, 238]),
    ("warped_forest", [22, 140, 126]),
    ("windswept_forest", [86, 112, 112]),
    ("windswept_gravelly_hills", [150, 138, 138]),
    ("windswept_hills", [124, 144, 124]),
    ("windswept_savanna", [184, 174, 130]),
    ("wooded_badlands", [152, 104, 58]),
];

/// Words in names of other biomes, and the biomes of the game that look like them. The first word of
/// this list that a name contains decides.
const SIMILAR: [(&str, &str); 43] = [
    ("deep_frozen", "deep_frozen_ocean"),
    ("frozen_ocean", "frozen_ocean"),
    ("deep_ocean", "deep_ocean"),
    ("warm_ocean", "warm_ocean"),
    ("ocean", "ocean"),
    ("frozen_river", "frozen_river"),
    ("river", "river"),
    ("lake", "river"),
    ("beach", "beach"),
    ("shore", "stony_shore"),
    ("ice", "ice_spikes"),
    ("jagged", "jagged_peaks"),
    ("frozen", "frozen_peaks"),
    ("snowy", "snowy_plains"),
    ("cherry", "cherry_grove"),
    ("sakura", "cherry_grove"),
    ("autumn", "dappled_forest"),
    ("maple", "dappled_forest"),
    ("mangrove", "mangrove_swamp"),
    ("grove", "grove"),
    ("swamp", "swamp"),
    ("badlands", "badlands"),
    ("desert", "desert"),
    ("savanna", "savanna"),
    ("jungle", "jungle"),
    ("dark_forest", "dark_forest"),
    ("birch", "birch_forest"),
    ("flower", "flower_forest"),
    ("taiga", "taiga"),
    ("crimson", "crimson_forest"),
    ("warped", "warped_forest"),
    ("soul", "soul_sand_valley"),
    ("basalt", "basalt_deltas"),
    ("nether", "nether_wastes"),
    ("end", "end_midlands"),
    ("forest", "forest"),
    ("plains", "plains"),
    ("meadow", "meadow"),
    ("mushroom", "mushroom_fields"),
    ("cave", "dripstone_caves"),
    ("peak", "stony_peaks"),
    ("mountain", "windswept_hills"),
    ("hills", "windswept_hills"),
];

/// How much a name may change each channel of the colour of a similar biome, up or down.
const SPREAD: i32 = 26;

/// Returns the colour of a biome. The name includes the namespace.
pub(super) fn biome_colour(name: &str) -> Rgb {
    if let Some(colour) = name.strip_prefix("minecraft:").and_then(own_colour) {
        return colour;
    }

    // We use FNV-1a because its result is the same on every machine and in every version of the
    // program.
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let part = |at: usize| (hash.rotate_right(at as u32 * 16) >> 24 & 0xffff) as i32;

    let base = similar_colour(name)
        .unwrap_or_else(|| std::array::from_fn(|channel| (40 + part(channel) % 176) as u8));

    std::array::from_fn(|channel| {
        let change = part(channel) % (2 * SPREAD + 1) - SPREAD;
        (i32::from(base[channel]) + change).clamp(0, 255) as u8
    })
}

/// Returns the colour of a biome of the game, or `None` for any other name.
fn own_colour(name: &str) -> Option<Rgb> {
    let at = OWN_COLOURS
        .binary_search_by_key(&name, |(own, _)| own)
        .ok()?;
    Some(OWN_COLOURS[at].1)
}

/// Returns the colour of a biome of the game that has a similar name.
fn similar_colour(name: &str) -> Option<Rgb> {
    let place = name.rsplit(':').next().unwrap_or(name);
    let (_, similar) = SIMILAR.iter().find(|(word, _)| place.contains(word))?;
    own_colour(similar)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of the game's biomes, without aliases.
    fn names() -> Vec<&'static str> {
        let table = include_str!("../../palette/biomes.tsv").lines();
        table
            .filter_map(|line| line.split_once('\t'))
            .filter(|(name, colours)| !name.starts_with('#') && !colours.starts_with('='))
            .map(|(name, _)| name)
            .collect()
    }

    #[test]
    fn every_biome_of_the_game_has_its_colour() {
        assert!(OWN_COLOURS.is_sorted_by_key(|(name, _)| name));
        assert_eq!(OWN_COLOURS.map(|(name, _)| name).as_slice(), names());
    }

    #[test]
    fn colours_of_the_games_biomes_differ_clearly() {
        for (at, (one, a)) in OWN_COLOURS.iter().enumerate() {
            for (other, b) in &OWN_COLOURS[..at] {
                let apart: i32 = (0..3).map(|c| i32::from(a[c].abs_diff(b[c]))).sum();
                assert!(apart >= 32, "{one} {a:?} and {other} {b:?}");
            }
        }
    }

    #[test]
    fn cherry_groves_are_pink_and_autumn_is_orange() {
        let [red, green, blue] = biome_colour("minecraft:cherry_grove");
        assert!(red > blue && blue > green + 20, "{red} {green} {blue}");
        let [red, green, blue] = biome_colour("minecraft:dappled_forest");
        assert!(
            red > green + 60 && green > blue + 60,
            "{red} {green} {blue}"
        );
    }

    #[test]
    fn words_name_biomes_of_the_game() {
        for (word, similar) in SIMILAR {
            assert!(own_colour(similar).is_some(), "{word}");
        }
    }

    #[test]
    fn names_have_the_same_colour_in_every_version() {
        let [red, green, blue] = biome_colour("minecraft:cherry_grove");
        assert!(
            red > 230 && green < 180 && blue > 180,
            "the blossoms are pink"
        );
        let [red, green, blue] = biome_colour("minecraft:dappled_forest");
        assert!(
            red > 220 && green < 160 && blue < 80,
            "the leaves are orange"
        );

        assert_eq!(biome_colour("minecraft:plains"), [160, 196, 96]);
        assert_eq!(biome_colour("mod:a"), [57, 73, 188], "without a known word");
        assert_eq!(
            biome_colour("mod:plains"),
            [179, 189, 100],
            "near the plains of the game"
        );
    }
}
