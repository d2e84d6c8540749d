//! Looks up the colour and traits of a block by its name, and the tints of a biome by its name.
//!
//! A name that is in none of the tables is read as words that describe the block. Nothing here
//! depends on chunks or positions.

use std::borrow::Cow;
use std::collections::BTreeMap;

use twox_hash::XxHash3_64;

use crate::palette::biomes::BiomeTable;
use crate::palette::error::PaletteError;
use crate::palette::guesses::Guesses;
use crate::palette::lights::Lights;
use crate::palette::overrides::Overrides;
use crate::palette::sources::{BEDROCK_WATER, BIOMES, BLOCKS, LIGHTS, NEWEST_DATA_VERSION, RULES};
use crate::palette::table::{self, BlockTable, Flags, Row, TableBlock, WATERLOGGED};
use crate::palette::tint::{BiomeTints, Tint};
use crate::palette::unknown::{AIR, Guess};
use crate::palette::unknown_blocks::UnknownBlocks;
use crate::palette::{map_item, no_roof, upper_half};
use pixelmap_world::names::{Describe, NUMERIC_BIOMES, NUMERIC_BLOCKS, Traits};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Paint {
    /// Straight sRGB, before the biome's tint.
    pub rgb: [u8; 3],
    /// How many sixteenths of the block's area are covered, seen from above: 0 (less than an eighth,
    /// unless the block is thin) to 16.
    pub sixteenths: u8,
    pub tint: Tint,
    /// The traits that column scans need.
    pub traits: Traits,
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

#[derive(Debug, Clone)]
pub struct Palette {
    pub(super) blocks: BlockTable<'static>,
    guesses: Guesses,
    lights: Lights,
    biomes: BiomeTable<'static>,
    /// The biomes of data packs and mods, by name with namespace.
    pub(super) pack_biomes: BTreeMap<String, BiomeTints>,
    base: Base,
    unknown: UnknownBlocks,
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
            unknown: UnknownBlocks::Auto,
            overrides: Overrides::default(),
            user_properties: BTreeMap::new(),
            shapes: BTreeMap::new(),
        }
    }

    pub fn with_base(self, base: Base) -> Self {
        Self { base, ..self }
    }

    pub fn with_unknown(self, unknown: UnknownBlocks) -> Self {
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
            UnknownBlocks::Auto => "Auto".to_owned(),
            UnknownBlocks::Hide => "Hide".to_owned(),
            UnknownBlocks::Colour(rgb) => format!("Colour({rgb:?})"),
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
    pub(super) fn tables() -> impl Iterator<Item = &'static str> {
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
        let (row, found) = if known || chosen {
            (row, Traits::GROUND)
        } else {
            (self.unknown.row(row), Traits::UNKNOWN)
        };

        let traits = row.traits(wet).with(found);
        if upper_half::is_above_water(name, state) {
            Self::block_paint(row, traits.with(Traits::ABOVE_WATER))
        } else {
            Self::block_paint(row, traits)
        }
    }

    fn block_paint(row: Row, traits: Traits) -> Paint {
        Paint {
            rgb: row.rgb,
            sixteenths: row.sixteenths(),
            tint: row.tint,
            traits,
        }
    }

    /// Returns the row of a block state, and whether the name is known: the table contains it, or it
    /// is a name of air.
    pub(super) fn row(&self, name: &str, state: &str) -> (Row, bool) {
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
            // UnknownBlocks names lack a colour on the game's maps, but must not make holes in ours.
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

    fn find(&self, name: &str) -> Option<(TableBlock, &'static str)> {
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
    pub(crate) fn renamed(&self, name: &str) -> Option<(String, &'static str)> {
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
        let mut properties = if let Some((block, _)) = self.find(name) {
            block.properties
        } else {
            match &*self.guesses.get(&self.blocks, name) {
                Guess::Like(block) => block.mod_properties.clone(),
                Guess::Row(_) => vec![WATERLOGGED.to_owned()],
                Guess::Air => Vec::new(),
            }
        };

        if properties.iter().any(|property| property == WATERLOGGED) {
            properties.extend(upper_half::properties(name).map(str::to_owned));
            properties.sort_unstable();
            properties.dedup();
        }

        properties
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
