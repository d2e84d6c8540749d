//! Reads rules that are written by hand: facts about blocks that models do not contain.
//!
//! There is one rule per line, with columns separated by tabs: `verb<TAB>pattern<TAB>value`. A
//! pattern is a block's name, in which `*` matches any letters and `{list}` stands for each word of
//! a list. `name[a=b]` is only for the row of that state. Values may repeat the list's word, or
//! with `*` the letters that the first `*` of the pattern matched. Later rules win, but flags add
//! up.

use std::collections::BTreeMap;

use crate::palette::table::{Flags, parse_rgb, split_state};
use crate::palette::tint::Tint;
use pixelmap_world::pack::PackError;

/// The rules that belong to the built-in tables.
pub const BUILT_IN_RULES: &str = include_str!("../rules.tsv");

/// The facts that a rule can set. [`RuleFacts`] describes most of them.
///
/// `alias` makes the name an old name of another block. `skip` leaves out a name that is not a
/// block of the game. `unflag` removes flags that another rule gave the block although it does not
/// have them.
const VERBS: [&str; 15] = [
    "alias", "skip", "tint", "times", "flag", "unflag", "cover", "rgb", "like", "model", "kin",
    "mapof", "prefer", "state", "untinted",
];

/// One rule for one pattern. Lists are already replaced by their words.
#[derive(Debug, Clone)]
struct Rule {
    verb: &'static str,
    pattern: String,
    state: Option<String>,
    value: String,
}

/// All rules, in the order of the file.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    rules: Vec<Rule>,
}

/// The facts that the rules set for one row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RuleFacts {
    pub(super) tint: Option<Tint>,
    /// A constant colour that the mean is multiplied by.
    pub(super) times: Option<[u8; 3]>,
    pub(super) flags: Flags,
    /// The coverage in percent.
    pub(super) cover: Option<u8>,
    pub(super) rgb: Option<[u8; 3]>,
    /// The block whose colour it has, as `name` or `name[state]`.
    pub(super) like: Option<String>,
    pub(super) model: Option<String>,
    /// The block whose facts in the registry it has, if the registry lacks it.
    pub(super) kin: Option<String>,
    /// The block whose colour on the game's maps it has.
    pub(super) map_like: Option<String>,
    /// Properties that are changed in the default state before its colour is computed, such as
    /// `up=true`.
    pub(super) prefer: Option<String>,
    /// States with a row of their own, such as `axis=x`.
    pub(super) states: Vec<String>,
    /// Whether the name is left out, because it is not a block of the game.
    pub(super) skip: bool,
    /// Whether its tinted faces are drawn without a tint.
    pub(super) untinted: bool,
}

impl Rules {
    /// Parses rules.
    ///
    /// # Errors
    /// Fails at the first line that is not a rule.
    pub fn parse(file: &str, text: &str) -> Result<Self, PackError> {
        let mut lists: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let mut rules = Vec::new();
        for (index, line) in text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        {
            let columns: Vec<&str> = line.split('\t').collect();
            let read = match columns[..] {
                ["list", name, words] => {
                    lists.insert(name, words.split(' ').collect());
                    Ok(())
                }
                [verb, pattern] => add(&mut rules, &lists, verb, pattern, ""),
                [verb, pattern, value] => add(&mut rules, &lists, verb, pattern, value),
                _ => Err("a rule is a verb, a pattern and a value, separated by tabs".to_owned()),
            };

            read.map_err(|reason| PackError::new(format!("{file}, line {}", index + 1), reason))?;
        }

        Ok(Self { rules })
    }

    /// Returns old names with their current ones (`name` or `name[state]`), in the order of the
    /// file.
    pub(super) fn aliases(&self) -> impl Iterator<Item = (&str, &str)> {
        let aliases = self.rules.iter().filter(|rule| rule.verb == "alias");
        aliases.map(|rule| (rule.pattern.as_str(), rule.value.as_str()))
    }

    /// Returns the block whose facts in the registry a block has, if the registry lacks it.
    ///
    /// # Errors
    /// Fails if a value does not fit its verb.
    pub fn kin(&self, name: &str) -> Result<Option<String>, String> {
        Ok(self.rule_facts(name, None)?.kin)
    }

    /// Returns the facts of a block (name without `minecraft:`), or of its row for `state`.
    ///
    /// Rules without a wildcard apply only to the game's own blocks. Rules with a wildcard also
    /// apply to mods' blocks.
    ///
    /// # Errors
    /// Fails if a value does not fit its verb.
    pub(super) fn rule_facts(&self, name: &str, state: Option<&str>) -> Result<RuleFacts, String> {
        let mut facts = RuleFacts::default();
        for rule in &self.rules {
            if rule.state.is_some() && rule.state.as_deref() != state {
                continue;
            }

            let path = match name.split_once(':') {
                Some((_, path)) if rule.pattern.contains('*') => path,
                _ => name,
            };

            if let Some(stood_for) = matched(&rule.pattern, path) {
                facts.apply(rule, &rule.value.replacen('*', stood_for, 1))?;
            }
        }

        Ok(facts)
    }
}

impl RuleFacts {
    fn apply(&mut self, rule: &Rule, value: &str) -> Result<(), String> {
        match rule.verb {
            "skip" => self.skip = true,
            "untinted" => self.untinted = true,
            "tint" => {
                self.tint =
                    Some(Tint::parse(value).ok_or_else(|| format!("{value:?} is not a tint"))?);
            }
            "times" => self.times = Some(parse_rgb(value)?),
            "rgb" => self.rgb = Some(parse_rgb(value)?),
            "flag" => self.flags = self.flags.with(Flags::parse(value)?),
            "unflag" => self.flags = self.flags.without(Flags::parse(value)?),
            "cover" => {
                let percent = value.parse().ok().filter(|percent| *percent <= 100);
                self.cover = Some(percent.ok_or_else(|| format!("{value:?} is not a percentage"))?);
            }
            "like" => self.like = Some(value.to_owned()),
            "model" => self.model = Some(value.to_owned()),
            "kin" => self.kin = Some(value.to_owned()),
            "mapof" => self.map_like = Some(value.to_owned()),
            "prefer" => self.prefer = Some(value.to_owned()),
            "state" => self.states.push(value.to_owned()),
            _ => {}
        }

        Ok(())
    }
}

/// Adds a rule, once for each word of the list in its pattern.
fn add(
    rules: &mut Vec<Rule>,
    lists: &BTreeMap<&str, Vec<&str>>,
    verb: &str,
    pattern: &str,
    value: &str,
) -> Result<(), String> {
    let verb = VERBS
        .into_iter()
        .find(|name| *name == verb)
        .ok_or_else(|| format!("{verb:?} is not a verb"))?;

    let list = list_in(pattern).or_else(|| list_in(value));
    let words = match list {
        None => &[""][..],
        Some(list) => lists
            .get(list)
            .ok_or_else(|| format!("there is no list {list:?} above"))?,
    };

    for word in words {
        let pattern = filled(pattern, list, word);
        let (name, state) = split_state(&pattern)?;
        rules.push(Rule {
            verb,
            pattern: name.to_owned(),
            state: state.map(str::to_owned),
            value: filled(value, list, word),
        });
    }

    Ok(())
}

/// Returns a text with `word` in place of its list, if it has one.
fn filled(text: &str, list: Option<&str>, word: &str) -> String {
    match list {
        Some(list) => text.replace(&format!("{{{list}}}"), word),
        None => text.to_owned(),
    }
}

/// Returns the name of the list that a text contains in braces.
fn list_in(text: &str) -> Option<&str> {
    text.split_once('{')
        .and_then(|(_, rest)| rest.split_once('}'))
        .map(|(list, _)| list)
}

/// Returns the letters of `name` that the first `*` of a pattern matches, or an empty text if the
/// pattern is the name itself. Returns `None` if the pattern does not match.
fn matched<'a>(pattern: &str, name: &'a str) -> Option<&'a str> {
    let Some((head, tail)) = pattern.split_once('*') else {
        return (pattern == name).then_some("");
    };

    let rest = name.strip_prefix(head)?;
    if !tail.contains('*') {
        return rest.strip_suffix(tail);
    }

    // A pattern has at most two stars. `*_a_*` matches at the first place that has the middle part.
    let (middle, end) = tail.split_once('*')?;
    let start = rest.find(middle)?;
    rest[start + middle.len()..]
        .ends_with(end)
        .then(|| &rest[..start])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(text: &str, name: &str, state: Option<&str>) -> RuleFacts {
        Rules::parse("rules", text)
            .and_then(|rules| {
                rules
                    .rule_facts(name, state)
                    .map_err(|e| PackError::new("", e))
            })
            .unwrap()
    }

    #[test]
    fn a_word_list_makes_one_rule_per_word() {
        let text = "list\tdye\tred light_blue\nlike\t{dye}_bed\t{dye}_wool\n";
        assert_eq!(
            facts(text, "light_blue_bed", None).like.as_deref(),
            Some("light_blue_wool")
        );
        assert_eq!(facts(text, "straw_bed", None).like, None);
    }

    #[test]
    fn a_star_matches_letters_and_fills_the_value() {
        let text = "kin\tpoplar_*\tbirch_*\ncover\t*_wall_*\t7\n";
        assert_eq!(
            facts(text, "poplar_fence_gate", None).kin.as_deref(),
            Some("birch_fence_gate")
        );
        assert_eq!(facts(text, "oak_wall_sign", None).cover, Some(7));
        assert_eq!(facts(text, "oak_sign", None).cover, None);
        assert_eq!(facts(text, "mod:odd_wall_sign", None).cover, Some(7));
    }

    #[test]
    fn a_state_rule_leaves_other_states_alone() {
        let text = "cover\tdoor\t25\ncover\tdoor[open=true]\t12\n";
        assert_eq!(facts(text, "door", None).cover, Some(25));
        assert_eq!(facts(text, "door", Some("open=true")).cover, Some(12));
        assert_eq!(facts(text, "door", Some("open=false")).cover, Some(25));
    }

    #[test]
    fn a_bad_rule_names_its_line() {
        let error = Rules::parse("rules.tsv", "# a comment\npaint\tx\ty\n").unwrap_err();
        assert_eq!(
            error.to_string(),
            "rules.tsv, line 2: \"paint\" is not a verb"
        );
    }
}
