//! The table of block colours as text: one line per block, rows for single states below it, old names as aliases.
//!
//! ```text
//! # name            rrggbb  coverage  tint   flags     map colour
//! grass_block       939393  100       grass  -         1
//! grass_block[snowy=true]  f9fefe  100  -   -         8
//! grass_path        =dirt_path
//! lit_furnace       =furnace[lit=true]
//! ```
//!
//! Columns are separated by tabs. Names are without `minecraft:`; names of mods have their namespace. Knows no models
//! and no worlds.

use super::Tint;
use crate::base::name_lines::{line_name, lines_with_name};
use crate::world::names::Traits;

/// Properties of a block in the table besides its colour, as a set of flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flags(u16);

impl Flags {
    /// Air and similar blocks.
    pub const NOTHING: Self = Self(1);
    pub const WATER: Self = Self(1 << 1);
    /// A plant that is in water without a property for it.
    pub const SUBMERGED: Self = Self(1 << 2);
    /// Waterlogged unless the state has `waterlogged=false`.
    pub const WET: Self = Self(1 << 3);
    /// Has a property `waterlogged`.
    pub const WETTABLE: Self = Self(1 << 4);
    /// Lies on the ground and does not count for relief.
    pub const FLAT: Self = Self(1 << 5);
    pub const LAVA: Self = Self(1 << 6);
    pub const LEAVES: Self = Self(1 << 7);

    /// All flags in the order in which a table writes them.
    const NAMED: [(Self, &'static str); 8] = [
        (Self::NOTHING, "nothing"),
        (Self::WATER, "water"),
        (Self::SUBMERGED, "submerged"),
        (Self::WET, "wet"),
        (Self::WETTABLE, "wettable"),
        (Self::FLAT, "flat"),
        (Self::LAVA, "lava"),
        (Self::LEAVES, "leaves"),
    ];

    fn all_names() -> String {
        let names: Vec<&str> = Self::NAMED.iter().map(|(_, name)| *name).collect();
        format!("there are {}, and - for none", names.join(", "))
    }

    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Parses a list such as `flat,wet`, or `-` for none.
    ///
    /// # Errors
    /// The word that is no flag.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut flags = Self::default();
        for word in text.split(',').filter(|word| *word != "-") {
            let named = Self::NAMED.iter().find(|(_, name)| *name == word);
            flags = flags.with(named.ok_or_else(|| format!("{word:?} is not a flag: {}", Self::all_names()))?.0);
        }
        Ok(flags)
    }
}

impl std::fmt::Display for Flags {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let words: Vec<&str> = Self::NAMED.iter().filter(|(flag, _)| self.has(*flag)).map(|(_, name)| *name).collect();
        f.write_str(if words.is_empty() { "-".to_owned() } else { words.join(",") }.as_str())
    }
}

/// The values of a block state in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// Straight sRGB, with constant tints multiplied in, but not the biome's.
    pub rgb: [u8; 3],
    /// Percent of the block's area that is covered, seen from above.
    pub coverage: u8,
    pub tint: Tint,
    pub flags: Flags,
    /// The colour on the game's own maps, 0 to 61.
    pub map: u8,
}

impl Row {
    /// Coverage in quarters: 0 below an eighth.
    pub fn quarters(&self) -> u8 {
        ((u32::from(self.coverage) * 4 + 50) / 100) as u8
    }

    /// The traits for a column scan; `wet` is the state's value of `waterlogged`, if it has one.
    pub fn traits(&self, wet: Option<bool>) -> Traits {
        let wet = wet.unwrap_or(self.flags.has(Flags::WET));
        let mut traits = Traits::GROUND;
        for (flag, means) in [
            (Flags::NOTHING, Traits::NOTHING.with(Traits::HIDDEN)),
            (Flags::WATER, Traits::WATER),
            (Flags::SUBMERGED, Traits::SUBMERGED),
            (Flags::LAVA, Traits::LAVA),
            (Flags::LEAVES, Traits::LEAVES),
        ] {
            if self.flags.has(flag) {
                traits = traits.with(means);
            }
        }
        if traits.any(Traits::NOTHING.with(Traits::WATER).with(Traits::SUBMERGED)) {
            return traits;
        }
        if self.quarters() == 0 {
            // Only the water of a waterlogged chain or torch is visible.
            return if wet { Traits::WATER } else { Traits::HIDDEN };
        }
        if self.flags.has(Flags::FLAT) || self.quarters() < 4 {
            traits = traits.with(Traits::OVERLAY);
        }
        if wet { traits.with(Traits::WET) } else { traits }
    }
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [r, g, b] = self.rgb;
        write!(f, "{r:02x}{g:02x}{b:02x}\t{}\t{}\t{}\t{}", self.coverage, self.tint.name(), self.flags, self.map)
    }
}

/// Properties with the values for which a row counts.
pub type When = Vec<(String, String)>;

/// A block with the rows of its states.
#[derive(Debug, Clone)]
pub struct Block {
    /// The default state, and all states that no other row matches.
    pub row: Row,
    states: Vec<(When, Row)>,
    /// The properties that change how the block is drawn, sorted.
    pub properties: Vec<String>,
    /// These properties and `waterlogged`: for blocks of mods that are drawn like this one.
    pub mod_properties: Vec<String>,
}

impl Block {
    /// A block whose states all look alike.
    pub fn uniform(row: Row) -> Self {
        let properties = if row.flags.has(Flags::WETTABLE) { vec![WATERLOGGED.to_owned()] } else { Vec::new() };
        Self { row, states: Vec::new(), properties, mod_properties: vec![WATERLOGGED.to_owned()] }
    }

    /// The row of a state such as `axis=x,lit=true`: of the matching rows, the one with most properties.
    pub fn state_row(&self, state: &str) -> &Row {
        if self.states.is_empty() || state.is_empty() {
            return &self.row;
        }
        let fitting = self
            .states
            .iter()
            .filter(|(when, _)| when.iter().all(|(name, value)| property(state, name) == Some(value)));
        fitting.max_by_key(|(when, _)| when.len()).map_or(&self.row, |(_, row)| row)
    }

    /// The rows of single states, each with its properties.
    pub fn states(&self) -> impl Iterator<Item = (&When, &Row)> {
        self.states.iter().map(|(when, row)| (when, row))
    }

    fn add_state(&mut self, when: When, row: Row) {
        for (properties, of_mods) in [(&mut self.properties, false), (&mut self.mod_properties, true)] {
            // The game gave its names to other blocks; mods did not.
            for (name, _) in when.iter().filter(|(name, _)| !of_mods || *name != BEFORE) {
                add_sorted(properties, name);
            }
        }
        self.states.push((when, row));
    }
}

fn add_sorted(names: &mut Vec<String>, name: &str) {
    if let Err(at) = names.binary_search_by(|other| other.as_str().cmp(name)) {
        names.insert(at, name.to_owned());
    }
}

/// The property that works the same for every block.
pub const WATERLOGGED: &str = "waterlogged";

/// A property that no world stores: the `DataVersion` before which a name meant another block.
pub const BEFORE: &str = crate::world::names::BEFORE_RENAMING.0;

/// The value of a property in a state such as `axis=x,lit=true`.
pub fn property<'a>(state: &'a str, name: &str) -> Option<&'a str> {
    state.split(',').find_map(|pair| pair.split_once('=').filter(|(key, _)| *key == name).map(|(_, value)| value))
}

/// The content of a name's lines.
#[derive(Debug, Clone)]
pub enum Entry<'t> {
    Block(Block),
    /// An old name of a block, or of one of its states.
    Alias {
        /// The block's current name.
        name: &'t str,
        /// Properties that the old name implies; empty: none.
        state: &'t str,
    },
}

/// Blocks and aliases by name (without `minecraft:`), sorted by name. The lines of a block are parsed when the block is
/// looked up: a program that draws nothing parses nothing.
#[derive(Debug, Clone)]
pub struct BlockTable<'t> {
    text: &'t str,
    /// Patterns of names, each with a property that distinguishes their blocks, though it changes no colour.
    distinguished: Vec<(String, String)>,
}

/// The lines of a table that are neither empty nor comments.
pub(super) fn content_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// Parses the lines of one name, without those that are malformed or out of place.
fn parse_entry<'t>(lines: impl Iterator<Item = &'t str>) -> Option<Entry<'t>> {
    let mut entry = None;
    for line in lines {
        let _ = add_line(&mut entry, line);
    }
    entry
}

/// Adds a line to the entry of its name. `None`: it is malformed or out of place.
fn add_line<'t>(entry: &mut Option<Entry<'t>>, line: &'t str) -> Option<()> {
    let (key, rest) = line.split_once('\t')?;
    let (_, state) = split_state(key).ok()?;
    if let Some(target) = rest.strip_prefix('=') {
        let (name, state) = split_state(target).ok()?;
        entry.get_or_insert(Entry::Alias { name, state: state.unwrap_or_default() });
        return Some(());
    }
    let row = parse_row(rest)?;
    match (state, entry) {
        (Some(state), Some(Entry::Block(block))) => block.add_state(parse_state(state).ok()?, row),
        (None, entry) => _ = entry.get_or_insert(Entry::Block(Block::uniform(row))),
        _ => return None,
    }
    Some(())
}

impl<'t> BlockTable<'t> {
    /// The names in `text` must be sorted, with the rows of a block's states below it.
    pub fn new(text: &'t str) -> Self {
        Self { text, distinguished: Vec::new() }
    }

    /// The block of a name without `minecraft:`, and the properties that an old name implies.
    pub fn find(&self, name: &str) -> Option<(Block, &'t str)> {
        match self.entry(name)? {
            Entry::Block(block) => Some((block, "")),
            Entry::Alias { name, state } => match self.entry(name)? {
                Entry::Block(block) => Some((block, state)),
                Entry::Alias { .. } => None,
            },
        }
    }

    /// The current name of an old one without `minecraft:`, and the properties that the old one implies; `None`: it is no
    /// old name.
    pub fn renamed(&self, name: &str) -> Option<(&'t str, &'t str)> {
        match self.entry(name)? {
            Entry::Alias { name, state } => Some((name, state)),
            Entry::Block(_) => None,
        }
    }

    fn entry(&self, name: &str) -> Option<Entry<'t>> {
        let mut entry = parse_entry(lines_with_name(self.text, name));
        if let Some(Entry::Block(block)) = &mut entry {
            for (_, property) in self.distinguished.iter().filter(|(pattern, _)| is_like(name, pattern)) {
                add_sorted(&mut block.properties, property);
            }
        }
        entry
    }

    /// Distinguishes blocks by a property, though it changes no colour: those of a name, or of all names with the same
    /// end if `pattern` begins with `*`.
    pub fn keep(&mut self, pattern: &str, property: &str) {
        self.distinguished.push((pattern.to_owned(), property.to_owned()));
    }

    /// All names with their content, sorted.
    pub fn entries(&self) -> impl Iterator<Item = (&'t str, Entry<'t>)> {
        let mut names: Vec<&str> = content_lines(self.text).map(line_name).collect();
        names.dedup();
        names.into_iter().filter_map(|name| Some((name, self.entry(name)?)))
    }
}

/// Returns whether a name equals a pattern, or ends like one that begins with `*`.
pub fn is_like(name: &str, pattern: &str) -> bool {
    pattern.strip_prefix('*').map_or(name == pattern, |end| name.ends_with(end))
}

/// Splits `name[a=b]` into `name` and `a=b`.
///
/// # Errors
/// A bracket without its partner, or an empty name.
pub fn split_state(text: &str) -> Result<(&str, Option<&str>), String> {
    let (name, state) = match text.split_once('[') {
        None => (text, None),
        Some((name, rest)) => match rest.strip_suffix(']') {
            Some(state) if !state.is_empty() => (name, Some(state)),
            _ => return Err(format!("{text:?} should end with properties in brackets")),
        },
    };
    if name.is_empty() || name.contains(char::is_whitespace) {
        return Err(format!("{name:?} is not a name"));
    }
    Ok((name, state))
}

/// Parses the properties in a text such as `axis=x,lit=true`.
///
/// # Errors
/// A part that is not property and value.
pub fn parse_state(text: &str) -> Result<Vec<(String, String)>, String> {
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=').ok_or_else(|| format!("{pair:?} is not property=value"))?;
        Ok((name.to_owned(), value.to_owned()))
    };
    text.split(',').map(pair).collect()
}

fn parse_row(text: &str) -> Option<Row> {
    let columns: Vec<&str> = text.split('\t').collect();
    let [rgb, coverage, tint, flags, map] = columns[..] else { return None };
    Some(Row {
        rgb: parse_rgb(rgb).ok()?,
        coverage: coverage.parse().ok().filter(|percent| *percent <= 100)?,
        tint: Tint::parse(tint)?,
        flags: Flags::parse(flags).ok()?,
        map: map.parse().ok().filter(|id| *id <= 61)?,
    })
}

/// Parses a colour such as `3f76e4`.
///
/// # Errors
/// Anything but six hexadecimal digits.
pub fn parse_rgb(text: &str) -> Result<[u8; 3], String> {
    let value = u32::from_str_radix(text, 16).ok().filter(|_| text.len() == 6 && !text.starts_with('+'));
    let [_, r, g, b] = value.ok_or_else(|| format!("{text:?} is not a colour such as 3f76e4"))?.to_be_bytes();
    Ok([r, g, b])
}
