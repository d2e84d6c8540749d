//! The texts from which the program makes its colours: tables, rules and lists.

pub(crate) const BLOCKS: &str = include_str!("blocks.tsv");

pub(crate) const BIOMES: &str = include_str!("biomes.tsv");
pub(crate) const BEDROCK_WATER: &str = include_str!("bedrock_water.tsv");

pub(crate) const LIGHTS: &str = include_str!("lights.tsv");

/// The rules and lists that decide colours in the program instead of in a table, as source text.
/// They are part of the fingerprint, so that a map is drawn again after an update that changes a
/// rule or a list.
pub(crate) const RULES: [&str; 5] = [
    include_str!("unknown/guess.rs"),
    include_str!("unknown/words.rs"),
    include_str!("map_item.rs"),
    include_str!("no_roof.rs"),
    include_str!("upper_half.rs"),
];

/// The `DataVersion` of 26.3, the newest release whose blocks are in the tables.
pub(crate) const NEWEST_DATA_VERSION: i32 = 5023;
