//! Reads the table of block colours, which is text: one line per block, rows for single states
//! below it, and aliases for old names.
//!
//! ```text
//! # name            rrggbb  coverage  tint   flags     map colour
//! grass_block       939393  100       grass  -         1
//! grass_block[snowy=true]  f9fefe  100  -   -         8
//! grass_path        =dirt_path
//! lit_furnace       =furnace[lit=true]
//! ```
//!
//! Columns are separated by tabs. Names are without `minecraft:`, but names of mods include their
//! namespace. The resolver makes the table; this module only reads it.

use crate::palette::tint::Tint;
use pixelmap_base::name_lines::{line_name, lines_with_name};
use pixelmap_world::names::Traits;

/// The properties of a block in the table other than its colours, as a set of flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Flags(u16);

impl Flags {
    pub(super) const NONE: Self = Self(0);
    /// Air and similar blocks.
    pub(crate) const NOTHING: Self = Self(1);
    pub(crate) const WATER: Self = Self(1 << 1);
    /// A plant that is always in water, although it lacks the property `waterlogged`.
    pub(crate) const SUBMERGED: Self = Self(1 << 2);
    /// Waterlogged unless the state has `waterlogged=false`.
    pub(crate) const WET: Self = Self(1 << 3);
    /// Has a property `waterlogged`.
    pub(crate) const WETTABLE: Self = Self(1 << 4);
    /// Flat on the ground, so it does not count for relief.
    pub(crate) const FLAT: Self = Self(1 << 5);
    pub(crate) const LAVA: Self = Self(1 << 6);
    pub(crate) const LEAVES: Self = Self(1 << 7);
    /// Drawn although it covers less than an eighth of its cell.
    pub(crate) const THIN: Self = Self(1 << 8);

    /// All flags, in the order in which a table writes them.
    const NAMED: [(Self, &'static str); 9] = [
        (Self::NOTHING, "nothing"),
        (Self::WATER, "water"),
        (Self::SUBMERGED, "submerged"),
        (Self::WET, "wet"),
        (Self::WETTABLE, "wettable"),
        (Self::FLAT, "flat"),
        (Self::LAVA, "lava"),
        (Self::LEAVES, "leaves"),
        (Self::THIN, "thin"),
    ];

    fn all_names() -> String {
        let names: Vec<&str> = Self::NAMED.iter().map(|(_, name)| *name).collect();
        format!("there are {}, and - for none", names.join(", "))
    }

    pub(super) const fn bits(self) -> u16 {
        self.0
    }

    pub(crate) const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    pub(crate) const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Parses a list such as `flat,wet`, or `-` for none.
    ///
    /// # Errors
    /// Fails if a word is not a flag, and names it.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut flags = Self::default();
        for word in text.split(',').filter(|word| *word != "-") {
            let named = Self::NAMED.iter().find(|(_, name)| *name == word);
            flags = flags.with(
                named
                    .ok_or_else(|| format!("{word:?} is not a flag: {}", Self::all_names()))?
                    .0,
            );
        }

        Ok(flags)
    }
}

impl std::fmt::Display for Flags {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let words: Vec<&str> = Self::NAMED
            .iter()
            .filter(|(flag, _)| self.has(*flag))
            .map(|(_, name)| *name)
            .collect();

        f.write_str(
            if words.is_empty() {
                "-".to_owned()
            } else {
                words.join(",")
            }
            .as_str(),
        )
    }
}

/// The values of a block state in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Row {
    /// Straight sRGB. Constant tints are multiplied in, but the biome's tint is not.
    pub rgb: [u8; 3],
    /// The percentage of the block's area that is covered, seen from above.
    pub coverage: u8,
    pub tint: Tint,
    pub flags: Flags,
    /// The number of the block's colour on the game's own maps, 0 to 61.
    pub map: u8,
}

impl Row {
    /// Returns the coverage in quarters; less than an eighth is 0.
    pub(crate) fn quarters(self) -> u8 {
        ((u32::from(self.coverage) * 4 + 50) / 100) as u8
    }

    /// Returns how much of the block below is hidden, in sixteenths: whole quarters, or less for
    /// thin blocks.
    pub(crate) fn sixteenths(self) -> u8 {
        match self.quarters() {
            0 if self.flags.has(Flags::THIN) => ((u32::from(self.coverage) * 16 + 50) / 100) as u8,
            quarters => quarters * 4,
        }
    }

    /// Returns the traits for a column scan. `wet` is the state's value of `waterlogged`, if it has
    /// one.
    pub(crate) fn traits(self, wet: Option<bool>) -> Traits {
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

        if self.quarters() == 0 && wet {
            // The block itself is too thin to be the floor of the water, such as a waterlogged
            // chain.
            return Traits::WATER;
        }

        if self.sixteenths() == 0 {
            return Traits::HIDDEN;
        }

        if self.flags.has(Flags::FLAT) || self.quarters() < 4 {
            traits = traits.with(Traits::OVERLAY);
        }

        if wet {
            traits.with(Traits::WET)
        } else {
            traits
        }
    }
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [r, g, b] = self.rgb;
        write!(
            f,
            "{r:02x}{g:02x}{b:02x}\t{}\t{}\t{}\t{}",
            self.coverage,
            self.tint.name(),
            self.flags,
            self.map
        )
    }
}

/// Properties, each with the value for which a row counts.
pub(crate) type When = Vec<(String, String)>;

/// A block with the rows of its states.
#[derive(Debug, Clone)]
pub(crate) struct TableBlock {
    /// The row of the default state, and of all states that match no other row.
    pub row: Row,
    states: Vec<(When, Row)>,
    /// The properties that affect how the block is drawn, sorted.
    pub properties: Vec<String>,
    /// The properties for blocks of mods that are drawn like this one. They include `waterlogged`.
    pub mod_properties: Vec<String>,
}

impl TableBlock {
    /// Makes a block whose states all look alike.
    pub(crate) fn uniform(row: Row) -> Self {
        let properties = if row.flags.has(Flags::WETTABLE) {
            vec![WATERLOGGED.to_owned()]
        } else {
            Vec::new()
        };
        Self {
            row,
            states: Vec::new(),
            properties,
            mod_properties: vec![WATERLOGGED.to_owned()],
        }
    }

    /// Returns the row of a state such as `axis=x,lit=true`. If several rows match, the row with
    /// the most properties counts.
    pub(crate) fn state_row(&self, state: &str) -> &Row {
        if self.states.is_empty() || state.is_empty() {
            return &self.row;
        }

        let fitting = self.states.iter().filter(|(when, _)| {
            when.iter()
                .all(|(name, value)| property(state, name) == Some(value))
        });

        fitting
            .max_by_key(|(when, _)| when.len())
            .map_or(&self.row, |(_, row)| row)
    }

    /// Returns the rows of single states, each with its properties.
    pub(crate) fn states(&self) -> impl Iterator<Item = (&When, &Row)> {
        self.states.iter().map(|(when, row)| (when, row))
    }

    fn add_state(&mut self, when: When, row: Row) {
        for (properties, of_mods) in [
            (&mut self.properties, false),
            (&mut self.mod_properties, true),
        ] {
            // Only the game has given old names to other blocks, so this property is left out for
            // mods.
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

/// The property that has the same meaning for every block.
pub(crate) const WATERLOGGED: &str = "waterlogged";

/// A property that we add and worlds do not store: the `DataVersion` before which a name meant
/// another block.
pub(crate) const BEFORE: &str = pixelmap_world::names::BEFORE_RENAMING.0;

/// Returns the value of a property in a state such as `axis=x,lit=true`.
pub(crate) fn property<'a>(state: &'a str, name: &str) -> Option<&'a str> {
    state.split(',').find_map(|pair| {
        pair.split_once('=')
            .filter(|(key, _)| *key == name)
            .map(|(_, value)| value)
    })
}

/// The parsed lines of a name.
#[derive(Debug, Clone)]
pub(crate) enum TableEntry<'t> {
    Block(TableBlock),
    /// An old name of a block, or of one of its states.
    Alias {
        /// The block's current name.
        name: &'t str,
        /// The properties that the old name implies; may be empty.
        state: &'t str,
    },
}

/// Blocks and aliases by name (without `minecraft:`), sorted by name. The lines of a block are
/// parsed when the block is looked up, so that a command that draws nothing need not parse the
/// table.
#[derive(Debug, Clone)]
pub(crate) struct BlockTable<'t> {
    text: &'t str,
    /// Name patterns, each with a property that distinguishes the states of matching blocks
    /// although it does not change their colour.
    distinguished: Vec<(String, String)>,
}

/// Returns the lines of a table that are neither empty nor comments.
pub(super) fn content_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// Parses the lines of one name. Ignores lines that are malformed or out of place.
fn parse_entry<'t>(lines: impl Iterator<Item = &'t str>) -> Option<TableEntry<'t>> {
    let mut entry = None;
    for line in lines {
        let _ = add_line(&mut entry, line);
    }
    entry
}

/// Adds a line to the entry of its name. Returns `None` if the line is malformed or out of place.
fn add_line<'t>(entry: &mut Option<TableEntry<'t>>, line: &'t str) -> Option<()> {
    let (key, rest) = line.split_once('\t')?;
    let (_, state) = split_state(key).ok()?;
    if let Some(target) = rest.strip_prefix('=') {
        let (name, state) = split_state(target).ok()?;
        entry.get_or_insert(TableEntry::Alias {
            name,
            state: state.unwrap_or_default(),
        });
        return Some(());
    }

    let row = parse_row(rest)?;
    match (state, entry) {
        (Some(state), Some(TableEntry::Block(block))) => {
            block.add_state(parse_state(state).ok()?, row);
        }
        (None, entry) => _ = entry.get_or_insert(TableEntry::Block(TableBlock::uniform(row))),
        _ => return None,
    }

    Some(())
}

impl<'t> BlockTable<'t> {
    /// Makes a table. The names in `text` must be sorted, with the rows of a block's states below
    /// the block.
    pub(crate) fn new(text: &'t str) -> Self {
        Self {
            text,
            distinguished: Vec::new(),
        }
    }

    /// Returns the block with a name (without `minecraft:`). If it is an old name, also returns the
    /// properties that the name implies.
    pub(crate) fn find(&self, name: &str) -> Option<(TableBlock, &'t str)> {
        match self.entry(name)? {
            TableEntry::Block(block) => Some((block, "")),
            TableEntry::Alias { name, state } => match self.entry(name)? {
                TableEntry::Block(block) => Some((block, state)),
                TableEntry::Alias { .. } => None,
            },
        }
    }

    /// Returns the current name for an old name (without `minecraft:`), and the properties that the
    /// old name implies. Returns `None` if the name is not an old name.
    pub(crate) fn renamed(&self, name: &str) -> Option<(&'t str, &'t str)> {
        match self.entry(name)? {
            TableEntry::Alias { name, state } => Some((name, state)),
            TableEntry::Block(_) => None,
        }
    }

    fn entry(&self, name: &str) -> Option<TableEntry<'t>> {
        let mut entry = parse_entry(lines_with_name(self.text, name));
        if let Some(TableEntry::Block(block)) = &mut entry {
            for (_, property) in self
                .distinguished
                .iter()
                .filter(|(pattern, _)| is_like(name, pattern))
            {
                add_sorted(&mut block.properties, property);
            }
        }

        entry
    }

    /// Keeps a property although it does not change any colour, for the block that is named
    /// `pattern`. If `pattern` begins with `*`, it is kept for all blocks whose names end with the
    /// rest.
    pub(crate) fn keep(&mut self, pattern: &str, property: &str) {
        self.distinguished
            .push((pattern.to_owned(), property.to_owned()));
    }

    /// Returns all names with their entries, sorted.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&'t str, TableEntry<'t>)> {
        let mut names: Vec<&str> = content_lines(self.text).map(line_name).collect();
        names.dedup();
        names
            .into_iter()
            .filter_map(|name| Some((name, self.entry(name)?)))
    }
}

/// Returns whether a name equals a pattern, or, if the pattern begins with `*`, ends with the rest
/// of it.
pub(crate) fn is_like(name: &str, pattern: &str) -> bool {
    pattern
        .strip_prefix('*')
        .map_or(name == pattern, |end| name.ends_with(end))
}

/// Splits `name[a=b]` into `name` and `a=b`.
///
/// # Errors
/// Fails if a bracket lacks its partner, or the name is empty.
pub(crate) fn split_state(text: &str) -> Result<(&str, Option<&str>), String> {
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
/// Fails if a part is not a property and a value.
pub(crate) fn parse_state(text: &str) -> Result<Vec<(String, String)>, String> {
    let mut properties = Vec::new();
    for pair in text.split(',') {
        let (name, value) = pair
            .split_once('=')
            .ok_or_else(|| format!("{pair:?} is not property=value"))?;
        properties.push((name.to_owned(), value.to_owned()));
    }

    Ok(properties)
}

fn parse_row(text: &str) -> Option<Row> {
    let columns: Vec<&str> = text.split('\t').collect();
    let [rgb, coverage, tint, flags, map] = columns[..] else {
        return None;
    };
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
/// Fails if the text is not six hexadecimal digits.
pub(crate) fn parse_rgb(text: &str) -> Result<[u8; 3], String> {
    match u32::from_str_radix(text, 16) {
        Ok(value) if text.len() == 6 && !text.starts_with('+') => {
            let [_, r, g, b] = value.to_be_bytes();
            Ok([r, g, b])
        }
        _ => Err(format!("{text:?} is not a colour such as 3f76e4")),
    }
}
