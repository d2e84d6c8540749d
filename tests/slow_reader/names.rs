//! Names of numeric blocks and biomes.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use fastnbt::Value;

use super::tree::{self, compound, list, text, whole};

/// The names of a world's numbers.
#[derive(Debug, Clone, Default)]
pub struct Numbers {
    /// Names by id and data.
    table: HashMap<(u32, u32), String>,
    /// Properties, such as `axis=x,lit=true`, by id and data.
    properties: HashMap<(u32, u32), String>,
    /// Blocks of the world's own registry, by id.
    forge: HashMap<u32, String>,
    forge_biomes: HashMap<u32, String>,
}

impl Numbers {
    /// Reads the program's table: lines of `id:data`, a tab, `name[properties]`.
    pub fn parse(table: &str) -> Self {
        let mut numbers = Self::default();
        for line in table
            .lines()
            .filter(|line| !line.starts_with('#') && !line.is_empty())
        {
            let (key, state) = line.split_once('\t').unwrap();
            let (id, data) = key.split_once(':').unwrap();
            let (name, properties) = state
                .trim_end()
                .split_once('[')
                .unwrap_or((state.trim_end(), "]"));
            let (id, data) = (id.parse().unwrap(), data.parse().unwrap());
            numbers.insert(id, data, name);
            numbers
                .properties
                .insert((id, data), properties.trim_end_matches(']').to_owned());
        }

        numbers
    }

    /// Adds one pair.
    pub fn insert(&mut self, id: u32, data: u32, name: &str) {
        self.table.insert((id, data), full(name));
    }

    /// Adds the registry of a world's level.dat, if there is a readable one.
    pub fn with_level_dat(mut self, path: &Path) -> Self {
        let Ok(bytes) = fs::read(path) else {
            return self;
        };

        let mut plain = Vec::new();
        if std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&bytes[..]), &mut plain)
            .is_err()
        {
            return self;
        }

        let Ok(root) = tree::read(&plain) else {
            return self;
        };

        // 1.13 to 1.17 store only biomes as numbers.
        if let Some(registries) =
            compound(root.get("fml")).and_then(|fml| compound(fml.get("Registries")))
        {
            self.forge_biomes
                .extend(registry(registries.get("minecraft:biome")));
            self.forge_biomes
                .extend(registry(registries.get("minecraft:worldgen/biome")));
        }

        let Some(fml) = compound(root.get("FML")) else {
            return self;
        };

        // 1.7: one table of blocks and items, which differ in the first character of the key.
        for pair in list(fml.get("ItemData")).unwrap_or_default() {
            if let Some((name, id)) = key_and_value(pair)
                && let Some(name) = name.strip_prefix('\u{1}')
            {
                self.forge.insert(id, full(name));
            }
        }

        // 1.3 to 1.6: a table of items, in which block items have the numbers of their blocks.
        for item in list(fml.get("ModItemData"))
            .unwrap_or_default()
            .iter()
            .filter_map(|item| compound(Some(item)))
        {
            let said = |key: &str| text(item.get(key)).filter(|said| !said.is_empty());
            let (Some(of_mod), Some(class), Some(id)) =
                (said("ModId"), said("ItemType"), whole(item.get("ItemId")))
            else {
                continue;
            };

            let class = class.rsplit('.').next().unwrap().to_owned();
            let named = format!("{class}_{}", whole(item.get("ordinal")).unwrap_or(0));
            let (by, name) = (
                said("ForcedModId").unwrap_or(of_mod),
                said("ForcedName").unwrap_or(&named),
            );

            if of_mod != "Minecraft" && (0..4096).contains(&id) {
                self.forge.insert(id as u32, format!("{by}:{name}"));
            }
        }

        let Some(registries) = compound(fml.get("Registries")) else {
            return self;
        };

        self.forge
            .extend(registry(registries.get("minecraft:blocks")));
        self.forge_biomes
            .extend(registry(registries.get("minecraft:biomes")));

        self
    }

    /// The first of these names that exists: the name of a mod in the world's registry, the name in
    /// the table, the name in the table for the least data, any other name in the registry, or the
    /// number.
    pub fn block(&self, id: u32, data: u32) -> String {
        if let Some(name) = of_mod(self.forge.get(&id)) {
            return name.clone();
        }

        let least = || (0..16).find_map(|data| self.table.get(&(id, data)));
        let known = self
            .table
            .get(&(id, data))
            .or_else(least)
            .or_else(|| self.forge.get(&id));

        known
            .cloned()
            .unwrap_or_else(|| format!("numeric:{id}:{data}"))
    }

    /// Returns the properties that follow from a block's number.
    pub fn properties(&self, id: u32, data: u32) -> String {
        if of_mod(self.forge.get(&id)).is_some() {
            return String::new();
        }
        let least = || (0..16).find_map(|data| self.properties.get(&(id, data)));
        let known = self.properties.get(&(id, data)).or_else(least);
        known.cloned().unwrap_or_default()
    }

    /// The name of a biome in a chunk of this version: the name of a mod in the world's registry,
    /// the name in the game at that time, any other name in the registry, or the number.
    pub fn biome(&self, id: u32, data_version: Option<i64>) -> String {
        let stored = self.forge_biomes.get(&id);
        let is_new = data_version.is_some_and(|version| version >= 1519);
        let games = if is_new || id < 40 || id == 127 || (129..168).contains(&id) {
            biome(id)
        } else {
            None
        };

        let known = of_mod(stored).or(games.as_ref()).or(stored).cloned();
        known.unwrap_or_else(|| format!("numeric:{id}"))
    }
}

/// The ids and names of one of the registries of 1.8 to 1.12.
fn registry(table: Option<&Value>) -> HashMap<u32, String> {
    let pairs = compound(table)
        .and_then(|table| list(table.get("ids")))
        .unwrap_or_default();
    pairs
        .iter()
        .filter_map(key_and_value)
        .map(|(name, id)| (id, full(&name)))
        .collect()
}

/// A registry's name, if it is not the game's.
fn of_mod(name: Option<&String>) -> Option<&String> {
    name.filter(|name| !name.starts_with("minecraft:"))
}

fn key_and_value(pair: &Value) -> Option<(String, u32)> {
    let pair = compound(Some(pair))?;
    Some((
        text(pair.get("K"))?.to_owned(),
        u32::try_from(whole(pair.get("V"))?).ok()?,
    ))
}

/// A name with its namespace.
pub fn full(name: &str) -> String {
    if name.contains(':') {
        name.to_owned()
    } else {
        format!("minecraft:{name}")
    }
}

/// The game's name for a numeric biome in 1.13 to 1.17. Since 1.18 the game renames some biomes
/// when it converts a world.
fn biome(id: u32) -> Option<String> {
    let by_range: &[(u32, &[&str])] = &[(0, FROM_0), (127, FROM_127), (155, FROM_155)];
    let found = by_range
        .iter()
        .find_map(|(first, names)| names.get(id.checked_sub(*first)? as usize));
    let name = found.copied().or(match id {
        140 => Some("ice_spikes"),
        149 => Some("modified_jungle"),
        151 => Some("modified_jungle_edge"),
        _ => None,
    });
    name.filter(|name| !name.is_empty()).map(full)
}

const FROM_0: &[&str] = &[
    "ocean",
    "plains",
    "desert",
    "mountains",
    "forest",
    "taiga",
    "swamp",
    "river",
    "nether_wastes",
    "the_end",
    "frozen_ocean",
    "frozen_river",
    "snowy_tundra",
    "snowy_mountains",
    "mushroom_fields",
    "mushroom_field_shore",
    "beach",
    "desert_hills",
    "wooded_hills",
    "taiga_hills",
    "mountain_edge",
    "jungle",
    "jungle_hills",
    "jungle_edge",
    "deep_ocean",
    "stone_shore",
    "snowy_beach",
    "birch_forest",
    "birch_forest_hills",
    "dark_forest",
    "snowy_taiga",
    "snowy_taiga_hills",
    "giant_tree_taiga",
    "giant_tree_taiga_hills",
    "wooded_mountains",
    "savanna",
    "savanna_plateau",
    "badlands",
    "wooded_badlands_plateau",
    "badlands_plateau",
    "small_end_islands",
    "end_midlands",
    "end_highlands",
    "end_barrens",
    "warm_ocean",
    "lukewarm_ocean",
    "cold_ocean",
    "deep_warm_ocean",
    "deep_lukewarm_ocean",
    "deep_cold_ocean",
    "deep_frozen_ocean",
];
const FROM_127: &[&str] = &[
    "the_void",
    "",
    "sunflower_plains",
    "desert_lakes",
    "gravelly_mountains",
    "flower_forest",
    "taiga_mountains",
    "swamp_hills",
];
const FROM_155: &[&str] = &[
    "tall_birch_forest",
    "tall_birch_hills",
    "dark_forest_hills",
    "snowy_taiga_mountains",
    "",
    "giant_spruce_taiga",
    "giant_spruce_taiga_hills",
    "modified_gravelly_mountains",
    "shattered_savanna",
    "shattered_savanna_plateau",
    "eroded_badlands",
    "modified_wooded_badlands_plateau",
    "modified_badlands_plateau",
    "bamboo_jungle",
    "bamboo_jungle_hills",
    "soul_sand_valley",
    "crimson_forest",
    "warped_forest",
    "basalt_deltas",
    "dripstone_caves",
    "lush_caves",
    "",
    "meadow",
    "grove",
    "snowy_slopes",
    "snowcapped_peaks",
    "lofty_peaks",
    "stony_peaks",
];
