//! Reads the colours that a user sets for single blocks, for names of mods, or for all names with
//! the same beginning.
//!
//! ```text
//! # name                   rrggbb  [coverage  [tint  [flags  [map colour]]]]
//! minecraft:stone          7f7f80
//! somemod:ruby_glass       c02040  50
//! somemod:fern_*           808080  50         grass
//! somemod:beam[axis=x]     705030
//! somemod:old_beam         =somemod:beam
//! othermod:*               9a8f7f
//! # biome  name            grass   foliage  water  [dry foliage]
//! biome    somemod:heath   8f7a4a  7d6f3c   3f76e4
//! ```
//!
//! Columns are separated by tabs or spaces. A name without namespace is one of the game's. The
//! resolver writes such a file for a mod or a pack. This module only changes the rows that the
//! block table returns.

use std::collections::BTreeMap;

use crate::palette::error::PaletteError;
use crate::palette::table::{Flags, Row, parse_rgb, parse_state, property, split_state};
use crate::palette::tint::{BiomeTints, Tint};

/// The rules of all files, in the order of the files.
#[derive(Debug, Clone, Default)]
pub(super) struct Overrides {
    rules: Vec<Override>,
    aliases: BTreeMap<String, Alias>,
    /// The number of files that were added.
    files: usize,
    biomes: BTreeMap<String, BiomeTints>,
}

/// The colour of leaves on the ground in plains. It is used if a line sets none.
const DRY_FOLIAGE: [u8; 3] = [0xa3, 0x75, 0x46];

/// The target of an alias: another name, and optionally a state of it.
#[derive(Debug, Clone)]
struct Alias {
    file: usize,
    name: String,
    state: String,
}

/// The values that a rule sets for matching names; `None` leaves a value unchanged.
#[derive(Debug, Clone)]
struct Override {
    /// The number of its file.
    file: usize,
    /// The whole name, or its beginning if `wildcard` is true.
    name: String,
    wildcard: bool,
    state: Vec<(String, String)>,
    rgb: [u8; 3],
    coverage: Option<u8>,
    tint: Tint,
    flags: Option<Flags>,
    map: Option<u8>,
}

impl Overrides {
    /// Adds a file. If two rules are equal, the later one counts.
    ///
    /// # Errors
    /// Fails at the first malformed line. Then none of the file's lines are added.
    pub(super) fn add(&mut self, file: &str, text: &str) -> Result<(), PaletteError> {
        let mut next = self.clone();
        next.files += 1;

        for (index, line) in text.lines().enumerate() {
            if !line.trim().is_empty() && !line.starts_with('#') {
                next.add_line(line)
                    .map_err(|reason| PaletteError::new(file, index + 1, reason))?;
            }
        }

        *self = next;
        Ok(())
    }

    fn add_line(&mut self, line: &str) -> Result<(), String> {
        let columns: Vec<&str> = line.split_whitespace().collect();
        if let ["biome", name, ref colours @ ..] = columns[..] {
            self.biomes.insert(full_name(name), tints(colours)?);
            return Ok(());
        }

        if let [name, target] = columns[..]
            && let Some(target) = target.strip_prefix('=')
        {
            let (target, state) = split_state(target)?;
            let state = state.unwrap_or_default().to_owned();
            self.aliases.insert(
                full_name(name),
                Alias {
                    file: self.files,
                    name: full_name(target),
                    state,
                },
            );
            return Ok(());
        }

        self.rules.push(Override::parse(self.files, &columns)?);
        Ok(())
    }

    /// Returns the name and state whose colours a block gets.
    pub(super) fn resolve_alias<'a>(&'a self, name: &'a str, state: &'a str) -> (&'a str, &'a str) {
        let Some(alias) = self.aliases.get(name) else {
            return (name, state);
        };

        if self
            .rules
            .iter()
            .any(|rule| rule.file > alias.file && rule.fits(name, state))
        {
            return (name, state);
        }

        (
            &alias.name,
            if alias.state.is_empty() {
                state
            } else {
                &alias.state
            },
        )
    }

    /// Returns the colours that the user has set for a biome (name with namespace).
    pub(super) fn biome(&self, name: &str) -> Option<BiomeTints> {
        self.biomes.get(name).copied()
    }

    /// Returns all rules, one per line, in the order that counts. Equal overrides have equal text,
    /// so it can be hashed.
    pub(super) fn lines(&self) -> String {
        let rules = self.rules.iter().map(Override::line);
        let aliases = self
            .aliases
            .iter()
            .map(|(from, Alias { file, name, state })| {
                format!("({from:?}, Alias {{ file: {file}, name: {name:?}, state: {state:?} }})\n")
            });
        let biomes = self
            .biomes
            .iter()
            .map(|(name, tints)| format!("({name:?}, {})\n", tints.key_text()));
        rules.chain(aliases).chain(biomes).collect()
    }

    /// Applies the user's rules to a row, and returns whether a rule matches the block. If several
    /// rules match, these count more, in this order: a later file, a whole name over a beginning, a
    /// longer beginning, more properties, a later rule.
    pub(super) fn apply(&self, name: &str, state: &str, row: Row) -> (Row, bool) {
        let fitting = self.rules.iter().filter(|rule| rule.fits(name, state));
        match fitting
            .max_by_key(|rule| (rule.file, !rule.wildcard, rule.name.len(), rule.state.len()))
        {
            Some(rule) => (rule.paint(row), true),
            None => (row, false),
        }
    }

    /// Returns the block names with rules for single states, each with the properties that its rule
    /// matches.
    pub(super) fn properties(&self) -> impl Iterator<Item = (&str, Vec<&str>)> {
        let with_state = self.rules.iter().filter(|rule| !rule.state.is_empty());
        with_state.map(|rule| {
            (
                rule.name.as_str(),
                rule.state.iter().map(|(key, _)| key.as_str()).collect(),
            )
        })
    }
}

fn full_name(name: &str) -> String {
    if name.contains(':') {
        name.to_owned()
    } else {
        format!("minecraft:{name}")
    }
}

/// Parses the colours of a biome: grass, foliage, water, and optionally dry foliage.
fn tints(colours: &[&str]) -> Result<BiomeTints, String> {
    let (&[grass, foliage, water], dry) = colours.split_first_chunk().ok_or(BIOME_COLUMNS)?;
    let dry_foliage = match dry {
        [] => DRY_FOLIAGE,
        [dry] => colour(dry)?,
        _ => return Err(BIOME_COLUMNS.to_owned()),
    };
    Ok(BiomeTints {
        grass: colour(grass)?,
        foliage: colour(foliage)?,
        water: colour(water)?,
        dry_foliage,
    })
}

const BIOME_COLUMNS: &str =
    "expected three or four colours after `biome` and its name: grass, foliage, water, dry foliage";

fn colour(text: &str) -> Result<[u8; 3], String> {
    parse_rgb(text.strip_prefix('#').unwrap_or(text))
}

impl Override {
    fn parse(file: usize, columns: &[&str]) -> Result<Self, String> {
        let &[name, rgb, ref rest @ ..] = columns else {
            return Err(
                "expected a name and a colour, then optionally a coverage and a tint".to_owned(),
            );
        };

        if rest.len() > 4 {
            return Err(format!(
                "{} columns, but at most 6 are allowed",
                columns.len()
            ));
        }

        let (name, state) = split_state(name)?;
        let full = full_name(name);
        let (name, wildcard) = full
            .strip_suffix('*')
            .map_or((full.as_str(), false), |name| (name, true));
        if name.contains('*') || wildcard && state.is_some() {
            return Err(format!(
                "{full:?}: a * is allowed only at the end of a name without a state"
            ));
        }

        let tint = rest
            .get(1)
            .map_or(Some(Tint::None), |text| Tint::parse(text));
        Ok(Self {
            file,
            name: name.to_owned(),
            wildcard,
            state: state.map_or(Ok(Vec::new()), parse_state)?,
            rgb: colour(rgb)?,
            coverage: optional(
                rest.first(),
                |text| text.parse().ok().filter(|percent| *percent <= 100),
                "the coverage is a percentage from 0 to 100",
            )?,
            tint: tint.ok_or("the tint is one of grass, foliage, dry_foliage, water, -")?,
            flags: rest.get(2).map(|text| Flags::parse(text)).transpose()?,
            map: optional(
                rest.get(3),
                |text| text.parse().ok().filter(|id| *id <= 61),
                "the map colour is a number from 0 to 61",
            )?,
        })
    }

    /// Returns the rule as a line of a fingerprint. The text must not change, because all tiles
    /// would be drawn again.
    fn line(&self) -> String {
        let Self {
            file,
            name,
            wildcard,
            state,
            rgb,
            coverage,
            tint,
            flags,
            map,
        } = self;

        let tint = match tint {
            Tint::None => "None",
            Tint::Grass => "Grass",
            Tint::Foliage => "Foliage",
            Tint::DryFoliage => "DryFoliage",
            Tint::Water => "Water",
        };

        let flags = flags.map_or_else(
            || "None".to_owned(),
            |flags| format!("Some(Flags({}))", flags.bits()),
        );

        format!(
            "Override \
             {{ file: {file}, name: {name:?}, wildcard: {wildcard}, state: {state:?}, rgb: {rgb:?}, coverage: {coverage:?}, tint: {tint}, flags: {flags}, map: {map:?} }}\n"
        )
    }

    fn fits(&self, name: &str, state: &str) -> bool {
        let named = if self.wildcard {
            name.starts_with(&self.name)
        } else {
            name == self.name
        };
        named
            && self
                .state
                .iter()
                .all(|(key, value)| property(state, key) == Some(value))
    }

    fn paint(&self, row: Row) -> Row {
        // Any coverage above 0 makes a block visible.
        let shown = self.coverage.is_some_and(|percent| percent > 0);
        let flags = if shown {
            row.flags.without(Flags::NOTHING)
        } else {
            row.flags
        };

        Row {
            rgb: self.rgb,
            coverage: self.coverage.unwrap_or(row.coverage),
            tint: self.tint,
            flags: self.flags.unwrap_or(flags),
            map: self.map.unwrap_or(row.map),
        }
    }
}

/// Parses a column that may be absent, but must not be malformed.
fn optional<T>(
    text: Option<&&str>,
    read: impl Fn(&&str) -> Option<T>,
    wrong: &str,
) -> Result<Option<T>, String> {
    text.map(|text| read(text).ok_or_else(|| wrong.to_owned()))
        .transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GREY: Row = Row {
        rgb: [9; 3],
        coverage: 100,
        tint: Tint::Grass,
        flags: Flags::FLAT,
        map: 1,
    };

    fn rules(text: &str) -> Overrides {
        let mut overrides = Overrides::default();
        overrides.add("my.tsv", text).unwrap();
        overrides
    }

    #[test]
    fn the_most_exact_rule_wins_then_the_latest() {
        let rules =
            rules("mod:*\t010101\nmod:ruby*\t020202\nmod:ruby\t030303 50 water\nmod:*\t040404\n");
        let rgb = |name| rules.apply(name, "", GREY).0.rgb;
        assert_eq!(
            (rgb("mod:ruby"), rgb("mod:ruby_ore"), rgb("mod:x")),
            ([3; 3], [2; 3], [4; 3])
        );

        let ruby = rules.apply("mod:ruby", "", GREY).0;
        assert_eq!(
            (ruby.coverage, ruby.tint, ruby.flags),
            (50, Tint::Water, Flags::FLAT)
        );
        assert_eq!(rules.apply("other:x", "", GREY), (GREY, false));
    }

    #[test]
    fn a_state_rule_leaves_other_states_alone() {
        let rules = rules(
            "mod:beam[axis=x,lit=true] 030303\nmod:beam[axis=x] 020202\nmod:beam 010101 100 - \
             leaves 7\n",
        );
        let rgb = |state| rules.apply("mod:beam", state, GREY).0.rgb;
        assert_eq!(
            (rgb(""), rgb("axis=x"), rgb("axis=x,lit=true")),
            ([1; 3], [2; 3], [3; 3])
        );
        let plain = rules.apply("mod:beam", "axis=y", GREY).0;
        assert_eq!((plain.flags, plain.map), (Flags::LEAVES, 7));
    }

    #[test]
    fn a_later_file_outweighs_every_earlier_one() {
        let mut rules = rules(
            "mod:beam[axis=x] 010101\nmod:beam 020202\nmod:old =mod:beam\nmod:older =mod:beam\n",
        );
        rules
            .add("later.tsv", "mod:b* 030303\nmod:old 040404\n")
            .unwrap();

        let rgb = |name, state| {
            let (name, state) = rules.resolve_alias(name, state);
            rules.apply(name, state, GREY).0.rgb
        };

        assert_eq!(
            [
                rgb("mod:beam", "axis=x"),
                rgb("mod:older", ""),
                rgb("mod:old", "")
            ],
            [[3; 3], [3; 3], [4; 3]]
        );
    }

    #[test]
    fn a_name_without_namespace_is_the_games() {
        assert_eq!(
            rules("stone #0a0b0c")
                .apply("minecraft:stone", "", GREY)
                .0
                .rgb,
            [10, 11, 12]
        );
    }

    #[test]
    fn errors_name_file_and_line() {
        let error = |text| {
            Overrides::default()
                .add("my.tsv", text)
                .unwrap_err()
                .to_string()
        };

        assert_eq!(
            error("# x\n\nstone red"),
            "my.tsv, line 3: \"red\" is not a colour such as 3f76e4"
        );

        assert!(error("stone").contains("expected a name and a colour"));
        assert!(error("m*d:x 010101").contains("allowed only at the end"));
        assert!(error("mod:*[a=b] 010101").contains("without a state"));
        assert!(error("stone 010101 200").contains("percentage"));
        assert!(error("stone 010101 50 sky").contains("the tint is one of"));
        assert!(error("stone 010101 50 - hard").contains("\"hard\" is not a flag"));

        assert!(error("stone 010101 50 - - 7 8").contains("at most 6"));
        assert!(error("biome mod:x 010101 020202").contains("three or four colours"));
        assert!(
            error("biome mod:x 010101 020202 030303 040404 050505")
                .contains("three or four colours")
        );
        assert!(error("biome mod:x 010101 020202 green").contains("\"green\" is not a colour"));
    }

    #[test]
    fn the_last_line_of_a_biome_counts() {
        let rules = rules(
            "biome mod:heath 010101 020202 030303\nbiome plains 0a0a0a 0b0b0b #0c0c0c 0d0d0d\n",
        );
        let heath = rules.biome("mod:heath").unwrap();
        assert_eq!(
            (heath.grass, heath.foliage, heath.water, heath.dry_foliage),
            ([1; 3], [2; 3], [3; 3], DRY_FOLIAGE)
        );

        assert_eq!(
            rules.biome("minecraft:plains").unwrap().dry_foliage,
            [13; 3]
        );
        assert_eq!(rules.biome("mod:moor"), None);
    }

    #[test]
    fn texts_of_rules_in_keys_never_change() {
        let text = "mod:a* 010203\nmod:b[x=y] 040506 50 dry_foliage flat 7\nmod:c \
                    =mod:b[x=z]\nbiome mod:h 0a0a0a 0b0b0b 0c0c0c\n";

        let expected = "\
Override { file: 1, name: \"mod:a\", wildcard: true, state: [], rgb: [1, 2, 3], coverage: None, \
                            tint: None, flags: None, map: None }
Override { file: 1, name: \"mod:b\", wildcard: false, state: [(\"x\", \"y\")], rgb: [4, 5, 6], \
                            coverage: Some(50), tint: DryFoliage, flags: Some(Flags(32)), map: \
                            Some(7) }
(\"mod:c\", Alias { file: 1, name: \"mod:b\", state: \"x=z\" })
(\"mod:h\", BiomeTints \
   { grass: [10, 10, 10], foliage: [11, 11, 11], water: [12, 12, 12], dry_foliage: [163, 117, 70] })
";
        assert_eq!(rules(text).lines(), expected);
    }
}
