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

/// What a line says of its biome.
enum Entry<'t> {
    Tints(BiomeTints),
    Alias(&'t str),
}

impl<'t> BiomeTable<'t> {
    /// A table that is sorted by names and sound, as `parse` would find.
    pub(super) fn new(text: &'t str) -> Self {
        Self { lines: lines_of(text).filter_map(|(_, line)| line.split_once('\t')).collect() }
    }

    /// Reads a table to its last line.
    ///
    /// # Errors
    ///
    /// The first line that does not say what a table may say, or is not in its place.
    #[cfg(test)]
    pub(super) fn parse(file: &str, text: &'t str) -> Result<Self, PaletteError> {
        let mut before = "";
        for (start, line) in lines_of(text) {
            let (name, says) = line.split_once('\t').unwrap_or((line, ""));
            if !before.is_empty() && name <= before {
                let reason = format!("{name:?} belongs above {before:?}, and once: the names are sorted");
                return Err(wrong_line(file, text, start, reason));
            }
            before = name;
            read(says).map_err(|reason| wrong_line(file, text, start, reason))?;
        }
        Ok(Self::new(text))
    }

    fn entry(&self, name: &str) -> Option<Entry<'t>> {
        let index = self.lines.binary_search_by(|(other, _)| (*other).cmp(name)).ok()?;
        read(self.lines[index].1).ok()
    }

    /// The colours of a biome.
    pub(super) fn find(&self, name: &str) -> Option<BiomeTints> {
        let entry = match self.entry(name)? {
            Entry::Alias(now) => self.entry(now)?,
            entry @ Entry::Tints(_) => entry,
        };
        if let Entry::Tints(tints) = entry { Some(tints) } else { None }
    }

    /// What an old name stands for now.
    pub(super) fn now(&self, name: &str) -> Option<&'t str> {
        if let Entry::Alias(now) = self.entry(name)? { Some(now) } else { None }
    }

    /// All names.
    #[cfg(test)]
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(|(name, _)| *name)
    }
}

/// Reads what stands behind a name.
fn read(says: &str) -> Result<Entry<'_>, String> {
    if let Some(now) = says.strip_prefix('=') {
        return Ok(Entry::Alias(now));
    }
    let columns: Vec<&str> = says.split('\t').collect();
    let [grass, foliage, water, dry, _, _] = columns[..] else {
        return Err("four colours, a temperature and a downfall belong here, or =name".to_owned());
    };
    Ok(Entry::Tints(BiomeTints {
        grass: parse_rgb(grass)?,
        foliage: parse_rgb(foliage)?,
        water: parse_rgb(water)?,
        dry_foliage: parse_rgb(dry)?,
    }))
}
