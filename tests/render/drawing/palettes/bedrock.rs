//! Checks the tables in `crates/world/src/names/` that translate Bedrock's block names to Java's, by
//! making them again from published sources.
//!
//! ```text
//! TABLES_BEDROCK   folder data/bedrock of the npm package minecraft-data 3.119.0 (MIT)
//! TABLES_UPGRADES  folder of the Composer package pocketmine/bedrock-block-upgrade-schema 5.2.0 (CC0)
//! ```
//!
//! The first has the states of many versions and the blocks of Java that they mean, the second how
//! the game upgrades the states of one version to the next, and numeric data to states. So the test
//! upgrades the states of each version to the newest version and finds the results there. It keeps a
//! property of Java only if the palette's tables mention it and `bedrock_states.tsv` does not
//! derive it from the state. `bedrock_states.tsv` must agree with the sources.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail loudly")]

mod lines;
mod upgrades;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use pixelmap_world::names::java_property;
use serde_json::Value;

use self::lines::block_table;
use self::upgrades::{Upgrade, numeric_data};
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

/// The tables of the palette. They decide which properties of a state must be kept.
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

        for (key, rest) in rows(include_str!(
            "../../../../crates/paint/src/palette/blocks.tsv"
        )) {
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

        let lights = rows(include_str!(
            "../../../../crates/paint/src/palette/lights.tsv"
        ))
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

/// The blocks of Java by name and states. Numeric data is a state `val`.
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

    /// Adds the names that exist only in versions between the first and the last.
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

#[test]
fn bedrock_block_names_match_the_sources() {
    let (Some(bedrock), Some(upgrades)) = (source("TABLES_BEDROCK"), source("TABLES_UPGRADES"))
    else {
        return;
    };

    let sources = Sources::read(&bedrock, &upgrades);
    let rules = include_str!("../../../../crates/world/src/names/bedrock_rules.tsv");
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
        "world/src/names/bedrock_blocks.tsv",
        &format!("{head}{columns}"),
        &blocks,
    );

    let ids: Vec<_> = sources
        .ids
        .iter()
        .map(|(id, name)| format!("{id}\t{name}\n"))
        .collect();

    settle(
        "world/src/names/bedrock_block_ids.tsv",
        &head.replace("bedrock_rules.tsv and ", ""),
        &ids.concat(),
    );
}
