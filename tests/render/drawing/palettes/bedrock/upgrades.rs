//! Reads how the game upgrades the states of one version to the next, and numeric data to states.

use std::fs;
use std::path::Path;

use pixelmap_world::nbt::{LittleReader, Tag};
use serde_json::Value;

use super::{States, entries, items, value, version};
use crate::drawing::palettes::tables::{json, short};

/// The changes from one version to the next. `nbt_upgrade_schema_schema.json` describes the form.
pub(super) struct Upgrade {
    pub(super) to: Vec<u32>,
    pub(super) rules: Value,
}

impl Upgrade {
    pub(super) fn read_all(folder: &Path) -> Vec<Self> {
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

    pub(super) fn apply(&self, (name, states): (String, States)) -> (String, States) {
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

    /// Returns the new block of the first filter that accepts the state.
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

/// Returns the name that contains the value of a state, and the name of the state.
pub(super) fn flattened<'a>(rule: &'a Value, states: &States) -> Option<(String, &'a str)> {
    let key = rule["flattenedProperty"].as_str()?;
    let value = states.get(key)?;
    let value = rule["flattenedValueRemaps"][value]
        .as_str()
        .unwrap_or(value);
    let [prefix, suffix] = [&rule["prefix"], &rule["suffix"]].map(|part| part.as_str().unwrap());
    Some((short(&format!("{prefix}{value}{suffix}")).to_owned(), key))
}

/// All numeric data of each block with the state that it meant in 1.12.
pub(super) fn numeric_data(bytes: &[u8]) -> Vec<(String, u32, (String, States))> {
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

/// Reads the name and the states of a block from the rest of a compound.
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
