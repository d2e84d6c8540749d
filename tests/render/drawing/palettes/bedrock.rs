//! Checks the tables in `src/world/names/` that translate Bedrock's block names to Java's, by
//! making them again from published sources.
//!
//! ```text
//! PIXELMAP_BEDROCK   folder data/bedrock of the npm package minecraft-data 3.119.0 (MIT)
//! PIXELMAP_UPGRADES  folder of the Composer package pocketmine/bedrock-block-upgrade-schema 5.2.0 (CC0)
//! ```
//!
//! The first has the states of many versions and the blocks of Java that they mean, the second how
//! the game upgrades the states of one version to the next, and numeric data to states. So the test
//! upgrades the states of each version to the newest version and looks the results up. It keeps a
//! property of Java only if the palette's tables mention it and `bedrock_states.tsv` does not derive
//! it from the state. `bedrock_states.tsv` must agree with the sources.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail loudly")]

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use pixelmap::world::names::java_property;
use pixelmap::world::nbt::{LittleReader, Tag};
use serde_json::Value;

use super::tables::{json, settle, short, source};

type States = BTreeMap<String, String>;

/// The numbers in the name of a version or file.
fn version(text: &str) -> Vec<u32> {
    text.split(|letter: char| !letter.is_ascii_digit())
        .filter_map(|number| number.parse().ok())
        .collect()
}

/// Splits `name[key=value,...]`.
fn split(text: &str) -> (&str, States) {
    let (name, states) = text.split_once('[').unwrap_or((text, ""));
    let pairs = states
        .trim_end_matches(']')
        .split(',')
        .filter_map(|pair| pair.split_once('='));
    (
        short(name),
        pairs
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect(),
    )
}

fn entries(object: &Value) -> impl Iterator<Item = (&String, &Value)> {
    object.as_object().into_iter().flatten()
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

/// The value in an object such as `{"int": 3}`.
fn value(typed: &Value) -> String {
    let (_, value) = entries(typed).next().unwrap();
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// What changed from a version to the next: the form is described in
/// `nbt_upgrade_schema_schema.json`.
struct Upgrade {
    to: Vec<u32>,
    rules: Value,
}

impl Upgrade {
    fn read_all(folder: &Path) -> Vec<Self> {
        let mut files: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().path())
            .collect();
        files.sort();

        let to = |path: &Path| {
            version(
                path.file_name()
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .split_once("_to_")
                    .unwrap()
                    .1,
            )
        };

        files
            .iter()
            .map(|path| Self {
                to: to(path),
                rules: json(path),
            })
            .collect()
    }

    fn apply(&self, (name, states): (String, States)) -> (String, States) {
        let full = format!("minecraft:{name}");
        if let Some(new) = self.remapped(&full, &states) {
            return new;
        }

        let mut new = states;
        for (key, typed) in entries(&self.rules["addedProperties"][&full]) {
            new.entry(key.clone()).or_insert_with(|| value(typed));
        }

        for key in items(&self.rules["removedProperties"][&full]) {
            new.remove(key.as_str().unwrap());
        }

        for (key, values) in entries(&self.rules["remappedPropertyValues"][&full]) {
            let pairs = &self.rules["remappedPropertyValuesIndex"][values.as_str().unwrap()];
            if let Some(old) = new.get_mut(key)
                && let Some(pair) = items(pairs).find(|pair| value(&pair["old"]) == *old)
            {
                *old = value(&pair["new"]);
            }
        }

        for (old, key) in entries(&self.rules["renamedProperties"][&full]) {
            if let Some(kept) = new.remove(old) {
                new.insert(key.as_str().unwrap().to_owned(), kept);
            }
        }

        if let Some((name, key)) = flattened(&self.rules["flattenedProperties"][&full], &new) {
            new.remove(key);
            return (name, new);
        }

        let renamed = self.rules["renamedIds"][&full]
            .as_str()
            .map_or(name, |name| short(name).to_owned());

        (renamed, new)
    }

    /// The block for the first filter that a state passes.
    fn remapped(&self, full: &str, states: &States) -> Option<(String, States)> {
        items(&self.rules["remappedStates"][full]).find_map(|rule| {
            let mut wanted = entries(&rule["oldState"]);
            if !wanted.all(|(key, typed)| states.get(key) == Some(&value(typed))) {
                return None;
            }

            let name = match rule["newName"].as_str() {
                Some(name) => short(name).to_owned(),
                None => flattened(&rule["newFlattenedName"], states)?.0,
            };

            let mut new: States = entries(&rule["newState"])
                .map(|(key, typed)| (key.clone(), value(typed)))
                .collect();
            let copied = items(&rule["copiedState"])
                .filter_map(|key| states.get_key_value(key.as_str().unwrap()));
            new.extend(copied.map(|(key, value)| (key.clone(), value.clone())));

            Some((name, new))
        })
    }
}

/// The name that a state became a part of, and the state.
fn flattened<'a>(rule: &'a Value, states: &States) -> Option<(String, &'a str)> {
    let key = rule["flattenedProperty"].as_str()?;
    let value = states.get(key)?;
    let value = rule["flattenedValueRemaps"][value]
        .as_str()
        .unwrap_or(value);
    let [prefix, suffix] = [&rule["prefix"], &rule["suffix"]].map(|part| part.as_str().unwrap());
    Some((short(&format!("{prefix}{value}{suffix}")).to_owned(), key))
}

/// All numeric data of each block with the state that it meant in 1.12.
fn numeric_data(bytes: &[u8]) -> Vec<(String, u32, (String, States))> {
    let mut rest = bytes;
    let number = |rest: &mut &[u8]| {
        let len = rest.iter().position(|byte| byte & 0x80 == 0).unwrap() + 1;
        let (varint, after) = rest.split_at(len);
        *rest = after;
        varint
            .iter()
            .rev()
            .fold(0, |sum, byte| sum << 7 | u32::from(byte & 0x7f))
    };

    let mut all = Vec::new();
    for _ in 0..number(&mut rest) {
        let len = number(&mut rest) as usize;
        let name = std::str::from_utf8(&rest[..len]).unwrap();
        rest = &rest[len..];

        for _ in 0..number(&mut rest) {
            let data = number(&mut rest);
            let mut reader = LittleReader::root(rest).unwrap();
            all.push((short(name).to_owned(), data, block(&mut reader)));
            rest = &rest[reader.position()..];
        }
    }

    all
}

/// The rest of a compound with the name and the states of a block.
fn block(reader: &mut LittleReader<'_>) -> (String, States) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();

    let mut name = String::new();
    let mut states = States::new();
    while let Some((tag, key)) = reader.entry().unwrap() {
        match (key, tag) {
            (b"name", Tag::String) => name = text(reader.string(tag).unwrap().unwrap()),
            (b"states", Tag::Compound) => {
                reader.compound(tag).unwrap();
                while let Some((tag, key)) = reader.entry().unwrap() {
                    let value = match tag {
                        Tag::String => text(reader.string(tag).unwrap().unwrap()),
                        _ => reader.int(tag).unwrap().unwrap().to_string(),
                    };
                    states.insert(text(key), value);
                }
            }
            _ => reader.skip(tag).unwrap(),
        }
    }

    (short(&name).to_owned(), states)
}

/// The tables of the palette, from which follow the properties of a state that must be kept.
struct Drawn {
    /// The properties with values in `blocks.tsv`, by name.
    blocks: BTreeMap<String, BTreeSet<(String, String)>>,
    aliases: BTreeMap<String, String>,
    /// Patterns of names with the properties in `lights.tsv`.
    lights: Vec<(String, States)>,
}

impl Drawn {
    fn read() -> Self {
        let mut drawn = Self {
            blocks: BTreeMap::new(),
            aliases: BTreeMap::new(),
            lights: Vec::new(),
        };

        for (key, rest) in rows(include_str!("../../../../src/paint/palette/blocks.tsv")) {
            let (name, states) = split(key);
            match rest.strip_prefix('=') {
                Some(target) => {
                    _ = drawn
                        .aliases
                        .insert(name.to_owned(), split(target).0.to_owned());
                }
                None => drawn
                    .blocks
                    .entry(name.to_owned())
                    .or_default()
                    .extend(states),
            }
        }

        let lights = rows(include_str!("../../../../src/paint/palette/lights.tsv"))
            .map(|(key, _)| split(key));
        drawn.lights = lights
            .map(|(name, states)| (name.to_owned(), states))
            .collect();

        drawn
    }

    /// Returns the block of Java with the same name, except for names that always differ. This is
    /// for versions newer than the last one for which the sources list the blocks of Java.
    fn alike(&self, name: &str, states: &States) -> Option<String> {
        let ends = [("_double_slab", "_slab"), ("_standing_sign", "_sign")];
        let end = ends
            .into_iter()
            .find_map(|(old, new)| Some(format!("{}{new}", name.strip_suffix(old)?)));

        let name = end.unwrap_or_else(|| name.to_owned());
        let axis = states
            .get("pillar_axis")
            .map(|axis| ("axis".to_owned(), axis.clone()));

        let open = states
            .get("open_bit")
            .map(|bit| ("open".to_owned(), (bit == "1").to_string()));
        self.blocks
            .contains_key(&name)
            .then(|| self.kept((&name, axis.into_iter().chain(open).collect())))
    }

    /// A block of Java such as `oak_log[axis=x]`, with the properties that change how it is drawn.
    fn kept(&self, (name, states): (&str, States)) -> String {
        let now = self.aliases.get(name).map_or(name, String::as_str);
        let known = self
            .blocks
            .get(now)
            .unwrap_or_else(|| panic!("no table has {name}"));

        let is_like = |pattern: &str| match pattern.strip_prefix('*') {
            Some(end) => name.ends_with(end),
            None => pattern == name || pattern == now,
        };

        let lit = |key: &str, value: &String| {
            self.lights
                .iter()
                .any(|(pattern, states)| is_like(pattern) && states.get(key) == Some(value))
        };

        // The parts of a look that only the name contains.
        let is_named =
            |key: &str, value: &str| key == "type" && matches!(value, "double" | "sticky");

        let is_drawn = |key: &String, value: &String| {
            let is_coloured = known.contains(&(key.clone(), value.clone()));
            key != "waterlogged" && (is_coloured || lit(key, value) || is_named(key, value))
        };

        let kept: Vec<_> = states
            .iter()
            .filter(|(key, value)| is_drawn(key, value))
            .collect();
        let pairs: Vec<_> = kept
            .iter()
            .map(|(key, value)| format!("{key}={value}"))
            .collect();

        if pairs.is_empty() {
            name.to_owned()
        } else {
            format!("{name}[{}]", pairs.join(","))
        }
    }
}

/// Returns a block of Java without the properties that its Bedrock states contain.
fn without_told(java: &str, states: &States) -> String {
    let (name, mut properties) = split(java);
    properties.retain(|key, value| told(name, key, states).as_ref() != Some(value));
    let pairs: Vec<_> = properties
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    if pairs.is_empty() {
        name.to_owned()
    } else {
        format!("{name}[{}]", pairs.join(","))
    }
}

/// Returns the values that states of Bedrock give to a property of a block of Java.
fn told(name: &str, key: &str, states: &States) -> Option<String> {
    java_property(name, key, |state| {
        states.get(state).map(|value| value.as_str().into())
    })
    .map(Cow::into_owned)
}

fn rows(table: &str) -> impl Iterator<Item = (&str, &str)> {
    table
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('\t'))
}

/// Blocks of Java by the names and states of the newest version.
struct Meanings(BTreeMap<String, Vec<(States, String)>>);

impl Meanings {
    fn read(path: &Path) -> Self {
        let mut all = BTreeMap::<String, Vec<_>>::new();
        for (key, java) in entries(&json(path)) {
            let (name, states) = split(key);
            all.entry(name.to_owned())
                .or_default()
                .push((states, java.as_str().unwrap().to_owned()));
        }
        Self(all)
    }

    /// Returns the blocks for the state, or for the states of the same name that share most of it.
    /// Returns none if the name is unknown.
    fn java(&self, name: &str, states: &States) -> Vec<(&str, States)> {
        if name
            .strip_prefix("element_")
            .is_some_and(|number| number.parse::<u8>().is_ok())
        {
            return vec![("white_concrete", States::new())];
        }

        let known = self
            .0
            .get(name)
            .or_else(|| self.0.get(name.strip_prefix("hard_")?))
            .map_or(&[][..], Vec::as_slice);

        let shared = |other: &States| {
            other
                .iter()
                .filter(|(key, value)| states.get(*key) == Some(value))
                .count()
        };

        let most = known.iter().map(|(states, _)| shared(states)).max();
        known
            .iter()
            .filter(|(states, _)| Some(shared(states)) == most)
            .map(|(_, java)| split(java))
            .collect()
    }
}

/// The block of Java, by name and states. Numeric data is a state `val`.
type Samples = BTreeMap<String, BTreeMap<States, String>>;

struct Sources {
    upgrades: Vec<Upgrade>,
    meanings: Meanings,
    drawn: Drawn,
    /// Names by their numeric ids.
    ids: BTreeMap<u32, String>,
    samples: Samples,
    /// Names for which the newest version has no block of Java.
    nameless: BTreeSet<String>,
}

impl Sources {
    fn read(bedrock: &Path, upgrades: &Path) -> Self {
        let mut versions: Vec<_> = fs::read_dir(bedrock)
            .unwrap()
            .map(|file| file.unwrap().path())
            .collect();
        versions.sort_by_key(|path| version(path.file_name().unwrap().to_str().unwrap()));

        let newest = versions
            .iter()
            .map(|path| path.join("blocksB2J.json"))
            .rfind(|path| path.exists())
            .unwrap();

        let ids = json(&upgrades.join("block_legacy_id_map.json"));
        let ids =
            entries(&ids).map(|(name, id)| (id.as_u64().unwrap() as u32, short(name).to_owned()));

        let mut sources = Self {
            upgrades: Upgrade::read_all(&upgrades.join("nbt_upgrade_schema")),
            meanings: Meanings::read(&newest),
            drawn: Drawn::read(),
            ids: ids.filter(|(id, _)| *id < 256).collect(),
            samples: Samples::new(),
            nameless: BTreeSet::new(),
        };

        // Starts with the newest version, because the newer meaning of a reused name counts.
        for path in versions
            .iter()
            .rev()
            .filter(|path| path.join("blockStates.json").exists())
        {
            sources.add_version(path);
        }

        for (name, data, block) in
            numeric_data(&fs::read(upgrades.join("id_meta_to_nbt/1.12.0.bin")).unwrap())
        {
            let new = sources.upgraded(block.clone(), &[1, 12, 0]);
            sources.add(
                (name, States::from([("val".to_owned(), data.to_string())])),
                &new,
            );
            sources.add(block, &new);
        }

        sources.add_renamed();
        sources
    }

    fn upgraded(&self, block: (String, States), from: &[u32]) -> (String, States) {
        let later = self
            .upgrades
            .iter()
            .filter(|upgrade| upgrade.to.as_slice() > from);
        later.fold(block, |block, upgrade| upgrade.apply(block))
    }

    fn add(&mut self, (name, states): (String, States), (new_name, new_states): &(String, States)) {
        // If the states do not decide, the simplest block counts.
        let known = self
            .meanings
            .java(new_name, new_states)
            .into_iter()
            .map(|java| self.drawn.kept(java));

        let java = known
            .min_by_key(String::len)
            .or_else(|| self.drawn.alike(new_name, new_states));
        match java.map(|java| without_told(&java, &states)) {
            Some(java) => {
                _ = self
                    .samples
                    .entry(name)
                    .or_default()
                    .entry(states)
                    .or_insert(java);
            }
            None => _ = self.nameless.insert(name),
        }
    }

    /// Adds the states of a version.
    fn add_version(&mut self, folder: &Path) {
        let from = version(folder.file_name().unwrap().to_str().unwrap());
        for block in items(&json(&folder.join("blockStates.json"))) {
            let states = entries(&block["states"]).map(|(key, typed)| {
                let value = &typed["value"];
                (
                    key.clone(),
                    value
                        .as_str()
                        .map_or_else(|| value.to_string(), str::to_owned),
                )
            });

            let block = (
                short(block["name"].as_str().unwrap()).to_owned(),
                states.collect(),
            );
            let new = self.upgraded(block.clone(), &from);
            self.add(block, &new);
        }
    }

    /// Adds the names that only versions in between had.
    fn add_renamed(&mut self) {
        let mut renamed = Vec::new();
        for upgrade in &self.upgrades {
            let kinds = ["renamedIds", "remappedStates", "flattenedProperties"];
            for (name, _) in kinds
                .into_iter()
                .flat_map(|kind| entries(&upgrade.rules[kind]))
            {
                let old = (short(name).to_owned(), States::new());
                renamed.push((old.clone(), self.upgraded(upgrade.apply(old), &upgrade.to)));
            }
        }

        for (old, new) in renamed
            .into_iter()
            .filter(|(old, _)| !self.samples.contains_key(&old.0))
            .collect::<Vec<_>>()
        {
            self.add(old, &new);
        }
    }
}

/// A line of the table: the states with their values for which it counts, and the block of Java.
type Line = (BTreeMap<String, Vec<String>>, String);

/// The states that decide between the blocks of Java, as few as can be.
fn deciding(samples: &[(&States, &String)]) -> BTreeMap<States, String> {
    let keys: Vec<&String> = samples
        .iter()
        .flat_map(|(states, _)| states.keys())
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let mut choices: Vec<u32> = (0..1 << keys.len()).collect();
    choices.sort_by_key(|choice| choice.count_ones());

    let decide = |choice: u32| {
        let is_chosen = |key: &String| {
            keys.iter()
                .position(|other| *other == key)
                .is_some_and(|at| choice >> at & 1 == 1)
        };

        let mut decided = BTreeMap::new();
        for (states, java) in samples {
            let chosen: States = states
                .iter()
                .filter(|(key, _)| is_chosen(key))
                .map(|(k, v)| (k.clone(), v.clone()))
                .collect();
            if decided.entry(chosen).or_insert(*java) != java {
                return None;
            }
        }

        Some((choice.count_ones(), decided))
    };

    let mut best: Option<(u32, BTreeMap<States, &String>)> = None;
    for choice in choices {
        if best
            .as_ref()
            .is_some_and(|(fewest, _)| choice.count_ones() > *fewest)
        {
            break;
        }

        let shorter = decide(choice)
            .filter(|(_, new)| best.as_ref().is_none_or(|(_, old)| new.len() < old.len()));
        best = shorter.or(best);
    }

    best.unwrap()
        .1
        .into_iter()
        .map(|(states, java)| (states, java.clone()))
        .collect()
}

/// Returns the block of a name for states that no line lists: the block of data 0, or the most
/// frequent one.
fn usual(
    name: &str,
    samples: &BTreeMap<States, String>,
    decided: &BTreeMap<States, String>,
) -> String {
    let plain = decided.get(&States::new());
    if let Some(java) =
        plain.or_else(|| samples.get(&States::from([("val".to_owned(), "0".to_owned())])))
    {
        return java.clone();
    }

    let count = |java: &String| decided.values().filter(|other| *other == java).count();

    decided
        .values()
        .max_by_key(|java| (count(java), *java == name, std::cmp::Reverse(*java)))
        .unwrap()
        .clone()
}

fn lines(name: &str, samples: &BTreeMap<States, String>) -> Vec<Line> {
    let (data, states): (Vec<_>, Vec<_>) = samples
        .iter()
        .partition(|(states, _)| states.contains_key("val"));
    let mut decided = BTreeMap::new();
    for group in [states, data].into_iter().filter(|group| !group.is_empty()) {
        for (states, java) in deciding(&group) {
            decided.entry(states).or_insert(java);
        }
    }

    let usual = usual(name, samples, &decided);

    // A default needs a line only if another line with fewer states also fits.
    let is_within = |few: &States, many: &States| {
        few.len() < many.len() && few.iter().all(|(key, value)| many.get(key) == Some(value))
    };

    let needed = |states: &States, java: &String| {
        !states.is_empty()
            && (*java != usual
                || decided
                    .keys()
                    .any(|few| !few.is_empty() && is_within(few, states)))
    };

    let single = decided.iter().filter(|(states, java)| needed(states, java));
    let single = single.map(|(states, java)| {
        (
            states
                .iter()
                .map(|(k, v)| (k.clone(), vec![v.clone()]))
                .collect(),
            java.clone(),
        )
    });

    let mut all = joined(single.collect());
    all.sort_by(|one, other| (&one.1, &one.0).cmp(&(&other.1, &other.0)));
    all.insert(0, (BTreeMap::new(), usual));

    all
}

/// Lines that differ in the value of one state become one.
fn joined(mut lines: Vec<Line>) -> Vec<Line> {
    let keys: BTreeSet<String> = lines
        .iter()
        .flat_map(|(when, _)| when.keys().cloned())
        .collect();

    for key in keys {
        let mut by_rest = BTreeMap::<_, Vec<String>>::new();
        for (mut when, java) in lines {
            let values = when.remove(&key);
            by_rest
                .entry((when, java, values.is_some()))
                .or_default()
                .extend(values.unwrap_or_default());
        }

        let with_values =
            |((mut when, java, has_key), mut values): ((BTreeMap<_, _>, _, bool), Vec<String>)| {
                values.sort_by_key(|value| (value.len(), value.clone()));
                if has_key {
                    when.insert(key.clone(), values);
                }
                (when, java)
            };

        lines = by_rest.into_iter().map(with_values).collect();
    }

    lines
}

fn print((when, java): &Line, name: &str) -> String {
    let states: Vec<_> = when
        .iter()
        .map(|(key, values)| format!("{key}={}", values.join("|")))
        .collect();

    let states = if states.is_empty() {
        String::new()
    } else {
        format!("[{}]", states.join(","))
    };

    let java = java
        .strip_prefix(name)
        .filter(|rest| rest.starts_with('['))
        .unwrap_or(java);
    format!("{name}{states}\t{java}\n")
}

/// The block of the line with most states that fit.
fn find<'a>(lines: &'a [Line], states: &States) -> &'a str {
    let fits = |when: &BTreeMap<String, Vec<String>>| {
        when.iter()
            .all(|(key, values)| states.get(key).is_some_and(|value| values.contains(value)))
    };
    &lines
        .iter()
        .filter(|(when, _)| fits(when))
        .max_by_key(|(when, _)| when.len())
        .unwrap()
        .1
}

fn block_table(samples: &Samples, rules: &str) -> String {
    let mut table = BTreeMap::<&str, String>::new();
    for (name, samples) in samples {
        let lines = lines(name, samples);
        for (states, java) in samples {
            assert_eq!(find(&lines, states), java, "{name} {states:?}");
        }

        let text = lines
            .iter()
            .filter(|(when, java)| !when.is_empty() || java != name)
            .map(|line| print(line, name));
        table.insert(name, text.collect());
    }

    let mut ruled = BTreeMap::<&str, String>::new();
    for (key, java) in rows(rules) {
        let line = if key == java {
            String::new()
        } else {
            format!("{key}\t{java}\n")
        };
        *ruled.entry(split(key).0).or_default() += &line;
    }

    table.extend(ruled);
    table.into_values().collect()
}

#[test]
fn bedrocks_names_are_translated_as_the_sources_say() {
    let (Some(bedrock), Some(upgrades)) = (source("PIXELMAP_BEDROCK"), source("PIXELMAP_UPGRADES"))
    else {
        return;
    };

    let sources = Sources::read(&bedrock, &upgrades);
    let rules = include_str!("../../../../src/world/names/bedrock_rules.tsv");
    let ruled: BTreeSet<&str> = rows(rules).map(|(key, _)| split(key).0).collect();
    let strange: Vec<_> = sources
        .nameless
        .iter()
        .filter(|name| !ruled.contains(name.as_str()) && !sources.samples.contains_key(*name))
        .collect();

    assert!(
        strange.is_empty(),
        "no source and no rule has a meaning for {strange:?}"
    );

    let head = "# Made by tests/render/drawing/palettes/bedrock.rs from bedrock_rules.tsv and \
                other sources; change those, not this.\n";
    let columns = "# name[state=value|other value,...]\tblock of Java, or only its properties if \
                   it has the same name\n";

    let blocks = block_table(&sources.samples, rules);
    settle(
        "world/names/bedrock_blocks.tsv",
        &format!("{head}{columns}"),
        &blocks,
    );

    let ids: Vec<_> = sources
        .ids
        .iter()
        .map(|(id, name)| format!("{id}\t{name}\n"))
        .collect();

    settle(
        "world/names/bedrock_block_ids.tsv",
        &head.replace("bedrock_rules.tsv and ", ""),
        &ids.concat(),
    );
}
