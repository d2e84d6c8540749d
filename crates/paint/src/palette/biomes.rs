//! Reads the table of biome colours, which is text: one line per biome, and aliases for old names.
//!
//! ```text
//! # name  grass  foliage  water  dry foliage  temperature  downfall
//! plains  91bd59  77ab2f  3f76e4  a37546  0.8  0.4
//! hell    =nether_wastes
//! ```
//!
//! Columns are separated by tabs, and names are without `minecraft:`. Temperature and downfall are
//! for human readers only, because the colours are already computed.

use crate::palette::table::parse_rgb;
use crate::palette::tint::BiomeTints;
use pixelmap_base::name_lines::lines_with_name;

/// Colours by biome name (without `minecraft:`), sorted by name. A line is parsed when its biome is
/// looked up.
#[derive(Debug, Clone)]
pub(super) struct BiomeTable<'t>(&'t str);

enum BiomeLine<'t> {
    Tints(BiomeTints),
    Alias(&'t str),
}

impl<'t> BiomeTable<'t> {
    /// Makes a table. The names in `text` must be sorted.
    pub(super) const fn new(text: &'t str) -> Self {
        Self(text)
    }

    fn line(&self, name: &str) -> Option<BiomeLine<'t>> {
        read(lines_with_name(self.0, name).next()?.split_once('\t')?.1)
    }

    pub(super) fn find(&self, name: &str) -> Option<BiomeTints> {
        let entry = match self.line(name)? {
            BiomeLine::Alias(now) => self.line(now)?,
            entry @ BiomeLine::Tints(_) => entry,
        };
        if let BiomeLine::Tints(tints) = entry {
            Some(tints)
        } else {
            None
        }
    }

    /// Returns the current name for a biome's old name, or `None` if the name is not an old name.
    pub(super) fn current_name(&self, name: &str) -> Option<&'t str> {
        if let BiomeLine::Alias(now) = self.line(name)? {
            Some(now)
        } else {
            None
        }
    }
}

/// Parses the columns after a name.
fn read(text: &str) -> Option<BiomeLine<'_>> {
    if let Some(now) = text.strip_prefix('=') {
        return Some(BiomeLine::Alias(now));
    }

    let colours: Vec<[u8; 3]> = text
        .split('\t')
        .take(4)
        .filter_map(|column| parse_rgb(column).ok())
        .collect();

    let [grass, foliage, water, dry_foliage] = colours.try_into().ok()?;
    Some(BiomeLine::Tints(BiomeTints {
        grass,
        foliage,
        water,
        dry_foliage,
    }))
}
