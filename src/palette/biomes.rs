//! The table of biome colours as text: one line a biome, old names as aliases.
//!
//! ```text
//! # name  grass  foliage  water  dry foliage  temperature  downfall
//! plains  91bd59  77ab2f  3f76e4  a37546  0.8  0.4
//! hell    =nether_wastes
//! ```
//!
//! Columns are separated by tabs; names are without `minecraft:`. Temperature and downfall are there to be read by
//! people: the colours are worked out already.

use std::collections::BTreeMap;

use super::table::{each_line, parse_rgb};
use super::{BiomeTints, PaletteError};

/// Colours by biome name, without `minecraft:`.
#[derive(Debug, Clone, Default)]
pub(super) struct BiomeTable {
    biomes: BTreeMap<Box<str>, BiomeTints>,
    aliases: BTreeMap<Box<str>, Box<str>>,
}

impl BiomeTable {
    /// Reads a table.
    ///
    /// # Errors
    ///
    /// The first line that does not say what a table may say.
    pub(super) fn parse(file: &str, text: &str) -> Result<Self, PaletteError> {
        let mut table = Self::default();
        each_line(file, text, |line| table.add_line(line))?;
        Ok(table)
    }

    fn add_line(&mut self, line: &str) -> Result<(), String> {
        let columns: Vec<&str> = line.split('\t').collect();
        let name = columns[0];
        if self.biomes.contains_key(name) || self.aliases.contains_key(name) {
            return Err(format!("{name:?} is here for the second time"));
        }
        match columns[1..] {
            [alias] if alias.starts_with('=') => {
                self.aliases.insert(name.into(), alias[1..].into());
            }
            [grass, foliage, water, dry, _, _] => {
                let tints = BiomeTints {
                    grass: parse_rgb(grass)?,
                    foliage: parse_rgb(foliage)?,
                    water: parse_rgb(water)?,
                    dry_foliage: parse_rgb(dry)?,
                };
                self.biomes.insert(name.into(), tints);
            }
            _ => return Err("four colours, a temperature and a downfall belong here, or =name".to_owned()),
        }
        Ok(())
    }

    /// The colours of a biome.
    pub(super) fn find(&self, name: &str) -> Option<BiomeTints> {
        let name = self.now(name).unwrap_or(name);
        self.biomes.get(name).copied()
    }

    /// What an old name stands for now.
    pub(super) fn now(&self, name: &str) -> Option<&str> {
        self.aliases.get(name).map(|now| &**now)
    }

    /// All names, biomes first.
    #[cfg(test)]
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.biomes.keys().chain(self.aliases.keys()).map(|name| &**name)
    }
}
