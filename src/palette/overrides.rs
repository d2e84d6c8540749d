//! Colours that a user sets for single blocks, for names of mods, or for all names that begin alike.
//!
//! ```text
//! # name                   rrggbb  [coverage  [tint  [flags  [map colour]]]]
//! minecraft:stone          7f7f80
//! somemod:ruby_glass       c02040  50
//! somemod:fern_*           808080  50         grass
//! somemod:beam[axis=x]     705030
//! somemod:old_beam         =somemod:beam
//! othermod:*               9a8f7f
//! ```
//!
//! Columns are separated by tabs or spaces; a name without namespace is the game's. What the resolver makes of a mod
//! or a pack is such a file. Knows no tables of its own: it changes rows that others found.

use std::collections::BTreeMap;

use super::table::{Flags, Row, parse_rgb, parse_state, property, split_state};
use super::{PaletteError, Tint};

/// Rules in the order in which they were given.
#[derive(Debug, Clone, Default)]
pub(super) struct Overrides {
    rules: Vec<Rule>,
    aliases: BTreeMap<String, (String, String)>,
}

/// What is set for the names that a rule fits; what it leaves out stays as it was.
#[derive(Debug, Clone)]
struct Rule {
    /// The whole name, or what it begins with.
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
    /// Adds a file; of two rules alike the later one counts.
    ///
    /// # Errors
    ///
    /// The first line that cannot be understood; then nothing of the file is added.
    pub(super) fn add(&mut self, file: &str, text: &str) -> Result<(), PaletteError> {
        let mut next = self.clone();
        for (index, line) in text.lines().enumerate() {
            if !line.trim().is_empty() && !line.starts_with('#') {
                next.add_line(line).map_err(|reason| PaletteError::new(file, index + 1, reason))?;
            }
        }
        *self = next;
        Ok(())
    }

    fn add_line(&mut self, line: &str) -> Result<(), String> {
        let columns: Vec<&str> = line.split_whitespace().collect();
        if let [name, target] = columns[..]
            && let Some(target) = target.strip_prefix('=')
        {
            let (target, state) = split_state(target)?;
            self.aliases.insert(full_name(name), (full_name(target), state.unwrap_or_default().to_owned()));
            return Ok(());
        }
        self.rules.push(Rule::parse(&columns)?);
        Ok(())
    }

    /// The name and state that a block is drawn as.
    pub(super) fn shown<'a>(&'a self, name: &'a str, state: &'a str) -> (&'a str, &'a str) {
        match self.aliases.get(name) {
            Some((target, inner)) => (target, if inner.is_empty() { state } else { inner }),
            None => (name, state),
        }
    }

    /// The row as the user wants it, and whether a rule spoke of the block. A whole name counts more than a beginning,
    /// a longer beginning more than a shorter one, more properties more than fewer, a later rule more than an earlier.
    pub(super) fn apply(&self, name: &str, state: &str, row: Row) -> (Row, bool) {
        let fitting = self.rules.iter().filter(|rule| rule.fits(name, state));
        match fitting.max_by_key(|rule| (!rule.wildcard, rule.name.len(), rule.state.len())) {
            Some(rule) => (rule.paint(row), true),
            None => (row, false),
        }
    }

    /// The whole names that rules for single states speak of, each with the properties that they name.
    pub(super) fn properties(&self) -> impl Iterator<Item = (&str, Vec<&str>)> {
        let with_state = self.rules.iter().filter(|rule| !rule.state.is_empty());
        with_state.map(|rule| (rule.name.as_str(), rule.state.iter().map(|(key, _)| key.as_str()).collect()))
    }
}

fn full_name(name: &str) -> String {
    if name.contains(':') { name.to_owned() } else { format!("minecraft:{name}") }
}

impl Rule {
    fn parse(columns: &[&str]) -> Result<Self, String> {
        let &[name, rgb, ref rest @ ..] = columns else {
            return Err("a name and a colour belong here, then if you like a coverage and a tint".to_owned());
        };
        if rest.len() > 4 {
            return Err(format!("{} columns, but no more than 6 are known", columns.len()));
        }
        let (name, state) = split_state(name)?;
        let full = full_name(name);
        let (name, wildcard) = full.strip_suffix('*').map_or((full.as_str(), false), |name| (name, true));
        if name.contains('*') || wildcard && state.is_some() {
            return Err(format!("{full:?}: a * may stand at the end of a name alone, without a state"));
        }
        let percent = |text: &&str| text.parse().ok().filter(|percent| *percent <= 100);
        let number = |text: &&str| text.parse().ok().filter(|id| *id <= 61);
        let tint = rest.get(1).map_or(Some(Tint::None), |text| Tint::parse(text));
        Ok(Self {
            name: name.to_owned(),
            wildcard,
            state: state.map_or(Ok(Vec::new()), parse_state)?,
            rgb: parse_rgb(rgb.trim_start_matches('#'))?,
            coverage: optional(rest.first(), percent, "the coverage is a percentage from 0 to 100")?,
            tint: tint.ok_or("the tint is one of grass, foliage, dry_foliage, water, -")?,
            flags: rest.get(2).map(|text| Flags::parse(text)).transpose()?,
            map: optional(rest.get(3), number, "the map colour is a number from 0 to 61")?,
        })
    }

    fn fits(&self, name: &str, state: &str) -> bool {
        let named = if self.wildcard { name.starts_with(&self.name) } else { name == self.name };
        named && self.state.iter().all(|(key, value)| property(state, key) == Some(value))
    }

    fn paint(&self, row: Row) -> Row {
        // Who gives nothing a coverage wants to see it.
        let shown = self.coverage.is_some_and(|percent| percent > 0);
        let kept = if shown { row.flags.without(Flags::NOTHING) } else { row.flags };
        Row {
            rgb: self.rgb,
            coverage: self.coverage.unwrap_or(row.coverage),
            tint: self.tint,
            flags: self.flags.unwrap_or(kept),
            map: self.map.unwrap_or(row.map),
        }
    }
}

/// A column that may be left out, but not be wrong.
fn optional<T>(text: Option<&&str>, read: impl Fn(&&str) -> Option<T>, wrong: &str) -> Result<Option<T>, String> {
    text.map(|text| read(text).ok_or_else(|| wrong.to_owned())).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GREY: Row = Row { rgb: [9; 3], coverage: 100, tint: Tint::Grass, flags: Flags::FLAT, map: 1 };

    fn rules(text: &str) -> Overrides {
        let mut overrides = Overrides::default();
        overrides.add("my.tsv", text).unwrap();
        overrides
    }

    #[test]
    fn the_most_exact_rule_wins_and_a_later_one_of_two_alike() {
        let rules = rules("mod:*\t010101\nmod:ruby*\t020202\nmod:ruby\t030303 50 water\nmod:*\t040404\n");
        let rgb = |name| rules.apply(name, "", GREY).0.rgb;
        assert_eq!((rgb("mod:ruby"), rgb("mod:ruby_ore"), rgb("mod:x")), ([3; 3], [2; 3], [4; 3]));
        let ruby = rules.apply("mod:ruby", "", GREY).0;
        assert_eq!((ruby.coverage, ruby.tint, ruby.flags), (50, Tint::Water, Flags::FLAT));
        assert_eq!(rules.apply("other:x", "", GREY), (GREY, false));
    }

    #[test]
    fn a_rule_for_a_state_leaves_the_others_alone() {
        let rules =
            rules("mod:beam[axis=x,lit=true] 030303\nmod:beam[axis=x] 020202\nmod:beam 010101 100 - leaves 7\n");
        let rgb = |state| rules.apply("mod:beam", state, GREY).0.rgb;
        assert_eq!((rgb(""), rgb("axis=x"), rgb("axis=x,lit=true")), ([1; 3], [2; 3], [3; 3]));
        let plain = rules.apply("mod:beam", "axis=y", GREY).0;
        assert_eq!((plain.flags, plain.map), (Flags::LEAVES, 7));
    }

    #[test]
    fn a_name_without_namespace_is_the_games() {
        assert_eq!(rules("stone #0a0b0c").apply("minecraft:stone", "", GREY).0.rgb, [10, 11, 12]);
    }

    #[test]
    fn errors_name_file_and_line() {
        let error = |text| Overrides::default().add("my.tsv", text).unwrap_err().to_string();
        assert_eq!(error("# x\n\nstone red"), "my.tsv, line 3: \"red\" is not a colour such as 3f76e4");
        assert!(error("stone").contains("a name and a colour belong here"));
        assert!(error("m*d:x 010101").contains("a * may stand at the end"));
        assert!(error("mod:*[a=b] 010101").contains("without a state"));
        assert!(error("stone 010101 200").contains("percentage"));
        assert!(error("stone 010101 50 sky").contains("the tint is one of"));
        assert!(error("stone 010101 50 - hard").contains("\"hard\" is not a flag"));
        assert!(error("stone 010101 50 - - 7 8").contains("no more than 6"));
    }
}
