//! The hand-kept rules: what no model says of a block.
//!
//! One rule a line, columns separated by tabs: `verb<TAB>pattern<TAB>value`. A pattern is a block's name, with `*` for
//! any letters and `{list}` for each word of a list; `name[a=b]` speaks of that row of a state alone. Values may take
//! up the list's word again, or with `*` the letters that the first `*` of the pattern stood for. Later rules win;
//! flags add up. Knows no models.

use std::collections::BTreeMap;

use super::ResolveError;
use crate::palette::Tint;
use crate::palette::table::{Flags, parse_rgb, split_state};

/// What a rule says.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Verb {
    /// `alias`: an old name of another block.
    Alias,
    /// `skip`: not a block of the game.
    Skip,
    /// `tint`: the biome colour that its tinted faces take.
    Tint,
    /// `times`: a constant that its colour is multiplied by.
    Times,
    /// `flag`: flags.
    Flag,
    /// `unflag`: flags that another rule gave it and that it does not have.
    Unflag,
    /// `cover`: coverage in percent.
    Cover,
    /// `rgb`: its colour.
    Rgb,
    /// `like`: it has the colour of another block.
    Like,
    /// `model`: its colour is taken from this model instead of those of its state.
    Model,
    /// `kin`: the registry does not know it yet; it behaves as another block does.
    Kin,
    /// `mapof`: the colour on the game's maps is another block's.
    MapOf,
    /// `prefer`: the state that its colour is taken from.
    Prefer,
    /// `state`: this state gets a row of its own.
    State,
    /// `untinted`: its models have tinted faces that the game does not tint.
    Untinted,
}

const VERBS: [(&str, Verb); 15] = [
    ("alias", Verb::Alias),
    ("skip", Verb::Skip),
    ("tint", Verb::Tint),
    ("times", Verb::Times),
    ("flag", Verb::Flag),
    ("unflag", Verb::Unflag),
    ("cover", Verb::Cover),
    ("rgb", Verb::Rgb),
    ("like", Verb::Like),
    ("model", Verb::Model),
    ("kin", Verb::Kin),
    ("mapof", Verb::MapOf),
    ("prefer", Verb::Prefer),
    ("state", Verb::State),
    ("untinted", Verb::Untinted),
];

/// One rule, for one pattern without lists.
#[derive(Debug, Clone)]
struct Rule {
    verb: Verb,
    pattern: String,
    state: Option<String>,
    value: String,
}

/// All rules, in the order of the file.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    rules: Vec<Rule>,
}

/// What the rules say of one row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Say {
    /// Biome colour.
    pub(super) tint: Option<Tint>,
    /// Constant to multiply by.
    pub(super) times: Option<[u8; 3]>,
    /// Flags.
    pub(super) flags: Flags,
    /// Percent.
    pub(super) cover: Option<u8>,
    /// Colour.
    pub(super) rgb: Option<[u8; 3]>,
    /// `name` or `name[state]` whose colour it has.
    pub(super) like: Option<String>,
    /// The model that its colour is taken from.
    pub(super) model: Option<String>,
    /// The block that it behaves as.
    pub(super) kin: Option<String>,
    /// The block whose map colour it has.
    pub(super) map_of: Option<String>,
    /// Properties of the state that its colour is taken from.
    pub(super) prefer: Option<String>,
    /// States that get a row, such as `axis=x`.
    pub(super) states: Vec<String>,
    /// Whether it is no block of the game.
    pub(super) skip: bool,
    /// Whether its tinted faces stay as they are.
    pub(super) untinted: bool,
}

impl Rules {
    /// Reads rules.
    ///
    /// # Errors
    ///
    /// The first line that is no rule.
    pub fn parse(file: &str, text: &str) -> Result<Self, ResolveError> {
        let mut lists: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let mut rules = Vec::new();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
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
            read.map_err(|reason| ResolveError::new(format!("{file}, line {}", index + 1), reason))?;
        }
        Ok(Self { rules })
    }

    /// Old names with what they stand for now, `name` or `name[state]`, in the order of the file.
    pub(super) fn aliases(&self) -> impl Iterator<Item = (&str, &str)> {
        let aliases = self.rules.iter().filter(|rule| rule.verb == Verb::Alias);
        aliases.map(|rule| (rule.pattern.as_str(), rule.value.as_str()))
    }

    /// What the rules say of a block (name without `minecraft:`), or of its row for `state`.
    ///
    /// Rules without a wildcard speak of the game's own blocks; those with one of mods' blocks as well.
    ///
    /// # Errors
    ///
    /// A value that does not fit its verb.
    pub(super) fn say(&self, name: &str, state: Option<&str>) -> Result<Say, String> {
        let mut say = Say::default();
        for rule in &self.rules {
            if rule.state.is_some() && rule.state.as_deref() != state {
                continue;
            }
            let path = match name.split_once(':') {
                Some((_, path)) if rule.pattern.contains('*') => path,
                _ => name,
            };
            if let Some(stood_for) = matched(&rule.pattern, path) {
                say.hear(rule, &rule.value.replacen('*', stood_for, 1))?;
            }
        }
        Ok(say)
    }
}

impl Say {
    fn hear(&mut self, rule: &Rule, value: &str) -> Result<(), String> {
        let text = || Some(value.to_owned());
        match rule.verb {
            Verb::Alias => {}
            Verb::Skip => self.skip = true,
            Verb::Untinted => self.untinted = true,
            Verb::Tint => self.tint = Some(Tint::parse(value).ok_or_else(|| format!("{value:?} is not a tint"))?),
            Verb::Times => self.times = Some(parse_rgb(value)?),
            Verb::Rgb => self.rgb = Some(parse_rgb(value)?),
            Verb::Flag => self.flags = self.flags.with(Flags::parse(value)?),
            Verb::Unflag => self.flags = self.flags.without(Flags::parse(value)?),
            Verb::Cover => {
                let percent = value.parse().ok().filter(|percent| *percent <= 100);
                self.cover = Some(percent.ok_or_else(|| format!("{value:?} is not a percentage"))?);
            }
            Verb::Like => self.like = text(),
            Verb::Model => self.model = text(),
            Verb::Kin => self.kin = text(),
            Verb::MapOf => self.map_of = text(),
            Verb::Prefer => self.prefer = text(),
            Verb::State => self.states.push(value.to_owned()),
        }
        Ok(())
    }
}

/// Adds a rule, once for each word of the list that its pattern names.
fn add(
    rules: &mut Vec<Rule>,
    lists: &BTreeMap<&str, Vec<&str>>,
    verb: &str,
    pattern: &str,
    value: &str,
) -> Result<(), String> {
    let (_, verb) = VERBS.iter().find(|(name, _)| *name == verb).ok_or_else(|| format!("{verb:?} is not a verb"))?;
    let list = list_in(pattern).or_else(|| list_in(value));
    let words = match list {
        None => &[""][..],
        Some(list) => lists.get(list).ok_or_else(|| format!("there is no list {list:?} above"))?,
    };
    for word in words {
        let fill = |text: &str| list.map_or_else(|| text.to_owned(), |list| text.replace(&format!("{{{list}}}"), word));
        let pattern = fill(pattern);
        let (name, state) = split_state(&pattern)?;
        rules.push(Rule {
            verb: verb.clone(),
            pattern: name.to_owned(),
            state: state.map(str::to_owned),
            value: fill(value),
        });
    }
    Ok(())
}

/// The list that a text names in braces.
fn list_in(text: &str) -> Option<&str> {
    text.split_once('{').and_then(|(_, rest)| rest.split_once('}')).map(|(list, _)| list)
}

/// What the first `*` of a pattern stands for when it matches `name`; empty for patterns without one.
fn matched<'a>(pattern: &str, name: &'a str) -> Option<&'a str> {
    let Some((head, tail)) = pattern.split_once('*') else { return (pattern == name).then_some("") };
    let rest = name.strip_prefix(head)?;
    if !tail.contains('*') {
        return rest.strip_suffix(tail);
    }
    // Two stars at most: `*_a_*` matches where the middle occurs first.
    let (middle, end) = tail.split_once('*')?;
    let place = rest.find(middle)?;
    rest[place + middle.len()..].ends_with(end).then(|| &rest[..place])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn say(text: &str, name: &str, state: Option<&str>) -> Say {
        Rules::parse("rules", text)
            .and_then(|rules| rules.say(name, state).map_err(|e| ResolveError::new("", e)))
            .unwrap()
    }

    #[test]
    fn a_list_makes_one_rule_a_word_and_fills_the_value() {
        let text = "list\tdye\tred light_blue\nlike\t{dye}_bed\t{dye}_wool\n";
        assert_eq!(say(text, "light_blue_bed", None).like.as_deref(), Some("light_blue_wool"));
        assert_eq!(say(text, "straw_bed", None).like, None);
    }

    #[test]
    fn a_star_stands_for_letters_and_fills_the_value() {
        let text = "kin\tpoplar_*\tbirch_*\ncover\t*_wall_*\t7\n";
        assert_eq!(say(text, "poplar_fence_gate", None).kin.as_deref(), Some("birch_fence_gate"));
        assert_eq!(say(text, "oak_wall_sign", None).cover, Some(7));
        assert_eq!(say(text, "oak_sign", None).cover, None);
        assert_eq!(say(text, "mod:odd_wall_sign", None).cover, Some(7));
    }

    #[test]
    fn a_rule_for_a_state_leaves_the_others_alone() {
        let text = "cover\tdoor\t25\ncover\tdoor[open=true]\t12\n";
        assert_eq!(say(text, "door", None).cover, Some(25));
        assert_eq!(say(text, "door", Some("open=true")).cover, Some(12));
        assert_eq!(say(text, "door", Some("open=false")).cover, Some(25));
    }

    #[test]
    fn a_bad_rule_names_its_line() {
        let error = Rules::parse("rules.tsv", "# a comment\npaint\tx\ty\n").unwrap_err();
        assert_eq!(error.to_string(), "rules.tsv, line 2: \"paint\" is not a verb");
    }
}
