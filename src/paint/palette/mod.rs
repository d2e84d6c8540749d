//! Looks up the colour and traits of a block by its name, and the tints of a biome by its name.
//!
//! The tables next to this file are text, so that they can be reviewed: `blocks.tsv` (made by the
//! [`resolver`] from `rules.tsv` and the game's assets), `biomes.tsv`, and the two tables of
//! numeric ids. A name that is in none of the tables is read as words that describe the block.
//! Nothing here depends on chunks or positions.

mod biomes;
mod guesses;
mod lights;
mod map_item;
mod no_roof;
mod overrides;
pub mod resolver;
pub mod table;
mod unknown;

use std::borrow::Cow;
use std::collections::BTreeMap;

use biomes::BiomeTable;
use guesses::Guesses;
use lights::Lights;
use overrides::Overrides;
use table::{BlockTable, Flags, Row, WATERLOGGED};
use twox_hash::XxHash3_64;
use unknown::{AIR, Guess};

use crate::world::names::{Describe, Traits};

const BLOCKS: &str = include_str!("blocks.tsv");

const BIOMES: &str = include_str!("biomes.tsv");
const BEDROCK_WATER: &str = include_str!("bedrock_water.tsv");

const LIGHTS: &str = include_str!("lights.tsv");

/// The rules and lists that decide colours in the program instead of in a table, as source text.
/// They are part of the fingerprint, so that a map is drawn again after an update that changes a
/// rule or a list.
const RULES: [&str; 4] = [
    include_str!("unknown/mod.rs"),
    include_str!("unknown/words.rs"),
    include_str!("map_item.rs"),
    include_str!("no_roof.rs"),
];

/// Numeric block ids from before 1.13: lines of `id:data`, a tab, and `name` or
/// `name[property=value,...]`.
///
/// Source: `pc/common/legacy.json` of the package `minecraft-data` (MIT). A pair that is not listed
/// means `id:0`.
pub const NUMERIC_BLOCKS: &str = include_str!("numeric.tsv");

/// Numeric biome ids from before 1.18: lines of the id, a tab, and the last name that the biome had
/// in the game.
pub const NUMERIC_BIOMES: &str = include_str!("biome_ids.tsv");

/// The `DataVersion` of 26.3, the newest release whose blocks are in the tables.
const NEWEST_DATA_VERSION: i32 = 5023;

/// The colour of a biome that a block's own colour is multiplied by. The numbers of the variants
/// are used as indices; `None` is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tint {
    #[default]
    None,
    Grass,
    /// Leaves and vines.
    Foliage,
    /// Leaves on the ground.
    DryFoliage,
    Water,
}

impl Tint {
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "-",
            Self::Grass => "grass",
            Self::Foliage => "foliage",
            Self::DryFoliage => "dry_foliage",
            Self::Water => "water",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        let all = [
            Self::None,
            Self::Grass,
            Self::Foliage,
            Self::DryFoliage,
            Self::Water,
        ];
        all.into_iter().find(|tint| tint.name() == text)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Paint {
    /// Straight sRGB, before the biome's tint.
    pub rgb: [u8; 3],
    /// How many quarters of the block's area are covered, seen from above: 0 (less than an eighth)
    /// to 4.
    pub quarters: u8,
    pub tint: Tint,
    /// The traits that column scans need.
    pub traits: Traits,
}

/// The colours of a biome, in straight sRGB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BiomeTints {
    pub grass: [u8; 3],
    /// Leaves and vines.
    pub foliage: [u8; 3],
    pub water: [u8; 3],
    /// Leaves on the ground.
    pub dry_foliage: [u8; 3],
}

impl BiomeTints {
    /// Returns the text of the colours in fingerprints. It must not change, because all tiles would
    /// be drawn again.
    fn key_text(self) -> String {
        let Self {
            grass,
            foliage,
            water,
            dry_foliage,
        } = self;
        format!(
            "BiomeTints \
             {{ grass: {grass:?}, foliage: {foliage:?}, water: {water:?}, dry_foliage: {dry_foliage:?} }}"
        )
    }
}

/// The source of the built-in colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Base {
    /// The mean colours of the game's textures, seen from above.
    #[default]
    Texture,
    /// The colours of the game's own maps.
    MapItem,
}

/// How to draw blocks that are neither in a table nor in a user's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unknown {
    /// Draws them in the colour that the words of their names suggest, or else in a colour that
    /// depends on the name alone.
    #[default]
    Auto,
    /// Does not draw them: they look like air, or like the water around them.
    Hide,
    /// Draws them all in one colour, opaque.
    Colour([u8; 3]),
}

impl std::fmt::Display for Unknown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Hide => f.write_str("hide"),
            Self::Colour([r, g, b]) => write!(f, "{r:02x}{g:02x}{b:02x}"),
        }
    }
}

impl std::str::FromStr for Unknown {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "hide" => Ok(Self::Hide),
            _ => {
                let rgb = table::parse_rgb(text.strip_prefix('#').unwrap_or(text));
                rgb.map(Self::Colour)
                    .map_err(|_| "give auto, hide, or a colour such as ff00ff".to_owned())
            }
        }
    }
}

impl Unknown {
    /// Returns the row of an unknown block. `row` was guessed from the block's name.
    fn row(self, row: Row) -> Row {
        match self {
            Self::Auto => row,
            Self::Hide => Row {
                coverage: 0,
                flags: Flags::default(),
                ..row
            },
            Self::Colour(rgb) => Row {
                rgb,
                coverage: 100,
                tint: Tint::None,
                flags: Flags::default(),
                ..row
            },
        }
    }
}

/// An error in a table: the file, the line, the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaletteError {
    file: String,
    line: usize,
    reason: String,
}

impl PaletteError {
    /// Makes an error. `line` is counted from 1; 0 means the file as a whole.
    pub fn new(file: &str, line: usize, reason: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            line,
            reason: reason.into(),
        }
    }
}

impl std::fmt::Display for PaletteError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.reason),
            line => write!(f, "{}, line {line}: {}", self.file, self.reason),
        }
    }
}

impl std::error::Error for PaletteError {}

#[derive(Debug, Clone)]
pub struct Palette {
    blocks: BlockTable<'static>,
    guesses: Guesses,
    lights: Lights,
    biomes: BiomeTable<'static>,
    /// The biomes of data packs and mods, by name with namespace.
    pack_biomes: BTreeMap<String, BiomeTints>,
    base: Base,
    unknown: Unknown,
    overrides: Overrides,
    /// The names for which a user's file lists states, each with all properties that then affect
    /// how it is drawn.
    user_properties: BTreeMap<String, Vec<String>>,
    /// The properties that affect a block's texture, by block name with namespace. Empty if
    /// textures are not used.
    shapes: BTreeMap<String, Vec<String>>,
}

impl Palette {
    pub fn builtin() -> Self {
        let lights = Lights::new(LIGHTS);
        let mut blocks = BlockTable::new(BLOCKS);
        lights
            .properties()
            .for_each(|(pattern, property)| blocks.keep(pattern, property));

        Self {
            blocks,
            guesses: Guesses::default(),
            lights,
            biomes: BiomeTable::new(BIOMES),
            pack_biomes: BTreeMap::new(),
            base: Base::Texture,
            unknown: Unknown::Auto,
            overrides: Overrides::default(),
            user_properties: BTreeMap::new(),
            shapes: BTreeMap::new(),
        }
    }

    pub fn with_base(self, base: Base) -> Self {
        Self { base, ..self }
    }

    pub fn with_unknown(self, unknown: Unknown) -> Self {
        Self { unknown, ..self }
    }

    /// Adds biomes of data packs and mods, by name with namespace. If names are equal, the last
    /// biome counts. It also replaces a built-in biome.
    pub fn with_biomes(mut self, biomes: impl IntoIterator<Item = (String, BiomeTints)>) -> Self {
        self.pack_biomes.extend(biomes);
        self
    }

    /// Sets the properties, by block name with namespace, that distinguish the states of blocks
    /// because they affect textures. They do not change any colour.
    pub fn with_shapes(self, shapes: BTreeMap<String, Vec<String>>) -> Self {
        Self { shapes, ..self }
    }

    /// Gives water the colours that it has in Bedrock Edition.
    pub fn with_bedrock_water(self) -> Self {
        let mut biomes = Vec::new();
        for (name, colour) in BEDROCK_WATER
            .lines()
            .filter_map(|line| line.split_once('\t'))
        {
            let name = format!("minecraft:{name}");
            if let (Some(tints), Ok(water)) = (self.tints(&name), table::parse_rgb(colour)) {
                biomes.push((name, BiomeTints { water, ..tints }));
            }
        }

        self.with_biomes(biomes)
    }

    /// Returns a number that changes whenever any colour may have changed, because of the tables,
    /// the rules for unknown blocks, the base, the users' files, the biomes of packs or the
    /// handling of unknown blocks. It is the same on every machine.
    pub fn fingerprint(&self) -> u64 {
        let base = match self.base {
            Base::Texture => "Texture",
            Base::MapItem => "MapItem",
        };

        let unknown = match self.unknown {
            Unknown::Auto => "Auto".to_owned(),
            Unknown::Hide => "Hide".to_owned(),
            Unknown::Colour(rgb) => format!("Colour({rgb:?})"),
        };

        let mut text = format!("{base} {unknown}\n{}", self.overrides.lines());
        for (name, tints) in &self.pack_biomes {
            text += &format!("{name} {}\n", tints.key_text());
        }

        let mut hash = 0;
        for table in Self::tables() {
            hash = XxHash3_64::oneshot_with_seed(hash, table.as_bytes());
        }

        XxHash3_64::oneshot_with_seed(hash, text.as_bytes())
    }

    /// Returns the texts of the program that decide colours: its tables, rules and lists.
    fn tables() -> impl Iterator<Item = &'static str> {
        [
            BLOCKS,
            BIOMES,
            BEDROCK_WATER,
            NUMERIC_BLOCKS,
            NUMERIC_BIOMES,
        ]
        .into_iter()
        .chain(RULES)
    }

    /// Returns a number that changes whenever the light of blocks may have changed. It is the same
    /// on every machine.
    pub fn fingerprint_of_lights() -> u64 {
        XxHash3_64::oneshot(LIGHTS.as_bytes())
    }

    /// Adds the colours of a user's file. They replace the built-in colours, and the colours of
    /// files that were added earlier.
    ///
    /// # Errors
    /// Fails at the first malformed line of the file.
    pub fn with_overrides(mut self, file_name: &str, text: &str) -> Result<Self, PaletteError> {
        self.overrides.add(file_name, text)?;

        let mut by_name = BTreeMap::new();
        for (name, properties) in self.overrides.properties() {
            let all: &mut Vec<String> = by_name
                .entry(name.to_owned())
                .or_insert_with(|| self.table_properties(name));
            all.extend(properties.into_iter().map(str::to_owned));
            all.sort();
            all.dedup();
        }

        self.user_properties = by_name;
        Ok(self)
    }

    /// Returns the colour and traits of a block. `name` includes the namespace; `state` is such as
    /// `axis=x,waterlogged=true`, or empty.
    pub fn paint(&self, name: &str, state: &str) -> Paint {
        let state = &*self.colour_state(name, state);
        let wet = table::property(state, WATERLOGGED).map(|value| value == "true");
        let (name, state) = self.overrides.resolve_alias(name, state);
        let (row, known) = self.row(name, state);
        let (row, chosen) = self.overrides.apply(name, state, row);
        if known || chosen {
            return Self::block_paint(row, row.traits(wet));
        }

        let row = self.unknown.row(row);
        Self::block_paint(row, row.traits(wet).with(Traits::UNKNOWN))
    }

    fn block_paint(row: Row, traits: Traits) -> Paint {
        Paint {
            rgb: row.rgb,
            quarters: row.quarters(),
            tint: row.tint,
            traits,
        }
    }

    /// Returns the row of a block state, and whether the name is known: the table contains it, or it
    /// is a name of air.
    fn row(&self, name: &str, state: &str) -> (Row, bool) {
        if let Some((block, old)) = self.find(name) {
            let row = if old.is_empty() {
                block.state_row(state)
            } else {
                block.state_row(old)
            };
            return (self.on_base(*row), true);
        }

        let row = match &*self.guesses.get(&self.blocks, name) {
            Guess::Like(block) => self.on_base(*block.state_row(state)),
            // Air does not count as unknown, so that no option gives it a colour.
            Guess::Air => return (AIR, true),
            // Unknown names lack a colour on the game's maps, but must not make holes in ours.
            Guess::Row(row) if row.map == 0 => *row,
            Guess::Row(row) => self.on_base(*row),
        };

        // A guessed block may be outside water, unlike the game's corals.
        (
            Row {
                flags: row.flags.without(Flags::WET),
                ..row
            },
            false,
        )
    }

    fn on_base(&self, row: Row) -> Row {
        match self.base {
            Base::Texture => row,
            Base::MapItem => map_item::row(row),
        }
    }

    fn find(&self, name: &str) -> Option<(table::Block, &'static str)> {
        self.blocks
            .find(name.strip_prefix("minecraft:").unwrap_or(name))
    }

    /// Returns the colours of a biome, or `None` if the biome is in none of the tables. The name
    /// includes the namespace, and old names work.
    pub fn tints(&self, biome: &str) -> Option<BiomeTints> {
        let short = biome.strip_prefix("minecraft:").unwrap_or(biome);

        let mut tints = self.added_tints(biome);

        // A colour that is set for a biome also counts for the biome's old names.
        if tints.is_none()
            && let Some(current) = self.biomes.current_name(short)
        {
            tints = self.added_tints(&format!("minecraft:{current}"));
        }

        let tints = tints.or_else(|| self.biomes.find(short))?;
        Some(match self.base {
            Base::Texture => tints,
            Base::MapItem => map_item::tints(tints),
        })
    }

    /// Returns the colours of a biome in colour files and packs.
    fn added_tints(&self, biome: &str) -> Option<BiomeTints> {
        self.overrides
            .biome(biome)
            .or_else(|| self.pack_biomes.get(biome).copied())
    }

    /// Returns the game's block or biome that a line of a colour file names, if it is missing in
    /// all tables. Such a name is probably misspelt.
    pub fn is_nowhere(&self, line: &str) -> Option<String> {
        let mut columns = line.split_whitespace();
        let first = columns.next()?;
        let (kind, name) = if first == "biome" {
            ("biome", columns.next()?)
        } else {
            ("block", first)
        };

        let name = name.split('[').next().unwrap_or(name);
        let short = name.strip_prefix("minecraft:").unwrap_or(name);
        let is_known = match kind {
            "biome" => self.biomes.find(short).is_some(),
            _ => short.ends_with('*') || self.find(short).is_some(),
        };

        (!is_known && !short.contains(':')).then(|| format!("{kind} minecraft:{short}"))
    }

    /// Returns whether a line of a colour file sets the colour of a block that is drawn as water.
    /// Such a line is without effect, because water has only the colour of its biome.
    pub fn is_lost_on_water(&self, line: &str) -> bool {
        let name = line
            .split_whitespace()
            .next()
            .unwrap_or_default()
            .split('[')
            .next()
            .unwrap_or_default();

        let full = if name.contains(':') {
            name.to_owned()
        } else {
            format!("minecraft:{name}")
        };

        let mut rule = Overrides::default();
        let is_rule = rule.add("", line).is_ok();
        let (row, is_set) = rule.apply(&full, "", self.row(&full, "").0);

        is_rule && is_set && row.flags.has(Flags::WATER) && row.rgb != [255; 3]
    }

    /// Returns the names of the game's blocks (including old names) and of the mods' blocks in the
    /// table, without `minecraft:`.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.blocks.entries().map(|(name, _)| name)
    }

    /// Returns the `DataVersion` of the newest release whose blocks are in the tables.
    pub fn newest_data_version() -> i32 {
        NEWEST_DATA_VERSION
    }

    /// Returns today's name of a block in packs, with its namespace, and the properties that the
    /// old name implies. Returns `None` if the name is not an old name.
    pub(super) fn renamed(&self, name: &str) -> Option<(String, &'static str)> {
        let (current, state) = self.blocks.renamed(name.strip_prefix("minecraft:")?)?;
        Some((format!("minecraft:{current}"), state))
    }

    /// Returns the properties that affect a block's texture.
    fn shape_properties(&self, name: &str) -> &[String] {
        if self.shapes.is_empty() {
            return &[];
        }
        let found = self.shapes.get(name);
        found
            .or_else(|| self.shapes.get(&self.renamed(name)?.0))
            .map_or(&[], Vec::as_slice)
    }

    /// Returns the properties that affect a block's colour.
    fn colour_properties(&self, name: &str) -> Vec<String> {
        let (name, _) = self.overrides.resolve_alias(name, "");
        self.user_properties
            .get(name)
            .cloned()
            .unwrap_or_else(|| self.table_properties(name))
    }

    /// Returns a state without the properties that affect only the texture.
    fn colour_state<'a>(&self, name: &str, state: &'a str) -> Cow<'a, str> {
        let shapes = self.shape_properties(name);
        if shapes.is_empty() || state.is_empty() {
            return Cow::Borrowed(state);
        }

        let colours = self.colour_properties(name);
        let mut kept = Vec::new();
        for pair in state.split(',') {
            let property = pair.split('=').next().unwrap_or_default();
            if !shapes.iter().any(|shape| shape == property)
                || colours.iter().any(|colour| colour == property)
            {
                kept.push(pair);
            }
        }

        Cow::Owned(kept.join(","))
    }

    fn table_properties(&self, name: &str) -> Vec<String> {
        if let Some((block, _)) = self.find(name) {
            return block.properties;
        }
        match &*self.guesses.get(&self.blocks, name) {
            Guess::Like(block) => block.mod_properties.clone(),
            Guess::Row(_) => vec![WATERLOGGED.to_owned()],
            Guess::Air => Vec::new(),
        }
    }
}

impl Describe for Palette {
    fn drawn_properties(&self, name: &str) -> Vec<String> {
        let mut properties = self.colour_properties(name);
        let shapes = self.shape_properties(name);
        if !shapes.is_empty() {
            properties.extend_from_slice(shapes);
            properties.sort_unstable();
            properties.dedup();
        }
        properties
    }

    fn traits(&self, name: &str, state: &str) -> Traits {
        let state = &*self.colour_state(name, state);
        let traits = self
            .paint(name, state)
            .traits
            .with_light(self.lights.light(name, state));
        if no_roof::is_no_roof(name) {
            traits.with(Traits::NO_ROOF)
        } else {
            traits
        }
    }

    fn knows_biome(&self, name: &str) -> bool {
        self.tints(name).is_some()
    }
}

#[cfg(test)]
mod tests;
