//! Facts about blocks that assets do not contain: default states, which blocks can be waterlogged,
//! and colours on the game's own maps.

use std::collections::BTreeMap;

use crate::palette::resolver::states::State;
use crate::palette::sources::BLOCKS;
use crate::palette::table::{self, BlockTable, Flags, TableEntry, WATERLOGGED};

/// Blocks by name, without `minecraft:`.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    blocks: BTreeMap<String, BlockFacts>,
}

/// The registry's facts about a block.
#[derive(Debug, Clone, Default)]
pub struct BlockFacts {
    /// All properties of the default state.
    pub default: State,
    /// The colour on the game's maps, for all states that are not in `maps`.
    pub map: u8,
    /// The states that have a map colour of their own.
    pub maps: Vec<(State, u8)>,
}

impl Registry {
    /// Makes a registry of these blocks. Their names are without `minecraft:`.
    pub fn new(blocks: BTreeMap<String, BlockFacts>) -> Self {
        Self { blocks }
    }

    /// Returns the facts from the built-in table. They are enough for the table's blocks if
    /// `block.json` is missing.
    pub fn builtin() -> Self {
        let table = BlockTable::new(BLOCKS);
        let blocks = table.entries().filter_map(|(name, entry)| match entry {
            TableEntry::Block(block) => Some((name.to_owned(), BlockFacts::from_table(&block))),
            TableEntry::Alias { .. } => None,
        });
        Self {
            blocks: blocks.collect(),
        }
    }

    pub(super) fn facts(&self, name: &str) -> Option<&BlockFacts> {
        self.blocks.get(name)
    }

    /// Returns the names of all blocks, sorted.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.blocks.keys().map(String::as_str)
    }
}

impl BlockFacts {
    fn from_table(block: &table::TableBlock) -> Self {
        let mut facts = Self {
            map: block.row.map,
            ..Self::default()
        };

        if block.row.flags.has(Flags::WETTABLE) {
            let wet = block.row.flags.has(Flags::WET);
            facts
                .default
                .insert(WATERLOGGED.to_owned(), wet.to_string());
        }

        for (when, row) in block.states() {
            let mut state = facts.default.clone();
            state.extend(when.iter().map(|(key, value)| (key.clone(), value.clone())));
            facts.maps.push((state, row.map));
        }

        facts
    }

    /// Returns the map colour of the default state with some properties changed.
    pub(super) fn map_colour(&self, changed: &State) -> u8 {
        let mut state = self.default.clone();
        state.extend(changed.clone());
        self.maps
            .iter()
            .find(|(properties, _)| *properties == state)
            .map_or(self.map, |(_, map)| *map)
    }

    /// Returns whether the block has the property `waterlogged`.
    pub(super) fn can_be_waterlogged(&self) -> bool {
        self.default.contains_key("waterlogged")
    }

    /// Returns whether the block is waterlogged by default.
    pub(super) fn is_waterlogged(&self) -> bool {
        self.default
            .get("waterlogged")
            .is_some_and(|value| value == "true")
    }
}

/// Parses the properties in a text such as `axis=x,lit=true`.
pub(crate) fn parse_state(text: &str) -> State {
    text.split(',')
        .filter_map(|pair| pair.split_once('='))
        .map(|(k, v)| (k.to_owned(), v.to_owned()))
        .collect()
}
