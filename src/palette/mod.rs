//! From a block's name to its colour and traits, and from a biome's name to its tints.
//!
//! The tables beside this file are text that one can review: `blocks.tsv` (made by the [`resolver`] from `rules.tsv`
//! and the game's assets), `biomes.tsv`, and the two tables of numeric ids. Names that no table knows are
//! read as words that say what they are. Knows no chunks and no positions.

mod biomes;
mod overrides;
pub mod resolver;
pub mod table;
mod unknown;

use std::collections::BTreeMap;

use biomes::BiomeTable;
use overrides::Overrides;
use table::{BlockTable, Flags, Row, WATERLOGGED};
use twox_hash::XxHash3_64;

use crate::block::{Describe, Traits};

/// The table of block colours.
const BLOCKS: &str = include_str!("blocks.tsv");

/// The table of biome colours.
const BIOMES: &str = include_str!("biomes.tsv");

/// Numeric block ids before 1.13: lines of `id:data`, a tab, and `name` or `name[property=value,...]`.
///
/// Source: `pc/common/legacy.json` of the package `minecraft-data` (MIT). A pair that is not listed means `id:0`.
pub const NUMERIC_BLOCKS: &str = include_str!("numeric.tsv");

/// Numeric biome ids before 1.18: lines of the id, a tab, and the name that the game gave it last.
pub const NUMERIC_BIOMES: &str = include_str!("biome_ids.tsv");

/// The `DataVersion` of the newest release whose blocks the tables hold: 26.3.
const NEWEST_DATA_VERSION: i32 = 5023;

/// Which colour of the biome is multiplied into a block's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tint {
    /// None.
    #[default]
    None,
    /// Grass.
    Grass,
    /// Leaves and vines.
    Foliage,
    /// Leaves on the ground.
    DryFoliage,
    /// Water.
    Water,
}

impl Tint {
    /// As a table writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "-",
            Self::Grass => "grass",
            Self::Foliage => "foliage",
            Self::DryFoliage => "dry_foliage",
            Self::Water => "water",
        }
    }

    /// The tint that a table writes so.
    pub fn parse(text: &str) -> Option<Self> {
        let all = [Self::None, Self::Grass, Self::Foliage, Self::DryFoliage, Self::Water];
        all.into_iter().find(|tint| tint.name() == text)
    }
}

/// How a block state is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Paint {
    /// Straight sRGB, before the biome's tint.
    pub rgb: [u8; 3],
    /// Quarters of the block's area that are covered when one looks down on it, 0 (below an eighth) to 4.
    pub quarters: u8,
    /// Which colour of the biome is multiplied in.
    pub tint: Tint,
    /// What a column scan has to know.
    pub traits: Traits,
}

/// The colours of a biome, straight sRGB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BiomeTints {
    /// Grass.
    pub grass: [u8; 3],
    /// Leaves and vines.
    pub foliage: [u8; 3],
    /// Water.
    pub water: [u8; 3],
    /// Leaves on the ground.
    pub dry_foliage: [u8; 3],
}

/// What is wrong with a table: the file, the line, the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaletteError {
    file: String,
    line: usize,
    reason: String,
}

impl PaletteError {
    fn new(file: &str, line: usize, reason: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line, reason: reason.into() }
    }
}

impl std::fmt::Display for PaletteError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, line {}: {}", self.file, self.line, self.reason)
    }
}

impl std::error::Error for PaletteError {}

/// Colours and traits of all blocks and biomes.
#[derive(Debug, Clone)]
pub struct Palette {
    blocks: BlockTable,
    biomes: BiomeTable,
    overrides: Overrides,
    /// Names that a user's file has states of, with all the properties that matter then.
    kept_by_user: BTreeMap<String, Vec<String>>,
    /// What a name without a block keeps: it may be waterlogged for all one knows.
    kept_of_unknown: [String; 1],
    fingerprint: u64,
}

/// The fingerprint `before` with one more text.
fn fingerprint(before: u64, text: &str) -> u64 {
    XxHash3_64::oneshot_with_seed(before, text.as_bytes())
}

impl Palette {
    /// A number that is another one with other tables or another user's file.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// The palette of the tables that come with the program.
    pub fn builtin() -> Self {
        // The tests parse the same text: what is left of a damaged table is better than no map.
        let blocks = BlockTable::parse("blocks.tsv", BLOCKS).unwrap_or_default();
        let biomes = BiomeTable::parse("biomes.tsv", BIOMES).unwrap_or_default();
        Self {
            blocks,
            biomes,
            overrides: Overrides::default(),
            kept_by_user: BTreeMap::new(),
            kept_of_unknown: [WATERLOGGED.to_owned()],
            fingerprint: [BLOCKS, BIOMES, NUMERIC_BLOCKS, NUMERIC_BIOMES].into_iter().fold(0, fingerprint),
        }
    }

    /// The same palette with the colours of a user's file on top; of two files the later one wins.
    ///
    /// # Errors
    ///
    /// The first line of the file that says nothing a colour file can say.
    pub fn with_overrides(mut self, file_name: &str, text: &str) -> Result<Self, PaletteError> {
        self.overrides.add(file_name, text)?;
        self.fingerprint = fingerprint(self.fingerprint, text);
        let mut kept = BTreeMap::new();
        for (name, properties) in self.overrides.properties() {
            let all: &mut Vec<String> =
                kept.entry(name.to_owned()).or_insert_with(|| self.kept_by_table(name).to_vec());
            all.extend(properties.into_iter().map(str::to_owned));
            all.sort();
            all.dedup();
        }
        self.kept_by_user = kept;
        Ok(self)
    }

    /// How a block is drawn: its name with namespace, and a state such as `axis=x,waterlogged=true` or nothing.
    pub fn paint(&self, name: &str, state: &str) -> Paint {
        let wet = table::property(state, WATERLOGGED).map(|value| value == "true");
        let (name, state) = self.overrides.shown(name, state);
        let (row, known) = self.row(name, state);
        let (row, chosen) = self.overrides.apply(name, state, row);
        let traits = row.traits(wet);
        let traits = if known || chosen { traits } else { traits.with(Traits::UNKNOWN) };
        Paint { rgb: row.rgb, quarters: row.quarters(), tint: row.tint, traits }
    }

    /// The row of a block state, and whether the table itself has the name.
    fn row(&self, name: &str, state: &str) -> (Row, bool) {
        if let Some((block, old)) = self.find(name) {
            let row = if old.is_empty() { block.row_of(state) } else { block.row_of(old) };
            return (*row, true);
        }
        let row = match unknown::guess(&self.blocks, name) {
            unknown::Guess::Like(block) => *block.row_of(state),
            unknown::Guess::Row(row) => row,
        };
        // It looks alike, but nobody says that it stands in water as the game's corals do.
        (Row { flags: row.flags.without(Flags::WET), ..row }, false)
    }

    fn find(&self, name: &str) -> Option<(&table::Block, &str)> {
        self.blocks.find(name.strip_prefix("minecraft:").unwrap_or(name))
    }

    /// The colours of a biome (name with namespace; old names are understood), or `None` where no table knows it.
    pub fn tints(&self, biome: &str) -> Option<BiomeTints> {
        self.biomes.find(biome.strip_prefix("minecraft:").unwrap_or(biome))
    }

    /// The colour of a block on the game's own maps, 0 (none) to 61.
    pub fn map_colour(&self, name: &str, state: &str) -> u8 {
        let (name, state) = self.overrides.shown(name, state);
        self.overrides.apply(name, state, self.row(name, state).0).0.map
    }

    /// The `DataVersion` of the newest release whose blocks the tables hold.
    pub fn newest_data_version() -> i32 {
        NEWEST_DATA_VERSION
    }
}

impl Palette {
    fn kept_by_table(&self, name: &str) -> &[String] {
        if let Some((block, _)) = self.find(name) {
            return block.kept();
        }
        match unknown::guess(&self.blocks, name) {
            unknown::Guess::Like(block) => block.kept_by_mods(),
            unknown::Guess::Row(_) => &self.kept_of_unknown,
        }
    }
}

impl Describe for Palette {
    fn kept(&self, name: &str) -> &[String] {
        let (name, _) = self.overrides.shown(name, "");
        self.kept_by_user.get(name).map_or_else(|| self.kept_by_table(name), Vec::as_slice)
    }

    fn traits(&self, name: &str, state: &str) -> Traits {
        self.paint(name, state).traits
    }
}

#[cfg(test)]
mod tests;
