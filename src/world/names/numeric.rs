//! Names of the numeric ids of worlds before 1.13.
//!
//! The tables are text, one line per id: `id:data<TAB>name[property=value,...]` for blocks and `id<TAB>name` for
//! biomes. Other ids are looked up in the world's own registry, which Forge stores in level.dat.

use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Names of numeric blocks and biomes. The tables are parsed when the first id is looked up: few worlds have any.
#[derive(Debug, Default)]
pub struct NumericNames {
    block_lines: &'static str,
    biome_lines: &'static str,
    /// By `id << 4 | data`.
    blocks: OnceLock<BTreeMap<u32, &'static str>>,
    biomes: OnceLock<BTreeMap<u32, &'static str>>,
    /// The world's own registry, by id.
    registry: BTreeMap<u32, String>,
    biome_registry: BTreeMap<u32, String>,
}

impl NumericNames {
    /// Names from two tables; lines of another form are left out (the tables are the program's own, and a test reads
    /// them).
    pub fn new(block_lines: &'static str, biome_lines: &'static str) -> Self {
        Self { block_lines, biome_lines, ..Self::default() }
    }

    /// Adds the world's own names, which are used where the tables have none.
    #[must_use]
    pub fn with_registry(self, blocks: BTreeMap<u32, String>, biomes: BTreeMap<u32, String>) -> Self {
        Self { registry: blocks, biome_registry: biomes, ..self }
    }

    /// The name of a block, with properties in brackets where the table has them.
    pub fn block(&self, id: u32, data: u8) -> String {
        let blocks = self.blocks.get_or_init(|| self.block_lines.lines().filter_map(parse_block).collect());
        // Some blocks are not in the table with data 0, which the game stores all the same: chests that face nowhere.
        let least_data = || blocks.range(id << 4..=(id << 4 | 15)).next().map(|(_, name)| name);
        // Forge's registry also lists the game's own ids; those of the table are older and exact.
        let known = blocks.get(&(id << 4 | u32::from(data & 15))).or_else(least_data);
        known
            .copied()
            .or_else(|| self.registry.get(&id).map(String::as_str))
            .map_or_else(|| format!("numeric:{id}:{data}"), str::to_owned)
    }

    pub fn biome(&self, id: u32) -> String {
        let biomes = self.biomes.get_or_init(|| self.biome_lines.lines().filter_map(parse_biome).collect());
        let known = biomes.get(&id).copied().or_else(|| self.biome_registry.get(&id).map(String::as_str));
        known.map_or_else(|| format!("numeric:{id}"), str::to_owned)
    }
}

fn parse_block(line: &str) -> Option<(u32, &str)> {
    let (key, name) = line.split_once('\t')?;
    let (id, data) = key.split_once(':')?;
    Some((id.parse::<u32>().ok()? << 4 | data.parse::<u32>().ok()? & 15, name.trim_end()))
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
    let property = move |key: &[u8]| -> Option<&'a [u8]> {
        let mut pairs = properties.split(',').filter_map(|pair| pair.split_once('='));
        pairs.find(|(name, _)| name.as_bytes() == key).map(|(_, value)| value.as_bytes())
    };
    (name, property)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_data_means_the_least_missing_ids_the_registry() {
        let table = "1:0\tstone\n1:1\tgranite\n17:4\toak_log[axis=x]\n54:3\tchest\n54:2\tchest[facing=north]\n";
        let names = NumericNames::new(table, "1\tplains\n").with_registry(
            BTreeMap::from([(1, "mod:not_this".to_owned()), (200, "mod:ore".to_owned())]),
            BTreeMap::new(),
        );
        assert_eq!(names.block(1, 1), "granite");
        assert_eq!(names.block(1, 9), "stone");
        assert_eq!([names.block(54, 0), names.block(54, 9)], ["chest[facing=north]"; 2]);
        assert_eq!(names.block(200, 3), "mod:ore");
        assert_eq!(names.block(201, 3), "numeric:201:3");
        assert_eq!((names.biome(1), names.biome(77)), ("plains".to_owned(), "numeric:77".to_owned()));
        let name = names.block(17, 4);
        let (name, property) = split_state(&name);
        assert_eq!((name, property(b"axis"), property(b"half")), ("oak_log", Some(&b"x"[..]), None));
    }
}
