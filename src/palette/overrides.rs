//! Colours that a user sets for single blocks, for names of mods, or for all names that begin alike.
//!
//! ```text
//! # name                   rrggbb  [coverage  [tint]]
//! minecraft:stone          7f7f80
//! somemod:ruby_glass       c02040  50
//! somemod:fern_*           808080  50         grass
//! othermod:*               9a8f7f
//! ```
//!
//! Columns are separated by tabs or spaces. A name without namespace is the game's. Knows no tables of its own: it
//! changes rows that others found.

use super::table::{Flags, Row, parse_rgb};
use super::{PaletteError, Tint};

/// Rules in the order in which they were given.
#[derive(Debug, Clone, Default)]
pub(super) struct Overrides {
    rules: Vec<Rule>,
}

#[derive(Debug, Clone)]
struct Rule {
    /// The whole name, or what it begins with.
    name: String,
    wildcard: bool,
    rgb: [u8; 3],
    coverage: Option<u8>,
    tint: Tint,
}

impl Overrides {
    /// Adds a file.
    ///
    /// # Errors
    ///
    /// The first line that cannot be understood.
    pub(super) fn add(&mut self, file: &str, text: &str) -> Result<(), PaletteError> {
        let mut rules = Vec::new();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            if !line.starts_with('#') {
                rules.push(Rule::parse(line).map_err(|reason| PaletteError::new(file, index + 1, reason))?);
            }
        }
        self.rules.append(&mut rules);
        Ok(())
    }

    /// The row as the user wants it, and whether a rule spoke of the name. A whole name counts more than a beginning,
    /// a longer beginning more than a shorter one, and a later rule more than an earlier one.
    pub(super) fn apply(&self, name: &str, row: Row) -> (Row, bool) {
        let fitting = self.rules.iter().filter(|rule| rule.fits(name));
        match fitting.max_by_key(|rule| (!rule.wildcard, rule.name.len())) {
            Some(rule) => (rule.paint(row), true),
            None => (row, false),
        }
    }
}

impl Rule {
    fn parse(line: &str) -> Result<Self, String> {
        let columns: Vec<&str> = line.split_whitespace().collect();
        let (name, rgb, rest) = match columns[..] {
            [name, rgb, ref rest @ ..] if rest.len() <= 2 => (name, rgb, rest),
            _ => return Err("a name and a colour belong here, then if you like a coverage and a tint".to_owned()),
        };
        let full = if name.contains(':') { name.to_owned() } else { format!("minecraft:{name}") };
        let (name, wildcard) = full.strip_suffix('*').map_or((full.as_str(), false), |name| (name, true));
        if name.contains('*') {
            return Err(format!("{full:?}: a * may stand at the end alone"));
        }
        let percent = |text: &&str| text.parse().ok().filter(|percent| *percent <= 100);
        let coverage = match rest.first() {
            Some(text) => Some(percent(text).ok_or("the coverage is a percentage from 0 to 100")?),
            None => None,
        };
        let tint = rest.get(1).map_or(Some(Tint::None), |text| Tint::parse(text));
        Ok(Self {
            name: name.to_owned(),
            wildcard,
            rgb: parse_rgb(rgb.trim_start_matches('#'))?,
            coverage,
            tint: tint.ok_or("the tint is one of grass, foliage, dry_foliage, water, -")?,
        })
    }

    fn fits(&self, name: &str) -> bool {
        if self.wildcard { name.starts_with(&self.name) } else { name == self.name }
    }

    fn paint(&self, row: Row) -> Row {
        let coverage = self.coverage.unwrap_or(row.coverage);
        // Who gives nothing a coverage wants to see it.
        let shown = self.coverage.is_some_and(|percent| percent > 0);
        let flags = if shown { row.flags.without(Flags::NOTHING) } else { row.flags };
        Row { rgb: self.rgb, coverage, tint: self.tint, flags, map: row.map }
    }
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
        let rgb = |name| rules.apply(name, GREY).0.rgb;
        assert_eq!((rgb("mod:ruby"), rgb("mod:ruby_ore"), rgb("mod:x")), ([3; 3], [2; 3], [4; 3]));
        let ruby = rules.apply("mod:ruby", GREY).0;
        assert_eq!((ruby.coverage, ruby.tint, ruby.flags), (50, Tint::Water, Flags::FLAT));
        assert_eq!(rules.apply("other:x", GREY), (GREY, false));
    }

    #[test]
    fn a_name_without_namespace_is_the_games() {
        assert_eq!(rules("stone #0a0b0c").apply("minecraft:stone", GREY).0.rgb, [10, 11, 12]);
    }

    #[test]
    fn errors_name_file_and_line() {
        let error = |text| Overrides::default().add("my.tsv", text).unwrap_err().to_string();
        assert_eq!(error("# x\n\nstone red"), "my.tsv, line 3: \"red\" is not a colour such as 3f76e4");
        assert!(error("stone").contains("a name and a colour belong here"));
        assert!(error("m*d:x 010101").contains("a * may stand at the end alone"));
        assert!(error("stone 010101 200").contains("percentage"));
        assert!(error("stone 010101 50 sky").contains("the tint is one of"));
    }
}
