//! The numbers of block states, biomes and block entities in the game's network protocol.
//!
//! A state's number is the number of the block's first state, plus its property values as digits.
//! The last property turns fastest. So a table of the names and properties of blocks is enough.

use std::fmt;
use std::sync::OnceLock;

use super::cache::NameCache;
use super::ids::{BiomeId, BlockId};

/// Blocks in the order of their numbers: name, protocols, and properties with their values. A
/// property without values is true or false.
const STATES: &str = include_str!("network_states.tsv");
/// Protocol, registry, and the names in the order of their numbers.
const REGISTRIES: &str = include_str!("network_registries.tsv");

/// Each known protocol and the `DataVersion` of the game that uses it: 1.20.4 and 1.21.4.
const PROTOCOLS: [(u16, i32); 2] = [(765, 3700), (769, 4189)];

/// The names of one protocol.
pub(crate) struct NetworkNames {
    protocol: u16,
    pub(crate) data_version: i32,
    /// In the order of their numbers.
    blocks: Vec<NetworkBlock>,
    biomes: Vec<&'static str>,
    block_entities: Vec<&'static str>,
}

/// A block and its states.
struct NetworkBlock {
    name: &'static str,
    /// The number of its first state.
    first: usize,
    /// The number of its states.
    states: usize,
    properties: Vec<Property>,
}

/// A property of a block, and its values in the order of their numbers.
struct Property {
    name: &'static str,
    values: Vec<String>,
}

impl fmt::Debug for NetworkNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NetworkNames({})", self.protocol)
    }
}

impl NetworkNames {
    /// Returns the names of a protocol; `None`: it is not known.
    pub(crate) fn of_protocol(protocol: u16) -> Option<&'static Self> {
        static MADE: [OnceLock<NetworkNames>; PROTOCOLS.len()] = [const { OnceLock::new() }; 2];
        let index = PROTOCOLS.iter().position(|&(known, _)| known == protocol)?;
        Some(MADE[index].get_or_init(|| Self::new(protocol, PROTOCOLS[index].1)))
    }

    /// Lists the known protocols, for a message.
    pub(crate) fn known() -> String {
        PROTOCOLS
            .map(|(protocol, _)| protocol.to_string())
            .join(" and ")
    }

    fn new(protocol: u16, data_version: i32) -> Self {
        let mut blocks = Vec::new();
        let mut first = 0;
        for line in rows(STATES) {
            let mut fields = line.split('\t');
            let name = fields.next().unwrap_or_default();
            if !is_in(fields.next().unwrap_or_default(), protocol) {
                continue;
            }

            let properties = properties(fields.next().unwrap_or_default());
            let states = properties
                .iter()
                .map(|property| property.values.len())
                .product();
            blocks.push(NetworkBlock {
                name,
                first,
                states,
                properties,
            });
            first += states;
        }

        Self {
            protocol,
            data_version,
            blocks,
            biomes: names(protocol, "biomes"),
            block_entities: names(protocol, "block_entities"),
        }
    }

    pub(crate) const fn protocol(&self) -> u16 {
        self.protocol
    }

    /// Returns the name and the properties of a state; `None`: no state has this number.
    fn state(&self, number: u16) -> Option<(&'static str, Vec<(&'static str, &str)>)> {
        let number = usize::from(number);
        let after = self.blocks.partition_point(|block| block.first <= number);
        let block = &self.blocks[after.checked_sub(1)?];
        let mut rest = number - block.first;
        if rest >= block.states {
            return None;
        }

        let mut values = Vec::new();
        for Property { name, values: all } in block.properties.iter().rev() {
            values.push((*name, all[rest % all.len()].as_str()));
            rest /= all.len();
        }

        Some((block.name, values))
    }

    /// Returns the name of a type of block entities.
    pub(crate) fn block_entity(&self, number: u32) -> Option<&'static str> {
        self.block_entities.get(number as usize).copied()
    }
}

impl NameCache {
    /// Returns the id of the block state with a number. A number without a state becomes an unknown
    /// block.
    #[inline]
    pub(crate) fn network_block(&mut self, names: &NetworkNames, number: u16) -> BlockId {
        self.network.set(names.protocol);
        match self.network.blocks[usize::from(number)] {
            Some(known) => known,
            None => self.meet_network_block(names, number),
        }
    }

    #[cold]
    fn meet_network_block(&mut self, names: &NetworkNames, number: u16) -> BlockId {
        let id = match names.state(number) {
            None => self.block(format!("unknown_state_{number}").as_bytes(), |_| None),
            Some((name, properties)) => {
                let value = |wanted: &[u8]| {
                    let named = properties
                        .iter()
                        .find(|(name, _)| name.as_bytes() == wanted);
                    named.map(|(_, value)| value.as_bytes())
                };
                let block = self.block(name.as_bytes(), value);

                let stored = properties
                    .iter()
                    .map(|(name, value)| (name.as_bytes(), value.as_bytes()));
                self.with_properties(block, stored.collect())
            }
        };

        self.network.blocks[usize::from(number)] = Some(id);
        id
    }

    /// Returns the id of the biome with a number.
    pub(crate) fn network_biome(&mut self, names: &NetworkNames, number: u16) -> BiomeId {
        self.network.set(names.protocol);
        if let Some(known) = self.network.biomes[usize::from(number)] {
            return known;
        }

        let id = match names.biomes.get(usize::from(number)) {
            Some(name) => self.biome(name.as_bytes()),
            None => self.biome(format!("unknown_biome_{number}").as_bytes()),
        };
        self.network.biomes[usize::from(number)] = Some(id);
        id
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

    fn state(names: &NetworkNames, number: u16) -> String {
        let Some((name, properties)) = names.state(number) else {
            return "none".to_owned();
        };
        let properties = properties
            .iter()
            .map(|(name, value)| format!(" {name}={value}"));
        name.to_owned() + &properties.collect::<String>()
    }

    #[test]
    fn state_numbers_have_the_games_names() {
        let new = NetworkNames::of_protocol(769).unwrap();
        for (number, text) in [
            (0, "air"),
            (8, "grass_block snowy=true"),
            (9, "grass_block snowy=false"),
            (86, "water level=0"),
            (13_971, "void_air"),
            (13_972, "cave_air"),
            (27_866, "none"),
        ] {
            assert_eq!(state(new, number), text, "{number}");
        }
        assert!(state(new, 279).starts_with("oak_leaves"));
        assert_ne!(state(new, 27_865), "none");

        let old = NetworkNames::of_protocol(765).unwrap();
        assert_eq!(state(old, 9), state(new, 9));
        assert_eq!(state(old, 26_644), "none");
        assert_ne!(state(old, 26_643), "none");
    }

    #[test]
    fn registries_of_both_protocols_are_complete() {
        for (protocol, biomes, block_entities) in [(765, 64, 41), (769, 65, 45)] {
            let names = NetworkNames::of_protocol(protocol).unwrap();
            assert_eq!(names.biomes.len(), biomes);
            assert_eq!(names.block_entities.len(), block_entities);
            assert_eq!(names.block_entity(7), Some("sign"));
        }
        assert!(NetworkNames::of_protocol(770).is_none());
    }
}
