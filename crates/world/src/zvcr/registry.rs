//! The numbers of block states, biomes and block entities in the game's network protocol.
//!
//! A state's number is the number of the block's first state, plus its property values as digits.
//! The last property turns fastest. So a table of the names and properties of blocks is enough.

use std::sync::OnceLock;

use crate::zvcr::chunk_nbt;

/// Blocks in the order of their numbers: name, protocols, and properties with their values. A
/// property without values is true or false.
const STATES: &str = include_str!("states.tsv");
/// Protocol, registry, and the names in the order of their numbers.
const REGISTRIES: &str = include_str!("registries.tsv");

/// Each known protocol and the `DataVersion` of the game that uses it: 1.20.4 and 1.21.4.
const PROTOCOLS: [(u16, i32); 2] = [(765, 3700), (769, 4189)];

/// The names of one protocol.
#[derive(Debug)]
pub(super) struct Registry {
    pub(super) data_version: i32,
    /// The palette entries of all states, in NBT.
    states: Vec<u8>,
    /// The end of each state's entry in `states`.
    ends: Vec<u32>,
    biomes: Vec<&'static str>,
    block_entities: Vec<&'static str>,
}

/// A property of a block, and its values in the order of their numbers.
struct Property {
    name: &'static str,
    values: Vec<String>,
}

impl Registry {
    /// Returns the registry of a protocol; `None`: it is not known.
    pub(super) fn of_protocol(protocol: u16) -> Option<&'static Self> {
        static MADE: [OnceLock<Registry>; PROTOCOLS.len()] = [const { OnceLock::new() }; 2];
        let index = PROTOCOLS.iter().position(|&(known, _)| known == protocol)?;
        Some(MADE[index].get_or_init(|| Self::new(protocol, PROTOCOLS[index].1)))
    }

    /// Lists the known protocols, for a message.
    pub(super) fn known() -> String {
        PROTOCOLS
            .map(|(protocol, _)| protocol.to_string())
            .join(" and ")
    }

    fn new(protocol: u16, data_version: i32) -> Self {
        let mut registry = Self {
            data_version,
            states: Vec::new(),
            ends: Vec::new(),
            biomes: names(protocol, "biomes"),
            block_entities: names(protocol, "block_entities"),
        };

        for line in rows(STATES) {
            let mut fields = line.split('\t');
            let name = fields.next().unwrap_or_default();
            if is_in(fields.next().unwrap_or_default(), protocol) {
                registry.add_block(name, &properties(fields.next().unwrap_or_default()));
            }
        }

        registry
    }

    /// Adds all states of a block.
    fn add_block(&mut self, name: &str, properties: &[Property]) {
        let count: usize = properties
            .iter()
            .map(|property| property.values.len())
            .product();
        for state in 0..count {
            let mut rest = state;
            let mut values: Vec<(&str, &str)> = Vec::new();
            for property in properties.iter().rev() {
                values.push((
                    property.name,
                    &property.values[rest % property.values.len()],
                ));
                rest /= property.values.len();
            }

            chunk_nbt::put_state(&mut self.states, name, &values);
            self.ends.push(self.states.len() as u32);
        }
    }

    /// Writes the palette entry of a state. A number without a state becomes an unknown block.
    pub(super) fn put_state(&self, state: u16, out: &mut Vec<u8>) {
        let index = usize::from(state);
        let Some(&end) = self.ends.get(index) else {
            return chunk_nbt::put_state(out, &format!("unknown_state_{state}"), &[]);
        };

        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        out.extend_from_slice(&self.states[start as usize..end as usize]);
    }

    /// Writes the name of a biome.
    pub(super) fn put_biome(&self, biome: u16, out: &mut Vec<u8>) {
        match self.biomes.get(usize::from(biome)) {
            Some(name) => chunk_nbt::put_game_name(out, name),
            None => chunk_nbt::put_game_name(out, &format!("unknown_biome_{biome}")),
        }
    }

    /// Returns the name of a type of block entities.
    pub(super) fn block_entity(&self, number: u32) -> Option<&'static str> {
        self.block_entities.get(number as usize).copied()
    }
}

/// Returns the names of a registry.
fn names(protocol: u16, registry: &str) -> Vec<&'static str> {
    let start = format!("{protocol}\t{registry}\t");
    let names = rows(REGISTRIES).find_map(|line| line.strip_prefix(&start));
    names.unwrap_or_default().split(' ').collect()
}

fn rows(table: &'static str) -> impl Iterator<Item = &'static str> {
    table.lines().filter(|line| !line.starts_with('#'))
}

/// Returns whether a protocol is in a range such as `769-`, `-765`, or nothing for all protocols.
fn is_in(range: &str, protocol: u16) -> bool {
    let Some((first, last)) = range.split_once('-') else {
        return true;
    };

    let is_late_enough = first.parse().map_or(true, |first: u16| protocol >= first);
    let is_early_enough = last.parse().map_or(true, |last: u16| protocol <= last);
    is_late_enough && is_early_enough
}

fn properties(text: &'static str) -> Vec<Property> {
    text.split_terminator(' ').map(property).collect()
}

fn property(text: &'static str) -> Property {
    let (name, values) = text.split_once('=').unwrap_or((text, "true|false"));
    let numbers = values
        .split_once("..")
        .and_then(|(first, last)| Some(first.parse::<u8>().ok()?..=last.parse::<u8>().ok()?));

    Property {
        name,
        values: match numbers {
            Some(numbers) => numbers.map(|number| number.to_string()).collect(),
            None => values.split('|').map(str::to_owned).collect(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(registry: &Registry, number: u16) -> String {
        let mut entry = Vec::new();
        registry.put_state(number, &mut entry);
        let texts: Vec<String> = entry
            .split(|byte| !byte.is_ascii_graphic())
            .filter(|text| text.len() > 1)
            .map(|text| String::from_utf8_lossy(text).into_owned())
            .collect();
        texts.join(" ")
    }

    #[test]
    fn state_numbers_have_the_games_names() {
        let new = Registry::of_protocol(769).unwrap();
        assert_eq!(new.ends.len(), 27_866);
        for (number, text) in [
            (0, "Name minecraft:air"),
            (8, "Name minecraft:grass_block Properties snowy true"),
            (9, "Name minecraft:grass_block Properties snowy false"),
            (13_971, "Name minecraft:void_air"),
            (13_972, "Name minecraft:cave_air"),
        ] {
            assert_eq!(state(new, number), text, "{number}");
        }
        assert!(state(new, 279).contains("oak_leaves"));
        assert!(state(new, 27_866).contains("unknown_state_27866"));

        let old = Registry::of_protocol(765).unwrap();
        assert_eq!(old.ends.len(), 26_644);
        assert_eq!(state(old, 9), state(new, 9));
    }

    #[test]
    fn registries_of_both_protocols_are_complete() {
        for (protocol, biomes, block_entities) in [(765, 64, 41), (769, 65, 45)] {
            let registry = Registry::of_protocol(protocol).unwrap();
            assert_eq!(registry.biomes.len(), biomes);
            assert_eq!(registry.block_entities.len(), block_entities);
            assert_eq!(registry.block_entity(7), Some("sign"));
        }
        assert!(Registry::of_protocol(770).is_none());
    }
}
