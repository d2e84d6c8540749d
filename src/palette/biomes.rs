//! The table of biome colours as text: one line a biome, old names as aliases.
//!
//! ```text
//! # name  grass  foliage  water  dry foliage  temperature  downfall
//! plains  91bd59  77ab2f  3f76e4  a37546  0.8  0.4
//! hell    =nether_wastes
//! ```
//!
//! Columns are separated by tabs; names are without `minecraft:`. Temperature and downfall are there for human readers:
//! the colours are computed already.

use super::BiomeTints;
use super::table::{lines_of, parse_rgb};
#[cfg(test)]
use super::{PaletteError, table::wrong_line};

/// Colours by biome name, without `minecraft:`. A line is read when its biome is asked for.
#[derive(Debug, Clone, Default)]
pub(super) struct BiomeTable<'t> {
    /// Sorted by name.
    lines: Vec<(&'t str, &'t str)>,
}

/// The content of a biome's line.
enum BiomeLine<'t> {
    Tints(BiomeTints),
    Alias(&'t str),
}

impl<'t> BiomeTable<'t> {
    /// A table known to be sorted and sound, as `parse` checks it.
    pub(super) fn new(text: &'t str) -> Self {
        Self { lines: lines_of(text).filter_map(|(_, line)| line.split_once('\t')).collect() }
    }

    /// Reads a table to its last line.
    ///
    /// # Errors
    ///
    /// The first line that is malformed or out of order.
    #[cfg(test)]
    pub(super) fn parse(file: &str, text: &'t str) -> Result<Self, PaletteError> {
        let mut before = "";
        for (start, line) in lines_of(text) {
            let (name, says) = line.split_once('\t').unwrap_or((line, ""));
            if !before.is_empty() && name <= before {
                let reason = format!("names must be sorted and unique: {name:?} stands below {before:?}");
                return Err(wrong_line(file, text, start, reason));
            }
            before = name;
            read(says).map_err(|reason| wrong_line(file, text, start, reason))?;
        }
        Ok(Self::new(text))
    }

    fn line(&self, name: &str) -> Option<BiomeLine<'t>> {
        let index = self.lines.binary_search_by(|(other, _)| (*other).cmp(name)).ok()?;
        read(self.lines[index].1).ok()
    }

    /// The colours of a biome.
    pub(super) fn find(&self, name: &str) -> Option<BiomeTints> {
        let entry = match self.line(name)? {
            BiomeLine::Alias(now) => self.line(now)?,
            entry @ BiomeLine::Tints(_) => entry,
        };
        if let BiomeLine::Tints(tints) = entry { Some(tints) } else { None }
    }

    /// The present name of a biome's old name.
    pub(super) fn now(&self, name: &str) -> Option<&'t str> {
        if let BiomeLine::Alias(now) = self.line(name)? { Some(now) } else { None }
    }

    /// All names.
    #[cfg(test)]
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(|(name, _)| *name)
    }
}

/// Reads what stands behind a name.
fn read(says: &str) -> Result<BiomeLine<'_>, String> {
    if let Some(now) = says.strip_prefix('=') {
        return Ok(BiomeLine::Alias(now));
    }
    let columns: Vec<&str> = says.split('\t').collect();
    let [grass, foliage, water, dry, _, _] = columns[..] else {
        return Err("expected four colours, a temperature and a downfall, or =name".to_owned());
    };
    Ok(BiomeLine::Tints(BiomeTints {
        grass: parse_rgb(grass)?,
        foliage: parse_rgb(foliage)?,
        water: parse_rgb(water)?,
        dry_foliage: parse_rgb(dry)?,
    }))
}
