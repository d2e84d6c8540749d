//! Finds the names of the numeric ids in worlds before 1.13.
//!
//! The tables are text, one line per id: `id:data<TAB>name[property=value,...]` for blocks and
//! `id<TAB>name` for biomes. Other ids are looked up in the world's own registry, which Forge
//! stores in level.dat.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// Numeric block ids from before 1.13: lines of `id:data`, a tab, and `name` or
/// `name[property=value,...]`.
///
/// Source: `pc/common/legacy.json` of the package `minecraft-data` (MIT). A pair that is not listed
/// means `id:0`.
pub const NUMERIC_BLOCKS: &str = include_str!("numeric.tsv");

/// Numeric biome ids from before 1.18: lines of the id, a tab, and the last name that the biome had
/// in the game.
pub const NUMERIC_BIOMES: &str = include_str!("biome_ids.tsv");

/// The name for the data of a numeric block as a property.
pub(super) const NUMERIC_DATA: &[u8] = b"data";

/// Names of numeric blocks and biomes. The tables are parsed when the first id is looked up,
/// because few worlds contain any.
#[derive(Debug, Default)]
pub struct NumericNames {
    block_lines: &'static str,
    biome_lines: &'static str,
    /// The table of blocks by id and data.
    blocks: OnceLock<BTreeMap<(u32, u16), &'static str>>,
    biomes: OnceLock<BTreeMap<u32, &'static str>>,
    /// The world's own registry, by id.
    registry: BTreeMap<u32, String>,
    biome_registry: BTreeMap<u32, String>,
}

impl NumericNames {
    /// Makes names from two tables. Malformed lines are skipped, because the tables belong to the
    /// program and a test reads them.
    pub fn new(block_lines: &'static str, biome_lines: &'static str) -> Self {
        Self {
            block_lines,
            biome_lines,
            ..Self::default()
        }
    }

    /// Returns the names in a world: the game's, and the ones of its own registry.
    pub fn of_world(blocks: &BTreeMap<u32, String>, biomes: &BTreeMap<u32, String>) -> Self {
        Self::new(NUMERIC_BLOCKS, NUMERIC_BIOMES).with_registry(blocks.clone(), biomes.clone())
    }

    /// Adds the world's own registry. The names of mods win over the tables, because mods before
    /// 1.13 used numbers that the game later gave to its own blocks and biomes. The game's names in
    /// the registry only fill gaps in the tables.
    #[must_use]
    pub fn with_registry(
        self,
        blocks: BTreeMap<u32, String>,
        biomes: BTreeMap<u32, String>,
    ) -> Self {
        Self {
            registry: blocks,
            biome_registry: biomes,
            ..self
        }
    }

    /// Returns the name of a block, with properties in brackets if the table has them.
    pub fn block(&self, id: u32, data: u16) -> String {
        let registered = self.registry.get(&id).map(String::as_str);
        if let Some(name) = registered.filter(|name| is_mods(name)) {
            return name.to_owned();
        }

        let blocks = self.blocks();

        // For some blocks the table has no line with data 0, but the game stores 0 anyway, for
        // example for chests that face nowhere.
        let known = blocks.get(&(id, data)).or_else(|| {
            let mut of_id = blocks.range((id, 0)..=(id, u16::MAX));
            of_id.next().map(|(_, name)| name)
        });

        known
            .copied()
            .or(registered)
            .map_or_else(|| format!("numeric:{id}:{data}"), str::to_owned)
    }

    /// Returns whether the table lists an id, whatever its data.
    pub(super) fn lists(&self, id: u32) -> bool {
        self.blocks()
            .range((id, 0)..=(id, u16::MAX))
            .next()
            .is_some()
    }

    fn blocks(&self) -> &BTreeMap<(u32, u16), &'static str> {
        self.blocks
            .get_or_init(|| self.block_lines.lines().filter_map(parse_block).collect())
    }

    /// Returns the ids of all blocks whose name passes the test, for some data at least.
    pub fn ids(&self, test: impl Fn(&str) -> bool) -> BTreeSet<u32> {
        let named = self
            .block_lines
            .lines()
            .filter_map(parse_block)
            .map(|((id, _), name)| (id, split_state(name).0));
        let registered = self.registry.iter().map(|(id, name)| (*id, name.as_str()));
        named
            .chain(registered)
            .filter(|(_, name)| test(name))
            .map(|(id, _)| id)
            .collect()
    }

    /// Returns the name that the world's own registry has for a biome.
    pub(super) fn registered_biome(&self, id: u32) -> Option<&str> {
        self.biome_registry.get(&id).map(String::as_str)
    }

    /// Returns the name of a biome in a chunk of this era.
    pub fn biome(&self, id: u32, era: BiomeEra) -> String {
        let biomes = self
            .biomes
            .get_or_init(|| self.biome_lines.lines().filter_map(parse_biome).collect());
        let registered = self.biome_registry.get(&id).map(String::as_str);
        let of_mod = registered.filter(|name| is_mods(name));
        let of_game = if era.has(id) {
            biomes.get(&id).copied()
        } else {
            None
        };

        let known = of_mod.or(of_game).or(registered);
        known.map_or_else(|| format!("numeric:{id}"), str::to_owned)
    }
}

/// The time at which a chunk was stored. It decides which biome numbers belong to the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BiomeEra {
    /// Before 1.13. The game had fewer biomes, and mods used the remaining numbers.
    Before1_13,
    Since1_13,
}

impl BiomeEra {
    /// The first `DataVersion` of 1.13.
    const FIRST: i32 = 1519;

    /// Returns the era of a chunk with this `DataVersion`.
    pub fn new(data_version: Option<i32>) -> Self {
        if data_version.is_some_and(|version| version >= Self::FIRST) {
            Self::Since1_13
        } else {
            Self::Before1_13
        }
    }

    /// Returns whether the game used this number for a biome in this era.
    const fn has(self, id: u32) -> bool {
        matches!(self, Self::Since1_13) || matches!(id, 0..=39 | 127 | 129..=167)
    }
}

/// Returns whether a name in a registry belongs to a mod. Names without a namespace belong to the
/// game.
pub(super) fn is_mods(name: &str) -> bool {
    name.split_once(':')
        .is_some_and(|(namespace, _)| namespace != "minecraft")
}

fn parse_block(line: &str) -> Option<((u32, u16), &str)> {
    let (key, name) = line.split_once('\t')?;
    let (id, data) = key.split_once(':')?;
    Some(((id.parse().ok()?, data.parse().ok()?), name.trim_end()))
}

fn parse_biome(line: &str) -> Option<(u32, &str)> {
    let (id, name) = line.split_once('\t')?;
    Some((id.parse().ok()?, name.trim_end()))
}

/// Splits `name[axis=x,half=top]` into name and properties.
pub(super) fn split_state<'a>(text: &'a str) -> (&'a str, impl Fn(&[u8]) -> Option<&'a [u8]> + 'a) {
    let (name, properties) = match text.split_once('[') {
        Some((name, rest)) => (name, rest.trim_end_matches(']')),
        None => (text, ""),
    };

    (name, move |key| {
        state_pairs(properties)
            .find(|(name, _)| name.as_bytes() == key)
            .map(|(_, value)| value.as_bytes())
    })
}

/// Splits the properties in brackets, such as `axis=x,half=top`, into names and values.
pub(super) fn state_pairs(properties: &str) -> impl Iterator<Item = (&str, &str)> {
    properties
        .split(',')
        .filter_map(|pair| pair.split_once('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_data_means_the_lowest_data() {
        let table = "1:0\tstone\n1:1\tgranite\n17:4\toak_log[axis=x]\n54:3\tchest\n54:2\tchest[facing=north]\n";
        let names = NumericNames::new(table, "1\tplains\n");
        assert_eq!(names.block(1, 1), "granite");
        assert_eq!(
            [names.block(1, 9), names.block(1, 17), names.block(1, 257)],
            ["stone"; 3]
        );

        assert_eq!(
            [names.block(54, 0), names.block(54, 9)],
            ["chest[facing=north]"; 2]
        );
        assert_eq!(
            [names.block(201, 3), names.block(201, 300)],
            ["numeric:201:3", "numeric:201:300"]
        );

        let name = names.block(17, 4);
        let (name, property) = split_state(&name);
        assert_eq!(
            (name, property(b"axis"), property(b"half")),
            ("oak_log", Some(&b"x"[..]), None)
        );
    }

    #[test]
    fn names_of_mods_come_before_the_games() {
        let names = |ids: &[(u32, &str)]| {
            ids.iter()
                .map(|&(id, name)| (id, name.to_owned()))
                .collect()
        };

        let blocks = names(&[
            (1, "minecraft:other"),
            (165, "lotr:rock"),
            (200, "minecraft:ore"),
            (201, "bare"),
        ]);

        let biomes = names(&[
            (1, "minecraft:other"),
            (21, "mod:wood"),
            (42, "mod:hill"),
            (200, "minecraft:new"),
        ]);

        let numeric = NumericNames::new(
            "1:0\tstone\n165:0\tslime_block\n",
            "1\tplains\n21\tjungle\n41\tend\n42\tend\n",
        )
        .with_registry(blocks, biomes);
        assert_eq!(
            [1, 165, 200, 201].map(|id| numeric.block(id, 0)),
            ["stone", "lotr:rock", "minecraft:ore", "bare"]
        );

        for (era, unlisted) in [
            (BiomeEra::Before1_13, "numeric:41"),
            (BiomeEra::Since1_13, "end"),
        ] {
            let biomes = [1, 21, 41, 42, 200].map(|id| numeric.biome(id, era));
            assert_eq!(
                biomes,
                ["plains", "mod:wood", unlisted, "mod:hill", "minecraft:new"]
            );
        }
    }

    #[test]
    fn old_chunks_have_only_biomes_of_their_time() {
        let table = "39\ta\n40\tb\n127\tc\n128\td\n129\te\n167\tf\n168\tg\n";
        let names = NumericNames::new("", table);
        let ids = [39, 40, 127, 128, 129, 167, 168];

        let old = [
            "a",
            "numeric:40",
            "c",
            "numeric:128",
            "e",
            "f",
            "numeric:168",
        ];

        for (data_version, expected) in [
            (None, old),
            (Some(1518), old),
            (Some(1519), ["a", "b", "c", "d", "e", "f", "g"]),
        ] {
            assert_eq!(
                ids.map(|id| names.biome(id, BiomeEra::new(data_version))),
                expected
            );
        }
    }
}
